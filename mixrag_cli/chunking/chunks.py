"""chunk_document(): each modality by its own module, then ids, positions and the search words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from mixrag_cli.chunking.code import code_drafts
from mixrag_cli.chunking.packing import Draft, Frame, cut_piece
from mixrag_cli.chunking.prose import prose_drafts
from mixrag_cli.chunking.row_lines import row_line_drafts
from mixrag_cli.chunking.table import table_drafts
from mixrag_cli.records.documents import Document
from mixrag_cli.records.files import stable_id
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.tables import Representation, Table

MAX_CHUNKS = 50_000  # a file; beyond that one file would swamp the index


@dataclass(frozen=True, slots=True)
class Telling:
    """representation: how tables are told. topics: which sentences begin another topic, where running text is cut by
    topics; None to pack it to the window.
    """

    representation: Representation = "h-rcl-rows"
    topics: Callable[[Sequence[str]], Sequence[int]] | None = None


USUAL = Telling()


def chunk_document(
    document: Document,
    tables: Sequence[tuple[int, Table]],
    *,
    document_id: str,
    path: str,
    count_tokens: Callable[[str], int],
    window: int,
    telling: Telling = USUAL,
) -> tuple[Chunk, ...]:
    """The document's chunks in reading order, its tables' chunks where the tables stand.

    tables: (index into document.grids, table). path: from the indexed folder on, its words are searchable.
    count_tokens: of a text, without the model's special tokens. window: the most tokens a chunk's context and text may
    have together, special tokens included. telling: how tables are told, and where running text is cut.
    """
    frame = Frame(document, path, count_tokens, window, telling.topics)
    return _finish_all(frame, _drafts(frame, dict(tables), telling.representation), document_id)


def chunk_row_lines(
    document: Document,
    tables: Sequence[tuple[int, Table]],
    *,
    document_id: str,
    path: str,
    count_tokens: Callable[[str], int],
    window: int,
    first: int,
) -> tuple[Chunk, ...]:
    """All rows of those tables of which chunk_document knows a sample, as chunks to be searched by words alone.

    first: the position of the first, behind the document's other chunks. The rest as in chunk_document.
    """
    if not any(grid.row_lines for grid in document.grids):
        return ()
    frame = Frame(document, path, count_tokens, window)
    known = dict(tables)
    drafts = (
        draft
        for block in document.blocks
        if block.grid is not None
        for draft in row_line_drafts(
            frame, block, document.grids[block.grid], known[block.grid].id if block.grid in known else ""
        )
    )
    return _finish_all(frame, drafts, document_id, first)


def _finish_all(frame: Frame, drafts: Iterable[Draft], document_id: str, first: int = 0) -> tuple[Chunk, ...]:
    fitting = (part for draft in drafts for part in _fit(frame, draft))
    chunks: dict[str, Chunk] = {}  # by id: a row of like cells may be cut into parts of the same text
    for draft in islice(fitting, MAX_CHUNKS - first):
        chunk = _finish(draft, first + len(chunks), frame.document, document_id, frame.path)
        chunks.setdefault(chunk.id, chunk)
    return tuple(chunks.values())


def _drafts(frame: Frame, tables: dict[int, Table], representation: Representation) -> Iterator[Draft]:
    document = frame.document
    if document.modality == "code":
        yield from code_drafts(frame)
    else:
        yield from prose_drafts(frame, tables)
    for block in document.blocks:
        if block.grid is not None and (table := tables.get(block.grid)) is not None:
            yield from table_drafts(frame, table, block, representation)


def _fit(frame: Frame, draft: Draft) -> Iterator[Draft]:
    """The draft, cut where its text has more tokens than its pieces had: a word cut in two counts otherwise."""
    budget = frame.budget(draft.context)
    if frame.count_tokens(draft.text) <= budget:
        yield draft
        return
    begin, end = draft.locator.chars
    is_verbatim = end - begin == len(draft.text)
    for piece in cut_piece(draft.text, 0, len(draft.text), budget, frame.count_tokens):
        where = frame.locate(draft.locator, begin + piece.start, begin + piece.end) if is_verbatim else draft.locator
        yield replace(draft, text=draft.text[piece.start : piece.end], locator=where)


def _finish(draft: Draft, position: int, document: Document, document_id: str, path: str) -> Chunk:
    start, end = draft.locator.chars
    return Chunk(
        id=stable_id(
            "chunk", document_id, draft.kind, start, end, draft.row if draft.row is not None else -1, draft.text
        ),
        document=document_id,
        kind=draft.kind,
        modality=document.modality,
        text=draft.text,
        context=draft.context,
        words=f"{path.replace('/', ' ')} {draft.words}".strip(),
        locator=draft.locator,
        position=position,
        parent=draft.parent,
        row=draft.row,
    )
