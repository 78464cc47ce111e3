"""Candidates: the union of what the words find and what the meaning finds, with every raw score kept.

n = 40 by words and m = 60 by meaning, as in MixRAG, appendix C. The searches run apart, because a hybrid search inside
the store hides the raw scores that fusion and calibration need.

Source: MixRAG, section 4.2 (ensemble retrieval: BM25, embeddings, merging) and appendix C.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.fusion import fuse
from mixrag_cli.retrieval.sources import ROWS, meaning, words
from mixrag_cli.retrieval.sources.base import Proposal, Query, Source, add_all_scores


def find_hits(finders: Sequence[Source], query: Query, n_words: int) -> list[Hit]:
    """The candidates of the sources that find, fused, best first; ties by path, then position.

    n_words: how many passages the words were asked for. A hit's scores hold "words" only where the words found it, and
    "meaning" wherever its vector is known. The score "meaning" is always the question's own; what else was sought by
    decides what is found, and the order at first.
    """
    pool: dict[str, Hit] = {}
    for source in finders:
        for proposal in source.propose(query, ()):
            known = pool.get(proposal.passage.chunk.id)
            pool[proposal.passage.chunk.id] = _to_hit(source, proposal, query, known)
    return _in_order(add_all_scores(finders, query, list(pool.values())), query, n_words)


def find_more(sources: Sequence[Source], finders: Sequence[Source], query: Query, hits: Sequence[Hit]) -> list[Hit]:
    """What these sources propose beside the hits, each passage once; with the finders' scores, where they have one."""
    more: dict[str, Hit] = {}
    for source in sources:
        for proposal in source.propose(query, hits):
            more.setdefault(proposal.passage.chunk.id, _to_hit(source, proposal, query, None))
    found = add_all_scores(finders, query, list(more.values()))
    return _in_order(found, query, len(found) + 1)


def _in_order(hits: Sequence[Hit], query: Query, n_words: int) -> list[Hit]:
    """The pool by the fused score of the first stage."""
    by_words = {hit.chunk.id: hit.scores[words.NAME] for hit in hits if words.NAME in hit.scores}
    near = {hit.chunk.id: hit.scores[meaning.NAME] for hit in hits if meaning.NAME in hit.scores}
    if query.sought:
        known = ((hit.chunk.id, hit.vector) for hit in hits if hit.vector is not None)
        near = {key: max(float(vector @ each) for each in query.sought) for key, vector in known}
    fused = fuse(by_words, near, ceiling=query.ceiling, n_words=n_words)
    scored = [replace(hit, scores=_in_rows_order(hit.scores), score=fused.get(hit.chunk.id, 0.0)) for hit in hits]
    return sorted(scored, key=lambda hit: (-hit.score, hit.path, hit.chunk.position))


def _in_rows_order(scores: Mapping[str, float]) -> dict[str, float]:
    return {name: scores[name] for name in ROWS if name in scores}


def _to_hit(source: Source, proposal: Proposal, query: Query, known: Hit | None) -> Hit:
    """The passage as a hit, with what other sources that proposed it said."""
    passage = proposal.passage
    scores = dict(known.scores) if known is not None else {}
    if proposal.score is not None:
        scores[source.name] = max(proposal.score, scores.get(source.name, -inf))
    return Hit(
        passage.chunk,
        passage.path,
        passage.title,
        scores,
        0.0,
        ceiling=query.ceiling,
        terms=passage.terms,
        root=_root_of(passage.path, query.roots),
        vector=passage.vector,
    )


def _root_of(path: str, roots: Sequence[str]) -> str:
    """The innermost of the folders that the path lies in, "" for none."""
    return max((root for root in roots if path.startswith(f"{root}/")), key=len, default="")


def merge_hits(rankings: Sequence[Sequence[Hit]]) -> list[Hit]:
    """The hits of several queries as one list, each chunk once with its best score, best first."""
    best: dict[str, Hit] = {}
    for hit in (hit for ranking in rankings for hit in ranking):
        known = best.get(hit.chunk.id)
        if known is None or hit.score > known.score:
            best[hit.chunk.id] = hit
    return sorted(best.values(), key=lambda hit: (-hit.score, hit.path, hit.chunk.position))
