"""Running text: sections first, their sentences packed to the window, the heading path in front.

A chunk never leaves its page or its top section. Sections too short to stand alone share a chunk with the next of
the same top section. Where a section is cut, the next chunk repeats the last sentences of the one before.
By wish a chunk ends where the topic turns (topics.py), and repeats nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from mixrag_cli.chunking.packing import Draft, Frame, Piece, cut_piece, pack_pieces
from mixrag_cli.records.documents import Block
from mixrag_cli.records.places import Locator, range_around
from mixrag_cli.records.tables import Table
from mixrag_cli.sentences import line_spans, split_sentences

OVERLAP = 0.15  # of the window. Source: FinanceRAG study, section 3 (256 tokens, 15 %)
SMALL_SECTION = 0.4  # of the window; below it a section waits for the next one
CHARACTERS_A_TOKEN = 4  # of English; near enough to tell a small section, and nothing is tokenised twice


@dataclass(slots=True)
class _Section:
    """Blocks that may share a chunk."""

    blocks: list[Block] = field(default_factory=list)
    characters: int = 0


@dataclass(frozen=True, slots=True)
class _Cut:
    """A section's sentences, and the tokens that are left for them behind the longest context of its blocks."""

    blocks: list[Block]
    budget: int
    pieces: list[Piece]


def prose_drafts(frame: Frame, tables: Mapping[int, Table]) -> Iterator[Draft]:
    """The chunks of the running text; raw tables stay in it, except in sheets, which are nothing but tables."""
    sections = (
        _cut_section(frame, section.blocks)
        for blocks in _runs_of_text(frame, tables)
        for section in _sections(frame, blocks)
    )
    if frame.topics is None:
        for cut in sections:
            yield from _section_drafts(frame, cut)
    else:
        yield from _topic_drafts(frame, list(sections), frame.topics)


def _runs_of_text(frame: Frame, tables: Mapping[int, Table]) -> Iterator[list[Block]]:
    """The blocks of running text, those in a row together: a passage says no table that stands between two of them."""
    run: list[Block] = []
    for block in frame.document.blocks:
        if _is_told_by_rows(frame, block, tables):
            yield run
            run = []
        elif block.text.strip():
            run.append(block)
    yield run


def _is_told_by_rows(frame: Frame, block: Block, tables: Mapping[int, Table]) -> bool:
    return frame.document.modality == "sheet" and block.grid in tables


def _sections(frame: Frame, blocks: list[Block]) -> Iterator[_Section]:
    section = _Section()
    for block in blocks:
        if section.blocks and _starts_section(frame, section, block):
            yield section
            section = _Section()
        section.blocks.append(block)
        section.characters += len(block.text)
    if section.blocks:
        yield section


def _starts_section(frame: Frame, section: _Section, block: Block) -> bool:
    last = section.blocks[-1]
    if block.locator.page != last.locator.page or block.locator.sheet != last.locator.sheet:
        return True
    if _own_path(block)[:1] != _own_path(section.blocks[0])[:1]:
        return last.kind != "heading"
    is_new = _own_path(block) != _own_path(last) and last.kind != "heading"
    is_small = section.characters < SMALL_SECTION * frame.window * CHARACTERS_A_TOKEN
    return is_new and not (is_small and _says_its_heading(section.blocks[0], block))


def _says_its_heading(first: Block, block: Block) -> bool:
    """Whether a section that begins with the first block still says what heads it when the block joins it.

    One that goes on from the page before does not hold its heading: only the context says it.
    """
    path = first.heading_path
    return first.kind == "heading" or _own_path(block)[: len(path)] == path


def _own_path(block: Block) -> tuple[str, ...]:
    """The block's section: a heading belongs to the section that it opens."""
    return (*block.heading_path, block.text) if block.kind == "heading" else block.heading_path


def _cut_section(frame: Frame, blocks: list[Block]) -> _Cut:
    budget = min(frame.budget(frame.context(*path)) for path in {block.heading_path for block in blocks})
    return _Cut(blocks, budget, [piece for block in blocks for piece in _block_pieces(frame, block, budget)])


def _section_drafts(frame: Frame, cut: _Cut) -> Iterator[Draft]:
    places = _Places(frame, cut.blocks)
    for group in pack_pieces(cut.pieces, cut.budget, int(OVERLAP * frame.window)):
        yield _draft(frame, places, group)


def _topic_drafts(
    frame: Frame, sections: list[_Cut], topics: Callable[[Sequence[str]], Sequence[int]]
) -> Iterator[Draft]:
    """The chunks of a document whose sentences are kept with those of their topic; no sentence is in two chunks."""
    texts = [frame.document.text[piece.start : piece.end] for cut in sections for piece in cut.pieces]
    starts, first = set(topics(texts)), 0
    for cut in sections:
        places = _Places(frame, cut.blocks)
        begins = [n for n in range(len(cut.pieces)) if n and first + n in starts]
        for start, end in pairwise((0, *begins, len(cut.pieces))):
            for group in pack_pieces(cut.pieces[start:end], cut.budget):
                yield _draft(frame, places, group)
        first += len(cut.pieces)


def _draft(frame: Frame, places: _Places, group: list[Piece]) -> Draft:
    start, end = group[0].start, group[-1].end
    context = frame.context(*_shared_path(places.inside(start, end)))
    return Draft("prose", frame.document.text[start:end], context, places.locator(start, end))


def _shared_path(blocks: list[Block]) -> tuple[str, ...]:
    """The headings above all of the blocks; those of the first where nothing but headings is there."""
    paths = [block.heading_path for block in blocks if block.kind != "heading"] or [blocks[0].heading_path]
    depth = 0
    while all(len(path) > depth and path[depth] == paths[0][depth] for path in paths):
        depth += 1
    return paths[0][:depth]


def _block_pieces(frame: Frame, block: Block, budget: int) -> Iterator[Piece]:
    """Sentences of prose, lines of tables, code and lists."""
    start = block.locator.chars[0]
    spans = line_spans(block.text) if block.kind in ("table", "code") else split_sentences(block.text)
    for first, last in spans:
        yield from cut_piece(frame.document.text, start + first, start + last, budget, frame.count_tokens)


class _Places:
    """From a stretch of a section's text to its Locator, by search instead of by going through all blocks."""

    def __init__(self, frame: Frame, blocks: list[Block]) -> None:
        self._frame = frame
        self._blocks = blocks
        self._starts = [block.locator.chars[0] for block in blocks]
        self._ends = [block.locator.chars[1] for block in blocks]

    def inside(self, start: int, end: int) -> list[Block]:
        """The blocks that the stretch has a part of."""
        return self._blocks[bisect_right(self._ends, start) : bisect_left(self._starts, end)]

    def locator(self, start: int, end: int) -> Locator:
        """The stretch's place: that of its block, narrowed to its lines, or the union of its blocks'."""
        inside = self.inside(start, end)
        first, last = inside[0].locator, inside[-1].locator
        if len(inside) == 1:
            return self._frame.locate(first, start, end)
        last_cell = last.cell if last.cell != first.cell else None
        body = next((block.locator for block in inside if block.kind != "heading"), first)
        ranges = [block.locator.cells for block in inside if block.locator.cells]
        shared = Locator(
            (start, end),
            first.page,
            sheet=first.sheet,
            cells=range_around(ranges) if ranges else None,
            cell=first.cell,
            last_cell=last_cell,
            section=body.section,
        )
        has_lines = first.lines is not None and last.lines is not None
        return self._frame.locate(replace(shared, lines=first.lines) if has_lines else shared, start, end)
