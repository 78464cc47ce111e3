"""The vectors of short texts' tokens by the bundled model, each text embedded once while it is kept.

What reads header paths was fitted to the bundled model's tokens, so they come from it whatever embedder is set.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mixrag_cli.models.minilm import MiniLM

MAX_KEPT = 20_000  # labels, some 40 MB
MAX_QUESTIONS = 512  # questions and parts of them, some 8 kB each

Tokens = npt.NDArray[np.float32]


class KeptTokens:
    """Token vectors of questions and labels: (n_tokens, 96) float32 each, rows of length 1."""

    def __init__(self, model: MiniLM) -> None:
        self._model = model
        self._labels: dict[str, Tokens] = {}
        self._questions: dict[str, Tokens] = {}

    def of_question(self, text: str) -> Tokens:
        """Those of a question or a part of one, without its stop words."""
        if len(self._questions) >= MAX_QUESTIONS:
            self._questions.clear()
        if text not in self._questions:
            self._questions[text] = np.nan_to_num(self._model.embed_query_late(text)[1])
        return self._questions[text]

    def of_labels(self, texts: Sequence[str]) -> list[Tokens]:
        """Those of header paths, each written as one text."""
        if len(self._labels) > MAX_KEPT:
            self._labels.clear()
        if new := [text for text in dict.fromkeys(texts) if text not in self._labels]:
            self._labels |= zip(new, self._model.embed_tokens(new), strict=True)
        return [self._labels[text] for text in texts]
