"""Bounded exact arithmetic over named operands: the only place where an answer's number is computed.

    formula ─► tokens ─► tree (Pratt parser) ─► Decimal

The grammar is numbers, operand names (e1, e2, …), + - * / ^ (or **), unary signs, parentheses, a postfix % (a
hundredth) and a few functions. Nothing else can be said: no attribute, no call by reference, no comparison, no text.
Every step is bounded before it is taken, so a hostile formula costs no more than an honest one.

Rounding: each operation rounds half to even at 50 significant digits; the function round() rounds half away from
zero, as spreadsheets and accounts do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import (
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    Context,
    Decimal,
    DecimalException,
    Overflow,
    Underflow,
)
from typing import Literal, NoReturn

from mixrag_cli.errors import MixragError

MAX_CHARACTERS = 500
MAX_NODES = 200
MAX_DEPTH = 32
MAX_DIGITS = 1_024  # of an operand; no cell or sentence of a real document holds more
MAX_EXPONENT = 1_024
MAX_MAGNITUDE = 308  # 10^±308 is as far as a reader of our JSON can follow: its numbers are doubles
MAX_ROUND_PLACES = 30
PRECISION = 50  # digits; 34 (IEEE 754 decimal128) is the least we promise, the rest absorbs long chains

ErrorCode = Literal["too-large", "not-arithmetic", "division-by-zero", "overflow", "not-a-number", "unknown-name"]

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)"
    r"|(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
    r"|(?P<name>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<mark>\*\*|[-+*/^%(),])"
)
# "1,234" inside a list of arguments would silently become two numbers.
_THOUSANDS = re.compile(r"(?<![0-9.,])[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9])")

_BINDING = {"+": 10, "-": 10, "*": 20, "/": 20, "^": 40}
_SIGN_BINDING = 30  # below "^", so that -2^2 is -4, as in mathematics


class CalculationError(MixragError):
    """A formula has no value.

    code: a stable word for scripts: "too-large", "not-arithmetic", "division-by-zero", "overflow",
    "not-a-number" or "unknown-name".
    """

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code: ErrorCode = code


def evaluate(formula: str, values: Mapping[str, Decimal]) -> Decimal:
    """Return the formula's value over the named operands.

    Example: evaluate("(e2 - e1) / e1 * 100", {"e1": Decimal(80), "e2": Decimal(90)}) -> Decimal("12.5")

    values: finite numbers by name; names that the formula does not use are ignored.
    Returns at most 50 significant digits, never nan, infinity or a negative zero.
    Raises CalculationError for all that is not bounded arithmetic with a finite result.
    """
    tree = parse_formula(formula)
    return _Evaluation(values).value_of(tree)


def operand_names(formula: str) -> tuple[str, ...]:
    """Return the operands that a formula names, each once, in order of appearance.

    Raises CalculationError when the formula is not bounded arithmetic.
    """
    names: dict[str, None] = {}
    unseen = [parse_formula(formula)]
    while unseen:
        node = unseen.pop()
        if node.kind == "name":
            names[node.symbol] = None
        unseen.extend(reversed(node.parts))
    return tuple(names)


@dataclass(frozen=True, slots=True)
class _Token:
    """kind: "number", "name", "mark" or "end"."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class FormulaNode:
    """A part of a formula. symbol: the digits of a number, an operand's name, an operator ("+", "negative", "%") or a
    function; parts: its operands."""

    kind: Literal["number", "name", "operator", "function"]
    symbol: str
    parts: tuple[FormulaNode, ...] = ()


def _fail(code: ErrorCode, message: str) -> NoReturn:
    raise CalculationError(code, message)


def parse_formula(formula: str) -> FormulaNode:
    """The formula's tree, bounded in size and depth. Raises CalculationError when it is not bounded arithmetic."""
    if len(formula) > MAX_CHARACTERS:
        _fail("too-large", f"formula too large: {len(formula):,} characters, {MAX_CHARACTERS} are allowed")
    return _Parser(_tokenize(formula)).parse_formula()


