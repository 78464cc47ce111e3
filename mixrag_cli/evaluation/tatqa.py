"""Exact match and F1 by the rules of TAT-QA's own scorer, in which the scale of a number counts.

    an Answer ─► its strings and scale
    answer strings, scale ─► one string (sorted, numbers brought to base units with 4 decimals) ─► EM, F1 of words

Source: Zhu et al., TAT-QA, ACL 2021, and the scorer published with the data set (tatqa_metric.py), whose rules are
kept to the letter, oddities included: "%" divides by a hundred, a scale word anywhere after the figure multiplies,
parentheses round a figure negate, several spans are joined in sorted order.
"""

from __future__ import annotations

import math
import re
import string
from collections.abc import Sequence

from mixrag_cli.evaluation.measures import ARTICLE
from mixrag_cli.records.answers import LIST_SIGN, Answer

_NOT_OF_NUMBER = str.maketrans("", "", "'\"\\$€£¥%(),[]")
_NOT_OF_WORD = str.maketrans("", "", string.punctuation)
_SCALES = {"hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "percent": 0.01}
_UNIT_SCALES = ("thousand", "million", "billion")
_FIGURE = re.compile(r"[+-]?\d+(?:\.\d+)?")
_FIGURE_AND_WORD = re.compile(r"[\d.]+\s?[a-zA-Z]+")
_IN_PARENTHESES = re.compile(r"\([\d.\s]+\)")
_IN_PERCENT = re.compile(r"[\d.\s]+%")
PLACES = 4


def answer_strings(answer: Answer) -> tuple[list[str], str]:
    """An answer as the scorer takes it: its strings without unit, and its scale; none for an abstention."""
    if answer.status != "answered":
        return [], ""
    if is_list(answer) and answer.kind != "aggregate":
        return [piece.quote for piece in answer.evidence], _scale_of(answer.unit)
    if _is_list_of_names(answer):
        return answer.text.split(LIST_SIGN), ""
    if answer.value is None or not re.search(r"\d", answer.text) or _is_label(answer):
        return [answer.text], ""
    cells = [] if answer.formula else [piece for piece in answer.evidence if piece.value == answer.value]
    if len(cells) == 1 and is_number(cells[0].quote):
        return [cells[0].quote], _scale_of(answer.unit)  # as the source writes it: "(1,212)"
    return [format(answer.value, "f")], _scale_of(answer.unit)


def is_list(answer: Answer) -> bool:
    """Whether the answer is its pieces of evidence, one by one: what TAT-QA calls a multi-span."""
    return len(answer.evidence) > 1 and not answer.formula and answer.value is None


def _is_list_of_names(answer: Answer) -> bool:
    """Whether the text lists what rows or columns are called, and stands so in no source."""
    is_quoted = any(answer.text in source.text for source in answer.sources)
    return answer.value is None and not answer.formula and LIST_SIGN in answer.text and not is_quoted


def _is_label(answer: Answer) -> bool:
    """Whether the text names a row or column instead of stating the value."""
    return answer.kind == "aggregate" and not answer.formula and format(answer.value or 0, ",f") not in answer.text


def _scale_of(unit: str) -> str:
    words = unit.split()
    return "percent" if "%" in words else next((scale for scale in _UNIT_SCALES if scale in words), "")


def score_answer(
    answers: Sequence[str], scale: str, gold: Sequence[str], gold_scale: str, gold_type: str
) -> tuple[float, float]:
    """Return (exact match, F1) of the answer strings with their scale against the gold ones.

    Example: score_answer(["1.2"], "million", ["1,200"], "thousand", "arithmetic") -> (1.0, 1.0)

    scale: "", "thousand", "million", "billion" or "percent". gold_type: "span", "multi-span", "arithmetic" or "count";
    for the last two F1 is the exact match. No answer scores 0.
    """
    if not answers or not gold:
        return 0.0, 0.0
    wanted = _normalize(joined_answer(gold, gold_scale))
    given = [joined_answer(answers, scale)]
    number = to_number(answers[0])
    if len(answers) == 1 and not scale and "%" not in answers[0] and is_number(answers[0]) and number is not None:
        given.append(f"{number:.{PLACES}f}")  # 0.2342 is right where 23.42 per cent is
    exact, f1 = max(_score_strings(_normalize(text), wanted) for text in given)
    return (exact, exact) if gold_type in ("arithmetic", "count") else (exact, f1)


def joined_answer(answers: Sequence[str], scale: str) -> str:
    """The answer strings as the one string that is compared, numbers in base units."""
    return " ".join(_with_scale(answer, scale) for answer in sorted(answers))


def _with_scale(answer: str, scale: str) -> str:
    number = to_number(answer) if is_number(answer) else None
    if number is None:
        return f"{answer} {scale}" if scale else answer
    if "%" in answer:
        return f"{number:.{PLACES}f}"
    return f"{round(number, 2) * scale_factor(scale):.{PLACES}f}"


def scale_factor(text: str) -> float:
    """What a scale word in the text multiplies by, 1 without any. Example: "5 million" -> 1e6."""
    lowered = text.lower()
    return next((factor for word, factor in _SCALES.items() if word in lowered), 1.0)


def is_number(text: str) -> bool:
    """Whether the text is a figure, alone or with a scale word after it."""
    words = text.translate(_NOT_OF_NUMBER).split()
    try:
        is_figure = bool(words) and not math.isnan(float(words[0]))
    except ValueError:
        return False
    return is_figure and (len(words) < 2 or scale_factor(words[1]) != 1)


def to_number(text: str) -> float | None:
    """The text's first figure in base units, None where it holds none."""
    figure = _FIGURE.search(text.translate(_NOT_OF_NUMBER))
    if figure is None:
        return None
    worded = _FIGURE_AND_WORD.search(text)
    factor = scale_factor(worded.group()) if worded else 1.0
    sign = -1 if _IN_PARENTHESES.search(text) else 1
    return round(float(figure.group()) * factor * sign * (0.01 if _IN_PERCENT.search(text) else 1), PLACES)


def _normalize(text: str) -> str:
    words = (_normalize_word(word.lower()) for word in text.split(" "))
    return " ".join(word for word in words if word)


def _normalize_word(word: str) -> str:
    if is_number(word):
        return str(to_number(word))
    return " ".join(ARTICLE.sub(" ", word.translate(_NOT_OF_WORD)).split())


def _score_strings(given: str, wanted: str) -> tuple[float, float]:
    given_words, wanted_words = set(given.split()), set(wanted.split())
    common = len(given_words & wanted_words)
    precision = common / len(given_words) if given_words else 1.0
    recall = common / len(wanted_words) if wanted_words else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return float(given == wanted), round(f1, 2)
