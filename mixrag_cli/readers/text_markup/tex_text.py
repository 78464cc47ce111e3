r"""What a reader sees of a piece of TeX: its text with symbols and units, without commands and braces.

    The \textbf{\SI{461}{\nm}} line of $^{88}$Sr at $\nu_0$   ─►   The 461 nm line of ⁸⁸Sr at ν0

Nothing is computed. Of a command that is not known its argument is shown, and its name where it has none, or where it
begins with a capital: a macro for a name, such as \Sr{88}.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from mixrag_cli.readers.raised import raise_text
from mixrag_cli.readers.text_markup.tex_names import (
    ABOUT,
    ACCENTS,
    HAS_UNIT,
    LAST_SHOWN,
    LAYOUT,
    LETTERS,
    NOTES,
    NUMBERS,
    PREFIXES,
    SETTING,
    SYMBOLS,
    UNITS,
    UNITS_ALONE,
    UNSHOWN,
)

MAX_CHARS = 20_000  # of one piece; a longer line is data, and stays as it is
MAX_DEPTH = 40  # of braces; deeper ones are shown as they are
MARKED = re.compile(r"[\\{}$~^_]|--|``|''")  # what TeX does not show as it is written
COMMAND = re.compile(r"\\([A-Za-z@]+)\*?")
BRACKETS = re.compile(r"[ \t]?\[([^\]\n]{0,200})\](?=[ \t]*[\[{])")
POSITION = re.compile(r"\{[lcrtbs]{1,2}\}(?=[ \t]?\{)")  # of \bigcell{c}{text}
PLAIN = re.compile(r"[^\\{}$~^_`'\-]+")
VERBATIM = re.compile(r"\\(?:verb|lstinline)\*?([^A-Za-z\s{])(.{0,200}?)\1")
ENVIRONMENT = re.compile(r"[ \t]*\{[^{}]{0,40}\}(?:[ \t]?\[[^\]\n]{0,80}\])?")
EMPTY = re.compile(r"(?:\{\})?")  # behind a command, so that the blank after it is none of its
BLANKS = re.compile(r"[ \t]+")
COLUMNS = re.compile(r"[ \t]*\{tabular\*?\}(?:\[[^\]]{0,9}\])?\{(?:[^{}]|\{[^{}]{0,40}\}){0,200}\}")
NUMBER_SIGNS = ((re.compile(r"\s*(?:\+-|\\pm)\s*"), " ± "), (re.compile(r"(?<=\d)[eEdD](?=[+-]?\d)"), "e"))
SEVERAL = re.compile(r"[\s+*/=±]|(?<=.)[-–]")
UNIT_PART = re.compile(r"\\([A-Za-z]+)|([^\\{}\s~]+)")


def shown(source: str) -> str:
    """The text that the source shows, in one line."""
    return " ".join(shown_as_laid_out(source).split())


def shown_as_laid_out(source: str) -> str:
    """The text that the source shows; its own white space is kept."""
    if len(source) > MAX_CHARS or not MARKED.search(source):
        return source
    reader = _Reader(source)
    parts = []
    while reader.at < len(source):  # a brace that nothing opens ends a part
        parts.append(reader.read(0))
        reader.at += 1
    return unicodedata.normalize("NFC", "".join(parts))


class _Reader:
    """Goes through one piece of TeX."""

    def __init__(self, source: str) -> None:
        self._source = source
        self.at = 0

    def read(self, depth: int) -> str:
        """What is shown up to the brace that closes, or to the end; that brace is not passed."""
        source, parts = self._source, []
        while self.at < len(source) and source[self.at] != "}":
            parts.append(self._next(depth))
        return "".join(parts)

    def _next(self, depth: int) -> str:
        """What the next sign, command or group shows."""
        source, sign = self._source, self._source[self.at]
        if plain := PLAIN.match(source, self.at):
            self.at = plain.end()
            return plain[0]
        if sign == "\\":
            return self._command(depth)
        if sign == "{":
            return self._argument(depth)
        for written, said in (("---", "—"), ("--", "–"), ("``", '"'), ("''", '"')):
            if source.startswith(written, self.at):
                self.at += len(written)
                return said
        self.at += 1
        if sign in "^_":
            argument = self._argument(depth)
            if sign == "^":
                raised = raise_text(argument)
                return raised if raised != argument or argument in "′∗*°†‡" else f"^{argument}"
            return argument if argument.isdigit() else f"_{argument}"
        return {"$": "", "~": " "}.get(sign, sign)

    def _command(self, depth: int) -> str:
        found = COMMAND.match(self._source, self.at)
        if found is None:
            return self._sign(depth)
        if verbatim := VERBATIM.match(self._source, self.at):
            self.at = verbatim.end()
            return verbatim[2]
        self.at, name = found.end(), found[1]
        if name in SYMBOLS:
            self._pass(BLANKS if name in LETTERS else EMPTY)
            return SYMBOLS[name]
        if name in ("begin", "end"):
            self._pass(COLUMNS if name == "begin" and COLUMNS.match(self._source, self.at) else ENVIRONMENT)
            return ""
        if name == "item":
            self._pass(BLANKS)
            return "- "
        self._pass(BRACKETS)
        self._pass(BRACKETS)
        if name in NUMBERS and self._has_argument():
            return self._quantity(name)
        if name in UNITS_ALONE and self._has_argument():
            return unit_shown(self._raw())
        return self._named(name, depth)

    def _named(self, name: str, depth: int) -> str:
        """What a command shows that is known by its name, and one that is not."""
        if name in ACCENTS and self._has_argument():
            return self._accented(name, depth)
        if name in UNSHOWN:
            for _ in range(UNSHOWN[name]):
                self._raw()
            return ""
        for _ in range(LAST_SHOWN.get(name, 1) - 1):
            self._raw()
        if name in ("ce", "url", "path"):
            return re.sub(r"[{}$]|^\^|(?<=[ +>])\^", "", self._raw())
        if name in ("frac", "tfrac", "dfrac", "nicefrac", "sfrac"):
            return f"{_operand(self._argument(depth))}/{_operand(self._argument(depth))}"
        if name == "sqrt":
            return f"√{_operand(self._argument(depth))}"
        self._pass(POSITION)
        is_alone = self._source.startswith("{}", self.at)
        self._pass(EMPTY)
        if self._has_argument() and not is_alone and name not in LAYOUT:
            said = self._argument(depth)
            while self._source.startswith("{", self.at):
                said += f" {self._argument(depth)}"
            is_name = name[0].isupper() and name not in SETTING
            is_open = self.at > len(self._source)  # its text goes on below
            about = f"{name}: " if name in ABOUT and (said.strip() or is_open) else " " if name in NOTES else ""
            return f"{name} {said}" if is_name else about + said
        is_unsaid = name in LAYOUT or name in LAST_SHOWN or name in ABOUT or name.startswith(("if", "text", "math"))
        return "" if is_unsaid else name

    def _sign(self, depth: int) -> str:
        """What a backslash and a sign stand for: an accent, a blank, a sign of TeX's own."""
        sign = self._source[self.at + 1 : self.at + 2]
        self.at += 2
        if sign in ACCENTS:
            return self._accented(sign, depth)
        return "" if sign in "()[]/-!" else sign if sign in "%&$#_{}" else " "

    def _accented(self, accent: str, depth: int) -> str:
        letter = self._argument(depth).replace("ı", "i").replace("ȷ", "j")
        return letter[:1] + ACCENTS[accent] + letter[1:] if letter else ""

    def _quantity(self, name: str) -> str:
        numbers = [_number(self._raw()) for _ in range(NUMBERS[name])]
        unit = unit_shown(self._raw()) if name in HAS_UNIT else "°" if name == "ang" else ""
        joined = " – ".join(numbers)
        return joined + (unit if unit in ("°", "") else f" {unit}")

    def _has_argument(self) -> bool:
        rest = self._source[self.at : self.at + 2]
        return rest.lstrip(" \t").startswith("{")

    def _pass(self, pattern: re.Pattern[str]) -> None:
        if found := pattern.match(self._source, self.at):
            self.at = found.end()

    def _argument(self, depth: int) -> str:
        """What the next group shows, or the next sign."""
        self._pass(BLANKS)
        if self.at >= len(self._source) or self._source[self.at] == "}":
            return ""
        if depth < MAX_DEPTH and self._source[self.at] == "\\":
            return self._command(depth + 1)
        if self._source[self.at] != "{":
            self.at += 1
            return self._source[self.at - 1].replace("$", "")
        if depth >= MAX_DEPTH:
            return self._raw()
        self.at += 1
        said = self.read(depth + 1)
        self.at += 1
        return said

    def _raw(self) -> str:
        """The next group as it is written, "" where none follows."""
        if not self._has_argument():
            return ""
        start = self._source.index("{", self.at) + 1
        end = closing_brace(self._source, start)
        self.at = end + 1
        return self._source[start:end]


