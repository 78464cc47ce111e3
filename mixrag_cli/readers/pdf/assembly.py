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
from mixrag_cli.readers.pdf.drawings import read_drawing
from mixrag_cli.readers.pdf.first_rows import mark_headless
from mixrag_cli.readers.pdf.flows import split_flows
from mixrag_cli.readers.pdf.headings import heading_levels, pick_title
from mixrag_cli.readers.pdf.items import PageLayout, TextItem
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
from mixrag_cli.readers.pdf.leader_tables import find_leader_tables
from mixrag_cli.readers.pdf.line_breaks import find_breaks, right_edge
from mixrag_cli.readers.pdf.line_numbers import without_line_numbers
from mixrag_cli.readers.pdf.lined_tables import find_lined_tables
from mixrag_cli.readers.pdf.page import Box, PageContent, Word
from mixrag_cli.readers.pdf.paragraphs import lines_to_paragraphs
from mixrag_cli.readers.pdf.pieces import is_parted
from mixrag_cli.readers.pdf.ruled_tables import find_ruled_tables
from mixrag_cli.readers.pdf.running import drop_repeated
from mixrag_cli.readers.pdf.running_tables import drop_repeated_tables
from mixrag_cli.readers.pdf.running_words import NONE_RUNNING, RunningLines
from mixrag_cli.readers.pdf.shared_headings import share_headings
from mixrag_cli.readers.pdf.torn_tables import find_torn_tables
from mixrag_cli.readers.pdf.turned_headers import with_turned_header
from mixrag_cli.records.documents import BlockKind, Document, Grid

TABLE_MARK = "\x00table "
MARK_SIZE = 1.0  # points: small, so that no text line takes the mark for one of its words
SEPARATOR = re.compile(r"^[-=_–—*·]{4,}$")  # a ruling typed in characters


def lay_out_page(content: PageContent, running: RunningLines = NONE_RUNNING) -> PageLayout:
    """Flows, charts, tables and paragraphs of one page. Running lines that a table would take in are set aside."""
    layout = _lay_out_drawn(content)
    grids = [item.locator.bbox for item in layout.items if isinstance(item, Grid) and item.locator.bbox]
    lines = (*running.top, *running.bottom)
    if any(box[1] <= line.baseline <= box[3] for box in grids for line in lines):
        aside = {word for line in lines for word in line.words}
        own = _lay_out_drawn(replace(content, words=tuple(word for word in content.words if word not in aside)))
        top, bottom = (_to_items(part, content.width, content.width) for part in (running.top, running.bottom))
        layout = replace(own, items=(*top, *own.items, *bottom))
    return replace(layout, running=frozenset(line.text for line in lines))


def _lay_out_drawn(content: PageContent) -> PageLayout:
    """The page laid out, with the labels of a drawing sheet behind its notes."""
    drawing = read_drawing(content)
    layout = _lay_out(drawing.content(content) if drawing else content)
    return replace(layout, items=(*layout.items, drawing.labels)) if drawing and drawing.labels else layout


def _lay_out(content: PageContent) -> PageLayout:
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
    if content.has_tables:
        flows = [_mark_leader_tables(flow, ruled) for flow in flows]
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


def _mark_leader_tables(flow: Sequence[Word], tables: dict[str, Lattice]) -> list[Word]:
    """The flow with marks for its lists of names and values, which are put to the page's tables."""
    found = find_leader_tables(flow)
    marks = {f"{TABLE_MARK}{number}": table for number, table in enumerate(found, start=len(tables))}
    tables |= marks
    return [*_words_outside(flow, found), *(_mark_table(mark, table.box) for mark, table in marks.items())]


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
    ordered = sorted(words, key=lambda word: (word.x0, word.top, word.x1, word.text))  # a chart holds them in no order
    return [line.text for line in words_to_lines(ordered)]


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
    pages = share_headings(join_continued(drop_repeated(drop_repeated_tables(layouts))))
    texts = [item for page in pages for item in page.items if isinstance(item, TextItem)]
    known = count_words(line for item in texts for line in item.texts) if _has_hyphens(texts) else Counter[str]()
    levels = heading_levels(texts)
    levels |= {id(item): 1 for page in pages if len(page.items) == 1 for item in page.items if id(item) in levels}
    builder = DocumentBuilder("pdf", pick_title(title, layouts))
    builder.warnings += warnings
    last: TextItem | None = None
    for page in pages:
        shared = ""  # what titles the table right above
        for index, item in enumerate(page.items):
            if isinstance(item, Grid):
                notes = item.notes or notes_below(page.items, index)
                shared = caption_of(page.items, index, last) or shared
                grid = mark_headless(replace(item, caption=shared, notes=notes))
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


def _has_hyphens(texts: Sequence[TextItem]) -> bool:
    return any(line.endswith(("-", "\u2010", "\u00ad")) for item in texts for line in item.texts[:-1])
