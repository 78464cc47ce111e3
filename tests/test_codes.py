"""Numbers that may be codes: a cell's digits are answered as they stand, an amount is written for people."""

from __future__ import annotations

from pathlib import Path

import pytest

from mixrag_cli.settings import Settings
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.session import open_session
from tests.evidence_samples import likeliest_of

CUSTOMS = "part,supplier,hts_code,value\nPN-1001,Alpha,850300,$2400000\nPN-1004,Alpha,848210,$1250000\n"


@pytest.mark.parametrize(
    ("question", "text"),
    [("What is the hts_code of part PN-1004?", "848210"), ("What is the value of part PN-1004?", "$1,250,000")],
)
def test_digits_without_a_unit_are_answered_as_they_stand(
    question: str, text: str, model_cache: Path, tmp_path: Path
) -> None:
    (tmp_path / "customs.csv").write_text(CUSTOMS)
    build_index([tmp_path], Settings(), events=Silent())
    assert likeliest_of(open_session(tmp_path, Settings()), question).text == text
