"""Which units a formula's result is in, and whether it adds only what can be added.

Every operand brings its unit as a dimension: "USD", "shares", "%", or UNKNOWN where the source states none, which
agrees with any. Sums keep their dimension, products multiply it. The literal 100 counts as one "%", so that

    (e2 - e1) / e1 * 100     is in %            e1 * e2 / 100, e1 in USD and e2 in %,     is in USD
    1 + e1 / 100, e1 in %,   is a plain number  1 + e1, e1 in %, or USD + EUR,            does not agree
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from mixrag_cli.errors import MixragError
from mixrag_cli.quantities.calculator import FormulaNode, parse_formula

UNKNOWN = "?"
PERCENT = "%"
Dimension = dict[str, Decimal]  # exponents by unit; none of them 0


class UnitsDisagree(MixragError):
    """A formula adds or compares what cannot be added."""


@dataclass(frozen=True, slots=True)
class ResultUnit:
    """unit: "USD", "%", "pp", "USD/shares", or "" for a plain number. keeps_scale: whether operands in millions give a
    result in millions, as sums do and shares do not."""

    unit: str
    keeps_scale: bool = False


def result_unit(formula: str, units: Mapping[str, str]) -> ResultUnit:
    """What the formula's result is in.

    units: by operand name, "" where unknown. Raises UnitsDisagree, and CalculationError for no formula.
    """
    tree = parse_formula(formula)
    dimension = _dimension(tree, units)
    known = [unit for unit in dimension if unit not in (PERCENT, UNKNOWN)]
    above, below = ([unit for unit in known if dimension[unit] == exponent] for exponent in (1, -1))
    if _degree(dimension):
        unit = above[0] if known == above and len(above) == 1 else ""
        return ResultUnit(unit, dimension == {unit or UNKNOWN: 1})
    if known and UNKNOWN not in dimension:
        return ResultUnit(f"{above[0]}/{below[0]}" if len(known) == 2 and above and below else "")
    if dimension.get(PERCENT) != 1:
        return ResultUnit("")
    return ResultUnit("pp" if _is_difference_of_percent(tree, units) else PERCENT)


def _is_difference_of_percent(node: FormulaNode, units: Mapping[str, str]) -> bool:
    if node.symbol in ("abs", "round"):
        return _is_difference_of_percent(node.parts[0], units)
    return node.symbol == "-" and all(units.get(part.symbol) == PERCENT for part in node.parts)


def _dimension(node: FormulaNode, units: Mapping[str, str]) -> Dimension:
    if node.kind == "name":
        return {units.get(node.symbol) or UNKNOWN: Decimal(1)}
    if node.kind == "number":
        return {PERCENT: Decimal(1)} if Decimal(node.symbol) == 100 else {}
    first, *others = (_dimension(part, units) for part in node.parts)
    if node.symbol == "*":
        return _product(first, others[0], 1)
    if node.symbol in ("/", "%"):
        return _product(first, others[0] if others else {PERCENT: Decimal(1)}, -1)
    if node.symbol == "^":
        return _power(first, node.parts[1])
    if node.symbol == "count":
        return {}
    return first if node.symbol == "round" else _common([first, *others], node.symbol)


def _product(one: Dimension, other: Dimension, sign: int) -> Dimension:
    exponents = {unit: one.get(unit, Decimal(0)) + sign * other.get(unit, Decimal(0)) for unit in (*one, *other)}
    return {unit: exponent for unit, exponent in exponents.items() if exponent}


def _power(base: Dimension, exponent: FormulaNode) -> Dimension:
    if not base or sum(base.values()) == 0:
        return {}
    if exponent.kind != "number":
        raise UnitsDisagree("a quantity with a unit can only be raised to a plain power")
    return {unit: each * Decimal(exponent.symbol) for unit, each in base.items()}


def _common(parts: Sequence[Dimension], symbol: str) -> Dimension:
    """The dimension that all parts have, or can have where a unit is unknown."""
    found = parts[0]
    for part in parts[1:]:
        if not _can_agree(found, part):
            raise UnitsDisagree(f"{_text(found)} and {_text(part)} cannot be joined by {symbol}")
        found = min(found, part, key=lambda each: UNKNOWN in each)
    return found


def _can_agree(one: Dimension, other: Dimension) -> bool:
    """Whether the two are the same once an unknown unit is taken for what the other has."""
    for unknown, known in ((one, other), (other, one)):
        if unknown == {UNKNOWN: 1} and (not known or list(known.values()) == [1]):
            return True
    is_open = UNKNOWN in one or UNKNOWN in other
    return one == other or (is_open and one.get(PERCENT, 0) == other.get(PERCENT, 0) and _degree(one) == _degree(other))


def _degree(dimension: Dimension) -> Decimal:
    return sum((exponent for unit, exponent in dimension.items() if unit != PERCENT), Decimal(0))


def _text(dimension: Dimension) -> str:
    named = [unit if exponent == 1 else f"{unit}^{exponent}" for unit, exponent in dimension.items() if unit != UNKNOWN]
    return " ".join(named) or "a plain number"
