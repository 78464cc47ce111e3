"""Running headers and footers: the lines that repeat at the pages' tops and bottoms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import replace

from mixrag_cli.readers.pdf.items import PageLayout, TextItem
from mixrag_cli.records.documents import Grid

EDGE_LINES = 4  # how many lines at a page's top and bottom may be running headers and footers; longer is prose
MIN_REPEATS = 3
REPEAT_SHARE = 0.15  # of the pages: a report's notes repeat their title on half of them
CAPTION = re.compile(r"^(?:table|figure|exhibit|schedule|chart|box)\s+\d", re.I)
PAGE_NUMBER = re.compile(r"^[-–—\s]*(?:page\s*)?\d{1,3}(?:\s*(?:/|of)\s*\d{1,4})?[-–—\s]*$", re.I)
FIGURES = re.compile(r"(?<!\d)(?<!\d\.)\d+(?!\.?\d)")  # not those of "31.6.8", which may count sections
PAGE_OF_CHAPTER = re.compile(r"(?<![\d.])(\d{1,2}\.)(\d{1,4})(?!\.?\d)")


def is_running(item: TextItem, edge: int, page: int, neighbours: Sequence[PageLayout]) -> bool:
    """Whether the item, at the top (edge 0) or bottom (1) of its page, is a page number or repeats on a neighbour."""
    known = {key for other in neighbours for text in _edge_texts(other, edge) for key in _edge_keys(text, other.number)}
    return all(PAGE_NUMBER.match(text) or known & _edge_keys(text, page) for text in item.texts)


def drop_repeated(layouts: Sequence[PageLayout]) -> list[PageLayout]:
    """Pages without the lines that repeat at their tops and bottoms, figures in them aside.

    A running title without figures stays where it stands first; on the first page one whose figures never change.
    """
    counts: Counter[tuple[int, str]] = Counter()
    same: Counter[str] = Counter()
    for layout in layouts:
        edges = _edge_texts(layout, 0), _edge_texts(layout, 1)
        same.update(set(edges[0]))
        for edge, texts in enumerate(edges):
            counts.update({(edge, key) for text in texts for key in _edge_keys(text, layout.number)})
    least = max(MIN_REPEATS, REPEAT_SHARE * len(layouts))
    repeated = {key for key, n in counts.items() if n >= least}
    if not repeated:
        return list(layouts)
    titles = frozenset(
        text for text in _edge_texts(layouts[0], 0) if same[text] >= least and not PAGE_NUMBER.match(text)
    )
    seen: set[tuple[int, str]] = set()
    return [_without_edges(layout, repeated, seen, () if n else titles) for n, layout in enumerate(layouts)]


def _edge_keys(text: str, page: int) -> frozenset[str]:
    """The text with its figures masked, but for the number of a table or section: "Table 2" is not "Table 1" again.

    Besides, the second of two numbers as what it is ahead of the page's, so that pages counted by chapter are the same:
    "8.16" on page 17, "8.17" on page 18.
    """
    plain = text.strip().casefold()
    if CAPTION.match(plain):
        return frozenset({plain})
    plain = FIGURES.sub("#", plain)
    return frozenset({plain, PAGE_OF_CHAPTER.sub(lambda found: f"{found[1]}{int(found[2]) - page:+}", plain)})


def _edge_texts(layout: PageLayout, edge: int) -> list[str]:
    """Up to EDGE_LINES lines from the page's top (0) or bottom (1), nearest to the edge first."""
    found: list[str] = []
    for item in layout.items if edge == 0 else reversed(layout.items):
        if isinstance(item, Grid) or len(found) >= EDGE_LINES or len(item.texts) > EDGE_LINES:
            break
        found += item.texts if edge == 0 else reversed(item.texts)
    return found[:EDGE_LINES]


def _without_edges(
    layout: PageLayout, repeated: set[tuple[int, str]], seen: set[tuple[int, str]], titles: Container[str]
) -> PageLayout:
    items = list(layout.items)
    kept: list[TextItem] = []
    for edge in (0, 1):
        for text in _edge_texts(layout, edge):
            keys = {(edge, key) for key in _edge_keys(text, layout.number)}
            item = items[0 if edge == 0 else -1] if items else None
            if not keys & repeated or not isinstance(item, TextItem):
                break
            is_title = CAPTION.match(text) or not FIGURES.search(text) or text in titles
            if not keys & seen and edge == 0 and is_title:
                kept.append(replace(item, texts=(text,), boxes=(), breaks=()))
            seen |= keys
            rest = item.without_line(0 if edge == 0 else -1)
            place = 0 if edge == 0 else len(items) - 1
            items[place : place + 1] = [rest] if rest else []
    return replace(layout, items=(*kept, *items))
