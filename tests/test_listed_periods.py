"""Sentences that list a number for each of several periods."""

from __future__ import annotations

import pytest

from mixrag_cli.recap.in_text.listed_periods import listed_part, numbers_of_other_periods
from mixrag_cli.recap.language import facets_of
from mixrag_cli.tables.prose_numbers import find_numbers

OWED = "As of March 2, 2031 and March 3, 2030, it owed $4.0 billion and $10.5 billion of notes."


@pytest.mark.parametrize(
    ("text", "asked", "left"),
    [
        (OWED, "March 2, 2031", ["$4.0 billion"]),
        (OWED, "March 3, 2030", ["$10.5 billion"]),
        ("In 2020 and 2019 we sold 5 and 7 boats, respectively.", "2019", ["7"]),
        ("Rates of 1.2 %, 2.0 % and 3.1 % applied in 2017, 2018 and 2019.", "2018", ["2.0 %"]),
        ("Sales were 80 and 90, costs 20 and 25 in 2020 and 2019.", "2020", ["80", "20"]),
        ("In 2020 and 2019 we sold 5, 7 and 9 boats.", "2019", ["5", "7", "9"]),
        ("In 2020 and 2019 we sold 5 and 7 boats.", "1998", ["5", "7"]),
        ("In 2020 and 2019 we sold 5 and 7 boats.", "", ["5", "7"]),
        ("In 2020 we sold 5 boats and 7 ships.", "2020", ["5", "7"]),
    ],
)
def test_the_numbers_of_other_periods_are_left_out(text: str, asked: str, left: list[str]) -> None:
    spans = [(start, end) for start, end, _ in find_numbers(text)]
    others = numbers_of_other_periods(text, spans, facets_of(asked))
    assert [text[start:end] for start, end in spans if start not in others] == left


def test_of_an_answer_that_is_a_list_the_asked_one_stays() -> None:
    asked = facets_of("March 3, 2030")
    assert listed_part(OWED, "$4.0 billion and $10.5 billion of notes", asked) == "$10.5 billion"
    assert listed_part(OWED, "it owed $4.0 billion and $10.5 billion of notes", asked) == (
        "it owed $4.0 billion and $10.5 billion of notes"
    )
    assert listed_part(OWED, "notes", asked) == "notes"
