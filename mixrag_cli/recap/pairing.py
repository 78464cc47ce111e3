"""Which cell of one table a question means: every pair of a row's and a column's header path, scored as one whole.

A pair is good where its two paths explain the question's words (a word that every path says tells nothing), where its
labels say little beyond the question, where the cell is of the asked kind, and where a dimension that the question
leaves open is the total or the first. The features are counted here, row by row, column by column and pair by pair;
Weights fitted to questions with a known cell make one number of them.

Source: the conditional logit model (McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from mixrag_cli.recap.language import (
    STOP_WORDS,
    Facets,
    facet_conflict,
    facets_of,
    match_pair,
    stem,
    without_facets,
    words_of,
)
from mixrag_cli.records import Cell, Header, Table
from mixrag_cli.tables.prose_numbers import find_numbers

Matrix = npt.NDArray[np.float64]

WHOLE_WORDS = frozenset(("total", "all", "both", "overall"))  # what is meant where no part is named
PREFIX_MATCH = 0.8  # "employed", "employment": words of one stock
SPELLING_MATCH = 0.7  # "ependiture", "expenditure": most letter triples agree
INITIAL_MATCH = 0.4  # "W" for "won"
MIN_SAYS = 0.4
MIN_HELD = 0.5  # a label that says a term at least so well holds it
MIN_MISSED = 0.3  # a pair that says a term so much less than another of its table leaves it out
MIN_NEGATED = 4  # letters of "non…" and more: "nonmanufacturing", not "none"
MIN_LIKE_LETTERS = 5
MIN_LIKE_PREFIX = 0.6  # of the longer word
MIN_LIKE_TRIPLES = 0.6  # Dice coefficient
_SIGNS = (("%", " percent "), ("#", " number "))
_DIGITS = {
    word: str(number)
    for number, words in enumerate(
        ("one first 1st", "two second 2nd", "three third 3rd", "four fourth 4th", "five fifth 5th", "six sixth 6th",
         "seven seventh 7th", "eight eighth 8th", "nine ninth 9th", "ten tenth 10th"), start=1)
    for word in words.split()
}  # fmt: skip
_SPELLED = re.compile(rf"\b(?:{'|'.join(_DIGITS)})\b", re.IGNORECASE)
_PERCENT = re.compile(r"%|\b(?:per ?cent(?:age)?s?|proportion|share|rate)\b", re.IGNORECASE)
_COUNT = re.compile(r"\bhow many\b(?! per ?cent)|\bnumber of\b", re.IGNORECASE)
_MONEY = re.compile(
    r"[$€£]|\b(?:dollars?|euros?|pounds?|usd|eur|gbp|cost|spen[dt]|paid|earn(?:ed|ings)?)\b", re.IGNORECASE
)
_CHANGE = re.compile(
    r"\b(?:chang|increas|decreas|declin|grow|grew|differ|drop|fell|fall|rise|rose|gap)\w*|\bpercentage points?\b",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"\b(?:total(?:ly|s)?|overall|altogether|all|entire|combined)\b", re.IGNORECASE)
_NUMBER_WORD = re.compile(r"\bnumber\b|\bcount\b|\bno\b|\bn\b", re.IGNORECASE)
_STATISTIC = re.compile(
    r"\b(?:confidence|interval|ci|error|deviation|ref|reference|significan\w*|p.value|lower|upper|rank|index|ratio)\b",
    re.IGNORECASE,
)
_AVERAGE = re.compile(r"\b(?:average|mean|median|avg|per)\b", re.IGNORECASE)

_ASKS = re.compile(
    r"\b(?:what|which|how much|how many|how)\b\s*(?:was|were|is|are|did|do|does|the|percentage|percent|proportion|"
    r"share|number|of|a|an|per cent|total|average|many|much|million|millions|billion|dollars|'s|points?|\s)*",
    re.IGNORECASE,
)
_HEAD_ENDS = re.compile(
    r"\b(?:of|in|for|among|from|by|with|who|that|which|at|on|to|was|were|is|are|did|had|have|has|do|does|than|as|when|"
    r"where|during|between|and|or|within|without)\b|[,?.;]",
    re.IGNORECASE,
)
_NEGATIONS = frozenset(
    ("not", "non", "no", "without", "never", "neither", "nor", "un", "outside", "other", "except", "excluding")
)
_LETTERS = re.compile(r"[a-z]+")

AXIS_FEATURES = (
    "said", "said_share", "leaf_said", "leaf_extra", "leaf_extra_words", "parent_said", "parent_extra", "pairs",
    "is_total", "is_total_asked", "time_right", "time_wrong", "texts", "numbers", "first", "place", "silent",
    "is_statistic", "is_change", "is_change_asked", "is_average", "is_average_asked", "depth", "exact",
    "head_said", "head_above", "negated", "negated_asked",
)  # fmt: skip
PAIR_FEATURES = (
    "coverage", "twice", "percent_wanted", "percent_unwanted", "count_as_percent", "percent_as_count", "money_right",
    "money_wrong", "count_said", "not_a_number", "no_value", "says_question", "is_nil", "text_for_text", "time_pair",
    "rarest_said", "unsaid", "least_unsaid", "head_pair",
)  # fmt: skip
FEATURES = (
    *(f"row_{name}" for name in AXIS_FEATURES),
    *(f"column_{name}" for name in AXIS_FEATURES),
    *PAIR_FEATURES,
)
# Fitted by tests/benchmarks/hitab_pairs.py on one half of the tables of HiTab's training set; on the lookups of the
# other half (1,932) the best pair is the linked cell in 61.4 %, on those of the first (1,665) in 65.3 %. How near the
# labels' token vectors are to the question's added nothing: 61.6 %, 92 won and 87 lost.
WEIGHTS_FILE = "pairing_weights.json"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the pairs are scored against it.

    terms: content stems, operation words included. head: those of what is asked for ("how many touchdowns did …").
    """

    text: str
    terms: tuple[str, ...]
    sequence: tuple[str, ...]
    facets: Facets
    numbers: frozenset[Decimal]
    head: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str, facets: Facets) -> Asked:
        """The words, times and plain numbers of a question."""
        plain = _spelled_out(without_facets(text))
        sequence = tuple(stem(word) for word in words_of(plain))
        kept = [stem(word) for word in words_of(plain) if word not in STOP_WORDS]
        numbers = {value.value for _, _, value in find_numbers(plain) if value.value is not None}
        return cls(text, tuple(dict.fromkeys(kept)), sequence, facets, frozenset(numbers), _head_of(text))


