"""How many modules a question passes on its way from the evidence to the answer: few enough to be read in one go."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

from mixrag_cli.recap.reader import read_answer
from mixrag_cli.settings import Settings
from mixrag_cli.stories.answering import prepare
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import open_session
from tests.northmere import FOLDER

QUESTIONS = Path(__file__).parent / "samples" / "questions.jsonl"
MOST_MODULES = 50  # of ours, those of numbers, words, tables and models counted


@contextmanager
def modules_called(found: set[str]) -> Iterator[None]:
    """Add the modules of the package whose functions are called meanwhile, those of finalisers left out."""

    def note(frame: FrameType, event: str, _: object) -> None:
        name = str(frame.f_globals.get("__name__", "")) if event == "call" else ""
        if name.startswith("mixrag_cli."):
            found.add(name)

    gc.disable()
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        gc.enable()


def test_a_question_passes_few_modules_from_the_evidence_to_the_answer(tmp_path: Path) -> None:
    asked = [json.loads(line)["question"] for line in QUESTIONS.read_text("utf-8").splitlines()]
    build_index([FOLDER], replace(Settings(), store=tmp_path / "store"), events=Silent())
    session = open_session(FOLDER, replace(Settings(), store=tmp_path / "store"))
    passed: set[str] = set()
    for question in asked:
        restated, base, _ = prepare(session, question, Scope(), Clock())
        with modules_called(passed):
            read_answer(restated, base)
    session.reader.close()
    assert "mixrag_cli.quantities.calculator" in passed  # some of them are calculations
    assert len(passed) < MOST_MODULES, sorted(passed)
