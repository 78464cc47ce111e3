"""HTML as the formats here are turned into it, and the document that its reader makes of it."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from html import escape
from xml.parsers import expat

from mixrag_cli.cleaning import safe_text

# What the libraries here raise over a damaged file, beside what they raise over one that is merely odd.
LIBRARY_ERRORS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    OSError,
    SyntaxError,  # lxml's parse errors are such
    TypeError,
    ValueError,
    expat.ExpatError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


def element(tag: str, text: str, attributes: str = "") -> str:
    """One element around a text, which may hold anything."""
    return f"<{tag}{attributes}>{escape(safe_text(text), quote=False)}</{tag}>"


def table_markup(rows: Iterable[Sequence[str]], caption: str = "", header_rows: int = 1) -> str:
    """Rows of texts as a table whose first rows are headers."""
    parts = ["<table>", element("caption", caption) if caption else ""]
    for number, row in enumerate(rows):
        tag = "th" if number < header_rows else "td"
        parts += ["<tr>", *(element(tag, text) for text in row), "</tr>"]
    return "".join([*parts, "</table>"])
