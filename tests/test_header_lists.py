"""Questions for what a table's headers list: the parts of a section or of a total, the years of its columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from mixrag_cli.settings import Settings
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session, open_session
from tests.evidence_samples import structure_of

PAGE = """<h1>Heron Mills, annual report</h1>
<table><caption>Balance sheet</caption>
<tr><th></th><th>2031</th><th>2030</th></tr>
<tr><td>Raw wool</td><td>410</td><td>380</td></tr>
<tr><td>Yarn in process</td><td>120</td><td>140</td></tr>
<tr><td>Finished cloth</td><td>270</td><td>250</td></tr>
<tr><td>Inventories</td><td>800</td><td>770</td></tr>
<tr><td>Looms</td><td>1,900</td><td>2,050</td></tr>
</table>
<table><caption>Staff by site</caption>
<tr><th></th><th>Women</th><th>Men</th></tr>
<tr><td colspan="3">Northern sites</td></tr>
<tr><td>&nbsp;&nbsp;Ashby</td><td>31</td><td>25</td></tr>
<tr><td>&nbsp;&nbsp;Corran</td><td>12</td><td>19</td></tr>
<tr><td colspan="3">Southern sites</td></tr>
<tr><td>&nbsp;&nbsp;Dunford</td><td>44</td><td>37</td></tr>
<tr><td>&nbsp;&nbsp;Elstow</td><td>8</td><td>6</td></tr>
</table>
"""


@pytest.fixture(scope="module")
def session(model_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("mills")
    (folder / "heron.html").write_text(PAGE)
    build_index([folder], Settings(), events=Silent())
    return open_session(folder, Settings())


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What are the components of inventories?", "Raw wool; Yarn in process; Finished cloth"),
        ("What do the inventories of Heron Mills consist of?", "Raw wool; Yarn in process; Finished cloth"),
        ("What are the items listed under northern sites?", "Ashby; Corran"),
        ("For which years are inventories reported?", "2031; 2030"),
        ("What were the inventories in 2030 and 2031, respectively?", "2030: 770; 2031: 800"),
        ("How much were the inventories from 2030 to 2031, respectively?", "2030: 770; 2031: 800"),
    ],
)
def test_labels_are_listed_in_their_order(session: Session, question: str, text: str) -> None:
    answer = structure_of(session, question)
    assert answer.text == text
    assert len(answer.evidence) == len(text.split("; "))


@pytest.mark.parametrize(
    "question",
    ["What are the components of looms?", "What are the components of dividends?", "What are the items under cloth?"],
)
def test_what_has_no_parts_lists_none(session: Session, question: str) -> None:
    assert len(session.ask(question, Scope()).evidence) < 2


def test_an_extreme_of_the_parts_is_no_list(session: Session) -> None:
    assert session.ask("Which component of inventories was the largest in 2031?", Scope()).text != (
        "Raw wool; Yarn in process; Finished cloth"
    )
