"""Settings of files that are made of lines: ini and its kin, Java's properties, nginx's blocks.

ini          [section], key = value, and indented lines with more of the value
properties   key=value, key: value, key value; a line goes on behind a backslash
blocks       name value; and name { … }: .conf files with braces or with lines that end in a semicolon
directives   name value, below lines that open a section: .conf and .cfg files without signs between the two
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from mixrag_cli.readers.facts.collecting import FactCollector, unquoted
from mixrag_cli.readers.facts.comments import comment_at

LINE_SHAPED = frozenset(["ini", "cfg", "conf", "properties", "editorconfig", "env", "desktop", "service"])
# Comments may stand behind a value here. systemd's and the desktop's values hold semicolons, properties anything.
COMMENTED = LINE_SHAPED - {"properties", "desktop", "service"}
MAX_DEPTH = 60  # of blocks
MAX_JOINED_CHARS = 4_000  # of the lines of one value: no more is shown, or looked through for a comment
INI_SECTION = re.compile(r"\s{0,8}\[([^\]]{1,120})\]\s*(?:[#;].*)?$")
_INI_KEY = r"[\w.\-/\[\]*%$](?:[\w.\-/\[\]*%$ ]{0,118}[\w.\-/\[\]*%$])?+"
INI_SETTING = re.compile(rf"\s*+(?:export\s++)?({_INI_KEY})\s*+[=:]\s*(.*)$")
INI_COMMENT = re.compile(r"\s*[#;!]")
# "3600 ; seconds", but not "requests ; python_version < '3.9'"
BEHIND_VALUE = re.compile(r"\s(?:;\s+(?P<said>[^\s<>=;][^<>=;]{0,300})|#\s+(?P<told>\S.{0,300}))$")
PROPERTY = re.compile(r"\s*(?P<key>(?:\\.|[^\\=:\s]){1,200})(?:\s*[=:]\s*|\s+)(?P<text>.*)$")
PROPERTY_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
ENDS_BLOCKWISE = re.compile(r"[;{}]\s*(?:#.*)?$")
BLOCK_TOKEN = re.compile(
    r"\n|#[^\n]*|[;{}]|\"(?:[^\"\\]|\\.){0,2000}\"|'(?:[^'\\]|\\.){0,2000}'|(?:\$\{[^{}\n]*\}|[^\s;{}])+", re.DOTALL
)
SIGN_AFTER_NAME = re.compile(r"[=:]+\s*")
NAMED_VALUE = re.compile(r"(?P<key>[\w.\-/$]{1,120})\s*=\s*(?P<text>\S.*?),?$", re.DOTALL)
DIRECTIVE = re.compile(r"\s*[A-Za-z][\w.\-/]{0,80}\s+[^\s=:]")


def collect_line_settings(collector: FactCollector, lines: Sequence[str], suffix: str) -> None:
    """Collect the settings of a file of that suffix, one of LINE_SHAPED."""
    if suffix == "properties":
        _collect_properties(collector, lines)
    elif suffix == "conf" and _is_made_of_blocks(lines):
        _Blocks(collector, lines).collect()
    elif suffix in ("conf", "cfg") and _is_made_of_directives(lines):
        _collect_directives(collector, lines)
    else:
        _collect_ini(collector, lines, may_comment=suffix in COMMENTED)


def _collect_ini(collector: FactCollector, lines: Sequence[str], *, may_comment: bool) -> None:
    """[section], key = value; a value goes on in the indented lines below it."""
    section: tuple[str, ...] = ()
    number = 0
    while number < len(lines) and not collector.is_full:
        line = lines[number]
        first = number
        number += 1
        if INI_COMMENT.match(line) or not line.strip():
            continue
        if found := INI_SECTION.match(line):
            section = (found[1].strip(),)
        elif found := INI_SETTING.match(line):
            value, comment = _parted(found[2].strip()) if may_comment else (found[2].strip(), "")
            values = [(value, first)]
            while number < len(lines) and lines[number][:1] in (" ", "\t") and lines[number].strip():
                if not INI_COMMENT.match(lines[number]):
                    values.append((lines[number].strip(), number))
                number += 1
            where = first + 1
            if not comment:
                comment, where = comment_at(lines, first, None)
            text, row = _joined(values)
            path = (*section, found[1].strip())
            collector.add(path, "setting", ("value", unquoted(text), row + 1), ("help", comment, where))


def _joined(values: Sequence[tuple[str, int]]) -> tuple[str, int]:
    """The lines of a value as one, and the row of its first: a list with commas where the key's own line is empty."""
    said = [(text, row) for text, row in values if text]
    if not said:
        return "", values[0][1]
    separator = " " if values[0][0] else ", "
    whole = said[0][0]
    for text, _ in said[1:]:
        if len(whole) > MAX_JOINED_CHARS:
            break
        whole = f"{whole[:-1].rstrip()} {text}" if whole.endswith("\\") else f"{_open(whole, separator)}{text}"
    return _open(whole, separator).rstrip(", ") if separator == ", " else whole, said[0][1]


