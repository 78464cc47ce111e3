"""chunk_document(): each modality by its own module, then ids, positions and the search words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from mixrag_cli.chunking.code import code_drafts
from mixrag_cli.chunking.packing import Draft, Frame
from mixrag_cli.chunking.prose import prose_drafts
from mixrag_cli.chunking.table import table_drafts
from mixrag_cli.records import Chunk, Document, Table, stable_id

MAX_CHUNKS = 50_000  # a file; beyond that one file would swamp the index


def chunk_document(
    document: Document,
    tables: Sequence[tuple[int, Table]],
    *,
    document_id: str,
    path: str,
    count_tokens: Callable[[str], int],
    window: int,
) -> tuple[Chunk, ...]:
    """The document's chunks in reading order, its tables' chunks where the tables stand.

    tables: (index into document.grids, table). path: for display, its words are searchable. count_tokens: of a text,
    without the model's special tokens. window: the most tokens a chunk's context and text may have together, special
    tokens included.
    """
    frame = Frame(document, path, count_tokens, window)
    drafts = islice(_drafts(frame, dict(tables)), MAX_CHUNKS)
    return tuple(_finish(draft, number, document, document_id, path) for number, draft in enumerate(drafts))


def _drafts(frame: Frame, tables: dict[int, Table]) -> Iterator[Draft]:
    document = frame.document
    if document.modality == "code":
        yield from code_drafts(frame)
    else:
        yield from prose_drafts(frame, tables)
    for block in document.blocks:
        if block.grid is not None and (table := tables.get(block.grid)) is not None:
            yield from table_drafts(frame, table, block)


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
