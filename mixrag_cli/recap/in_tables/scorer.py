"""The score of every cell of a table for a question: a small network over how well its two header paths say it.

    by words     how much of the question each path says, and both together, beside the best of the table
    by kind      what a label says beyond the question; a total, the first, another time; a value of the asked form
    by meaning   late interaction over the tokens of the paths (token_match.py)

score = w·x + v·max(0, Wx + b), with x the features as they differ from their mean, in parts of their spread. Linear
terms carry what holds everywhere, hidden units what holds together only: a total is meant where its side is silent.
Source: the conditional logit model (McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974).
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np

from mixrag_cli.quantities.facets import facet_conflict
from mixrag_cli.reading import chance_of
from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.in_tables.token_match import TOKEN_FEATURES, Matrix, Places, TokenMetric, Tokens, TokenVectors
from mixrag_cli.recap.wording import COUNT, PERCENT, PERCENT_UNITS, TOTAL
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.text import ARROW, said_path, times_of, without_unit
from mixrag_cli.words import COMMON_WORDS, match_term, stems_in, stems_of

# Fitted to the 3,597 lookups of HiTab's training set, as tests/benchmarks/hitab_pairs.py --keep-metric does: the metric
# is that of a larger network. The belief is fitted to 474 questions asked of 260 of its tables, their own or others.
WEIGHTS_FILE = "pairing_weights.json"
MAX_SPREADS = 6.0  # a feature further from its mean counts as if it were so far
MAX_LABELS = 150  # of a side whose tokens are read, those that say most in words: some 0.1 s
MIN_HELD = 0.5  # a path that says a term at least so well holds it
LEAST_WORTH = 0.05  # of a term that every path says
TITLED = 0.8  # of a term's worth that is gone where the table's title says it
TINY = 1e-9
KINDS = ("beyond", "beyond_words", "total", "total_asked", "time_wrong", "time_unasked", "time_right", "depth", "pairs")
NO_TOKENS: Tokens = np.zeros((0, 0), np.float32)


@dataclass(frozen=True, slots=True)
class Side:
    """A table's rows or columns against a question.

    said: (n_terms, n_headers), how well each path says each of the question's terms. titled: (n_terms,), how well the
    table's title does.
    """

    headers: Sequence[Header]
    said: Matrix
    titled: Matrix

    @classmethod
    def of(cls, headers: Sequence[Header], terms: Sequence[str], title: str) -> Side:
        """The side against the terms of a question."""
        paths = [stems_of(" ".join(said_path(header))) for header in headers]
        said = [[match_term(term, path) for path in paths] for term in terms]
        titled = np.array([match_term(term, stems_of(title)) for term in terms], np.float64)
        return cls(headers, np.array(said, np.float64).reshape(len(terms), len(headers)), titled)

    @property
    def worth(self) -> Matrix:
        """How much each term tells apart here: 0 where no path says it, little where the title does. (n_terms,)."""
        holding = (self.said >= MIN_HELD).sum(axis=1)
        worth = np.where(holding > 0, np.log((len(self.headers) + 1) / (holding + 0.5)), 0.0)
        return np.asarray(np.maximum(worth * (1 - TITLED * self.titled), LEAST_WORTH * (holding > 0)))

    @property
    def share(self) -> Matrix:
        """How much of what this side can say of the question each path says, in [0, 1]: (n_headers,)."""
        return np.asarray(self.worth @ self.said / max(float(self.worth.sum()), TINY))

    def features(self, operand: Operand) -> dict[str, Matrix]:
        """Of each path, by name: (n_headers,) each."""
        asked = stems_of(operand.text), {*pairwise(stems_in(operand.text))}, bool(TOTAL.search(operand.text))
        kinds = [_kind_of(header, operand, *asked) for header in self.headers]
        share, places = self.share, np.arange(len(self.headers))
        return {
            "share": share,
            "share_lead": share - share.max(initial=0.0),
            "is_first": places == 0,
            **{name: np.array([kind[name] for kind in kinds], float) for name in KINDS},
        }


def _kind_of(
    header: Header, operand: Operand, asked: Sequence[str], asked_pairs: Collection[tuple[str, str]], asks_total: bool
) -> dict[str, float]:
    """What a path says of its figures, against what the question asks for. asked: the question's stems."""
    own = [word for word in stems_of(without_unit(header.leaf)) if word not in COMMON_WORDS]
    facets = times_of(header)
    beyond = sum(match_term(word, asked) < MIN_HELD for word in own)
    is_total = header.is_total or bool(TOTAL.search(header.leaf))
    is_of_other_time = facet_conflict(operand.facets, facets)
    return {
        "beyond": beyond / max(len(own), 1),
        "beyond_words": float(np.log1p(beyond)),
        "total": is_total and not asks_total,
        "total_asked": is_total and asks_total,
        "time_wrong": is_of_other_time,
        "time_unasked": bool(facets.years) and not operand.facets.years,
        "time_right": bool(facets.years & operand.facets.years) and not is_of_other_time,
        "depth": len(header.path) / 3,
        "pairs": sum(pair in asked_pairs for pair in pairwise(stems_in(" ".join(header.path)))) / 2,
    }


