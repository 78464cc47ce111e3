"""Embedding with a memory: a text that was embedded before, by the same model, is not embedded again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mixrag_cli.models import Embedder, LateEmbedder
from mixrag_cli.records import Chunk, Extraction
from mixrag_cli.store import Embedding, encode_tokens, vectors_as_kept

if TYPE_CHECKING:  # searching loads this module too, and has no use for sqlite
    from mixrag_cli.store import EmbeddingCache

EMBEDDING_CACHE = Path("cache", "embeddings.2.sqlite")  # inside the store's folder
TEXTS_AT_ONCE = 1_024  # embedded and remembered together; bounds what a huge file's embeddings take
# Of token vectors kept in one call, since a file is written as a whole. What is beyond is embedded when it is reranked.
KEPT_LATE_BYTES = 24 * 2**20

Late = list[npt.NDArray[np.uint8] | None]


def text_to_embed(chunk: Chunk) -> str:
    """What the model sees of a chunk: its context in front of its text."""
    return f"{chunk.context}\n{chunk.text}" if chunk.context else chunk.text


def chunks_to_embed(extraction: Extraction) -> Sequence[Chunk]:
    """The chunks that get a vector: all but those that are searched by words alone."""
    return extraction.chunks[: len(extraction.chunks) - extraction.n_words_only]


def with_words_only(
    vectors: npt.NDArray[np.float32], late: Late, n_words_only: int
) -> tuple[npt.NDArray[np.float32], Late]:
    """The vectors of a file with a row of zeros, which no search by meaning finds, for each chunk without one."""
    return np.pad(vectors, ((0, n_words_only), (0, 0))), [*late, *[None] * n_words_only]


def embed_texts(texts: Sequence[str], embedder: Embedder) -> list[Embedding]:
    """An embedding of each text as a store keeps it, with token vectors where the model gives them."""
    if isinstance(embedder, LateEmbedder):
        vectors, late = embedder.embed_late(texts)
        kept = zip(vectors_as_kept(vectors), late, strict=True)
        return [Embedding(vector, encode_tokens(tokens)) for vector, tokens in kept]
    return [Embedding(vector) for vector in vectors_as_kept(embedder.embed(texts))]


def embed_cached(
    texts: Sequence[str], embedder: Embedder, cache: EmbeddingCache | None = None
) -> tuple[npt.NDArray[np.float32], Late]:
    """The texts' vectors, (n, dim) float32 of length 1, and each one's token vectors in code, (n, bytes) uint8.

    A text is without token vectors where the model gives none, and beyond KEPT_LATE_BYTES of them.
    """
    vectors = np.zeros((len(texts), embedder.dim), dtype=np.float32)
    late: Late = []
    kept_bytes = 0
    for number, embedding in enumerate(_embed(texts, embedder, cache)):
        vectors[number] = embedding.vector
        kept_bytes += 0 if embedding.late is None else embedding.late.nbytes
        late.append(embedding.late if kept_bytes <= KEPT_LATE_BYTES else None)
    return vectors, late


def _embed(texts: Sequence[str], embedder: Embedder, cache: EmbeddingCache | None) -> Iterator[Embedding]:
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        part = texts[start : start + TEXTS_AT_ONCE]
        yield from embed_texts(part, embedder) if cache is None else _remembered(part, embedder, cache)


def _remembered(texts: Sequence[str], embedder: Embedder, cache: EmbeddingCache) -> Iterator[Embedding]:
    hashes = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
    known = cache.get_many(hashes, embedder.name)
    missing = {digest: text for digest, text in zip(hashes, texts, strict=True) if digest not in known}
    if missing:
        fresh = dict(zip(missing, embed_texts(list(missing.values()), embedder), strict=True))
        cache.put_many(fresh, embedder.name)
        known |= fresh
    return (known[digest] for digest in hashes)
