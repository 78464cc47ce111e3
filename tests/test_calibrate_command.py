"""mixrag calibrate, through its command line: without labels when indexing ends, by labels, and back again."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cli_fixtures import environment_of, run_here, run_mixrag

from mixrag_cli.output.calibration_view import histogram_text
from mixrag_cli.output.progress import Silence
from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.retrieval.drawing import DrawnQuestion
from mixrag_cli.retrieval.learning import JudgedQuestion
from mixrag_cli.settings import Settings
from mixrag_cli.store import read_record, reopen_writer
from mixrag_cli.stories.calibrating import (
    JudgedFits,
    draw,
    is_due,
    is_telling,
    keep_judged_fits,
    read_judged_fits,
)
from mixrag_cli.stories.calibrating_by_wish import calibrate_store, reset_calibration
from mixrag_cli.stories.extras import kept_calibration
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.inspection import read_status
from mixrag_cli.stories.labels import Label, Labels, RightAnswer, read_labels
from mixrag_cli.stories.session import Session
from mixrag_cli.stories.showing import Place
from mixrag_cli.stories.wishes import IndexWishes

pytestmark = pytest.mark.slow

Scorer = Callable[[str, Sequence[str]], list[float]]
PLACES = ("quay", "orchard", "foundry", "library", "mill", "nursery", "observatory", "tannery", "brewery", "shipyard")
THINGS = ("ledger", "lantern", "barrel", "ladder", "anvil", "loom", "sextant", "kettle", "saddle", "trellis")
PEOPLE = ("Orla", "Finn", "Maren", "Teodor", "Ilse", "Pavel", "Noor", "Bastian", "Wanda", "Joaquin")
ACTS = ("repaired", "measured", "borrowed", "painted", "weighed", "catalogued", "polished", "shipped", "sold", "stored")
N_FILES, N_ROWS = 52, 6
HEADER = "thing,place,keeper,remark\n"
SYLLABLES = ("bra", "con", "del", "fir", "gan", "hol", "jun", "kel", "lom", "mar", "nor", "pel", "quin", "ros", "tam")
NOTES = "# Notes\n\nThe sextant in the observatory was weighed by Ilse before the kettle came from the mill.\n"


def write_collection(folder: Path) -> None:
    """312 rows of small sheets, each a passage of its own, and a note."""
    folder.mkdir(parents=True)
    for number in range(N_FILES):
        chance = random.Random(number)
        rows = [
            ",".join([*(chance.choice(words) for words in (THINGS, PLACES, PEOPLE)), _remark(chance)])
            for _ in range(N_ROWS)
        ]
        (folder / f"inventory{number}.csv").write_text(HEADER + "\n".join(rows) + "\n", "utf-8")
    (folder / "notes.md").write_text(NOTES, "utf-8")


def _remark(chance: random.Random) -> str:
    """An act, and made-up words that tell the row from all others."""
    return " ".join([chance.choice(ACTS), *("".join(chance.choices(SYLLABLES, k=2)) for _ in range(9))])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection, indexed and calibrated to itself; the fit is in folder/../fit.json."""
    home = tmp_path_factory.mktemp("home")
    write_collection(home / "books")
    with pytest.MonkeyPatch.context() as patch:
        fit_patiently(patch)
        done = run_here("index", cwd=home / "books", env=environment_of(home))
    assert done.returncode == 0, done.stderr
    (home / "fit.json").write_text(json.dumps(read_record(home / "books" / ".mixrag").extra["calibration"]["late"]))
    return home / "books"


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    fit_patiently(monkeypatch)


def fit_patiently(patch: pytest.MonkeyPatch) -> None:
    """Time for a fit on a busy machine too, and fewer questions: how long one takes is not what is tested."""
    patch.setattr("mixrag_cli.stories.calibrating.COMPUTING_SECONDS", 600)
    patch.setattr("mixrag_cli.stories.calibrating.N_QUESTIONS", 36)


def calibrate(folder: Path, *arguments: str, code: int = 0) -> Any:
    done = run_here("calibrate", *arguments, cwd=folder, env=environment_of(folder.parent))
    assert done.returncode == code, done.stderr
    return done


