"""xlsx to sheets of sparse rows, in one streaming pass over the XML.

A pass of our own because the fast library (calamine) makes a dense grid, which two cells in opposite corners of a
sheet turn into 17 billion, and gives no styles; and the careful one (openpyxl) takes ten times as long. Read are:
values, number formats, bold, indent, merges, comments, hidden sheets, rows and columns. Formulas are shown, never
evaluated.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.archive import Archive, parse_xml
from mixrag_cli.readers.raised import raise_text
from mixrag_cli.readers.sheets.comments import read_comments
from mixrag_cli.readers.sheets.number_formats import BUILT_IN, plain_number, show_number
from mixrag_cli.readers.sheets.sampling import SourceCell, SourceRow
from mixrag_cli.readers.sheets.workbook import (
    BEAT_ROWS,
    MAX_CELLS,
    MAX_COLUMNS,
    MAX_MERGES,
    MAX_ROWS,
    MAX_SHEETS,
    Beat,
    SheetCells,
    unvalued_note,
)

MAX_SHARED_CHARS = 200_000_000
MAX_CELL_TEXT = 32_767  # the format's own limit
_REFERENCE = re.compile(r"^\$?([A-Z]{1,4})\$?(\d{1,10})$")
_RELATIONSHIP = "officeDocument"


@dataclass(frozen=True, slots=True)
class _Style:
    code: str = "General"
    bold: bool = False
    indent: int = 0


@dataclass(frozen=True, slots=True)
class _SheetEntry:
    name: str
    part: str
    is_hidden: bool


def read_xlsx(archive: Archive, beat: Beat) -> list[SheetCells]:
    """All worksheets in the workbook's order; chart sheets and macros are left out.

    Raises FileUnreadable where the parts cannot be read.
    """
    book = _main_part(archive)
    entries, is_1904 = _read_workbook(archive, book)
    folder = posixpath.dirname(book)
    strings = _read_strings(archive, f"{folder}/sharedStrings.xml".lstrip("/"))
    styles = _read_styles(archive, f"{folder}/styles.xml".lstrip("/"))
    sheets: list[SheetCells] = []
    for entry in entries[:MAX_SHEETS]:
        if entry.part in archive:
            sheets.append(_SheetPass(entry, strings, styles, is_1904, beat).read(archive))
    return sheets


def _main_part(archive: Archive) -> str:
    for target in _read_relationships(archive, "_rels/.rels").values():
        if target[0].endswith(_RELATIONSHIP) and target[1].lstrip("/") in archive:
            return target[1].lstrip("/")
    if "xl/workbook.xml" in archive:
        return "xl/workbook.xml"
    raise FileUnreadable("damaged", "not a readable workbook (no sheets inside)")


def _ignore(*_: object) -> None:
    """Handles nothing."""


def _read_relationships(archive: Archive, part: str) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}

    def start(name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship":
            found[attributes.get("Id", "")] = (attributes.get("Type", ""), attributes.get("Target", ""))

    if part in archive:
        parse_xml(archive.chunks(part), start, _ignore, _ignore)
    return found


def _relationships_of(part: str) -> str:
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{name}.rels")


def _read_workbook(archive: Archive, book: str) -> tuple[list[_SheetEntry], bool]:
    folder = posixpath.dirname(book)
    targets = _read_relationships(archive, _relationships_of(book))
    entries: list[_SheetEntry] = []
    is_1904 = False

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal is_1904
        if name == "workbookPr":
            is_1904 = attributes.get("date1904") in ("1", "true")
        elif name == "sheet":
            key = next((value for key, value in attributes.items() if key == "id" or key.endswith(":id")), "")
            kind, target = targets.get(key, ("", ""))
            if kind.endswith("/worksheet"):
                part = (
                    target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
                )
                entries.append(
                    _SheetEntry(attributes.get("name", ""), part, attributes.get("state", "visible") != "visible")
                )

    parse_xml(archive.chunks(book), start, _ignore, _ignore)
    return entries, is_1904


def _read_strings(archive: Archive, part: str) -> list[str]:
    """The shared strings; phonetic hints are left out."""
    strings: list[str] = []
    parts: list[str] = []
    run: list[str] = []
    depth_phonetic = 0
    is_text = is_raised = False
    length = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth_phonetic, is_text, is_raised
        if name == "si":
            parts.clear()
        elif name == "vertAlign":
            is_raised = attributes.get("val") == "superscript"
        elif name == "rPh":
            depth_phonetic += 1
        elif name == "t":
            is_text = depth_phonetic == 0

    def end(name: str) -> None:
        nonlocal depth_phonetic, is_text, is_raised, length
        if name == "si":
            text = "".join(parts)[:MAX_CELL_TEXT]
            length += len(text)
            if length > MAX_SHARED_CHARS:
                raise FileUnreadable("too-large", f"holds more than {MAX_SHARED_CHARS:,} characters of text")
            strings.append(_unescape(text))
        elif name == "rPh":
            depth_phonetic -= 1
        elif name == "t":
            parts.append(raise_text("".join(run)) if is_raised else "".join(run))
            run.clear()
            is_text = is_raised = False

    def text(data: str) -> None:
        if is_text:
            run.append(data)

    if part in archive:
        parse_xml(archive.chunks(part), start, end, text)
    return strings


def _unescape(text: str) -> str:
    """Resolve the format's own escapes for control characters ("_x000D_")."""
    if "_x" not in text:
        return text
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda m: chr(int(m[1], 16)) if int(m[1], 16) < 0xD800 else "", text)