def score_pairs(asked: Asked, table: Table) -> dict[tuple[int, int], float]:
    """The score of every data cell by its row and column; higher is likelier, differences are log odds."""
    features, cells = pair_features(asked, table)
    weights = load_weights()
    scores = features @ np.array([weights[name] for name in FEATURES])
    return {(cell.row, cell.column): float(score) for cell, score in zip(cells, scores, strict=True)}


@lru_cache(maxsize=1)
def load_weights() -> dict[str, float]:
    """The fitted weight of each feature."""
    found: dict[str, float] = json.loads(files(__package__).joinpath(WEIGHTS_FILE).read_text("utf-8"))
    return found


def pair_features(asked: Asked, table: Table) -> tuple[Matrix, list[Cell]]:
    """The features of every data cell, (n_cells, len(FEATURES)), and the cells."""
    rows, columns = _Axis.of(table.rows, asked), _Axis.of(table.columns, asked)
    row_at = {header.index: n for n, header in enumerate(table.rows)}
    column_at = {header.index: n for n, header in enumerate(table.columns)}
    cells = [cell for cell in table.cells if cell.row in row_at and cell.column in column_at]
    r = np.array([row_at[cell.row] for cell in cells], dtype=np.intp)
    c = np.array([column_at[cell.column] for cell in cells], dtype=np.intp)
    row_part, column_part = rows.features(asked), columns.features(asked)
    _add_contents(row_part, column_part, asked, cells, r, c)
    pairs = _pair_part(asked, rows, columns, cells, r, c)
    return np.hstack([row_part[r], column_part[c], pairs]), cells


