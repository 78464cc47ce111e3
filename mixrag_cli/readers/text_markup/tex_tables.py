r"""Tables of TeX sources: the rows and cells of a tabular, and the caption of the float around it.

    \begin{tabular}{lr} \toprule City & Ships \\ \midrule Brook & 12 \\ \end{tabular}   ─►   City | Ships; Brook | 12

Rows above the first rule over all columns inside are headings; \multicolumn spans columns. Of a cell the markup is
taken off, and nothing is computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

MAX_LINES = 5_000  # of one tabular; one that is never closed ends there
MAX_FLOAT_LINES = 40  # between a tabular and the caption of its float
BEGIN = re.compile(r"[ \t]*\\begin\{(tabular\*?|tabularx|tabulary|longtable|supertabular)\}")
WITH_WIDTH = ("tabular*", "tabularx", "tabulary")
COMMENT = re.compile(r"(?<!\\)%.*")
RULE = re.compile(r"\\(?:(hline|toprule|midrule|bottomrule)\b|(?:cline|cmidrule)(?:\([lr]{1,2}\))?\{[\d-]{3,9}\})\s*")
ROW_END = re.compile(r"\\\\(?:\s?\[[^\]\n]{1,20}\])?|\\tabularnewline\b")
CELL_END = re.compile(r"(?<!\\)&")
SPANNING = re.compile(r"\s*\\multicolumn\{(\d{1,3})\}\{[^{}]{0,40}\}\s*")
MULTIROW = re.compile(r"\\multirow(?:\[[^\]]{0,20}\])?\{[^{}]{1,9}\}\{[^{}]{1,30}\}")
COMMAND = re.compile(r"\\(?:[a-zA-Z]{2,30}\*?)\s?(?:\[[^\]]{0,40}\])?")
SPACE = re.compile(r"\\[,;:! ]|~")
ESCAPED = re.compile(r"\\([%&$#_{}])")
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
    end_mark = f"\\end{{{begin.group(1)}}}"
    end = next((at for at in range(first, min(last, first + MAX_LINES)) if end_mark in lines[at]), None)
    if end is None:
        return first, []
    head = _after_groups(COMMENT.sub("", lines[first])[begin.end() :], 2 if begin.group(1) in WITH_WIDTH else 1)
    inside = [(first, head), *((at, COMMENT.sub("", lines[at])) for at in range(first + 1, end + 1))]
    inside[-1] = (end, inside[-1][1].partition(end_mark)[0])
    rows: list[tuple[int, Cells]] = []
    header_end = 0
    for line, text, is_below_rule in _source_rows(inside):
        if is_below_rule and rows and not header_end:
            header_end = len(rows)
        cells = [_to_cell(cell) for cell in CELL_END.split(text)]
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
                return _shown(text[1 : len(text) - len(_after_groups(text, 1)) - 1])
            if FLOAT_EDGE.search(lines[at]) or BEGIN.match(lines[at]):
                break
    return ""


def _source_rows(inside: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str, bool]]:
    """The source of each row with its first line, and whether a rule stands right above it."""
    row, start, is_below_rule = "", None, False
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
            if found:
                yield line if start is None else start, row, is_below_rule
                row, start, is_below_rule = "", None, False
    if row.strip():
        yield start or 0, row, is_below_rule


def _to_cell(source: str) -> tuple[str, int]:
    spanning = SPANNING.match(source)
    return (_shown(source[spanning.end() :]), int(spanning.group(1))) if spanning else (_shown(source), 1)


def _shown(source: str) -> str:
    """What a reader sees of a cell: no commands, braces and dollar signs."""
    text = COMMAND.sub("", MULTIROW.sub("", ESCAPED.sub(lambda found: chr(0xE000 + ord(found[1])), source)))
    text = re.sub(r"[{}$]", "", SPACE.sub(" ", text)).replace("---", "—").replace("--", "–")
    return " ".join(re.sub("[\ue000-\ue0ff]", lambda found: chr(ord(found[0]) - 0xE000), text).split())


def _after_groups(text: str, n_groups: int) -> str:
    """What follows so many groups in braces, and an optional one in brackets before them."""
    text = re.sub(r"^\s*\[[^\]]{0,20}\]", "", text).lstrip()
    for _ in range(n_groups):
        depth = 0
        for at, sign in enumerate(text):
            depth += (sign == "{") - (sign == "}")
            if not depth:
                text = text[at + 1 :]
                break
        else:
            return ""
    return text