def checked(raw: bytes, form: str) -> dict[str, Any]:
    found = json.loads(raw)
    schema = json.loads(resources.files("mixrag_cli").joinpath("schemas", f"{form}-1.json").read_text("utf-8"))
    jsonschema.validate(found, schema, cls=jsonschema.Draft202012Validator)
    return found


def status_of(folder: Path) -> dict[str, Any]:
    done = run_here("status", "--json", cwd=folder, env=environment_of(folder.parent))
    return checked(done.stdout, "status")["calibration"]


def write_labels(file: Path, *labels: object) -> str:
    file.write_text("".join(json.dumps(label) + "\n" for label in labels), "utf-8")
    return str(file)


def test_indexing_labels_and_reset(folder: Path) -> None:
    """One story, as each step starts from what the one before has stored."""
    fitted = status_of(folder)
    assert fitted["origin"] == "collection"
    assert 20 <= fitted["questions"] <= 64
    assert 0 <= fitted["error"] < 0.4

    labels = [
        {"question": "Who weighed the sextant in the observatory?", "path": "notes.md", "lines": [3, 3]},
        {"question": "Where does the anvil stand?", "path": "inventory1.csv", "relevant": False},
        {"question": "Which <b>loom</b> & kettle does Orla keep?", "path": "inventory2.csv"},
    ]
    file = write_labels(folder.parent / "labels.jsonl", *labels)
    page = folder.parent / "report.html"
    told = checked(calibrate(folder, file, "--json", "--html", str(page)).stdout, "calibration")
    assert (told["origin"], told["stored"]) == ("labels", True)
    assert told["assessment"]["questions"] == 3
    assert told["assessment"]["found"] == 2
    assert {each["source"] for each in told["assessment"]["sources"]} >= {"words", "meaning", "rerank"}
    assert all(sum(each["histogram"]["other"]) == each["other"] for each in told["assessment"]["sources"])
    assert status_of(folder)["origin"] == "labels"
    html = page.read_text("utf-8")
    assert "default-src 'none'" in html
    assert not re.search(r"<script|https?://|src=|href=", html)

    calibrate(folder, "--reset")
    assert status_of(folder) == {"origin": "shipped", "questions": 0, "error": None}


def test_without_labels_the_plots_fit_the_width_and_the_encoding(folder: Path) -> None:
    surroundings = environment_of(folder.parent, COLUMNS="44", PYTHONIOENCODING="ascii")
    done = run_mixrag("calibrate", "--html", str(folder.parent / "plain.html"), cwd=folder, env=surroundings)
    assert done.returncode == 0, done.stderr
    told = done.stdout.decode("ascii")
    assert "fitted without labels on" in " ".join(told.split())
    plotted = [line for line in told.splitlines() if re.match(r" +[\d,]+ (relevant|other)", line)]
    assert plotted
    assert all(len(line) <= 44 for line in plotted)
    assert "?" not in "".join(plotted)
    page = (folder.parent / "plain.html").read_text("utf-8")
    assert page.count("<svg") == len(plotted) // 2
    assert '<line class="cut"' in page


def test_a_fit_that_errs_more_than_the_one_in_use_is_not_taken(folder: Path) -> None:
    store, fitted = folder / ".mixrag", json.loads((folder.parent / "fit.json").read_text())
    for error, is_stored in ((0.0, False), (1.0, True)):
        fit = {**fitted, "error": error}
        with reopen_writer(store) as writer:
            writer.put_extra({"calibration": {"late": fit}})
        told = checked(calibrate(folder, "--json").stdout, "calibration")
        assert told["stored"] is is_stored
        assert (read_record(store).extra["calibration"]["late"] == fit) is not is_stored
        assert any("the one in use by 0.000, which stays" in note for note in told["notes"]) is not is_stored


def test_labels_that_cannot_be_used_change_nothing(folder: Path) -> None:
    before = status_of(folder)
    file = write_labels(
        folder.parent / "bad.jsonl",
        {"question": "q", "path": "nowhere.md"},
        {"question": "q", "path": "notes.md", "lines": [90_000, 90_001]},
    )
    done = calibrate(folder, file, code=2)
    assert b"line 1: nowhere.md: not in the index" in done.stderr
    assert b"line 2: notes.md has nothing indexed at this place" in done.stderr
    assert status_of(folder) == before


