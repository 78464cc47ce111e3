"""show REF: from a citation back to its place, with what stands around it.

A REF is a path with an optional place, or the id of a passage as search prints it:

    report.pdf   report.pdf#page=4   module.py#L10-20   book.xlsx#Sheet!B4:C4   notes.ipynb#cell=3   #3fa9c1
    slides.pptx#slide=3   letter.docx#section=Terms   letter.docx#Table 2!B4   mail.eml#section=plan.pdf&page=2
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mixrag_cli.errors import WrongUsage
from mixrag_cli.records.files import DocumentRow
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.places import Locator, cells_overlap
from mixrag_cli.records.tables import Table
from mixrag_cli.store import StoreReader
from mixrag_cli.stories.roots import places_meant, source_path

if TYPE_CHECKING:
    from mixrag_cli.store.memory import MemoryStore

CONTEXT_CHUNKS = 1  # passages shown before and after the cited ones
_SECTION = re.compile(r"^section=(.*?)(?:&((?:page=|L)\d+(?:-L?\d+)?))?$")
_PAGE = re.compile(r"^(?:page|slide)=(\d+)$")
_NOTEBOOK_CELLS = re.compile(r"^cell=(\d+)(?:-(\d+))?$")
_LINES = re.compile(r"^L(\d+)(?:-L?(\d+))?$")
_CELLS = re.compile(r"^(?:'?([^!']*)'?!)?([A-Z]{1,3}\d+(?::[A-Z]{1,3}\d+)?)$")
_CHUNK = re.compile(r"^#?([0-9a-f]{6,32})$")


@dataclass(frozen=True, slots=True)
class Passage:
    """A cited place with its surroundings. highlight: places to mark in the tables: "B4:C4", "L7-9", "page=2"."""

    path: str
    title: str
    modality: str
    locator: Locator
    text: str
    context_before: str
    context_after: str
    tables: tuple[Table, ...]
    highlight: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """What a REF asks for within its document; all None for the whole."""

    page: int | None = None
    lines: tuple[int, int] | None = None
    sheet: str | None = None
    cells: str | None = None
    chunk: str | None = None
    notebook_cells: tuple[int, int] | None = None
    section: str | None = None

    def holds(self, chunk: Chunk) -> bool:
        """Whether a chunk of the document shows the place, or a part of it."""
        where = chunk.locator
        if self.chunk is not None:
            return chunk.id == self.chunk
        if self.section is not None and where.section != self.section:
            return False
        if self.page is not None:
            return where.page is not None and where.page <= self.page <= (where.last_page or where.page)
        if self.notebook_cells is not None:
            first, last = self.notebook_cells
            return where.cell is not None and where.cell <= last and first <= (where.last_cell or where.cell)
        if self.lines is not None:
            return where.lines is not None and where.lines[0] <= self.lines[1] and self.lines[0] <= where.lines[1]
        if self.cells is not None:
            same_sheet = self.sheet is None or where.sheet == self.sheet
            return same_sheet and where.cells is not None and cells_overlap(where.cells, self.cells)
        return True


def show_passage(
    reader: StoreReader | MemoryStore, rows: Sequence[DocumentRow], ref: str, here: Path | None = None
) -> Passage:
    """The place that REF names. here: what a relative path may start from, the current folder.

    Raises WrongUsage where the index holds no such document or place.
    """
    row, place = _resolve(reader, rows, ref, here or Path.cwd())
    chunks = reader.chunks_of(row.id)
    cited = [n for n, chunk in enumerate(chunks) if place.holds(chunk)]
    if not cited:
        raise WrongUsage(f"{row.path}: nothing indexed at {ref.partition('#')[2]}", f"mixrag show {row.path}")
    first, last = cited[0], cited[-1]
    parents = dict.fromkeys(chunks[n].parent for n in cited if chunks[n].parent)
    prose = [chunks[n] for n in cited if not chunks[n].parent] or [chunks[n] for n in cited]
    tables = tuple(reader.tables(list(parents)).values())
    before, after = chunks[max(0, first - CONTEXT_CHUNKS) : first], chunks[last + 1 : last + 1 + CONTEXT_CHUNKS]
    said_before, said_after = _joined(before), _joined(after)
    return Passage(
        path=row.path,
        title=row.title,
        modality=row.modality,
        locator=_spanned([chunks[n].locator for n in cited]),
        text=_joined(prose),
        context_before=said_before[: len(said_before) - _overlap([*before, chunks[first]])].rstrip(),
        context_after=_from(said_after, _overlap([chunks[last], *after])),
        tables=tables,
        highlight=_to_mark(place, tables),
    )


def _spanned(places: Sequence[Locator]) -> Locator:
    """The first place, over the lines of all."""
    lines = [place.lines for place in places if place.lines is not None]
    if not lines:
        return places[0]
    return replace(places[0], lines=(min(first for first, _ in lines), max(last for _, last in lines)))


def _to_mark(place: Place, tables: Sequence[Table]) -> tuple[str, ...]:
    """What to mark: the cells or lines asked for; of a table that goes on over pages the page asked for."""
    if place.cells is not None:
        return (place.cells,)
    if place.lines is not None:
        return (f"L{place.lines[0]}-{place.lines[1]}",)
    if place.page is not None and any(table.locator.last_page for table in tables):
        return (f"page={place.page}",)
    return ()


def find_document(rows: Sequence[DocumentRow], path: str, store: Path, here: Path) -> DocumentRow:
    """The one indexed file that mixrag prints so, that lies there (from here on), or whose path ends so.

    Raises WrongUsage for none, with the reason where the file is known, or several.
    """
    found = _rows_named([row for row in rows if row.status == "indexed"], path, store, here)
    if len(found) == 1:
        return found[0]
    if found:
        raise WrongUsage(f"{path}: could be any of {', '.join(row.path for row in found[:4])}")
    if unread := _rows_named([row for row in rows if row.status != "indexed"], path, store, here):
        row = unread[0]
        why = "holds no text" if row.status == "empty" else row.reason or row.code
        raise WrongUsage(f"{row.path}: not in the index: {why}", "mixrag status --skipped")
    raise WrongUsage(f"{path}: not in the index", "mixrag status")


def _rows_named(rows: Sequence[DocumentRow], path: str, store: Path, here: Path) -> list[DocumentRow]:
    """The files that a path means: as it is printed, else by where it lies, else by its end."""
    plain = path.removeprefix("./")
    found = [row for row in rows if row.path == plain]
    if not found:
        places = places_meant(path, here, rows, store)
        found = [row for row in rows if str(source_path(row, store)) in places]
    return found or [row for row in rows if row.path.endswith(f"/{plain}")]


def _resolve(
    reader: StoreReader | MemoryStore, rows: Sequence[DocumentRow], ref: str, here: Path
) -> tuple[DocumentRow, Place]:
    path, mark, fragment = ref.partition("#")
    wanted = _CHUNK.match(ref)
    if wanted and not any(row.path == ref for row in rows):
        return _resolve_chunk(reader, rows, wanted.group(1))
    if not path:
        raise WrongUsage(f"{ref or 'an empty name'}: neither a file nor the id of a passage", "mixrag search WORDS")
    row = find_document(rows, path, reader.store, here)
    if not mark:
        return row, Place()
    if (place := _place_in(fragment)) is not None:
        return row, place
    raise WrongUsage(
        f"{ref}: no such kind of place", f"mixrag show {path}#page=4, #L10-20, #cell=3, #Sheet!B4 or #section=Terms"
    )


def _place_in(fragment: str) -> Place | None:
    """What stands behind the "#"; None where it is no place."""
    if section := _SECTION.match(fragment):
        within = _place_in(section.group(2)) if section.group(2) else Place()
        return replace(within, section=section.group(1)) if within is not None else None
    if page := _PAGE.match(fragment):
        return Place(page=int(page.group(1)))
    if lines := _LINES.match(fragment):
        return Place(lines=(int(lines.group(1)), int(lines.group(2) or lines.group(1))))
    if found := _NOTEBOOK_CELLS.match(fragment):
        return Place(notebook_cells=(int(found.group(1)), int(found.group(2) or found.group(1))))
    if cells := _CELLS.match(fragment):
        return Place(sheet=cells.group(1), cells=cells.group(2))
    return None


def _resolve_chunk(
    reader: StoreReader | MemoryStore, rows: Sequence[DocumentRow], prefix: str
) -> tuple[DocumentRow, Place]:
    found = reader.chunks_with_prefix(prefix)
    if len(found) != 1:
        raise WrongUsage(f"#{prefix}: {'no such passage' if not found else 'more than one passage'} in the index")
    chunk = found[0]
    row = next(row for row in rows if row.id == chunk.document)
    return row, Place(chunk=chunk.id)


def _joined(chunks: Sequence[Chunk]) -> str:
    """Each text once: a table's summary is a passage that shows the table again, and neighbours overlap."""
    told: dict[str, str] = {}
    for number, chunk in enumerate(chunks):
        told.setdefault(chunk.text, _from(chunk.text, _overlap(chunks[max(0, number - 1) : number + 1])))
    return "\n\n".join(filter(None, told.values()))


def _from(text: str, cut: int) -> str:
    """The text behind what is cut off; the indentation of code stays."""
    return text[cut:].removeprefix(" ").lstrip("\n") if cut else text


def _overlap(neighbours: Sequence[Chunk]) -> int:
    """How many characters at the second one's beginning are the end of the first, where their places overlap."""
    if len(neighbours) < 2:
        return 0
    first, second = neighbours[0], neighbours[-1]
    if first.locator.chars[1] <= second.locator.chars[0]:
        return 0
    longest = min(len(first.text), len(second.text))
    return next((n for n in range(longest, 0, -1) if first.text.endswith(second.text[:n])), 0)
