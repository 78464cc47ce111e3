"""Embedding with a memory: a text that was embedded before, by the same model, is not embedded again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mixrag_cli.models import Embedder
from mixrag_cli.records import Chunk
from mixrag_cli.store import EmbeddingCache


def text_to_embed(chunk: Chunk) -> str:
    """What the model sees of a chunk: its context in front of its text."""
    return f"{chunk.context}\n{chunk.text}" if chunk.context else chunk.text


def embed_cached(texts: Sequence[str], embedder: Embedder, cache: EmbeddingCache) -> npt.NDArray[np.float32]:
    """The texts' vectors, (n, dim) float32 of length 1, from the cache where it has them."""
    hashes = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
    known = cache.get_many(hashes, embedder.name)
    missing = {digest: text for digest, text in zip(hashes, texts, strict=True) if digest not in known}
    if missing:
        fresh = dict(zip(missing, embedder.embed(list(missing.values())), strict=True))
        cache.put_many(fresh, embedder.name)
        known |= fresh
    if not texts:
        return np.zeros((0, embedder.dim), dtype=np.float32)
    return np.stack([known[digest] for digest in hashes]).astype(np.float32)
