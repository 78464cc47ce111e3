"""Probabilities and their log odds, the same for everything that is believed to a degree."""

from __future__ import annotations

import math

LEAST_CHANCE = 1e-3  # and as far from 1: what is surer tells nothing more
WIDEST = 30.0  # log odds, beyond which the exponential tells no difference


def log_odds(chance: float) -> float:
    """log(p / (1 - p)), bounded to those of LEAST_CHANCE."""
    bounded = min(max(chance, LEAST_CHANCE), 1 - LEAST_CHANCE)
    return math.log(bounded / (1 - bounded))


def chance_of(odds: float) -> float:
    """The probability of log odds, in (0, 1); the inverse of log_odds within its bounds."""
    return 1 / (1 + math.exp(-max(min(odds, WIDEST), -WIDEST)))