@dataclass(frozen=True, slots=True)
class Pairs:
    """The data cells of a table as pairs of header paths.

    features: by name, (n_cells,) each. row, column: (n_cells,), the place of each cell's header on its side.
    """

    features: Mapping[str, Matrix]
    cells: Sequence[Cell]
    row: Places
    column: Places

    def matrix(self, names: Sequence[str]) -> Matrix:
        """The features in the order of the names: (n_cells, len(names)). Raises KeyError where there is none."""
        return np.column_stack([self.features[name] for name in names])


def pair_features(operand: Operand, table: Table, rows: Side, columns: Side) -> Pairs:
    """What words and kinds say of every data cell of the table."""
    row_at, column_at = ({header.index: n for n, header in enumerate(side.headers)} for side in (rows, columns))
    cells = [cell for cell in table.cells if cell.row in row_at and cell.column in column_at]
    r = np.array([row_at[cell.row] for cell in cells], dtype=np.intp)
    c = np.array([column_at[cell.column] for cell in cells], dtype=np.intp)
    worth = np.maximum(rows.worth, columns.worth)
    of_row, of_column = rows.said[:, r], columns.said[:, c]
    total = max(float(worth.sum()), TINY)
    coverage = worth @ np.maximum(of_row, of_column) / total
    features = {
        **{f"row_{name}": values[r] for name, values in rows.features(operand).items()},
        **{f"column_{name}": values[c] for name, values in columns.features(operand).items()},
        "coverage": coverage,
        "coverage_lead": coverage - coverage.max(initial=0.0),
        "twice": worth @ np.minimum(of_row, of_column) / total,
        **_of_values(operand, cells, rows, columns, r, c),
    }
    return Pairs(features, cells, r, c)


def _of_values(
    operand: Operand, cells: Sequence[Cell], rows: Side, columns: Side, r: Places, c: Places
) -> dict[str, Matrix]:
    """Whether each cell is of the asked kind, by its unit and its headers."""
    asks_percent = PERCENT.search(operand.text) is not None
    asks_count = not asks_percent and COUNT.search(operand.text) is not None  # "how many percent" counts nothing
    says = [[PERCENT.search(" ".join(header.path)) is not None for header in side.headers] for side in (rows, columns)]
    by_unit = np.array([cell.unit in PERCENT_UNITS for cell in cells], bool)
    is_percent = by_unit | np.array(says[0], bool)[r] | np.array(says[1], bool)[c]
    is_text = np.array([cell.value is None for cell in cells], bool)
    size = np.array([math.log1p(abs(float(cell.value or 0))) / 10 for cell in cells])
    return {
        "size": size,
        "size_of_percent": size * asks_percent,
        "size_of_count": size * asks_count,
        "percent_for_count": is_percent & asks_count,
        "largest": _largest(cells, r, c),
        "percent_asked": is_percent & asks_percent,
        "percent_unasked": is_percent & (not asks_percent),
        "no_value": is_text.astype(float),
        "decimals_for_count": np.array([asks_count and "." in cell.text for cell in cells], float),
    }


