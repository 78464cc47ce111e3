"""Which words of a cited passage decide the answer, as [start, end) in its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mixrag_cli.quotes import find_quote
from mixrag_cli.records.answers import Answer, Source

Mark = tuple[int, int]


def source_marks(answer: Answer, source: Source) -> tuple[Mark, ...]:
    """The deciding words in the text of one of the answer's sources; none where they do not stand in it so.

    Where the first candidate is this very source, its marks; else the shortest of what the answer and its evidence say
    that stands there: of a sentence the name that answers, of a cell's row the figure.
    """
    best = answer.candidates[0] if answer.candidates else None
    if best is not None and best.source.hit.chunk.id == source.hit.chunk.id:
        if best.source.text == source.text:
            return merged(best.marks)
        words = [best.source.text[start:end] for start, end in best.marks]
        if found := [mark for word in words if (mark := find_quote(word, source.text))]:
            return merged(found)
    marks: list[Mark] = []
    for phrases in _phrases(answer, source):
        found = [mark for phrase in phrases if phrase and (mark := find_quote(phrase, source.text))]
        if found:
            marks.append(min(found, key=lambda mark: mark[1] - mark[0]))
    return merged(marks)


def _phrases(answer: Answer, source: Source) -> Iterator[tuple[str, ...]]:
    """For each piece of evidence out of the source the ways in which its deciding words may stand there."""
    said = "" if answer.formula else answer.text
    for piece in answer.evidence:
        if piece.source == source.ref:
            # A number's label is the number as it is written; other labels are headings.
            label = piece.label if piece.value is not None else ""
            yield (said, piece.quote.removesuffix(" …"), label)


def merged(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """The marks in order, those that touch or overlap as one. Example: [(5, 9), (0, 3), (2, 4)] -> ((0, 4), (5, 9))."""
    joined: list[Mark] = []
    for start, end in sorted(mark for mark in marks if mark[0] < mark[1]):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
