"""Formulas over cells and facts, and counts of releases: what the reader and the grading may choose from."""

from __future__ import annotations

from pathlib import Path

import pytest

from mixrag_cli.recap.drafting import draft_all
from mixrag_cli.recap.signs import Draft
from mixrag_cli.stories.answering import prepare
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session
from tests.evidence_samples import opened

FILES = {
    "accounts.md": """# Gull Foundation, accounts

| | 2017-2018 | 2018-2019 |
|---|---|---|
| Stationery | 62,265 | 14,769 |
| Platform hosting | 307,035 | 370,760 |
| Members' fees from abroad | 1,943,844 | 1,734,531 |
""",
    "timings.md": """# Cache timings

## Timings for filecache

| Action | Count | Total |
|---|---|---|
| get | 712 | 511.9s |
| set | 80 | 229.3s |
| Total | 792 | 741.2s |

## Timings for memstore

| Action | Count | Total |
|---|---|---|
| get | 712 | 61.7s |
| set | 80 | 7.1s |
| Total | 792 | 68.8s |
""",
    "voters.md": """# New voters

| State | Year | Month | New voters |
|---|---|---|---|
| Ohio | 2016 | May | 91,205 |
| | 2016 | April | 128,000 |
| | 2020 | May | 35,678 |
| | 2020 | April | 31,000 |
""",
    "pool.ini": "[timeouts]\nserver_lifetime = 3600\nserver_idle_timeout = 600\nquery_timeout = 20\n",
    "CHANGELOG.md": """# Changelog

## 3.13.0 - 2024-06-22

- Faster start.

## 3.12.0 - 2024-05-12

- A flag for colours.
""",
}


@pytest.fixture(scope="module")
def session(model_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Session:
    return opened(tmp_path_factory.mktemp("formulas"), FILES)


def formulas_for(question: str, session: Session) -> list[Draft]:
    restated, base, _ = prepare(session, question, Scope(), Clock())
    return [draft for draft in draft_all(restated, base) if draft.kind == "computed"]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        # whole years, of which "2017-2018" is one; the words say little of what the rows are called
        ("By what percentage did the cost of stationery fall from 2017-18 to 2018-19?", "76.28 %"),
        ("How much did international membership income drop from 2017-18 to 2018-19, in percent?", "10.77 %"),
        # a month below its year
        ("How many fewer new voters did Ohio have in April 2020 than in April 2016?", "97,000"),
        # the same row and column of two tables
        ("By how many seconds did filecache exceed memstore in total time?", "672.4 s"),
        # settings of one file
        ("What is the ratio of server_lifetime to server_idle_timeout?", "6"),
        # days between two dates
        ("How many days lie between 3.12.0 and 3.13.0?", "41 days"),
    ],
)
def test_the_right_formula_is_among_those_proposed(question: str, text: str, session: Session) -> None:
    assert text in [draft.text for draft in formulas_for(question, session)]


def test_the_formulas_of_named_operands_are_told_from_others_and_stand_in_order(session: Session) -> None:
    found = formulas_for("By what percentage did the cost of stationery fall from 2017-18 to 2018-19?", session)
    worded = [draft.signs["tried"] for draft in found if draft.signs["worded"]]
    assert worded == sorted(set(worded))
    assert len({draft.text for draft in found if draft.operation == "change_percent"}) == len(found)


@pytest.mark.parametrize(
    ("question", "n"), [("How many releases were there in 2024?", "2"), ("Count the releases of June 2024.", "1")]
)
def test_dated_versions_of_a_change_log_are_counted(question: str, n: str, session: Session) -> None:
    restated, base, _ = prepare(session, question, Scope(), Clock())
    found = [draft for draft in draft_all(restated, base) if draft.source.hit.path == "CHANGELOG.md"]
    (counted,) = (draft for draft in found if draft.kind == "column")
    assert counted.text == n
    assert "where date in " in counted.evidence[0].label


def test_what_is_computed_of_facts_cites_both(session: Session) -> None:
    found = formulas_for("What is the ratio of server_lifetime to server_idle_timeout?", session)
    ratio = next(draft for draft in found if draft.text == "6")
    assert [(one.id, one.source, one.quote) for one in ratio.evidence] == [("e1", 1, "3600"), ("e2", 2, "600")]
    assert [source.ref for source in ratio.sources] == [1, 2]
    assert ratio.formula == "e1 / e2"
