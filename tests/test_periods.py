"""The periods of a report, and figures of its running text."""

from __future__ import annotations

from pathlib import Path

import pytest

from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session
from tests.evidence_samples import likeliest_of, opened, shown_text

REPORT = """# Tern Optics, quarterly report

For the quarter ended August 3, 2025.

## Second Quarter of Fiscal Year 2026 Summary

Revenue rose in the second quarter of fiscal year 2026 as lenses sold well. In the second quarter of fiscal year 2025
a fire had closed the plant. For the third quarter of fiscal year 2026 the company expects as much.

(In thousands)

| | Three Months Ended August 3, 2025 | Three Months Ended August 4, 2024 | Change |
|---|---|---|---|
| Revenue | 8,140 | 6,925 | 18 % |
| Net income | 1,210 | 884 | 37 % |

## Revenue by country

(In thousands)

| | Three Months Ended August 3, 2025 | Three Months Ended August 4, 2024 |
|---|---|---|
| Norway | 2,310 | 2,050 |
| Portugal | 1,745 | 1,400 |

## Note 4: Debt

As of August 3, 2025, the fair value of the company's notes was $61.4 million.

| | August 3, 2025 |
|---|---|
| Cash | 4,400 |
| Total fair value | 9,870 |
"""


@pytest.fixture(scope="module")
def session(model_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Session:
    return opened(tmp_path_factory.mktemp("reports"), {"tern-q2.md": REPORT})


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What was the net income of Tern Optics in the three months ended August 3, 2025?", "1,210"),
        ("What was the net income of Tern Optics in the three months ended August 4, 2024?", "884"),
        ("How much revenue did Tern Optics get from Portugal in the quarter ended August 3, 2025?", "1,745"),
        ("By how many percent did net income rise in the quarter ended August 3, 2025?", "37 %"),
    ],
)
def test_a_period_is_found_by_the_day_on_which_it_ends(session: Session, question: str, text: str) -> None:
    assert text in likeliest_of(session, question).text


def test_two_countries_are_not_read_from_the_row_of_all(session: Session) -> None:
    answer = session.ask("How much revenue did Tern Optics get from Norway and Portugal together?", Scope())
    assert "8,140" not in answer.text


def test_a_figure_of_the_running_text_is_shown(session: Session) -> None:
    question = "What was the fair value of the notes of Tern Optics as of August 3, 2025?"
    assert "$61.4 million" in shown_text(session.ask(question, Scope()))
