"""Jupyter notebooks: markdown and code cells in order, and the text that the code printed.

Images and other binary outputs are left out; a table that is shown as HTML, or printed, is a table. A cell's
lines are not lines of the file, so places name the cell instead, from 1.
"""

from __future__ import annotations

import json
from typing import Any

from mixrag_cli.cleaning import safe_text
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.code import add_code
from mixrag_cli.readers.decoding import decode, looks_binary
from mixrag_cli.readers.facts.prose import collect_printed
from mixrag_cli.readers.html import add_html
from mixrag_cli.readers.markdown import add_markdown
from mixrag_cli.readers.source import MEGABYTE, ReadSource
from mixrag_cli.readers.text import add_text
from mixrag_cli.readers.text_markup.text_tables import parted_by_tables
from mixrag_cli.records.documents import Document
from mixrag_cli.records.places import Locator

# Notebooks are large for their images: 100 MB of them are mostly text that is one string each and soon let go.
MAX_NOTEBOOK_MB = 100
MAX_OUTPUT_CHARS = 2_000  # of one output: what a person would scroll through
MAX_PAGE_CHARS = 200_000  # of one that is shown as a table: some hundred rows


def read_notebook(source: ReadSource) -> Document:
    """The document of an .ipynb file; one that is no notebook is read as text.

    Raises FileUnreadable("binary") and ("too-large").
    """
    if source.size > MAX_NOTEBOOK_MB * MEGABYTE:
        raise FileUnreadable("too-large", f"larger than {MAX_NOTEBOOK_MB} MB")
    raw = source.file.read(MAX_NOTEBOOK_MB * MEGABYTE + 1)
    if looks_binary(raw):
        raise FileUnreadable("binary", "looks binary")
    source.beat(0, len(raw))
    text, _, _ = decode(raw)
    builder = DocumentBuilder("notebook")
    notebook = _parse_notebook(text)
    cells = _cells_of(notebook)
    if cells is None:
        if len(text) > source.limits.max_text_bytes:
            raise FileUnreadable("too-large", f"no notebook, and larger than {source.limits.max_text_file_mb} MB")
        if text.strip():
            builder.warnings.append("not a notebook, read as text")
        add_text(builder, source.redact(safe_text(text)), "json", source.beat)
        return builder.build()
    for number, cell in enumerate(cells, 1):
        source.beat(number, len(cells))
        if isinstance(cell, dict):
            builder.cell = number
            _add_cell(builder, cell, number, source, _suffix_of(notebook))
    return builder.build()


def _parse_notebook(text: str) -> dict[str, Any]:
    """What the file holds; {} when the text is no notebook."""
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return notebook if isinstance(notebook, dict) else {}


def _cells_of(notebook: dict[str, Any]) -> list[Any] | None:
    cells = notebook.get("cells")
    if cells is None and isinstance(worksheets := notebook.get("worksheets"), list):  # format 3 and before
        sheets = [sheet for sheet in worksheets if isinstance(sheet, dict)]
        cells = [cell for sheet in sheets for cell in sheet.get("cells", []) if isinstance(cell, dict)]
    return cells if isinstance(cells, list) else None


def _suffix_of(notebook: dict[str, Any]) -> str:
    """The suffix of source files in the notebook's language; Python's where it says none."""
    told = notebook.get("metadata")
    language = told.get("language_info") if isinstance(told, dict) else None
    suffix = language.get("file_extension") if isinstance(language, dict) else None
    return suffix.lstrip(".").lower() if isinstance(suffix, str) and suffix else "py"


def _add_cell(builder: DocumentBuilder, cell: dict[str, Any], number: int, source: ReadSource, suffix: str) -> None:
    text = source.redact(safe_text(_joined(cell.get("source", cell.get("input", "")))))
    if cell.get("cell_type") in ("markdown", "heading", "raw"):
        add_markdown(builder, text, source.beat)
        return
    path = (*builder.heading_path, f"cell {number}")
    builder.add(text.strip("\n"), "code", heading_path=path)
    _collect_facts(builder, text, suffix, source)
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        if page := _shown_table(output):
            add_html(builder, source.redact(safe_text(page)), source.beat)
            continue
        shown = source.redact(safe_text(_output_text(output))).rstrip().lstrip("\n")[:MAX_OUTPUT_CHARS]
        _add_printed(builder, shown, (*path, "output"))
        builder.facts.place = Locator((0, 0), cell=number)
        collect_printed(builder.facts, shown, builder.heading_path)


def _add_printed(builder: DocumentBuilder, text: str, path: tuple[str, ...]) -> None:
    """Add what code printed: tables that are drawn in it, and the lines between them."""
    lines = text.split("\n")
    for first, last, grid in parted_by_tables(lines, 0, len(lines)):
        stretch = "\n".join(lines[first:last])
        if grid is None:
            builder.add(stretch.strip("\n"), "code", heading_path=path)
        else:
            builder.add(stretch, "table", grid=grid)


def _collect_facts(builder: DocumentBuilder, text: str, suffix: str, source: ReadSource) -> None:
    """What the cell's code states, told of the cell."""
    stated = DocumentBuilder("code")
    add_code(stated, text, suffix, source.beat)
    builder.facts.place = Locator((0, 0), cell=builder.cell)
    for fact in stated.facts.facts:
        values = ((value.column, value.text, None) for value in fact.values)
        builder.facts.add((*builder.heading_path, *fact.path), fact.sort, *values)


def _shown_table(output: Any) -> str:
    """The page of an output that is shown as a table; "" of any other."""
    data = output.get("data") if isinstance(output, dict) else None
    page = _joined(data.get("text/html", "")) if isinstance(data, dict) else ""
    return page if "<table" in page and len(page) <= MAX_PAGE_CHARS else ""


def _output_text(output: Any) -> str:
    """What an output says in words: printed text, a plain result, the last line of an error."""
    if not isinstance(output, dict):
        return ""
    if output.get("output_type") == "error" or output.get("output_type") == "pyerr":
        return f"{_joined(output.get('ename', ''))}: {_joined(output.get('evalue', ''))}"
    data = output.get("data")
    if isinstance(data, dict):
        return _joined(data.get("text/plain", data.get("text/markdown", "")))
    return _joined(output.get("text", ""))


def _joined(value: Any) -> str:
    """The format keeps a text as one string or as a list of lines."""
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""
