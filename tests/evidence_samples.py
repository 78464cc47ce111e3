"""Documents read by the real readers, as the evidence for a question: every passage a hit, in a given order."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from mixrag_cli.chunking import chunk_document
from mixrag_cli.models import load_embedder, load_reader, load_token_vectors
from mixrag_cli.models.token_vectors import KeptTokens
from mixrag_cli.readers import ReadSource, reader_for
from mixrag_cli.reading import ReaderModel
from mixrag_cli.recap.drafting import draft_all
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.grading import shipped_grading
from mixrag_cli.recap.restate import Restated, restate
from mixrag_cli.recap.signs import Draft
from mixrag_cli.recap.structure import structural_drafts
from mixrag_cli.records.answers import Answer
from mixrag_cli.records.documents import Block, Document
from mixrag_cli.records.files import stable_id
from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.records.tables import Table
from mixrag_cli.settings import Settings
from mixrag_cli.stories.answering import prepare
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.scanning import FileScanner
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session, open_session
from mixrag_cli.tables.grid import grid_to_table
from mixrag_cli.words import stems_of

SALES_REPORT = """# Annual report of Fernhill Joinery

Fernhill Joinery makes chairs and tables. In 2024 the workshop employed 34 people and trained 5 apprentices. The new
saw was delayed because the supplier had lost the drawings. Orla Tennick is the head of the workshop.

## Sales

Sales by product, in thousands of euros:

| Product | 2023 | 2024 |
|---|---|---|
| Chairs | 412 | 515 |
| Tables | 288 | 240 |
| Shelves | 100 | 105 |
| Total | 800 | 860 |
"""
REPORT = f"""{SALES_REPORT}
## Costs

Wages came to $1.2 million in 2024. Energy took 12.5 % of all costs, and the loss on the old kiln was (31) thousand.
"""


@dataclass(frozen=True)
class Sample:
    """Read documents: their passages with path and title, and their tables."""

    passages: Sequence[tuple[Chunk, str, str]]
    tables: Mapping[str, Table]

    def evidence_for(self, question: str, *, paths: Sequence[str] = ()) -> tuple[Restated, EvidenceBase]:
        """The question restated, and all passages (of these files) as hits, likelier the earlier they stand."""
        chosen = [each for each in self.passages if not paths or each[1] in paths]
        hits = tuple(
            Hit(chunk, path, title, {"words": 1.0}, round(0.95 - 0.5 * place / len(chosen), 4))
            for place, (chunk, path, title) in enumerate(chosen)
        )
        known: dict[str, set[str]] = {}
        for hit in hits:
            known.setdefault(hit.chunk.document, set()).update(stems_of(f"{hit.chunk.context} {hit.chunk.text}"))
        knows = {document: frozenset(words) for document, words in known.items()}
        return understood(question), EvidenceBase(hits, self.tables, {}, knows, _token_vectors(), _reader())


def understood(question: str) -> Restated:
    """The question restated, as the bundled reader understands it."""
    return restate(question, _reader().question(question))


def first_piece(restated: Restated, base: EvidenceBase) -> Draft:
    """What structure proposes first: of formulas, tallies and cells, whatever is believed of it."""
    found = next(structural_drafts(restated, base), None)
    assert found is not None, f"no cell, formula or tally answers {restated.question!r}"
    return found


def opened(folder: Path, files: Mapping[str, str] = MappingProxyType({})) -> Session:
    """The index of a folder, into which these texts are written first, open for questions."""
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    build_index([folder], Settings(), events=Silent())
    return open_session(folder, Settings())


def structure_of(session: Session, question: str) -> Draft:
    """What structure proposes first of an index, with all rows of its files within reach."""
    restated, base, _ = prepare(session, question, Scope(), Clock(), FileScanner(session))
    return first_piece(restated, base)


def likeliest_of(session: Session, question: str) -> Draft:
    """What structure answers likeliest of an index, as it is graded beside everything else."""
    restated, base, _ = prepare(session, question, Scope(), Clock(), FileScanner(session))
    return likeliest_piece(restated, base)


def likeliest_piece(restated: Restated, base: EvidenceBase) -> Draft:
    """What structure answers likeliest, as it is graded beside everything else."""
    grading = shipped_grading()
    found = grading.compared(draft_all(restated, base))
    return max((draft for draft in found if draft.kind in ("cell", "column", "computed")), key=grading.probability)


def shown_text(answer: Answer) -> str:
    """All that a person sees of an answer: what is stated, and the passages of its candidates."""
    return "\n".join([answer.text, *(one.source.text for one in answer.candidates)])


@lru_cache(maxsize=1)
def _reader() -> ReaderModel:
    return load_reader(Settings())


@lru_cache(maxsize=1)
def _token_vectors() -> KeptTokens:
    settings = Settings()
    return load_token_vectors(load_embedder(settings), settings)


def read_sample(files: Mapping[str, str]) -> Sample:
    """The files, read by the real readers in this process, and cut into chunks of about 256 words."""
    passages: list[tuple[Chunk, str, str]] = []
    tables: dict[str, Table] = {}
    for name, text in files.items():
        chunks, own_tables, title = read_bytes(name, text.encode("utf-8", "surrogatepass"), 256)
        tables |= own_tables
        passages += [(chunk, name, title) for chunk in chunks]
    return Sample(passages, tables)


def read_bytes(name: str, raw: bytes, window: int) -> tuple[tuple[Chunk, ...], dict[str, Table], str]:
    """A file's chunks of about so many words, its tables by id, and its title, by the real reader."""
    document = reader_for(name)(ReadSource(name, len(raw), io.BytesIO(raw)))
    own = stable_id(name)
    found = [
        (block.grid, table)
        for block in document.blocks
        if block.grid is not None
        and (table := grid_to_table(document.grids[block.grid], document=own, title=title_above(block, document)))
    ]
    chunks = chunk_document(
        document, found, document_id=own, path=name, count_tokens=lambda text: len(text.split()), window=window
    )
    return tuple(chunks), {table.id: table for _, table in found}, document.title


def title_above(block: Block, document: Document) -> str:
    return block.heading_path[-1] if block.heading_path else document.title
