"""Embedding with a memory: a text that was embedded before, by the same model, is not embedded again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mixrag_cli.errors import MixragError, StoreDamaged
from mixrag_cli.models import Embedder, LateEmbedder
from mixrag_cli.records.passages import Chunk, Extraction
from mixrag_cli.store import Embedding, encode_tokens, text_key, vectors_as_kept

if TYPE_CHECKING:  # searching loads this module too, and has no use for sqlite
    from mixrag_cli.store import EmbeddingCache, StoreReader

TEXTS_AT_ONCE = 1_024  # embedded and remembered together; bounds what a huge file's embeddings take
# Of token vectors kept in one call, since a file is written as a whole. What is beyond is embedded when it is reranked.
KEPT_LATE_BYTES = 24 * 2**20

# A row of a sheet as long as this weighs more in token vectors than in all else together, and there are many. Its token
# vectors are made when it is reranked, too, and are the same: 30 rows of 45 tokens take 0.1 s.
SHORT_ROW_CHARS = 240

Late = list[npt.NDArray[np.uint8] | None]


def text_to_embed(chunk: Chunk) -> str:
    """What the model sees of a chunk: its context in front of its text."""
    return f"{chunk.context}\n{chunk.text}" if chunk.context else chunk.text


def chunks_to_embed(extraction: Extraction) -> Sequence[Chunk]:
    """The chunks that get a vector: all but those that are searched by words alone."""
    return extraction.chunks[: len(extraction.chunks) - extraction.n_words_only]


def keeps_tokens(chunk: Chunk) -> bool:
    """Whether the store keeps the chunk's token vectors; others are made when they are needed."""
    is_row = chunk.kind == "row" and chunk.modality == "sheet"
    return not is_row or len(text_to_embed(chunk)) > SHORT_ROW_CHARS


def with_words_only(
    vectors: npt.NDArray[np.float32], late: Late, n_words_only: int
) -> tuple[npt.NDArray[np.float32], Late]:
    """The vectors of a file with a row of zeros, which no search by meaning finds, for each chunk without one."""
    return np.pad(vectors, ((0, n_words_only), (0, 0))), [*late, *[None] * n_words_only]


def embed_texts(
    texts: Sequence[str], embedder: Embedder, on_batch: Callable[[int], None] | None = None
) -> list[Embedding]:
    """An embedding of each text as a store keeps it, with token vectors where the model gives them."""
    if isinstance(embedder, LateEmbedder):
        vectors, late = embedder.embed_late(texts, on_batch)
        kept = zip(vectors_as_kept(vectors), late, strict=True)
        return [Embedding(vector, encode_tokens(tokens)) for vector, tokens in kept]
    return [Embedding(vector) for vector in vectors_as_kept(embedder.embed(texts, on_batch))]


@dataclass(slots=True)
class KnownEmbeddings:
    """What was embedded before by the same model: in this run, in the stores, in the cache.

    readers: the index's own stores as they are now. others: other indexes, which nobody keeps for this run: one that
    was removed meanwhile, or cannot be read, gives nothing and is not asked again. keeps: whether the cache gets what
    is made; without, it gives away what it has, since the store holds it from now on.
    """

    cache: EmbeddingCache
    readers: Callable[[], Sequence[StoreReader]] = tuple
    others: list[StoreReader] = field(default_factory=list)
    keeps: bool = True
    _fresh: dict[str, Embedding] = field(default_factory=dict)
    _in_writing: dict[str, Embedding] = field(default_factory=dict)

    def find(self, texts: Sequence[str], model: str) -> dict[str, Embedding]:
        """The known ones among the texts."""
        unwritten = self._in_writing | self._fresh
        found = {text: unwritten[text] for text in texts if text in unwritten}
        for reader in self.readers():
            found |= _found_in(reader, [text for text in texts if text not in found])
        for reader in [*self.others]:
            try:
                found |= _found_in(reader, [text for text in texts if text not in found])
            except MixragError:
                self.others.remove(reader)
        hashes = {_digest(text): text for text in texts if text not in found}
        cached = self.cache.get_many(list(hashes), model)
        if cached and not self.keeps:
            self.cache.forget(cached, model)
        return found | {hashes[digest]: embedding for digest, embedding in cached.items()}

    def keep(self, made: Mapping[str, Embedding], model: str) -> None:
        """Remember what was made."""
        self._fresh.update(made)
        if self.keeps:
            self.cache.put_many({_digest(text): embedding for text, embedding in made.items()}, model)

    def begin_writing(self) -> None:
        """What was made until now is being written; what was being written before is in the store."""
        self._in_writing, self._fresh = self._fresh, {}


def embed_cached(
    texts: Sequence[str],
    embedder: Embedder,
    known: KnownEmbeddings | None = None,
    on_batch: Callable[[int], None] | None = None,
) -> tuple[npt.NDArray[np.float32], Late]:
    """The texts' vectors, (n, dim) float32 of length 1, and each one's token vectors in code, (n, bytes) uint8.

    on_batch: told of each number of texts that is done. A text is without token vectors where the model gives none, and
    beyond KEPT_LATE_BYTES of them.
    """
    vectors = np.zeros((len(texts), embedder.dim), dtype=np.float32)
    late: Late = []
    kept_bytes = 0
    for number, embedding in enumerate(_embed(texts, embedder, known, on_batch)):
        vectors[number] = embedding.vector
        kept_bytes += 0 if embedding.late is None else embedding.late.nbytes
        late.append(embedding.late if kept_bytes <= KEPT_LATE_BYTES else None)
    return vectors, late


def _found_in(reader: StoreReader, texts: Sequence[str]) -> dict[str, Embedding]:
    """What a store holds of the texts; nothing where it is damaged, which may be why it is made anew."""
    if not texts:
        return {}
    try:
        known = reader.embeddings_by_key([text_key(text) for text in texts])
    except StoreDamaged:
        return {}
    by_text = {text_to_embed(chunk): embedding for chunk, embedding in known}
    return {text: by_text[text] for text in texts if text in by_text}


def remember(known: Iterable[tuple[Chunk, Embedding]], cache: EmbeddingCache, model: str) -> None:
    """Put embeddings that leave the store into the cache: a file that was moved, or comes back, costs none."""
    cache.put_many({_digest(text_to_embed(chunk)): embedding for chunk, embedding in known}, model)


def _embed(
    texts: Sequence[str],
    embedder: Embedder,
    known: KnownEmbeddings | None,
    on_batch: Callable[[int], None] | None,
) -> Iterator[Embedding]:
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        part = texts[start : start + TEXTS_AT_ONCE]
        yield from (
            embed_texts(part, embedder, on_batch) if known is None else _remembered(part, embedder, known, on_batch)
        )


def _remembered(
    texts: Sequence[str], embedder: Embedder, known: KnownEmbeddings, on_batch: Callable[[int], None] | None
) -> Iterator[Embedding]:
    found = known.find(texts, embedder.name)
    missing = [text for text in dict.fromkeys(texts) if text not in found]
    if on_batch and len(texts) > len(missing):
        on_batch(len(texts) - len(missing))
    if missing:
        made = dict(zip(missing, embed_texts(missing, embedder, on_batch), strict=True))
        known.keep(made, embedder.name)
        found |= made
    return (found[text] for text in texts)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
