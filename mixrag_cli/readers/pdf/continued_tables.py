"""Tables that go on over pages, joined into one.

The last table of a page and the first of the next are one table when nothing but running headers, page numbers and
"continued" stands between them, and either the header is repeated, or the second has no header and its columns stand
where those of the first do, of which some may be blank on its page, or where the first is nothing but headings.
Notes may stand between where the next page says the table's title again, and the page's footnotes where it repeats the
header or the table is as wide there. The joined table stands on the first page; cells from later pages know their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from mixrag_cli.readers.pdf.captions import MAX_NOTES, notes_below
from mixrag_cli.readers.pdf.column_places import (
    MIN_HEADER_TEXTS,
    SAME_PLACE_POINTS,
    column_places,
    is_same_place,
    n_header_rows,
    opens_with_header,
)
from mixrag_cli.readers.pdf.items import PageLayout, TextItem
from mixrag_cli.readers.pdf.lattice import to_indent_levels
from mixrag_cli.readers.pdf.layout import is_number
from mixrag_cli.readers.pdf.running import CAPTION, is_running
from mixrag_cli.records.documents import Grid, GridCell

LOWEST_END = 0.6  # of the page's height: a table without repeated header that ends above has come to its end
HIGHEST_START = 0.4  # of the page's height: and one that begins below is another table
MIN_FITTED_COLUMNS = 3  # two columns stand where two of any other table do
SMALL_TYPE = 0.9  # of the body's size: footnotes are set in 8 where the body is set in 10, in 9 where it is in 11
FOOTNOTE = re.compile(r"^(?:\d{1,3}|[*†‡§¶]+)(?!\S)")
CONTINUED = re.compile(r"\(?\b(?:continue[sd]|cont[’'.]?d|cont\.)(?:\s+(?:on|from)\s+[\w\s]{1,30})?\)?[.:]?\s*", re.I)
NUMBER_ALONE = re.compile(rf"{CAPTION.pattern}[\d.]*$", re.I)


@dataclass(slots=True)
class _Open:
    """The last table of the page before: where its joined form stands, its last part and the texts above it.

    is_last: nothing but running footers stands below it; is_above_footnotes: the page's footnotes besides.
    """

    page: int
    item: int
    part: Grid
    titles: frozenset[str]
    is_last: bool
    is_above_footnotes: bool


def join_continued(pages: Sequence[PageLayout]) -> list[PageLayout]:
    """The pages with each table that goes on over pages as one, on the page where it begins."""
    joined = list(pages)
    body = _body_size(pages)
    last: _Open | None = None
    for number, page in enumerate(pages):
        end = _last_table(page)
        start = _first_body(pages, number, last.titles) if last is not None else None
        going_on = _join(joined, pages, number, last, start) if last is not None and start is not None else None
        if end is None:
            last = None
            continue
        part, titles = page.items[end], _titles_above(page, end)
        assert isinstance(part, Grid)
        below = list(_texts(page.items[end + 1 :]))
        rest = [item for item in below if not (_repeats(item) or _is_running(item, 1, pages, number))]
        is_last = not rest
        is_above_footnotes = _opens_footnotes(below) and all(item.size <= SMALL_TYPE * body for item in rest)
        if going_on is not None and end == start and last is not None:
            last = _Open(last.page, last.item, going_on, last.titles | titles, is_last, is_above_footnotes)
        else:
            place = next(i for i, item in enumerate(joined[number].items) if item is part)
            last = _Open(number, place, part, titles, is_last, is_above_footnotes)
    return joined


def _join(joined: list[PageLayout], pages: Sequence[PageLayout], number: int, last: _Open, start: int) -> Grid | None:
    """Move the table that opens the page to the open one, where it goes on with it; None where it is another table."""
    page = pages[number]
    following, whole = page.items[start], joined[last.page].items[last.item]
    if not isinstance(following, Grid) or not isinstance(whole, Grid):
        return None
    following = _fit_columns(following, last.part)
    n_repeated = _count_repeated(whole, last.part, following, pages[number - 1 : number + 1])
    if n_repeated is None:
        return None
    is_titled = any(_is_title_again(item, last.titles) for item in _texts(page.items[:start]))
    is_certain = n_repeated > 0 or _have_same_edges(last.part, following)
    is_past_footnotes = last.is_above_footnotes and is_certain and _have_same_columns(last.part, following)
    if not (last.is_last or is_titled or is_past_footnotes):
        return None
    _put(joined, last, replace(_append(whole, following, n_repeated), notes=notes_below(page.items, start)))
    above = (item for item in _texts(page.items[:start]) if not _repeats(item, last.titles))
    joined[number] = replace(page, items=(*above, *page.items[start + 1 :]))
    return following


def _put(pages: list[PageLayout], place: _Open, grid: Grid) -> None:
    page = pages[place.page]
    items = (*page.items[: place.item], grid, *page.items[place.item + 1 :])
    pages[place.page] = replace(page, items=items)


# --- what stands between ------------------------------------------------------------------------------------------


def _last_table(page: PageLayout) -> int | None:
    """Index of the page's last table, if no more than its notes can stand below it."""
    first = max(0, len(page.items) - 1 - MAX_NOTES)
    return next((at for at in range(len(page.items) - 1, first - 1, -1) if isinstance(page.items[at], Grid)), None)


