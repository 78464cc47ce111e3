"""What the built-in reader understands of a question, as a table of examples."""

from __future__ import annotations

import pytest

from mixrag_cli.quantities.facets import (
    Facets,
    facet_agreement,
    facet_conflict,
    facets_of,
    without_facets,
    years_between,
)
from mixrag_cli.reading import QuestionReading
from mixrag_cli.recap.restate import restate
from mixrag_cli.words import match_term, stem, terms_of, words_of
from tests.evidence_samples import understood


@pytest.mark.parametrize(
    ("question", "operation", "expects"),
    [
        ("What was Acme's gross margin for the three months ended July 1, 2023?", "lookup", "number"),
        ("In 2014, what was the net number of newcomers?", "lookup", "number"),
        ("Who designed the bridge that opened in 2014?", "lookup", "any"),
        ("What effective tax rate did Acme report for the third quarter of 2023?", "lookup", "percent"),
        ("What share of Acme's revenue came from Services in 2023?", "share", "percent"),
        ("By how much did net sales differ between 2021 and 2022?", "difference", "number"),
        ("What was the percentage change in net sales from 2021 to 2022?", "change_percent", "percent"),
        ("What is the average total bill in the tips data?", "average", "number"),
        ("Which state had the highest total exports?", "maximum", "label"),
        ("What was the lowest reading?", "minimum", "number"),
        ("What is the ratio of debt to equity?", "ratio", "number"),
        ("Which function in requests sends a PATCH request?", "lookup", "code"),
        ("How many redirects does a Session follow at most by default?", "lookup", "number"),
        ("How many rows does the sheet have?", "count", "number"),
        ("How do I open a file in the instance folder?", "lookup", "text"),
        ("What is the default minimum interval between updates?", "lookup", "number"),
    ],
)
def test_operation_and_form_of_the_answer(question: str, operation: str, expects: str) -> None:
    restated = understood(question)
    assert (restated.operation, restated.expects) == (operation, expects)


def test_a_share_names_its_part_before_its_whole() -> None:
    part, whole = understood("What share of Acme's total net sales came from Services in 2023?").operands
    assert "servic" in part.terms
    assert whole.terms == (stem("acme"), "total", "net", "sale")
    assert part.facets.years == whole.facets.years == {2023}


def test_two_dates_make_two_operands_earliest_first() -> None:
    first, second = understood(
        "By how much did sales differ between the quarter ended July 1, 2023 and the quarter ended December 31, 2022?"
    ).operands
    assert first.facets.dates == {(2022, 12, 31)}
    assert second.facets.dates == {(2023, 7, 1)}
    assert first.terms == second.terms == ("sale",)


def test_values_of_two_days_of_a_year_are_listed_as_they_are_asked_for() -> None:
    question = "What were the deposits as of September 30, 2023 and June 30, 2023?"
    first, second = understood(question).operands
    assert (first.facets.dates, second.facets.dates) == ({(2023, 9, 30)}, {(2023, 6, 30)})


def test_years_are_listed_as_they_are_asked_for_and_those_between_with_them() -> None:
    def years_of(question: str) -> list[int]:
        return [min(operand.facets.years) for operand in understood(question).operands]

    assert years_of("What were the fees in 2020, 2018 and 2017, respectively?") == [2020, 2018, 2017]
    assert years_of("What were the fees for the years 2019 to 2017?") == [2019, 2018, 2017]
    assert years_of("What were the fees for the years 2017 to 2019?") == [2017, 2018, 2019]


def test_a_ratio_is_of_what_is_named_first() -> None:
    for question in (
        "What was the ratio of the fees in 2020 to 2018?",
        "How many times as large were the fees in 2020 as in 2018?",
    ):
        (ratio,) = (each for each in understood(question).calculations if each.operation == "ratio")
        assert [min(operand.facets.years) for operand in ratio.operands] == [2020, 2018]


def test_a_mean_is_over_all_years_of_a_stretch_and_a_change_over_its_ends() -> None:
    def years_of(question: str) -> list[set[int]]:
        return [set(operand.facets.years) for operand in understood(question).operands]

    assert years_of("What was the average revenue from 2019 to 2021?") == [{2019}, {2020}, {2021}]
    assert years_of("What was the average revenue in 2019 and 2021?") == [{2019}, {2021}]
    assert years_of("By how much did revenue rise from 2019 to 2021?") == [{2019}, {2021}]


