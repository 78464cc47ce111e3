"""Which number of a list belongs to the year that a question asks for."""

from __future__ import annotations

import pytest

from mixrag_cli.quantities.prose_numbers import respective_number
from mixrag_cli.recap.drafting import draft_all
from tests.evidence_samples import read_sample

COSTS = "Repairs took €2.5 million, €2.6 million and €2.8 million in the years ended March 31, 2019, 2018 and 2017."


@pytest.mark.parametrize(
    ("sentence", "read", "year", "meant"),
    [
        (COSTS, "€2.5 million", 2018, "€2.6 million"),
        (COSTS, "€2.8 million", 2017, "€2.8 million"),
        ("The yield was 5% and 7% at December 31, 2019 and December 31, 2018.", "5%", 2018, "7%"),
        ("In 2019 and 2018, the yard sold 10 and 20 tonnes.", "10 and 20 tonnes", 2018, "20 tonnes"),
        # no list of years as long, none of the year asked for, or a number of another list
        ("In 2018 the yard sold 10 and 20 tonnes.", "10", 2018, "10"),
        (COSTS, "€2.5 million", 2016, "€2.5 million"),
        ("It rose from 10 in 2018 to 20 in 2019.", "20", 2018, "20"),
    ],
)
def test_the_number_in_the_place_of_the_year(sentence: str, read: str, year: int, meant: str) -> None:
    start = sentence.index(read)
    first, last = respective_number(sentence, start, start + len(read), {year})
    assert sentence[first:last] == meant


def test_two_years_ask_for_no_single_number() -> None:
    start = COSTS.index("€2.5")
    assert respective_number(COSTS, start, start + 4, {2018, 2019}) == (start, start + 4)


@pytest.mark.parametrize(
    ("year", "said"), [("2019", "€2.5 million"), ("2018", "€2.6 million"), ("2017", "€2.8 million")]
)
def test_the_reader_s_span_is_that_of_the_year(year: str, said: str) -> None:
    found = draft_all(
        *read_sample({"costs.md": f"# Costs\n\n{COSTS}\n"}).evidence_for(f"What did repairs take in {year}?")
    )
    assert [draft.text for draft in found if draft.kind == "span"] == [said]
