"""Compute: formulas over named evidence.

The formulas are written here once; their values come from the calculator, over numbers that the evidence quotes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from mixrag_cli.quantities.calculator import CalculationError, evaluate
from mixrag_cli.quantities.formula_units import PERCENT, UnitsDisagree, result_unit
from mixrag_cli.recap.restate import Operation
from mixrag_cli.records.answers import Evidence

_PAIR_FORMULAS: dict[Operation, str] = {
    "difference": "e2 - e1",
    "change_percent": "(e2 - e1) / abs(e1) * 100",
    "ratio": "e1 / e2",
    "share": "e1 / e2 * 100",
}
_DIVISORS: dict[Operation, int] = {"change_percent": 0, "ratio": 1, "share": 1}  # which of the two divides
_LIST_FORMULAS: dict[Operation, str] = {"sum": "sum", "average": "average", "maximum": "max", "minimum": "min"}


@dataclass(frozen=True, slots=True)
class Computed:
    """A formula over evidence ids with its value, in the unit and scale of the answer."""

    formula: str
    value: Decimal
    unit: str
    scale: int


def formula_for(operation: Operation, n_operands: int) -> str | None:
    """The operation's formula over e1 … en, or None where it takes another number of operands.

    Example: formula_for("share", 2) -> "e1 / e2 * 100".
    """
    if operation in _PAIR_FORMULAS:
        return _PAIR_FORMULAS[operation] if n_operands == 2 else None
    if operation in _LIST_FORMULAS and n_operands >= 2:
        return f"{_LIST_FORMULAS[operation]}({', '.join(f'e{n}' for n in range(1, n_operands + 1))})"
    return None


def compute(operation: Operation, evidence: Sequence[Evidence]) -> Computed | None:
    """The operation's value over the evidence, brought to one scale; None where units forbid it or it has none.

    A share or a change is in per cent, or it is none. Of a figure in a scale and one of which neither unit nor scale is
    known there is a ratio alone: revenue, in millions, to employees.
    """
    formula = formula_for(operation, len(evidence))
    if formula is None or any(piece.value is None for piece in evidence):
        return None
    scale, most = (end(piece.scale for piece in evidence) for end in (min, max))
    is_open = most > scale == 1 and not all(piece.unit for piece in evidence if piece.scale == 1)
    if (is_open and operation != "ratio") or (operation in _DIVISORS and not evidence[_DIVISORS[operation]].value):
        return None
    values = {piece.id: (piece.value or Decimal(0)) * piece.scale / scale for piece in evidence}
    try:
        value, result = evaluate(formula, values), result_unit(formula, {piece.id: piece.unit for piece in evidence})
    except (CalculationError, UnitsDisagree):
        return None
    if operation in ("share", "change_percent") and result.unit != PERCENT:
        return None
    return Computed(formula, value, result.unit, scale if result.keeps_scale else 1)
