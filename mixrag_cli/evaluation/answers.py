"""Is an answer right: by the words of the right one, by its number, or by TAT-QA's own rules.

Source: MixRAG, appendix B, eq. 12 (EM); TAT-QA's scorer, see tatqa.py; grades, numbers and their slack are ours.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from mixrag_cli.evaluation.datasets import Question
from mixrag_cli.evaluation.measures import ARTICLE, exact_match, normalize_answer, token_f1
from mixrag_cli.evaluation.tatqa import answer_strings, score_answer
from mixrag_cli.records.answers import Answer, Candidate
from mixrag_cli.words import tokens_of

SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
SHORT_FORM = 4  # words
ITEM_SIGN = ";"  # between the items of a right answer
CURRENCIES = "£$€~ "  # and signs, before a number
_NUMBER = re.compile(r"-?(?:\d[\d,]*(?:\.\d+)?|\.\d+)")
ENOUGH_OF_THE_WORDS = 0.7  # of a longer right answer's
N_CANDIDATES = 3  # as many as the terminal shows
TOLERANCE = 0.005  # of the right value, unless it is itself rounded more coarsely
VALUE_CHARS = 200  # of an answer that says one value; a passage that holds the number somewhere is no value


def score_words(question: Question, answer: Answer) -> tuple[float, float]:
    """Exact match and F1 against the right answers; of TAT-QA's questions by its scorer. An abstention scores 0."""
    if question.answer_type and question.context:
        strings, scale = answer_strings(answer)
        return score_answer(strings, scale, question.answers, question.scale, question.answer_type)
    if answer.status != "answered":
        return 0.0, 0.0
    return exact_match(answer.text, question.answers), token_f1(answer.text, question.answers)


def is_right_value(question: Question, answer: Answer) -> bool:
    """Whether the answer's number is the right one; see is_same_value."""
    if question.value is None or answer.value is None or answer.status != "answered":
        return False
    return is_same_value(question.text, question.value, question.answers, float(answer.value), answer.unit)


def is_right(question: Question, answer: Answer) -> bool:
    """Whether a stated answer is the right one: by its number where one is known, else word for word.

    Nothing is right of a question that has no answer.
    """
    if not question.is_answerable or answer.status != "answered":
        return False
    return is_right_value(question, answer) if question.value is not None else score_words(question, answer)[0] == 1.0


def candidates_hold(question: Question, answer: Answer) -> bool:
    """Whether one of the first N_CANDIDATES would be the right answer, or its passage says a right one in words.

    A number that merely stands in the passage is no answer: which of its numbers is meant is the question.
    """
    if not question.is_answerable:
        return False
    shown = answer.candidates[:N_CANDIDATES]
    return any(is_right(question, _as_stated(answer, each)) for each in shown) or any(
        _says(each.source.text, right) for each in shown for right in question.answers
    )


def _as_stated(answer: Answer, candidate: Candidate) -> Answer:
    """What the program would have said, had it stated the candidate."""
    said = replace(answer, text=candidate.text, value=candidate.value, unit=candidate.unit)
    return replace(said, status="answered", evidence=(), formula="")


def _says(passage: str, right: str) -> bool:
    words = normalize_answer(right)
    is_number = not re.search(r"[^\W\d_]", words)
    return bool(words) and not is_number and f" {words} " in f" {normalize_answer(passage)} "


def is_same_value(question: str, gold: float, gold_texts: Sequence[str], value: float, unit: str) -> bool:
    """Whether a number is the right one within 0.5 %, or after rounding to the right one's places.

    The number counts as written or in base units: 36,413 USD million is 36413 and 36,413,000,000. Of a question that
    asks by how much two things differ, the sign does not count.
    gold_texts: the right answer in words; those that say the number may name its scale, each its own: "6,185 million"
    or "6.185 billion".
    """
    if re.search(r"\bdiffer", question, re.IGNORECASE):
        gold, value = abs(gold), abs(value)
    scale, saying = _scale_in(unit), [text for text in gold_texts if abs(gold) in map(abs, _numbers_of(text))]
    places = len(f"{gold:.10f}".rstrip("0").partition(".")[2])
    slack = max(TOLERANCE, 0.5 * 10**-places / abs(gold)) if gold else 0.0
    pairs = [(gold * _scale_in(text), value * scale) for text in saying or gold_texts or [""]]
    pairs += [(gold, value)] if scale == 1 else []
    return any(math.isclose(ours, theirs, rel_tol=slack * 1.0001) for theirs, ours in pairs)


def _numbers_of(text: str) -> list[float]:
    return [_to_number(found) for found in _NUMBER.findall(text)]


def leading_number(form: str) -> float | None:
    """The number that a right answer begins with, currency signs aside. Example: "£1,234.50 a year" -> 1234.5."""
    found = _NUMBER.match(form.lstrip(CURRENCIES))
    return _to_number(found.group()) if found else None


def _to_number(digits: str) -> float:
    return float(digits.replace(",", ""))


def says_right(question: str, forms: Sequence[str], text: str, value: float | None, unit: str) -> bool:
    """Whether what was said is one of the right forms: by its number where it has one, else in words.

    A number that a text of more than VALUE_CHARS holds somewhere says nothing.
    """
    if value is not None:
        numbers = [number for form in forms if (number := leading_number(form)) is not None]
        return any(is_same_value(question, gold, forms, value, unit) for gold in numbers)
    return any(says_form(form, text) for form in forms if len(text) <= VALUE_CHARS or leading_number(form) is None)


def says_form(form: str, text: str) -> bool:
    """Whether a text says a right answer: a short one as it stands, of a long one most of its words.

    Words and numbers are compared whole: "hue=0.1" says 0.1, "Thakur(c)" says Thakur, 28.5 does not say 285.
    A list, its items parted by semicolons, is said by what says each of them, in any order.
    """
    items = [item for item in form.split(ITEM_SIGN) if item.strip()]
    if len(items) > 1:
        return all(says_form(item, text) for item in items)
    wanted, there = _tokens(form), _tokens(text)
    if len(normalize_answer(form).split()) <= SHORT_FORM:
        return f" {' '.join(wanted)} " in f" {' '.join(there)} "
    return len(set(wanted) & set(there)) >= ENOUGH_OF_THE_WORDS * len(set(wanted))


def _tokens(text: str) -> list[str]:
    """Words and numbers in lower case, without articles, signs, and the commas of thousands."""
    found = (token.casefold().replace(",", "") for token in tokens_of(text))
    return [token for token in found if not ARTICLE.fullmatch(token)]


def _scale_in(text: str) -> float:
    """The multiplier that a unit or an answer names. Example: "USD million" -> 1e6."""
    return math.prod(
        scale for word, scale in SCALES.items() if re.search(rf"(?<!per )\b{word}s?\b", text, re.IGNORECASE)
    )