def _body_size(pages: Sequence[PageLayout]) -> float:
    """The type size of most of the text, 0 without any."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for item in _texts(page.items):
            sizes[item.size] += sum(map(len, item.texts))
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _opens_footnotes(items: Sequence[TextItem]) -> bool:
    """Whether the first text begins with a footnote's number or sign, or is one."""
    return bool(items) and FOOTNOTE.match(items[0].texts[0]) is not None


def _first_body(pages: Sequence[PageLayout], number: int, titles: frozenset[str]) -> int | None:
    """Index of the page's first item that is neither running nor repeats the titles."""
    for at, item in enumerate(pages[number].items):
        if isinstance(item, Grid) or not (_repeats(item, titles) or _is_running(item, 0, pages, number)):
            return at
    return None


def _is_running(item: TextItem, edge: int, pages: Sequence[PageLayout], number: int) -> bool:
    """Whether the page's item runs on over two pages before or behind: left and right ones may have different headers.

    edge: 0 for the top, 1 for the bottom. number: the page's place among all.
    """
    neighbours = [pages[number + step] for step in (-2, -1, 1, 2) if 0 <= number + step < len(pages)]
    return is_running(item, edge, pages[number].number, neighbours)


def _texts(items: Iterable[TextItem | Grid]) -> Iterator[TextItem]:
    return (item for item in items if isinstance(item, TextItem))


def _is_title_again(item: TextItem, titles: frozenset[str]) -> bool:
    text = " ".join(item.texts)
    return _repeats(item, titles) and (CONTINUED.search(text) is not None or CAPTION.match(text) is not None)


def _repeats(item: TextItem, titles: frozenset[str] = frozenset()) -> bool:
    """Whether the item says "continued", alone or with the table's title or number, or the title again."""
    text = " ".join(item.texts)
    plain = _plain(text)
    return not plain or plain in titles or (plain != text.casefold() and NUMBER_ALONE.match(plain) is not None)


def _titles_above(page: PageLayout, at: int) -> frozenset[str]:
    """The paragraphs above a table up to the one before it, without "continued"."""
    found: set[str] = set()
    for item in reversed(page.items[:at]):
        if isinstance(item, Grid):
            break
        found.add(_plain(" ".join(item.texts)))
    return frozenset(found)


def _plain(text: str) -> str:
    return " ".join(CONTINUED.sub(" ", text).split()).strip(" -–—:.").casefold()


# --- whether two parts are one table ------------------------------------------------------------------------------


def _count_repeated(whole: Grid, part: Grid, following: Grid, pages: Sequence[PageLayout]) -> int | None:
    """How many header rows the following table repeats; None where it is another table.

    part: the whole's last part; it stands on the first of the two pages.
    """
    if part.n_columns != following.n_columns:
        return None
    n_header, n_same = n_header_rows(following), _n_same_rows(whole, following)
    n_own = n_header_rows(whole)
    if n_same and n_same >= n_header:
        return min(n_same, n_own) if n_own else n_same
    if n_header or opens_with_header(following):
        return None
    if not (_have_same_columns(part, following) or _is_header_of(part, following)):
        return None
    bottom, top = part.locator.bbox, following.locator.bbox
    if bottom is None or top is None:
        return None
    goes_on = bottom[3] >= LOWEST_END * pages[0].height and top[1] <= HIGHEST_START * pages[1].height
    return 0 if goes_on else None


