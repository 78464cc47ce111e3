"""Restate: a question that names several things at once as one question for each of them.

    "How many ferries called at Oban, Mallaig and Ullapool together?"   a question for each port
    "How many more ferries called at Oban than at Mallaig?"             one for the second, one for the first
    "What share of the fares came from lorries?"                        one for the part, one for the whole

By the wording alone, as all of restating is.
"""

from __future__ import annotations

import re

from mixrag_cli.quantities.facets import without_facets
from mixrag_cli.words import terms_of

MAX_LISTED = 4
SHARE_WORD = r"(?:percentage|percent|share|proportion|fraction|portion|part)"
AS_SHARE = re.compile(
    rf"(.+?)\bas an? {SHARE_WORD} of\s+(.+)",
    re.IGNORECASE,
)
_SHARE_OF_PART_IN_WHOLE = re.compile(
    rf"\b{SHARE_WORD}\s+(?:constitution |composition )?of\s+(.+?)\s+(?:among|out of|over|against|in|to|on)\s+"
    r"((?:the )?(?:total|all|overall|whole)\b.+)",
    re.IGNORECASE,
)
_SHARE_OF_FROM = re.compile(
    rf"\b{SHARE_WORD}\s+of\s+(.+?)\s+(?:came|comes|come|was|were|is|are|did|does|do|derived|stemmed|resulted|"
    r"consisted|belongs?|went|goes)\b(?:\s+(?:from|by|in|of|to|for))?\s+(.+)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\b(?:between|from)\s+(.+?)\s+(?:and|to)\s+(.+?)(?=[?,.]|\bin\b|\bfor\b|$)", re.IGNORECASE)
_NAME = r"[A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*){0,3}"
_NAMES = re.compile(rf"\b(?:both )?({_NAME}(?:, {_NAME})*),? and ({_NAME})")
_TOGETHER = re.compile(
    r"\b(?:when )?(?:all |both )?(?:taken |put |added |counted )?(?:together|combined|altogether)\b|\bin total\b",
    re.IGNORECASE,
)
_JOINT = r"(?:in|for|at|on|from|by|among)"
_MORE_THAN = re.compile(
    rf"\b(how many|how much) (?:more|fewer|less) (.+?) ({_JOINT}) (.+?) than (?:{_JOINT} )?(.+)",
    re.IGNORECASE,
)
_LESS = re.compile(r"\bhow (?:many|much) (?:fewer|less)\b", re.IGNORECASE)


def listed_texts(question: str) -> tuple[str, ...]:
    """One question for each name of a list, () where the question lists none."""
    found = _NAMES.search(question)
    if found is None:
        return ()
    names = [*found[1].split(", "), found[2]]
    rest = question[: found.start()], _TOGETHER.sub(" ", question[found.end() :])
    texts = (" ".join(f"{rest[0]}{name}{rest[1]}".split()).replace(" ?", "?") for name in names)
    return tuple(texts) if len(names) <= MAX_LISTED else ()


def compared_texts(question: str) -> tuple[str, ...]:
    """The two questions of "how many more … in A than in B", what is taken away first; () for another wording."""
    found = _MORE_THAN.search(question)
    if found is None:
        return ()
    asks, what, joint, one, other = found.groups()
    before = question[: found.start()]
    texts = tuple(f"{before}{asks} {what} {joint} {each.rstrip('?')}?" for each in (other, one))
    return texts[::-1] if _LESS.search(question) else texts


def between_texts(question: str) -> tuple[str, ...]:
    """The two questions of "between A and B", where both are worded; the rest goes to each."""
    found = _BETWEEN.search(question)
    if found is None or not all(terms_of(without_facets(side)) for side in found.groups()):
        return ()
    rest = question[: found.start()] + " " + question[found.end() :]
    return tuple(f"{side} {rest}" for side in found.groups())


def share_texts(question: str) -> tuple[str, ...]:
    """The part and the whole of a share; () where the question does not word both."""
    if found := _SHARE_OF_PART_IN_WHOLE.search(question):
        return found[1], found[2]
    if found := _SHARE_OF_FROM.search(question):
        return found[2].replace("?", ""), found[1]
    if found := AS_SHARE.search(question):
        return found[1], found[2]
    return ()


def split_texts(question: str, operation: str) -> tuple[str, ...]:
    """The questions of a sum or a difference of several things that are named side by side; () for none."""
    if operation == "sum":
        return listed_texts(question)
    return compared_texts(question) if operation == "difference" else ()
