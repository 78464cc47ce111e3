"""Sentences that have the form a question asks for, over small manuals, notes and code of invented makers."""

from __future__ import annotations

from pathlib import Path

import pytest

from mixrag_cli.pipeline.indexing import build_index
from mixrag_cli.pipeline.scope import Scope
from mixrag_cli.pipeline.session import Session, open_session
from mixrag_cli.recap.in_text.answer_forms import AskedPair, asked_pair, lists_names
from mixrag_cli.recap.in_text.reasons import gives_reason
from mixrag_cli.recap.in_text.releases import date_of, is_same_change, sought_change
from mixrag_cli.recap.in_text.wholes import announces
from mixrag_cli.recap.restate import restate
from mixrag_cli.settings import Settings
from tests.silent import Silent

MILL = """# The paper mill at Corran

The Corran mill is compared with several other mills of the valley every spring. The comparison covers Ashgill,
Bewick, Carrow and Dunmore.

The mill differs from other mills of the valley in two respects. It draws its water from a spring, and it works at
night only.

## 1. Presses

The large press was stopped in March because its main bearing had cracked. The small press runs without a pause.

A press may be started only after the morning round. It may be restarted after a fire alarm only by the shift master.

## 2. Fall of the water wheel

The fall was measured with the brass plumb line. The measured fall of the water wheel is 3.1 metres, slightly
different from the real one due to the following reasons. The line was wet and stretched by its own weight. Another
reason is that the wheel does not hang quite level.

The apparent weight due to buoyancy is lower than the true weight.

## 3. Paper

Tollan rag paper

Allows ink of any kind without blotting. In other words, it takes both oil and water inks.

The register was drawn up by Hestia Quill. It lists 312 people, all of them over sixty, who are served by the mill.
"""
PRESS = '''"""The presses of the mill."""


class press_slow:
    """Press sheets at a slow pace.

    A gentle press for rag sheets. This follows the "Even Hand" method of the guild's handbook of 1871.
    """


class press_even:
    """Press sheets at an even pace and with an even hand."""


def read_ledger(path):
    """Read the mill's ledger from a file."""
    return path.read_text()


def sheets_left(stack, limit):
    """Count what is left."""
    if stack is None:
        return -1
    if stack.height > limit:
        # the stack would topple
        return TOO_HIGH
    return stack.count
'''
NOTES = """# Notes of pressctl

## 2.0.0 (2021-05-04)

- Dropped Lua 5 support
- Ledgers are now optional

## 1.9.0 (2021-02-11)

- The 1.9 series will be the last to support Lua 5
- Dropped Lua 4.2 support
- Added support for Lua 5.4
"""
FILES = {"mill.md": MILL, "presses.py": PRESS, "pressctl-NOTES.md": NOTES}


@pytest.fixture(scope="module")
def session(model_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("forms")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    build_index([folder], Settings(), events=Silent())
    return open_session(folder, Settings())


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Why was the large press stopped in March?", "because its main bearing had cracked"),
        ("Why is the measured fall of the water wheel a bit off from the true one?", "stretched by its own weight"),
        ("Why is the measured fall of the water wheel a bit off from the true one?", "does not hang quite level"),
        ("With which other mills does the valley compare the Corran mill?", "Ashgill, Bewick, Carrow and Dunmore"),
        ("How does the Corran mill differ from other mills of the valley?", "draws its water from a spring"),
        ("Who may restart a press after a fire alarm?", "the shift master"),
        ("What people does the register of the mill cover?", "312 people"),
        ("Which class follows the 'Even Hand' method of the guild's handbook?", "press_slow"),
        ("What does sheets_left return when the stack is higher than the limit?", "TOO_HIGH"),
        ("What does sheets_left return if there is no stack?", "-1"),
        ("Which pressctl release stopped supporting Lua 5, and when did it come out?", "2.0.0 (2021-05-04)"),
        ("Which release of pressctl dropped Lua 4.2?", "1.9.0"),
        ("When was pressctl 1.9.0 released?", "2021-02-11"),
    ],
)
def test_the_form_asked_for_is_answered(question: str, said: str, session: Session) -> None:
    answer = session.ask(question, Scope())

    assert answer.status == "answered"
    assert said in " ".join(answer.text.split())


@pytest.mark.parametrize(
    "question",
    [
        "Why was the small press painted green?",
        "Which function writes the mill's ledger?",  # one reads it
        "Which class reads the mill's ledger?",  # a function does
        "What does the large press cost?",
        "Who painted the large press?",
        "Which pressctl release stopped supporting Lua 5.4?",
        "Which release of pressctl added support for Lua 4.2?",
        "What does sheets_left return when the press is locked?",
    ],
)
def test_another_form_is_no_answer(question: str, session: Session) -> None:
    answer = session.ask(question, Scope())

    assert answer.status == "abstained", answer.text


def test_reasons() -> None:
    assert gives_reason("It fell because prices rose.", "Why did it fall?")
    assert gives_reason("Prices rose at once and so it fell.", "Why did it fall?")
    assert not gives_reason("The acceleration due to gravity was measured.", "Why is gravity lower there?")
    assert not gives_reason("It fell.", "Why did it fall?")
    assert announces("They differ in two respects.")


def test_names_and_pairs() -> None:
    assert lists_names("It reads zip, tar and rar.", "Which formats does it read?")
    assert not lists_names("It reads many formats.", "Which formats does it read?")
    assert asked_pair("What kind of paper does the mill produce?") == AskedPair("paper", "produc")
    assert asked_pair("What is paper?") is None


def test_changes_of_releases() -> None:
    assert sought_change("Which release stopped supporting Ruby 2?") == "Ruby 2 support"
    assert is_same_change("Dropped Ruby 2 support", "Which release stopped supporting Ruby 2?")
    assert not is_same_change("Dropped Ruby 2.6 support", "Which release stopped supporting Ruby 2?")
    assert not is_same_change("The last to support Ruby 2", "Which release stopped supporting Ruby 2?")
    assert date_of("3.2.0 - May 4, 2021", "3.2.0") == "May 4, 2021"


@pytest.mark.parametrize(
    ("question", "operation", "expects"),
    [
        ("How does the mill differ from others?", "lookup", "text"),
        ("By how much do the two mills differ?", "difference", "number"),
        ("What does measure return once the maximum load is reached?", "lookup", "text"),
        ("What does the press weigh?", "lookup", "number"),
    ],
)
def test_what_is_asked(question: str, operation: str, expects: str) -> None:
    restated = restate(question)

    assert (restated.operation, restated.expects) == (operation, expects)
