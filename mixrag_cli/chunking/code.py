"""Code: a definition a chunk where it fits, else cut at lines with its signature in front; loose lines packed."""

from __future__ import annotations

from collections.abc import Iterator

from mixrag_cli.chunking.packing import MAX_CHUNK_CHARS, Draft, Frame, cut_piece, pack_pieces
from mixrag_cli.records.documents import Block
from mixrag_cli.sentences import line_spans


def code_drafts(frame: Frame) -> Iterator[Draft]:
    """The chunks of a source file, in its order."""
    for block in frame.document.blocks:
        if block.text.strip():
            yield from _block_drafts(frame, block)


def _block_drafts(frame: Frame, block: Block) -> Iterator[Draft]:
    context = frame.context(frame.path, *block.heading_path)
    budget = frame.budget(context)
    if len(block.text) <= MAX_CHUNK_CHARS and frame.count_tokens(block.text) <= budget:
        yield Draft("code", block.text, context, block.locator, block.name)
        return
    continued = frame.context(frame.path, *block.heading_path, _signature(block))
    budget = min(budget, frame.budget(continued))
    pieces = [
        piece
        for first, last in line_spans(block.text)
        for piece in cut_piece(block.text, first, last, budget, frame.count_tokens)
    ]
    for number, group in enumerate(pack_pieces(pieces, budget)):
        start, end = group[0].start, group[-1].end
        begin = block.locator.chars[0]
        where = frame.locate(block.locator, begin + start, begin + end)
        yield Draft("code", block.text[start:end], continued if number else context, where, block.name)


def _signature(block: Block) -> str:
    """The line that opens the definition, decorators and comments apart; "" for loose lines, which have none."""
    if not block.name:
        return ""
    for line in block.text.splitlines():
        plain = line.strip()
        if plain and plain[0] not in "@#/*":
            return plain
    return ""
