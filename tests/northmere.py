"""The sample documents as the real readers read them, and answers that quote them, made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from mixrag_cli.output.passages import Behind
from mixrag_cli.quotes import find_quote
from mixrag_cli.records.answers import Answer, Candidate, CandidateKind, Evidence, Source
from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.places import locate_cells
from tests.evidence_samples import read_bytes

FOLDER = Path(__file__).parent / "samples" / "northmere"


@cache
def read_file(name: str) -> tuple[tuple[Chunk, ...], dict[str, Table]]:
    """The chunks and tables of one sample file."""
    chunks, tables, _ = read_bytes(name, (FOLDER / name).read_bytes(), 160)
    return chunks, tables


def table_behind(table_id: str) -> Table | None:
    """The table of that id, of whichever sample file that has been read."""
    return next((tables[table_id] for tables in map(tables_of, NAMES) if table_id in tables), None)


def tables_of(name: str) -> dict[str, Table]:
    return read_file(name)[1]


NAMES = ("handbook.md", "meter_readings.py", "pumping-stations.csv", "consumption.xlsx", "annual-report.pdf")
BEHIND = Behind(lambda _: None, table_behind)


def quote(name: str, text: str, ref: int = 1) -> Source:
    """The first passage of the file that holds the text, cited for it."""
    chunk = next(
        chunk for chunk in read_file(name)[0] if chunk.kind in ("prose", "code") and find_quote(text, chunk.text)
    )
    return Source(ref, hit_of(name, chunk), chunk.locator, text)


def passage(name: str, text: str, ref: int = 1) -> Source:
    """The same, cited as a whole."""
    found = quote(name, text, ref)
    return Source(ref, found.hit, found.locator, found.hit.chunk.text)


def cell(name: str, row: str, column: str, ref: int = 1) -> tuple[Source, Evidence]:
    """A table's cell by the last parts of its header paths, as the reader cites it."""
    for table in tables_of(name).values():
        rows = [each for each in table.rows if row in each.path]
        columns = [each for each in table.columns if " > ".join(each.path).endswith(column)]
        if rows and columns:
            break
    meant = next(one for one in table.cells if (one.row, one.column) == (rows[0].index, columns[0].index))
    chunk = next(one for one in read_file(name)[0] if one.parent == table.id and one.row in (None, meant.row))
    label = f"{' > '.join(rows[0].path)} | {' > '.join(columns[0].path)}"
    locator = locate_cells(table.locator, [meant])
    evidence = Evidence(f"e{ref}", ref, meant.text, label, meant.value, meant.unit, meant.scale, locator)
    return Source(ref, hit_of(name, chunk), locator, f"{label}: {meant.text}"), evidence


def hit_of(name: str, chunk: Chunk) -> Hit:
    return Hit(chunk, name, name, {"words": 7.0, "meaning": 0.5}, 0.8)


def near(name: str, text: str) -> Hit:
    """The hit of a passage that holds the text."""
    return quote(name, text).hit


def answered(question: str, text: str, sources: Sequence[Source], evidence: Sequence[Evidence] = (), **more) -> Answer:
    """What the built-in reader states. evidence: by default each source as it is quoted."""
    pieces = tuple(evidence) or tuple(Evidence(f"e{one.ref}", one.ref, one.text, one.text) for one in sources)
    return Answer(question, "answered", text, "lookup", question, sources=tuple(sources), evidence=pieces, **more)


def candidate(source: Source, said: str, probability: float, kind: CandidateKind = "span") -> Candidate:
    """A candidate whose deciding words are those that it says, where they stand in its source."""
    at = find_quote(said, source.text)
    return Candidate(kind, said, probability, source, marks=(at,) if at else ())


def likely(question: str, *candidates: Candidate) -> Answer:
    """What is probably in one of these."""
    return Answer(question, "likely", "no candidate is sure enough", "lookup", question, candidates=candidates)


def abstained(question: str, reason: str, *refused: Hit) -> Answer:
    """A refusal that names what is missing."""
    return Answer(question, "abstained", reason, "lookup", question, refused=refused)
