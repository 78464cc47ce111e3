"""What a trained reader is: a question and passages in, what each says to it out. The model lives under models/."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

N_SPANS = 8  # of a passage that are told
LEAST_TOTAL = -20.0  # log odds of any span, from which on down there is none
LEAST_LOG = -12.0  # log probability of a text that no span which is told falls to
LEAST_CHANCE = 1e-3  # and as far from 1: what is surer tells nothing more
WIDEST = 30.0  # log odds, beyond which the exponential tells no difference


@dataclass(frozen=True, slots=True)
class Span:
    """Characters start to end of a passage. logit: of this being the answer, against the passage holding none."""

    start: int
    end: int
    logit: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model makes of one passage, or of one cell as text.

    holds: logit of the passage answering the question. pair: logit of the cell being the one that is meant. none: logit
    of no span, which the spans' logits are already counted from. spans: the best, best first. total: log of the sum
    over all spans of exp of their logits, so that probabilities can be had over several passages.
    """

    holds: float
    pair: float
    none: float
    spans: tuple[Span, ...]
    total: float

    @property
    def bounded_total(self) -> float:
        """The total, LEAST_TOTAL where it is less: a text without a token has a total of -inf."""
        return max(self.total, LEAST_TOTAL)


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """What a question wants. operation, expects: probabilities by name, which sum to 1; as OPERATIONS and EXPECTS."""

    operation: Mapping[str, float]
    expects: Mapping[str, float]


class ReaderModel(Protocol):
    """What reads a question together with passages. name: another name means other readings."""

    name: str

    def read(self, question: str, passages: Sequence[str]) -> list[Reading]:
        """What the model makes of each passage or cell, in their order; each reading is independent of the others."""
        ...

    def question(self, question: str) -> QuestionReading:
        """What the question wants, read alone."""
        ...


@dataclass(frozen=True, slots=True)
class JointSpan:
    """A span of one of several passages. log_probability: over all spans of all of them and none."""

    passage: int
    start: int
    end: int
    log_probability: float


def log_sum(logs: Iterable[float]) -> float:
    """The logarithm of the sum of exponentials, -inf for none."""
    return float(np.logaddexp.reduce([*logs], initial=-np.inf))


def log_odds(chance: float) -> float:
    """log(p / (1 - p)), bounded to those of LEAST_CHANCE."""
    bounded = min(max(chance, LEAST_CHANCE), 1 - LEAST_CHANCE)
    return math.log(bounded / (1 - bounded))


def chance_of(odds: float) -> float:
    """The probability of log odds, in (0, 1); the inverse of log_odds within its bounds."""
    return 1 / (1 + math.exp(-max(min(odds, WIDEST), -WIDEST)))


def joint_total(readings: Sequence[Reading]) -> float:
    """What all spans of all passages and "none", whose logit is 0, weigh together, as a logarithm."""
    return log_sum([0.0, *(reading.total for reading in readings)])


def joint_spans(readings: Sequence[Reading], limit: int = N_SPANS) -> tuple[list[JointSpan], float]:
    """The best spans of all passages, best first, and the log probability of none.

    One softmax over every span of every passage and none: the confidence that carries over to texts of other kinds.
    """
    total = joint_total(readings)
    found = [
        JointSpan(number, span.start, span.end, span.logit - total)
        for number, reading in enumerate(readings)
        for span in reading.spans
    ]
    return sorted(found, key=lambda span: -span.log_probability)[:limit], -total
