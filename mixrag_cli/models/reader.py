"""The reader model: question and passage read together. Does it answer, where, is this the cell, what is wanted?

A second MiniLM beside the embedder, in int8, with the same tokenizer. All logits are relative: 0 is "nothing here", so
that a passage's are the same beside whatever others, and probabilities come of them over any set of passages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mixrag_cli.models.bundled import WINDOW
from mixrag_cli.models.bundled_reader import (
    EXPECTS,
    HOLDS,
    MAX_QUESTION,
    MAX_SPAN,
    NONE,
    OPERATIONS,
    PAIR,
    READER_SHA256,
    reader_file,
)
from mixrag_cli.models.onnx_model import Ids, open_model, pad
from mixrag_cli.models.tokens import encodable, load_bundled_tokenizer
from mixrag_cli.reading import N_SPANS, QuestionReading, Reading, Span

NAME = f"reader/{READER_SHA256[:12]}"
MAX_CHARACTERS = 4_000  # of a passage that are tokenised; the window is filled long before
OUTSIDE = -1e4  # the logit of what is no token of the passage

Floats = npt.NDArray[np.float64]
Logits = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Row:
    """Token ids of question and passage; where the passage begins; each of its tokens' characters."""

    ids: list[int]
    begins: int
    offsets: list[tuple[int, int]]


class OnnxReader:
    """The model as a ReaderModel; a reading depends on question and passage alone, not on the batch.

    model: the ONNX file, or its bytes. Raises ModelUnusable when they are no model.
    """

    name = NAME
    window = WINDOW

    def __init__(self, model: Path | bytes, threads: int = 0) -> None:
        self._tokenizer = load_bundled_tokenizer()
        self._cls, self._sep = self._tokenizer.encode("").ids
        self._model = open_model(model, "reader model", threads)

    def read(self, question: str, passages: Sequence[str]) -> list[Reading]:
        """What the model makes of each passage, in their order."""
        asked = self._question(question)
        cut = [encodable(passage[:MAX_CHARACTERS]) for passage in passages]
        room = WINDOW - len(asked) - 1
        rows = [
            _Row([*asked, *encoding.ids[:room], self._sep], len(asked), encoding.offsets[:room])
            for encoding in self._tokenizer.encode_batch(cut, add_special_tokens=False)
        ]
        runs = self._model.run_by_length(
            ["start", "end", "cls"], [row.ids for row in rows], lambda batch: _given([rows[one] for one in batch])
        )
        found: dict[int, Reading] = {}
        for numbers, (start, end, cls) in runs:
            for place, number in enumerate(numbers):
                found[int(number)] = _to_reading(rows[number], start[place], end[place], cls[place])
        return [found[number] for number in range(len(rows))]

    def question(self, question: str) -> QuestionReading:
        """What the question wants, read alone."""
        asked = self._question(question)
        row = [*asked, self._sep]  # the empty passage, all of the first type
        (cls,) = self._model.run(["cls"], _given([_Row(row, len(row), [])]))
        first = PAIR + 1
        operations = _softmax(cls[0][first : first + len(OPERATIONS)])
        expects = _softmax(cls[0][first + len(OPERATIONS) : first + len(OPERATIONS) + len(EXPECTS)])
        return QuestionReading(
            dict(zip(OPERATIONS, operations.tolist(), strict=True)), dict(zip(EXPECTS, expects.tolist(), strict=True))
        )

    def _question(self, question: str) -> list[int]:
        cut = encodable(question[:MAX_CHARACTERS])
        ids = self._tokenizer.encode(cut, add_special_tokens=False).ids[:MAX_QUESTION]
        return [self._cls, *ids, self._sep]


def load_reader(threads: int = 0) -> OnnxReader:
    """The reader model. threads: 0 for as many as there are cores.

    Raises ModelUnusable when its files are missing, damaged or not the pinned ones.
    """
    return OnnxReader(reader_file(), threads)


def _given(rows: Sequence[_Row]) -> dict[str, Ids]:
    """The model's inputs; what stands behind the question is of the second type."""
    ids, mask = pad([row.ids for row in rows])
    types = np.zeros_like(ids)
    for place, row in enumerate(rows):
        types[place, row.begins : len(row.ids)] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


def _to_reading(row: _Row, start: Logits, end: Logits, cls: Logits) -> Reading:
    none = float(cls[NONE])
    spans: tuple[Span, ...] = ()
    total = -np.inf
    if row.offsets:
        passage = slice(row.begins, row.begins + len(row.offsets))
        logits = _span_logits(start[passage].astype(np.float64), end[passage].astype(np.float64)) - none
        total = float(np.logaddexp.reduce(logits, axis=None))
        spans = _best_spans(logits, row.offsets)
    return Reading(float(cls[HOLDS]), float(cls[PAIR]), none, spans, total)


def _span_logits(start: Floats, end: Floats) -> Floats:
    """The logit of each span: (n, MAX_SPAN), by its first token and by how many tokens more it has."""
    padded = np.concatenate([end, np.full(MAX_SPAN - 1, OUTSIDE)])
    logits: Floats = start[:, None] + np.lib.stride_tricks.sliding_window_view(padded, MAX_SPAN)
    return logits


def _best_spans(logits: Floats, offsets: Sequence[tuple[int, int]]) -> tuple[Span, ...]:
    flat = logits.ravel()
    n = min(N_SPANS, flat.size)
    best = np.argpartition(-flat, n - 1)[:n]
    spans = []
    for place in sorted(best.tolist(), key=lambda at: -flat[at]):
        first, more = divmod(place, MAX_SPAN)
        if first + more < len(offsets):
            spans.append(Span(offsets[first][0], offsets[first + more][1], float(flat[place])))
    return tuple(spans)


def _softmax(logits: Logits) -> Floats:
    powers = np.exp(logits.astype(np.float64) - logits.max())
    shares: Floats = powers / powers.sum()
    return shares
