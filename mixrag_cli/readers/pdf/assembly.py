"""Laid-out pages to one Document: repeated headers and footers dropped, headings levelled, captions bound to tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.pdf.aligned_tables import find_aligned_tables
from mixrag_cli.readers.pdf.captions import caption_of, notes_below
from mixrag_cli.readers.pdf.charts import Chart, find_charts
from mixrag_cli.readers.pdf.continued_tables import join_continued
from mixrag_cli.readers.pdf.flows import split_flows
from mixrag_cli.readers.pdf.items import ITEM, MAX_HEADING_CHARS, PART, PageLayout, TextItem
from mixrag_cli.readers.pdf.lattice import Lattice
from mixrag_cli.readers.pdf.lattice_headers import with_header_above
from mixrag_cli.readers.pdf.lattice_labels import with_labels_beside
from mixrag_cli.readers.pdf.layout import (
    Line,
    count_words,
    join_lines,
    join_turned,
    words_to_lines,
)
from mixrag_cli.readers.pdf.line_breaks import find_breaks, right_edge
from mixrag_cli.readers.pdf.line_numbers import without_line_numbers
from mixrag_cli.readers.pdf.lined_tables import find_lined_tables
from mixrag_cli.readers.pdf.page import Box, PageContent, Word
from mixrag_cli.readers.pdf.paragraphs import lines_to_paragraphs
from mixrag_cli.readers.pdf.pieces import is_parted
from mixrag_cli.readers.pdf.ruled_tables import find_ruled_tables
from mixrag_cli.readers.pdf.running import PAGE_NUMBER, drop_repeated
from mixrag_cli.readers.pdf.shared_headings import share_headings
from mixrag_cli.readers.pdf.torn_tables import find_torn_tables
from mixrag_cli.readers.pdf.turned_headers import with_turned_header
from mixrag_cli.records.documents import BlockKind, Document, Grid

MAX_HEADING_LEVEL = 6
LARGER = 1.12  # times the body's type size
NEXT_LARGER = 1.04  # times it: enough for a heading whose number follows that of the last
TABLE_MARK = "\x00table "
MARK_SIZE = 1.0  # points: small, so that no text line takes the mark for one of its words
NOTE = re.compile(r"^(?:Note|NOTE)\s+\d+\b")
NUMBERED = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+[A-Z\u00c0-\u00de]")
MAX_TITLE_LINES = 3
FILE_TITLE = re.compile(r"\.(?:docx?|pdf|tex|indd|xlsx?|qxd)\b|^untitled", re.I)
SEPARATOR = re.compile(r"^[-=_–—*·]{4,}$")  # a ruling typed in characters


def lay_out_page(content: PageContent) -> PageLayout:
    """Flows, charts, tables and paragraphs of one page."""
    ruled: dict[str, Lattice] = {}
    charts: list[Chart] = []
    words = without_line_numbers(content.words)
    content = replace(content, words=tuple(words))
    if content.has_tables:
        charts = find_charts(content)
        content, words = _without_charts(content, charts)
        tables = find_ruled_tables(words, content.horizontal, content.vertical, content.turned)
        words = _words_outside(words, tables)
        lined = find_lined_tables(words, content.horizontal, content.vertical)
        words = _words_outside(words, lined)
        torn = find_torn_tables(words, content)
        words = _words_outside(words, torn)
        for number, table in enumerate((*tables, *lined, *torn)):
            headed = with_header_above(with_labels_beside(table, words), words, content.horizontal)
            headed = with_turned_header(headed, content.turned)
            ruled[f"{TABLE_MARK}{number}"] = headed
            words = _words_outside(words, [headed])
        words += [_mark_table(mark, table.box) for mark, table in ruled.items()]
    items: list[TextItem | Grid] = []
    flows = split_flows(words) if words else []
    for flow in flows:
        lines = words_to_lines(flow)
        edge = right_edge(lines, flows, content.width)
        free: list[Line] = []
        for line in lines:
            marks = [word for word in line.words if word.text in ruled]
            rest = tuple(word for word in line.words if word.text not in ruled)
            if rest and not SEPARATOR.match(line.text):
                free.append(Line(rest) if marks else line)
            if marks:
                items += _lay_out_lines(free, content, edge)
                items += [ruled[word.text].to_grid(content.number) for word in marks]
                free = []
        items += _lay_out_lines(free, content, edge)
    for chart in charts:
        items.insert(_place_of(chart.box, items), _chart_item(chart))
    return PageLayout(content.number, content.height, tuple(items))


def _words_outside(words: Sequence[Word], tables: Iterable[Lattice]) -> list[Word]:
    inside = {word for table in tables for word in table.words}
    return [word for word in words if word not in inside]


def _without_charts(content: PageContent, charts: Sequence[Chart]) -> tuple[PageContent, list[Word]]:
    """The page without the rulings in its charts, and the words outside of them."""
    inside = frozenset(word for chart in charts for word in chart.words)
    horizontal = [rule for rule in content.horizontal if not any(chart.holds_across(rule) for chart in charts)]
    vertical = [rule for rule in content.vertical if not any(chart.holds_down(rule) for chart in charts)]
    plain = replace(content, horizontal=tuple(horizontal), vertical=tuple(vertical))
    return plain, [word for word in content.words if word not in inside]


def _chart_item(chart: Chart) -> TextItem:
    """What a chart says, as one paragraph: title, axis, labels, marks. The title heads nothing that follows."""
    title = [word for word in chart.words if word.bottom < chart.plot_top]
    labels = chart.words - chart.marks - {*title}
    turned = [join_turned(chart.turned).text] if chart.turned else []
    parts = [*_texts(title), *turned, *_texts(labels), " ".join(_texts(chart.marks))]
    size = min(word.size for word in chart.marks)
    return TextItem(tuple(parts), chart.box, size, bold=False, italic=False, is_list=False)


def _texts(words: Iterable[Word]) -> list[str]:
    return [line.text for line in words_to_lines(words)]


def _place_of(box: Box, items: Sequence[TextItem | Grid]) -> int:
    """Where a chart comes in the reading order: behind the last item that begins above its middle; of those in its own
    column, where there are any below the page's first item. A table beside the chart is not cut.
    """
    middle = (box[1] + box[3]) / 2
    places = [item.locator.bbox if isinstance(item, Grid) else item.box for item in items]
    above = [index for index, place in enumerate(places) if place and place[1] < middle]
    own = [index for index in above if (place := places[index]) and place[0] < box[2] and box[0] < place[2]]
    return max([*(index + 1 for index in own if index), 0]) or max((index + 1 for index in above), default=0)


def _mark_table(mark: str, box: Box) -> Word:
    """A word that stands for a table already found, so that the table keeps its place in the reading order."""
    return Word(mark, box[0], box[1], box[2], box[3], box[3], MARK_SIZE)


def _lay_out_lines(lines: Sequence[Line], content: PageContent, edge: float) -> list[TextItem | Grid]:
    """Paragraphs and aligned tables among neighbouring lines of one flow. edge: how far right the flow goes."""
    tables = find_aligned_tables(lines, content.horizontal, content.n_pages) if content.has_tables else []
    tables = [with_turned_header(table, content.turned) for table in tables]
    items: list[TextItem | Grid] = []
    free: list[Line] = []
    last: Lattice | None = None
    for line in lines:
        table = next((table for table in tables if line.words[0] in table.words), None)
        if table is None:
            free.append(line)
        elif table is not last:
            items += [*_to_items(free, content.width, edge), table.to_grid(content.number)]
            free, last = [], table
    items += _to_items(free, content.width, edge)
    return items


def _to_items(lines: Sequence[Line], width: float, edge: float) -> Iterator[TextItem]:
    for paragraph in lines_to_paragraphs(lines):
        first = paragraph.lines[0]
        box = paragraph.box
        yield TextItem(
            tuple(line.text for line in paragraph.lines),
            box,
            first.size,
            all(line.bold for line in paragraph.lines),
            all(line.italic for line in paragraph.lines),
            paragraph.is_list,
            abs((box[0] + box[2]) / 2 - width / 2) < 6 and box[0] > 0.12 * width,
            tuple(line.box for line in paragraph.lines),
            find_breaks(paragraph.lines, edge),
            any(map(is_parted, paragraph.lines)),
        )


def pages_to_document(
    layouts: Sequence[PageLayout], title: str, warnings: Iterable[str], *, has_images: bool
) -> Document:
    """All pages as one document; every block and grid carries its page and box.

    title: the metadata's, "" where there is none. Raises FileUnreadable("no-text") when no page holds text.
    """
    if not any(layout.items for layout in layouts):
        raise FileUnreadable("no-text", "no text layer (scanned?)" if has_images else "no text in the file")
    pages = share_headings(join_continued(drop_repeated(layouts)))
    texts = [item for page in pages for item in page.items if isinstance(item, TextItem)]
    known = count_words(line for item in texts for line in item.texts) if _has_hyphens(texts) else Counter[str]()
    levels = _heading_levels(texts)
    levels |= {id(item): 1 for page in pages if len(page.items) == 1 for item in page.items if id(item) in levels}
    builder = DocumentBuilder("pdf", _pick_title(title, texts, levels))
    builder.warnings += warnings
    last: TextItem | None = None
    for page in pages:
        shared = ""  # what titles the table right above
        for index, item in enumerate(page.items):
            if isinstance(item, Grid):
                notes = item.notes or notes_below(page.items, index)
                shared = caption_of(page.items, index, last) or shared
                grid = replace(item, caption=shared, notes=notes)
                place = item.locator
                builder.add(
                    grid_to_text(grid), "table", grid=grid, bbox=place.bbox, page=page.number, last_page=place.last_page
                )
                continue
            shared = ""
            level = levels.get(id(item), 0)
            if level:
                builder.add_heading(join_lines(item.texts, known), level, bbox=item.box, page=page.number)
            else:
                _add_text(builder, item, known, page.number)
            last = item
    return builder.build()


def _add_text(builder: DocumentBuilder, item: TextItem, known: Counter[str], page: int) -> None:
    """Add a paragraph or list item, cut where its author ended a line."""
    for part in item.parts():
        kind: BlockKind = "list" if part.is_list else "paragraph"
        builder.add(join_lines(part.texts, known), kind, bbox=part.box, page=page)


def grid_to_text(grid: Grid) -> str:
    """The raw table as lines with " | " between columns, so that it can be read and found as running text."""
    rows: list[list[str]] = [[""] * grid.n_columns for _ in range(grid.n_rows)]
    for cell in grid.cells:
        rows[cell.row][cell.column] = cell.text
    return "\n".join(" | ".join(row).rstrip(" |") for row in rows if any(row))


# --- headings --------------------------------------------------------------------------------------------------


def _heading_levels(texts: Sequence[TextItem]) -> dict[int, int]:
    """The level of each item that is a heading, by the item's id."""
    sizes: Counter[float] = Counter()
    n_bold = n_all = 0
    for item in texts:
        n = sum(map(len, item.texts))
        sizes[round(item.size * 2) / 2] += n
        n_all += n
        n_bold += n * item.bold
    if not sizes:
        return {}
    body = sizes.most_common(1)[0][0]
    bold_counts = n_bold < 0.5 * n_all
    headings = _headings(texts, body, bold_counts)
    large = sorted({round(item.size) for item in headings if item.size > LARGER * body}, reverse=True)
    has_parts = any(PART.match(item.texts[0]) or ITEM.match(item.texts[0]) for item in headings)
    return {id(item): _level_of(item, body, large, has_parts) for item in headings}


