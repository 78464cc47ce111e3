"""Jupyter notebooks: markdown and code cells in order, and the text that the code printed.

Images and other binary outputs are left out. A cell's lines are not lines of the file, so places name the cell
instead, from 1.
"""

from __future__ import annotations

import json
from typing import Any

from mixrag_cli.cleaning import safe_text
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.decoding import decode, looks_binary
from mixrag_cli.readers.markdown import add_markdown
from mixrag_cli.readers.source import MEGABYTE, ReadSource
from mixrag_cli.readers.text import add_text
from mixrag_cli.records.documents import Document

# Notebooks are large for their images: 100 MB of them are mostly text that is one string each and soon let go.
MAX_NOTEBOOK_MB = 100
MAX_OUTPUT_CHARS = 2_000  # of one output: what a person would scroll through


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
    cells = _parse_cells(text)
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
            _add_cell(builder, cell, number, source)
    return builder.build()


def _parse_cells(text: str) -> list[Any] | None:
    """The notebook's cells, or None when the text is no notebook."""
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(notebook, dict):
        return None
    cells = notebook.get("cells")
    if cells is None and isinstance(worksheets := notebook.get("worksheets"), list):  # format 3 and before
        sheets = [sheet for sheet in worksheets if isinstance(sheet, dict)]
        cells = [cell for sheet in sheets for cell in sheet.get("cells", []) if isinstance(cell, dict)]
    return cells if isinstance(cells, list) else None


def _add_cell(builder: DocumentBuilder, cell: dict[str, Any], number: int, source: ReadSource) -> None:
    text = source.redact(safe_text(_joined(cell.get("source", cell.get("input", "")))))
    if cell.get("cell_type") in ("markdown", "heading", "raw"):
        add_markdown(builder, text, source.beat)
        return
    path = (*builder.heading_path, f"cell {number}")
    builder.add(text.strip("\n"), "code", heading_path=path)
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        shown = source.redact(safe_text(_output_text(output))).strip()
        builder.add(shown[:MAX_OUTPUT_CHARS], "code", heading_path=(*path, "output"))


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
