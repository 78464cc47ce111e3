"""Sources of evidence: one protocol, one row each, and nothing else that has to know of a new one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.calibration import as_raw, normalised, read_priors
from mixrag_cli.retrieval.candidates import find_hits
from mixrag_cli.retrieval.fusion import fuse_hits, source_scores
from mixrag_cli.retrieval.matching import QuestionTerms
from mixrag_cli.retrieval.sources import EXTRAS, FINDERS, READERS, ROWS, SOURCES, make_sources
from mixrag_cli.retrieval.sources.base import Proposal, Query, Source, add_scores
from mixrag_cli.retrieval.sources.passages import read_passages
from mixrag_cli.retrieval.sources.row import Means
from mixrag_cli.settings import EXTRA_SOURCES, USUAL_SOURCES, Settings
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.session import Session
from mixrag_cli.stories.unindexed import open_files
from mixrag_cli.terms import text_to_terms

QUESTION = "Who lifted the boil notice?"
SAMPLES = Path(__file__).parent / "samples" / "northmere"


@pytest.fixture(scope="module")
def session() -> Session:
    return open_files([SAMPLES / "handbook.md"], Settings())


@pytest.fixture(scope="module")
def means(session: Session) -> Iterator[Means]:
    kept = read_passages(session.reader.passages())
    yield Means(session.reader, session.reranker, 5, 5, 3, lambda: kept)


def query_of(session: Session, question: str = QUESTION) -> Query:
    terms = text_to_terms(question)
    weights = session.statistics.weights(terms)
    ceiling = session.statistics.ceiling(terms)
    return Query(question, session.vector_of(question), ceiling, terms=QuestionTerms(terms, weights))


def test_every_source_has_one_row_and_is_made_under_its_own_name(means: Means) -> None:
    made = make_sources(SOURCES, means)
    assert [source.name for source in made] == list(SOURCES)
    assert {*FINDERS, *READERS, "rerank"} == set(SOURCES)
    assert {*SOURCES, *EXTRAS} == set(ROWS) and (SOURCES, EXTRAS) == (USUAL_SOURCES, EXTRA_SOURCES)


def test_the_guide_explains_each_source_that_can_be_added() -> None:
    told = (Path(__file__).parent.parent / "docs" / "guide.md").read_text("utf-8")
    assert [name for name in EXTRA_SOURCES if f"| `{name}` |" not in told] == []


def test_a_source_that_the_collection_has_nothing_for_is_left_out(means: Means) -> None:
    names = [source.name for source in make_sources((*SOURCES, *EXTRAS), replace(means, reranker=None))]
    assert names == [name for name in (*SOURCES, *EXTRAS) if name not in ("rerank", "summary")]


@pytest.mark.parametrize("name", [name for name in (*SOURCES, *EXTRAS) if name != "summary"])
def test_a_source_gives_a_score_or_none_for_every_hit(name: str, session: Session, means: Means) -> None:
    hits = session.gather(QUESTION, None, Clock())
    (source,) = make_sources((name,), means)
    scores = source.score(query_of(session), hits)
    assert len(scores) == len(hits) > 3
    assert any(score is not None for score in scores) or name in (
        "header",
        "tiers",
    )  # no table here, and too few passages
    assert source.score(query_of(session), []) == []


@pytest.mark.parametrize("name", FINDERS)
def test_what_finds_proposes_in_the_first_round_alone(name: str, session: Session, means: Means) -> None:
    (source,) = make_sources((name,), means)
    found = source.propose(query_of(session), ())
    assert 0 < len(found) <= 5
    assert source.propose(query_of(session), session.gather(QUESTION, None, Clock())) == ()


@pytest.mark.parametrize("name", SOURCES)
def test_raw_and_normalised_scores_turn_into_each_other(name: str, session: Session) -> None:
    hit = replace(session.gather(QUESTION, None, Clock())[0], scores={name: 0.4}, ceiling=2.0)
    known = normalised(hit, name)
    assert known is not None and as_raw(known, name, 2.0) == pytest.approx(0.4)


def test_a_passage_that_two_sources_propose_is_one_hit_with_both_scores(session: Session, means: Means) -> None:
    hits = find_hits(make_sources(FINDERS, means), query_of(session), 5)
    assert len({hit.chunk.id for hit in hits}) == len(hits)
    assert any({"words", "meaning"} <= set(hit.scores) for hit in hits)
    assert all("meaning" in hit.scores for hit in hits)  # its vector is known, whoever found it


def test_what_other_vectors_seek_is_judged_by_the_question(session: Session, means: Means) -> None:
    query = replace(query_of(session), sought=(session.vector_of("tariffs of the water company"),))
    for hit in find_hits(make_sources(FINDERS, means), query, 5):
        assert hit.scores["meaning"] == pytest.approx(float(np.dot(hit.vector, query.vector)), abs=1e-6)


def test_headers_say_nothing_of_what_they_are_not_asked_of(session: Session) -> None:
    hits = [
        replace(hit, scores={"header": 0.5} if n else {})
        for n, hit in enumerate(session.gather(QUESTION, None, Clock()))
    ]
    assert source_scores(hits, "header")[0] is None
    lowest = [replace(hit, scores={"phrase": 0.5} if n else {}) for n, hit in enumerate(hits)]
    assert source_scores(lowest, "phrase")[0] == 0.5


@dataclass(frozen=True)
class Position:
    """A source that a test adds: what stands first in its file is best."""

    name: str = "title"  # in the place of a known one, so that its row and curves serve

    def propose(self, query: Query, seeds: Sequence[Hit]) -> Sequence[Proposal]:
        return ()

    def score(self, query: Query, hits: Sequence[Hit]) -> Sequence[float | None]:
        return [1.0 / (1 + hit.chunk.position) for hit in hits]


def test_a_weight_of_nought_turns_a_source_off(session: Session) -> None:
    hits = session.gather(QUESTION, None, Clock())
    other: Source = Position()
    changed = add_scores(other, query_of(session), hits)
    prior = read_priors()["late"]
    off = replace(prior, weights={**prior.weights, "title": 0.0})
    on = replace(prior, weights={**prior.weights, "title": 500.0})
    order = [hit.chunk.id for hit in fuse_hits(hits, off, n_words=40)]
    assert [hit.chunk.id for hit in fuse_hits(changed, off, n_words=40)] == order
    assert [hit.chunk.id for hit in fuse_hits(changed, on, n_words=40)] != order
