"""Any sentence-transformers model or CrossEncoder that is on this machine, on CPU or GPU. Nothing is downloaded."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from mixrag_cli.errors import ModelUnusable, first_line
from mixrag_cli.models.local import folder_fingerprint, model_folder
from mixrag_cli.models.tokens import encodable
from mixrag_cli.models.vectors import UnitRows

# Read when the libraries are imported: they must neither ask the network for updates nor fork with live threads.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")

import torch
from sentence_transformers import CrossEncoder, SentenceTransformer

BATCH = 32  # the library's own default; good for a GPU and no worse than others on a CPU
TEXTS_A_CALL = 1_024  # progress is told after each call, and each sorts its texts by length
DEFAULT_WINDOW = 512  # tokens, for the rare model that names none


class SentenceTransformerEmbedder(UnitRows):
    """A sentence-transformers model as an Embedder; questions and passages get the model's own prompts."""

    def __init__(self, name: str, device: str, threads: int = 0, *, window: int = 0) -> None:
        folder = model_folder(name)
        if threads:
            torch.set_num_threads(threads)
        try:
            self._model = SentenceTransformer(
                str(folder), device=None if device == "auto" else device, local_files_only=True, trust_remote_code=False
            )
        except Exception as error:  # the libraries below raise whatever they meet in a folder that is no model
            raise ModelUnusable(f"model {name} cannot be loaded from {folder}: {first_line(error)}") from error
        self.name = f"{name}/{folder_fingerprint(folder)}"
        self.dim = int(self._model.get_embedding_dimension() or 0)
        if window:
            self._model.max_seq_length = window
            self.name += f"/{window}"  # another window, other vectors
        self.window = int(self._model.max_seq_length or DEFAULT_WINDOW)

    def embed(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> npt.NDArray[np.float32]:
        """The texts' vectors in their order: (n, dim) float32, rows of length 1, zeros where the model failed."""
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for start in range(0, len(texts), TEXTS_A_CALL):
            part = [encodable(text) for text in texts[start : start + TEXTS_A_CALL]]
            found = self._model.encode_document(part, batch_size=BATCH, show_progress_bar=False)
            vectors[start : start + len(part)] = self.to_unit_rows(found)
            if on_batch:
                on_batch(len(part))
        return vectors

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """The vector of one question: (dim,) float32 of length 1."""
        found = self._model.encode_query([encodable(text)], show_progress_bar=False)
        vector: npt.NDArray[np.float32] = self.to_unit_rows(found)[0]
        return vector

    def count_tokens(self, texts: Sequence[str]) -> int:
        """How many tokens of the texts the model reads, special tokens apart."""
        tokenizer = self._model.tokenizer
        counts = (len(tokenizer.tokenize(encodable(text))) for text in texts)
        return sum(min(count, self.window - 2) for count in counts)


def load_sentence_transformer(
    name: str, device: str = "auto", threads: int = 0, *, window: int = 0
) -> SentenceTransformerEmbedder:
    """The model of that name or folder. device: "auto", "cpu", "cuda" or "mps". window: in tokens, 0 for its own.

    Raises ModelUnusable when it is not on this machine, damaged, or the device is not there.
    """
    return SentenceTransformerEmbedder(name, device, threads, window=window)


class CrossEncoderScorer:
    """A CrossEncoder as a PairScorer: a score for each pair of the question and a text, higher for better.

    name, device, threads: as for load_sentence_transformer. Raises ModelUnusable when it is missing, damaged or none.
    """

    def __init__(self, name: str, device: str, threads: int = 0) -> None:
        folder = model_folder(name)
        if threads:
            torch.set_num_threads(threads)
        try:
            self._model = CrossEncoder(
                str(folder), device=None if device == "auto" else device, local_files_only=True, trust_remote_code=False
            )
        except Exception as error:  # as above
            raise ModelUnusable(f"reranker {name} cannot be loaded from {folder}: {first_line(error)}") from error
        if self._model.num_labels != 1:
            raise ModelUnusable(f"reranker {name} gives {self._model.num_labels} scores a pair, not one")

    def __call__(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score a text; that of a pair on which the model fails is the least of all."""
        if not texts:
            return []
        pairs = [(encodable(question), encodable(text)) for text in texts]
        scores = np.asarray(self._model.predict(pairs, batch_size=BATCH, show_progress_bar=False), dtype=np.float64)
        finite = np.isfinite(scores)
        scores[~finite] = scores[finite].min() if finite.any() else 0.0
        return [float(score) for score in scores]
