"""Bytes to text, for every format that is text: never an exception, and the losses are counted.

1. a byte order mark decides (UTF-8, UTF-16, UTF-32)
2. what the user says
3. UTF-8, if every byte agrees
4. UTF-16 or UTF-32 without a mark, told by where the NUL bytes stand
5. mostly UTF-8 with some damage: UTF-8 with U+FFFD for the damage
6. what the file declares about itself (coding:, charset=, encoding=)
7. the single-byte encoding in which the letters are those of a language (see letter_evidence)
8. what charset-normalizer believes, which knows East Asian encodings
9. cp1252, which decodes nearly anything a Western program wrote
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from mixrag_cli.cleaning import safe_text
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.letter_evidence import best_fit
from mixrag_cli.readers.source import ReadSource

HEAD_BYTES = 8192  # where git and ripgrep look for a NUL too
GUESS_BYTES = 65_536  # charset-normalizer costs about 10 ms per 10 kB; more text did not change its mind
FIT_BYTES = 16_384  # a few hundred letters decide
REPLACEMENT = "\ufffd"
READ_AS = "read as "  # begins the note on an encoding
UNREADABLE = "could not be read as "  # stands in the note on characters that an encoding has not
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
DECLARED = re.compile(rb"(?:coding|charset|encoding)[ \t]{0,4}[=:][ \t]{0,4}[\"']?([A-Za-z0-9._-]{2,40})")
HIGH_RUN = re.compile(rb"[\x80-\xff]+")
NOT_FOR_TEXT = frozenset(
    {"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "utf-7", "mbcs", "oem"}
)  # Python's own names
# The encodings of more bytes a character that people meet. Left to all of its 90, charset-normalizer is often wrong.
LIKELY = ["shift_jis", "cp932", "euc_jp", "iso2022_jp", "gb18030", "big5", "euc_kr"]


@dataclass(frozen=True, slots=True)
class Guess:
    """An encoding, and whether the bytes leave no other that fits as well."""

    encoding: str
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text with its encoding and the number of characters that could not be read (U+FFFD).

    is_sure: whether the encoding is told by the file, or fits clearly better than any other. is_said: by the user.
    """

    text: str
    encoding: str
    replaced: int
    is_sure: bool = True
    is_said: bool = False


def decode(raw: bytes) -> tuple[str, str, int]:
    """The text, the encoding that fitted and the number of U+FFFD in the text; no byte sequence raises.

    Line ends become \\n. Example: b"caf\\xe9" -> ("café", "cp1252", 0)
    """
    text, encoding, replaced, _ = _decode(raw)
    return text, encoding, replaced


def _decode(raw: bytes) -> tuple[str, str, int, bool]:
    """As decode, and whether the encoding is sure."""
    if mark := marked_encoding(raw):
        return (*_finish(raw[len(mark[0]) :], mark[1]), True)
    if wide := wide_encoding(raw[:HEAD_BYTES]):
        return (*_finish(raw, wide), True)
    try:
        return _with_plain_line_ends(raw.decode("utf-8")), "utf-8", 0, True
    except UnicodeDecodeError:
        guess = guess_encoding(raw)
        return (*_finish(raw, guess.encoding), guess.is_sure)


def marked_encoding(head: bytes) -> tuple[bytes, str] | None:
    """The byte order mark that the bytes begin with, and its encoding."""
    return next(((mark, encoding) for mark, encoding in MARKS if head.startswith(mark)), None)


def find_codec(name: str) -> str:
    """Python's own name of an encoding of texts, "" where it knows none of that name. Example: "CP-850" -> "cp850"."""
    try:
        codec = codecs.lookup(name)
        "".encode(codec.name)  # raises LookupError for a codec that is none of texts, such as base64
    except (LookupError, ValueError):
        return ""
    return "" if codec.name in NOT_FOR_TEXT else codec.name


def looks_binary(head: bytes) -> bool:
    """Whether the first bytes hold a NUL and are no UTF-16 or UTF-32."""
    head = head[:HEAD_BYTES]
    if b"\0" not in head or any(head.startswith(mark) for mark, _ in MARKS[1:]):
        return False
    return wide_encoding(head) == ""


