"""Which cell a question means: pairs of header paths scored as one whole."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest

from mixrag_cli.recap.brackets import brackets_of
from mixrag_cli.recap.language import facets_of
from mixrag_cli.recap.likeness import match_like
from mixrag_cli.recap.pairing import FEATURES, pair_features
from mixrag_cli.recap.scorer import load_network, score_pairs
from mixrag_cli.recap.wording import Asked
from mixrag_cli.records import Cell, Header, Locator, Table

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


def best_of(question: str) -> tuple[int, int]:
    scores = score_pairs(Asked.of(question, facets_of(question)), table())
    return max(scores, key=lambda place: scores[place])


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("what percentage of women in farming were injured?", (3, 3)),
        ("how many men in transport were injured?", (4, 0)),
        ("how many women aged 25 to 54 were injured?", (2, 2)),
        ("what percentage of men in tranport were injured?", (4, 1)),
        ("how many females in the transport sector were injured?", (4, 2)),
    ],
)
def test_row_column_and_kind_are_chosen_together(question: str, place: tuple[int, int]) -> None:
    assert best_of(question) == place


def test_every_feature_has_its_weight() -> None:
    assert load_network().linear.shape == (len(FEATURES),)
    features, cells = pair_features(Asked.of("how many women?", facets_of("")), table())
    assert features.shape == (len(cells), len(FEATURES))
    assert np.isfinite(features).all()


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
