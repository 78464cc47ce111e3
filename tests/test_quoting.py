"""Two ways of reading the same words of a passage speak for each other; what a deciding sentence and its spans are."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from mixrag_cli.cleaning import REDACTED
from mixrag_cli.reading import Reading
from mixrag_cli.recap.drafting import draft_all, labelled_drafts
from mixrag_cli.recap.passages import ReadPassage, ScoredSpan, answers_in, read_passages
from mixrag_cli.recap.quoting import LEAST_QUOTED, with_quotes
from mixrag_cli.recap.signs import Draft
from mixrag_cli.records.answers import Evidence, Source
from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.sentences import goes_on, is_call, whole_stretch
from mixrag_cli.settings import Settings
from mixrag_cli.stories.answering import prepare
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import open_session
from mixrag_cli.tables.text import cell_label, cell_mark, row_texts
from mixrag_cli.words import words_of
from tests.evidence_samples import SALES_REPORT, read_sample

TEXT = "Chairs 2024: 240 pieces; tables 2024: 35 pieces"
PLACE = Locator((0, 1), lines=(1, 1))
CODE = '''"""Settings of the pool. They are read once."""

import os

POOL_SIZE = 8
POOL_TIMEOUT_S = 30
POOL_NAME = os.environ.get("POOL", "main")
RETRIES = 4
'''


def hit_of(chunk: str, parent: str = "") -> Hit:
    return Hit(Chunk(chunk, "d", "prose", "text", TEXT, "", "", PLACE, 0, parent), "a.txt", "", {}, 0.5)


def read_as(hit: Hit, *spans: tuple[str, float]) -> ReadPassage:
    found = tuple(ScoredSpan(TEXT.index(words), TEXT.index(words) + len(words), log) for words, log in spans)
    return ReadPassage(hit, 1.0, found[0], 1.0, found[0], found, Reading(0.0, 0.0, 0.0, (), 0.0))


def cell(hit: Hit, quote: str, pair: float) -> Draft:
    proof = Evidence("e1", 1, quote, "Chairs", Decimal(quote.strip("€")))
    return Draft("cell", quote, Source(1, hit, PLACE, TEXT), {"pair": pair}, evidence=(proof,))


def span(hit: Hit, words: str) -> Draft:
    start = TEXT.index(words)
    return Draft("span", words, Source(1, hit, PLACE, TEXT), {"span": -1.0}, marks=((start, start + len(words)),))


def test_a_cell_is_quoted_by_the_spans_of_its_table_that_read_the_same() -> None:
    table = hit_of("row", "table")
    read = [read_as(hit_of("summary", "table"), ("240", -0.5), ("35", -3.0))]
    right, wrong, apart = with_quotes(
        [cell(table, "240", 2.0), cell(table, "36", 1.0), cell(hit_of("other"), "240", 2.0)], read
    )
    assert right.signs["quoted"] == pytest.approx(-0.5)
    assert wrong.signs["quoted"] == LEAST_QUOTED
    assert "quoted" not in apart.signs  # nothing was read there


def test_a_span_is_quoted_by_the_cell_that_reads_the_same() -> None:
    hit = hit_of("row")
    of_cell, beside, _ = with_quotes(
        [span(hit, "240"), span(hit, "35"), cell(hit, "€240", 2.5)], [read_as(hit, ("240", -0.5))]
    )
    assert of_cell.signs["quoted"] == 2.5
    assert beside.signs["quoted"] == LEAST_QUOTED


def test_words_are_compared_without_signs_and_separators() -> None:
    assert words_of("€4,171.40") == words_of("4171.40") == ["4171.40"]
    assert words_of("net sales") != words_of("sales")


def test_the_deciding_stretch_of_code_is_a_line() -> None:
    sample = read_sample({"pool.py": CODE})
    restated, base = sample.evidence_for("What is the pool timeout in seconds?")
    read, _ = read_passages(restated, base)
    found = next(one for one in read if "POOL_TIMEOUT_S" in one.hit.chunk.text)
    assert found.hit.chunk.text[found.sentence.start : found.sentence.end] == "POOL_TIMEOUT_S = 30"
    passage = next(one for one in draft_all(restated, base) if one.kind == "passage")
    assert passage.source.locator.lines is not None and passage.evidence[0].locator is not None
    whole, deciding = passage.source.locator.lines, passage.evidence[0].locator.lines
    assert deciding is not None and whole[0] <= deciding[0] <= deciding[1] <= whole[1]
    assert deciding != whole


def test_the_deciding_stretch_and_a_cell_s_label_are_read_by_themselves() -> None:
    restated, base = read_sample({"report.md": SALES_REPORT}).evidence_for("What were the sales of chairs in 2024?")
    found = draft_all(restated, base)
    passage = next(one for one in found if one.kind == "passage")
    label, cell = next((label, one) for label, one in labelled_drafts(restated, base) if one.kind == "cell")
    chunk, ((start, end),) = passage.source.hit.chunk, passage.marks
    read = base.reader.read(restated.question, [f"{chunk.context}\n{chunk.text[start:end]}", label])
    same = next(one for one in found if one.kind == "cell" and one.text == cell.text)
    for one, reading in zip((passage, same), read, strict=True):
        assert one.signs["alone"] == pytest.approx(reading.holds, abs=0.05)
        assert one.signs["alone_span"] == pytest.approx(reading.total, abs=0.05)


def test_a_row_s_text_says_every_cell_behind_its_column() -> None:
    table = next(iter(read_sample({"report.md": SALES_REPORT}).tables.values()))
    texts, rows, columns = row_texts(table), *({h.index: h for h in side} for side in (table.rows, table.columns))
    for one in table.cells:
        proof = Evidence("e1", 1, one.text, cell_label(rows[one.row], columns[one.column]))
        start, end = cell_mark(proof.label, proof.quote, texts[one.row]) or (0, 0)
        before = texts[one.row][:start].rstrip()
        assert texts[one.row][start:end] == one.text
        assert before.endswith(columns[one.column].path[-1]) or one.text in rows[one.row].path
    assert cell_mark("Chairs | 2022", "515", texts[table.rows[0].index]) is None


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("suspects_leak(night_litres", "suspects_leak"),
        ("two (or three) days", "two (or three) days"),
        ("EUR 5)", "EUR 5"),
        ("one [of two) more", "one"),
        ("(see", None),
        ("), he", None),
    ],
)
def test_a_span_ends_before_the_first_bracket_without_a_partner(said: str, answer: str | None) -> None:
    text = f"It says {said}"
    start = text.index(said)
    hit = Hit(Chunk("c", "d", "prose", "text", text, "", "", Locator((0, 1)), 0), "a.txt", "", {}, 0.5)
    sentence, span = ScoredSpan(0, len(text), 0.0), ScoredSpan(start, len(text), -0.5)
    found = [text[one.start : one.end] for one in answers_in(sentence, hit, [span])]
    assert found == ([] if answer is None else [answer])


def test_a_span_ends_with_its_paragraph() -> None:
    text = "--force: Renew what is to expire within RENEW_DAYS\n\n--no-lock: Use no lock"
    hit = Hit(Chunk("c", "d", "prose", "text", text, "", "", Locator((0, 1)), 0), "a.1", "", {}, 0.5)
    span = ScoredSpan(text.index("expire"), text.index(": Use"), -0.5)
    (found,) = answers_in(ScoredSpan(0, text.index("\n"), 0.0), hit, [span])
    assert text[found.start : found.end] == "expire within RENEW_DAYS"


def test_a_span_goes_on_to_the_end_of_a_product() -> None:
    text = "MAX_AGE = 60 * 60 * 24"
    hit = Hit(Chunk("c", "d", "code", "text", text, "", "", Locator((0, 1)), 0), "a.py", "", {}, 0.5)
    first = ScoredSpan(text.index("60"), text.index("60") + 2, -0.5)
    (found,) = answers_in(ScoredSpan(0, len(text), 0.0), hit, [first])
    assert text[found.start : found.end] == "60 * 60 * 24"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("timeout = Duration.ofMillis(20);", "Duration.ofMillis(20)"),
        ("wait: Duration::from_secs(20),", "Duration::from_secs(20)"),
        ("let wait = limit(20);", "20"),  # a function of its own may do anything with it
        ("Duration.ofMillis(20, 5)", "20"),
    ],
)
def test_a_number_goes_with_the_call_that_a_type_makes_of_it(text: str, answer: str) -> None:
    hit = Hit(Chunk("c", "d", "code", "text", text, "", "", Locator((0, 1)), 0), "a.java", "", {}, 0.5)
    span = ScoredSpan(text.index("20"), text.index("20") + 2, -0.5)
    (found,) = answers_in(ScoredSpan(0, len(text), 0.0), hit, [span])
    assert text[found.start : found.end] == answer
    assert is_call(answer) is (answer != "20")


@pytest.mark.parametrize(
    ("text", "torn", "answer"),
    [
        ("pass --keep-all-tags to it", "--keep", "--keep-all-tags"),
        ("runs on Kubernetes now", "Kubernet", "Kubernetes"),
        ("against COVID-19 only", "19", "COVID-19"),
        ("set _ROOT_DIR first", "ROOT", "_ROOT_DIR"),
        ("a 64-bit number", "64", "64-bit"),
        ("from 10-20 minutes", "20", "20"),
        ("it is -5 outside", "5", "5"),
        ("keep - or drop - it", "drop", "drop"),
        ("港は夜に閉まる", "夜", "夜"),
    ],
)
def test_no_word_of_a_span_is_torn(text: str, torn: str, answer: str) -> None:
    start = text.index(torn)
    first, last = whole_stretch(text, start, start + len(torn), len(text))
    assert text[first:last] == answer


LIMITS = """# Limits of the gate

