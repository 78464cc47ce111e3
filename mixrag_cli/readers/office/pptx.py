"""PowerPoint slides (pptx), through python-pptx: a section a slide, with its text, tables, charts and notes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pptx
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER
from pptx.exc import PythonPptxError
from pptx.oxml.ns import qn
from pptx.util import Pt

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.archive import open_package
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.html import add_html
from mixrag_cli.readers.office.charts import chart_markup
from mixrag_cli.readers.office.markup import LIBRARY_ERRORS, element
from mixrag_cli.readers.raised import raise_text
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.documents import Document

KIND = "presentation"
MAX_SLIDES = 2_000
MAX_GROUP_DEPTH = 10
MAX_SHAPES = 2_000  # of one slide: beyond it is drawing, not writing
MAX_LIST_LEVEL = 8
MAX_CUTS = 20  # of a slide into columns and rows, one within the other; real slides need five
MAX_LAID_OUT = 60  # shapes among which columns are sought; more are a drawing
MAX_HEADLINE_CHARS = 120  # of a box that heads a slide without a title; set by judgement, as
MAX_HEADLINE_LINES = 2  # its lines
OVERLAP = Pt(4)  # that boxes beside each other may have: they are wider than their texts


def read_pptx(source: ReadSource) -> Document:
    """The document of a pptx file; one of 0 bytes has no blocks. A slide's number is its page.

    Raises FileUnreadable: "damaged", "password", "too-large", "forbidden" (XML entities).
    """
    builder = DocumentBuilder("slides", cites="pages")
    archive = open_package(source, KIND)
    if archive is None:
        return builder.build()
    archive.check_trees()
    source.file.seek(0)
    try:
        slides = list(pptx.Presentation(source.file).slides)[:MAX_SLIDES]
        for number, slide in enumerate(slides, 1):
            source.beat(number, len(slides))
            builder.page = number
            add_html(builder, "".join(_slide_markup(slide, number, builder.warnings)), source.beat)
    except RecursionError:
        raise
    except (PythonPptxError, *LIBRARY_ERRORS) as error:
        raise FileUnreadable("damaged", f"not a readable {KIND}") from error
    return builder.build()


def _slide_markup(slide: Any, number: int, warnings: list[str]) -> Iterator[str]:
    shapes = _in_reading_order(slide.shapes)
    title = slide.shapes.title
    if title is None or not title.has_text_frame or not title.text_frame.text.strip():
        title = _headline(shapes)
    text = " ".join(_frame_text(title.text_frame).split()) if title is not None else ""
    hidden = " (hidden)" if slide._element.get("show") == "0" else ""
    yield element("h1", (text or f"Slide {number}") + hidden)
    for shape in shapes:
        if title is None or shape.shape_id != title.shape_id:
            if getattr(shape, "has_chart", False):
                yield _chart_or_warning(shape, number, warnings)
            else:
                yield from _shape_markup(shape)
    if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) is not None and notes.text.strip():
        yield element("h2", "Notes")
        yield from (element("p", line) for line in notes.text.splitlines())


def _headline(shapes: list[Any]) -> Any | None:
    """The box that heads a slide without a title: a short text, all other boxes below it; None without such."""
    first, *others = shapes or [None]
    if first is None or not others or not first.has_text_frame:
        return None
    text, middle = first.text_frame.text.strip(), (first.top or 0) + (first.height or 0) // 2
    is_short = len(text) <= MAX_HEADLINE_CHARS and len(text.splitlines()) <= MAX_HEADLINE_LINES
    is_text = is_short and any(map(str.isalpha, text))
    return first if is_text and all((shape.top or 0) >= middle for shape in others) else None


def _in_reading_order(shapes: Any, depth: int = 0) -> list[Any]:
    """What is written, from the top left, column by column where there are columns; groups where they stand."""
    found: list[Any] = []
    for shape in _ordered([shape for shape in list(shapes)[:MAX_SHAPES] if _says_something(shape)]):
        if shape.shape_type == MSO_SHAPE_TYPE.GROUP and depth < MAX_GROUP_DEPTH:
            found += _in_reading_order(shape.shapes, depth + 1)
        else:
            found.append(shape)
    return found[:MAX_SHAPES]


def _says_something(shape: Any) -> bool:
    """Whether a shape is more than a drawing or a picture: a box behind the texts parts no columns."""
    if shape.is_placeholder and shape.placeholder_format.type == PP_PLACEHOLDER.SLIDE_NUMBER:
        return False
    if shape.has_text_frame:
        return bool(shape.text_frame.text.strip())
    is_group = shape.shape_type == MSO_SHAPE_TYPE.GROUP
    return is_group or getattr(shape, "has_table", False) or getattr(shape, "has_chart", False)


def _ordered(shapes: list[Any], n_cuts: int = 0) -> list[Any]:
    """Shapes in the file's order as they are read: cut into columns, or else at the widest blank between rows."""
    is_laid_out = len(shapes) <= MAX_LAID_OUT and n_cuts < MAX_CUTS
    parts = (_columns(shapes) or _rows(shapes)) if is_laid_out else []
    if not parts:
        return sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0))
    return [shape for part in parts for shape in _ordered(part, n_cuts + 1)]


