"""Which cell a question means: pairs of header paths scored as one whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pytest

from mixrag_cli.models.minilm import MiniLM
from mixrag_cli.models.token_vectors import KeptTokens
from mixrag_cli.quantities.facets import facets_of
from mixrag_cli.recap.in_tables import scorer
from mixrag_cli.recap.in_tables.brackets import brackets_of
from mixrag_cli.recap.in_tables.pairing import pair_features
from mixrag_cli.recap.in_tables.scorer import load_network, score_pairs
from mixrag_cli.recap.in_tables.token_match import LEAST_APART, QUESTION_BIAS, SMALL, TOKEN_FEATURES, Tokens
from mixrag_cli.recap.likeness import match_like, said_by
from mixrag_cli.recap.wording import Asked
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


def best_of(question: str, vectors: KeptTokens) -> tuple[int, int]:
    scores = score_pairs(Asked.of(question, facets_of(question)), table(), vectors)
    return max(scores, key=lambda place: scores[place])


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("what percentage of women in farming were injured?", (3, 3)),
        ("how many men in transport were injured?", (4, 0)),
        ("how many women aged 25 to 54 were injured?", (2, 2)),
        ("what percentage of men in tranport were injured?", (4, 1)),
        ("how many females in the transport sector were injured?", (4, 2)),
        ("what percentage of men driving lorries and buses were injured?", (4, 1)),
        ("how many women who drive lorries were injured?", (4, 2)),
    ],
)
def test_row_column_and_kind_are_chosen_together(question: str, place: tuple[int, int], vectors: KeptTokens) -> None:
    assert best_of(question, vectors) == place


def test_every_feature_has_its_weight() -> None:
    names = load_network().features
    assert load_network().linear.shape == (2 * len(names) + len(TOKEN_FEATURES),)
    pairs = pair_features(Asked.of("how many women?", facets_of("")), table())
    assert set(pairs.features) == set(names)
    assert pairs.matrix(names).shape == (len(pairs.cells), len(names))
    assert np.isfinite(pairs.matrix(names)).all()


def test_a_total_holds_the_largest_figures_of_its_columns() -> None:
    counts = ((9, 8), (4, 3), (5, 5))
    cells = tuple(Cell(r, c, str(n), Decimal(n)) for r, row in enumerate(counts) for c, n in enumerate(row))
    rows = tuple(Header(n, (name,)) for n, name in enumerate(("country", "north", "south")))
    columns = tuple(Header(n, (name,)) for n, name in enumerate(("2020", "2021")))
    pairs = pair_features(Asked.of("births", facets_of("")), Table("t", "", columns, rows, cells, Locator((0, 0))))
    assert pairs.features["row_largest"].tolist() == [1, 1, 0, 0, 0, 0]
    assert not pairs.features["column_largest"].any()  # of two figures neither is a total


def test_initials_stand_for_words_side_by_side() -> None:
    terms = ("british", "columbia", "person")
    assert said_by(["b.c.", "BC", "b.p.", "n.c."], terms)[:2].T.tolist() == [[0.9, 0.9], [0.9, 0.9], [0.4, 0], [0, 0.4]]


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


@pytest.mark.parametrize(
    ("term", "candidate", "match"),
    [("employed", "employment", 0.8), ("ependiture", "expenditure", 0.7), ("won", "w", 0.4), ("cat", "dog", 0.0)],
)
def test_words_of_one_stock_and_misspellings_match(term: str, candidate: str, match: float) -> None:
    assert match_like(term, candidate) == match


@pytest.mark.parametrize(
    ("text", "bracket"),
    [
        ("women under the age of 15", (0, 14)),
        ("0 to 14 years", (0, 14)),
        ("15- to 24-year-olds", (15, 24)),
        ("65 years and over", (65, math.inf)),
        ("those who earn less than $20,000", (0, 19_999)),
        ("more than 6 months", (6, math.inf)),
    ],
)
def test_brackets_of_numbers_are_read_from_their_wordings(text: str, bracket: tuple[float, float]) -> None:
    assert brackets_of(text) == {bracket}


def test_a_range_of_years_is_no_bracket() -> None:
    assert not brackets_of("from 2012 to 2015")