@pytest.mark.parametrize(
    ("question", "operands"),
    [
        ("By how much did revenue rise from 2019/20 to 2020/21?", ["2019/20", "2020/21"]),
        ("By how much did revenue rise from 2019/2020 to 2020/2021?", ["2019/20", "2020/21"]),
        ("By how much did revenue rise from 2018-2019 to 2020-2021?", ["2018/19", "2020/21"]),
        ("What was the average revenue from 2018-19 to 2020-21?", ["2018/19", "2019/20", "2020/21"]),
        ("By how much did revenue rise in 2020/21?", ["2019/20", "2020/21"]),
        ("By how much did revenue rise from March to April 2020?", ["March 2020", "April 2020"]),
        ("By how much did revenue rise from December 2019 to January 2021?", ["December 2019", "January 2021"]),
        ("What was the average revenue in May, June and August 2020?", ["May 2020", "June 2020", "August 2020"]),
    ],
)
def test_split_years_and_months_are_periods(question: str, operands: list[str]) -> None:
    found = understood(question).operands
    assert [operand.text[-len(end) :] for operand, end in zip(found, operands, strict=True)] == operands
    assert {operand.terms for operand in found} == {(stem("revenue"),)}


def test_which_months_are_in_a_stretch_that_is_added_up_is_not_guessed() -> None:
    (whole,) = understood("What was the average revenue from March to July 2020?").operands
    assert whole.is_whole


def test_how_many_fewer_and_how_far_it_fell_have_no_sign() -> None:
    assert understood("How many fewer cars were sold in 2020 than in 2019?").is_unsigned("difference")
    assert understood("By what percentage did sales fall from 2019 to 2020?").is_unsigned("change_percent")
    assert not understood("What was the change in sales from 2019 to 2020?").is_unsigned("difference")
    assert not understood("By how many percent did sales change?").is_unsigned("change_percent")


def test_a_fall_in_percent_is_a_change_in_percent() -> None:
    assert understood("How much did sales drop from 2019 to 2020, in percent?").operation == "change_percent"


def test_what_the_reader_takes_for_likely_is_tried_beside_what_the_words_call_for() -> None:
    reading = QuestionReading({"lookup": 0.4, "difference": 0.25, "sum": 0.3, "average": 0.05}, {"number": 1.0})
    restated = restate("What were the fees in 2019 and 2020?", reading)
    assert [each.operation for each in restated.calculations] == ["lookup", "sum", "difference"]
    assert [len(each.operands) for each in restated.calculations] == [2, 2, 2]
    meant = restated.meant_as("difference")
    assert (restated.kind, meant.kind) == ("lookup", "arithmetic")
    assert meant.asks == "What were the fees 2019; What were the fees 2020"
    assert restated.meant_as("ratio") is restated
    lone = restate("What were the fees?", reading)  # no words name what is added up: the likeliest cells may say it
    assert [(each.operation, len(each.operands)) for each in lone.calculations] == [
        ("lookup", 1), ("sum", 1), ("difference", 1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("from 2017 to 2020", {2018, 2019}),
        ("between the years 2017 and 2019", {2018}),
        ("2017–2019", {2018}),
        ("in 2017 and 2020", set()),
        ("from 2019 to 2020", set()),
        ("from the third quarter of 2017 to the first quarter of 2019", {2018}),
    ],
)
def test_the_years_between_are_those_of_a_stretch(text: str, years: set[int]) -> None:
    assert years_between(text) == years


def test_names_are_the_capitals_inside_the_sentence_and_no_months() -> None:
    assert understood("What was Tesla's revenue in January 2023?").names == {"tesla"}


