"""TAT-QA's scoring, by the rules of the scorer published with it."""

from __future__ import annotations

import pytest

from mixrag_cli.evaluation.tatqa import is_number, score_answer, to_number


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
