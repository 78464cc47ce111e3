"""Listwise reading: the likeliest texts are read side by side, in both orders."""

from __future__ import annotations

import pytest

from mixrag_cli.models import load_reader
from mixrag_cli.reading import LEAST_LOG, ReaderModel
from mixrag_cli.recap.drafting import draft_all
from mixrag_cli.recap.listwise import WINDOW_CHARS, listed_label, listed_text, read_listwise
from mixrag_cli.recap.signs import KINDS
from mixrag_cli.settings import Settings
from tests.evidence_samples import SALES_REPORT, read_sample

QUESTION = "When was the bridge opened?"
TEXTS = {
    "History: The bridge over the Aare was opened in 1883.": 0.0,
    "Opening hours: The reading room is open from nine to five.": 1.0,
    "Bakeries: Bakers rise early.": -1.0,
}


@pytest.fixture(scope="module")
def reader() -> ReaderModel:
    return load_reader(Settings(threads=2))


def test_the_text_that_answers_has_most_of_the_spans_in_either_order(reader: ReaderModel) -> None:
    found = read_listwise(reader, QUESTION, TEXTS)
    assert found.keys() == TEXTS.keys()
    assert max(found, key=lambda text: found[text]) == next(iter(TEXTS))
    assert all(LEAST_LOG <= log <= 0 for log in found.values())
    assert read_listwise(reader, QUESTION, {text: -order for text, order in TEXTS.items()}) == pytest.approx(found)


def test_only_the_likeliest_texts_that_fit_the_window_are_read(reader: ReaderModel) -> None:
    many = {f"{number}: {'stones and sand ' * 15}": -float(number) for number in range(10)}
    found = read_listwise(reader, QUESTION, many)
    assert list(found) == list(many)[: len(found)]
    assert len("\n".join(found)) <= WINDOW_CHARS < len("\n".join([*many][: len(found) + 1]))
    assert read_listwise(reader, QUESTION, {"alone": 1.0}) == {}


def test_a_text_is_one_line_under_the_end_of_its_headings() -> None:
    assert listed_text("Report › Sales", "Chairs\n sold well.") == "Report › Sales: Chairs sold well."
    assert listed_text("", "Chairs") == "Chairs"
    assert listed_label("Report › " * 40 + "chairs | 2024: 240").endswith("chairs | 2024: 240")


def test_candidates_of_one_text_are_compared_as_one() -> None:
    restated, base = read_sample({"report.md": SALES_REPORT}).evidence_for("What were the sales of chairs in 2024?")
    found = [one for one in draft_all(restated, base) if "listwise" in one.signs]
    assert {one.kind for one in found} <= set(KINDS)
    of_text = {(one.chunk, one.signs["listwise"]) for one in found if one.kind in ("passage", "sentence", "span")}
    assert len(of_text) == len({chunk for chunk, _ in of_text})
    assert all("listwise_lead" in one.signs for one in found)
