"""The reranker that the settings name, put together from the store's token vectors and the models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from mixrag_cli.generator import Generator
from mixrag_cli.models import Embedder, LateEmbedder, load_embedder, load_pair_scorer
from mixrag_cli.models.bundled import BUNDLED
from mixrag_cli.records.passages import Chunk
from mixrag_cli.retrieval.choice import LanguageModelReranker, Reading
from mixrag_cli.retrieval.rerank import LateInteraction, PairReranker, PassageTokens, QuestionTokens, Reranker
from mixrag_cli.settings import Settings
from mixrag_cli.store import tokens_as_kept
from mixrag_cli.stories.embedding import text_to_embed

NONE, LATE, LANGUAGE_MODEL = "none", "late", "llm"
REMEMBERED_PASSAGES = 2_000  # whose token vectors were made in this session; some 8 MB


def is_outside(rerank: str) -> bool:
    """Whether the setting names a model whose scores nobody knew before: its weight and curve have to be fitted."""
    return rerank not in (NONE, LATE, LANGUAGE_MODEL)


def make_reranker(
    settings: Settings,
    embedder: Embedder,
    tokens_of: Callable[[str], QuestionTokens],
    kept_tokens: Callable[[Sequence[str]], Mapping[str, PassageTokens]],
    generator: Callable[[], Generator],
) -> Reranker | None:
    """The reranker that settings.rerank names, None for none.

    tokens_of: the embedder's token vectors of a question. kept_tokens: the store's of passages, by id. generator: gives
    the model where a language model reranks.
    Raises ModelUnusable for a model that cannot be used.
    """
    if settings.rerank == NONE:
        return None
    if settings.rerank == LANGUAGE_MODEL:
        return LanguageModelReranker(generator, Reading.of(settings))
    if settings.rerank != LATE:
        return PairReranker(load_pair_scorer(settings), text_to_embed)
    if isinstance(embedder, LateEmbedder):
        return LateInteraction(tokens_of, kept_tokens, _passage_tokens(embedder))
    # Neither the embedder nor its store knows token vectors: the bundled model makes both sides as they are needed.
    bundled = load_embedder(replace(settings, embedder=BUNDLED))
    if not isinstance(bundled, LateEmbedder):
        return None
    return LateInteraction(_question_tokens(bundled), _none_kept, _passage_tokens(bundled))


def _question_tokens(embedder: LateEmbedder) -> Callable[[str], QuestionTokens]:
    return lambda text: embedder.embed_query_late(text)[1]


def _passage_tokens(embedder: LateEmbedder) -> Callable[[Sequence[Chunk]], list[PassageTokens]]:
    """What makes the token vectors of chunks; it remembers those of its last ones, which many questions share."""
    known: dict[str, PassageTokens] = {}

    def make(chunks: Sequence[Chunk]) -> list[PassageTokens]:
        texts = list(map(text_to_embed, chunks))
        found = {text: tokens for text in texts if (tokens := known.get(text)) is not None}
        if missing := [text for text in dict.fromkeys(texts) if text not in found]:
            found.update(zip(missing, map(tokens_as_kept, embedder.embed_late(missing)[1]), strict=True))
            if len(known) > REMEMBERED_PASSAGES:
                known.clear()
            known.update(found)
        return [found[text] for text in texts]

    return make


def _none_kept(ids: Sequence[str]) -> Mapping[str, PassageTokens]:
    return {}
