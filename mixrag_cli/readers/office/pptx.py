"""PowerPoint slides (pptx), through python-pptx: a section a slide, with its text, tables, charts and notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pptx
from pptx.enum.shapes import MSO_SHAPE_TYPE
from pptx.exc import PythonPptxError
from pptx.oxml.ns import qn

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
    title = slide.shapes.title
    text = " ".join(_frame_text(title.text_frame).split()) if title is not None else ""
    hidden = " (hidden)" if slide._element.get("show") == "0" else ""
    yield element("h1", (text or f"Slide {number}") + hidden)
    for shape in _in_reading_order(slide.shapes):
        if title is None or shape.shape_id != title.shape_id:
            if getattr(shape, "has_chart", False):
                yield _chart_or_warning(shape, number, warnings)
            else:
                yield from _shape_markup(shape)
    if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) is not None and notes.text.strip():
        yield element("h2", "Notes")
        yield from (element("p", line) for line in notes.text.splitlines())


def _in_reading_order(shapes: Any, depth: int = 0) -> list[Any]:
    """The shapes from the top left, those of groups where their group stands."""
    ordered = sorted(list(shapes)[:MAX_SHAPES], key=lambda shape: (shape.top or 0, shape.left or 0))
    found: list[Any] = []
    for shape in ordered:
        if shape.shape_type == MSO_SHAPE_TYPE.GROUP and depth < MAX_GROUP_DEPTH:
            found += _in_reading_order(shape.shapes, depth + 1)
        else:
            found.append(shape)
    return found[:MAX_SHAPES]


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
