"""The heads that read a question alone are fitted on the shipped model's own vectors, and nothing else is changed."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("torch")

import onnx
import torch

from mixrag_cli.models.bundled import tokenizer_file
from mixrag_cli.models.bundled_reader import EXPECTS, OPERATIONS, PAIR, reader_file
from mixrag_cli.models.reader import OnnxReader, load_reader
from training.embedder.graph import read_constants
from training.reader.groups import Intent
from training.reader.lessons import Preparing
from training.reader.questions import CONSTANTS, logistic, vectors_of, with_heads

QUESTIONS = (
    "What is the total of wages for 2019 and 2020?",
    "Why was the ferry late?",
    "By what percentage did sales change from 2021 to 2022, and is that more than in the year before?",
)
PASSAGES = ("The ferry was late since the tide was low.", "Sales fell from 12 to 9.")


def test_the_heads_over_the_models_vectors_say_what_the_model_says() -> None:
    prepared = Preparing(tokenizer_file()).prepare(Intent(one, "", "", "", "") for one in QUESTIONS)
    vectors = vectors_of(onnx.load(reader_file()), prepared).numpy()
    matrix, bias = (read_constants(reader_file())[name] for name in CONSTANTS)
    operations = slice(PAIR + 1, PAIR + 1 + len(OPERATIONS))
    powers = np.exp((vectors @ matrix + bias)[:, operations])
    said = [list(load_reader(1).question(one).operation.values()) for one in QUESTIONS]
    assert np.allclose(powers / powers.sum(axis=1, keepdims=True), said, atol=1e-4)


def test_other_heads_of_a_question_leave_what_is_read_of_passages(tmp_path: Path) -> None:
    model = onnx.load(reader_file())
    matrix, bias = (np.array(read_constants(reader_file())[name]) for name in CONSTANTS)
    sums = PAIR + 1 + OPERATIONS.index("sum")
    matrix[:, PAIR + 1 :], bias[PAIR + 1 :] = 0.0, 0.0
    bias[sums] = 5.0
    changed = OnnxReader(with_heads(model, matrix, bias).SerializeToString(), 1)
    reading = changed.question(QUESTIONS[1])
    assert max(reading.operation, key=lambda name: reading.operation[name]) == "sum"
    assert list(reading.expects.values()) == pytest.approx([1 / len(EXPECTS)] * len(EXPECTS))
    for one, before in zip(*(each.read(QUESTIONS[1], PASSAGES) for each in (changed, load_reader(1))), strict=True):
        assert (one.holds, one.pair, one.none, one.total) == pytest.approx(
            (before.holds, before.pair, before.none, before.total), abs=1e-4
        )


@pytest.mark.slow
def test_a_head_learns_what_tells_labels_apart() -> None:
    rng = np.random.default_rng(5)
    inputs = torch.tensor(rng.normal(3.0, 2.0, (600, 8)), dtype=torch.float32)
    gold = (inputs @ torch.tensor(rng.normal(0.0, 1.0, (8, 3)), dtype=torch.float32)).argmax(dim=1)
    matrix, bias = logistic(inputs, gold, 3)
    assert float(((inputs @ matrix.T + bias).argmax(dim=1) == gold).float().mean()) > 0.95
