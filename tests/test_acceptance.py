"""Whether a table's best cell is believed: likely for questions of its own, not for those of another."""

from __future__ import annotations

import numpy as np
import pytest

from mixrag_cli.recap.in_tables.cells import CellMatch, belief_signs, match_cells
from mixrag_cli.recap.in_tables.scorer import load_network
from mixrag_cli.recap.reader import read_answer
from tests.evidence_samples import SALES_REPORT, Sample, first_piece, read_sample

BELIEVED = 0.25  # probability from which on three in four cells of lookups are the linked ones

HARVEST = """# Harvest

Harvest of the orchards around Lindfold by fruit and year, in tonnes:

| Fruit | 2021 harvested | 2021 exported | 2022 harvested | 2022 exported |
|---|---|---|---|---|
| Apples | 412 | 120 | 515 | 133 |
| Pears | 288 | 45 | 240 | 51 |
| Plums | 100 | 12 | 105 | 9 |
| Total | 800 | 177 | 860 | 193 |
"""


@pytest.fixture(scope="module")
def sample() -> Sample:
    return read_sample({"harvest.md": HARVEST})


def best_of(question: str, sample: Sample) -> CellMatch:
    restated, base = sample.evidence_for(question)
    return match_cells(restated.whole, base, restated.names, "number", 1)[0]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How many tonnes of pears were harvested in 2022?", "240"),
        ("How many tonnes of apples were exported in 2021?", "120"),
        ("How many tonnes of fruit were exported in 2022 in total?", "193"),
    ],
)
def test_a_cell_that_says_the_question_is_believed(question: str, text: str, sample: Sample) -> None:
    best = best_of(question, sample)
    assert best.cell.text == text
    assert best.probability >= BELIEVED


@pytest.mark.parametrize(
    "question",
    [
        "How many tonnes of cherries were harvested by volunteers in 1998?",
        "How many patients were harvested for stem cells after a second relapse?",
        "How many tonnes of coal did the northern mines ship abroad?",
    ],
)
def test_the_best_cell_of_another_table_is_not(question: str, sample: Sample) -> None:
    restated, base = sample.evidence_for(question)
    found = match_cells(restated.whole, base, restated.names, "number", 1)
    assert not found or found[0].probability < BELIEVED
    assert read_answer(restated, base).status != "answered"


def test_a_name_that_nothing_says_is_no_answer(sample: Sample) -> None:
    assert best_of("How many tonnes of pears did Quillhurst harvest in 2022?", sample).probability == 0.0


def test_of_tables_whose_headers_say_nothing_nothing_is_stated() -> None:
    sample = read_sample({"harvest.md": HARVEST, "sales.md": SALES_REPORT})
    restated, base = sample.evidence_for("How much grain did the mill grind?")
    assert read_answer(restated, base).status != "answered"
    restated, base = sample.evidence_for("How much was made with shelves in 2024?")
    assert match_cells(restated.whole, base, restated.names, "number", 1)[0].hit.path == "sales.md"


def test_a_less_likely_cell_of_a_table_has_a_part_of_what_the_best_leaves(sample: Sample) -> None:
    restated, base = sample.evidence_for("How many tonnes of pears were harvested in 2022?")
    found = match_cells(restated.whole, base, restated.names, "number", 3)
    first, second, third = (match.probability for match in found)
    assert first > second > third > 0
    assert second <= 1 - first


def test_every_sign_has_its_weight(sample: Sample) -> None:
    restated, base = sample.evidence_for("How many tonnes of pears were harvested in 2022?")
    best = match_cells(restated.whole, base, restated.names, "number", 1)[0]
    signs = belief_signs(best, np.zeros(3), restated.whole, base)
    assert set(load_network().belief) == {"constant", *signs}


# --- beside other evidence -------------------------------------------------------------------------------------------


SALES = """# Sales

| in millions | 2023 | 2022 |
|---|---|---|
| Services | 20 | 15 |
| Products | 60 | 65 |
| Total net sales | 80 | 80 |

# Expenses

| in millions | 2023 | 2022 | Change |
|---|---|---|---|
| Research | 7.2 | 8 | (0.8) |
| Percentage of total net sales | 9 % | 10 % | (1) % |

The tax years 2014 and 2015 were closed without findings.
"""


@pytest.fixture(scope="module")
def sales() -> Sample:
    return read_sample({"sales.md": SALES})


def test_a_stated_share_of_another_part_does_not_stand_before_the_computed_one(sales: Sample) -> None:
    asked = sales.evidence_for("What percentage of total net sales came from Services in 2023?")
    assert first_piece(*asked).value == 25


def test_years_that_only_the_running_text_says_date_no_cell(sales: Sample) -> None:
    answer = read_answer(*sales.evidence_for("What is the percentage change in research from 2014 to 2015?"))
    assert answer.status != "answered", answer.text


def test_a_part_is_no_more_than_its_whole() -> None:
    sales = read_sample({"sales.md": SALES.partition("# Expenses")[0]})
    asked = sales.evidence_for("What percentage of total net sales came from Services in 2023?")
    assert first_piece(*asked).value == 25
    wrong = read_answer(*sales.evidence_for("What percentage of Services came from total net sales in 2023?"))
    assert wrong.status != "answered", wrong.text
