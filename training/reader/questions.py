"""Fit the heads that read a question alone, on a finished reader: a logistic regression each, to its optimum.

    python -m training.reader.questions READER_TRAIN HEADERS WRITTEN READER.onnx TARGET.onnx

READER_TRAIN and HEADERS are folders of data, WRITTEN that of the questions written for folders. A run that ends by the
clock has seen each question at most once, which is few for a linear map of 384 axes. All else of the reader, also its
rounding, stays as it is. Printed, of the questions kept from training: the share that each head names right, of each
source, by READER and by TARGET. The same for the same files and packages.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor
from torch.nn import functional

from mixrag_cli.models.bundled import tokenizer_file
from mixrag_cli.models.bundled_reader import EXPECTS, OPERATIONS, PAIR
from mixrag_cli.models.onnx_model import Ids, Numbers, open_model, pad
from training.embedder.graph import DIM, constants_of
from training.reader.documentation import read_documentation
from training.reader.facts import read_facts
from training.reader.groups import Intent, is_dev
from training.reader.intents import read_intents, written_intents
from training.reader.lessons import Prepared, Preparing
from training.reader.train import SEED

PENALTY = 3e-4  # of squared weights. 1e-4, 3e-4 and 1e-3 name .888, .888 and .881 of 2,321 kept questions right
STEPS = 60
TINY = 1e-6
HEADS: Mapping[str, tuple[str, ...]] = {"operation": OPERATIONS, "expects": EXPECTS}
AT_CLS = "cls.hidden"  # the graph's vectors that all heads of a whole text read
CONSTANTS = "cls.weight", "cls.bias"  # (384, N_CLS), (N_CLS,)

Array = npt.NDArray[np.float32]


def read_questions(folder: Path, headers: Path, written: Path) -> list[Intent]:
    """All questions alone of the public data, of manuals and of those written for folders, in an order of chance."""
    rng = random.Random(SEED)
    lessons = (
        *read_intents(folder, headers, rng),
        *read_facts(rng),
        *read_documentation(rng),
        *written_intents(written),
    )
    questions = list(dict.fromkeys(one for one in lessons if isinstance(one, Intent)))
    rng.shuffle(questions)
    return questions


def vectors_of(model: onnx.ModelProto, questions: Sequence[Prepared]) -> Tensor:
    """The model's own vectors at [CLS] of questions alone, (n, 384), in their order."""
    told = onnx.ModelProto()
    told.CopyFrom(model)
    told.graph.output.append(helper.make_tensor_value_info(AT_CLS, TensorProto.FLOAT, ["batch", DIM]))
    reader = open_model(told.SerializeToString(), "reader model")
    rows = [row for one in questions for row in one.rows]
    found = torch.zeros((len(rows), DIM))

    def given(batch: Numbers) -> dict[str, Ids]:
        ids, mask = pad([rows[number] for number in batch])
        return {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}  # all of the question

    for batch, (vectors,) in reader.run_by_length([AT_CLS], rows, given):
        found[batch] = torch.tensor(vectors)
    return found


def logistic(inputs: Tensor, gold: Tensor, n_labels: int) -> tuple[Tensor, Tensor]:
    """Weights (n_labels, 384) and bias of the multinomial regression."""
    mean, spread = inputs.mean(dim=0), inputs.std(dim=0) + TINY
    scaled = (inputs - mean) / spread
    matrix = torch.zeros((n_labels, inputs.shape[1]), requires_grad=True)
    bias = torch.zeros(n_labels, requires_grad=True)
    optimiser = torch.optim.LBFGS([matrix, bias], max_iter=STEPS, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimiser.zero_grad()
        value = (
            functional.cross_entropy(functional.linear(scaled, matrix, bias), gold) + PENALTY * matrix.square().sum()
        )
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    plain = matrix.detach() / spread
    return plain, bias.detach() - plain @ mean


def with_heads(model: onnx.ModelProto, matrix: Array, bias: Array) -> onnx.ModelProto:
    """The model with other weights of all heads at [CLS], and nothing else changed."""
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    values = dict(zip(CONSTANTS, (matrix, bias), strict=True))
    for constant in changed.graph.initializer:
        if constant.name in values:
            constant.CopyFrom(numpy_helper.from_array(values[constant.name], constant.name))
    return changed


def report(
    name: str, vectors: Tensor, gold: Tensor, sources: Sequence[str], heads: Sequence[tuple[Tensor, Tensor]]
) -> None:
    """Print what heads before and after the fit name right, by source and in all."""
    said = [functional.linear(vectors, *head).argmax(dim=1) == gold for head in heads]
    for source in (*sorted(set(sources)), "all"):
        of_source = torch.tensor([source in (one, "all") for one in sources]) & (gold >= 0)
        if n := int(of_source.sum()):
            before, after = (float(one[of_source].float().mean()) for one in said)
            print(f"{name:10} {source:12} {n:6}  {before:.3f}  {after:.3f}")


def main() -> None:
    """Fit both heads and write the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("folder", "headers", "written", "reader", "target"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    questions = read_questions(options.folder, options.headers, options.written)
    prepared = Preparing(tokenizer_file()).prepare(questions)
    model = onnx.load(options.reader)
    vectors = vectors_of(model, prepared)
    is_kept = torch.tensor([is_dev(one) for one in questions])
    sources = [one.source for one in questions if is_dev(one)]
    constants = constants_of(model)
    matrix, bias = (np.array(constants[name]) for name in CONSTANTS)
    first = PAIR + 1
    for name, labels in HEADS.items():
        rows = slice(first, first + len(labels))
        gold = torch.tensor([getattr(one, name) for one in prepared])
        is_taught = ~is_kept & (gold >= 0)
        fitted = logistic(vectors[is_taught], gold[is_taught], len(labels))
        before = torch.tensor(matrix[:, rows].T), torch.tensor(bias[rows])
        report(name, vectors[is_kept], gold[is_kept], sources, (before, fitted))
        matrix[:, rows], bias[rows] = fitted[0].numpy().T, fitted[1].numpy()
        first = rows.stop
    onnx.save(with_heads(model, matrix, bias), options.target)


if __name__ == "__main__":
    main()
