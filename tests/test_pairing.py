"""Which cell a question means: pairs of header paths scored as one whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pytest

from mixrag_cli.models.minilm import MiniLM
from mixrag_cli.models.token_vectors import KeptTokens
from mixrag_cli.recap.asked_operands import whole_of
from mixrag_cli.recap.in_tables import scorer
from mixrag_cli.recap.in_tables.scorer import Side, load_network, pair_features, score_pairs
from mixrag_cli.recap.in_tables.token_match import LEAST_APART, QUESTION_BIAS, SMALL, TOKEN_FEATURES, Tokens
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Header, Table

ROWS = (("all workers",), ("age", "15 to 24"), ("age", "25 to 54"), ("sector", "farming"), ("sector", "transport"))
COLUMNS = (("men", "number"), ("men", "%"), ("women", "number"), ("women", "%"))


def table() -> Table:
    cells = tuple(
        Cell(r, c, str(10 * r + c), Decimal(10 * r + c), "%" if COLUMNS[c][1] == "%" else "")
        for r in range(len(ROWS))
        for c in range(len(COLUMNS))
    )
    rows = tuple(Header(n, path, is_total=n == 0) for n, path in enumerate(ROWS))
    return Table(
        "t", "Injured workers", tuple(Header(n, path) for n, path in enumerate(COLUMNS)), rows, cells, Locator((0, 0))
    )


@pytest.fixture(scope="module")
def vectors(minilm: MiniLM) -> KeptTokens:
    return KeptTokens(minilm)


def sides_of(question: str, asked: Table) -> list[Side]:
    return [Side.of(headers, whole_of(question).terms, asked.title) for headers in (asked.rows, asked.columns)]


def best_of(question: str, vectors: KeptTokens) -> tuple[int, int]:
    whole = whole_of(question)
    best = max(score_pairs(whole, table(), *sides_of(question, table()), vectors), key=lambda one: one[0])
    return best[3].row, best[3].column


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("what percentage of women in farming were injured?", (3, 3)),
        ("how many men in transport were injured?", (4, 0)),
        ("how many women aged 25 to 54 were injured?", (2, 2)),
        ("how many females in the transport sector were injured?", (4, 2)),
        ("what percentage of men driving lorries and buses were injured?", (4, 1)),
        ("how many women who drive lorries were injured?", (4, 2)),
    ],
)
def test_row_column_and_kind_are_chosen_together(question: str, place: tuple[int, int], vectors: KeptTokens) -> None:
    assert best_of(question, vectors) == place


def test_every_feature_has_its_weight() -> None:
    names = load_network().features
    assert load_network().linear.shape == (len(names) + len(TOKEN_FEATURES),)
    pairs = pair_features(whole_of("how many women?"), table(), *sides_of("how many women?", table()))
    assert set(pairs.features) == set(names)
    assert pairs.matrix(names).shape == (len(pairs.cells), len(names))
    assert np.isfinite(pairs.matrix(names)).all()


def test_a_total_holds_the_largest_figures_of_its_columns() -> None:
    counts = ((9, 8), (4, 3), (5, 5))
    cells = tuple(Cell(r, c, str(n), Decimal(n)) for r, row in enumerate(counts) for c, n in enumerate(row))
    rows = tuple(Header(n, (name,)) for n, name in enumerate(("country", "north", "south")))
    columns = tuple(Header(n, (name,)) for n, name in enumerate(("2020", "2021")))
    births = Table("t", "", columns, rows, cells, Locator((0, 0)))
    pairs = pair_features(whole_of("births"), births, *sides_of("births", births))
    assert pairs.features["largest"].tolist() == [1, 1, 0, 0, 0, 0]


def test_token_features_are_those_of_the_formula(vectors: KeptTokens) -> None:
    """Token by token, as the definition reads, against the arrays."""
    metric = load_network().metric
    question = vectors.of_question("injured women in farming")
    rows, columns = (vectors.of_labels([" > ".join(path) for path in side]) for side in (ROWS, COLUMNS))
    places = np.array([(r, c) for r in range(len(ROWS)) for c in range(len(COLUMNS))])
    found = metric.features(question, rows, columns, places[:, 0], places[:, 1])

    def near(one: Tokens, other: Tokens) -> float:
        a, b = one @ metric.projection, other @ metric.projection
        cosine = float(a @ b) / math.sqrt(float(a @ a) * float(b @ b))
        return 1 / (1 + math.exp(-metric.sharpness * (cosine - metric.centre)))

    def said(side: Sequence[Tokens]) -> list[list[float]]:
        return [[max(near(asked, token) for token in label) for label in side] for asked in question]

    def apart(by_label: Sequence[float], asked: Tokens) -> float:
        worth = math.log1p(math.exp(float(asked @ metric.question) + metric.question_bias + QUESTION_BIAS))
        return worth * (max(by_label) - sum(by_label) / len(by_label) + LEAST_APART)

    by_row, by_column = said(rows), said(columns)
    weights = [
        max(apart(own, asked), apart(other, asked))
        for own, other, asked in zip(by_row, by_column, question, strict=True)
    ]
    for n, (r, c) in enumerate(places.tolist()):
        meant = sum(w * max(own[r], other[c]) for w, own, other in zip(weights, by_row, by_column, strict=True)) / (
            sum(weights) + SMALL
        )
        assert found[n, TOKEN_FEATURES.index("pair_meant")] == pytest.approx(meant, abs=1e-5)
        beyond = sum(
            (1 - max(near(asked, token) for asked in question))
            / (1 + math.exp(-(float(token @ metric.label) + metric.label_bias)))
            for token in columns[c]
        )
        assert found[n, TOKEN_FEATURES.index("column_unmeant")] == pytest.approx(beyond, abs=1e-5)


def test_labels_beyond_the_limit_have_no_tokens(vectors: KeptTokens, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scorer, "MAX_LABELS", 2)
    assert best_of("how many men in transport were injured?", vectors) == (4, 0)
