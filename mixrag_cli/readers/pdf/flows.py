"""Words of a page to flows in reading order: full-width bands, and columns of prose from left to right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from mixrag_cli.readers.pdf.layout import COLUMN_GAP, Line, is_number, words_to_lines
from mixrag_cli.readers.pdf.page import Word

MIN_COLUMN_LINES = 5  # fewer lines a side are a table or a signature block, not columns of prose
MIN_COLUMN_FILL = 0.6  # the median share of its column that a prose line fills


def split_flows(words: Sequence[Word], depth: int = 0) -> list[list[Word]]:
    """Part the words of a page into flows in reading order: full-width bands, and columns of prose left to right."""
    if depth > 3 or len(words) < 40:
        return [list(words)]
    lines = words_to_lines(words)
    for gutter in _gutters(lines):
        bands = _bands_at(lines, gutter)
        if bands is None:
            continue
        flows: list[list[Word]] = []
        for is_split, band in bands:
            if is_split:
                flows += split_flows([word for word in band if word.x0 < gutter], depth + 1)
                flows += split_flows([word for word in band if word.x0 >= gutter], depth + 1)
            elif band:
                flows.append(band)
        return flows
    return [list(words)]


def _gutters(lines: Sequence[Line]) -> list[float]:
    """The x places, likeliest first, where many lines begin behind a gap: left edges of possible right columns."""
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    starts: Counter[int] = Counter()
    for line in lines:
        for before, word in pairwise(line.words):
            if word.x0 - before.x1 > COLUMN_GAP * word.size:
                starts[round(word.x0)] += 1
        if line.x0 > left + 0.25 * (right - left):
            starts[round(line.x0)] += 1
    inner = {x: n for x, n in starts.items() if left + 0.2 * (right - left) < x < right - 0.15 * (right - left)}
    best = sorted(inner, key=lambda x: (-(inner[x] + inner.get(x - 1, 0) + inner.get(x + 1, 0)), x))
    chosen: list[float] = []
    for x in best:
        if inner[x] >= MIN_COLUMN_LINES - 1 and all(abs(x - other) > 5 for other in chosen):
            chosen.append(x - 2.0)
        if len(chosen) == 4:
            break
    return chosen


def _bands_at(page: Sequence[Line], gutter: float) -> list[tuple[bool, list[Word]]] | None:
    """Bands of lines, top to bottom, that the gutter parts or that cross it; None where none is columns of prose."""
    bands: list[tuple[bool, list[Line]]] = []
    for line in page:
        crosses = _crosses(line, gutter)
        if bands and bands[-1][0] is not crosses:
            bands[-1][1].append(line)
        else:
            bands.append((not crosses, [line]))
    judged = [(is_split and _is_two_columns(lines, gutter), lines) for is_split, lines in bands]
    if not any(is_split for is_split, _ in judged):
        return None
    merged: list[tuple[bool, list[Word]]] = []
    for is_split, lines in judged:
        inside = [word for line in lines for word in line.words]
        if merged and not is_split and not merged[-1][0]:
            merged[-1][1].extend(inside)
        else:
            merged.append((is_split, inside))
    return merged


def _crosses(line: Line, gutter: float) -> bool:
    """Whether a word covers the gutter, or the gap over it is no wider than a word space."""
    if any(word.x0 < gutter < word.x1 for word in line.words):
        return True
    before = max((word.x1 for word in line.words if word.x1 <= gutter), default=None)
    behind = min((word.x0 for word in line.words if word.x0 >= gutter), default=None)
    return before is not None and behind is not None and behind - before < COLUMN_GAP * 0.8 * line.size


def _is_two_columns(lines: Sequence[Line], gutter: float) -> bool:
    """Whether both sides of the gutter read as running prose, each in one column or in further ones."""
    for side in (0, 1):
        parts = [part for line in lines if (part := [word for word in line.words if (word.x0 >= gutter) is bool(side)])]
        if not _is_prose_column(parts) and not _is_prose_columns([Line(tuple(part)) for part in parts]):
            return False
    return True


def _is_prose_columns(lines: Sequence[Line]) -> bool:
    """Whether a side is two columns of prose in turn, as where a page has three."""
    if len(lines) < MIN_COLUMN_LINES:
        return False
    for gutter in _gutters(lines):
        left = [part for line in lines if (part := [word for word in line.words if word.x0 < gutter])]
        right = [part for line in lines if (part := [word for word in line.words if word.x0 >= gutter])]
        if _is_prose_column(left) and _is_prose_column(right):
            return True
    return False


def _is_prose_column(parts: Sequence[Sequence[Word]]) -> bool:
    """Whether the lines fill one column, with words that stand close and few figures."""
    if len(parts) < MIN_COLUMN_LINES:
        return False
    left = min(part[0].x0 for part in parts)
    width = max(part[-1].x1 for part in parts) - left
    fills = [(part[-1].x1 - part[0].x0) / max(width, 1.0) for part in parts]
    every = [word.text for part in parts for word in part]
    wide_gaps = sum(1 for part in parts for a, b in pairwise(part) if b.x0 - a.x1 > 2.5 * COLUMN_GAP * b.size)
    return not (
        median(fills) < MIN_COLUMN_FILL
        or sum(map(is_number, every)) > 0.3 * len(every)
        or len(every) < 3.5 * len(parts)
        or wide_gaps > 0.25 * len(parts)
    )
