"""Extract from running text and code: the sentences, and the numbers in them, that a question means."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.evidence import (
    PATH_BONUS,
    EvidenceBase,
    context_credit,
    is_supported,
    names_path,
    stems_of,
    surroundings_of,
    time_score,
    unknown_names,
)
from mixrag_cli.recap.in_tables.periods import in_days
from mixrag_cli.recap.in_text.listed_periods import numbers_of_other_periods
from mixrag_cli.recap.language import facets_of, match_term, says_nothing_new, stem, words_of
from mixrag_cli.recap.wording import PERCENT_UNITS, is_currency
from mixrag_cli.records import Hit, Locator
from mixrag_cli.tables.numerals import Value
from mixrag_cli.tables.prose_numbers import find_numbers

QUOTED_KINDS = ("prose", "code")  # the text of tables and rows is ours, not the document's
MAX_SENTENCES = 12  # embedded for the choice, at most MAX_EMBEDDED_CHARS of each: about 0.1 s on two cores
MAX_EMBEDDED_CHARS = 300
BEFORE_MATCH = 0.6  # of a term that the sentence before says: "Our zones met the standard. We took 41,620 samples."
SAID_BY_OTHERS = 0.5  # the most credit for a name that other passages say, as for one that heads another row
MEANING_PART = 0.5  # of the score, beside coverage by words; equal parts until calibrated
DEFINITION_BONUS = 0.3  # "HTTPX is a …" for "what is HTTPX"
CODE_PENALTY = 0.1  # of a line of code, where words are asked for
COUNTED_BONUS = 0.3  # "41,620 samples" for "how many samples"
MIN_COUNTED_COVERAGE = 0.45
COUNTED_REACH = 4  # words after the number in which the counted thing is named
MONEY_STEMS = ("dollar", "euro", "pound", "money", "usd", "eur", "gbp", "cent", "million", "billion", "thousand")
PERCENT_STEMS = ("percent", "percentag", "point", "cent")
NUMBER_REACH = 60.0  # characters over which a number's tie to the words around it falls to 1/e
_WHAT_IS = re.compile(r"^\s*what (?:is|are) (?:an? |the )?([\w .-]{2,40}?)\W*$", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"\bhow many ((?:[\w-]+ ){0,3}?[\w-]+)"
    r"(?= (?:are|is|was|were|do|does|did|has|have|had|can|may|must|will|would|in|of|on)\b|\W*$)",
    re.IGNORECASE,
)
_BREAK = re.compile(r"(?<=[.!?])[\"”’)]?\s+(?=[\"“(]?[A-Z0-9])|\n{2,}|\n(?=\s*(?:[-*•]|\d+[.)])\s)|(?<=:)\n")
_ABBREVIATION = re.compile(r"\b(?:Inc|Corp|Ltd|Co|No|Mr|Ms|Mrs|Dr|vs|approx|e\.g|i\.e|U\.S|St|Fig|Sec|Art)\.$")

_CAPTION = re.compile(r"\s*(?:table|figure|fig\.?|listing|exhibit)\s+[A-Z]?\d+(?:\.\d+)*\s*[.:]\s", re.IGNORECASE)
_TABLE_LINE = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SentenceMatch:
    """A sentence of a hit and how well it fits. start: its place in the hit's chunk text."""

    hit: Hit
    text: str
    start: int
    score: float
    coverage: float
    similarity: float
    time: float

    @property
    def locator(self) -> Locator:
        """The sentence's own place: the chunk's, narrowed to its lines where lines are counted."""
        where = self.hit.chunk.locator
        if where.lines is None:
            return where
        before = self.hit.chunk.text[: self.start].count("\n")
        first = min(where.lines[0] + before, where.lines[1])
        return replace(where, lines=(first, min(first + self.text.count("\n"), where.lines[1])))


@dataclass(frozen=True, slots=True)
class NumberMatch:
    """A number in a sentence. score: the sentence's, scaled by how close the number stands to what was asked."""

    sentence: SentenceMatch
    value: Value
    quote: str
    score: float


