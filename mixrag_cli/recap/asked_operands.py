"""Restate: the things that a question wants found, each a small question of its own with its terms and its times.

By rule, from the question's words alone: the question itself, one a period, one a side of a calculation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from mixrag_cli.quantities.facets import Facets, facets_of, named_times, without_facets, without_periods, years_alone
from mixrag_cli.recap.wording import SHARE_WORDS
from mixrag_cli.words import stem, terms_of

MAX_OPERANDS = 10  # a sum or mean over years; of more no one asks
# Words that name a calculation or how values are told, not what is calculated.
_CALCULATIONS = """
    percentage percent share proportion fraction portion part ratio difference differ average mean sum combined
    altogether together highest largest biggest greatest lowest smallest least most fewest longest shortest higher
    lower larger smaller bigger greater more less fewer change increase decrease decline grow growth grown grew rise
    rose fell fall respective respectively
"""
CALCULATION_STEMS = frozenset(stem(word) for word in _CALCULATIONS.split())
_SHARE = rf"\b(?:{'|'.join(SHARE_WORDS)})"
_AS_SHARE = re.compile(rf"(?P<part>.+?)\bas an? {_SHARE} of (?P<whole>.+)", re.IGNORECASE)
_SHARE_OF = re.compile(
    rf"{_SHARE} of (?P<one>.+?)"
    r"(?P<joint> (?:among|out of|over|against|in|to|on)(?= (?:the )?(?:total|all|overall|whole)\b)"
    r"| (?:c[ao]mes?|was|were|is|are|did|does|do|derived|stemmed|resulted|consisted|belongs?|went|goes)\b"
    r"(?: (?:from|by|in|of|to|for))?) (?P<other>.+)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\b(?:between|from) (.+?) (?:and|to) (.+?)(?=[?,]|\.\s|\bin\b|\bfor\b|$)", re.IGNORECASE)
_NAME = re.compile(r"(?<![.?!]\s)(?<!^)\b([A-Z][\w&.'’-]*[A-Za-z0-9]|[A-Z])\b")


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
    """The things that a calculation is over, in the order in which its formula names them."""
    changes = operation in ("difference", "change_percent")
    if operation == "share" and (texts := _share_texts(question)):
        facets = facets_of(question)  # of both, wherever they are named
        return tuple(operand_of(text, facets) for text in texts)
    texts = _between_texts(question) if operation not in ("sum", "average") else ()  # they are of all between two ends
    return (
        period_operands(question, with_between=not changes)
        or tuple(map(operand_of, texts))
        or (_since_year_before(question) if changes else ())
        or (whole_of(question),)
    )


def period_operands(question: str, with_between: bool = False) -> tuple[Operand, ...]:
    """One operand a period, earliest first, where the question names two or more; with_between as of named_times."""
    return _at_times(question, named_times(question, with_between=with_between))


def _since_year_before(question: str) -> tuple[Operand, ...]:
    """The year before and the year named: "the change in sales in 2019" is that since 2018."""
    facets = facets_of(question)
    years = facets.splits or facets.years
    is_one = len(years) == 1 and not facets.dates
    return _at_times(question, years_alone(question, [min(years) - 1, *years])) if is_one else ()


def _at_times(question: str, times: Mapping[str, Facets]) -> tuple[Operand, ...]:
    what = without_periods(question.rstrip("? "))
    found = tuple(operand_of(f"{what} {text}", facets) for text, facets in times.items())
    return found if 2 <= len(found) <= MAX_OPERANDS else ()


def _between_texts(question: str) -> tuple[str, ...]:
    """The two questions of "between A and B", where both are worded; the rest goes to each."""
    found = _BETWEEN.search(question)
    if found is None or not all(terms_of(without_facets(side)) for side in found.groups()):
        return ()
    rest = question[: found.start()] + " " + question[found.end() :]
    return tuple(f"{side} {rest}" for side in found.groups())


def _share_texts(question: str) -> tuple[str, ...]:
    """The part and the whole of a share; () where the question does not word both."""
    if (found := _AS_SHARE.search(question)) is not None:
        return found["part"], found["whole"]
    if (found := _SHARE_OF.search(question)) is None:
        return ()
    is_part_first = found["joint"].split()[0] in ("among", "out", "over", "against", "in", "to", "on")
    texts = found["one"], found["other"].rstrip("?")
    return texts if is_part_first else texts[::-1]
