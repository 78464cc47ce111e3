"""Restate: the things that a question wants found, each a small question of its own with its terms and its times.

By rule, from the question's words alone: the question itself, its parts, one a period, or what splitting.py words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mixrag_cli.quantities.facets import Facets, date_text, facets_of, without_facets
from mixrag_cli.recap.splitting import SHARE_WORD, between_texts, share_texts
from mixrag_cli.recap.wording import any_wording
from mixrag_cli.words import terms_of

MAX_OPERANDS = 4

_MONTH = "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
MANNER = any_wording(
    r"^\s*(?:how|in (?:what|which) (?:way|respect|manner)s?) (?:do|does|did|would|is|are)\b[^?]*\bdiffer",
    r"^\s*what (?:does|do|did|will|would) [^?]*\b(?:return|yield|raise|throw)\b",
)
_OPERATION_WORDS = any_wording(
    rf"\b(?:{SHARE_WORD}|per cent|ratio|difference|differ(?:ed|s)?|by how much)\b|%",
    r"\bhow much (?:more|less|higher|lower)\b",
    r"\b(?:average|mean|sum|combined|altogether|(?:taken|put|added) together)\b",
    r"\b(?:highest|largest|biggest|greatest|lowest|smallest|least|most|fewest)\b",
    r"\b(?:higher|lower|larger|smaller|bigger|greater|more|less|fewer)\b",
    r"\b(?:in |for |at )?which (?:fiscal )?(?:year|quarter|period|month|date)\b",
    r"\b(?:longest|shortest|changed?|increased?|decreased?|declined?|grow(?:th|n)?|grew|rise|rose|fell|fall)s?\b",
)
_IN_UNIT = any_wording(
    r"\bin (?:cubic |square |kilo|mega|milli|centi|thousands? of |millions? of )*"
    r"(?:metres?|meters?|feet|miles|litres?|liters?|grams?|tonnes?|watt[ -]?hours|kwh|km|kg|euros?|dollars?"
    r"|pounds?|percent|%|seconds|minutes|hours|days|weeks|months|years)(?: (?:per|a|an) \w+)?\b"
)
_AND_ASKS = any_wording(r",? and (?=(?:what|which|who|how|when|where|why)\b)")
_NAME = re.compile(r"(?<![.?!]\s)(?<!^)\b([A-Z][\w&.'’-]*[A-Za-z0-9]|[A-Z])\b")
_LEFT_JOINTS = any_wording(r"\b(?:between|from)\s+(?:and|to)\b|\b(?:and|to)\b(?=\W*$)|\?")
_YEAR_RANGE = re.compile(r"\b((?:19|20)\d\d)\s*(?:-|–|through|to)\s*((?:19|20)\d\d)\b")
_PERIOD_PHRASE = any_wording(
    r"(?:(?:the|in|for|at|on|during|as of)\s+)*"
    r"(?:(?:three|six|nine|twelve|3|6|9|12)[\s-]+months?|quarter|year|fiscal year)?\s*(?:ended|ending)?\s*"
    rf"(?:(?:19|20)\d\d-\d\d-\d\d|{_MONTH}\s+\d{{1,2}},?\s+(?:19|20)\d\d|\d{{1,2}}\s+{_MONTH}\s+(?:19|20)\d\d|(?:19|20)\d\d|q[1-4]\s+(?:19|20)\d\d)"
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


def parts_of(question: str) -> tuple[Operand, ...]:
    """The questions that a question asks, each naming the subject of the first.

    Example: "What is HTTPX and which Python versions does it require?" -> ("What is HTTPX", "which Python versions
    does it require HTTPX").
    """
    first, *others = _AND_ASKS.split(question)
    if not others or not terms_of(first):
        return (whole_of(question),)
    subject = " ".join(sorted(names_of(first)))
    return (operand_of(first), *(operand_of(f"{other} {subject}") for other in others))


def names_of(question: str) -> frozenset[str]:
    """Stems of the words that the question writes as names: capitals inside the sentence."""
    names = _NAME.findall(without_facets(question))
    return frozenset(term for name in names for term in terms_of(name) if not term.isdigit())


def whole_of(question: str) -> Operand:
    """The question itself as the thing to find."""
    whole = operand_of(question)
    return replace(whole, is_whole=True, facets=_of_figures(whole.facets))


def _of_figures(facets: Facets) -> Facets:
    """The times of the figures, where a month is asked for as of a day of another: "May futures … on 3 March 2014"."""
    months = frozenset(date for date in facets.dates if date[0] and not date[2])
    if (
        not months
        or len(months) == len(facets.dates)
        or any(date[:2] == m[:2] for m in months for date in facets.dates - months)
    ):
        return facets
    return replace(facets, years=frozenset(year for year, _, _ in months), dates=months)


def operand_of(text: str, facets: Facets | None = None) -> Operand:
    """A wording as a thing to find, without the words that only name the calculation. facets: None for the text's."""
    plain = _IN_UNIT.sub(" ", without_facets(text))
    plain = plain if MANNER.search(text) else _OPERATION_WORDS.sub(" ", plain)  # "differ" is the deed, no operation
    return Operand(" ".join(text.split()).rstrip("?. "), terms_of(plain), facets_of(text) if facets is None else facets)


def period_operands(question: str, *, with_inner: bool = True) -> tuple[Operand, ...]:
    """One operand a period, earliest first, where the question names two or more.

    with_inner: whether a range of years means those between its ends, too; a change is that from end to end.
    """
    facets = facets_of(question)
    full_dates = sorted(date for date in facets.dates if date[0] and date[2])
    what = _without_periods(question)
    if len(full_dates) >= 2:
        return tuple(
            operand_of(
                f"{what} {date_text(date)}",
                Facets(frozenset({date[0]}), frozenset({date}), facets.quarters, facets.months),
            )
            for date in full_dates[:MAX_OPERANDS]
        )
    if len(facets.years) >= 2:
        return tuple(
            operand_of(f"{what} {year}", Facets(frozenset({year}), frozenset(), facets.quarters, facets.months))
            for year in (all_years(question, facets) if with_inner else sorted(facets.years))[:MAX_OPERANDS]
        )
    return ()


def as_asked(question: str, operands: Sequence[Operand]) -> tuple[Operand, ...]:
    """Operands of a year each in the order in which the question names the years, where it names them all."""
    places = [question.find(str(max(operand.facets.years, default=0))) for operand in operands]
    if min(places, default=-1) < 0 or len(set(places)) < len(places):
        return tuple(operands)
    return tuple(operand for _, operand in sorted(zip(places, operands, strict=True), key=lambda pair: pair[0]))


def _without_periods(question: str) -> str:
    """The question less its periods and the words that joined them ("between … and …")."""
    return " ".join(_LEFT_JOINTS.sub(" ", _PERIOD_PHRASE.sub(" ", question)).split())


def year_before_operands(question: str) -> tuple[Operand, ...]:
    """The year before and the year named: "the change in sales in 2019" is that since 2018."""
    facets = facets_of(question)
    if len(facets.years) != 1 or facets.dates:
        return ()
    (year,) = facets.years
    what = _without_periods(question)
    return tuple(
        operand_of(f"{what} {each}", Facets(frozenset({each}), frozenset(), facets.quarters, facets.months))
        for each in (year - 1, year)
    )


def all_years(question: str, facets: Facets) -> list[int]:
    """The years named, in order, those inside a range ("2017-2019") included."""
    years = set(facets.years)
    for ends in _YEAR_RANGE.findall(question):
        first, last = sorted(map(int, ends))
        years |= set(range(first, last + 1))
    return sorted(years)


def pair_operands(question: str) -> tuple[Operand, ...]:
    """Two operands from "between A and B", where both are worded; the rest of the question goes to each."""
    return tuple(operand_of(text) for text in between_texts(question))


def share_operands(question: str) -> tuple[Operand, ...]:
    """The part and the whole of "what share of WHOLE came from PART" or "PART as a share of WHOLE"."""
    texts = share_texts(question)
    if not texts:
        return (whole_of(question),)
    facets = facets_of(question)
    subject = " ".join(sorted(re.findall(r"\b\w+(?=['’]s\b)", question)))
    return operand_of(f"{texts[0]} {subject}", facets), operand_of(texts[1], facets)