@dataclass(frozen=True, slots=True)
class _Axis:
    """One side of a table. said: (n_terms, n_headers), how well each path says each term. worth: (n_terms,), how much
    a term tells apart on this side: 0 where no path or every path says it.
    """

    headers: Sequence[Header]
    leaf: Matrix
    parent: Matrix
    said: Matrix
    worth: Matrix

    @classmethod
    def of(cls, headers: Sequence[Header], asked: Asked) -> _Axis:
        leaf = _said_by([header.leaf for header in headers], asked.terms)
        parent = _said_by([" ".join(header.path[:-1]) for header in headers], asked.terms)
        said = np.maximum(leaf, parent)
        n = len(headers)
        holding = (said >= 0.5).sum(axis=1)
        worth = np.where(holding > 0, np.log((n + 1) / (holding + 0.5)), 0.0)
        return cls(headers, leaf, parent, said, np.maximum(worth, 0.05 * (holding > 0)))

    def features(self, asked: Asked) -> Matrix:
        """(n_headers, len(AXIS_FEATURES)); "texts" and "numbers" are left for the cells to fill."""
        n = len(self.headers)
        total = max(float(self.worth.sum()), 1e-9)
        part = np.zeros((n, len(AXIS_FEATURES)))
        said = self.worth @ self.said
        at = {name: k for k, name in enumerate(AXIS_FEATURES)}
        part[:, at["said"]] = said / 3
        part[:, at["said_share"]] = said / total
        part[:, at["leaf_said"]] = self.worth @ self.leaf / total
        part[:, at["parent_said"]] = self.worth @ self.parent / total
        part[:, at["silent"]] = said == 0
        part[:, at["place"]] = np.arange(n) / max(n - 1, 1)
        part[0, at["first"]] = 1.0
        asks_total, asks_change = bool(_TOTAL.search(asked.text)), bool(_CHANGE.search(asked.text))
        asks_average, asks_statistic = bool(_AVERAGE.search(asked.text)), bool(_STATISTIC.search(asked.text))
        asks_negated = _is_negated(asked.text)
        if asked.head:
            part[:, at["head_said"]] = _said_by([header.leaf for header in self.headers], asked.head).mean(axis=0)
            above = [" ".join(header.path[:-1]) for header in self.headers]
            part[:, at["head_above"]] = _said_by(above, asked.head).mean(axis=0)
        bigrams = set(pairwise(asked.sequence))
        words, known = frozenset(asked.sequence), dict[str, bool]()
        for k, header in enumerate(self.headers):
            path = " ".join(header.path)
            unsaid, n_words = _count_unsaid(header.leaf, words, known)
            part[k, at["leaf_extra"]] = unsaid / n_words if n_words else 0.0
            part[k, at["leaf_extra_words"]] = math.log1p(unsaid)
            part[k, at["exact"]] = n_words > 0 and unsaid == 0
            unsaid, n_words = _count_unsaid(" ".join(header.path[:-1]), words, known)
            part[k, at["parent_extra"]] = unsaid / n_words if n_words else 0.0
            stems, kind = _stems(path), _kind_of(path)
            part[k, at["pairs"]] = min(sum(pair in bigrams for pair in pairwise(stems)), 4) / 2
            is_total = header.is_total or kind.is_whole
            part[k, at["is_total"]] = is_total and not asks_total
            part[k, at["is_total_asked"]] = is_total and asks_total
            conflict = facet_conflict(asked.facets, kind.facets)
            part[k, at["time_wrong"]] = conflict
            part[k, at["time_right"]] = bool(asked.facets.years & kind.facets.years) and not conflict
            part[k, at["is_statistic"]] = kind.is_statistic and not asks_statistic
            part[k, at["is_change"]] = kind.is_change and not asks_change
            part[k, at["is_change_asked"]] = kind.is_change and asks_change
            part[k, at["is_average"]] = kind.is_average and not asks_average
            part[k, at["is_average_asked"]] = kind.is_average and asks_average
            part[k, at["depth"]] = len(header.path) / 3
            is_negated = _is_negated(header.leaf)
            part[k, at["negated"]] = is_negated and not asks_negated
            part[k, at["negated_asked"]] = is_negated and asks_negated
        return part


def _add_contents(
    row_part: Matrix,
    column_part: Matrix,
    asked: Asked,
    cells: Sequence[Cell],
    r: npt.NDArray[np.intp],
    c: npt.NDArray[np.intp],
) -> None:
    """A row whose other cells say a number or a text of the question is likely meant, and so a column."""
    numbers, texts = AXIS_FEATURES.index("numbers"), AXIS_FEATURES.index("texts")
    for n, cell in enumerate(cells):
        if cell.value is not None:
            if cell.value in asked.numbers:
                row_part[r[n], numbers] = column_part[c[n], numbers] = 1.0
        elif cell.text:
            said = _cell_said(cell.text, asked.terms)
            row_part[r[n], texts] = max(row_part[r[n], texts], said)
            column_part[c[n], texts] = max(column_part[c[n], texts], said)


