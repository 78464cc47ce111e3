"""Restate: the words of a question that only name where it is to be looked up: "in the staff pay workbook, …".

They say nothing of what is asked, and no header need say them. A name among them must be known all the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from mixrag_cli.words import COMMON_WORDS, match_heading, stem, words_of

_KINDS = r"tables?|sheets?|worksheets?|spreadsheets?|workbooks?|files?|data ?sets?|data|csv|database"
_SOURCE = re.compile(
    rf"\b(?:in|from|per|using|according to|looking at|based on) (?:the|this|that|our|their|its) "
    rf"((?:[\w'’&-]+ ){{0,6}}?)({_KINDS})\b(?! (?:points?|types?|centers?|centres?))",
    re.IGNORECASE,
)
MIN_INITIALS = 2  # letters that a file's name has in place of several words


def source_terms(question: str, names: Collection[str], known: Sequence[str]) -> frozenset[str]:
    """Stems of the words that only name the source, none where it is another than is at hand.

    names: stems of names in the question. known: stems of what is said in and around the source. One of the words must
    be known, and each name, or its first letters together with those of its neighbours ("nhs" for National Health …).
    """
    found: set[str] = set()
    for match in _SOURCE.finditer(question):
        stems = [stem(word) for word in words_of(match[1]) if word not in COMMON_WORDS]
        said = [word for word in stems if match_heading(word, known) > 0]
        own = [word for word in stems if word in names and word not in said]
        initials = "".join(word[0] for word in own)
        is_spelled = len(own) >= MIN_INITIALS and any(_is_spelled(initials, word) for word in known)
        if (said or not stems) and (not own or is_spelled):
            found.update(stems, (stem(word) for word in words_of(match[2])))
    asked = {stem(word) for word in words_of(_SOURCE.sub(" ", question))}  # what is said beside them, too, is asked
    return frozenset(found - asked)


def _is_spelled(initials: str, word: str) -> bool:
    """Whether a word is made of the initials, with one letter more at most ("ssa" for "Social Security")."""
    return word.startswith(initials) and len(word) <= len(initials) + 1