def wide_encoding(head: bytes) -> str:
    """The UTF-16 or UTF-32 encoding that the NUL bytes of an unmarked text give away, or ""."""
    if len(head) < 4 or b"\0" not in head:
        return ""
    head = head[: len(head) // 4 * 4]
    nul_share = [head[place::4].count(0) / (len(head) // 4) for place in range(4)]
    high, low = 0.7, 0.1  # Western text in UTF-16 has a NUL in nearly every pair, machine code in no fixed place
    patterns = {
        "utf-32-le": nul_share[0] < low and min(nul_share[2:]) > high,
        "utf-32-be": nul_share[3] < low and min(nul_share[:2]) > high,
        "utf-16-le": max(nul_share[0], nul_share[2]) < low and min(nul_share[1], nul_share[3]) > high,
        "utf-16-be": max(nul_share[1], nul_share[3]) < low and min(nul_share[0], nul_share[2]) > high,
    }
    for encoding, fits in patterns.items():
        if fits and _reads_as_text(head.decode(encoding, "replace")):
            return encoding
    return ""


def read_decoded(source: ReadSource, *, may_cut: bool = False) -> Decoded:
    """The whole source as text, cleaned of hidden characters and secrets; its line count is the file's own.

    Raises FileUnreadable("binary") for what is no text and ("too-large") above the text limit, unless may_cut:
    then the text ends at the limit, at the end of a line where there is one.
    """
    limit = source.limits.max_text_bytes
    raw = source.file.read(limit + 1)
    said = "" if marked_encoding(raw) else source.encoding
    if looks_binary(raw) and not is_wide(said):
        raise FileUnreadable("binary", "looks binary")
    if len(raw) > limit:
        if not may_cut:
            raise FileUnreadable("too-large", f"larger than {source.limits.max_text_file_mb} MB")
        raw = raw[:limit]
        raw = raw[: raw.rfind(b"\n") + 1 or limit]
    source.beat(0, len(raw))
    text, encoding, replaced, is_sure = (*_finish(raw, said), True) if said else _decode(raw)
    decoded = Decoded(source.redact(safe_text(text)), encoding, replaced, is_sure, is_said=bool(said))
    source.beat(len(raw), len(raw))
    return decoded


def decoding_warnings(decoded: Decoded) -> list[str]:
    """What a person should know about the decoding: another encoding than UTF-8, characters lost."""
    if decoded.replaced:
        lost = "1 character" if decoded.replaced == 1 else f"{decoded.replaced:,} characters"
        return [f"{lost} {UNREADABLE}{decoded.encoding}"]
    if decoded.is_said:
        return [said_note(decoded.encoding)]
    if decoded.encoding == "utf-8":
        return []
    return [f"{READ_AS}{decoded.encoding}" if decoded.is_sure else f"{READ_AS}{decoded.encoding}, unsure"]


def said_note(encoding: str) -> str:
    """The note on a text that was read in the encoding that the user says."""
    return f"{READ_AS}{encoding}, as told"


def is_wide(encoding: str) -> bool:
    """Whether texts in the encoding hold NUL bytes."""
    return encoding.startswith(("utf-16", "utf-32"))


def is_on_encoding(note: str) -> bool:
    """Whether a note of a reader tells in what encoding the file was read."""
    return note.startswith(READ_AS) or UNREADABLE in note


def _finish(raw: bytes, encoding: str) -> tuple[str, str, int]:
    text = _with_plain_line_ends(raw.decode(encoding, "replace"))
    return text, encoding, text.count(REPLACEMENT)


def _with_plain_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _reads_as_text(text: str) -> bool:
    odd = sum(1 for character in text if character == REPLACEMENT or (character < " " and character not in "\t\n\r\f"))
    return odd <= len(text) * 0.05


def guess_encoding(raw: bytes) -> Guess:
    """The likeliest encoding of bytes that are no UTF-8 and have no mark."""
    if _is_damaged_utf8(raw):
        return Guess("utf-8")
    head = raw[:GUESS_BYTES]
    declared = _declared_encoding(head[:HEAD_BYTES])
    if declared and _decodes(head, declared):
        return Guess(declared)
    fit = best_fit(head[:FIT_BYTES])
    if fit.is_good:
        return Guess(fit.encoding, fit.is_sure)
    if not _high_bytes_stand_alone(head):
        best = from_bytes(head, cp_isolation=LIKELY).best()
        if best is not None and _decodes(head, best.encoding):
            return Guess(best.encoding)
    return Guess("cp1252", is_sure=False)


def _high_bytes_stand_alone(head: bytes) -> bool:
    """Whether most bytes beyond ASCII have ASCII on both sides, as in Western text and in no other script."""
    runs = [len(run) for run in HIGH_RUN.findall(head)]
    return 2 * runs.count(1) > sum(runs)


def _is_damaged_utf8(raw: bytes) -> bool:
    """Whether more characters beyond ASCII are sound UTF-8 than are not."""
    text = raw[: 16 * GUESS_BYTES].decode("utf-8", "replace")
    beyond = sum(1 for character in text if character > "\x7f")
    broken = text.count(REPLACEMENT)
    return beyond - broken > broken


def _declared_encoding(head: bytes) -> str:
    found = DECLARED.search(head)
    return find_codec(found.group(1).decode("ascii")) if found else ""


def _decodes(head: bytes, encoding: str) -> bool:
    try:  # the cut may split a last character: replacement is allowed, a codec that is none for text is not
        text = head.decode(encoding, "replace")
    except (LookupError, ValueError, AssertionError):
        return False
    return text.count(REPLACEMENT) <= 1 + len(text) * 0.01
