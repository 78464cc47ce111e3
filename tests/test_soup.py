"""Mixing the trained model with the one it began with: what rounding hid is guessed well, and nothing else changes."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("safetensors")

import onnx
from onnx import numpy_helper

from training.embedder.export import mix
from training.embedder.graph import PROJECTION, WEIGHT_STEPS, read_weights, write_minilm
from training.embedder.soup import mean_in_cell, read_trained

# About .2 of a rounding step, as training moved them.
MOVED = 5e-4


def moved(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights as a short training leaves them: those of the upper layers a little elsewhere."""
    rng = np.random.default_rng(3)
    return {
        name: values + rng.normal(0, MOVED, values.shape).astype(np.float32)
        if name.startswith("encoder.layer.5")
        else values
        for name, values in weights.items()
    }


def constants_of(path: Path) -> dict[str, np.ndarray]:
    return {one.name: numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer}


def test_the_mean_of_a_cell_is_nearer_to_the_weight_than_its_middle() -> None:
    rng = np.random.default_rng(1)
    begun = rng.normal(0, 0.05, (400, 60)).astype(np.float32)
    trained = begun + rng.normal(0, MOVED, begun.shape).astype(np.float32)
    step = np.abs(trained).max(axis=0) / WEIGHT_STEPS
    rounded = np.round(trained / step)
    found = mean_in_cell(rounded, step, begun)
    assert np.array_equal(np.round(found / step), rounded)
    errors = [float(np.mean((guess - trained) ** 2)) for guess in (found, rounded * step, begun)]
    assert errors[0] < min(errors[1:])


def test_a_model_read_and_written_is_the_same(published_model: Path, tmp_path: Path) -> None:
    begun = read_weights(published_model / "model.safetensors")
    projection = np.random.default_rng(2).standard_normal((384, 96)).astype(np.float32)
    write_minilm({**moved(begun), PROJECTION: projection}, tmp_path / "trained.onnx")
    trained = read_trained(tmp_path / "trained.onnx", begun)
    write_minilm(trained, tmp_path / "again.onnx")
    before, after = constants_of(tmp_path / "trained.onnx"), constants_of(tmp_path / "again.onnx")
    assert {name for name, values in before.items() if not np.allclose(values, after[name], rtol=1e-5)} == set()


def test_a_share_of_none_is_the_model_it_began_with(published_model: Path) -> None:
    begun = read_weights(published_model / "model.safetensors")
    mixed = mix(moved(begun), begun, 0.0)
    assert all(np.allclose(values, begun[name]) for name, values in mixed.items())