def _largest(cells: Sequence[Cell], r: Places, c: Places) -> Matrix:
    """In what part of its figures a cell's row holds its column's largest, as a total does."""
    sizes = np.zeros((r.max(initial=-1) + 1, c.max(initial=-1) + 1))
    for n, cell in enumerate(cells):
        sizes[r[n], c[n]] = abs(float(cell.value or 0)) * (cell.unit not in PERCENT_UNITS)
    is_largest = (sizes > 0) & (sizes == sizes.max(axis=0, initial=0.0))
    return np.asarray((is_largest.sum(axis=1) / np.maximum((sizes > 0).sum(axis=1), 1))[r])


@dataclass(frozen=True, slots=True)
class Network:
    """features: the names of those by words and kinds, in order. mean, spread, linear: (n_inputs,). bias, out:
    (n_units,). hidden: (n_inputs, n_units). belief: of each sign of a table's best cell, and the constant."""

    features: tuple[str, ...]
    mean: Matrix
    spread: Matrix
    linear: Matrix
    hidden: Matrix
    bias: Matrix
    out: Matrix
    metric: TokenMetric
    belief: Mapping[str, float]

    def score(self, lexical: Matrix, meant: Matrix) -> Matrix:
        """(n_cells, n_features) and (n_cells, len(TOKEN_FEATURES)) -> (n_cells,).

        Higher is likelier; differences are log odds.
        """
        x = np.clip((np.hstack([lexical, meant]) - self.mean) / self.spread, -MAX_SPREADS, MAX_SPREADS)
        return np.asarray(x @ self.linear + np.maximum(x @ self.hidden + self.bias, 0.0) @ self.out)


def score_pairs(
    operand: Operand, table: Table, rows: Side, columns: Side, vectors: TokenVectors
) -> list[tuple[float, int, int, Cell]]:
    """Every data cell with its score, in log odds beside the others, and the places of its row and column."""
    pairs, network = pair_features(operand, table, rows, columns), load_network()
    meant = network.metric.features(*pair_tokens(operand, rows, columns, vectors), pairs.row, pairs.column)
    scores = network.score(pairs.matrix(network.features), meant)
    places = zip(scores, pairs.row, pairs.column, pairs.cells, strict=True)
    return [(float(s), int(r), int(c), cell) for s, r, c, cell in places]


def probability_of(signs: Mapping[str, float]) -> float:
    """How likely a table's best cell is what was asked, in (0, 1), by its signs (see cells.belief_signs)."""
    belief = load_network().belief
    return chance_of(belief["constant"] + sum(belief[name] * sign for name, sign in signs.items()))


def meant_by(question: str, labels: Sequence[str], vectors: TokenVectors) -> float:
    """How much of the question the labels say together by the meaning of their tokens, in [0, 1]."""
    return load_network().metric.coverage(vectors.of_question(question), vectors.of_labels(labels))


def pair_tokens(
    operand: Operand, rows: Side, columns: Side, vectors: TokenVectors
) -> tuple[Tokens, list[Tokens], list[Tokens]]:
    """The tokens of the question and of the header paths of either side; none for those beyond MAX_LABELS."""
    return vectors.of_question(operand.asked), _label_tokens(rows, vectors), _label_tokens(columns, vectors)


def _label_tokens(side: Side, vectors: TokenVectors) -> list[Tokens]:
    chosen = np.sort(np.argsort(-side.share, kind="stable")[:MAX_LABELS])
    tokens = [NO_TOKENS] * len(side.headers)
    for n, own in zip(chosen, vectors.of_labels([ARROW.join(side.headers[n].path) for n in chosen]), strict=True):
        tokens[n] = own
    return tokens


@lru_cache(maxsize=1)
def load_network() -> Network:
    """The fitted network."""
    return read_network(files(__package__).joinpath(WEIGHTS_FILE).read_text("utf-8"))


def read_network(text: str) -> Network:
    """A network as JSON, which names its features."""
    stored: dict[str, Any] = json.loads(text)
    lexical = tuple(stored.pop("features")[: -len(TOKEN_FEATURES)])
    metric, belief = TokenMetric(**_to_arrays(stored.pop("metric"))), stored.pop("belief")
    return Network(lexical, **_to_arrays(stored), metric=metric, belief=belief)


def _to_arrays(stored: dict[str, Any]) -> dict[str, Any]:
    """Lists as arrays; single numbers as they are."""
    return {name: np.array(value, np.float64) if isinstance(value, list) else value for name, value in stored.items()}
