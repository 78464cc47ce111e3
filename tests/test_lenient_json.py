"""JSON as models write it is read; what cannot be read is None, never an exception and never an invention."""

import json
import random
from pathlib import Path

import pytest

from mixrag_cli.lenient_json import read_list, read_object, strip_stray_quotes
from tests.bounded import patience

REPLIES = Path(__file__).parent.parent.parent / "shared" / "data" / "financerag_finqa"
REAL = ("table_summaries_short", "table_summaries_long", "queries_expanded_Q2D", "queries_expanded_rephrase")
WHOLE = {"restate": {"type": "number", "asks": 'the "net" change'}, "extract": [{"id": "e1", "quote": "a | 1,234"}],
         "answer": "25 %"}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"answer": "4"}', {"answer": "4"}),
        ('Sure!\n```json\n{"answer": "4",}\n```\nAnything else?', {"answer": "4"}),
        ("{'answer': 'it's four', 'n': None, 'sure': True}", {"answer": "it's four", "n": None, "sure": True}),
        ('{answer: four, "n": 4}', {"answer": "four", "n": 4}),
        ('{"answer": "he said "four" twice", "n": 4}', {"answer": 'he said "four" twice', "n": 4}),
        ('{"answer": "4", "items": ["a", "b"', {"answer": "4", "items": ["a", "b"]}),
        ('{"items": [{"a": 1}, {"a": 2}, "answer": "4"}', {"items": [{"a": 1}, {"a": 2}], "answer": "4"}),
        ('{"answer": "4"\n"n": 4}', {"answer": "4", "n": 4}),
        ('{"answer": 1,234, "n": 4}', {"answer": "1,234", "n": 4}),
        ('{"answer": "two\nlines"}', {"answer": "two\nlines"}),
        ('{"query": "", "x": ""} so {"answer": "4"}', {"answer": "4"}),
        ('{"answer": "“4”"}', {"answer": "“4”"}),
        ("no object here", None),
        ('{"other": 1}', None),
        ("", None),
        ("{" * 5_000, None),
        ('{"answer": ' + "[" * 5_000, {"answer": None}),
    ],
)
def test_broken_objects_are_read(text: str, found: dict[str, object] | None) -> None:
    read = read_object(text, ("answer",))
    if isinstance(found, dict) and found.get("answer") is None:
        assert read is None or set(read) == {"answer"}
    else:
        assert read == found


def test_every_beginning_of_an_object_keeps_what_came_so_far() -> None:
    text = json.dumps(WHOLE)
    for end in range(2, len(text)):
        read = read_object(text[:end], WHOLE) or {}
        assert set(read) <= set(WHOLE)
        if end > text.index('"answer"'):
            assert read["restate"] == WHOLE["restate"]
            assert read["extract"] == WHOLE["extract"]


def test_no_damage_raises_or_takes_for_ever() -> None:
    rng = random.Random(7)
    text = json.dumps(WHOLE)
    with patience():
        for _ in range(500):
            letters = list(text)
            for _ in range(rng.randint(1, 8)):
                letters[rng.randrange(len(letters))] = rng.choice("{}[]\"',:\\\n x4")
            read = read_object("".join(letters))
            assert read is None or isinstance(read, dict)


def test_broken_lists_are_read() -> None:
    assert read_list("net revenue,  'price per unit,  'volume'") == ["net revenue", "price per unit", "volume"]
    assert read_list("['a', \"b\", 'c']") == ["a", "b", "c"]
    assert read_list("one\ntwo, three") == ["one", "two", "three"]
    assert read_list(" '' ") == []


def test_stray_quotes_go_and_pairs_stay() -> None:
    assert strip_stray_quotes("'The change is small.'\n}") == "The change is small."
    assert strip_stray_quotes('The "net" change') == 'The "net" change'
    assert strip_stray_quotes("the company's") == "the company's"


@pytest.mark.skipif(not REPLIES.is_dir(), reason="the real replies of a 7B model are not on this machine")
@pytest.mark.parametrize("name", REAL)
def test_real_replies_of_a_small_model_are_read(name: str) -> None:
    """Put back into the object that was asked for, in the ways in which such a model breaks it."""
    replies = [json.loads(line)["value"] for line in (REPLIES / f"{name}.jsonl").read_text("utf-8").splitlines()]
    assert len(replies) > 200
    for reply in replies:
        plain = strip_stray_quotes(reply)
        assert plain and not plain.startswith("'")
        quoted = json.dumps(reply)
        for broken in (f'{{"answer": {quoted}', f"Your answer:\n```json\n{{'answer': {quoted},}}\n```"):
            read = read_object(broken, ("answer",))
            assert read is not None and str(read["answer"]).startswith(reply[:40])
        tail = reply.rpartition(". ")[2]
        if ",  '" in tail:
            items = read_list(tail)
            assert len(items) > 1 and not any(sign in item for item in items for sign in '[]{}"')