def test_a_rebuild_keeps_what_labels_made(folder: Path, tmp_path: Path) -> None:
    books = Path(shutil.copytree(folder, tmp_path / "books"))
    store, settings = books / ".mixrag", Settings()
    judged = Labels((Label(1, "Who weighed the sextant in the observatory?", "notes.md", Place(lines=(3, 3))),))
    calibrate_store(books, settings, judged, Silence(quiet=True))
    before = read_record(store)
    build_index([books], settings, events=Silence(quiet=True), wishes=IndexWishes(rebuild=True))
    after = read_record(store)
    assert after.generation != before.generation
    assert after.extra["calibration"] == before.extra["calibration"]
    assert read_status(books, settings).calibration.origin == "labels"
    with reopen_writer(store) as writer:
        assert "another model" in keep_judged_fits(writer, JudgedFits("another", {"late": {"origin": "labels"}}))
    assert read_record(store).extra == after.extra
    reset_calibration(books, settings)
    assert read_judged_fits(store) is None


class Impatient(Silence):
    """Presses Ctrl-C when calibrating begins."""

    def phase(self, name: str, total: int | None) -> None:
        if name == "calibrate":
            raise KeyboardInterrupt


def test_a_fit_that_was_interrupted_is_made_by_the_next_run(folder: Path, tmp_path: Path) -> None:
    books = Path(shutil.copytree(folder, tmp_path / "books"))
    settings = Settings()
    reset_calibration(books, settings)
    (books / "more.md").write_text("# More\n\nA loom came to the mill in the spring.\n", "utf-8")
    assert build_index([books], settings, events=Impatient(quiet=True)).interrupted
    assert read_status(books, settings).calibration.origin == "shipped"
    done = build_index([books], settings, events=Silence(quiet=True))
    assert not done.interrupted and done.added == done.changed == 0
    assert read_status(books, settings).calibration.origin == "collection"
    assert not build_index([books], settings, events=Impatient(quiet=True)).interrupted  # nothing is left to fit


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "not valid JSON"),
        ("[1]", "not an object"),
        ('{"path": "a.md"}', 'has no text "question"'),
        ('{"question": "q"}', 'has no text "path"'),
        ('{"question": "q", "answer": ["5", true]}', "no text, no number"),
        ('{"question": "q", "answer": []}', "no text, no number"),
        ('{"question": "q", "path": "a.md", "relevant": "yes"}', "neither true nor false"),
        ('{"question": "q", "path": "a.md", "page": 0}', "whole numbers from 1"),
        ('{"question": "q", "path": "a.md", "lines": [4, 2]}', "ends before it begins"),
        ('{"question": "q", "path": "a.md", "lines": [1, 2, 3]}', "not [first, last]"),
        ('{"question": "q", "path": "a.xlsx", "cells": "B"}', "no range"),
        ('{"question": "q", "path": "a.md", "page": 1, "cells": "B2"}', "one of them"),
    ],
)
def test_a_bad_line_is_named_by_its_number(line: str, problem: str, tmp_path: Path) -> None:
    from mixrag_cli.errors import WrongUsage

    file = tmp_path / "labels.jsonl"
    file.write_text('{"question": "q", "path": "a.md"}\n\n' + line + "\n", "utf-8")
    with pytest.raises(WrongUsage) as caught:
        read_labels(file)
    assert "labels.jsonl:3: " in caught.value.message
    assert problem in caught.value.message