def _headings(texts: Sequence[TextItem], body: float, bold_counts: bool) -> list[TextItem]:
    """The items that are headings; pages that are scaled differently set one of a row of numbered headings smaller."""
    found: list[TextItem] = []
    last: tuple[int, ...] = ()
    for item in texts:
        numbered = NUMBERED.match(item.texts[0])
        number = tuple(map(int, numbered.group(1).split("."))) if numbered else ()
        larger = NEXT_LARGER if len(item.texts) == 1 and _follows(number, last) else LARGER
        if _is_heading(item, larger * body, body, bold_counts):
            found.append(item)
            last = number or last
    return found


def _follows(number: tuple[int, ...], last: tuple[int, ...]) -> bool:
    """Whether a section's number is the next on its level. Example: (2,) and (1, 3) follow (1, 2)."""
    depth = len(number)
    return 0 < depth <= len(last) and number == (*last[: depth - 1], last[depth - 1] + 1)


def _is_heading(item: TextItem, large: float, body: float, bold_counts: bool) -> bool:
    """Whether the item is one text set off from the body by size or weight, and short. large: the size that is enough
    alone.
    """
    text = " ".join(item.texts)
    if item.is_parted or PAGE_NUMBER.match(text):
        return False
    n_letters = sum(map(str.isalpha, text))
    if len(text) > MAX_HEADING_CHARS or len(item.texts) > 3 or n_letters < 2 or text[0] in "(•●▪☐☒":
        return False
    if n_letters < 0.4 * len(text) or text[-1] in ",;" or (text[-1] in ".:" and len(text) > 60):
        return False
    if item.size > large:
        return True
    if item.size < 0.88 * body:
        return False
    if item.bold and bold_counts:
        return True
    return item.italic and len(item.texts) == 1 and len(text) < 70 and text[-1] not in ".:" and text[0].isupper()


