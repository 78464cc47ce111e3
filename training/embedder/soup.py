"""Mix the trained model with the one it was trained from, and write it as the bundled one.

    python -m training.embedder.soup TRAINED.onnx WEIGHTS.safetensors PAIRS.jsonl.gz FOLDER [--shares 0.5,1]
        [--beside MODEL.onnx]

Training on tables and questions cost the model what it knew of manuals and code. The mean of both models' weights
keeps most of what either knows. One file a share is written to FOLDER: share-0.5.onnx and so on. TRAINED may also be a
checkpoint of train.py (.npz). --beside writes the mean of each mix and that model, which an earlier run made.

Of the trained model only the int8 file is left. A weight of it is known to a step, and training moved the weights by
less than that: by .2 to .3 steps, where rounding moved them by .29. So a weight is taken to be the mean of what it may
have been: normal around the weight that training began with, cut to the values that round to what is in the file.

Source: Wortsman et al., Robust fine-tuning of zero-shot models, CVPR 2022 (WiSE-FT).
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mixrag_cli.models.minilm import MiniLM
from training.embedder.export import SEED, mix
from training.embedder.graph import (
    ACTIVATION_STEPS,
    DIM,
    HEAD_DIM,
    N_LAYERS,
    PROJECTION,
    WEIGHT_STEPS,
    build_minilm,
    read_constants,
    read_published,
    write_minilm,
)
from training.embedder.lessons import Lesson, read_lessons

SHARES = "0,0.25,0.5,0.75,1"
N_PROJECTION_TEXTS = 320  # the trainer's
ROUNDING_VARIANCE = 1 / 12  # of a number rounded to whole steps, in steps
N_PLACES = 16  # at which a cell is looked at
HALF = 0.5  # of a mix and the model beside it
LEAST_SPREAD = 1 / N_PLACES  # in steps: training left a matrix alone that moved by less

Array = npt.NDArray[np.float32]
Weights = Mapping[str, Array]


def read_trained(model_file: Path, begun: Weights) -> dict[str, Array]:
    """The weights of an int8 model of graph.py by their published names, as they were most likely before rounding.

    begun: the weights that its training began with; those that it left alone are taken from there.
    """
    constants = read_constants(model_file)
    return {**read_body(constants, begun), PROJECTION: constants["late.weight"]}


def read_body(constants: Mapping[str, Array], begun: Weights) -> dict[str, Array]:
    """The weights of all layers, those of begun where the int8 model does not hold them."""
    weights = dict(begun)
    for layer in range(N_LAYERS):
        weights.update(_read_layer(constants, begun, layer))
    return weights


def mean_in_cell(rounded: Array, step: Array, begun: Array) -> Array:
    """What each rounded weight was most likely: the mean of a normal around begun, cut to what rounds to it.

    rounded, begun: (inputs, outputs); step: (outputs,). The normal's spread is that of the whole matrix.
    """
    away = begun / step - rounded
    moved = float(np.mean(away**2)) - ROUNDING_VARIANCE
    if moved < LEAST_SPREAD**2:
        return begun
    nearest = np.clip(away, -0.5, 0.5)
    total, weighted = np.zeros_like(away), np.zeros_like(away)
    for place in (np.arange(N_PLACES) + 0.5) / N_PLACES - 0.5:
        likely = np.exp(((nearest - away) ** 2 - (place - away) ** 2) / (2 * moved))
        total += likely
        weighted += place * likely
    found = rounded + weighted / total
    # A column's step was made from its largest weight, which is therefore known.
    return np.asarray(np.where(np.abs(rounded) == WEIGHT_STEPS, rounded, found) * step, dtype=np.float32)


def _read_layer(constants: Mapping[str, Array], begun: Weights, layer: int) -> dict[str, Array]:
    prefix, name = f"encoder.layer.{layer}", f"layer{layer}"
    found: dict[str, Array] = {}
    shrink = HEAD_DIM**-0.5
    for at, part in enumerate(("query", "key", "value")):
        scale = shrink if part == "query" else 1.0
        columns = slice(at * DIM, (at + 1) * DIM)
        whole, step, bias = (constants[f"{name}.qkv.{kind}"][..., columns] for kind in ("weight", "unscale", "bias"))
        weight = begun[f"{prefix}.attention.self.{part}.weight"].T * scale
        found[f"{prefix}.attention.self.{part}.weight"] = mean_in_cell(whole, step * ACTIVATION_STEPS, weight).T / scale
        found[f"{prefix}.attention.self.{part}.bias"] = bias / scale
    dense = {"projected": "attention.output.dense", "wide": "intermediate.dense", "narrow": "output.dense"}
    for node, part in dense.items():
        whole, step = constants[f"{name}.{node}.weight"], constants[f"{name}.{node}.unscale"] * ACTIVATION_STEPS
        found[f"{prefix}.{part}.weight"] = mean_in_cell(whole, step, begun[f"{prefix}.{part}.weight"].T).T
        found[f"{prefix}.{part}.bias"] = constants[f"{name}.{node}.bias"]
    for node, part in {"middle": "attention.output.LayerNorm", "hidden": "output.LayerNorm"}.items():
        found[f"{prefix}.{part}.weight"] = constants[f"{name}.{node}.scale"]
        found[f"{prefix}.{part}.bias"] = constants[f"{name}.{node}.bias"]
    return found


def first_projection(begun: Weights, trained: Array, lessons: Sequence[Lesson]) -> Array:
    """The projection that training begins with: the principal directions of the token vectors, (384, LATE_DIM).

    Each has the sign that it has in the trained one, which began with them.
    """
    samples = random.Random(SEED).sample(list(lessons), min(N_PROJECTION_TEXTS, len(lessons)))
    whole = build_minilm({**begun, PROJECTION: np.eye(DIM, dtype=np.float32)}, quantised=False)
    tokens = MiniLM(whole.SerializeToString()).embed_tokens(
        [text for one in samples for text in (one.positive, one.query)]
    )
    rows = np.concatenate(tokens)
    directions = np.linalg.eigh(rows.T @ rows)[1][:, ::-1][:, : trained.shape[1]]
    return np.asarray(directions * np.sign((directions * trained).sum(axis=0)), dtype=np.float32)


def main() -> None:
    """Write one model a share."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trained", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--beside", type=Path, help="an int8 model that each mix is averaged with")
    parser.add_argument("--shares", default=SHARES, help="of the trained weights")
    options = parser.parse_args()
    begun = read_published(options.weights)
    if options.trained.suffix == ".npz":
        trained = dict(np.load(options.trained))
    else:
        trained = read_trained(options.trained, begun)
    beside = read_trained(options.beside, begun) if options.beside else None
    lessons, _ = read_lessons(options.pairs, SEED)
    begun[PROJECTION] = first_projection(begun, trained[PROJECTION], lessons)
    options.folder.mkdir(parents=True, exist_ok=True)
    for share in map(float, options.shares.split(",")):
        target = options.folder / f"share-{share:g}.onnx"
        mixed = mix(trained, begun, share)
        write_minilm(mix(mixed, beside, HALF) if beside else mixed, target)
        print(f"{target}: {hashlib.sha256(target.read_bytes()).hexdigest()}", flush=True)


if __name__ == "__main__":
    main()
