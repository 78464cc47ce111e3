"""Evidence from words: phrases, headers and titles, and that each is asked of the passages that can have it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.retrieval.matching import QuestionTerms
from mixrag_cli.retrieval.sources import READERS, make_sources
from mixrag_cli.retrieval.sources.base import Query, add_scores
from mixrag_cli.retrieval.sources.headers import header_terms
from mixrag_cli.retrieval.sources.passages import read_passages
from mixrag_cli.retrieval.sources.row import Means
from mixrag_cli.store.memory import MemoryStore
from mixrag_cli.terms import text_to_terms


def asked(question: str, **weights: float) -> QuestionTerms:
    terms = text_to_terms(question)
    return QuestionTerms(terms, weights or dict.fromkeys(terms, 1.0))


def hit_of(text: str, kind: str = "prose", context: str = "", title: str = "", **scores: float) -> Hit:
    chunk = Chunk("c", "d", kind, "text", text, context, "", Locator((0, 0)), 0)
    terms = " ".join(text_to_terms(f"{context} {text}"))
    return Hit(chunk, "folder/file.txt", title, scores, 0.0, terms=terms)


def matched(hit: Hit, question: str, **weights: float) -> dict[str, float]:
    query = Query(question, np.zeros(1, np.float32), 1.0, terms=asked(question, **weights))
    store = MemoryStore([], "none", 1)
    for source in make_sources(READERS, Means(store, None, 40, 60, 30, lambda: read_passages([]))):
        (hit,) = add_scores(source, query, [hit])
    return dict(hit.scores)


def phrases(question: str, passage: str) -> float:
    return asked(question).phrases(" ".join(text_to_terms(passage)))


# --- phrases ----------------------------------------------------------------------------------------------------------


def test_phrases_count_pairs_and_triples_that_stand_side_by_side() -> None:
    question = "operating lease expense"
    assert phrases(question, "The operating lease expense rose.") == 1
    assert phrases(question, "Operating costs, lease terms, every expense.") == 0
    assert phrases(question, "An operating lease raises expense.") == pytest.approx((1 / 2 + 0) / 2)


def test_stop_words_between_two_words_do_not_part_them() -> None:
    assert phrases("cost of the revenue", "the cost of revenue was low") == 1


@pytest.mark.parametrize(("question", "share"), [("", 0), ("revenue", 0), ("net revenue", 1), ("net loss", 0)])
def test_short_questions_have_the_phrases_that_they_have(question: str, share: float) -> None:
    assert phrases(question, "net revenue of 2019") == share


def test_a_phrase_repeated_in_question_or_passage_counts_once() -> None:
    assert phrases("net revenue, net revenue", "net revenue") == pytest.approx((1 / 2 + 0) / 2)
    assert phrases("net revenue", "net revenue net revenue net revenue") == 1


# --- what is asked of which passage -----------------------------------------------------------------------------------


def test_every_passage_is_asked_for_phrases_however_it_was_found() -> None:
    assert matched(hit_of("net revenue", words=3.0), "net revenue") == {"words": 3.0, "title": 0, "phrase": 1}
    assert matched(hit_of("net revenue", meaning=0.4), "net revenue") == {"meaning": 0.4, "title": 0, "phrase": 1}


def test_headers_are_asked_of_tables_alone_and_their_values_are_no_headers() -> None:
    row = hit_of("Net revenue, 2019: 1,234", kind="row", context="Annual report", meaning=0.4)
    assert matched(row, "net revenue 2019")["header"] == 1
    assert matched(row, "what was 1,234")["header"] == 0
    assert "header" not in matched(hit_of("Net revenue", meaning=0.4), "net revenue")
    assert header_terms(["net", "1234", "2019", "3.5", "q4"]) == {"net", "2019", "q4"}


def test_a_title_says_the_share_of_the_questions_weight_that_stands_in_it() -> None:
    hit = hit_of("text", title="Pump manual")
    found = matched(hit, "pump pressure", pump=3.0, pressure=1.0)
    assert found["title"] == 0.75
    assert matched(hit, "")["title"] == 0


def test_folders_above_the_indexed_one_are_no_title() -> None:
    hit = replace(hit_of("text"), path="/home/pumps/filings/2023/q1.pdf", root="/home/pumps/filings")
    assert hit.path_below == "filings/2023/q1.pdf"
    assert matched(hit, "filings 2023")["title"] == 1
    assert matched(hit, "pumps")["title"] == 0