def split_sentences(text: str) -> list[tuple[int, str]]:
    """The sentences of a passage with their offsets; line breaks inside a sentence are kept.

    Example: "It is so. See No. 5." -> [(0, "It is so."), (10, "See No. 5.")].
    """
    pieces: list[tuple[int, str]] = []
    start = 0
    for found in _BREAK.finditer(text):
        if _ABBREVIATION.search(text, max(0, found.start() - 8), found.start()):
            continue
        pieces.append((start, text[start : found.start()]))
        start = found.end()
    pieces.append((start, text[start:]))
    return [(at, piece) for at, piece in pieces if piece.strip()]


def is_caption(text: str) -> bool:
    """Whether a text names a table or a figure: it says what stands there, not what it is.

    Example: is_caption("Table 3: Sales by region.") -> True.
    """
    return _CAPTION.match(text) is not None


def is_heading(match: SentenceMatch) -> bool:
    """Whether a match is the heading of its passage, which names what stands below and says nothing of it."""
    leaf = match.hit.chunk.context.rpartition(" > ")[2].strip()
    return match.start == 0 and match.text.strip() == leaf


def match_sentences(
    operand: Operand, base: EvidenceBase, names: frozenset[str], *, prefers_prose: bool = False, limit: int = 8
) -> list[SentenceMatch]:
    """The best sentences of the evidence for the operand, best first."""
    hits = [hit for hit in base.hits if hit.chunk.kind in QUOTED_KINDS]
    told = names.intersection(stem for hit in hits for stem in stems_of(hit.chunk.text))
    matches = [match for hit in hits for match in _match_in_hit(operand, hit, base, names, told, prefers_prose)]
    matches.sort(key=lambda match: -(match.score + match.coverage + match.time + 0.1 * match.hit.score))
    matches = matches[:MAX_SENTENCES]
    if not matches:
        return []
    cosines = base.similarity([match.text[:MAX_EMBEDDED_CHARS] for match in matches])
    scored = [
        replace(
            match,
            similarity=float(cosine),
            score=match.score + (1 - MEANING_PART) * match.coverage + MEANING_PART * float(cosine) + match.time,
        )
        for match, cosine in zip(matches, cosines, strict=True)
    ]
    return sorted(scored, key=lambda match: -match.score)[:limit]


def _match_in_hit(
    operand: Operand, hit: Hit, base: EvidenceBase, names: frozenset[str], told: frozenset[str], prefers_prose: bool
) -> list[SentenceMatch]:
    """told: the names that some passage says, so that one that is silent of them is hardly of them."""
    if not operand.terms:
        return []
    weights = np.array([base.weight(term) for term in operand.terms])
    around, around_facets = surroundings_of(hit, None)
    known = base.knows.get(hit.chunk.document, frozenset())
    near = np.array([match_term(term, around) for term in operand.terms])
    credit = context_credit(operand.terms, names, around, known)
    is_far = np.array([term in told for term in operand.terms]) & (near == 0)
    credit = np.where(is_far, np.minimum(credit, SAID_BY_OTHERS), credit)
    liking = PATH_BONUS if names_path(operand.text, hit.path_below) else 0.0
    liking -= CODE_PENALTY if prefers_prose and hit.chunk.kind == "code" else 0.0
    defines = _definition_of(operand.text)
    matches = []
    numbers = [n for n, term in enumerate(operand.terms) if prefers_prose and _is_telling_number(term)]
    before = np.zeros(len(operand.terms))
    for start, sentence in split_sentences(hit.chunk.text):
        if _TABLE_LINE.search(sentence):  # a table's own markup says nothing as a sentence; its cells are read
            continue
        stems = stems_of(sentence)
        own = np.array([match_term(term, stems) for term in operand.terms])
        said, before = np.maximum(own, BEFORE_MATCH * before), own
        if not own.any() or unknown_names(operand.terms, names, np.maximum(said, credit)):
            continue
        if says_nothing_new(sentence, operand.text) or any(not said[n] and not near[n] for n in numbers):
            continue
        coverage = float(weights @ np.maximum(said, credit) / weights.sum())
        own_time = facets_of(sentence)
        time = time_score(in_days(operand.facets, None, [own_time]), own_time, around_facets, known)
        defined = DEFINITION_BONUS if defines and defines.search(sentence) else 0.0
        matches.append(SentenceMatch(hit, sentence, start, liking + defined, coverage, 0.0, time))
    return matches