def test_cells_and_lone_lines_are_understood(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    write_labels(
        file,
        {"question": "q", "path": "a.xlsx", "cells": "Fin!b4:c5"},
        {"question": "q", "path": "a.md", "lines": 7, "relevant": False},
    )
    first, second = read_labels(file).places
    assert (first.place.sheet, first.place.cells) == ("Fin", "B4:C5")
    assert (second.place.lines, second.is_relevant) == ((7, 7), False)


def test_a_line_may_say_the_answer_and_the_place(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    write_labels(
        file,
        {"question": "q", "answer": 12.5, "path": "a.md"},
        {"question": "r", "answer": ["5 days", "a week"]},
        {"question": "s", "answer": None},
    )
    labels = read_labels(file)
    (stands,) = labels.places
    assert stands.path == "a.md"
    assert labels.answers == (
        RightAnswer("q", ("12.5",), stands),
        RightAnswer("r", ("5 days", "a week")),
        RightAnswer("s", ()),
    )


def test_when_a_collection_is_fitted_again() -> None:
    known = {"calibration": {"late": {"origin": "collection", "passages": 1000}}}
    assert is_due({}, "late", 1000)
    assert not is_due({}, "late", 299)
    assert not is_due(known, "late", 1200)
    assert is_due(known, "late", 1400)
    assert is_due(known, "none", 1000)
    assert not is_due({"calibration": {"late": {"origin": "labels", "passages": 10}}}, "late", 1000)
    assert not is_due({}, "llm", 1000)
    old = {"origin": "labels", "passages": 1000, "format": 2}  # nobody can read it any more
    assert is_due({"calibration": {"late": old}}, "late", 1000)


def test_a_histogram_merges_what_does_not_fit() -> None:
    assert histogram_text([0, 1, 4], 9, plain=True) == " :@"
    assert len(histogram_text([1] * 24, 10, plain=False)) == 10
    assert histogram_text([0, 0], 2, plain=True) == "  "


def test_a_question_among_its_likes_tells_nothing() -> None:
    hits = [
        Hit(Chunk(f"{n:032x}", "d", "row", "sheet", f"row {n}", "", "", Locator((0, 1)), n), "a.csv", "", {}, 0.0)
        for n in range(9)
    ]
    ids = [hit.chunk.id for hit in hits]
    assert is_telling(JudgedQuestion(hits, {ids[0]}, set(ids[1:5])))
    assert not is_telling(JudgedQuestion(hits, {ids[0]}, set(ids[1:8])))
    assert not is_telling(JudgedQuestion(hits, set(), set()))


# --- an outside reranker ----------------------------------------------------------------------------------------------


def random_logits(question: str, texts: Sequence[str]) -> list[float]:
    """What an untrained CrossEncoder of spread 8 says: nothing."""
    return [8 * random.Random(f"{question}\n{text}").gauss(0, 1) for text in texts]


DRAWN_FROM: dict[str, str] = {}  # of a drawn question the passage that it was drawn from, as the test notes it


def knowing_logits(question: str, texts: Sequence[str]) -> list[float]:
    """One that knows the passage a question was drawn from, with noise. The words they share are known already."""
    passage = DRAWN_FROM.get(question)
    return [
        (10 if passage is not None and passage in text else -10) + noise
        for text, noise in zip(texts, random_logits(question, texts), strict=True)
    ]


def note_drawn(session: Session, chunks: Sequence[Chunk]) -> list[DrawnQuestion]:
    """What the program draws, noted for the scorer that knows."""
    found = draw(session, chunks)
    DRAWN_FROM.update({one.text: one.chunk.text for one in found})
    return found


@pytest.mark.parametrize("scorer", [random_logits, knowing_logits])
def test_an_outside_rerankers_weight_is_fitted(folder: Path, monkeypatch: pytest.MonkeyPatch, scorer: Scorer) -> None:
    monkeypatch.setattr("mixrag_cli.stories.reranking.load_pair_scorer", lambda settings: scorer)
    monkeypatch.setattr("mixrag_cli.stories.calibrating.draw", note_drawn)
    name = f"some/{scorer.__name__}"
    report = calibrate_store(folder, Settings(rerank=name, calibration="off"), Labels(), Silence(quiet=True))
    assert report.is_stored
    kept = kept_calibration(read_record(folder / ".mixrag"), name)
    told = [note for note in report.notes if name in note]
    if scorer is random_logits:
        assert kept.weights["rerank"] == 0 and "rerank" not in kept.maps and told
    else:
        assert 0 < kept.weights["rerank"] < 1 and kept.map_of("rerank", "table") is not None and not told
