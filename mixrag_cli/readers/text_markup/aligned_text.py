"""Tables that programs print into plain text: columns under runs of dashes, and fields parted by tabs.

dashes      headings above a line of dashes, a run for each column (sqlite, SQL*Plus, PowerShell, STK) or one
            for all of them; a line a row; headings may go on in a second line
names       headings above texts that begin below them, in every line of the paragraph, as programs list parts
tabs        what an instrument exports between its settings: lines of as many fields, give or take the last
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mixrag_cli.readers.text_markup.text_grid import MAX_COLUMNS

MIN_TABBED = 3  # lines of tabs, and fields in each: fewer are settings and indented text
MIN_UNDERLINED = 3  # headings above one run of dashes; two may be a title and what stands at its side
MIN_NAMED_ROWS = 5  # below names alone: fewer lines may stand below each other by chance; as are
MIN_NAMED = 3  # columns, and texts in a line, on average
MAX_ROWS = 5_000  # of one table; what follows stays text
CODE_ENDS = ("\\", "{", "}", ";")  # of lines that tabs align for the eye
DASHES = re.compile(r"[ \t]*-{2,}(?:[ \t]+-{2,})*[ \t]*$")
DASH_RUN = re.compile(r"-{2,}")
OTHER_RULE = re.compile(r"[ \t=+]{2,}$")  # of another drawing
PIECE = re.compile(r"\S+(?: \S+)*")  # texts parted by two blanks

Texts = list[str]


def dashed_rows(lines: Sequence[str], first: int, last: int) -> tuple[int, list[tuple[int, Texts]]]:
    """Where the table whose headings begin in the first line ends, and its rows with their lines.

    A line without a first text fills what the row above leaves blank. There are no rows where a text stands across the
    start of a column: the lines up to there are none of a table.
    """
    below = first + (2 if first + 1 < last and DASHES.match(lines[first + 1]) else 3)
    heading = _headings(lines[first : below - 1], lines[below - 1]) if below < last else []
    if not heading:
        return first, []
    starts = _column_starts(lines[first], lines[below - 1])
    rows = [(first, heading)]
    end = min(last, first + MAX_ROWS)
    for at in range(below, end):
        if not lines[at].strip():
            end = at
            break
        if DASHES.match(lines[at]):
            continue
        if (texts := cut_at(lines[at], starts)) is None or OTHER_RULE.match(lines[at]):
            return at, []
        above = rows[-1][1]
        if len(rows) > 1 and not texts[0] and not any(a and b for a, b in zip(above, texts, strict=True)):
            rows[-1] = (rows[-1][0], [a or b for a, b in zip(above, texts, strict=True)])
        else:
            rows.append((at, texts))
    n_full = sum(sum(map(bool, texts)) > 1 for _, texts in rows[1:])
    return end, rows if 0 < len(rows) - 1 <= 2 * n_full else []


def _headings(above: Sequence[str], rule: str) -> Texts:
    """The headings above a line of dashes, [] where these lines hold none.

    The first line names every column; a second one goes on with some of them, as a unit in brackets does.
    """
    starts = _column_starts(above[0], rule)
    headings, *others = [cut_at(line, starts) for line in above]
    if headings is None or not all(headings):
        return []
    for more in others:
        if more is None or all(more) or not any(more):
            return []
        headings = [f"{heading} {text}".strip() for heading, text in zip(headings, more, strict=True)]
    return headings


def _column_starts(heading: str, rule: str) -> list[int]:
    """Where the columns under a line of headings begin, [] where the line below it does not underline them."""
    if not DASHES.match(rule):
        return []
    runs = [run.start() for run in DASH_RUN.finditer(rule.expandtabs())]
    if len(runs) > 1:
        return runs if len(runs) <= MAX_COLUMNS else []
    pieces = [piece.start() for piece in PIECE.finditer(heading.expandtabs())]
    is_wide = len(rule.rstrip()) >= len(heading.rstrip())
    return pieces if MIN_UNDERLINED <= len(pieces) <= MAX_COLUMNS and is_wide else []


def cut_at(line: str, starts: Sequence[int]) -> Texts | None:
    """The texts of a line by column; None where a text stands across the start of one."""
    line = line.expandtabs()
    if not starts or line[: starts[0]].strip() or any(line[start - 1 : start].strip() for start in starts[1:]):
        return None
    return [line[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=True)]


def named_rows(lines: Sequence[str], first: int, last: int) -> tuple[int, list[tuple[int, Texts]]]:
    """Where the paragraph ends whose first line names columns, and its rows; none where they do not stand apart.

    Columns are parted by blanks that go down through all lines; each has a name that is none of its texts, and every
    line a first text.
    """
    is_inside = first > 0 and bool(lines[first - 1].strip())
    if is_inside or len(lines[first].split()) < MIN_NAMED or re.search(r"\d", lines[first]):
        return first, []
    end = next((at for at in range(first, last) if not lines[at].strip()), last)
    if not MIN_NAMED_ROWS < end - first <= MAX_ROWS:
        return first, []
    told = [lines[at].expandtabs().rstrip() for at in range(first, end)]
    starts = _named_starts(told[0], told[1:])
    texts = [cut_at(line, starts) or [] for line in told]
    is_table = MIN_NAMED <= len(starts) <= MAX_COLUMNS and all(each and each[0] for each in texts)
    is_table = is_table and not any(name in below for name, *below in zip(*texts, strict=True))
    if not is_table or sum(sum(map(bool, each)) for each in texts[1:]) < MIN_NAMED * len(texts[1:]):
        return first, []
    return end, [(first + number, each) for number, each in enumerate(texts)]


def _named_starts(heading: str, rows: Sequence[str]) -> list[int]:
    """Where the columns begin that blanks part in all lines; [] where one that most lines fill has no name.

    A word of the heading that nothing stands below goes on with the name before it, unless it stands apart; and so do
    texts of few lines that are parted by chance.
    """
    width = max(map(len, (heading, *rows)))
    is_held = [False] * (width + 1)
    for line in (heading, *rows):
        for found in re.finditer(r"\S+", line):
            is_held[found.start() : found.end()] = [True] * (found.end() - found.start())
    edges = [at for at in range(width + 1) if is_held[at] != (at > 0 and is_held[at - 1])]
    starts: list[int] = []
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        n_rows = sum(bool(row[start:end].strip()) for row in rows)
        if not heading[start:end].strip():
            if not starts or 2 * n_rows > len(rows):
                return []
        elif n_rows or not starts or not heading[max(start - 2, 0) : start].strip():
            starts.append(start)
    return starts


def tabbed_rows(lines: Sequence[str], first: int, last: int) -> tuple[int, list[tuple[int, Texts]]]:
    """Where the lines of tabs that begin in the first line end, and their fields.

    There are no rows where they are few, or where their paragraph goes on without tabs.
    """
    rows: list[tuple[int, Texts]] = []
    for at in range(first, min(last, first + MAX_ROWS)):
        line = lines[at].rstrip()
        texts = [text.strip() for text in line.split("\t")]
        is_code = line.startswith("\t\t") or line.endswith(CODE_ENDS)
        is_row = sum(map(bool, texts)) >= MIN_TABBED and not is_code
        if not is_row or len(texts) > MAX_COLUMNS or (rows and abs(len(texts) - len(rows[0][1])) > 1):
            break
        rows.append((at, texts))
    end = first + len(rows)
    width = max((len(texts) for _, texts in rows), default=0)
    filled = [(at, texts + [""] * (width - len(texts))) for at, texts in rows]
    is_whole = len(rows) >= MIN_TABBED and (end == last or not lines[end].strip())
    return end, filled if is_whole else []
