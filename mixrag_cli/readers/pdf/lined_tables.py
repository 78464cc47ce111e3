"""Tables of texts whose rows are parted by rulings from edge to edge, and whose columns no ruling parts.

Where the words between several such rulings leave the same upright gaps free, rulings are drawn there, and the table is
read as one that is ruled both ways. Tables of figures are left to their alignment.

    rulings of one reach ─► strips between them ─► runs of strips whose words fall into columns ─► Lattice
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from mixrag_cli.readers.pdf.lattice import Lattice
from mixrag_cli.readers.pdf.layout import is_number
from mixrag_cli.readers.pdf.page import Rule, Word
from mixrag_cli.readers.pdf.ruled_tables import read_lattice
from mixrag_cli.readers.pdf.rulings import REACH_POINTS

SAME_REACH_POINTS = 3.0  # rulings that begin and end within this belong to one table
MIN_REACH_POINTS = 72.0  # drawings have thousands of shorter lines
MIN_ROWS = 4  # fewer strips with the same gap are as likely lines of a form or of a title page
MIN_GAP = 0.8  # of the type size: the least blank between two columns; words stand .25 to .35 apart
MAX_ROW_LINES = 12  # of the type size: a higher strip is a part of the page
MAX_CLEAR = 1.0  # of the type size: below more blank than this, a lone text heads what follows
MAX_FIGURES = 0.3  # of the cells behind the first column

Strip = tuple[Rule, Rule, tuple[Word, ...]]  # the rulings above and below, and the words between


def find_lined_tables(words: Sequence[Word], horizontal: Sequence[Rule], vertical: Sequence[Rule]) -> list[Lattice]:
    """The tables among words that no grid of rulings holds, top to bottom."""
    tables = []
    for rules in rules_by_reach(horizontal, vertical, MIN_ROWS + 1):
        for strips in _runs(_strips(words, rules)):
            gaps = _common_gaps(strips)
            if len(strips) < MIN_ROWS or not gaps or _holds_figures(strips, gaps[0]):
                continue
            across = [*(upper for upper, _, _ in strips), strips[-1][1]]
            down = [Rule(at, across[0].at, across[-1].at) for at in (across[0].start, *gaps, across[0].end)]
            inside = [word for _, _, held in strips for word in held]
            if (table := read_lattice(inside, across, down)) is not None:
                tables.append(table)
    return sorted(tables, key=lambda table: table.box[1])


def rules_by_reach(horizontal: Sequence[Rule], vertical: Sequence[Rule], least: int) -> Iterator[list[Rule]]:
    """Rulings across, so many at least, that begin and end at the same places and meet none down, top to bottom."""
    groups: list[list[Rule]] = []
    for rule in sorted(horizontal, key=lambda rule: rule.at):
        if rule.end - rule.start < MIN_REACH_POINTS or any(
            down.start - REACH_POINTS <= rule.at <= down.end + REACH_POINTS and rule.start <= down.at <= rule.end
            for down in vertical
        ):
            continue
        if (group := next((group for group in groups if _reach_alike(group[0], rule)), None)) is not None:
            group.append(rule)
        else:
            groups.append([rule])
    return (group for group in groups if len(group) >= least)


def _reach_alike(one: Rule, other: Rule) -> bool:
    return max(abs(one.start - other.start), abs(one.end - other.end)) <= SAME_REACH_POINTS


def _strips(words: Sequence[Word], rules: Sequence[Rule]) -> list[Strip]:
    """The words between each two neighbouring rulings, those of double rulings left out."""
    strips: list[Strip] = []
    top = rules[0]
    for rule in rules[1:]:
        inside = tuple(
            word
            for word in words
            if top.at < (word.top + word.bottom) / 2 < rule.at and top.start <= (word.x0 + word.x1) / 2 <= top.end
        )
        if inside or rule.at - top.at > REACH_POINTS:
            strips.append((top, rule, inside))
            top = rule
    return strips


def _runs(strips: Iterable[Strip]) -> Iterator[list[Strip]]:
    """Runs of rows whose words leave a common gap free; rows with a blank cell go with those that have both."""
    run: list[Strip] = []
    for strip in strips:
        is_row = _is_row(strip)
        if run and not (
            is_row and (_common_gaps([*run, strip]) or not any(_gaps(words) for _, _, words in (*run, strip)))
        ):
            yield run
            run = []
        if is_row:
            run.append(strip)
    if run:
        yield run


def _is_row(strip: Strip) -> bool:
    """Whether a strip holds words in columns, or a text right below its ruling; headings between tables stand clear."""
    upper, lower, words = strip
    if not words:
        return False
    size = median(word.size for word in words)
    is_clear = min(word.top for word in words) - upper.at > MAX_CLEAR * size
    return lower.at - upper.at <= MAX_ROW_LINES * size and (bool(_gaps(words)) or not is_clear)


def _common_gaps(strips: Iterable[Strip]) -> list[float]:
    words = [word for _, _, inside in strips for word in inside]
    return _gaps(words) if words else []


def _gaps(words: Sequence[Word]) -> list[float]:
    """The middles of the upright blanks between the words, where they are wide enough to part columns."""
    size = median(word.size for word in words)
    gaps: list[float] = []
    reach = min(word.x0 for word in words)
    for word in sorted(words, key=lambda word: word.x0):
        if word.x0 - reach >= MIN_GAP * size:
            gaps.append((reach + word.x0) / 2)
        reach = max(reach, word.x1)
    return gaps


def _holds_figures(strips: Sequence[Strip], first_gap: float) -> bool:
    """Whether figures stand behind the first column: such rows are read by how their figures are aligned."""
    behind = [[word for word in words if word.x0 > first_gap] for _, _, words in strips]
    figures = sum(is_number(word.text) for held in behind for word in held)
    return figures > MAX_FIGURES * sum(map(len, behind))
