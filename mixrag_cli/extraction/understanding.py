"""What only some chunks need, by the settings: where topics turn, and what mentions stand for. Both load a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from mixrag_cli.chunking.references import add_references
from mixrag_cli.chunking.topics import Vectors, topic_finder
from mixrag_cli.extraction.beat import Beat
from mixrag_cli.extraction.transport import Request
from mixrag_cli.models import Embedder, load_embedder, load_language
from mixrag_cli.records.documents import Document
from mixrag_cli.records.passages import Chunk
from mixrag_cli.settings import NO_PIPELINE, Settings

if TYPE_CHECKING:
    from mixrag_cli.models.language import Pipeline

SENTENCES_AT_ONCE = 64  # embedded between two beats


def topics_by(request: Request, beat: Beat) -> Callable[[Sequence[str]], Sequence[int]] | None:
    """What finds where the topic turns, by the embedder that the passages get; None where nobody asks for it."""
    if request.prose_chunks != "topics":
        return None
    embedder = _embedder(request.embedder)

    def embed(sentences: Sequence[str]) -> Vectors:
        parts = []
        for start in range(0, len(sentences), SENTENCES_AT_ONCE):
            parts.append(embedder.embed(sentences[start : start + SENTENCES_AT_ONCE]))
            beat(start, len(sentences))
        return np.concatenate(parts)

    return topic_finder(embed)


def with_references(chunks: tuple[Chunk, ...], document: Document, request: Request, beat: Beat) -> tuple[Chunk, ...]:
    """The chunks, with what mentions stand for where a pipeline is set that tells it."""
    if request.nlp == NO_PIPELINE:
        return chunks
    total = len(document.text)
    with beat.meanwhile():
        pipeline = _pipeline(request.nlp)
    return add_references(chunks, document, pipeline, lambda done: beat(done, total))


@lru_cache(maxsize=1)
def _pipeline(name: str) -> Pipeline:
    return load_language(Settings(nlp=name))


@lru_cache(maxsize=1)
def _embedder(name: str) -> Embedder:
    """The settings' embedder on one core: there is a process a core."""
    return load_embedder(Settings(embedder=name, threads=1, device="cpu"))
