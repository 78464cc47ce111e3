"""Settings of files that are made of lines: ini and its kin, Java's properties, nginx's blocks.

ini          [section], key = value, and indented lines with more of the value
properties   key=value, key: value, key value; a line goes on behind a backslash
blocks       name value; and name { … }: .conf files with braces or with lines that end in a semicolon
libconfig    name = value; and name: { … }: .conf and .cfg files (module libconfig)
directives   name value, uci and cron: .conf and .cfg files without signs between the two (module directives)

Settings that are commented out count where they are defaults (module commented_out).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from mixrag_cli.readers.facts.collecting import FactCollector, unquoted
from mixrag_cli.readers.facts.commented_out import collect_commented_out, commented_out_in, part_commented_out
from mixrag_cli.readers.facts.comments import comment_at
from mixrag_cli.readers.facts.directives import (
    INI_COMMENT,
    INI_SECTION,
    MAX_JOINED_CHARS,
    collect_cron,
    collect_directives,
    collect_uci,
    is_cron,
    is_made_of_directives,
    is_uci,
    parted,
    told_rows,
)
from mixrag_cli.readers.facts.libconfig import collect_libconfig, is_libconfig

UNITS = frozenset(["service", "socket", "timer", "mount", "target", "slice", "network", "netdev"])  # systemd's
DIRECTIVES = frozenset(["conf", "cfg", "cf"])
LINE_SHAPED = DIRECTIVES | UNITS | {"ini", "cnf", "properties", "editorconfig", "env", "desktop", "uci", "cron"}
# Comments may stand behind a value here. systemd's and the desktop's values hold semicolons, properties anything.
COMMENTED = LINE_SHAPED - UNITS - {"properties", "desktop"}
MIN_SNIFFED_ROWS = 3
MAX_DEPTH = 60  # of blocks
_INI_KEY = r"[\w.\-/\[\]*%$](?:[\w.\-/\[\]*%$ ]{0,118}[\w.\-/\[\]*%$])?+"
INI_SETTING = re.compile(rf"\s*+(?:export\s++)?({_INI_KEY})\s*+(?:[:?]?=|:)\s*(.*)$")
ASSIGNED = re.compile(r"(?:export\s+)?[A-Za-z_][\w.\-]{0,120}\s?=(?!=)")
PROPERTY = re.compile(r"\s*(?P<key>(?:\\.|[^\\=:\s]){1,200})(?:\s*[=:]\s*|\s+)(?P<text>.*)$")
PROPERTY_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
ENDS_BLOCKWISE = re.compile(r"[;{}]\s*(?:#.*)?$")
# Terraform's text over lines, up to the line that repeats its mark; bounded, since it may never come
HEREDOC = r"<<[-~]?(?P<mark>[A-Za-z_]\w{0,40})\n(?P<held>(?:[^\n]{0,2000}\n){0,300}?)[ \t]*(?P=mark)(?!\w)"
HELD = re.compile(HEREDOC)
BLOCK_TOKEN = re.compile(
    rf"\n|(?:#|//)[^\n]*|/\*(?:[^*]|\*(?!/)){{0,20000}}\*/|{HEREDOC}|"
    r"[;{}]|\"(?:\$\{[^{}\n]*\}|[^\"\\]|\\.){0,2000}\"|'(?:[^'\\]|\\.){0,2000}'|(?:\$\{[^{}\n]*\}|[^\s;{}])+",
    re.DOTALL,
)
SIGN_AFTER_NAME = re.compile(r"[=:]+\s*")
ABOUT, DEFAULT = "description", "default"  # of a variable of Terraform's: what it is, and what it is if nobody says
NAMED_VALUE = re.compile(r"(?P<key>[\w.\-/$]{1,120})\s*=\s*(?P<text>\S.*?),?$", re.DOTALL)


def collect_line_settings(collector: FactCollector, lines: Sequence[str], suffix: str) -> None:
    """Collect the settings of a file of that suffix, one of LINE_SHAPED."""
    if suffix == "properties":
        _collect_properties(collector, lines)
        return
    commented_out, lines = part_commented_out(lines)
    if suffix == "uci":
        collect_uci(collector, lines)
    elif suffix == "cron":
        collect_cron(collector, lines)
    elif suffix in DIRECTIVES and is_libconfig(lines):
        collect_libconfig(collector, lines)
    elif suffix == "conf" and _is_made_of_blocks(lines):
        _Blocks(collector, lines).collect()
    elif suffix in DIRECTIVES and is_made_of_directives(lines):
        collect_directives(collector, lines)
    else:
        _collect_ini(collector, lines, may_comment=suffix in COMMENTED)
    collect_commented_out(collector, lines, commented_out)


def settings_form(lines: Sequence[str], *, is_named: bool = True) -> str:
    """The suffix of LINE_SHAPED in whose form all lines of a text are; "" where some line is in none.

    is_named: whether the file has a suffix; in one without, lines that assign something are enough.
    """
    rows = told_rows(lines)
    if not is_named and all(ASSIGNED.match(lines[row]) for row in rows):
        n_settings = len(rows) + len(commented_out_in(lines))
        return "env" if n_settings >= MIN_SNIFFED_ROWS else ""
    if len(rows) < MIN_SNIFFED_ROWS:
        return ""
    if all(is_uci(lines[row]) for row in rows):
        return "uci"
    if is_cron(lines[rows[-1]]) and all(is_cron(lines[row]) or NAMED_VALUE.match(lines[row]) for row in rows):
        return "cron"
    has_section = any(INI_SECTION.match(lines[row]) for row in rows)
    is_ini = has_section and all(INI_SECTION.match(lines[row]) or _is_assigned(lines[row]) for row in rows)
    return "ini" if is_ini else ""


def _is_assigned(line: str) -> bool:
    """Whether a line sets a key behind the sign of equality, or goes on with the value of the line above."""
    found = INI_SETTING.match(line)
    return line[:1].isspace() or (found is not None and line[found.end(1) :].lstrip().startswith("="))


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
            value, comment = parted(found[2].strip()) if may_comment else (found[2].strip(), "")
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
    said = [lines[number] for number in told_rows(lines)]
    ends = [found[0][0] for line in said if (found := ENDS_BLOCKWISE.search(line))]
    return 2 * len(ends) > len(said) or ("{" in ends and not any(INI_SECTION.match(line) for line in said))


class _Blocks:
    """Reads name value; and name { … }. Where no line ends in a semicolon a line's end ends a setting, too."""

    def __init__(self, collector: FactCollector, lines: Sequence[str]) -> None:
        self._collector = collector
        self._lines = lines
        self._text = "\n".join(lines)
        self._path: list[str] = []
        self._counts: list[Counter[str]] = [Counter()]  # of the blocks that each open block holds, by what opens them
        self._about = [("", 0)]  # of each open block, what its comment or description says, and where
        self._too_deep = 0
        self._is_by_lines = not any(line.rstrip().endswith(";") for line in lines)

    def collect(self) -> None:
        """Take the settings."""
        for words, end, row in self._statements():
            if self._collector.is_full:
                return
            if end == "{":
                self._enter(" ".join(unquoted(self._text[start:stop]) for start, stop, _ in words), row)
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
            elif token != "\n" and not token.startswith(("#", "//", "/*")):
                words.append((found.start(), found.end(), row))
            row += token.count("\n")

    def _enter(self, name: str, row: int) -> None:
        if self._too_deep or len(self._path) >= MAX_DEPTH:
            self._too_deep += 1
            return
        name = SIGN_AFTER_NAME.sub("", name) if name.endswith(("=", ":")) else name
        if self._is_by_lines and (found := NAMED_VALUE.match(name)):  # type = list(object({
            name = found["key"]
        self._counts[-1][name] += 1
        number = self._counts[-1][name]
        self._path.append(f"{name} {number}" if number > 1 else name)
        self._counts.append(Counter())
        self._about.append(comment_at(self._lines, row, None, "# //"))

    def _leave(self) -> None:
        if self._too_deep:
            self._too_deep -= 1
        elif self._path:
            self._path.pop()
            self._counts.pop()
            self._about.pop()

    def _setting(self, words: Sequence[tuple[int, int, int]], row: int) -> None:
        (start, name_ends, first), last_ends = words[0], words[-1][1]
        whole = self._text[start:last_ends]
        if self._is_by_lines and (found := NAMED_VALUE.match(whole)):
            name, text = found["key"], found["text"]
        elif len(words) > 1:
            name, first = unquoted(self._text[start:name_ends].rstrip("=:")), words[1][2]
            text = self._text[words[1][0] : last_ends]
            text = (SIGN_AFTER_NAME.sub("", text, count=1) if self._is_by_lines else "") or text
        else:
            return
        if text in ("[", "("):  # a list over lines
            return
        if held := HELD.fullmatch(text):
            text, first = held["held"].strip(), first + 1
        line_starts = self._text.rfind("\n", 0, last_ends) + 1
        ends = last_ends - line_starts if row == first else None
        comment, where = comment_at(self._lines, first, ends, "# //")
        if name == ABOUT:
            self._about[-1] = (unquoted(text), first + 1)
        elif name == DEFAULT and not comment:
            comment, where = self._about[-1]
        path = (*self._path, name)
        self._collector.add(path, "setting", ("value", unquoted(text), first + 1), ("help", comment, where))
