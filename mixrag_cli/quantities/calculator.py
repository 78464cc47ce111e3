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
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, DecimalException, Overflow, Underflow
from functools import reduce
from typing import Literal, NamedTuple, NoReturn

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
NodeKind = Literal["number", "name", "operation"]

# Subtle: "2e1" is 20 to a programmer and 2 × e1 to a reader of our formulas, so it is neither.
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)"
    r"|(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?![A-Za-z]))"
    r"|(?P<name>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<mark>\*\*|[-+*/^%(),])"
    r"|(?P<other>.)",
    re.DOTALL,
)
# "1,234" inside a list of arguments would silently become two numbers.
_THOUSANDS = re.compile(r"(?<![\w.,])[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9])", re.ASCII)
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "[": "(", "]": ")"} | dict.fromkeys("$€£"))

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
    context = Context(PRECISION, ROUND_HALF_EVEN, -MAX_MAGNITUDE, MAX_MAGNITUDE, traps=[Overflow, Underflow])
    try:
        return _value(tree, values, context)
    except DecimalException as error:
        raise CalculationError("overflow", f"overflow: the value leaves the range of 10^±{MAX_MAGNITUDE}") from error


def operand_names(formula: str) -> tuple[str, ...]:
    """Return the operands that a formula names, each once, in order of appearance.

    Raises CalculationError when the formula is not bounded arithmetic.
    """
    return tuple(dict.fromkeys(_names(parse_formula(formula))))


def plain_formula(text: str) -> str:
    """A formula as people write it, in the calculator's signs. Example: "$1,234 × e1" -> "1234 * e1"."""
    return _THOUSANDS.sub(lambda found: found.group().replace(",", ""), text.translate(_SIGNS)).strip()


def replace_operands(formula: str, replaced: Callable[[str], str]) -> str:
    """The formula with each of its numbers and names as `replaced` has it; a name begins with a letter."""
    return _TOKEN.sub(lambda found: replaced(found[0]) if found["number"] or found["name"] else found[0], formula)


class _Token(NamedTuple):
    """kind: "number", "name", "mark" or "end"."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class FormulaNode:
    """A part of a formula. symbol: the digits of a number, an operand's name, an operator ("+", "negative", "%") or a
    function; parts: its operands."""

    kind: NodeKind
    symbol: str
    parts: tuple[FormulaNode, ...] = ()


def _fail(code: ErrorCode, message: str) -> NoReturn:
    raise CalculationError(code, message)


def _names(node: FormulaNode) -> list[str]:
    return [node.symbol] if node.kind == "name" else [name for part in node.parts for name in _names(part)]


# --- formula to tree ------------------------------------------------------------------------------------------------


def parse_formula(formula: str) -> FormulaNode:
    """The formula's tree, bounded in size and depth. Raises CalculationError when it is not bounded arithmetic."""
    if len(formula) > MAX_CHARACTERS:
        _fail("too-large", f"formula too large: {len(formula):,} characters, {MAX_CHARACTERS} are allowed")
    return _Parser(_tokenize(formula)).parse_formula()