def _cell_said(text: str, terms: tuple[str, ...]) -> float:
    stems = _stems(text)
    return sum(stem_ in terms for stem_ in stems) / len(stems) if stems else 0.0


def _pair_part(
    asked: Asked, rows: _Axis, columns: _Axis, cells: Sequence[Cell], r: npt.NDArray[np.intp], c: npt.NDArray[np.intp]
) -> Matrix:
    part = np.zeros((len(cells), len(PAIR_FEATURES)))
    at = {name: k for k, name in enumerate(PAIR_FEATURES)}
    worth = np.maximum(rows.worth, columns.worth)
    total = max(float(worth.sum()), 1e-9)
    of_row, of_column = rows.said[:, r], columns.said[:, c]
    part[:, at["coverage"]] = worth @ np.maximum(of_row, of_column) / total
    part[:, at["twice"]] = worth @ np.minimum(of_row, of_column) / total
    _add_unsaid(part, np.maximum(of_row, of_column), rows, columns)
    if asked.head:
        paths = (
            _said_by([" ".join(h.path) for h in axis.headers], asked.head).mean(axis=0) for axis in (rows, columns)
        )
        by_row, by_column = paths
        part[:, at["head_pair"]] = np.maximum(by_row[r], by_column[c])
    wants_percent, wants_count = bool(_PERCENT.search(asked.text)), bool(_COUNT.search(asked.text))
    wants_money = bool(_MONEY.search(asked.text))
    row_kinds = [_kind_of(" ".join(header.path)) for header in rows.headers]
    column_kinds = [_kind_of(" ".join(header.path)) for header in columns.headers]
    for n, cell in enumerate(cells):
        row, column = row_kinds[r[n]], column_kinds[c[n]]
        is_percent = cell.unit in ("%", "pp") or row.is_percent or column.is_percent
        counts = row.is_count or column.is_count
        is_money = len(cell.unit) == 3 and cell.unit.isupper()
        part[n, at["percent_wanted"]] = wants_percent and is_percent
        part[n, at["percent_unwanted"]] = is_percent and not wants_percent
        part[n, at["count_as_percent"]] = wants_count and is_percent
        part[n, at["percent_as_count"]] = wants_percent and counts and not is_percent
        part[n, at["money_right"]] = wants_money and is_money
        part[n, at["money_wrong"]] = is_money and not wants_money
        part[n, at["count_said"]] = wants_count and counts
        part[n, at["not_a_number"]] = cell.value is None and (wants_count or wants_percent or wants_money)
        part[n, at["text_for_text"]] = cell.value is None and not (wants_count or wants_percent or wants_money)
        part[n, at["no_value"]] = cell.value is None
        part[n, at["says_question"]] = cell.value is not None and cell.value in asked.numbers
        part[n, at["is_nil"]] = cell.value is None and len(cell.text) <= 2
        own = row.facets.years | column.facets.years
        part[n, at["time_pair"]] = bool(asked.facets.years & own)
    return part


def _add_unsaid(part: Matrix, said: Matrix, rows: _Axis, columns: _Axis) -> None:
    """How many terms a pair leaves unsaid that others of the table say, and whether it says the most telling one."""
    sayable = np.maximum(rows.said.max(axis=1, initial=0.0), columns.said.max(axis=1, initial=0.0))
    if not (sayable > 0).any():
        return
    shares = [(axis.said >= MIN_HELD).mean(axis=1) for axis in (rows, columns)]
    spread = np.minimum(*(np.where(share > 0, share, 1.0) for share in shares))
    rarest = int(np.where(sayable > 0, spread, np.inf).argmin())
    unsaid = (sayable[:, None] - said > MIN_MISSED).sum(axis=0)
    part[:, PAIR_FEATURES.index("rarest_said")] = said[rarest]
    part[:, PAIR_FEATURES.index("unsaid")] = unsaid
    part[:, PAIR_FEATURES.index("least_unsaid")] = unsaid == unsaid.min()


