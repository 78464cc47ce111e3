"""Which rulings of a page make one grid, where its lines lie, and those that are not drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from mixrag_cli.readers.pdf.page import Rule

REACH_POINTS = 3.0  # how far two rulings may miss each other and still meet
SAME_EDGE_POINTS = 3.0
MIN_CELL_POINTS = 4.0
MIN_GAPS = 2  # rulings down that end, and that begin, at one height: there a row ends without a ruling


def groups_of_rulings(horizontal: Sequence[Rule], vertical: Sequence[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Groups of rulings that touch each other, with at least two across and one down."""
    parent = list(range(len(horizontal) + len(vertical)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for v, down in enumerate(vertical, start=len(horizontal)):
        for h, across in enumerate(horizontal):
            if _meet(across, down):
                parent[root(v)] = root(h)
    for first, last in ((0, len(horizontal)), (len(horizontal), len(parent))):
        for a, b in _overlapping((*horizontal, *vertical), range(first, last)):
            parent[root(a)] = root(b)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = defaultdict(lambda: ([], []))
    for index, rule in enumerate((*horizontal, *vertical)):
        groups[root(index)][index >= len(horizontal)].append(rule)
    parts = (part for group in groups.values() for part in _part_stacked(*group))
    return [part for part in parts if len(part[0]) > 1 and part[1]]


def _part_stacked(across: list[Rule], down: list[Rule]) -> Iterator[tuple[list[Rule], list[Rule]]]:
    """The rulings as those of one grid and, where a frame is drawn so near above or below that they meet, of each.

    Two rulings then lie close together, nothing runs through them, and above them and below no edge is at one place.
    """
    ordered = sorted(across, key=lambda rule: rule.at)
    for number, (upper, lower) in enumerate(pairwise(ordered), start=1):
        if not 0 < lower.at - upper.at <= REACH_POINTS:
            continue
        above = [rule for rule in down if rule.end <= lower.at]
        below = [rule for rule in down if rule.start >= upper.at]
        is_parted = above and below and len(above) + len(below) == len(down)
        if is_parted and not any(abs(a.at - b.at) <= SAME_EDGE_POINTS for a in above for b in below):
            yield ordered[:number], above
            yield from _part_stacked(ordered[number:], below)
            return
    yield across, down


def _overlapping(rules: Sequence[Rule], among: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Rulings of one direction that lie along each other: a scan breaks a ruling that is not level."""
    ordered = sorted(among, key=lambda index: rules[index].at)
    for number, a in enumerate(ordered, start=1):
        for place in range(number, len(ordered)):
            b = ordered[place]
            if rules[b].at - rules[a].at > REACH_POINTS:
                break
            if rules[a].start < rules[b].end and rules[b].start < rules[a].end:
                yield a, b


def _meet(across: Rule, down: Rule) -> bool:
    return (
        down.start - REACH_POINTS <= across.at <= down.end + REACH_POINTS
        and across.start - REACH_POINTS <= down.at <= across.end + REACH_POINTS
    )


def gaps_across(across: Sequence[Rule], down: Sequence[Rule]) -> list[Rule]:
    """Rulings that are not drawn: the heights at which all rulings down but the outermost end and others begin.

    A title over several columns stands above such a one, the headings of its columns below.
    """
    left, right = min(rule.at for rule in down), max(rule.at for rule in down)
    inner = [rule for rule in down if left + SAME_EDGE_POINTS < rule.at < right - SAME_EDGE_POINTS]
    top, bottom = min(rule.at for rule in across), max(rule.at for rule in across)
    gaps: list[Rule] = []
    for at in sorted({rule.start for rule in inner}):
        taken = [rule.at for rule in (*across, *gaps)]
        if not top < at < bottom or min(abs(at - other) for other in taken) < MIN_CELL_POINTS:
            continue
        n_begin = sum(abs(rule.start - at) <= SAME_EDGE_POINTS for rule in inner)
        n_end = sum(abs(rule.end - at) <= SAME_EDGE_POINTS for rule in inner)
        is_crossed = any(rule.start + SAME_EDGE_POINTS < at < rule.end - SAME_EDGE_POINTS for rule in inner)
        if n_begin >= MIN_GAPS <= n_end and not is_crossed:
            gaps.append(Rule(at, left, right))
    return gaps


def grid_edges(rules: Iterable[Rule], others: Iterable[Rule]) -> list[float]:
    """The grid's coordinates in one direction: where rulings lie, and where the crossing rulings end beyond them."""
    places = [rule.at for rule in rules]
    ends = [(other.start, other.end) for other in others]
    low, high = min(start for start, _ in ends), max(end for _, end in ends)
    if low < min(places) - 2 * MIN_CELL_POINTS:
        places.append(low)
    if high > max(places) + 2 * MIN_CELL_POINTS:
        places.append(high)
    edges: list[float] = []
    for place in sorted(places):
        if not edges or place - edges[-1] > SAME_EDGE_POINTS:
            edges.append(place)
    return edges