def _tokenize(formula: str) -> list[_Token]:
    if match := _THOUSANDS.search(formula):
        _fail("not-arithmetic", f"not arithmetic: '{match[0]}' could be one number or several; write no comma in it")
    tokens: list[_Token] = []
    for match in _TOKEN.finditer(formula):
        if match["other"]:
            _fail("not-arithmetic", f"not arithmetic: {match[0]!a} at character {match.start() + 1}")
        if not match["space"]:
            tokens.append(_Token(str(match.lastgroup), "^" if match[0] == "**" else match[0]))
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
        self._position += 1
        return self._tokens[self._position - 1]

    def _refuse(self, token: _Token) -> NoReturn:
        shown = repr(token.text) if token.text else "the end"
        _fail("not-arithmetic", f"not arithmetic: {shown} where it cannot stand")

    def _expect(self, mark: str) -> None:
        if self._next.text != mark:
            self._refuse(self._next)
        self._take()

    def _node(self, kind: NodeKind, symbol: str, parts: Sequence[FormulaNode] = ()) -> FormulaNode:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            _fail("too-large", f"formula too large: more than {MAX_NODES} parts")
        return FormulaNode(kind, symbol, tuple(parts))

    def _parse_expression(self, binding: int, depth: int) -> FormulaNode:
        if depth > MAX_DEPTH:
            _fail("too-large", f"formula too large: nested deeper than {MAX_DEPTH}")
        left = self._parse_prefix(depth)
        while self._next.text == "%":
            left = self._node("operation", self._take().text, (left,))
        while (own := _BINDING.get(self._next.text, 0)) > binding:
            operator = self._take().text
            if operator == "^":  # groups from the right: 2^3^2 is 2^9
                right = self._parse_expression(own - 1, depth + 1)
            else:
                right = self._parse_expression(own, depth)
            left = self._node("operation", operator, (left, right))
        return left

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
        return self._node("operation", "negative", (signed,)) if token.text == "-" else signed

    def _parse_call(self, name: _Token, depth: int) -> FormulaNode:
        function = name.text.lower()
        if function not in _MOST_ARGUMENTS:
            _fail("not-arithmetic", f"not arithmetic: '{name.text}' is no function of the calculator")
        arguments: list[FormulaNode] = []
        while not arguments or self._next.text == ",":
            self._take()  # the opening parenthesis or the comma
            arguments.append(self._parse_expression(0, depth + 1))
        self._expect(")")
        if len(arguments) > (most := _MOST_ARGUMENTS[function]):
            _fail("not-arithmetic", f"not arithmetic: {function} takes at most {most}, got {len(arguments)} numbers")
        return self._node("operation", function, arguments)


# --- tree to value --------------------------------------------------------------------------------------------------


def _value(node: FormulaNode, values: Mapping[str, Decimal], context: Context) -> Decimal:
    if node.kind == "number":
        value = context.plus(Decimal(node.symbol))
    elif node.kind == "name":
        value = context.plus(_operand(node.symbol, values))
    else:
        value = _OPERATIONS[node.symbol](context, *(_value(part, values, context) for part in node.parts))
    if not value.is_finite():
        _fail("not-a-number", f"'{node.symbol}' has no real, finite value here")
    if value and value.adjusted() < -MAX_MAGNITUDE:
        _fail("overflow", f"overflow: the value leaves the range of 10^±{MAX_MAGNITUDE}")
    return value if value else abs(value)  # no negative zero


def _operand(name: str, values: Mapping[str, Decimal]) -> Decimal:
    value = values.get(name)
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


def _sum(context: Context, *numbers: Decimal) -> Decimal:
    return reduce(context.add, numbers, Decimal(0))


def _mean(context: Context, *numbers: Decimal) -> Decimal:
    return context.divide(_sum(context, *numbers), Decimal(len(numbers)))


def _round(context: Context, number: Decimal, places: Decimal = Decimal(0)) -> Decimal:
    """Half away from zero; places are decimal, negative to the left of the point."""
    if places != places.to_integral_value() or abs(places) > MAX_ROUND_PLACES:
        _fail("not-arithmetic", f"not arithmetic: round to whole places within ±{MAX_ROUND_PLACES}")
    finest = number.as_tuple().exponent
    if isinstance(finest, int) and finest >= -int(places):
        return number
    return number.quantize(Decimal(1).scaleb(-int(places)), rounding=ROUND_HALF_UP, context=context)


_OPERATIONS: dict[str, Callable[..., Decimal]] = {
    "+": Context.add,
    "-": Context.subtract,
    "*": Context.multiply,
    "/": _divide,
    "^": _power,
    "negative": Context.minus,
    "%": lambda context, number: context.divide(number, Decimal(100)),
    "sum": _sum,
    "average": _mean,
    "mean": _mean,
    "min": lambda _, *numbers: min(numbers),
    "max": lambda _, *numbers: max(numbers),
    "abs": Context.abs,
    "round": _round,
    "count": lambda _, *numbers: Decimal(len(numbers)),
}
_MOST_ARGUMENTS = dict.fromkeys(("sum", "average", "mean", "min", "max", "count"), MAX_NODES) | {"abs": 1, "round": 2}
