"""The correction before a refusal: another wording finds, the question as it was asked judges."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from scripted_generator import Line, ScriptedGenerator

from mixrag_cli.retrieval.correction import widen
from mixrag_cli.settings import Settings
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.retrieving import retrieve
from mixrag_cli.stories.session import Session, open_session

SAMPLES = Path(__file__).parent / "samples" / "northmere"
# Of another collection altogether: companies' filings, where this one is a water utility's folder.
FOREIGN = (
    "What percentage of the net assets acquired is goodwill?",
    "What was the difference in operating margin between 2012 and 2013?",
    "What is the ratio of the flight attendants to pilots?",
    "What percent of the purchase was in cash?",
    "What is the growth rate in total assets in 2013?",
    "What portion of the total long-term borrowings is due in the next 36 months?",
    "What is the debt-to-asset ratio?",
    "What is the net change in cash during 2015?",
)
FEW = {"words_candidates": 2, "meaning_candidates": 2}


def open_with(northmere_texts: Path, **settings: object) -> Session:
    return open_session(northmere_texts, replace(Settings(), **settings))  # type: ignore[arg-type]


@pytest.mark.parametrize("few", [{}, FEW])
def test_a_foreign_question_stays_refused(northmere_texts: Path, few: dict[str, object]) -> None:
    session, uncorrected = open_with(northmere_texts, **few), open_with(northmere_texts, correction="off", **few)
    refused = [question for question in FOREIGN if not retrieve(uncorrected, question, None, Clock(), ()).hits]
    assert len(refused) > len(FOREIGN) / 2
    found = [retrieve(session, question, None, Clock(), ()) for question in refused]
    assert all(each.corrected for each in found)
    assert [question for question, each in zip(refused, found, strict=True) if each.hits] == []


def test_what_is_read_may_be_the_accepted_passages_alone(northmere_texts: Path) -> None:
    question = "Who lifted the boil notice?"
    every = retrieve(open_with(northmere_texts), question, None, Clock(), ()).hits
    accepted = retrieve(open_with(northmere_texts, evidence="accepted"), question, None, Clock(), ()).hits
    assert 0 < len(accepted) < len(every)
    assert accepted == tuple(hit for hit in every if hit.accepted_by is not None)


def test_what_another_wording_finds_has_the_questions_own_scores(northmere_texts: Path) -> None:
    few, every = open_with(northmere_texts, **FEW), open_with(northmere_texts)
    question = FOREIGN[0]
    hits = few.find(question, None, Clock())
    wording = widen(question, hits, few.statistics.weights)
    found = few.find_besides(question, wording, hits, None, Clock())
    more = {hit.chunk.id for hit in found} - {hit.chunk.id for hit in hits}
    assert more
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    own = {hit.chunk.id: hit.scores for hit in every.find(question, None, Clock())}
    for hit in found:
        if hit.chunk.id in more:
            assert hit.scores == pytest.approx({name: own[hit.chunk.id][name] for name in hit.scores}, abs=1e-5)
            assert {"meaning", "phrase", "rerank"} <= set(hit.scores)


def test_what_the_question_accepts_may_be_found_by_another_wording(northmere_texts: Path) -> None:
    few, every = open_with(northmere_texts, **FEW), open_with(northmere_texts)
    question, wording = "Who lifted the boil notice?", "pump maintenance, meter readings and the tariff of a household"
    accepted = {hit.chunk.id: hit.accepted_by for hit in every.judge(every.find(question, None, Clock()))}
    found = few.judge(few.find_besides(question, wording, [], None, Clock()))
    both = [hit for hit in found if hit.chunk.id in accepted]
    assert both
    assert [hit.accepted_by for hit in both] == [accepted[hit.chunk.id] for hit in both]


# --- a generator as judge (CRAG) --------------------------------------------------------------------------------------


def graded_by(northmere_texts: Path, *lines: Line, **settings: object) -> tuple[Session, ScriptedGenerator]:
    session = open_with(northmere_texts, acceptance="judge", **settings)
    judge = ScriptedGenerator(lines, repeat=True)
    session.use_generator(judge)
    return session, judge


def grades(first: int, others: int) -> str:
    return json.dumps({"grades": {f"p{number}": first if number == 1 else others for number in range(1, 11)}})


def test_a_judge_accepts_what_it_grades_high(northmere_texts: Path) -> None:
    session, judge = graded_by(northmere_texts, grades(8, 2), evidence="accepted")
    clock = Clock()
    found = retrieve(session, "Who lifted the boil notice?", None, clock, ())
    assert len(found.hits) == 1 and not found.corrected
    (hit,) = found.hits
    assert (hit.accepted_by, hit.threshold, hit.scores["judge"]) == ("judge", 0.5, 0.8)
    (request,) = judge.requests
    assert request.purpose == "judge passages" and request.schema is not None
    assert not clock.left_out


def test_what_a_judge_refuses_is_rewritten_once_and_refused(northmere_texts: Path) -> None:
    session, judge = graded_by(northmere_texts, grades(2, 0))
    found = retrieve(session, "Who lifted the boil notice?", None, Clock(), ())
    assert found.corrected and not found.hits and found.refused
    assert [request.purpose for request in judge.requests].count("judge passages") == 2


def test_a_judge_that_grades_nothing_leaves_it_to_the_thresholds(northmere_texts: Path) -> None:
    question = "Who lifted the boil notice?"
    session, _ = graded_by(northmere_texts, "They all look fine to me.")
    clock = Clock()
    found = retrieve(session, question, None, clock, ())
    usual = retrieve(open_with(northmere_texts), question, None, Clock(), ())
    assert [hit.chunk.id for hit in found.hits] == [hit.chunk.id for hit in usual.hits]
    assert any("graded none" in note for note in clock.left_out)
