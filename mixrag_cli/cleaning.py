"""Foreign text made safe to show, to store and to hand to a model; raw paths made safe to read.

Every string that comes from a file, a file name, a model or an exception passes through here before it
reaches a terminal or a prompt. This module imports nothing of the project.
"""

from __future__ import annotations

import re

# Terminal sequences, removed whole. None of them may swallow a line break, so that line numbers stay right, and
# each is bounded, so that an opening without an end costs its first bytes only.
ESCAPE_SEQUENCE = re.compile(
    "(?:\x1b\\[|\x9b(?=[0-?]))[0-?]{0,64}[ -/]{0,8}[@-~]"  # CSI; its one-byte form only with a parameter
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\r\n]{0,4096}(?:\x07|\x1b\\\\|\x9c)"  # OSC, DCS and kin
    "|\x1b[ -/]{0,8}[0-~]"  # two-byte and character-set sequences
)

# Characters that a person cannot see and that change what is shown or smuggle text past the eye.
UNSEEN = (
    "\x00-\x08\x0e-\x1f\x7f-\x9f"  # C0 without tab, line feed, vertical tab, form feed, return; DEL; C1
    "\xad\u180e\u200b\u2060-\u2064\ufeff"  # soft hyphen, zero-width spaces, word joiner, byte order mark
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # bidirectional controls and their deprecated kin
    "\ufff9-\ufffb"  # interlinear annotation
    "\U000e0000-\U000e0fff"  # tag characters and the variation selectors that can carry bytes
)
UNSEEN_RUN = re.compile(f"[{UNSEEN}]+")
BLANKS_OF_OTHER_KINDS = re.compile("[\x0b\x0c\u2028\u2029]")  # a blank, not a line break: editors do not count them
SURROGATE = re.compile("[\ud800-\udfff]")
JOINERS = re.compile("[\u200c\u200d]+")
FIRST_SCRIPT_WITH_JOINERS = "\u0590"  # Hebrew onward (Arabic, Indic, emoji); below it joiners only hide text
SUSPECT = re.compile(f"[{UNSEEN}\r\x0b\x0c\u2028\u2029\u200c\u200d\ud800-\udfff]")
BREAKS = re.compile("[\n\t]")

REPLACEMENT = "\ufffd"
REDACTED = "[secret removed]"  # what stands in a text where a key or token stood


def safe_text(text: str, *, keep_newlines: bool = True) -> str:
    """The text without control bytes, terminal sequences, bidirectional controls and hidden characters.

    Example: safe_text("a\\x1b[31mb\\r\\nc\\u202e") -> "ab\\nc"

    Tabs and line feeds stay (or become blanks with keep_newlines=False); "\\r\\n" and "\\r" become "\\n"; vertical
    tab, form feed and the Unicode line separators become blanks; a lone surrogate becomes U+FFFD. Joiners stay
    only between characters of scripts that need them. The number of line feeds never changes otherwise. Idempotent.
    """
    if SUSPECT.search(text):
        text = remove_unseen(text)
    return text if keep_newlines else BREAKS.sub(" ", text)


def remove_unseen(text: str) -> str:
    """The slow road of safe_text, for a text with at least one suspect character."""
    text = ESCAPE_SEQUENCE.sub("", text)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = UNSEEN_RUN.sub("", text)
    text = BLANKS_OF_OTHER_KINDS.sub(" ", text)
    text = SURROGATE.sub(REPLACEMENT, text)
    return JOINERS.sub(keep_needed_joiner, text)


def keep_needed_joiner(run: re.Match[str]) -> str:
    """The first joiner of the run where both neighbours are of a script that uses joiners, else nothing."""
    text, start, end = run.string, run.start(), run.end()
    if start == 0 or end == len(text):
        return ""
    needed = min(text[start - 1], text[end]) >= FIRST_SCRIPT_WITH_JOINERS
    return run.group()[0] if needed else ""


def display_path(raw: bytes) -> str:
    """A raw path as printable text from which path_from_display gets the same bytes back.

    Example: display_path(b"a\\nb\\\\c\\xff") -> "a\\\\nb\\\\\\\\c\\\\xff" (shown: a\\nb\\\\c\\xff)

    A backslash is doubled; bytes that are not UTF-8 and all that is not printable are escaped as Python does.
    """
    text = raw.decode("utf-8", "surrogateescape")
    if text.isprintable() and "\\" not in text:
        return text
    return "".join(map(escape_character, text))


def escape_character(character: str) -> str:
    """One character of a path, escaped when it is not printable."""
    if character == "\\":
        return "\\\\"
    if character.isprintable():
        return character
    if "\udc80" <= character <= "\udcff":  # an undecodable byte, as surrogateescape carries it
        return f"\\x{ord(character) - 0xDC00:02x}"
    if character < "\x80":
        return character.encode("unicode_escape").decode("ascii")
    # \x is kept for raw bytes: U+0085 is not the byte 85
    return f"\\u{ord(character):04x}" if character <= "\uffff" else f"\\U{ord(character):08x}"


ESCAPED = re.compile(r"\\(?:\\|([ntr])|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")
LETTER_ESCAPES = {"n": b"\n", "t": b"\t", "r": b"\r"}


def path_from_display(shown: str) -> bytes:
    """The raw path that display_path showed so; text with no escapes gives its own UTF-8 bytes."""
    raw, done = bytearray(), 0
    for escape in ESCAPED.finditer(shown):
        raw += shown[done : escape.start()].encode("utf-8", "surrogateescape")
        raw += unescape_character(escape)
        done = escape.end()
    return bytes(raw + shown[done:].encode("utf-8", "surrogateescape"))


def unescape_character(escape: re.Match[str]) -> bytes:
    """The bytes of one escape of display_path."""
    letter, byte, short, long = escape.groups()
    if letter:
        return LETTER_ESCAPES[letter]
    if byte:
        return bytes.fromhex(byte)
    if point := short or long:
        return chr(int(point, 16)).encode("utf-8", "surrogatepass")
    return b"\\"
