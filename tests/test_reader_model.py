"""The reader model: it reads, its logits depend on question and passage alone, damaged files are refused."""

import math
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.models import bundled_reader, load_reader
from mixrag_cli.models.bundled_reader import EXPECTS, OPERATIONS, cell_text
from mixrag_cli.reading import Reading, Span, joint_spans
from mixrag_cli.settings import Settings
from mixrag_cli.stories import collection, session
from mixrag_cli.stories.scope import Scope

PASSAGES = [
    "The bridge over the Aare was opened in 1883. It replaced a ferry that had run since the thirteenth century.",
    "Opening hours\nThe reading room is open from nine to five on weekdays, and closed in August.",
    "Bakers rise early. " * 60,
    "",
    "日本 \U0001f5fe \ud800 lone",
]
QUESTION = "When was the bridge opened?"


@pytest.fixture(scope="module")
def reader():
    return load_reader(Settings(threads=2))


def test_a_span_is_text_of_its_passage_and_the_right_one_is_best(reader):
    readings = reader.read(QUESTION, PASSAGES)
    spans, _ = joint_spans(readings)
    best = spans[0]
    assert best.passage == 0
    assert "1883" in PASSAGES[0][best.start : best.end]
    for reading, passage in zip(readings, PASSAGES, strict=True):
        assert all(0 <= span.start < span.end <= len(passage) for span in reading.spans)


def test_the_passage_that_answers_is_the_one_that_holds_it(reader):
    readings = reader.read(QUESTION, PASSAGES)
    assert max(range(len(PASSAGES)), key=lambda at: readings[at].holds) == 0


@pytest.mark.slow
def test_batches_that_are_run_at_once_say_what_they_say_one_after_the_other(reader):
    many = [passage * n for n in range(1, 9) for passage in PASSAGES[:3]]  # some ten batches
    assert reader.read(QUESTION, many) == load_reader(Settings(threads=1)).read(QUESTION, many)


def test_the_cell_that_is_meant_is_best(reader):
    cells = [
        cell_text("Population of cantons", (canton,), (year,), value)
        for canton, year, value in (
            ("Bern", "2010", "979,802"),
            ("Bern", "2020", "1,043,132"),
            ("Uri", "2010", "35,422"),
            ("Uri", "2020", "36,819"),
        )
    ]
    readings = reader.read("How many people lived in Uri in 2020?", cells)
    assert max(range(len(cells)), key=lambda at: readings[at].pair) == 3


@pytest.mark.parametrize(
    ("question", "operation"),
    [
        ("What is the lowest temperature recorded?", "min"),
        ("What is the average price of a ticket?", "average"),
        ("What was the percentage change in revenue from 2018 to 2019?", "percent_change"),
        ("Which region has the highest unemployment rate?", "argmax"),
    ],
)
def test_the_operation_is_read_from_the_question(reader, question, operation):
    found = reader.question(question)
    assert max(found.operation, key=found.operation.get) == operation
    assert tuple(found.operation) == OPERATIONS
    assert tuple(found.expects) == EXPECTS
    assert sum(found.operation.values()) == pytest.approx(1)
    assert sum(found.expects.values()) == pytest.approx(1)


def test_a_reading_does_not_depend_on_its_batch(reader):
    together = reader.read(QUESTION, PASSAGES)
    for reading, passage in zip(together, PASSAGES, strict=True):
        (alone,) = reader.read(QUESTION, [passage])
        assert (alone.holds, alone.pair, alone.none) == pytest.approx(
            (reading.holds, reading.pair, reading.none), abs=1e-3
        )
    assert reader.read(QUESTION, []) == []


def test_a_long_question_leaves_room_for_the_passage(reader):
    (reading,) = reader.read("why " * 2_000, [PASSAGES[0]])
    assert math.isfinite(reading.holds)
    assert reading.spans


def test_all_spans_of_a_passage_are_counted(reader):
    (reading,) = reader.read(QUESTION, ["may june july"])
    assert len(reading.spans) == 3 + 2 + 1
    assert np.logaddexp.reduce([span.logit for span in reading.spans]) == pytest.approx(reading.total, abs=1e-6)


