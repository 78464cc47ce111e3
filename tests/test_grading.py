"""Candidates, their signs, the probability made of them, and the three grades."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from mixrag_cli.recap.drafting import draft_all
from mixrag_cli.recap.grading import (
    INPUTS,
    Forest,
    Grading,
    as_answer,
    choices,
    grading_from_json,
    inputs_of,
    shipped_grading,
    surety_inputs,
)
from mixrag_cli.recap.reader import read_answer
from mixrag_cli.recap.signs import KINDS, MAX_LEAD, SIGNS, Draft, compare, number_sign
from mixrag_cli.recap.wanted import BIAS, evidence_inputs
from mixrag_cli.records.answers import Source, Spot
from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.stories.scope import path_matches
from tests.evidence_samples import REPORT, Sample, read_sample, shown_text, understood
from training.grading.domains import Asked, Gold
from training.grading.everyday import SCOPED, of_another_file, of_own_file
from training.grading.signs import Signed, is_right
from training.grading.weights import grading_to_json


@pytest.fixture(scope="module")
def sample() -> Sample:
    return read_sample({"report.md": REPORT})


def sure(stated: float, likely: float = 0.35, held: float = 0.5) -> Grading:
    """A grading by one sign alone: the probability goes by the words said in and around."""
    of_words = Forest(("around",), -2.0, ((0, 0.5, True, 0.0, (0, 0.9, True, 3.0, 6.0)),))
    return Grading(of_words, {"answer": 1.0}, stated, likely, held, {})


def draft(chunk: str, text: str, **signs: float) -> Draft:
    place = Locator((0, 1), lines=(1, 1))
    hit = Hit(Chunk(chunk, "d", "prose", "text", text, "", "", place, 0), "a.txt", "", {}, 0.5)
    return Draft("span", text, Source(1, hit, place, text), signs)


def test_a_forest_adds_what_its_trees_say_and_a_missing_sign_goes_its_own_way() -> None:
    first = (0, 1.0, False, -1.0, (1, 0.5, True, 0.25, 2.0))
    forest = Forest(("holds", "words"), 0.5, (first, 0.75))
    assert forest({"holds": 1.0, "words": 0.9}) == pytest.approx(1 / (1 + math.exp(-(0.5 - 1.0 + 0.75))))
    assert forest({"holds": 1.1, "words": 0.6}) == pytest.approx(1 / (1 + math.exp(-(0.5 + 2.0 + 0.75))))
    assert forest({}) == pytest.approx(1 / (1 + math.exp(-(0.5 + 0.25 + 0.75))))


def test_what_is_shipped_is_read_as_it_was_written() -> None:
    shipped = shipped_grading()
    assert shipped.forest.inputs == INPUTS
    assert 0.5 <= shipped.stated <= 1 and {f"is {kind}" for kind in KINDS} <= set(shipped.surety)
    assert grading_from_json(json.loads(grading_to_json(shipped))) == shipped
    with pytest.raises(ValueError, match="unknown signs"):
        grading_from_json({"surety": {}, "choice": {}, "inputs": ["x"], "bias": 0, "trees": []})


def test_more_evidence_is_never_worth_less() -> None:
    """What is shipped is monotone in the signs that can only speak for an answer, whatever else is said."""
    forest = shipped_grading().forest
    for kind in KINDS:
        for name in ("holds", "alone", "sentence", "words", "promise", "cell"):
            others = inputs_of(kind, dict.fromkeys(SIGNS, 0.4))
            chances = [forest({**others, name: value / 2}) for value in range(-16, 17)]
            assert chances == sorted(chances)


def test_candidates_are_shown_where_one_is_likely_or_all_together_hold_the_answer() -> None:
    grading = sure(0.85)
    assert grading.shows([0.4])
    assert grading.shows([0.3, 0.2, 0.2])  # 1 - .7 * .8 * .8 = .55
    assert not grading.shows([0.2, 0.2, 0.1])
    assert not grading.shows([])


def test_of_cells_and_keys_one_is_meant() -> None:
    """They share one probability; a sign that one lacks counts as it usually is; text is not compared."""
    found = choices(
        {"pair": (2.0, 0.0), "listwise": (1.0, -3.0), "is fact": (-0.5, 0.0)},
        [("cell", {"pair": 1.0, "listwise": -1.0}), ("fact", {"pair": 0.5}), ("span", {"pair": 9.0})],
    )
    assert found[2] is None
    weighed = np.exp([2.0 - 1.0 + 3.0, 1.0 - 0.5])
    assert np.exp([log for log in found if log is not None]) == pytest.approx(weighed / weighed.sum())


def test_the_choice_is_fitted_to_what_differs_within_a_question() -> None:
    """What is alike for all candidates of a question, however much it tells of the question, weighs nothing."""
    fit = pytest.importorskip("training.grading.fit", reason="scikit-learn is not installed", exc_type=ImportError)
    spot = Spot("cell", "c", "t", "d", Locator((0, 1)))
    examples = [
        Signed("x", n, {"pair": right - 0.1 * n, "held": n % 3}, bool(right), bool(right), spot)
        for n in range(12)
        for right in (0, 1)
    ]
    weights = fit.fit_choice(examples)
    assert weights["pair"][0] > 0
    assert "held" not in weights
    wrong, right = choices(weights, [(one.kind, one.signs) for one in examples[:2]])
    assert wrong is not None and right is not None and right > wrong


def test_a_passage_is_an_answer_as_far_as_one_is_asked_for() -> None:
    assert as_answer("passage", {"text_asked": 0.25}, 0.8) == pytest.approx(0.2)
    assert as_answer("cell", {"text_asked": 0.25}, 0.8) == 0.8


def test_the_surety_is_asked_of_the_chance_the_kind_and_what_the_question_wants() -> None:
    inputs = surety_inputs("passage", {"text_asked": 0.5, "done": 0.9, "holds": 3.0}, 0.8)
    assert inputs["chance"] == pytest.approx(math.log(4))
    assert inputs["answer"] == pytest.approx(math.log(0.4 / 0.6))
    assert (inputs["is passage"], inputs["is cell"], inputs["done"], inputs["promise"]) == (1.0, 0.0, 0.9, 0.0)
    assert "holds" not in inputs  # the forest has it
    assert inputs[BIAS] == 1.0
    shipped = shipped_grading()
    assert shipped.sure_of(draft("a", "5", done=0.9), 0.9) > shipped.sure_of(draft("a", "5", done=0.9), 0.4)


def test_leads_are_over_other_answers_and_other_passages() -> None:
    one, twin, other = compare(
        [draft("a", "5", span=2.0, holds=3.0), draft("b", "5", span=1.0, holds=1.0), draft("c", "7", span=0.5)]
    )
    assert one.signs["span_lead"] == 1.5  # over "7", not over the same answer elsewhere
    assert one.signs["holds_lead"] == 2.0
    assert one.signs["agreement"] == twin.signs["agreement"] == 1.0
    assert other.signs["span_lead"] == -1.5
    assert compare([draft("a", "5", span=2.0)])[0].signs["span_lead"] == MAX_LEAD


def test_every_kind_of_candidate_is_drafted_with_known_signs(sample: Sample) -> None:
    found = draft_all(*sample.evidence_for("By how much did sales of chairs grow from 2023 to 2024?"))
    assert {"computed", "passage"} <= {one.kind for one in found}
    assert {name for one in found for name in one.signs} <= set(SIGNS)
    assert all(math.isfinite(value) for one in found for value in one.signs.values())
    for one in found:
        if one.kind in ("passage", "span"):
            assert all(0 <= start < end <= len(one.source.text) for start, end in one.marks)


def test_the_same_evidence_is_stated_shown_or_refused_by_what_is_believed(sample: Sample) -> None:
    asked = sample.evidence_for("Why was the new saw delayed?")
    stated = read_answer(*asked, grading=replace(sure(0.5), likely=0.0))
    likely = read_answer(*asked, grading=sure(1.0, likely=0.01))
    refused = read_answer(*asked, grading=sure(1.0, likely=1.0, held=1.1))
    assert (stated.status, likely.status, refused.status) == ("answered", "likely", "abstained")
    assert stated.sources and stated.evidence and stated.confidence >= 0.5
    assert likely.value is None and not likely.evidence
    assert "lost the drawings" in shown_text(likely)
    assert not refused.candidates and refused.refused


def test_a_refusal_names_what_no_passage_speaks_of(sample: Sample) -> None:
    never = sure(1.0, likely=1.0, held=1.1)
    assert "Ashgrove" in read_answer(*sample.evidence_for("What were the sales of Ashgrove in 2024?"), never).text
    known = read_answer(*sample.evidence_for("What were the sales of chairs in 2024?"), never).text
    assert "chairs" not in known  # the documents do speak of them


def test_a_passage_is_no_answer_to_how_many(sample: Sample) -> None:
    eager = replace(shipped_grading(), stated=0.0)
    answer = read_answer(*sample.evidence_for("How many chairs did the workshop sell in 2024?"), eager)
    assert answer.candidates[0].kind != "passage"


def test_a_likely_row_has_its_likeliest_cell_marked(sample: Sample) -> None:
    passages_first = Forest(("is passage", "around"), 0.0, ((0, 0.5, True, -1.0, 1.0), (1, 0.9, True, -1.0, 1.0)))
    grading = Grading(passages_first, {"bias": -9.0}, 0.9, 0.1, 0.1, {})
    restated, base = sample.evidence_for("How many thousand euros of chairs were sold in 2024?")
    rows = tuple(hit for hit in base.hits if hit.chunk.row is not None)
    answer = read_answer(restated, replace(base, hits=rows), grading)
    assert answer.status == "likely"
    chairs = next(one for one in answer.candidates if "Chairs" in one.text)
    assert chairs.kind == "passage"
    assert [chairs.source.text[start:end] for start, end in chairs.marks] == ["515"]


def test_some_questions_are_asked_again_of_the_one_file_that_answers_them() -> None:
    files = ("a/notes [draft].md", "a/notes.md", "a/sums.csv")
    asked = [Asked(f"question {n}", ("1",), (Gold(files[n % 3]),)) for n in range(2 * SCOPED)]
    of_two_files = Asked("both", ("2",), (Gold("a/notes.md"), Gold("a/sums.csv")))
    again = list(of_own_file([Asked("nowhere", (), ()), of_two_files, *asked]))
    assert [one.text for one in again] == ["question 0", f"question {SCOPED}"]
    met = [[file for file in files if path_matches(f"/home/{file}", one.scope[0])] for one in again]
    assert met == [["a/notes [draft].md"], ["a/notes.md"]]
    (elsewhere,) = of_another_file(asked)
    assert (elsewhere.text, elsewhere.forms) == ("question 0", ())
    assert not path_matches("/home/a/notes [draft].md", elsewhere.scope[0])


def test_a_question_that_a_passage_answers_is_answered_from_the_right_lines() -> None:
    one = draft("c", "It is drained on Mondays.")
    cited = replace(one, sources=(one.source,))
    why = Asked("Why is it closed?", ("for cleaning",), (Gold("a.txt", lines=(1, 3)),), is_of_text=True)
    assert is_right(why, cited)
    assert not is_right(why, one)  # it cites nothing
    assert not is_right(replace(why, gold=(Gold("a.txt", lines=(2, 3)),)), cited)
    assert not is_right(replace(why, gold=(Gold("b.txt", lines=(1, 3)),)), cited)
    assert not is_right(replace(why, is_of_text=False), cited)
    assert is_right(replace(why, gold=(Gold("a.txt", words="on Mondays"),)), cited)
    assert not is_right(replace(why, gold=(Gold("a.txt", words="on Fridays"),)), cited)


def test_a_row_of_a_sheet_answers_what_was_noted_of_its_cell() -> None:
    note = replace(
        draft("c", "It was closed for cleaning.").source, locator=Locator((0, 1), sheet="Notes", cells="A6:B6")
    )
    passage = replace(draft("c", "It was closed for cleaning."), kind="passage", source=note)
    why = Asked("Why is it closed?", (), (Gold("a.txt", cells="B6"),), is_of_text=True)
    assert is_right(why, passage)
    assert is_right(why, replace(passage, kind="cell", sources=(note,)))
    assert not is_right(replace(why, gold=(Gold("a.txt", cells="B7"),)), passage)


def test_what_is_found_tells_whether_a_passage_is_asked_for() -> None:
    found = [("span", {"span": -1.0, "length": 1.0}), ("span", {"span": -2.0, "length": 3.0})]
    assert evidence_inputs(found) == {
        "best span": -1.0, "length of best span": 1.0, "no span": 0.0, "no cell": 1.0, "no passage": 1.0,
    }  # fmt: skip


def test_a_threshold_allows_for_its_own_error() -> None:
    fit = pytest.importorskip("training.grading.fit", reason="scikit-learn is not installed", exc_type=ImportError)
    spot = Spot("cell", "c", "", "d", Locator((0, 1)))

    def firsts(domain: str, sure: float, n_right: int, n: int) -> list[Any]:
        ones = [Signed(domain, number, {}, number < n_right, number < n_right, spot) for number in range(n)]
        return [fit.First(one, {}, sure) for one in ones]

    surest = [each for domain in ("campus", "club", "trade", "office") for each in firsts(domain, 0.9, 24, 25)]
    assert fit.least_stated(surest) == 0.5
    assert fit.least_stated([*surest, *firsts("campus", 0.6, 17, 20)]) == 0.5  # 113 of 120: more than enough are right
    # Of another folder, unlike the others, 9 of 20: 105 of 120, .875, are too near to .85, for the next may be like it.
    assert fit.least_stated([*surest, *firsts("health", 0.6, 9, 20)]) == 0.601
    assert (
        fit.least_stated([*surest, *firsts("tables", 0.6, 0, 80)]) == 0.5
    )  # of a data set, which tells nothing of folders
    with pytest.raises(ValueError, match="no surety"):
        fit.least_stated([each for domain in ("campus", "club") for each in firsts(domain, 0.9, 40, 50)])
    with pytest.raises(ValueError, match="no surety"):
        fit.least_stated(firsts("campus", 0.9, 100, 100))


def test_a_number_of_another_unit_is_no_percentage() -> None:
    asked = understood("What percentage of total sales came from chairs?")
    units = ("%", "", "USD")
    assert [number_sign(asked, Decimal(12), unit) for unit in units] == [1.0, 0.5, -1.0]
    assert number_sign(asked, None) == -1.0