def _read_styles(archive: Archive, part: str) -> list[_Style]:
    """The cell styles by index: number format, bold, indent."""
    codes = dict(BUILT_IN)
    bold_fonts: list[bool] = []
    formats: list[list[int]] = []  # number format, font, indent of each cell style
    path: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        path.append(name)
        if name == "numFmt":
            codes[_to_int(attributes.get("numFmtId"))] = attributes.get("formatCode", "General")[:255]
        elif name == "font" and path[-2:-1] == ["fonts"]:
            bold_fonts.append(False)
        elif name == "b" and bold_fonts and path[-3:-1] == ["fonts", "font"]:
            bold_fonts[-1] = attributes.get("val", "1") not in ("0", "false")
        elif name == "xf" and path[-2:-1] == ["cellXfs"]:
            formats.append([_to_int(attributes.get("numFmtId")), _to_int(attributes.get("fontId")), 0])
        elif name == "alignment" and path[-3:-1] == ["cellXfs", "xf"]:
            formats[-1][2] = _to_int(attributes.get("indent"))

    def end(_: str) -> None:
        path.pop()

    if part in archive:
        parse_xml(archive.chunks(part), start, end, _ignore)
    return [
        _Style(codes.get(number, "General"), font < len(bold_fonts) and bold_fonts[font], min(indent, 250))
        for number, font, indent in formats
    ]


