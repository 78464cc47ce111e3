"""The bundled embedder and reranker: all-MiniLM-L6-v2, trained on for both, in int8, run by onnxruntime."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mixrag_cli.models.bundled import MODEL_SHA256, WINDOW, model_file
from mixrag_cli.models.onnx_model import (
    BATCH_TOKENS,
    CARD_BATCH_TOKENS,
    Ids,
    Numbers,
    Outputs,
    open_model,
    open_on_card,
    pad,
)
from mixrag_cli.models.tokens import encodable, load_bundled_tokenizer
from mixrag_cli.models.vectors import UnitRows
from mixrag_cli.words import STOP_WORDS

DIM = 384
LATE_DIM = 96
# Neighbouring token vectors of a passage kept as one. Two would halve their disk, and cost late interaction alone 2.9
# points of nDCG@10 on FinQA "paper", 2.2 on HetDocQA, none on HiTab (tests/benchmarks/reranker.py --pooled).
POOLED_TOKENS = 1
NAME = f"minilm/{MODEL_SHA256[:12]}/{POOLED_TOKENS}"  # another name, other vectors
TINY = 1e-9
LATE_STEPS = 127  # of a stored token vector's axis
SORTED_TEXTS = 2_048  # sorted by length at a time; bounds the memory that token ids take
MAX_CHARACTERS = 20_000  # of a text that are tokenised at all; the window is filled long before
SILENT = frozenset(("[CLS]", "[SEP]"))
# Late interaction alone, FinQA's judged contexts: nDCG@10 .788 without a question's stop words, .732 with (weights half
# trained). A passage's are then met by no word of their own; which tokens a store keeps may change without NAME.
SILENT_LATE = SILENT | STOP_WORDS

# The texts' numbers, their token ids and the model's outputs.
_Run = tuple[Numbers, list[list[int]], Outputs]


class MiniLM(UnitRows):
    """The model as a LateEmbedder; a text's vectors depend on the text alone, not on its batch.

    model: the ONNX file, or its bytes. on_card: compute on a card where onnxruntime finds one. device: what it computes
    on, as onnxruntime names it. most_tokens: of a run. Raises ModelUnusable when the model is none.
    """

    name = NAME
    dim = DIM
    late_dim = LATE_DIM
    window = WINDOW

    def __init__(self, model: Path | bytes, threads: int = 0, *, on_card: bool = False) -> None:
        self._words: dict[int, str] = {}
        self._tokenizer = load_bundled_tokenizer()
        card = open_on_card(model) if on_card else None
        self._model = card or open_model(model, "bundled model", threads)
        self.device = self._model.device
        self.most_tokens = BATCH_TOKENS if card is None else CARD_BATCH_TOKENS

    def embed(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> npt.NDArray[np.float32]:
        """The texts' vectors in their order: (n, 384) float32, rows of length 1, zeros where the model failed."""
        vectors = np.empty((len(texts), DIM), dtype=np.float32)
        for numbers, _, found in self._runs(texts, ["vectors"]):
            vectors[numbers] = found[0]
            if on_batch:
                on_batch(len(numbers))
        return self.to_unit_rows(vectors)

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """The vector of one question: (384,) float32 of length 1."""
        vector: npt.NDArray[np.float32] = self.embed([text])[0]
        return vector

    def embed_late(
        self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None
    ) -> tuple[npt.NDArray[np.float32], list[npt.NDArray[np.int8]]]:
        """The texts' vectors as embed gives them, and each text's token vectors: (n, 96) int8, unit rows times 127.

        Special tokens, punctuation and stop words have none, and POOLED_TOKENS neighbours share one.
        """
        vectors = np.empty((len(texts), DIM), dtype=np.float32)
        late: dict[int, npt.NDArray[np.int8]] = {}
        for numbers, tokens, (pooled, projected) in self._runs(texts, ["vectors", "late"]):
            vectors[numbers] = pooled
            for number, ids, rows in zip(numbers, tokens, projected, strict=True):
                merged = _merge_neighbours(rows[: len(ids)][self._speaking(ids, SILENT_LATE)])
                late[int(number)] = np.rint(np.nan_to_num(merged) * LATE_STEPS).astype(np.int8)
            if on_batch:
                on_batch(len(numbers))
        return self.to_unit_rows(vectors), [late[number] for number in range(len(texts))]

    def embed_query_late(self, text: str) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The vector of one question, (384,), and of its tokens, (n, 96); float32, rows of length 1.

        Stop words have no vector of their own: whatever passage they find, they tell nothing of it.
        """
        ((_, (ids,), (pooled, projected)),) = self._runs([text], ["vectors", "late"])
        return self.to_unit_rows(pooled)[0], projected[0][self._speaking(ids, SILENT_LATE)]

    def embed_tokens(self, texts: Sequence[str]) -> list[npt.NDArray[np.float32]]:
        """Each text's token vectors alone, (n, 96) float32 rows of length 1, none of them shared by neighbours.

        Special tokens and punctuation have none.
        """
        late: dict[int, npt.NDArray[np.float32]] = {}
        for numbers, tokens, (projected,) in self._runs(texts, ["late"]):
            for number, ids, rows in zip(numbers, tokens, projected, strict=True):
                late[int(number)] = np.nan_to_num(rows[: len(ids)][self._speaking(ids)])
        return [late[number] for number in range(len(texts))]

    def count_tokens(self, texts: Sequence[str]) -> int:
        """How many tokens of the texts the model reads, special tokens apart."""
        return sum(len(tokens) - 2 for tokens in self._tokenize(texts))

    def _tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        cut = [encodable(text[:MAX_CHARACTERS]) for text in texts]
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(cut)]

    def _runs(self, texts: Sequence[str], outputs: list[str]) -> Iterator[_Run]:
        """The model's outputs for all texts, a batch of like length at a time."""
        for start in range(0, len(texts), SORTED_TEXTS):
            tokens = self._tokenize(texts[start : start + SORTED_TEXTS])
            for batch, found in self._model.run_by_length(outputs, tokens, partial(_given, tokens), self.most_tokens):
                yield start + batch, [tokens[number] for number in batch], found

    def _speaking(self, ids: Sequence[int], silent: frozenset[str] = SILENT) -> npt.NDArray[np.intp]:
        """Where the tokens stand that take part in late interaction; all of them where none is a word or a number."""
        words = [self._word(token) for token in ids]
        places = [place for place, word in enumerate(words) if word and word not in silent]
        return np.array(places or range(len(ids)), dtype=np.intp)

    def _word(self, token: int) -> str:
        """The token as text, "" for one without letter or digit."""
        if token not in self._words:
            word = self._tokenizer.id_to_token(token) or ""
            self._words[token] = word if any(map(str.isalnum, word)) else ""
        return self._words[token]


def _given(tokens: Sequence[Sequence[int]], batch: Numbers) -> dict[str, Ids]:
    ids, mask = pad([tokens[number] for number in batch])
    return {"input_ids": ids, "attention_mask": mask}


def load_minilm(threads: int = 0, *, on_card: bool = False) -> MiniLM:
    """The bundled model. threads: 0 for as many as there are cores. on_card: on a card, where there is one.

    Raises ModelUnusable when its files are missing, damaged or not the pinned ones.
    """
    return MiniLM(model_file(), threads, on_card=on_card)


def _merge_neighbours(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """POOLED_TOKENS unit rows as one, the direction of their sum."""
    starts = np.arange(0, len(rows), POOLED_TOKENS)
    sums = np.add.reduceat(rows, starts, axis=0)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    merged: npt.NDArray[np.float32] = sums / np.maximum(lengths, TINY)
    return merged