The buffer of the gate holds 64 * KB. A visit takes 10 to 20 minutes. The gate opens 7 days a week.
"""


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("How much does the buffer of the gate hold?", {"64 * KB"}),
        ("How many minutes does a visit take?", {"10 to 20 minutes", "10 to 20"}),
        ("How many days a week does the gate open?", {"7 days", "7"}),
    ],
)
def test_a_span_is_a_number_where_it_holds_no_more(question: str, texts: set[str]) -> None:
    restated, base = read_sample({"limits.md": LIMITS}).evidence_for(question)
    (span,) = (draft for draft in draft_all(restated, base) if draft.kind == "span")
    assert span.text in texts
    assert (span.value is not None) == span.text.startswith("7")


MINUTES = """It is recommended by the committee for finance and audit of the Fernhill ferry that the board of directors
adopt the resolution on the amended budget of this year, to amend and appropriate funds for the proposed
budget of the ferry and of its piers, to decrease the appropriation by EUR 49.1 million to
EUR 1.267 billion, and to decrease the appropriation of capital that was carried forward from the years
before (previously approved capital funds) by EUR 140.0 million to EUR 579.5 million, as detailed below.
"""


def test_a_line_that_goes_on_in_the_next_one_is_no_answer() -> None:
    """A sentence too long to be one is read by its lines; one that ends in the middle of it says nothing by itself."""
    asked = read_sample({"minutes.txt": MINUTES}).evidence_for("By how much was the appropriation decreased?")
    assert not [draft for draft in draft_all(*asked) if draft.kind == "sentence"]
    assert goes_on("is brought to\n$5", 13)
    assert goes_on("the sum that is\nbrought", 15)
    assert not goes_on("is brought to:\n$5", 14)
    assert not goes_on("Chairs\nTables", 6)
    assert not goes_on("is brought to", 13)


def test_what_was_taken_out_as_a_secret_is_no_answer() -> None:
    sample = read_sample({"deploy.yaml": f"github:\n  token: {REDACTED}\n  user: ada\n"})
    restated, base = sample.evidence_for("What is the github token?")
    drafts = draft_all(restated, base)
    assert any(REDACTED in draft.text for draft in drafts if draft.kind == "passage")
    assert not any("removed" in draft.text for draft in drafts if draft.kind != "passage")


def test_the_cell_that_the_reader_names_in_a_row_is_a_candidate(tmp_path: Path, model_cache: Path) -> None:
    """Also one that its row is called by, as are the first texts of a record."""
    records = (
        "item_001,Town hall in winter,Pacific Photo Co.,1910,building,46.7,-117.0",
        "item_002,Ford pumper used for slash burning,Thompson J. B.,1932-09-01,forestry,48.3,-116.8",
        "item_003,Harbour at night,Devin Becker,2014-06-16,harbour,42.1,-122.7",
    )
    (tmp_path / "photos.csv").write_text(
        "\n".join(("id,title,creator,date,subject,latitude,longitude", *records)) + "\n", "utf-8"
    )
    build_index([tmp_path], Settings(calibration="off"), events=Silent())
    restated, base, _ = prepare(
        open_session(tmp_path, Settings()), "Who made the picture of the Ford pumper?", Scope(), Clock()
    )
    assert "Thompson J. B." in [draft.text for draft in draft_all(restated, base) if draft.kind == "cell"]


def test_the_number_of_a_list_s_item_is_no_answer() -> None:
    text = "In order:\n1. Connect the battery\n2. Wait 10 seconds"
    for said, quoted in (("1", ""), ("2.", ""), ("10", "10"), ("1. Connect", "1. Connect")):
        start = text.index(said)
        assert text[slice(*whole_stretch(text, start, start + len(said), len(text)))] == quoted