def _to_int(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0


class _SheetPass:
    """One pass over a worksheet's XML; rows go to the sampler as soon as they end."""

    def __init__(self, entry: _SheetEntry, strings: list[str], styles: list[_Style], is_1904: bool, beat: Beat) -> None:
        self.sheet = SheetCells(entry.name, entry.is_hidden)
        self.part = entry.part
        self.strings = strings
        self.styles = styles
        self.is_1904 = is_1904
        self.beat = beat
        self.row = -1
        self.column = -1
        self.cells: dict[int, SourceCell] = {}
        self.kind = ""
        self.style = _Style()
        self.value: list[str] = []
        self.formula: list[str] = []
        self.sink: list[str] | None = None
        self.is_raised = False  # the run of a text in a cell of its own
        self.n_outside = 0
        self.n_unvalued = 0  # formulas without a stored value
        self.has_value = self.has_formula = False  # in the cell
        self.starts: dict[str, Callable[[dict[str, str]], None]] = {
            "row": self._start_row,
            "c": self._start_cell,
            "v": self._start_value,
            "t": lambda _: self._collect(self.value),
            "f": self._start_formula,
            "rPh": lambda _: self._collect(None),
            "vertAlign": self._start_alignment,
            "mergeCell": self._start_merge,
            "col": self._start_column,
        }

    def read(self, archive: Archive) -> SheetCells:
        """The sheet's cells."""
        parse_xml(archive.chunks(self.part), self._start, self._end, self._text)
        if self.n_outside:
            self.sheet.warnings.append(f"{self.n_outside:,} cells outside the sheet's grid were ignored")
        if self.n_unvalued:
            self.sheet.warnings.append(unvalued_note(self.n_unvalued))
        comments = read_comments(archive, self.part, _read_relationships(archive, _relationships_of(self.part)))
        self.sheet.comments = {place: text for key, text in comments.items() if (place := parse_reference(key))}
        return self.sheet

    def _collect(self, sink: list[str] | None) -> None:
        self.sink = sink

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        handler = self.starts.get(name)
        if handler is not None:
            handler(attributes)

    def _end(self, name: str) -> None:
        if name in ("v", "t", "f", "rPh"):
            self.sink, self.is_raised = None, False
        elif name == "c":
            self._end_cell()
        elif name == "row":
            self._end_row()

    def _text(self, data: str) -> None:
        if self.sink is not None:
            self.sink.append(raise_text(data) if self.is_raised else data)

    def _start_alignment(self, attributes: dict[str, str]) -> None:
        self.is_raised = attributes.get("val") == "superscript"

    def _start_value(self, _: dict[str, str]) -> None:
        self.has_value = True
        self._collect(self.value)

    def _start_formula(self, _: dict[str, str]) -> None:
        self.has_formula = True
        self._collect(self.formula)

    def _start_row(self, attributes: dict[str, str]) -> None:
        number = attributes.get("r", "")
        self.row = int(number) - 1 if number.isdecimal() and len(number) < 12 else self.row + 1
        self.column = -1
        self.cells = {}
        if attributes.get("hidden") in ("1", "true") and len(self.sheet.hidden_rows) < MAX_MERGES:
            self.sheet.hidden_rows.append(self.row)

    def _end_row(self) -> None:
        if self.cells:
            self.sheet.sampler.add(SourceRow(self.row, self.cells))
            if self.sheet.sampler.n_cells > MAX_CELLS:
                raise FileUnreadable("too-large", f"a sheet holds more than {MAX_CELLS:,} cells")
        if self.row % BEAT_ROWS == 0:
            self.beat(max(self.row, 0), MAX_ROWS)

    def _start_cell(self, attributes: dict[str, str]) -> None:
        place = parse_reference(attributes.get("r", ""))
        self.column = place[1] if place else self.column + 1
        self.kind = attributes.get("t", "n")
        style = _to_int(attributes.get("s"))
        self.style = self.styles[style] if style < len(self.styles) else _Style()
        self.value = []
        self.formula = []
        self.has_value = self.has_formula = False

    def _end_cell(self) -> None:
        if not (0 <= self.row < MAX_ROWS and 0 <= self.column < MAX_COLUMNS):
            self.n_outside += 1
            return
        cell = self._make_cell("".join(self.value), "".join(self.formula))
        if cell is not None and cell.text.strip():
            self.cells[self.column] = cell

    def _make_cell(self, value: str, formula: str) -> SourceCell | None:
        style = self.style
        if self.kind == "s":
            index = _to_int(value)
            text = self.strings[index] if value.strip().isdecimal() and index < len(self.strings) else ""
            return SourceCell(text, bold=style.bold, indent=style.indent)
        if self.has_formula and not value and not (self.has_value and self.kind == "str"):  # that one gave no text
            self.n_unvalued += 1
            return SourceCell(f"={formula}"[:MAX_CELL_TEXT], bold=style.bold, indent=style.indent) if formula else None
        if self.kind in ("str", "inlineStr", "e", "d"):
            return SourceCell(
                _unescape(value)[:MAX_CELL_TEXT], is_date=self.kind == "d", bold=style.bold, indent=style.indent
            )
        if self.kind == "b":
            return SourceCell("TRUE" if value.strip() == "1" else "FALSE", bold=style.bold, indent=style.indent)
        return self._number_cell(value)

    def _number_cell(self, value: str) -> SourceCell | None:
        value = value.strip()
        if not value:
            return None
        number = _stored_number(value)
        if number is None:
            return SourceCell(value[:MAX_CELL_TEXT], bold=self.style.bold, indent=self.style.indent)
        shown = show_number(number, self.style.code, is_1904=self.is_1904)
        number = number if shown.hours is None else shown.hours
        text = shown.text or plain_number(number)
        return SourceCell(text, number, shown.is_percent, shown.is_date, self.style.bold, self.style.indent)

    def _start_merge(self, attributes: dict[str, str]) -> None:
        first, _, last = attributes.get("ref", "").partition(":")
        start, end = parse_reference(first), parse_reference(last or first)
        if start and end and len(self.sheet.merges) < MAX_MERGES:
            self.sheet.merges.append((*start, min(end[0], MAX_ROWS - 1), min(end[1], MAX_COLUMNS - 1)))

    def _start_column(self, attributes: dict[str, str]) -> None:
        if attributes.get("hidden") in ("1", "true"):
            first, last = _to_int(attributes.get("min")), min(_to_int(attributes.get("max")), MAX_COLUMNS)
            self.sheet.hidden_columns.extend(range(max(first - 1, 0), last))


def _stored_number(value: str) -> Decimal | None:
    """The stored binary number in its shortest decimal form: "0.35299999999999998" is 0.353."""
    if len(value) > 60:
        return None
    try:
        if value.lstrip("-").isdigit():
            return Decimal(value)
        number = Decimal(f"{float(value):.15g}")  # the digits that spreadsheet programs show
    except (ValueError, InvalidOperation):
        return None
    return number if number.is_finite() else None


def parse_reference(text: str) -> tuple[int, int] | None:
    """(row, column) from 0 of an A1 reference; None for what is none. Example: "B3" -> (2, 1)."""
    match = _REFERENCE.match(text)
    if match is None:
        return None
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - 64
    return int(match[2]) - 1, column - 1