@pytest.mark.parametrize(
    ("text", "facets"),
    [
        (
            "three months ended July 1, 2023",
            Facets(frozenset({2023}), frozenset({(2023, 7, 1)}), months=frozenset({3})),
        ),
        ("1 July 2023", Facets(frozenset({2023}), frozenset({(2023, 7, 1)}))),
        ("2023-07-01", Facets(frozenset({2023}), frozenset({(2023, 7, 1)}))),
        ("report_2023_Q3.pdf", Facets(frozenset({2023}), quarters=frozenset({3}), months=frozenset({3}))),
        ("the third quarter of 2023", Facets(frozenset({2023}), quarters=frozenset({3}), months=frozenset({3}))),
        ("sales of 2017,2018 and 2019", Facets(frozenset({2017, 2018, 2019}))),
        ("$2,023 and 2,019 items at 2015.5, 2018,500 of them", Facets()),
        (
            "the seasons 2014/15, 2015-16 and 2016_2017",
            Facets(frozenset({2014, 2015, 2016, 2017}), splits=frozenset({2014, 2015, 2016})),
        ),
        ("2014/16 and 2014/15/16", Facets(frozenset({2014}))),
        ("March and April 2020", Facets(frozenset({2020}), frozenset({(2020, 3, 0), (2020, 4, 0)}))),
        ("2023Q2", Facets(frozenset({2023}), quarters=frozenset({2}), months=frozenset({3}))),
        ("2010-11", Facets(frozenset({2010}), splits=frozenset({2010}))),
        ("2023-05, 2021M11", Facets(frozenset({2023, 2021}), frozenset({(2023, 5, 0), (2021, 11, 0)}))),
        ("2010M11", Facets(frozenset({2010}), frozenset({(2010, 11, 0)}))),
        ("1.5.2023, 5/31/2022", Facets(frozenset({2023, 2022}), frozenset({(2023, 5, 1), (2022, 5, 31)}))),
        ("1/5/2023 or 40.50.2023", Facets(frozenset({2023}))),
        ("Texas 2016 May; 2017 AUG", Facets(frozenset({2016, 2017}), frozenset({(2016, 5, 0), (2017, 8, 0)}))),
        ("in 2016 may fall", Facets(frozenset({2016}))),
        ("2017-2018", Facets(frozenset({2017, 2018}), splits=frozenset({2017}))),
        ("2017-2020", Facets(frozenset({2017, 2020}))),
        ("Jan-10, Dec-98", Facets(frozenset({2010, 1998}), frozenset({(2010, 1, 0), (1998, 12, 0)}))),
        ("nothing of time", Facets()),
    ],
)
def test_facets(text: str, facets: Facets) -> None:
    assert facets_of(text) == facets


@pytest.mark.parametrize(
    ("asked", "found", "conflict"),
    [
        ("July 1, 2023", "June 25, 2022", True),
        ("July 1, 2023", "July 1, 2023", False),
        ("July 1, 2023", "2023", False),
        ("in 2007", "1952", True),
        ("in 2007", "no year", False),
        ("2015/2016", "2014/2015", True),
        ("2015/2016", "2015/16", False),
        ("2016", "2015/2016", False),
        ("2018-19", "2017-2018", True),
        ("2018-19", "2018–2019", False),
        ("January 2015", "Jan-15", False),
        ("January 2015", "Jan-16", True),
        ("May 2023", "2023-05-17", False),
        ("May 2023", "2023-06", True),
        ("three months ended July 1, 2023", "Nine Months Ended July 1, 2023", True),
    ],
)
def test_another_time_conflicts_and_an_unsaid_time_does_not(asked: str, found: str, conflict: bool) -> None:
    assert facet_conflict(facets_of(asked), facets_of(found)) is conflict


@pytest.mark.parametrize("found", ["2014/15", "2015/16", "2015"])
def test_a_heading_of_one_of_the_years_asked_for_agrees_and_is_in_no_conflict(found: str) -> None:
    asked = facets_of("from 2014/15 to 2015/16")
    assert (facet_agreement(asked, facets_of(found)), facet_conflict(asked, facets_of(found))) == (1.0, False)


@pytest.mark.parametrize(
    ("one", "other"),
    [("sales", "sale"), ("activities", "activity"), ("operating", "operated"), ("taxes", "tax"), ("taxis", "taxi")],
)
def test_endings_are_cut_alike(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_words_split_identifiers_and_keep_names() -> None:
    assert words_of("totalBill total_bill iPhone Apple's 1,234") == [
        "total", "bill", "total", "bill", "iphone", "apple", "1234",
    ]  # fmt: skip


def test_terms_leave_out_the_common_words() -> None:
    assert terms_of("What is the average of the bills?") == ("averag", "bill")


def test_matching_is_graded() -> None:
    assert match_term("sale", ["sale"]) == 1.0
    assert match_term(stem("revenue"), [stem("sales")]) == 0.9
    assert match_term("expectancy", ["exp"]) == 0.6
    assert match_term("expectancy", ["ex"]) == 0.0


def test_a_question_without_its_times() -> None:
    assert terms_of(without_facets("net sales for the three months ended July 1, 2023")) == ("net", "sale")


def test_a_whole_question_is_read_with_its_mark_and_a_part_of_one_without() -> None:
    restated = understood("What was the revenue in 2019 and 2020")
    assert restated.whole.asked == "What was the revenue in 2019 and 2020?"
    assert understood("What was the revenue in 2019?").whole.asked == "What was the revenue in 2019?"
    assert all(
        "?" not in operand.asked for operand in understood("By how much did revenue rise from 2019 to 2020?").operands
    )
