r"""Tables of TeX sources: the rows and cells of a tabular, and the caption of the float around it.

    \begin{tabular}{lr} \toprule City & Ships \\ \midrule Brook & 12 \\ \end{tabular}   ─►   City | Ships; Brook | 12

Rows above the first rule over all columns inside are headings; \multicolumn spans columns. Of a cell is read what it
shows (tex_text). A line or cell that ends within braces or a tabular inside of a cell ends there alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mixrag_cli.readers.text_markup.tex_text import closing_brace, shown

MAX_LINES = 5_000  # of one tabular; one that is never closed ends there
MAX_NESTED = 10  # tabulars, one in the cell of another
MAX_FLOAT_LINES = 40  # between a tabular and the caption of its float
_NAMES = r"(?:tabular\*?|tabularx|tabulary|longtable|supertabular|xltabular|(?:long)?tabu)"
BEGIN = re.compile(rf"[ \t]*\\begin\{{({_NAMES})\}}")
EDGE = re.compile(rf"\\(begin|end)\{{{_NAMES}\}}")
WITH_WIDTH = ("tabular*", "tabularx", "tabulary", "xltabular")
TABU_WIDTH = re.compile(r"\s*(?:to|spread)\s*[^{}\n]{1,40}(?=\{)")  # of a tabu, in words
COMMENT = re.compile(r"(?<!\\)%.*")
RULE = re.compile(r"\\(?:(hline|toprule|midrule|bottomrule)\b|(?:cline|cmidrule)(?:\([lr]{1,2}\))?\{[\d-]{3,9}\})\s*")
ROW_END = re.compile(r"\\\\(?:\s?\[[^\]\n]{1,20}\])?|\\tabularnewline\b")
CELL_END = re.compile(r"(?<!\\)&")
SPANNING = re.compile(r"\s*\\multicolumn\{(\d{1,3})\}\{(?:[^{}]|\{[^{}]{0,40}\}){0,80}\}\s*")
NESTING = re.compile(r"\\(begin|end)(?=\{)|\\.|([{}])")
CAPTION = re.compile(r"\\caption\*?(?:\[[^\]]{0,200}\])?(?=\{)")
FLOAT_EDGE = re.compile(r"\\(begin|end)\{(?:table\*?|sidewaystable|longtable|wraptable)\}")

Cells = list[tuple[str, int]]  # texts with the columns that each spans


def tabular_rows(lines: Sequence[str], first: int, last: int) -> tuple[int, list[tuple[int, Cells, bool]]]:
    """Where the tabular that begins in the first line ends, and its rows: line, cells, whether it is a heading.

    Without rows where none begins there, or where it is not closed.
    """
    begin = BEGIN.match(lines[first])
    if begin is None:
        return first, []
    end = _end_of(lines, first, last)
    if end is None:
        return first, []
    behind = TABU_WIDTH.sub("", COMMENT.sub("", lines[first])[begin.end() :], count=1)
    head = _after_groups(behind, 2 if begin.group(1) in WITH_WIDTH else 1)
    inside = [(first, head), *((at, COMMENT.sub("", lines[at])) for at in range(first + 1, end + 1))]
    inside[-1] = (end, inside[-1][1].rpartition(f"\\end{{{begin.group(1)}}}")[0])
    rows: list[tuple[int, Cells]] = []
    header_end = 0
    for line, text, is_below_rule in _source_rows(inside):
        if is_below_rule and rows and not header_end:
            header_end = len(rows)
        cells = [_to_cell(cell) for cell in _parted(text, CELL_END)]
        if any(shown for shown, _ in cells):
            rows.append((line, cells))
    return end + 1, [(line, cells, number < header_end) for number, (line, cells) in enumerate(rows)]


def caption_of(lines: Sequence[str], first: int, end: int) -> str:
    """The caption of the float that holds these lines, above or below them; "" without one."""
    for span in (
        range(first - 1, max(first - MAX_FLOAT_LINES, -1), -1),
        range(end, min(end + MAX_FLOAT_LINES, len(lines))),
    ):
        for at in span:
            if found := CAPTION.search(lines[at]):
                text = " ".join(lines[at : at + 5])[found.end() :]
                return shown(text[1 : len(text) - len(_after_groups(text, 1)) - 1])
            if FLOAT_EDGE.search(lines[at]) or BEGIN.match(lines[at]):
                break
    return ""


def without_gaps(lines: Sequence[str]) -> list[str]:
    """The lines with an empty comment in place of each blank line of a tabular, which would part it in two."""
    inside = {at for first, last in _spans(lines) for at in range(first + 1, last)}
    return [line if line.strip() or at not in inside else "%" for at, line in enumerate(lines)]


def shown_rows(lines: Sequence[str]) -> dict[int, str]:
    """The lines between the edges of tabulars, by their numbers: what their cells show, parted by pipes."""
    inside = [at for first, last in _spans(lines) for at in range(first + 1, last)]
    return {
        at: " | ".join(
            shown(ROW_END.sub(" ", RULE.sub("", cell))) for cell in _parted(COMMENT.sub("", lines[at]), CELL_END)
        )
        for at in inside
    }


def _spans(lines: Sequence[str]) -> list[tuple[int, int]]:
    """The lines of the edges of each tabular that is in no other."""
    waiting: list[int] = []
    found: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        for edge in EDGE.findall(COMMENT.sub("", line)):
            if edge == "begin":
                waiting.append(at)
            elif waiting:
                first = waiting.pop()
                while found and found[-1][0] >= first:
                    found.pop()
                found.append((first, at))
    return found


def _end_of(lines: Sequence[str], first: int, last: int) -> int | None:
    """The line that closes what the first one begins; None where none does."""
    depth = 0
    for at in range(first, min(last, first + MAX_LINES)):
        for edge in EDGE.findall(COMMENT.sub("", lines[at])):
            depth += 1 if edge == "begin" else -1
            if not depth:
                return at
        if depth > MAX_NESTED:
            return None
    return None


def _source_rows(inside: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str, bool]]:
    """The source of each row with its first line, and whether a rule stands right above it."""
    row, start, is_below_rule = "", None, False
    depth, is_balanced = 0, not sum(_depth_of(text) for _, text in inside)
    for line, text in inside:
        rest = text
        while rest:
            if not row.strip() and (rule := RULE.match(rest.lstrip())):
                rest = rest.lstrip()[rule.end() :]
                is_below_rule = is_below_rule or rule[1] is not None
                continue
            found = ROW_END.search(rest)
            part = rest[: found.start()] if found else rest
            start = line if start is None and part.strip() else start
            row += f"{part} "
            rest = rest[found.end() :] if found else ""
            depth += _depth_of(part)
            if found and not (depth > 0 and is_balanced):
                yield line if start is None else start, row, is_below_rule
                row, start, is_below_rule = "", None, False
    if row.strip():
        yield start or 0, row, is_below_rule


def _parted(text: str, mark: re.Pattern[str]) -> list[str]:
    """The text cut at the marks that do not stand within braces or a tabular."""
    parts = [""]
    depth = 0
    for number, piece in enumerate(mark.split(text)):
        if number and depth <= 0:
            parts.append("")
        parts[-1] += piece if len(parts[-1]) == 0 else f" {piece}"
        depth += _depth_of(piece)
    return parts


def _depth_of(text: str) -> int:
    """How many more groups and environments the text opens than it closes."""
    edges = [edge or brace for edge, brace in NESTING.findall(text)]
    return sum((edge in ("{", "begin")) - (edge in ("}", "end")) for edge in edges)


def _to_cell(source: str) -> tuple[str, int]:
    spanning = SPANNING.match(source)
    return (shown(source[spanning.end() :]), int(spanning.group(1))) if spanning else (shown(source), 1)


def _after_groups(text: str, n_groups: int) -> str:
    """What follows so many groups in braces, and an optional one in brackets before them."""
    text = re.sub(r"^\s*\[[^\]]{0,20}\]", "", text).lstrip()
    for _ in range(n_groups):
        text = text[closing_brace(text, 1) + 1 :] if text.startswith("{") else text[1:]
    return text