def _level_of(item: TextItem, body: float, large: Sequence[int], has_parts: bool) -> int:
    text = item.texts[0]
    if PART.match(text):
        return 1
    if ITEM.match(text):
        return 2
    if NOTE.match(text):
        return 3
    if (numbered := NUMBERED.match(text)) is not None and not has_parts:
        return min(MAX_HEADING_LEVEL, numbered.group(1).count(".") + 1)
    base = 3 if has_parts else min(len(large), MAX_HEADING_LEVEL - 2)
    if item.size > LARGER * body:
        return 1 if has_parts else min(large.index(round(item.size)) + 1, MAX_HEADING_LEVEL)
    if item.bold:
        return base if has_parts and item.is_centered else base + 1
    return base + 2


def _pick_title(title: str, texts: Sequence[TextItem], levels: dict[int, int]) -> str:
    """The metadata's title where it reads like one, else the largest headings near the top.

    All of the largest, not the first alone: the cover of a filing sets the form and the company in one size.
    """
    if len(title) > 3 and " " in title and not FILE_TITLE.search(title):
        return title
    top = [item for item in texts[:30] if id(item) in levels]
    largest = max((round(item.size) for item in top), default=0)
    lines = [" ".join(item.texts) for item in top if round(item.size) == largest]
    return " · ".join(dict.fromkeys(lines[:MAX_TITLE_LINES]))


def _has_hyphens(texts: Sequence[TextItem]) -> bool:
    return any(line.endswith(("-", "\u2010", "\u00ad")) for item in texts for line in item.texts[:-1])