def _is_telling_number(term: str) -> bool:
    """Whether a number of the question is so much its own that what does not say it speaks of something else."""
    return term[0].isdigit() and len(term) > 1


def match_numbers(
    operand: Operand, sentences: list[SentenceMatch], *, wants_percent: bool, min_coverage: float
) -> list[NumberMatch]:
    """The numbers in the sentences, best first: near the asked words, of the asked kind, not part of a date.

    min_coverage: of a sentence; MIN_COUNTED_COVERAGE is enough where the number stands before the counted thing.
    """
    counted = counted_thing(operand.text)
    found = []
    for sentence in sentences:
        numbers = find_numbers(sentence.text)
        others = numbers_of_other_periods(sentence.text, [(start, end) for start, end, _ in numbers], operand.facets)
        for start, end, value in numbers:
            if (
                value.value is None
                or start in others
                or _restates_question(value, operand)
                or (wants_percent and value.unit not in PERCENT_UNITS)
            ):
                continue
            if counted and (value.value < 0 or _is_of_another_kind(value, counted)):
                continue
            following = [stem(word) for word in words_of(sentence.text[end:])[:COUNTED_REACH]]
            is_counted = counted in following and sentence.coverage >= MIN_COUNTED_COVERAGE
            if not is_counted and not is_supported(sentence.coverage, sentence.similarity, min_coverage):
                continue
            score = sentence.score * (0.6 + 0.4 * _nearness(sentence.text, start, end, operand))
            score += COUNTED_BONUS if is_counted else 0.0
            found.append(NumberMatch(sentence, value, sentence.text[start:end], score))
    return sorted(found, key=lambda match: -match.score)


def _is_of_another_kind(value: Value, counted: str) -> bool:
    """Whether a number is money or a part of a hundred, and no count of the asked things."""
    unit = value.unit
    is_money = is_currency(unit)
    return (is_money or unit in PERCENT_UNITS) and not match_term(counted, MONEY_STEMS if is_money else PERCENT_STEMS)


def _definition_of(question: str) -> re.Pattern[str] | None:
    """A pattern for "X is a …" where the question is "what is X"; None where it asks more than that."""
    asked = _WHAT_IS.match(question)
    return re.compile(rf"\b{re.escape(asked.group(1))}\W+(?:is|are)\s+(?:an?|the)\b", re.IGNORECASE) if asked else None


def counted_thing(question: str) -> str:
    """The stem of what "how many" counts, "" where nothing is counted.

    Example: "How many drinking-water samples were taken?" -> "sample".
    """
    return next(reversed(counted_words(question)), "")


def counted_words(question: str) -> tuple[str, ...]:
    """The stems of all words that say what "how many" counts, in order; the thing itself is the last of them."""
    asked = _HOW_MANY.search(question)
    return tuple(stem(word) for word in words_of(asked.group(1))) if asked else ()


def _restates_question(value: Value, operand: Operand) -> bool:
    plain = format(value.value, "f") if value.value is not None else ""
    return plain in operand.terms or (plain.isdigit() and int(plain) in operand.facets.years)


def _nearness(text: str, start: int, end: int, operand: Operand) -> float:
    """In [0, 1]: the mean closeness of the number to each asked word that the sentence says."""
    distances = []
    for term in operand.terms:
        places = [m for m in re.finditer(r"\w+", text) if match_term(term, stems_of(m.group()))]
        if places:
            distances.append(min(max(m.start() - end, start - m.end(), 0) for m in places))
    return float(np.mean([np.exp(-d / NUMBER_REACH) for d in distances])) if distances else 0.0
