"""Disputes: where the generator's verified answer and the built-in reader's are not the same."""

from __future__ import annotations

from decimal import Decimal

from mixrag_cli.recap.generated.examining import Examined, Finding
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.support import is_rounding_of
from mixrag_cli.recap.wording import PERCENT_UNITS
from mixrag_cli.records.answers import Answer


def finding_of(examined: Examined) -> Finding | None:
    """The answer that the reply comes to: the calculator's, else the model's own."""
    return examined.calculator or examined.model


def dispute_of(restated: Restated, examined: Examined, built_in: Answer) -> str:
    """What speaks against the reply's answer, in words for the next attempt; "" where nothing does.

    Another number than the built-in reader states, or a number without the unit that is asked for.
    """
    finding = finding_of(examined)
    if finding is None or finding.value is None:
        return ""
    if restated.expects == "percent" and finding.unit not in PERCENT_UNITS:
        return "the question asks for a percentage"
    if built_in.status != "answered" or built_in.value is None:
        return ""
    return "" if _is_same(finding.value, built_in.value) else f"another reading of the tables gives {built_in.text}"


def _is_same(one: Decimal, other: Decimal) -> bool:
    """Whether one number is the other, or a rounding of it."""
    return one == other or is_rounding_of(one, other) or is_rounding_of(other, one)
