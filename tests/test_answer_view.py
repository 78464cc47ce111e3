"""What a person sees of ten answers, ten likelies and ten refusals about the sample documents, and how it is cut.

The golden files in tests/golden are what the views print without colours; `python -m tests.test_answer_view` writes
them anew, for eyes to look at.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from mixrag_cli.output.answer_view import formula_text, numbered_sources, print_answer
from mixrag_cli.output.console import make_console
from mixrag_cli.output.search_view import print_search
from mixrag_cli.output.snippets import Marked, cleaned, marked_words, snippet
from mixrag_cli.output.transcript import conversation_to_markdown
from mixrag_cli.records.answers import Answer, Faithfulness, Source
from mixrag_cli.stories.conversation import Turn
from mixrag_cli.stories.session import SearchResult
from tests.evidence_samples import read_bytes
from tests.northmere import BEHIND, abstained, answered, candidate, cell, hit_of, likely, near, passage, quote

GOLDEN = Path(__file__).parent / "golden"
WIDTHS = (80, 50)
PDF, SHEET, CSV, BOOK, CODE = (
    *("annual-report.pdf", "consumption.xlsx", "pumping-stations.csv", "handbook.md", "meter_readings.py"),
)
LIFTED = (
    "It may be lifted only after three clean samples in a row, taken at least 12 hours apart, and only by the head of "
    "water quality."
)
SUSPECTS = "def suspects_leak(night_litres: Iterable[float]) -> bool:"


def of_cell(question: str, text: str, *place: str) -> Answer:
    source, evidence = cell(*place)
    return answered(question, text, [source], [evidence])


def of_passage(question: str, name: str, deciding: str) -> Answer:
    source = passage(name, deciding)
    best = candidate(source, deciding, 0.9, "passage")
    return answered(question, source.text, [source], candidates=(best,))


def computed(question: str, text: str, formula: str, result: str, *places: tuple[str, str, str]) -> Answer:
    both = [cell(*place, ref=ref) for ref, place in enumerate(places, start=1)]
    return answered(
        question, text, [one for one, _ in both], [two for _, two in both], formula=formula, value=Decimal(result)
    )


def in_cell(said: str, probability: float, *place: str):
    return candidate(cell(*place)[0], said, probability, "cell")


def answers() -> list[Answer]:
    revenue = (PDF, "Total revenue", "Year ended 31 March 2025 > Total")
    before = (PDF, "Total revenue", "Year ended 31 March 2024 > Total")
    chair = quote(PDF, "Ingrid Halloran will step down as chair at the annual meeting on 18 September 2025")
    return [
        of_cell("What was the total revenue in the year ended 31 March 2025?", "€112,400 thousand", *revenue),
        computed("How much did revenue grow?", "5.05 %", "(e2 - e1) / abs(e1) * 100", "5.05", before, revenue),
        of_cell("How soon must a crew be on site for an S1 incident?", "45 minutes", BOOK, "S1", "Crew on site within"),
        of_cell("What is the capacity of Chapel Green?", "3,550", CSV, "Chapel Green", "capacity_m3_per_day"),
        of_cell("How much was delivered to households in Quayside?", "1,588", SHEET, "Quayside", "2025 > Household"),
        answered("When does Ingrid Halloran step down?", "18 September 2025", [chair]),
        answered("Who may lift a boil notice?", LIFTED, [quote(BOOK, LIFTED)]),
        answered("After how many days is a reading refused?", "400", [quote(CODE, "MAX_GAP_DAYS = 400")]),
        answered("Which function suspects a leak?", "suspects_leak", [quote(CODE, SUSPECTS)]),
        of_passage("How do I upload readings?", BOOK, "$ meters upload --round 14"),
    ]


def likelies() -> list[Answer]:
    flush, leaked = "Flush until the water runs clear", "35.0 megalitres a day"
    standby = "A standby week is paid with 310 euros"
    wages = in_cell("22,480", 0.41, PDF, "Staff", "Year ended 31 March 2025 > Regulated")
    register = "class MeterRegister:"
    plan = "investment plan of 184 million euros"
    return [
        likely("What does standby cost?", candidate(quote(BOOK, standby), "310 euros", 0.62), wages),
        likely("What does the staff cost?", wages, in_cell("24,790", 0.4, PDF, "Staff", "March 2025 > Total")),
        likely("How is a main put back?", candidate(passage(BOOK, flush), flush, 0.7)),
        likely("Which station is oldest?", in_cell("1961", 0.5, CSV, "Barrow Lane", "commissioned")),
        likely("What stops a reading?", candidate(passage(CODE, register), register, 0.44, "passage")),
        likely("How much did Fenwick use?", in_cell("499", 0.52, SHEET, "Fenwick", "2025 > Household")),
        likely("What is planned?", candidate(passage(PDF, plan), "184 million euros", 0.48)),
        likely("Is a logger repaired?", candidate(quote(BOOK, "is replaced, not repaired"), "replaced", 0.8)),
        likely("What share is leaked?", candidate(quote(PDF, leaked), leaked, 0.37, "computed")),
        likely(
            "How many apprentices are there?",
            candidate(quote(PDF, "19 of them apprentices"), "19", 0.7),
            candidate(quote(BOOK, "Only the duty manager"), "Only", 0.4),
            candidate(quote(CODE, "refused.csv"), "refused.csv", 0.36),
        ),
    ]


def refusals() -> list[Answer]:
    leak, dig = near(PDF, "Leakage fell to 35.0"), near(BOOK, "Digging deeper than")
    logger, code = near(BOOK, "Acoustic loggers listen"), near(CODE, "def next_round")
    return [
        abstained("What was the leakage in 2019?", "no passage speaks of 2019", leak),
        abstained("Who is the head of Contoso?", "Contoso stands in no file", near(BOOK, "head of water quality")),
        abstained("How deep may the crew dig at night?", "no passage speaks of digging at night", dig, logger),
        abstained("How often is a logger painted?", "no passage speaks of painting", logger),
        abstained("When is the next round in weeks?", "no passage names a round", code),
        abstained("How do I reset my password?", "no passage speaks of passwords"),
        abstained("What does a shoring cost?", "no passage names the cost of shoring", dig),
        abstained("What was revenue in 2019?", "no table has a column for 2019", near(PDF, "Revenue reached")),
        abstained("Which tariff applies in 2031?", "no passage speaks of 2031", near(PDF, "Tariffs are fixed")),
        abstained("Who owns refused.csv?", "no passage names its owner", near(CODE, "refused.csv"), leak, dig),
    ]


GRADES: dict[str, Callable[[], list[Answer]]] = {"answered": answers, "likely": likelies, "abstained": refusals}


def shown(answer: Answer, width: int, color: str = "never", **options: bool) -> str:
    stream = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        print_answer(make_console(stream, color), answer, BEHIND, **options)  # type: ignore[arg-type]
    return stream.getvalue()


def page_of(grade: str, width: int) -> str:
    return "\n".join(f"$ mixrag ask '{answer.question}'\n{shown(answer, width)}" for answer in GRADES[grade]())


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("grade", GRADES)
def test_each_grade_is_laid_out_as_agreed(grade: str, width: int) -> None:
    assert page_of(grade, width) == (GOLDEN / f"{grade}-{width}.txt").read_text("utf-8")


def test_a_likely_computed_value_shows_what_it_is_computed_of() -> None:
    """Two figures of different things are seen to be so."""
    columns = ("Year ended 31 March 2024 > Total", "Year ended 31 March 2025 > Total")
    made = computed(
        "How much?", "5.05 %", "(e2 - e1) / abs(e1) * 100", "5.05", *((PDF, "Total revenue", one) for one in columns)
    )
    guess = replace(candidate(quote(PDF, "Leakage fell to 35.0"), "5.05 %", 0.4, "computed"), formula=made.formula)
    page = " ".join(shown(likely(made.question, replace(guess, evidence=made.evidence)), 200).split())
    assert "computed from it: 5.05 % = (112,400 - 107,000) / abs(107,000) * 100 (107,000: Total revenue" in page


@pytest.mark.parametrize("width", [80, 50, 20])
@pytest.mark.parametrize("grade", GRADES)
def test_nothing_is_wider_than_the_terminal_but_what_is_copied(grade: str, width: int) -> None:
    for answer in GRADES[grade]():
        for line in shown(answer, width).splitlines():
            is_place = re.match(r"(?:\[\d+\] )+|\d\. |  - ", line)
            assert len(line) <= width or is_place, line
            assert line == line.rstrip()


@pytest.mark.parametrize("grade", GRADES)
def test_colours_change_no_letter(grade: str) -> None:
    for answer in GRADES[grade]():
        styled = re.sub(r"\x1b\[[0-9;]*m", "", shown(answer, 80, "always"))
        brackets = re.compile(r"[\[\]\s]")  # a cell is marked by brackets where it cannot be by a style
        assert brackets.sub("", styled) == brackets.sub("", shown(answer, 80))


def test_the_deciding_words_are_marked() -> None:
    assert "\x1b[1;33m18 September 2025\x1b[0m" in shown(answers()[5], 80, "always")
    assert re.search(r"\x1b\[1;7m *112,400\x1b\[0m", shown(answers()[0], 80, "always"))


def test_the_same_place_is_named_once() -> None:
    assert "[1] [2] annual-report.pdf#page=3\n" in shown(answers()[1], 80)


def test_sources_are_numbered_as_they_are_shown() -> None:
    many = likelies()[-1]
    assert numbered_sources(many)[2].hit.path == BOOK
    assert numbered_sources(answers()[1]).keys() == {1, 2}


def test_an_accepted_likely_begins_with_its_guess() -> None:
    answer = likelies()[0]
    assert shown(answer, 80, accept_likely=True).startswith("310 euros\n\nProbably in one of these:\n")
    assert shown(answer, 80).startswith("Probably in one of these:\n")
    guess = in_cell("24,790", 0.4, PDF, "Staff", "March 2025 > Total")
    assert shown(replace(answer, best=guess), 80, accept_likely=True).startswith("24,790\n\nProbably")


def test_how_it_was_read_is_only_explained() -> None:
    for answer in (answers()[1], likelies()[0], refusals()[0]):
        plain, explained = shown(answer, 80), shown(answer, 80, explain=True)
        assert "restate" not in plain
        assert explained.startswith(plain) and "restate" in explained


def test_the_formula_shows_what_it_was_computed_from() -> None:
    answer = answers()[1]
    assert formula_text(answer) == "(112,400 - 107,000) / abs(107,000) * 100"
    first, second = answer.evidence
    mixed = replace(answer, evidence=(replace(first, scale=1, value=Decimal(-5)), second))
    assert formula_text(mixed) == "(112,400 thousand - (-5)) / abs((-5)) * 100"
    assert formula_text(replace(answer, formula="sum(e1) + e12")) == "sum(107,000) + e12"


def test_faithfulness_is_told_of_generated_words_only() -> None:
    rated = replace(answers()[6], faithfulness=Faithfulness(0.55, "borderline"))
    assert "faithfulness" not in shown(rated, 80) + shown(rated, 80, explain=True)
    assert "faithfulness borderline (0.55)" in shown(replace(rated, decided_by="model"), 80)


def test_a_transcript_tells_the_three_grades() -> None:
    turns = [Turn(one.question, one.question, one) for one in (answers()[3], likelies()[0], refusals()[0])]
    page = conversation_to_markdown(turns)
    assert "\n3,550\n" in page and "\n1. pumping-stations.csv\\#L12\n" in page
    assert "\nProbably in one of these:\n" in page and "(62%): 310 euros\n" in page
    assert "\nNo answer: no passage speaks of 2019\n" in page


def test_search_shows_the_sentence_with_the_words_of_the_query(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    stream = io.StringIO()
    query = "shoring when digging deep"
    result = SearchResult(query, (near(BOOK, "Digging deeper than"),), {})
    print_search(make_console(stream, "always"), result, BEHIND.file)
    assert "\x1b[1;33mDigging\x1b[0m deeper than 1.2 metres needs \x1b[1;33mshoring\x1b[0m" in stream.getvalue()


# --- snippets ------------------------------------------------------------------------------------------------------

STORY = " ".join(f"Sentence number {n} of the story says thing {n * 7}." for n in range(40))


@pytest.mark.parametrize("length", [40, 100, 320])
@pytest.mark.parametrize("number", [0, 1, 17, 38, 39])
def test_a_snippet_is_centred_on_its_mark_and_cut_between_sentences(number: int, length: int) -> None:
    words = f"thing {number * 7}."
    start = STORY.index(words)
    found = snippet(Marked(STORY, ((start, start + len(words)),)), length)
    assert found.words() == [words]
    body = found.text.removeprefix("… ").removesuffix(" …")
    assert body in STORY and len(body) <= length
    assert found.text.startswith("… ") == (not STORY.startswith(body))
    assert found.text.endswith(" …") == (not STORY.endswith(body))
    if length >= 100:
        assert body.startswith("Sentence number") and body.endswith(".")
    if length == 320 and 1 < number < 38:
        before, after = body.split(words)
        assert abs(len(before) - len(after)) < 100


def test_a_snippet_shows_what_is_asked_as_well_as_what_is_marked() -> None:
    """A guess may decide on a sentence beside the one that answers; of a mark without end the asked part is shown."""
    forest = "The forest of Steigen covers 16,500 ha of forest."
    text = f"{STORY[:900]} {forest} {STORY[900:1800]} Beetles were caught in traps."
    start = text.index("Beetles")
    asked = marked_words(text, "How large is the forest of the beetles?").marks
    found = snippet(Marked(text, ((start, len(text)),)), 320, asked=asked).text
    assert forest in found and found.endswith("Beetles were caught in traps.") and found.count("…") == 2
    assert len(found) <= 330
    assert forest in snippet(Marked(text, ((0, len(text)),)), 320, asked=asked).text


@pytest.mark.parametrize("width", [20, 60, 400])
def test_no_mark_is_lost_in_a_sentence_without_end(width: int) -> None:
    text = " ".join(f"w{n}" for n in range(2000))
    for word in ("w0", "w1000", "w1999"):
        start = re.search(rf"\b{word}\b", text).start()  # type: ignore[union-attr]
        found = snippet(Marked(text, ((start, start + len(word)),)), width)
        assert found.words() == [word]
        assert len(found.text) <= width + 4


def test_a_snippet_keeps_to_its_paragraph_and_takes_the_heading() -> None:
    text = f"1. Before\n\n{'Nothing of it stands here. ' * 6}\n\n2. Notices\n\n{LIFTED}\n\n3. After\n\nMore of it."
    start = text.index("three clean")
    found = snippet(Marked(text, ((start, start + 11),)), 480)
    assert found.text == f"… 2. Notices\n{LIFTED} …"


def test_what_a_colon_announces_is_shown() -> None:
    things = f"1. the place,\n2. {'the time and ' * 9}the weather."
    text = f"A report names the following things:\n\n{things}\n\nNobody reads it."
    found = snippet(marked_words(text, "report names"), 400)
    assert found.text == f"A report names the following things:\n{things} …"


def test_code_keeps_its_lines_and_indentation() -> None:
    code = "def f(x):\n    if x:\n\n        return 1\n    return 2\n\nLIMIT = 3\nOTHER = 4\n\ndef g():\n\tpass"
    inside = snippet(marked_words(code, "return"), 200, keep_lines=True)
    assert inside.text == "def f(x):\n    if x:\n\n        return 1\n    return 2\n…"
    assert snippet(marked_words(code, "limit"), 200, keep_lines=True).text == "…\nLIMIT = 3\nOTHER = 4\n…"
    assert snippet(marked_words(code, "pass"), 200, keep_lines=True).text == "…\ndef g():\n    pass"


@pytest.mark.parametrize(
    ("name", "is_own"),
    [("ops/app.yaml", True), ("Dockerfile", True), ("tox.ini", True), ("notes.txt", False), ("README", False)],
)
def test_settings_keep_their_lines_and_indentation(name: str, is_own: bool) -> None:
    settings = "production:\n  timeout: 60s\n  database:\n    timeout: 5s\n"
    (chunk, *_), _, _ = read_bytes(name, settings.encode(), 160)
    source = Source(1, hit_of(name, chunk), chunk.locator, chunk.text)
    page = shown(answered("How long?", "5s", [source], candidates=(candidate(source, "5s", 0.9),)), 80)
    assert ("    production:\n      timeout: 60s\n      database:\n        timeout: 5s" in page) is is_own


def test_a_likely_value_over_the_rows_of_a_table_is_shown() -> None:
    source, first = cell(CSV, "Barrow Lane", "commissioned")
    over = candidate(source, "124", 0.83, "column")
    assert "over its rows: 124" in shown(likely("How many are there?", over), 80)
    total = replace(first, label="pumps", quote="pumps (sum of 9 rows)")
    assert "124 (pumps (sum of 9 rows))" in shown(likely("How many?", replace(over, evidence=(total,))), 80)
    highest = replace(first, label="Barrow Lane | commissioned (minimum of 9 rows)")
    page = shown(likely("Which is oldest?", replace(over, text="Barrow Lane", evidence=(highest,))), 80)
    assert "Barrow Lane (Barrow Lane | commissioned (minimum of 9 rows)" in page


@pytest.mark.parametrize(
    ("label", "quote", "told"),
    [
        (" (count of 52 rows where ARM = Placebo)", "", "52 (count of 52 rows where ARM = Placebo)"),
        ("AGE (average of 9 rows)", "AGE", "52 (AGE (average of 9 rows))"),
        ("", "", "52"),
        ("West | pumps (maximum of 9 rows)", "7", "52 (West | pumps (maximum of 9 rows): 7)"),
    ],
)
def test_what_a_value_over_rows_rests_on_has_no_empty_part(label: str, quote: str, told: str) -> None:
    source, first = cell(CSV, "Barrow Lane", "commissioned")
    over = replace(
        candidate(source, "52", 0.8, "column"), evidence=(replace(first, label=label, quote=quote, value=None),)
    )
    assert f"over its rows: {told}\n" in shown(likely("How many?", over), 120)
    explained = shown(replace(likely("How many?", over), evidence=over.evidence), 120, explain=True)
    assert "“”" not in explained and "   [1]" not in explained


def test_the_words_of_a_query_are_marked_in_their_forms() -> None:
    marked = marked_words("The loggers of MAX_GAP_DAYS listen; a Logger is what it is.", "What is the max logger?")
    assert marked.words() == ["loggers", "MAX", "Logger"]


def test_a_tables_overview_is_shown_line_by_line() -> None:
    hit = near(BOOK, "Digging deeper than")
    overview = "tips\n244 rows, 2 columns: bill; tip\nbill: low 3.07, high 50.81\ntip: low 1, high 10"
    hit = replace(hit, chunk=replace(hit.chunk, kind="table", text=overview, context=""))
    page = shown(abstained("What is a bill?", "no passage states one", hit), 80)
    assert [line.strip() for line in page.splitlines()[-4:]] == overview.splitlines()


def test_cleaning_moves_the_marks_along() -> None:
    text = "a\x1b[31mred\x1b[0m fox\r\nand \u202ea hen"
    start = text.index("fox")
    assert cleaned(text, [(start, start + 3)]) == Marked("ared fox\nand a hen", ((5, 8),))
    assert cleaned(text, [(0, 4), (2, 900)]).words() == ["ared fox\nand a hen"]


def test_an_empty_passage_has_an_empty_snippet() -> None:
    assert snippet(Marked(""), 100) == Marked("")
    assert snippet(Marked(" \n\n "), 100).text == ""


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for each in GRADES:
        for columns in WIDTHS:
            (GOLDEN / f"{each}-{columns}.txt").write_text(page_of(each, columns), "utf-8")