def _operand(text: str) -> str:
    """The text, in brackets where it is more than one number or name."""
    return f"({text.strip()})" if SEVERAL.search(text.strip()) else text


def closing_brace(source: str, start: int) -> int:
    """Where the group closes whose inside starts there; the source's end where it does not."""
    depth = 1
    for at in range(start, len(source)):
        if source[at] in "{}" and source[at - 1] != "\\":
            depth += 1 if source[at] == "{" else -1
            if not depth:
                return at
    return len(source)


def unit_shown(source: str) -> str:
    r"""A unit as siunitx sets it. Example: unit_shown(r"\nano\metre") -> "nm"; r"\per\cm" -> "1/cm"; "m/s" as it is."""
    if "\\" not in source:
        return " ".join(re.sub(r"[{}$~]", " ", source).split())
    said, is_below, prefix, waiting = "", False, "", ""
    for part in _unit_parts(source):
        if part == "per":
            is_below = True
        elif part in ("square", "cubic"):
            waiting = {"square": "²", "cubic": "³"}[part]
        elif part in PREFIXES:
            prefix = PREFIXES[part]
        elif part in ("squared", "cubed"):
            said += UNITS[part]
        else:
            unit = UNITS.get(part) or (f"µ{part[1:]}" if re.fullmatch(r"u[A-Zgmsl]\w{0,3}", part) else part)
            parted = "/" if is_below else "·" if said else ""
            said = f"{said or '1' * is_below}{parted}{prefix}{unit}{waiting}"
            is_below, prefix, waiting = False, "", ""
    return said


def _unit_parts(source: str) -> Iterator[str]:
    for found in UNIT_PART.finditer(source):
        yield found[1] or found[2]


def _number(source: str) -> str:
    """A number as siunitx takes it. Example: _number("44.0+-1.7") -> "44.0 ± 1.7"."""
    text = " ".join(re.sub(r"[{}$~]", "", source).split())
    for pattern, said in NUMBER_SIGNS:
        text = pattern.sub(said, text)
    return " ".join(COMMAND.sub(lambda found: SYMBOLS.get(found[1], ""), text).split())
