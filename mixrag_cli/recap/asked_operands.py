"""Restate: the things that a question wants found, each a small question of its own with its terms and its times.

By rule, from the question's words alone: the question itself, and one a period.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mixrag_cli.quantities.facets import Facets, date_text, facets_of, period_spans, without_facets
from mixrag_cli.words import stem, terms_of

MAX_OPERANDS = 4
# Words that name a calculation, not what is calculated.
_CALCULATIONS = """
    percentage percent share proportion fraction portion part ratio difference differ average mean sum combined
    altogether together highest largest biggest greatest lowest smallest least most fewest longest shortest higher
    lower larger smaller bigger greater more less fewer change increase decrease decline grow growth grown grew rise
    rose fell fall
"""
CALCULATION_STEMS = frozenset(stem(word) for word in _CALCULATIONS.split())
_NAME = re.compile(r"(?<![.?!]\s)(?<!^)\b([A-Z][\w&.'’-]*[A-Za-z0-9]|[A-Z])\b")
_PERIOD = "\0"  # where a time stood, with the words that lead to it
_PERIODS = re.compile(
    rf"(?:\b(?:between|from|and|to|the|in|for|at|on|during|as|of|ended|ending|year)\s+)*{_PERIOD}", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Operand:
    """One thing to find: its wording, its terms and its times. is_whole: whether it is the question itself."""

    text: str
    terms: tuple[str, ...]
    facets: Facets
    is_whole: bool = False

    @property
    def asked(self) -> str:
        """The wording with a question's mark, where it is one: a token's vector is of what is around it."""
        return f"{self.text}?" if self.is_whole else self.text


def names_of(question: str) -> frozenset[str]:
    """Stems of the words that the question writes as names: capitals inside the sentence."""
    names = _NAME.findall(without_facets(question))
    return frozenset(term for name in names for term in terms_of(name) if not term.isdigit())


def whole_of(question: str) -> Operand:
    """The question itself as the thing to find."""
    return replace(operand_of(question), is_whole=True)


def operand_of(text: str, facets: Facets | None = None) -> Operand:
    """A wording as a thing to find, without the words that only name the calculation. facets: None for the text's."""
    terms = tuple(term for term in terms_of(without_facets(text)) if term not in CALCULATION_STEMS)
    return Operand(" ".join(text.split()).rstrip("?. "), terms, facets_of(text) if facets is None else facets)


def operands_of(question: str, operation: str) -> tuple[Operand, ...]:
    """What a calculation over several times is over, one a time, earliest first; else the question itself.

    A change in one year is that since the year before.
    """
    if operation in ("lookup", "count", "maximum", "minimum"):
        return (whole_of(question),)
    is_change = operation in ("difference", "change_percent")
    found = period_operands(question) or (_since_year_before(question) if is_change else ())
    return found or (whole_of(question),)


def period_operands(question: str) -> tuple[Operand, ...]:
    """One operand a period, earliest first, where the question names two or more."""
    facets = facets_of(question)
    days = sorted(date for date in facets.dates if date[0] and date[2])[:MAX_OPERANDS]
    if len(days) >= 2:
        what = _without_periods(question)
        times = [replace(facets, years=frozenset({day[0]}), dates=frozenset({day})) for day in days]
        return tuple(operand_of(f"{what} {date_text(day)}", time) for day, time in zip(days, times, strict=True))
    return _of_years(question, sorted(facets.years)[:MAX_OPERANDS]) if len(facets.years) >= 2 else ()


def _since_year_before(question: str) -> tuple[Operand, ...]:
    """The year before and the year named: "the change in sales in 2019" is that since 2018."""
    facets = facets_of(question)
    if len(facets.years) != 1 or facets.dates:
        return ()
    (year,) = facets.years
    return _of_years(question, [year - 1, year])


def _of_years(question: str, years: Sequence[int]) -> tuple[Operand, ...]:
    what, facets = _without_periods(question), replace(facets_of(question), dates=frozenset())
    return tuple(operand_of(f"{what} {year}", replace(facets, years=frozenset({year}))) for year in years)


def _without_periods(question: str) -> str:
    """The question less its periods and the words that joined them ("between … and …")."""
    text = question.rstrip("? ")
    for start, end in reversed(period_spans(text)):
        text = f"{text[:start]}{_PERIOD}{text[end:]}"
    return " ".join(_PERIODS.sub(" ", text).split())
