"""Present a sentence as an answer: the part that answers, where the question's wording shows which it is.

    "What does X comprise?"   what follows the verb            "Why …?"    from "due to" or "because" on
    "What is X?"              what stands across the copula    "Who …?"    the one name that was not in the question
    "When …?"                 the one date

Where no rule is sure, the whole sentence stays: too much is better than a cut in the wrong place.
"""

from __future__ import annotations

import re

from mixrag_cli.recap.language import date_pattern, match_term, stem, terms_of, words_of

MIN_SAID = 0.6  # of the question's terms that must stand on the one side of a copula for the other to be the answer
_EMPTY = ("as follows", "the following")  # what they announce is not in the sentence
MIN_WORDS = 2  # of a cut; fewer say too little, but for names and dates
_REASON = re.compile(
    r"\b(?:(?:primarily|mainly|largely|mostly|principally|partly|partially|predominantly)\s+)?(?:due\s+to|because|"
    r"attributable\s+to|attributed\s+to|as\s+a\s+result\s+of|driven\s+by|result(?:ing|ed)\s+from|caused\s+by|owing\s+to)\b",
    re.IGNORECASE,
)
_ASKS_WHY = re.compile(r"^\s*why\b|\b(?:reason|cause|driver)s?\b|^\s*what (?:caused|drove|led)\b", re.IGNORECASE)
_ASKS_VERB = re.compile(
    r"^\s*what (?:all )?(?:do|does|did)\s+(?P<subject>.+?)\s+(?P<verb>[a-z]{4,})(?:\s+(?:primarily|mainly|only))?"
    r"(?:\s+(?:of|to|as|in|for|from|by|with))?\W*$",
    re.IGNORECASE,
)
_ASKS_WHAT = re.compile(r"^\s*what (?:is|are|was|were) (?P<subject>.+?)\W*$", re.IGNORECASE)
_ASKS_WHO = re.compile(r"^\s*who\b", re.IGNORECASE)
_ASKS_WHEN = re.compile(r"^\s*(?:when|on (?:what|which) date)\b", re.IGNORECASE)
_COPULA = re.compile(r"(?<!\b[Tt]here)(?<!\b[Tt]his)(?<!\bit)\s(?:is|are|was|were|refers?\s+to|means?|represents?)\s")
_AFTER_VERB = re.compile(
    r"\s*(?:(?:primarily|mainly|principally|substantially)\s+)?(?:(?:of|to|as|that)\s+)?", re.IGNORECASE
)
_NAME = re.compile(r"\b[A-Z][\w’'-]+(?:\s+(?:[A-Z]\.\s*)?(?:(?:de|van|von|der|di)\s+)?[A-Z][\w’'-]+)+")


def answer_span(question: str, sentence: str) -> str:
    """The part of the sentence that answers the question, the whole sentence where none surely does.

    Example: answer_span("What do tax fees comprise of?", "Tax fees comprise fees for returns.") -> "fees for returns".
    """
    if _ASKS_WHY.search(question):
        cut = _reason_in(sentence)
    elif _ASKS_WHO.search(question):
        cut = _only_name_in(question, sentence)
    elif _ASKS_WHEN.search(question):
        cut = _only_date_in(question, sentence)
    elif asked := _ASKS_VERB.search(question):
        cut = _after_verb(asked["subject"], asked["verb"], sentence)
    elif asked := _ASKS_WHAT.search(question):
        cut = _across_copula(asked["subject"], sentence)
    else:
        cut = ""
    return cut or sentence


def _tidy(text: str, *, min_words: int = MIN_WORDS) -> str:
    plain = text.strip().strip(",;:").rstrip(".").strip()
    return plain if len(plain.split()) >= min_words and plain.lower() not in _EMPTY else ""


def _reason_in(sentence: str) -> str:
    found = _REASON.search(sentence)
    return _tidy(sentence[found.start() :], min_words=MIN_WORDS + 1) if found and found.start() else ""


def _only_name_in(question: str, sentence: str) -> str:
    asked = set(words_of(question))
    names = {name for name in _NAME.findall(sentence) if not asked & set(words_of(name))}
    return names.pop() if len(names) == 1 else ""


def _only_date_in(question: str, sentence: str) -> str:
    dates = {found.group() for found in date_pattern().finditer(sentence)}
    dates = {date for date in dates if date not in question}
    return dates.pop() if len(dates) == 1 else ""


def _after_verb(subject: str, verb: str, sentence: str) -> str:
    wanted, terms = stem(verb.lower()), terms_of(subject)
    for word in re.finditer(r"[A-Za-z]+", sentence):
        if stem(word.group().lower()) == wanted and _said(terms, sentence[: word.start()]) >= MIN_SAID:
            rest = sentence[word.end() :]
            skipped = _AFTER_VERB.match(rest)
            return _tidy(rest[skipped.end() if skipped else 0 :])
    return ""


def _across_copula(subject: str, sentence: str) -> str:
    terms = terms_of(subject)
    found = _COPULA.search(sentence)
    if found is None or not terms:
        return ""
    before, after = sentence[: found.start()], sentence[found.end() :]
    if _said(terms, before) >= MIN_SAID:
        return _tidy(after)
    return _tidy(before) if _said(terms, after) >= MIN_SAID else ""


def _said(terms: tuple[str, ...], text: str) -> float:
    stems = [stem(word) for word in words_of(text)]
    return sum(match_term(term, stems) > 0 for term in terms) / len(terms) if terms else 0.0
