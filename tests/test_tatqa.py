"""TAT-QA's scoring, by the rules of the scorer published with it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from mixrag_cli.evaluation.tatqa import answer_strings, is_number, score_answer, to_number
from mixrag_cli.records.answers import Answer, Evidence


@pytest.mark.parametrize(
    ("answers", "scale", "gold", "gold_scale", "exact"),
    [
        (["1496.5"], "million", ["$1,496.5"], "million", 1.0),
        (["1496.5"], "", ["$1,496.5"], "million", 0.0),
        (["1.2"], "million", ["1,200"], "thousand", 1.0),
        (["36.5"], "million", ["$36.5 million"], "", 1.0),
        (["26.1"], "percent", ["26.1%"], "", 1.0),
        (["0.2342"], "", ["23.42"], "percent", 1.0),
        (["-12.5"], "", ["(12.5)"], "", 1.0),
        (["the pension plan"], "", ["Pension plan."], "", 1.0),
        (["2018", "2019"], "", ["2019", "2018"], "", 1.0),
        (["2018"], "", ["2019", "2018"], "", 0.0),
        ([], "", ["2019"], "", 0.0),
    ],
)
def test_exact_match(answers: list[str], scale: str, gold: list[str], gold_scale: str, exact: float) -> None:
    assert score_answer(answers, scale, gold, gold_scale, "span")[0] == exact


def test_f1_counts_shared_words_of_texts_and_nothing_of_wrong_numbers() -> None:
    assert score_answer(["lower tax payments"], "", ["lower payments"], "", "span") == (0.0, 0.8)
    assert score_answer(["4"], "", ["5"], "", "count") == (0.0, 0.0)


def test_numbers_as_the_scorer_reads_them() -> None:
    assert to_number("$ 1,452.4 million") == 1_452_400_000
    assert to_number("no figure") is None
    assert is_number("5 billion")
    assert not is_number("5 plants")


def test_a_cell_is_given_as_the_source_writes_it_and_a_list_by_its_parts() -> None:
    """The scorer reads "(1,212)" as 1212 and "-1212" as less than nothing; its right answers are quotations."""
    proof = Evidence("e1", 1, "(1,212)", "Repairs | 2019", Decimal(-1212), "USD", 1_000_000)
    stated = Answer(
        "What were the repairs?", "answered", "-$1,212 million", "lookup", "", Decimal(-1212), "USD million"
    )
    cell = replace(stated, evidence=(proof,))
    assert answer_strings(cell) == (["(1,212)"], "million")
    assert score_answer(*answer_strings(cell), ["(1,212)"], "million", "span")[0] == 1.0
    assert answer_strings(replace(cell, formula="e1")) == (["-1212"], "million")
    listed = replace(stated, text="2018; 2017", value=None, unit="", evidence=(replace(proof, value=None),))
    assert answer_strings(listed) == (["2018", "2017"], "")
