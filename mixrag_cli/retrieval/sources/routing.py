"""The router of the levels: from a question's vector to how much each granularity counts.

It is a small network, trained by training/router.py.

Source: Mix-of-Granularity, section 3.2.2, eq. 3.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

LEVELS = ("passage", "window", "section", "document")
HIDDEN = 16  # units: a few hundred questions teach no more
ROUTER_FILE = Path(__file__).with_name("router.json")  # made by tests/benchmarks/source_gains.py
DIGITS = 3


@dataclass(frozen=True, slots=True)
class Router:
    """A network of one hidden layer. first: (dim, HIDDEN), second: (HIDDEN, levels), each with its bias."""

    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats

    def weights(self, vector: Floats) -> Floats:
        """How much each level counts for a question, (levels,) in (0, 1); vectors may be (n, dim)."""
        hidden = np.maximum(vector @ self.first + self.first_bias, 0)
        told: Floats = 1 / (1 + np.exp(-(hidden @ self.second + self.second_bias)))
        return told

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, rounded."""
        parts = {name: getattr(self, name) for name in ("first", "first_bias", "second", "second_bias")}
        return {name: np.round(part.astype(np.float64), DIGITS).tolist() for name, part in parts.items()}


@lru_cache(maxsize=4)
def read_router(dim: int) -> Router:
    """The shipped router; for vectors of another size one that counts all levels alike."""
    if ROUTER_FILE.exists():
        known = json.loads(ROUTER_FILE.read_text("utf-8"))
        router = Router(*(np.array(known[name], np.float32) for name in known))
        if router.first.shape[0] == dim:
            return router
    levels = len(LEVELS)
    zeros = (np.zeros((dim, HIDDEN)), np.zeros(HIDDEN), np.zeros((HIDDEN, levels)), np.zeros(levels))
    return Router(*(part.astype(np.float32) for part in zeros))
