"""Follow-up questions become self-standing: by rule, and by a generator that may not invent."""

from types import SimpleNamespace

import pytest

from mixrag_cli.stories.conversation import Conversation, Turn
from mixrag_cli.stories.followup import keeps_words, leans_on, make_standalone, read_rewrite, rewrite_request
from mixrag_cli.stories.scope import Scope

REVENUE = "What was the net revenue of Apple in 2021?"
CHAIRS = "How many chairs were sold in 2024?"


@pytest.mark.parametrize(
    ("follow_up", "before", "expected"),
    [
        ("and in 2019?", REVENUE, "What was the net revenue of Apple in 2019?"),
        ("2018?", REVENUE, "What was the net revenue of Apple in 2018?"),
        (
            "And for the first quarter of 2020?",
            REVENUE,
            "What was the net revenue of Apple in the first quarter of 2020?",
        ),
        ("What about Intel?", REVENUE, "What was the net revenue of Intel in 2021?"),
        ("and the operating income?", REVENUE, "What was the operating income of Apple in 2021?"),
        ("and what was the profit?", REVENUE, "what was the profit of Apple in 2021?"),
        ("How did it change from 2020?", REVENUE, "How did the net revenue of Apple change from 2020?"),
        ("What is its tax rate?", REVENUE, "What is Apple's tax rate?"),
        ("How many people worked there that year?", REVENUE, "How many people worked there in 2021?"),
        ("Why?", REVENUE, "Why: What was the net revenue of Apple in 2021?"),
        ("and tables?", CHAIRS, "How many tables were sold in 2024?"),
        ("and how many tables?", CHAIRS, "how many tables were sold in 2024?"),
        ("What about benches?", "What is the stock of shelves?", "What is the stock of benches?"),
        ("who checks them?", "When are the fire extinguishers checked?", "who checks the fire extinguishers?"),
        ("and in 2020?", "Who led the workshop?", "Who led the workshop in 2020?"),
        ("and its tax rate?", REVENUE, "What was the tax rate of Apple in 2021?"),
        ("and its tax rate in 2020?", REVENUE, "What was the tax rate of Apple in 2020?"),
        ("and Intel in 2019?", REVENUE, "What was the net revenue of Intel in 2019?"),
        ("and how did it do in that year?", REVENUE, "and how did the net revenue of Apple do in 2021?"),
        ("and what is its tax rate?", REVENUE, "and what is Apple's tax rate?"),
        ("and cash flow?", REVENUE, "What was the cash flow of Apple in 2021?"),
        ("And their schools?", "How many people live in Birch Parish?", "What is Birch Parish's schools?"),
        ("and her deputy?", "Who is the head of the planing room?", "Who is the deputy of the planing room?"),
        ("and its cost?", "When was Osby Bridge built?", "What is Osby Bridge's cost?"),
        ("and its length?", "How old is the bridge?", "What is the bridge's length?"),
        ("What is its length?", "How old is the bridge?", "What is the bridge's length?"),
    ],
)
def test_what_a_follow_up_leaves_out_comes_from_the_question_before(follow_up, before, expected):
    assert make_standalone(follow_up, before) == expected
    assert leans_on(follow_up, before)


@pytest.mark.parametrize(
    "question",
    [
        "What was the revenue of Intel in 2019?",
        "Who is the head of the planing room?",
        "Which wood is the stool made of?",
        "How do I configure the retry of requests in this module?",
    ],
)
def test_a_question_of_its_own_is_left_alone(question):
    assert make_standalone(question, REVENUE) == question
    assert make_standalone(question, "") == question
    assert not leans_on(question, "")


def test_whose_it_is_is_not_guessed() -> None:
    assert make_standalone("and its address?", "Which station used the most energy?") == "its address?"


def test_nothing_before_and_nothing_typed():
    assert make_standalone("and in 2019?", "") == "and in 2019?"
    assert make_standalone("  ", REVENUE) == ""


def test_a_generator_sees_the_latest_questions_only():
    request = rewrite_request("and 2017?", ["first", "second", "third", "fourth"])
    shown = request.messages[-1].text
    assert "first" not in shown and "fourth" in shown and shown.endswith("and 2017?")


def test_a_rewrite_is_taken_where_it_invents_nothing():
    assert read_rewrite('"What was the revenue of Apple in 2019?"\n', "and in 2019?", [REVENUE]) == (
        "What was the revenue of Apple in 2019?"
    )


@pytest.mark.parametrize("reply", ["", "What was it in 2015?", "one\ntwo", "x" * 500])
def test_the_rule_stands_in_for_a_rewrite_that_is_none(reply):
    assert read_rewrite(reply, "and in 2019?", [REVENUE]) == "What was the net revenue of Apple in 2019?"


@pytest.mark.parametrize("reply", ["What was the net revenue of Apple in 2021?", "What was the revenue in 2019?"])
def test_a_rewrite_that_loses_a_typed_word_is_not_taken(reply):
    assert read_rewrite(reply, "and of Intel in 2019?", [REVENUE]) == make_standalone("and of Intel in 2019?", REVENUE)


@pytest.mark.parametrize(
    ("typed", "question", "keeps"),
    [
        ("and in 2019?", "What was the net revenue of Apple in 2019?", True),
        ("How did it change that year?", "How did the net revenue of Apple change in 2021?", True),
        ("What about its employees?", "How many employees did Apple have in 2021?", True),
        ("Who signed it?", "Who approved the net revenue of Apple?", False),
        ("and the gross margin?", "What was the margin of Apple in 2021?", False),
    ],
)
def test_what_was_typed_stays_in_the_question(typed, question, keeps):
    assert keeps_words(typed, question) is keeps


def test_a_question_that_lost_a_word_is_put_as_it_was_typed(monkeypatch):
    conversation = Conversation(SimpleNamespace(has_generator=False), Scope())
    conversation.turns.append(Turn(REVENUE, REVENUE, None))
    assert conversation.understand("and in 2019?") == "What was the net revenue of Apple in 2019?"
    monkeypatch.setattr("mixrag_cli.stories.conversation.make_standalone", lambda typed, before: before)
    assert conversation.understand("and in 2019?") == "and in 2019?"