def _tokenize(formula: str) -> list[_Token]:
    if match := _THOUSANDS.search(formula):
        _fail("not-arithmetic", f"not arithmetic: '{match[0]}' could be one number or several; write no comma in it")
    tokens: list[_Token] = []
    position = 0
    while position < len(formula):
        match = _TOKEN.match(formula, position)
        if match is None:
            _fail("not-arithmetic", f"not arithmetic: {formula[position]!a} at character {position + 1}")
        kind, text = match.lastgroup, match[0]
        if kind == "name" and tokens and tokens[-1].kind == "number" and formula[position - 1] in "0123456789.":
            # Subtle: "2e1" is 20 to a programmer and 2 × e1 to a reader of our formulas, so it is neither.
            _fail("not-arithmetic", f"not arithmetic: '{tokens[-1].text}{text}' is neither a number nor an operand")
        if kind is not None and kind != "space":
            tokens.append(_Token(kind, "^" if text == "**" else text))
        position = match.end()
    return [*tokens, _Token("end", "")]


class _Parser:
    """Pratt's top-down operator precedence; depth counts what encloses, not the length of a sum."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._position = 0
        self._nodes = 0

    def parse_formula(self) -> FormulaNode:
        tree = self._parse_expression(binding=0, depth=0)
        if self._next.kind != "end":
            self._refuse(self._next)
        return tree

    @property
    def _next(self) -> _Token:
        return self._tokens[self._position]

    def _take(self) -> _Token:
        token = self._tokens[self._position]
        self._position += 1
        return token

    def _refuse(self, token: _Token) -> NoReturn:
        _fail(
            "not-arithmetic", f"not arithmetic: {repr(token.text) if token.text else 'the end'} where it cannot stand"
        )

    def _expect(self, mark: str) -> None:
        if self._next.text != mark:
            self._refuse(self._next)
        self._take()

    def _node(
        self, kind: Literal["number", "name", "operator", "function"], symbol: str, parts: Sequence[FormulaNode] = ()
    ) -> FormulaNode:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            _fail("too-large", f"formula too large: more than {MAX_NODES} parts")
        return FormulaNode(kind, symbol, tuple(parts))

    def _parse_expression(self, binding: int, depth: int) -> FormulaNode:
        if depth > MAX_DEPTH:
            _fail("too-large", f"formula too large: nested deeper than {MAX_DEPTH}")
        left = self._parse_percent(self._parse_prefix(depth))
        while (own := _BINDING.get(self._next.text, 0)) > binding:
            operator = self._take().text
            if operator == "^":  # groups from the right: 2^3^2 is 2^9
                right = self._parse_expression(own - 1, depth + 1)
            else:
                right = self._parse_expression(own, depth)
            left = self._node("operator", operator, (left, right))
        return left

    def _parse_percent(self, node: FormulaNode) -> FormulaNode:
        while self._next.text == "%":
            self._take()
            node = self._node("operator", "%", (node,))
        return node

    def _parse_prefix(self, depth: int) -> FormulaNode:
        token = self._take()
        if token.kind == "number":
            return self._node("number", token.text)
        if token.kind == "name":
            return self._parse_call(token, depth) if self._next.text == "(" else self._node("name", token.text)
        if token.text == "(":
            inner = self._parse_expression(0, depth + 1)
            self._expect(")")
            return inner
        if token.text not in ("+", "-"):
            self._refuse(token)
        signed = self._parse_expression(_SIGN_BINDING, depth + 1)
        return self._node("operator", "negative", (signed,)) if token.text == "-" else signed

    def _parse_call(self, name: _Token, depth: int) -> FormulaNode:
        if name.text.lower() not in _FUNCTIONS:
            _fail("not-arithmetic", f"not arithmetic: '{name.text}' is no function of the calculator")
        self._expect("(")
        arguments = [self._parse_expression(0, depth + 1)]
        while self._next.text == ",":
            self._take()
            arguments.append(self._parse_expression(0, depth + 1))
        self._expect(")")
        return self._node("function", name.text.lower(), arguments)


class _Evaluation:
    """One pass over a tree with a context of its own."""

    def __init__(self, values: Mapping[str, Decimal]) -> None:
        self._values = values
        self._context = Context(
            prec=PRECISION,
            rounding=ROUND_HALF_EVEN,
            Emax=MAX_MAGNITUDE,
            Emin=-MAX_MAGNITUDE,
            traps=[Overflow, Underflow],
        )

    def value_of(self, node: FormulaNode) -> Decimal:
        try:
            return self._checked(self._compute(node), node)
        except DecimalException:
            _fail("overflow", f"overflow: the value leaves the range of 10^±{MAX_MAGNITUDE}")

    def _compute(self, node: FormulaNode) -> Decimal:
        if node.kind == "number":
            return self._context.plus(Decimal(node.symbol))
        if node.kind == "name":
            return self._context.plus(self._operand(node.symbol))
        parts = [self.value_of(part) for part in node.parts]
        if node.kind == "function":
            return _FUNCTIONS[node.symbol](self._context, parts)
        return _OPERATORS[node.symbol](self._context, *parts)

    def _checked(self, value: Decimal, node: FormulaNode) -> Decimal:
        if not value.is_finite():
            _fail("not-a-number", f"'{node.symbol}' has no real, finite value here")
        if value and value.adjusted() < -MAX_MAGNITUDE:
            _fail("overflow", f"overflow: the value leaves the range of 10^±{MAX_MAGNITUDE}")
        return value if value else abs(value)  # no negative zero

    def _operand(self, name: str) -> Decimal:
        value = self._values.get(name)
        if value is None:
            _fail("unknown-name", f"unknown name '{name}'")
        if not value.is_finite():
            _fail("not-a-number", f"operand '{name}' is not a finite number")
        if len(value.as_tuple().digits) > MAX_DIGITS:
            _fail("too-large", f"operand '{name}' too large: more than {MAX_DIGITS:,} digits")
        return value


def _divide(context: Context, dividend: Decimal, divisor: Decimal) -> Decimal:
    if not divisor:  # decimal calls 0 / 0 an invalid operation; people call both the same
        _fail("division-by-zero", "division by zero")
    return context.divide(dividend, divisor)


def _power(context: Context, base: Decimal, exponent: Decimal) -> Decimal:
    """A fractional exponent serves growth rates, (e2 / e1) ^ (1 / 3) - 1, and needs a base that is not negative."""
    if abs(exponent) > MAX_EXPONENT:
        _fail("too-large", f"formula too large: an exponent beyond ±{MAX_EXPONENT:,}")
    if not base and exponent < 0:
        _fail("division-by-zero", "division by zero")
    if not base and not exponent:
        return Decimal(1)  # as in Python and in spreadsheets' own power series; decimal calls it invalid
    return context.power(base, exponent)


def _total(context: Context, numbers: Sequence[Decimal]) -> Decimal:
    total = Decimal(0)
    for number in numbers:
        total = context.add(total, number)
    return total


def _mean(context: Context, numbers: Sequence[Decimal]) -> Decimal:
    return context.divide(_total(context, numbers), Decimal(len(numbers)))


def _absolute(context: Context, numbers: Sequence[Decimal]) -> Decimal:
    if len(numbers) != 1:
        _fail("not-arithmetic", f"not arithmetic: abs takes 1 number, got {len(numbers)}")
    return context.abs(numbers[0])


def _round(context: Context, numbers: Sequence[Decimal]) -> Decimal:
    """Half away from zero; the second argument counts decimal places, negative to the left of the point."""
    if len(numbers) > 2:
        _fail("not-arithmetic", f"not arithmetic: round takes 1 or 2 numbers, got {len(numbers)}")
    places = numbers[1] if len(numbers) == 2 else Decimal(0)
    if places != places.to_integral_value() or abs(places) > MAX_ROUND_PLACES:
        _fail("not-arithmetic", f"not arithmetic: round to whole places within ±{MAX_ROUND_PLACES}")
    step = Decimal(1).scaleb(-int(places))
    number, finest = numbers[0], numbers[0].as_tuple().exponent
    if isinstance(finest, int) and finest >= -int(places):
        return number
    return number.quantize(step, rounding=ROUND_HALF_UP, context=context)


_OPERATORS: dict[str, Callable[..., Decimal]] = {
    "+": Context.add,
    "-": Context.subtract,
    "*": Context.multiply,
    "/": _divide,
    "^": _power,
    "negative": Context.minus,
    "%": lambda context, number: context.divide(number, Decimal(100)),
}
_FUNCTIONS: dict[str, Callable[[Context, Sequence[Decimal]], Decimal]] = {
    "sum": _total,
    "average": _mean,
    "mean": _mean,
    "min": lambda _, numbers: min(numbers),
    "max": lambda _, numbers: max(numbers),
    "abs": _absolute,
    "round": _round,
    "count": lambda _, numbers: Decimal(len(numbers)),
}