def _open(text: str, separator: str) -> str:
    """The text with the separator behind it, once."""
    return (text.rstrip(", ") if separator == ", " else text) + separator


def _parted(value: str) -> tuple[str, str]:
    """A value and the comment behind it, "" where there is none. Example: "3600 ; seconds" -> "3600", "seconds"."""
    found = BEHIND_VALUE.search(value) if len(value) <= MAX_JOINED_CHARS else None
    if found is None:
        return value, ""
    before = value[: found.start()].rstrip()
    is_inside_quotes = any(before.count(mark) % 2 for mark in "\"'")
    return (value, "") if is_inside_quotes or not before else (before, found["said"] or found["told"])


def _collect_properties(collector: FactCollector, lines: Sequence[str]) -> None:
    number = 0
    while number < len(lines) and not collector.is_full:
        first, text = number, lines[number]
        number += 1
        if INI_COMMENT.match(text) and not text.lstrip().startswith(";"):
            continue
        while _is_open(lines[number - 1]) and number < len(lines):
            text = text[:-1] + lines[number].lstrip() if len(text) < MAX_JOINED_CHARS else text
            number += 1
        if found := PROPERTY.match(text):
            comment, where = comment_at(lines, first, None)
            text = _plain(found["text"].rstrip())
            collector.add((_plain(found["key"]),), "setting", ("value", text, first + 1), ("help", comment, where))


def _is_open(line: str) -> bool:
    """Whether a property goes on in the next line: an odd number of backslashes ends this one."""
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _plain(text: str) -> str:
    """The text with what Java's backslashes stand for; what they say of blanks and lines is a blank."""
    return PROPERTY_ESCAPE.sub(lambda found: _of_code(found[1]) if found[1] else _of_letter(found[2]), text)


def _of_code(code: str) -> str:
    letter = chr(int(code, 16))
    return letter if letter.isprintable() else " "


def _of_letter(letter: str) -> str:
    return " " if letter in "ntrf" else letter


def collect_block_settings(collector: FactCollector, lines: Sequence[str]) -> None:
    """Collect the settings of a file that is made of blocks, such as Terraform's."""
    _Blocks(collector, lines).collect()


def _is_made_of_blocks(lines: Sequence[str]) -> bool:
    """Whether most lines of a .conf file end as those of blocks do, or some open one."""
    said = [lines[number] for number in _told_rows(lines)]
    ends = [found[0][0] for line in said if (found := ENDS_BLOCKWISE.search(line))]
    return 2 * len(ends) > len(said) or ("{" in ends and not any(INI_SECTION.match(line) for line in said))


def _is_made_of_directives(lines: Sequence[str]) -> bool:
    """Whether a file has no sections in brackets, and most of its lines a name and a value but no sign between."""
    said = [lines[number] for number in _told_rows(lines)]
    if any(INI_SECTION.match(line) for line in said):
        return False
    return 2 * sum(DIRECTIVE.match(line) is not None for line in said) > len(said)


