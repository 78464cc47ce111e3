"""The bank: no file has questions in both parts, and verdicts are what they say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "bank"))
from judging import judge, shows_place
from questions import BankQuestion, Place, draw_parts
from score import auc, promised_auc

PLACE = Place("docs/guide.md", lines=(10, 20))
SHOWN = {"path": "/home/ann/docs/guide.md", "locator": {"lines": [18, 25]}, "text": "Call open_door(key) to enter."}
ELSEWHERE = {"path": "/home/ann/docs/guide.md", "locator": {"lines": [40, 45]}, "text": "Nothing of it."}


def asked(kind: str, *forms: str, places: tuple[Place, ...] = (PLACE,)) -> BankQuestion:
    return BankQuestion("q", "code", kind, "How do I enter?", forms, None, places)


def test_questions_that_share_a_document_are_in_one_part() -> None:
    questions = [
        BankQuestion(str(n), "code", "howto", "?", (), None, tuple(Place(f"{file}.md") for file in files))
        for n, files in enumerate([("a", "b"), ("b", "c"), ("d",), ("e",), ("c",), ("f",), (), ()])
    ]
    drawn = draw_parts(questions)
    parts: dict[str, set[str]] = {}
    for one in drawn:
        for place in one.places:
            parts.setdefault(place.file, set()).add(one.part)
    assert all(len(found) == 1 for found in parts.values())
    assert len({one.part for one in drawn if {place.file for place in one.places} & {"a.md", "b.md", "c.md"}}) == 1
    assert {one.part for one in drawn} == {"open", "sealed"}
    assert drawn == draw_parts(questions)


@pytest.mark.parametrize(
    ("question", "payload", "outcome"),
    [
        (asked("howto", "open_door"), {"status": "answered", "answer": "…", "sources": [SHOWN]}, "right"),
        (asked("howto", "open_door"), {"status": "answered", "answer": "…", "sources": [ELSEWHERE]}, "wrong"),
        (asked("fact", "30 s"), {"status": "answered", "answer": "…", "sources": [SHOWN]}, "wrong"),
        (asked("fact", "30 s"), {"status": "answered", "answer": "30 s", "value": 30, "unit": "s"}, "right"),
        (asked("fact", "30 s"), {"status": "answered", "answer": "31 s", "value": 31, "unit": "s"}, "wrong"),
        (asked("howto", "open_door"), {"status": "likely", "candidates": [{"source": SHOWN}]}, "likely holds it"),
        (asked("howto", "open_door"), {"status": "likely", "candidates": [{"source": ELSEWHERE}]}, "likely does not"),
        (asked("howto", "open_door"), {"status": "abstained"}, "nothing though there"),
        (asked("unanswerable", places=()), {"status": "abstained"}, "rightly nothing"),
        (asked("unanswerable", places=()), {"status": "answered", "answer": "yes"}, "wrong"),
        (asked("howto"), {"schema": "mixrag.error/1"}, "failed"),
    ],
)
def test_verdicts(question: BankQuestion, payload: dict, outcome: str) -> None:
    assert judge(question, payload).outcome == outcome


@pytest.mark.parametrize(
    ("text", "shows"),
    [
        ("The door  opens\r\n  with a KEY only.", True),
        ("The door opens with\xa0a key.", True),
        ("The door opens withakey.", False),
        (None, False),
    ],
)
def test_a_needle_is_found_over_line_breaks(text: str | None, shows: bool) -> None:
    place = Place("docs/guide.pdf", pages=(3,), needle="door opens with a key")
    assert shows_place({"path": "/home/ann/docs/guide.pdf", "text": text}, place, exactly=True) is shows


def test_the_auc_to_expect_is_that_of_probabilities_that_come_true() -> None:
    """Each answer a thousand times, as often right as it says: of two that say .9 and .6, and of four."""
    for told in ((0.9, 0.6), (0.95, 0.85, 0.75, 0.75)):
        right = [chance for chance in told for _ in range(round(1_000 * chance))]
        wrong = [chance for chance in told for _ in range(round(1_000 * (1 - chance)))]
        assert promised_auc(told * 30) == pytest.approx(auc(right, wrong), abs=0.005)
    assert str(promised_auc([1.0, 1.0])) == "nan"