def _n_same_rows(whole: Grid, following: Grid) -> int:
    """How many rows at the top of both say the same, where they name columns; "continued" aside."""
    ours, theirs = _texts_by_row(whole), _texts_by_row(following)
    n_same = 0
    while n_same in ours and ours[n_same] == theirs.get(n_same):
        n_same += 1
    names = [text for row in range(n_same) for text in ours[row].values() if text and not is_number(text)]
    return n_same if len(names) >= MIN_HEADER_TEXTS or (n_same and n_same == n_header_rows(following)) else 0


def _texts_by_row(grid: Grid) -> dict[int, dict[int, str]]:
    rows: dict[int, dict[int, str]] = {}
    for cell in grid.cells:
        rows.setdefault(cell.row, {})[cell.column] = _plain(cell.text)
    return rows


def _have_same_columns(one: Grid, other: Grid) -> bool:
    """Whether the columns that both fill stand at the same place."""
    ours, theirs = column_places(one), column_places(other)
    shared = ours.keys() & theirs.keys()
    return len(shared) >= 2 and all(is_same_place(ours[column], theirs[column]) for column in shared)


def _is_header_of(part: Grid, following: Grid) -> bool:
    """Whether the part holds nothing but headings, as wide as the following table is: the page ended below them."""
    is_named = not any(is_number(cell.text) for cell in part.cells)
    return is_named and any(is_number(cell.text) for cell in following.cells) and _have_same_edges(part, following)


def _have_same_edges(one: Grid, other: Grid) -> bool:
    """Whether both are of three columns and more, and as wide, at the same place."""
    ours, theirs = one.locator.bbox, other.locator.bbox
    if ours is None or theirs is None or one.n_columns < MIN_FITTED_COLUMNS:
        return False
    return abs(ours[0] - theirs[0]) <= SAME_PLACE_POINTS and abs(ours[2] - theirs[2]) <= SAME_PLACE_POINTS


def _fit_columns(following: Grid, part: Grid) -> Grid:
    """The following table, its columns numbered as those of the part at the same places where some are blank in it.

    It is left as it is where it has as many columns, or one that stands at no such place.
    """
    if not MIN_FITTED_COLUMNS <= following.n_columns < part.n_columns:
        return following
    ours, theirs = sorted(column_places(part).items()), column_places(following)
    numbers: list[int] = []
    for column in range(following.n_columns):
        free = [number for number, place in ours if column in theirs and is_same_place(place, theirs[column])]
        fit = next((number for number in free if not numbers or number > numbers[-1]), None)
        if fit is None or (not numbers and fit > 0):
            return following
        numbers.append(fit)
    cells = (
        replace(cell, column=first, column_span=numbers[cell.column + cell.column_span - 1] - first + 1)
        for cell in following.cells
        for first in [numbers[cell.column]]
    )
    return replace(following, n_columns=part.n_columns, cells=tuple(cells))


# --- joining ------------------------------------------------------------------------------------------------------


def _append(whole: Grid, part: Grid, n_repeated: int) -> Grid:
    """The part's rows below those of the whole, without the header rows that it repeats."""
    page = part.locator.page
    shift = whole.n_rows - n_repeated
    added = (replace(cell, row=cell.row + shift, page=page) for cell in part.cells if cell.row >= n_repeated)
    n_rows = shift + part.n_rows
    return replace(
        whole,
        n_rows=n_rows,
        cells=_align_indents((*whole.cells, *added), n_header_rows(whole)),
        locator=replace(whole.locator, last_page=page),
        total_rows=n_rows,
        confidence=min(whole.confidence, part.confidence),
    )


def _align_indents(cells: tuple[GridCell, ...], n_header: int) -> tuple[GridCell, ...]:
    """Indents counted over all parts: a part whose rows are all indented does not know it by itself."""
    if not any(cell.indent or cell.is_header for cell in cells):
        return cells  # a ruled table: its labels may be centred
    labels = [cell for cell in cells if cell.column == 0 and cell.row >= n_header and cell.bbox is not None]
    depth = to_indent_levels([cell.bbox[0] for cell in labels if cell.bbox is not None])
    indents = {id(cell): depth(cell.bbox[0]) for cell in labels if cell.bbox is not None}
    return tuple(replace(cell, indent=indents.get(id(cell), cell.indent)) for cell in cells)
