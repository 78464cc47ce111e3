"""Packing: pieces of text into chunks that fit the embedder's window, and the context in front of each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from mixrag_cli.line_marks import lines_between, marks_of_passage
from mixrag_cli.records.documents import Document
from mixrag_cli.records.passages import ChunkKind
from mixrag_cli.records.places import Locator

SPECIAL_TOKENS = 2  # [CLS] and [SEP]
CONTEXT_TOKENS = 40  # of 256: enough for a title and two headings, and little of the window
MIN_BUDGET = 16
# A word of over 100 characters is one unknown token to WordPiece, so that tokens alone do not bound a chunk's length.
MAX_PIECE_CHARS = 2_000
MAX_CHUNK_CHARS = 8_000
MAX_JOINED = 32  # steps back out of one character as people see it; longer runs of accents are no writing
ZERO_WIDTH_JOINER = "\u200d"
SKIN_TONES = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
REGIONAL_INDICATORS = "".join(map(chr, range(0x1F1E6, 0x1F200)))  # two make a flag
_WHITE_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Draft:
    """A chunk before it has an id and a position."""

    kind: ChunkKind
    text: str
    context: str
    locator: Locator
    words: str = ""
    parent: str = ""
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch [start, end) of some text that is not cut further, and its tokens."""

    start: int
    end: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Frame:
    """What all chunks of one document share. topics: which of its sentences begin another topic; None: not asked."""

    document: Document
    path: str
    count_tokens: Callable[[str], int]
    window: int
    topics: Callable[[Sequence[str]], Sequence[int]] | None = None

    @property
    def title(self) -> str:
        """The document's title, or its file name where it has none."""
        return self.document.title or self.path.rsplit("/", 1)[-1]

    def context(self, *parts: str) -> str:
        """The title and the parts as one line of at most CONTEXT_TOKENS tokens; what another part says is left out.

        Where they are too long, it is the title and the outer parts that are cut: the last says most of the text.
        """
        plain = [" ".join(part.split()) for part in (self.title, *parts)]
        known = list(dict.fromkeys(part for part in plain if part))
        kept = [part for part in known if not any(part in other and part != other for other in known)]
        whole, last = " > ".join(kept), f" > {kept[-1]}" if len(kept) > 1 else ""
        room = CONTEXT_TOKENS - self.count_tokens(last)
        if not last or room < CONTEXT_TOKENS // 2 or self.count_tokens(whole) <= CONTEXT_TOKENS:
            return self.clip(whole, CONTEXT_TOKENS)
        return f"{self.clip(' > '.join(kept[:-1]), room).rstrip(' >')}{last}"

    def budget(self, context: str) -> int:
        """The tokens that are left for a chunk's text behind the context."""
        return max(MIN_BUDGET, self.window - SPECIAL_TOKENS - self.count_tokens(context))

    def locate(self, where: Locator, start: int, end: int) -> Locator:
        """The place of the stretch [start, end) of the document's text, within the given one of its blocks."""
        marks = self.document.marks
        if where.lines is None:
            return replace(where, chars=(start, end))
        inner = marks_of_passage(marks, self.document.text, start, end)
        return replace(where, chars=(start, end), lines=lines_between(marks, start, end), marks=inner)

    def clip(self, text: str, tokens: int) -> str:
        """The text's beginning, cut at a word, of at most so many tokens."""
        text = text[: tokens * 12]  # no English token is longer on average, by far
        while self.count_tokens(text) > tokens:
            shorter = text[: max(1, len(text) * 7 // 8)]
            text = shorter.rsplit(" ", 1)[0] if " " in shorter else shorter
        return text


def cut_piece(text: str, start: int, end: int, budget: int, count_tokens: Callable[[str], int]) -> Iterator[Piece]:
    """The stretch as pieces that each fit the budget, cut at white space where there is some.

    Linear in the length: a long stretch is first cut into MAX_PIECE_CHARS, and only those are halved.
    """
    while start < end:
        stop = end if end - start <= MAX_PIECE_CHARS else cutting_place(text, start, start + MAX_PIECE_CHARS)
        stack = [(start, stop)]
        while stack:
            first, last = stack.pop()
            tokens = count_tokens(text[first:last])
            if tokens <= budget or last - first <= 1:
                yield Piece(first, last, min(tokens, budget))
                continue
            middle = cutting_place(text, first, last, (first + last) // 2)
            stack += [(middle, last), (first, middle)]
        start = stop


def cutting_place(text: str, first: int, last: int, wanted: int | None = None) -> int:
    """Where to cut [first, last) in two, near wanted (its end, where none is given): after white space if there is
    some within a quarter of the length, else not inside what people see as one character.
    """
    wanted = last if wanted is None else wanted
    reach = (last - first) // 4
    low, high = max(first + 1, wanted - reach), min(last, wanted + reach)
    places = [low + found.end() for found in _WHITE_SPACE.finditer(text[low:high]) if low + found.end() < last]
    if places:
        return min(places, key=lambda place: abs(place - wanted))
    at = wanted
    for _ in range(MAX_JOINED):
        if at <= first + 1 or not _is_joined(text, first, at):
            break
        at -= 1
    return at


def _is_joined(text: str, first: int, at: int) -> bool:
    """Whether the characters before and at a place are seen as one: accents, emoji sequences, flags."""
    if at >= len(text):
        return False
    before, after = text[at - 1], text[at]
    if before == ZERO_WIDTH_JOINER or after == ZERO_WIDTH_JOINER or unicodedata.category(after) in ("Mn", "Me", "Mc"):
        return True
    if after in SKIN_TONES:
        return True
    if after in REGIONAL_INDICATORS and before in REGIONAL_INDICATORS:
        run = len(text[first:at]) - len(text[first:at].rstrip(REGIONAL_INDICATORS))
        return run % 2 == 1
    return False


def pack_pieces(pieces: list[Piece], budget: int, overlap: int = 0) -> Iterator[list[Piece]]:
    """Consecutive pieces that fit the budget together, as many as go in; each group starts with the pieces that
    ended the one before, up to overlap tokens of them.

    Example: pieces of 4, 4, 4 tokens, budget 8, overlap 4 -> [1, 2], [2, 3].
    """
    group: list[Piece] = []
    tokens = 0
    for piece in pieces:
        too_long = bool(group) and piece.end - group[0].start > MAX_CHUNK_CHARS
        if group and (tokens + piece.tokens > budget or too_long):
            yield group
            group = [] if too_long else _tail(group, min(overlap, budget - piece.tokens))
            tokens = sum(kept.tokens for kept in group)
        group.append(piece)
        tokens += piece.tokens
    if group:
        yield group


def _tail(group: list[Piece], tokens: int) -> list[Piece]:
    kept: list[Piece] = []
    for piece in reversed(group[1:]):
        tokens -= piece.tokens
        if tokens < 0:
            break
        kept.insert(0, piece)
    return kept
