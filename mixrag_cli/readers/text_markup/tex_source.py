"""A TeX source: its headings, its title, the lines of its document with macros expanded, and what those show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mixrag_cli.readers.text_markup.tex_tables import COMMENT, shown_rows, without_gaps
from mixrag_cli.readers.text_markup.tex_text import COMMAND, closing_brace, shown, shown_as_laid_out

SUFFIXES = frozenset(("tex", "latex", "ltx"))
HEADING = re.compile(
    r"[ \t]{0,20}\\(part|chapter|section|subsection|subsubsection|paragraph)\*?(?:\[[^\]\n]{0,200}\])?"
    r"\{((?:[^{}\n]|\{(?:[^{}\n]|\{[^{}\n]{0,100}\}){0,100}\}){1,200})\}"
)
LEVELS = {"part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5, "paragraph": 6}
TITLE = re.compile(r"^[ \t]{0,20}\\title[ \t]{0,20}(?:\[[^\n]{0,500}?\])?(?=\{)", re.MULTILINE)
LINE_END = re.compile(r"\\\\")
MAX_TITLE_CHARS = 500
BEGIN, END = r"\begin{document}", r"\end{document}"
ABOUT = re.compile(r"[ \t]*\\(?:title|subtitle|author|date|institute|affil)\b")
VERBATIM = re.compile(r"\\(begin|end)\{(?:verbatim|lstlisting|minted|Verbatim|alltt)\*?\}")
DEFINITION = re.compile(
    r"\\(?:(?:newcommand|providecommand|DeclareRobustCommand|DeclareMathOperator)\*?"
    r"[ \t]*\{?\\([A-Za-z]{1,40})\}?[ \t]*(?:\[([1-9])\])?[ \t]*(?:\[([^\]\n]{0,100})\])?[ \t]*(?=\{)"
    r"|DeclareSIUnit(?:\[[^\]\n]{0,100}\])?[ \t]*\{?\\([A-Za-z]{1,40})\}?[ \t]*(?=\{)"
    r"|def\\([A-Za-z]{1,40})[ \t]*(?=\{))"
)
# What a macro holds that does more than to stand for a text.
DOES_MORE = re.compile(r"\\(?:begin|end|def|let|if\w*|expandafter|csname|newcommand|\\)(?![A-Za-z])|@|##")
OPTIONAL = re.compile(r"\[([^\]]{0,200})\]")
PLACE = re.compile(r"#([1-9])")  # of an argument
MAX_MACROS = 500
MAX_BODY_CHARS = 400
MAX_LINE_CHARS = 4_000  # of a line with its macros expanded
MAX_PASSES = 4  # of macros that stand in macros


@dataclass(frozen=True, slots=True)
class Macro:
    """What a command stands for. default: of its first argument, None where that is not optional."""

    body: str
    n_arguments: int
    default: str | None


@dataclass(frozen=True, slots=True)
class TexSource:
    """lines: of the document as they are written, with macros expanded; shown: as a reader sees them, line by line."""

    lines: Sequence[str]
    shown: Sequence[str]
    title: str


def read_tex(text: str) -> TexSource:
    """The document of a source."""
    macros = dict(_definitions(text))
    lines = without_gaps([_expanded(line, macros) for line in _within_document(text.split("\n"))])
    return TexSource(lines, _shown_lines(lines), _title_of(text, macros))


def tex_headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """The headings, each with its line, from 0, and its level."""
    for number, line in enumerate(lines):
        if found := HEADING.match(line):
            yield number, LEVELS[found.group(1)], shown(found.group(2))


def _title_of(text: str, macros: dict[str, Macro]) -> str:
    r"""What \title says up to its first line break, without commands; "" where none does."""
    if (found := TITLE.search(text)) is None:
        return ""
    inside = text[found.end() + 1 : found.end() + MAX_TITLE_CHARS]
    end = closing_brace(inside, 0)
    return shown(_expanded(" ".join(LINE_END.split(inside[:end])[0].split()), macros)) if end < len(inside) else ""


def _within_document(lines: Sequence[str]) -> Sequence[str]:
    r"""The lines with those blank that set a document up: what stands above \begin{document}, and below its end.

    Who wrote it and when is said among them, and stays.
    """
    begin = next((number for number, line in enumerate(lines) if line.lstrip(" \t").startswith(BEGIN)), None)
    inside = ["" if _defines(line) else line for line in lines]
    if begin is None:
        return inside
    rest = range(begin, len(lines))
    end = next((number for number in rest if lines[number].lstrip(" \t").startswith(END)), len(lines))
    about = [line if ABOUT.match(line) else "" for line in lines[:begin]]
    return [*about, "", *inside[begin + 1 : end], *[""] * (len(lines) - end)]


def _defines(line: str) -> bool:
    """Whether the line holds a whole definition of a macro."""
    line = line.strip()
    found = DEFINITION.match(line)
    return found is not None and closing_brace(line, found.end() + 1) < len(line)


def _shown_lines(lines: Sequence[str]) -> list[str]:
    """What each line shows; what stands in a verbatim environment, and a line of comment, is shown as it is written."""
    said, is_verbatim, rows = [], False, shown_rows(lines)
    for number, line in enumerate(lines):
        if edge := VERBATIM.search(line):
            is_verbatim = edge[1] == "begin"
            said.append(shown_as_laid_out(line[: edge.start()]).rstrip())
        elif is_verbatim or line.lstrip().startswith("%"):
            said.append(line)
        else:
            said.append(rows[number] if number in rows else shown_as_laid_out(COMMENT.sub("", line)).rstrip())
    return said


def _definitions(text: str) -> Iterator[tuple[str, Macro]]:
    """The macros that stand for a text, by their names."""
    for count, found in enumerate(re.finditer(DEFINITION, text)):
        if count >= MAX_MACROS:
            return
        start = found.end() + 1
        body = text[start : closing_brace(text[: start + MAX_BODY_CHARS], start)]
        name = found[1] or found[4] or found[5]
        if len(body) < MAX_BODY_CHARS and not DOES_MORE.search(body) and f"\\{name}" not in body:
            yield name, Macro(" ".join(body.split()), int(found[2] or 0), found[3])


def _expanded(line: str, macros: dict[str, Macro]) -> str:
    """The line with macros replaced by what they stand for."""
    if not macros or "\\" not in line or len(line) > MAX_LINE_CHARS:
        return line
    for _ in range(MAX_PASSES):
        once = _expanded_once(line, macros)
        if once == line or len(once) > MAX_LINE_CHARS:
            break
        line = once
    return line


def _expanded_once(line: str, macros: dict[str, Macro]) -> str:
    parts, done = [], 0
    for found in COMMAND.finditer(line):
        macro = macros.get(found[1])
        if macro is None or found.start() < done:
            continue
        arguments, at = _arguments(line, found.end(1), macro)
        if len(arguments) == macro.n_arguments:
            parts += [line[done : found.start()], "{", _filled(macro.body, arguments), "}"]
            done = at
    return "".join([*parts, line[done:]])


def _arguments(line: str, at: int, macro: Macro) -> tuple[list[str], int]:
    """The macro's arguments that follow there, and where they end."""
    arguments: list[str] = []
    if macro.default is not None:
        optional = OPTIONAL.match(line, at)
        arguments.append(optional[1] if optional else macro.default)
        at = optional.end() if optional else at
    while len(arguments) < macro.n_arguments and line.startswith("{", at):
        end = closing_brace(line, at + 1)
        arguments.append(line[at + 1 : end])
        at = min(end + 1, len(line))
    return arguments, at


def _filled(body: str, arguments: Sequence[str]) -> str:
    """What a macro stands for with these arguments."""
    return PLACE.sub(lambda found: "".join(arguments[int(found[1]) - 1 : int(found[1])]), body)
