"""Which passages are relevant where the evidence is characters of a document: those that cover half of a span.

A system's own passages are judged, so that no way of cutting is rewarded for resembling the labels. A passage says
where it stands by the lines of its file and by its text; which of the file's characters it covers is found here.

Source: "Beyond the Reranker", section 3, and the mapping published with HetDocQA: a passage is relevant when it covers
at least half of a span, and its grade is the highest of the spans it covers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from mixrag_cli.evaluation.datasets import Span
from mixrag_cli.records.passages import Chunk

MIN_OVERLAP = 0.5  # of the span


class SourcePlaces:
    """Where passages stand in one document, whose text as it was written is known."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._line_starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        # What readers change in a text is above all its white space, so texts are compared without any.
        self._places = [place for place, character in enumerate(text) if not character.isspace()]
        self._dense = "".join(text[place] for place in self._places)

    def locate(self, chunk: Chunk) -> tuple[int, int]:
        """The characters [start, end) of the source that a passage shows.

        Its text is looked for within its lines; where it is not there as it stands (markup was taken out, a table is
        told in other words), its lines are its place, and without lines its characters in the extracted text.
        """
        start, end = self._range_of_lines(chunk)
        dense = "".join(chunk.text.split())
        first, last = bisect_right(self._places, start - 1), bisect_right(self._places, end - 1)
        found = self._dense.find(dense, first, last) if dense else -1
        if found >= 0:
            return self._places[found], self._places[found + len(dense) - 1] + 1
        return (start, end) if chunk.locator.lines else chunk.locator.chars

    def _range_of_lines(self, chunk: Chunk) -> tuple[int, int]:
        if chunk.locator.lines is None:
            return 0, self._length
        first, last = chunk.locator.lines
        return self._start_of(first), self._start_of(last + 1)

    def _start_of(self, line: int) -> int:
        return min(self._line_starts[min(max(line - 1, 0), len(self._line_starts) - 1)], self._length)


def grade_passages(
    spans: Sequence[Span], passages: Iterable[tuple[str, str, tuple[int, int]]], min_overlap: float = MIN_OVERLAP
) -> dict[str, float]:
    """The relevant passages' grades by id.

    passages: (id, document, characters of that document). Of a span a passage covers at least min_overlap.
    """
    grades: dict[str, float] = {}
    for id_, document, (start, end) in passages:
        covered = [
            span.grade
            for span in spans
            if span.document == document
            and min(end, span.end) - max(start, span.start) >= min_overlap * (span.end - span.start)
        ]
        if covered:
            grades[id_] = max(covered)
    return grades