def _collect_directives(collector: FactCollector, lines: Sequence[str]) -> None:
    """name value; a line at the margin with indented lines below it opens a section of that name."""
    section: tuple[str, ...] = ()
    told = _told_rows(lines)
    for number, following in zip(told, [*told[1:], None], strict=True):
        line = lines[number]
        is_inner = line[0].isspace()
        if not is_inner:
            opens = following is not None and lines[following][0].isspace()
            section = (" ".join(line.split()),) if opens else ()
            if opens:
                continue
        value, comment = _parted(line.strip())
        words = value.split()
        are_names = words[-1][:1].isdigit() and all(map(_is_name_word, words[:-1]))
        n_key = len(words) - 1 if are_names else 1  # "timeout client 30m" is the client's timeout
        text = " ".join(words[n_key:])
        where = number + 1
        if not comment:
            comment, where = comment_at(lines, number, None)
        path = (*section, " ".join(words[:n_key]))
        collector.add(path, "setting", ("value", unquoted(text), number + 1), ("help", comment, where))


def _told_rows(lines: Sequence[str]) -> list[int]:
    """The rows that say something, comments left out."""
    return [number for number, line in enumerate(lines) if line.strip() and not INI_COMMENT.match(line)]


def _is_name_word(word: str) -> bool:
    """Whether a word is of ASCII letters and, behind the first, hyphens."""
    return word.isascii() and word[:1].isalpha() and word.replace("-", "").isalpha()


class _Blocks:
    """Reads name value; and name { … }. Where no line ends in a semicolon a line's end ends a setting, too."""

    def __init__(self, collector: FactCollector, lines: Sequence[str]) -> None:
        self._collector = collector
        self._lines = lines
        self._text = "\n".join(lines)
        self._path: list[str] = []
        self._counts: list[Counter[str]] = [Counter()]  # of the blocks that each open block holds, by what opens them
        self._too_deep = 0
        self._is_by_lines = not any(line.rstrip().endswith(";") for line in lines)

    def collect(self) -> None:
        """Take the settings."""
        for words, end, row in self._statements():
            if self._collector.is_full:
                return
            if end == "{":
                self._enter(" ".join(unquoted(self._text[start:stop]) for start, stop, _ in words))
            elif not self._too_deep and (len(words) > 1 or (words and self._is_by_lines)):
                self._setting(words, row)
            if end == "}":
                self._leave()

    def _statements(self) -> Iterator[tuple[list[tuple[int, int, int]], str, int]]:
        """The words up to each end, as start, end and row, with the end and its row."""
        words: list[tuple[int, int, int]] = []
        row = 0
        for found in BLOCK_TOKEN.finditer(self._text):
            token = found[0]
            if token in ";{}" or (token == "\n" and self._is_by_lines and words):
                yield words, token, row
                words = []
            elif token != "\n" and not token.startswith("#"):
                words.append((found.start(), found.end(), row))
            row += token.count("\n")

    def _enter(self, name: str) -> None:
        if self._too_deep or len(self._path) >= MAX_DEPTH:
            self._too_deep += 1
            return
        name = SIGN_AFTER_NAME.sub("", name) if name.endswith(("=", ":")) else name
        self._counts[-1][name] += 1
        number = self._counts[-1][name]
        self._path.append(f"{name} {number}" if number > 1 else name)
        self._counts.append(Counter())

    def _leave(self) -> None:
        if self._too_deep:
            self._too_deep -= 1
        elif self._path:
            self._path.pop()
            self._counts.pop()

    def _setting(self, words: Sequence[tuple[int, int, int]], row: int) -> None:
        (start, name_ends, first), last_ends = words[0], words[-1][1]
        whole = self._text[start:last_ends]
        if self._is_by_lines and (found := NAMED_VALUE.match(whole)):
            name, text = found["key"], found["text"]
        elif len(words) > 1:
            name, first = self._text[start:name_ends].rstrip("=:"), words[1][2]
            text = self._text[words[1][0] : last_ends]
            text = (SIGN_AFTER_NAME.sub("", text, count=1) if self._is_by_lines else "") or text
        else:
            return
        if text in ("[", "("):  # a list over lines
            return
        line_starts = self._text.rfind("\n", 0, last_ends) + 1
        ends = last_ends - line_starts if row == first else None
        comment, where = comment_at(self._lines, first, ends, "#")
        path = (*self._path, name)
        self._collector.add(path, "setting", ("value", unquoted(text), first + 1), ("help", comment, where))
