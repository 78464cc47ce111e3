"""The heads that read a question alone, fitted anew on the trained body: a logistic regression each, to its optimum.

A run that ends by the clock has seen each question at most once, which is few for a linear map of 384 axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from mixrag_cli.models.bundled_reader import CLS, EXPECTS, OPERATIONS, PAIR
from training.embedder.train import Weights
from training.reader.lessons import Prepared
from training.reader.model import Reader, to_tensors

QUESTIONS = 12_000
BATCH = 64
PENALTIES = (3e-4, 1e-3, 3e-3)  # of squared weights; the kept questions choose
STEPS = 60
TINY = 1e-6


def fit_question_heads(weights: Weights, lessons: Sequence[Prepared], kept: Sequence[Prepared]) -> dict[str, Any]:
    """The weights with both heads replaced where that names more of the kept questions right."""
    model = Reader(weights)
    taught = [one for one in lessons if one.head == "intent"][:QUESTIONS]
    judged = [one for one in kept if one.head == "intent"]
    inputs, others = features(model, taught), features(model, judged)
    matrix, bias = (np.array(weights[name]) for name in CLS)
    first = PAIR + 1
    for name, labels in (("operation", OPERATIONS), ("expects", EXPECTS)):
        rows = slice(first, first + len(labels))
        gold, right = (torch.tensor([getattr(one, name) for one in part]) for part in (taught, judged))
        old = torch.tensor(matrix[rows]), torch.tensor(bias[rows])
        found = [old, *(logistic(inputs[gold >= 0], gold[gold >= 0], len(labels), p) for p in PENALTIES)]
        shares = [accuracy(others[right >= 0], right[right >= 0], *one) for one in found]
        print(
            f"{name}: as trained {shares[0]:.3f}, fitted {' '.join(f'{share:.3f}' for share in shares[1:])}", flush=True
        )
        best = found[int(np.argmax(shares))]
        matrix[rows], bias[rows] = best[0].numpy(), best[1].numpy()
        first += len(labels)
    return {**weights, CLS[0]: matrix, CLS[1]: bias}


def features(model: Reader, lessons: Sequence[Prepared]) -> Tensor:
    """The vectors at [CLS] of questions alone, (n, 384), in their order."""
    order = sorted(range(len(lessons)), key=lambda at: lessons[at].longest)
    found = torch.zeros((len(lessons), 384))
    with torch.no_grad():
        for start in range(0, len(order), BATCH):
            part = order[start : start + BATCH]
            ids, types, mask, _ = to_tensors([lessons[at] for at in part])
            found[part] = model.hidden(ids, types, mask)[:, 0]
    return found


def logistic(inputs: Tensor, gold: Tensor, n_labels: int, penalty: float) -> tuple[Tensor, Tensor]:
    """Weights (n_labels, 384) and bias of the multinomial regression with this penalty."""
    mean, spread = inputs.mean(dim=0), inputs.std(dim=0) + TINY
    scaled = (inputs - mean) / spread
    matrix = torch.zeros((n_labels, inputs.shape[1]), requires_grad=True)
    bias = torch.zeros(n_labels, requires_grad=True)
    optimiser = torch.optim.LBFGS([matrix, bias], max_iter=STEPS, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimiser.zero_grad()
        value = (
            functional.cross_entropy(functional.linear(scaled, matrix, bias), gold) + penalty * matrix.square().sum()
        )
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    plain = matrix.detach() / spread
    return plain, bias.detach() - plain @ mean


def accuracy(inputs: Tensor, gold: Tensor, matrix: Tensor, bias: Tensor) -> float:
    """The share of inputs whose label is best."""
    return float((functional.linear(inputs, matrix, bias).argmax(dim=1) == gold).float().mean())
