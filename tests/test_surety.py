"""How sure answers of a collection are, by its user's judged answers: the fit, and what it does to `ask`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_fixtures import environment_of, run_here
from scipy.optimize import minimize_scalar  # type: ignore[import-untyped]

from mixrag_cli.output.progress import Silence
from mixrag_cli.recap.grading import shipped_grading
from mixrag_cli.settings import Settings
from mixrag_cli.store import read_record, reopen_writer
from mixrag_cli.stories.calibrating_by_wish import calibrate_store, reset_calibration
from mixrag_cli.stories.extras import SURETY
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.inspection import read_status
from mixrag_cli.stories.judged_answers import judge_answer
from mixrag_cli.stories.labels import Label, Labels, RightAnswer
from mixrag_cli.stories.session import open_session
from mixrag_cli.stories.showing import Place
from mixrag_cli.stories.surety import PRIOR, JudgedAnswer, fit_offset, fit_surety, grading_of, kept_surety
from mixrag_cli.stories.wishes import IndexWishes

RETURNS = """# Returns

Goods that come back broken are mended in our workshop, and the customer pays nothing for it.

# Opening hours

The shop is open from nine to six, and closed on Sundays and on public holidays of the county.
"""
GOODS = ("chair", "lamp", "desk", "shelf", "stool", "rug", "mirror", "clock", "vase", "bench")
PRICES = {good: 31 + 7 * number for number, good in enumerate(GOODS)}


def question_of(good: str) -> str:
    return f"What is the price of the {good}?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A price list, indexed."""
    folder = tmp_path_factory.mktemp("home") / "shop"
    folder.mkdir()
    rows = "".join(f"{good},{price}\n" for good, price in PRICES.items())
    (folder / "prices.csv").write_text(f"good,price (EUR)\n{rows}", "utf-8")
    build_index([folder], Settings(), events=Silence(quiet=True))
    return folder


@pytest.fixture(autouse=True)
def forgotten(folder: Path) -> None:
    reset_calibration(folder, Settings())


def ask(folder: Path, question: str, code: int) -> dict[str, Any]:
    done = run_here("ask", question, "--json", cwd=folder, env=environment_of(folder.parent))
    assert done.returncode == code, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_offset_is_the_likeliest() -> None:
    chance = np.random.default_rng(3)
    sure = chance.normal(0.4, 1.0, 60)
    right = (chance.random(60) < 1 / (1 + np.exp(-(sure + 0.9)))).astype(float)

    def unlikely(offset: float) -> float:
        moved = sure + offset
        return float(np.logaddexp(0, np.where(right > 0, -moved, moved)).sum() + PRIOR * offset**2 / 2)

    assert fit_offset(sure, right) == pytest.approx(minimize_scalar(unlikely).x, abs=1e-5)


def test_what_is_promised_rightly_is_left() -> None:
    as_promised = [JudgedAnswer(0.75, number % 4 > 0) for number in range(40)]
    fit = fit_surety(40, as_promised)
    assert fit.offset == pytest.approx(0, abs=1e-6) and not fit.is_better
    assert fit.before.error == pytest.approx(0, abs=1e-6) and fit.right == 30


def test_each_answer_is_graded_without_itself() -> None:
    fit = fit_surety(30, [JudgedAnswer(0.5, True)] * 30)
    assert fit.is_better and fit.before.stated == 0
    assert fit.after.stated == fit.after.right == 30 and fit.offset > 1
    assert fit.after.error < fit.before.error


@pytest.mark.slow
def test_judged_answers_move_what_is_stated(folder: Path) -> None:
    """By right ones an answer is surer; by wrong ones it is no longer stated; --reset forgets them."""
    before = ask(folder, question_of("lamp"), 0)
    labels = [{"question": question_of(good), "answer": price} for good, price in PRICES.items()]
    told = calibrate(folder, labels)
    assert told["stored"] is False and told["assessment"] is None  # the thresholds of sources stay
    assert told["answers"]["stored"] and told["answers"]["questions"] == len(GOODS)
    assert told["answers"]["best_right"] == len(GOODS) and told["answers"]["offset"] > 0
    surer = ask(folder, question_of("lamp"), 0)
    assert surer["value"] == before["value"] == PRICES["lamp"]
    assert surer["confidence"] > before["confidence"]

    told = calibrate(folder, [{"question": question_of(good), "answer": None} for good in GOODS])
    assert told["answers"]["best_right"] == 0 and told["answers"]["offset"] < 0
    assert ask(folder, question_of("lamp"), 5)["status"] == "likely"
    assert read_status(folder, Settings()).judged_answers == len(GOODS)
    reset_calibration(folder, Settings())
    assert read_status(folder, Settings()).judged_answers == 0
    assert ask(folder, question_of("lamp"), 0)["confidence"] == before["confidence"]


def calibrate(folder: Path, labels: list[dict[str, Any]]) -> dict[str, Any]:
    file = folder.parent / "labels.jsonl"
    file.write_text("".join(json.dumps(label) + "\n" for label in labels), "utf-8")
    done = run_here("calibrate", str(file), "--json", cwd=folder, env=environment_of(folder.parent))
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_few_answers_change_nothing_and_are_told(folder: Path) -> None:
    labels = Labels(answers=(RightAnswer(question_of("lamp"), ("38",)),))
    report = calibrate_store(folder, Settings(), labels, Silence(quiet=True))
    assert report.answers is None and "too few judged answers: 1 of at least 10" in report.notes[0]
    assert not read_record(folder / ".mixrag").extra.get(SURETY)


def test_an_answer_in_words_is_right_where_its_place_is_shown(tmp_path: Path) -> None:
    """A passage tells it in its own words; a number's place alone says nothing."""
    (tmp_path / "returns.md").write_text(RETURNS, "utf-8")
    build_index([tmp_path], Settings(), events=Silence(quiet=True))
    session = open_session(tmp_path / ".mixrag", Settings(), asks=True)
    document = session.reader.document_rows()[0].id
    question = "What happens to goods that come back broken?"

    def is_right(answer: str, lines: tuple[int, int]) -> bool:
        label = Label(1, question, "returns.md", Place(lines=lines))
        judged = judge_answer(session, RightAnswer(question, (answer,), label), {1: document})
        assert judged is not None
        return judged.is_right

    told = "damaged items get repaired by us without any charge"
    assert is_right(told, (3, 3))
    assert not is_right(told, (7, 7))
    assert not is_right("60 days", (3, 3))


@pytest.mark.slow
def test_a_rebuild_keeps_them_and_another_grading_does_not_use_them(folder: Path) -> None:
    labels = Labels(answers=tuple(RightAnswer(question_of(good), ()) for good in GOODS))
    calibrate_store(folder, Settings(), labels, Silence(quiet=True))
    store = folder / ".mixrag"
    kept = kept_surety(read_record(store))
    assert kept is not None and kept.offset < 0
    build_index([folder], Settings(), events=Silence(quiet=True), wishes=IndexWishes(rebuild=True))
    assert kept_surety(read_record(store)) == kept
    with reopen_writer(store) as writer:
        writer.put_extra({SURETY: {**read_record(store).extra[SURETY], "graded_by": "another"}})
    assert grading_of(read_record(store)) is shipped_grading()
    assert "judged for another version" in ask(folder, question_of("lamp"), 0)["warnings"][0]
