"""The reader as a function of its weights, and what it is taught by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from mixrag_cli.models.bundled_reader import (
    CLS,
    EXPECTS,
    HOLDS,
    MAX_SPAN,
    N_CLS,
    NONE,
    OPERATIONS,
    PAIR,
    START_END,
)
from training.embedder.graph import DIM
from training.embedder.train import MiniLM, Weights
from training.reader.lessons import Prepared

NOT_THERE = -1e4
JOINT = 0.5  # of the span loss is over all spans at once, the rest over starts and over ends
WORTH_OF_INTENT = 0.1  # of a question alone beside a group: a batch holds a hundred of them, and six groups
HAS_AVX512 = torch.backends.cpu.get_cpu_capability() == "AVX512"


class Reader(MiniLM):
    """MiniLM that reads question and passage together, with heads at each token and at [CLS]."""

    def __init__(self, weights: Weights) -> None:
        super().__init__(weights, [])

    def read(self, ids: Tensor, types: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Start and end logits (batch, length) and those at [CLS], (batch, N_CLS)."""
        of = self.weights
        hidden = self.run(ids, mask, types)
        spans = functional.linear(hidden, of[START_END[0]], of[START_END[1]])
        return spans[..., 0], spans[..., 1], functional.linear(hidden[:, 0], of[CLS[0]], of[CLS[1]])


def with_heads(weights: Weights, seed: int) -> dict[str, np.ndarray]:
    """The weights that training begins with: the published ones, and heads by chance, near zero."""
    rng = np.random.default_rng(seed)
    body = {name: np.asarray(values) for name, values in weights.items() if "position_ids" not in name}
    heads = {
        START_END[0]: rng.normal(0, 0.02, (2, DIM)),
        START_END[1]: np.zeros(2),
        CLS[0]: rng.normal(0, 0.02, (N_CLS, DIM)),
        CLS[1]: np.zeros(N_CLS),
    }
    return body | {name: values.astype(np.float32) for name, values in heads.items()}


def batch_losses(model: Reader, batch: Sequence[Prepared]) -> dict[str, list[Tensor]]:
    """Each lesson's losses, by head: span, holds, pair, operation and expects."""
    ids, types, mask, passage = to_tensors(batch)
    # Half again as fast as float32 on one thread of AVX-512, a ninth as fast on one without.
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=HAS_AVX512):
        start, end, cls = (logits.float() for logits in model.read(ids, types, mask))
    # Relative to its own passage's none, a span's logit is the same beside whatever other passages.
    none = cls[:, NONE, None] / 2
    start, end = ((part - none).masked_fill(~passage, NOT_THERE) for part in (start, end))
    found: dict[str, list[Tensor]] = {"span": [], "holds": [], "pair": [], "operation": [], "expects": []}
    first = 0
    for one in batch:
        rows = slice(first, first + len(one.rows))
        if one.head == "intent":
            _add_intent(found, one, cls[first])
        else:
            logits = cls[rows, HOLDS if one.head == "holds" else PAIR]
            found[one.head].append(_among(logits, one.right))
            if one.spanned:
                found["span"].append(_span_loss(start[rows], end[rows], one))
        first += len(one.rows)
    return found


def total_loss(found: dict[str, list[Tensor]]) -> Tensor:
    """The losses of a batch as one sum, questions alone counting less."""
    weights = {"operation": WORTH_OF_INTENT, "expects": WORTH_OF_INTENT}
    parts = [weights.get(name, 1.0) * torch.stack(losses).sum() for name, losses in found.items() if losses]
    return torch.stack(parts).sum()


def worth(batch: Sequence[Prepared]) -> float:
    """What the lessons of a batch count together."""
    return sum(WORTH_OF_INTENT if one.head == "intent" else 1.0 for one in batch)


def to_tensors(batch: Sequence[Prepared]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Ids, token types, which tokens are no padding, and which are of a passage: (rows, longest) each."""
    rows = [(row, one.begins) for one in batch for row in one.rows]
    ids = torch.zeros((len(rows), max(len(row) for row, _ in rows)), dtype=torch.int64)
    types = torch.zeros_like(ids)
    mask, passage = (torch.zeros_like(ids, dtype=torch.bool) for _ in range(2))
    for at, (row, begins) in enumerate(rows):
        ids[at, : len(row)] = torch.tensor(row)
        types[at, begins : len(row)] = 1
        mask[at, : len(row)] = True
        passage[at, begins : len(row) - 1] = True
    return ids, types, mask, passage


def _among(logits: Tensor, right: int | None) -> Tensor:
    """Cross-entropy over a group's rows and none, whose logit is 0."""
    scores = torch.cat([torch.zeros(1), logits])
    return functional.cross_entropy(scores[None], torch.tensor([0 if right is None else right + 1]))


def _span_loss(start: Tensor, end: Tensor, one: Prepared) -> Tensor:
    """-log of the probability of all annotators' spans, over all spans of all the group's rows and none."""
    spans_from = torch.logsumexp(functional.pad(end, (0, MAX_SPAN - 1), value=NOT_THERE).unfold(1, MAX_SPAN, 1), dim=2)
    null = torch.zeros(1)
    totals = [
        torch.logsumexp(torch.cat([null, scores.flatten()]), dim=0) for scores in (start + spans_from, start, end)
    ]
    if one.right is None:
        joint, starts, ends = totals
    else:
        row, firsts, lasts = one.right, [a for a, _ in one.spans], [b for _, b in one.spans]
        joint = totals[0] - torch.logsumexp(start[row, firsts] + end[row, lasts], dim=0)
        starts = totals[1] - torch.logsumexp(start[row, sorted(set(firsts))], dim=0)
        ends = totals[2] - torch.logsumexp(end[row, sorted(set(lasts))], dim=0)
    return JOINT * joint + (1 - JOINT) / 2 * (starts + ends)


def _add_intent(found: dict[str, list[Tensor]], one: Prepared, cls: Tensor) -> None:
    begins = PAIR + 1
    if one.operation >= 0:
        logits = cls[begins : begins + len(OPERATIONS)]
        found["operation"].append(functional.cross_entropy(logits[None], torch.tensor([one.operation])))
    if one.expects >= 0:
        logits = cls[begins + len(OPERATIONS) : begins + len(OPERATIONS) + len(EXPECTS)]
        found["expects"].append(functional.cross_entropy(logits[None], torch.tensor([one.expects])))
