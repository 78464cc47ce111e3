"""Facts: constants, defaults, options, keys and labelled lines of the documents found, as cells under a key path.

A fact is a row of a table of kind "facts" that the file's reader wrote: its path names it, its cells are its value and
what is said of it. Facts make no passages of their own; those of the documents that retrieval found are looked through.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.signs import Draft
from mixrag_cli.records.answers import Evidence, Source
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Table
from mixrag_cli.tables.places import locate_cells
from mixrag_cli.words import match_term, stems_of

READ_DOCUMENTS = 6  # whose facts are looked through: the right file is first in 75 %, almost always among these
MAX_FACTS = 16  # that the trained reader compares
MIN_SAID = 0.15  # of the question's weight, by a fact's own path and help
IN_PASSAGE = 0.25  # of the question's weight: what a fact gains by standing in a passage that was found
PASSAGES = 10  # of those found, in which a fact gains it
AROUND = 0.5  # of a match in the path of the file
HELP = ("help", "type")  # columns that say what a fact is, and are no value


def fact_drafts(restated: Restated, base: EvidenceBase) -> list[Draft]:
    """The facts that say most of the question, best first, at most MAX_FACTS."""
    documents = list(dict.fromkeys(hit.chunk.document for hit in base.hits))[:READ_DOCUMENTS]
    found = [
        scored
        for document in documents
        for table in base.facts.get(document, ())
        for scored in _drafts_in(restated, base, table, [hit for hit in base.hits if hit.chunk.document == document])
    ]
    return [draft for _, draft in sorted(found, key=lambda scored: -scored[0])[:MAX_FACTS]]


def _drafts_in(
    restated: Restated, base: EvidenceBase, table: Table, hits: Sequence[Hit]
) -> Iterator[tuple[float, Draft]]:
    """Each fact of a table that says enough of the question, with how well it seems to fit."""
    terms = restated.whole.terms
    around = stems_of(hits[0].path_below.replace("/", " "))
    credit = [AROUND * match_term(term, around) for term in terms]
    for name, cell, told in _facts_of(table):
        own = [match_term(term, stems_of(told)) for term in terms]
        if base.part_said(terms, own) < MIN_SAID:
            continue
        coverage = base.part_said(terms, [max(pair) for pair in zip(own, credit, strict=True)])
        where = locate_cells(table.locator, [cell])
        hit = _hit_around(where, cell, hits)
        draft = _draft_of(restated, cell, name, Source(1, hit or hits[0], where, f"{name}: {cell.text}"), coverage)
        yield coverage + (IN_PASSAGE if hit is not None and hit in base.hits[:PASSAGES] else 0.0), draft


def _draft_of(restated: Restated, cell: Cell, name: str, source: Source, coverage: float) -> Draft:
    """A fact as an answer: a number where one may be asked for, else its text. name: its key path as one line."""
    proof = Evidence("e1", 1, cell.text, name, None, cell.unit, cell.scale, source.locator)
    draft = Draft("fact", cell.text, source, {"coverage": coverage}, evidence=(proof,), sources=(source,))
    if cell.value is None or restated.expects not in ("number", "percent", "any"):
        return draft
    return draft.with_value(cell.value, cell.unit, cell.scale)


def _facts_of(table: Table) -> Iterable[tuple[str, Cell, str]]:
    """Each value with its name and all that is said of it: its path and the cells that help."""
    columns = {column.index: column.leaf for column in table.columns}
    by_row: dict[int, list[Cell]] = {}
    for cell in table.cells:
        by_row.setdefault(cell.row, []).append(cell)
    for row in table.rows:
        cells = by_row.get(row.index, ())
        told = " ".join([*row.path, *(cell.text for cell in cells if columns[cell.column] in HELP)])
        name = f"{'.'.join(row.path[:-1])} › {row.path[-1]}".removeprefix(" › ") if row.path else ""
        for cell in cells:
            if (leaf := columns[cell.column]) not in HELP:
                yield name if leaf in ("value", "default") else f"{name} {leaf}", cell, f"{told} {leaf}"


def _hit_around(where: Locator, cell: Cell, hits: Sequence[Hit]) -> Hit | None:
    """The best hit whose lines hold the fact's, or that says it on its page or in its cell; None where none does."""
    if where.lines is None:
        there = (hit for hit in hits if where.page == hit.chunk.locator.page and where.cell == hit.chunk.locator.cell)
        return next((hit for hit in there if (where.page or where.cell) and cell.text in hit.chunk.text), None)
    first = where.lines[0]
    known = ((hit, hit.chunk.locator.lines) for hit in hits)
    return next((hit for hit, lines in known if lines is not None and lines[0] <= first <= lines[1]), None)