def test_probabilities_over_all_passages_and_none_sum_to_one():
    readings = [
        Reading(0, 0, 0, (Span(0, 4, 2.0), Span(0, 2, 1.0)), float(np.logaddexp(2.0, 1.0))),
        Reading(0, 0, 0, (Span(3, 5, 3.0),), 3.0),
        Reading(0, 0, 0, (), -math.inf),
    ]
    spans, none = joint_spans(readings)
    assert [(span.passage, span.start) for span in spans] == [(1, 3), (0, 0), (0, 0)]
    assert sum(math.exp(span.log_probability) for span in spans) + math.exp(none) == pytest.approx(1)
    assert none == pytest.approx(-math.log(1 + math.exp(1) + math.exp(2) + math.exp(3)))


def test_nothing_to_read_is_surely_none():
    assert joint_spans([]) == ([], 0.0)


def test_a_cell_as_text():
    assert cell_text("Workers", ("Sex", "Female"), ("2011",), "35.3") == "Workers › Sex > Female | 2011: 35.3"
    assert cell_text("", ("timeout",), (), "30") == "timeout: 30"
    assert cell_text("Albums", ("1972",), ("Title",), "Prologue", {"Label": "Sovereign"}) == (
        "Albums › 1972 | Title: Prologue (Label Sovereign)"
    )


@pytest.mark.parametrize(
    "damage", [lambda raw: raw[: len(raw) // 2], lambda raw: raw[:-1] + bytes([raw[-1] ^ 1])], ids=["cut", "one bit"]
)
def test_a_file_that_is_not_the_pinned_one_is_refused(damage, tmp_path, monkeypatch):
    path = tmp_path / "model.onnx"
    shutil.copyfile(bundled_reader.reader_folder() / "model.onnx", path)
    assert path.stat().st_size <= 25_000_000
    path.write_bytes(damage(path.read_bytes()))
    monkeypatch.setattr(bundled_reader, "reader_folder", lambda: tmp_path)
    with pytest.raises(ModelUnusable, match=r"model\.onnx: sha256 differs"):
        load_reader(Settings())
    path.unlink()
    with pytest.raises(ModelUnusable, match=r"model\.onnx"):
        load_reader(Settings())


def test_loading_needs_no_training_library():
    code = (
        "import sys; from mixrag_cli.models import load_reader; from mixrag_cli.settings import Settings;"
        "load_reader(Settings()).read('who', ['cat']);"
        "print(sorted({'onnx', 'torch', 'safetensors', 'training'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


@pytest.mark.slow
def test_int8_is_near_float32(published_model):
    pytest.importorskip("onnx")
    from mixrag_cli.models.bundled_reader import CLS, N_CLS, START_END
    from mixrag_cli.models.reader import OnnxReader
    from training.embedder.graph import build_reader, read_weights

    rng = np.random.default_rng(3)
    shapes = {START_END[0]: (2, 384), START_END[1]: (2,), CLS[0]: (N_CLS, 384), CLS[1]: (N_CLS,)}
    heads = {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}
    weights = read_weights(published_model / "model.safetensors") | heads
    whole, quick = (
        OnnxReader(build_reader(weights, quantised=quantised).SerializeToString(), 2) for quantised in (False, True)
    )
    exact, near = (np.array([(r.holds, r.pair, r.none) for r in m.read(QUESTION, PASSAGES)]) for m in (whole, quick))
    assert np.abs(exact - near).max() < 0.15 * np.abs(exact).max()


def test_it_is_loaded_beside_the_store_for_a_question_and_never_for_a_search(
    northmere_texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading: list[threading.Thread] = []

    def load(settings: Settings):
        loading.append(threading.current_thread())
        return load_reader(settings)

    for module in (session, collection):
        monkeypatch.setattr(module, "load_reader", load)
    assert session.open_session(northmere_texts, Settings()).search("boil notice", Scope(), 3).hits
    assert not loading
    asked = session.open_session(northmere_texts, Settings(), asks=True)
    assert asked.ask("When is a boil notice issued?", Scope()).models["reader"] == asked.passage_reader.name
    assert len(loading) == 1 and loading[0] is not threading.main_thread()