def _columns(shapes: list[Any]) -> list[list[Any]]:
    """Parts beside each other of several shapes each, that the file says one after the other; [] without such.

    Where the file goes from left to right and back, what stands side by side belongs together: a name and its value.
    """
    parts = _cut_at_blanks(shapes, lambda shape: (shape.left or 0, (shape.left or 0) + (shape.width or 0)))
    of = {id(shape): number for number, part in enumerate(parts) for shape in part}
    n_changes = sum(of[id(a)] != of[id(b)] for a, b in pairwise(shapes))
    return parts if min(map(len, parts), default=0) > 1 and n_changes == len(parts) - 1 > 0 else []


def _rows(shapes: list[Any]) -> list[list[Any]]:
    """What stands above a blank across all shapes, and what below it; [] without a blank.

    Of several, the one that leaves the most shapes in columns, or else the widest.
    """
    reach = {id(shape): (shape.top or 0, (shape.top or 0) + (shape.height or 0)) for shape in shapes}
    parts = _cut_at_blanks(shapes, lambda shape: reach[id(shape)])
    cuts = []
    for at in range(1, len(parts)):
        upper = {id(shape) for part in parts[:at] for shape in part}
        halves = [[one for one in shapes if (id(one) in upper) == is_upper] for is_upper in (True, False)]
        blank = min(reach[id(one)][0] for one in parts[at]) - max(reach[id(one)][1] for one in halves[0])
        in_columns = max(len(half) if _columns(half) else 0 for half in halves)
        cuts.append(((in_columns, blank), halves))
    return max(cuts, key=lambda cut: cut[0])[1] if cuts else []


def _cut_at_blanks(shapes: list[Any], reach: Callable[[Any], tuple[int, int]]) -> list[list[Any]]:
    """The shapes in the parts that blanks leave along one axis, each in the file's order."""
    places = sorted(reach(shape) for shape in shapes)
    starts: list[int] = []
    end = 0
    for start, stop in places:
        if not starts or start > end - OVERLAP:
            starts.append(start)
        end = max(end, stop)
    parts: list[list[Any]] = [[] for _ in starts]
    for shape in shapes:
        parts[bisect_right(starts, reach(shape)[0]) - 1].append(shape)
    return [part for part in parts if part]  # shapes that begin at one place leave one without any


def _shape_markup(shape: Any) -> Iterator[str]:
    if getattr(shape, "has_table", False):
        yield _merged_table(shape.table)
    elif shape.has_text_frame:
        yield from _text_markup(shape)


def _chart_or_warning(shape: Any, number: int, warnings: list[str]) -> str:
    """The chart's table; one that cannot be read costs the slides nothing but itself."""
    try:
        return chart_markup(shape.chart)
    except RecursionError:
        raise
    except (PythonPptxError, *LIBRARY_ERRORS):
        warnings.append(f"slide {number}: a chart could not be read")
        return ""


def _text_markup(shape: Any) -> Iterator[str]:
    """A body's paragraphs are a list, nested by their level; those of any other text box are paragraphs."""
    is_list = shape.is_placeholder and len(shape.text_frame.paragraphs) > 1
    for paragraph in shape.text_frame.paragraphs:
        text = _paragraph_text(paragraph)
        if not text.strip():
            continue
        if is_list:
            depth = min(paragraph.level, MAX_LIST_LEVEL) + 1
            yield "<ul>" * depth + element("li", text) + "</ul>" * depth
        else:
            yield element("p", text)


def _frame_text(frame: Any) -> str:
    return "\n".join(map(_paragraph_text, frame.paragraphs))


def _paragraph_text(paragraph: Any) -> str:
    """The paragraph in one line, with raised signs raised."""
    parts = paragraph._p.content_children  # runs, line breaks and fields
    return "".join(raise_text(part.text) if _is_raised(part) else part.text for part in parts).replace("\v", " ")


def _is_raised(part: Any) -> bool:
    properties = part.find(qn("a:rPr"))
    baseline = "" if properties is None else properties.get("baseline", "")  # "30000" or "30%"; "-25000" is lowered
    return baseline[:1] in set("123456789")


def _merged_table(table: Any) -> str:
    """The table with its spans; its first row is a header where the slide shows it as one."""
    tag_of_first = "th" if table.first_row else "td"
    parts = ["<table>"]
    for number, row in enumerate(table.rows):
        parts.append("<tr>")
        for cell in row.cells:
            if not cell.is_spanned:
                spans = f' rowspan="{cell.span_height}" colspan="{cell.span_width}"' if cell.is_merge_origin else ""
                parts.append(element(tag_of_first if number == 0 else "td", _frame_text(cell.text_frame), spans))
        parts.append("</tr>")
    return "".join([*parts, "</table>"])