def _said_by(labels: Sequence[str], terms: Sequence[str]) -> Matrix:
    """(n_terms, n_labels): how well the best word of each label stands for each term; each word is matched once."""
    words = [_stems(label) for label in labels]
    at = {word: n for n, word in enumerate(dict.fromkeys(word for label in words for word in label))}
    match = np.array([[match_like(term, word) for word in at] for term in terms]).reshape(len(terms), len(at))
    said = np.zeros((len(terms), len(labels)))
    for n, label in enumerate(words):
        if label:
            said[:, n] = match[:, [at[word] for word in label]].max(axis=1)
    return said


@lru_cache(maxsize=65536)
def _stems(label: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in words_of(_spelled_out(label)))


def _count_unsaid(label: str, asked: frozenset[str], known: dict[str, bool]) -> tuple[int, int]:
    """How many of a label's telling words the question does not say, and how many there are. known: words so far."""
    words = _telling(label)
    for word in words:
        if word not in known:
            known[word] = word in asked or any(match_like(word, each) >= MIN_SAYS for each in asked)
    return sum(not known[word] for word in words), len(words)


@lru_cache(maxsize=65536)
def _telling(label: str) -> tuple[str, ...]:
    return tuple(word for word in _stems(without_facets(label)) if word not in STOP_WORDS and word not in WHOLE_WORDS)


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a path says of its figures."""

    is_percent: bool
    is_count: bool
    is_statistic: bool
    is_change: bool
    is_average: bool
    is_whole: bool
    facets: Facets


@lru_cache(maxsize=65536)
def _kind_of(path: str) -> _Kind:
    return _Kind(
        is_percent=bool(_PERCENT.search(path)),
        is_count=bool(_NUMBER_WORD.search(path)),
        is_statistic=bool(_STATISTIC.search(path)),
        is_change=bool(_CHANGE.search(path)),
        is_average=bool(_AVERAGE.search(path)),
        is_whole=bool(WHOLE_WORDS & set(_stems(path))),
        facets=facets_of(path),
    )


def _head_of(question: str) -> tuple[str, ...]:
    """The stems of what is asked for: behind the question word, up to the next word that joins or ends.

    Example: _head_of("What was the capacity of the north station?") -> ("capacity",).
    """
    asks = _ASKS.search(question)
    if asks is None:
        return ()
    behind = question[asks.end() :]
    ends = _HEAD_ENDS.search(behind)
    words = words_of(_spelled_out(behind[: ends.start()] if ends else behind))
    return tuple(stem(word) for word in words if word not in STOP_WORDS)


def _is_negated(text: str) -> bool:
    words = _LETTERS.findall(text.lower())
    return any(word in _NEGATIONS or (word.startswith("non") and len(word) > MIN_NEGATED) for word in words)


def _spelled_out(text: str) -> str:
    """The text with its signs in words and its small numbers and ordinals in digits."""
    for sign, word in _SIGNS:
        text = text.replace(sign, word)
    return _SPELLED.sub(lambda found: _DIGITS[found.group().lower()], text)


@lru_cache(maxsize=262144)
def match_like(term: str, candidate: str) -> float:
    """How well one stem stands for another, in [0, 1]: as match_pair, or as a word of one stock or a misspelling."""
    match = match_pair(term, candidate)
    if min(len(term), len(candidate)) == 1 and term[0] == candidate[0] and term.isalpha():
        return max(match, INITIAL_MATCH)
    if match >= PREFIX_MATCH or min(len(term), len(candidate)) < MIN_LIKE_LETTERS:
        return match
    if not (term.isalpha() and candidate.isalpha()):
        return match
    common = next(
        (n for n, (a, b) in enumerate(zip(term, candidate, strict=False)) if a != b), min(len(term), len(candidate))
    )
    if common >= MIN_LIKE_LETTERS and common >= MIN_LIKE_PREFIX * max(len(term), len(candidate)):
        return PREFIX_MATCH
    one, other = _triples(term), _triples(candidate)
    is_misspelt = 2 * len(one & other) >= MIN_LIKE_TRIPLES * (len(one) + len(other))
    return max(match, SPELLING_MATCH) if is_misspelt else match


@lru_cache(maxsize=65536)
def _triples(word: str) -> frozenset[str]:
    padded = f"^{word}$"
    return frozenset(padded[n : n + 3] for n in range(len(padded) - 2))
