"""What is printed: no byte of a document steers the terminal, every JSON form keeps its schema, tables fit."""

import io
import json
import re
from dataclasses import replace
from decimal import Decimal
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from mixrag_cli.errors import NoIndex
from mixrag_cli.models.catalogue import KNOWN_MODELS
from mixrag_cli.models.library import PulledModel
from mixrag_cli.output import (
    answer_payload,
    answer_view,
    model_view,
    payload_values,
    payloads,
    search_payload,
    search_view,
    terminal,
)
from mixrag_cli.output.console import file_link, is_styled, make_console
from mixrag_cli.output.lines import from_here
from mixrag_cli.output.passages import Behind
from mixrag_cli.output.places import is_within, position_of, reference
from mixrag_cli.output.progress import Bars, duration_text
from mixrag_cli.output.streams import error_to_json, write_error, write_json
from mixrag_cli.output.table_view import table_layout
from mixrag_cli.records.answers import Answer, Candidate, Check, Evidence, Faithfulness, Source
from mixrag_cli.records.files import Skipped
from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.retrieval.assessment import Assessment, SourceAssessment
from mixrag_cli.retrieval.calibration import read_priors
from mixrag_cli.settings import Resolved
from mixrag_cli.stories.calibrating_by_wish import CalibrationReport
from mixrag_cli.stories.indexing import IndexReport
from mixrag_cli.stories.inspection import StoreStatus
from mixrag_cli.stories.session import SearchResult
from mixrag_cli.stories.showing import Passage
from mixrag_cli.stories.surety import Stated, SuretyFit

HOSTILE = [
    "\x1b]0;owned\x07",
    "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "\x1b]52;c;ZXZpbA==\x07",
    "\x1b[2J\x1b[H",
    "\x1b[31mred\x1b[0m",
    "safe\rEVIL",
    "\x9b31m",
    "\x9d0;t\x9c",
    "\x85next\x84",
    "bell\x07\x08\x08",
    "\x7f\x00\x01",
    "abc\u202egnp.exe",
    "\u2066x\u2069\u200f",
    "tag\U000e0041\U000e007f",
    "zero\u200bwidth\ufeff",
    "lone \udcff surrogate",
    "line\nbreak\tand tab",
    "[bold]markup[/bold] [link=http://evil.example]x[/link]",
    "wide 漢字 and e\u0301",
    "x" * 3000,
]
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f\U000e0000-\U000e007f\udc80-\udcff]"
)
OWN_STYLE = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;(?:id=\d+;(?:file:[^\x1b\x07]*)?|;)\x1b\\")


def hit_of(text, *, score=0.5):
    chunk = Chunk(
        id="ab" * 16,
        document="cd" * 16,
        kind="prose",
        modality="text",
        text=text,
        context=text,
        words=text,
        locator=Locator(chars=(0, 4), sheet=text, cells="B4:C4"),
        position=0,
    )
    return Hit(chunk=chunk, path=text, title=text, scores={"words": 7.123456, "meaning": 0.5}, score=score)


def answer_of(text, *, status="answered"):
    hit = hit_of(text)
    return Answer(
        question=text,
        status=status,
        text=text,
        kind="arithmetic",
        asks=text,
        value=Decimal("12.40"),
        unit="USD million",
        confidence=0.8333333,
        evidence=(
            Evidence("e1", 1, text, text, Decimal(123), text, 1000, hit.chunk.locator),
            Evidence("e2", 1, text, text),
        ),
        formula="(e2 - e1) / e1 * 100",
        sources=(Source(1, hit, hit.chunk.locator, text),) if status == "answered" else (),
        refused=() if status == "answered" else (hit,),
        faithfulness=Faithfulness(0.81, "high", (Check("numbers", 2, (text,)),)),
        present=text,
        degraded=(text,),
        warnings=(text,),
        models={"embedder": "minilm", "reader": text},
        timings_ms={"total": 12.3456},
    )


def likely_of(text, parent=""):
    hit = hit_of(text)
    hit = replace(hit, chunk=replace(hit.chunk, parent=parent))
    source = Source(1, hit, Locator((0, 4), sheet=text, cells="B1:C2") if parent else hit.chunk.locator, text)
    marks = ((0, len(text) // 2), (len(text) // 2 + 1, len(text)))
    candidates = tuple(Candidate("computed", text, 0.61, replace(source, ref=n), None, text, marks) for n in (1, 2))
    return replace(answer_of(text, status="likely"), refused=(), candidates=candidates)


def table_of(text, *, n_rows=3, n_columns=2, value=True):
    return Table(
        id="ef" * 16,
        title=text,
        columns=tuple(Header(column, (text, f"c{column}")) for column in range(1, n_columns + 1)),
        rows=tuple(Header(row, (text, f"r{row}"), is_total=row == n_rows) for row in range(1, n_rows + 1)),
        cells=tuple(
            Cell(row, column, text, Decimal(row) if value else None, "%", 1, f"{chr(65 + column)}{row}")
            for row in range(1, n_rows + 1)
            for column in range(1, n_columns + 1)
        ),
        locator=Locator(chars=(0, 1), sheet=text, cells="A1:C9"),
        unit="USD",
        scale=1_000_000,
        notes=(text,),
        confidence=0.93,
        total_rows=n_rows,
    )


def passage_of(text, tables=()):
    return Passage(text, text, "sheet", Locator(chars=(0, 1), page=4), text, text, text, tables, ("B2",))


def status_of(text):
    skipped = (Skipped(text, "password", text),)
    return StoreStatus(
        store=Path("/tmp/x"),
        roots=(text,),
        documents=3,
        by_modality={"pdf": 3},
        chunks=10,
        skipped=skipped,
        left_out=skipped,
        no_reader={},
        partly=(text,),
        encodings=(text,),
        models={"embedder": text},
        thresholds={"words": 1.5},
        calibration=read_priors()["late"],
        judged_answers=40,
        stale=1,
        bytes=12345,
        updated=1_700_000_000.0,
        program="0.1.0",
    )


def report_of(text):
    return IndexReport(store=Path("/tmp/x"), added=1, skipped=(Skipped(text, "damaged", text),), warnings=(text,))


def nowhere(path):
    return None


NOTHING_BEHIND = Behind(nowhere, lambda _: None)


def table_behind(text):
    return Behind(nowhere, lambda _: table_of(text))


def pulled_of(text):
    return PulledModel(text, text, text, text, text, text, 1, 1)


RENDERERS = {
    "answer": lambda console, text: answer_view.print_answer(console, answer_of(text), NOTHING_BEHIND),
    "answer explained": lambda console, text: answer_view.print_answer(
        console, answer_of(text), NOTHING_BEHIND, explain=True
    ),
    "abstention": lambda console, text: answer_view.print_answer(
        console, answer_of(text, status="abstained"), NOTHING_BEHIND
    ),
    "likely": lambda console, text: answer_view.print_answer(console, likely_of(text), NOTHING_BEHIND, explain=True),
    "likely accepted": lambda console, text: answer_view.print_answer(
        console, likely_of(text), NOTHING_BEHIND, accept_likely=True
    ),
    "table slice": lambda console, text: answer_view.print_answer(
        console, likely_of(text, parent="ef" * 16), table_behind(text)
    ),
    "search": lambda console, text: search_view.print_search(
        console, SearchResult(text, (hit_of(text),), {}, (text,)), nowhere
    ),
    "passage": lambda console, text: terminal.print_passage(console, passage_of(text), nowhere),
    "passage with table": lambda console, text: terminal.print_passage(
        console, passage_of(text, (table_of(text),)), nowhere
    ),
    "tables": lambda console, text: terminal.print_tables(console, text, (table_of(text),)),
    "no tables": lambda console, text: terminal.print_tables(console, text, ()),
    "status": lambda console, text: terminal.print_status(console, status_of(text), list_skipped=True),
    "models": lambda console, text: model_view.print_models(console, KNOWN_MODELS, [pulled_of(text)], text, 1),
    "lines": lambda console, text: terminal.print_lines(console, [text]),
    "findings": lambda console, text: terminal.print_findings(console, [("warn", text, text, text)]),
}


def calibration_of(text):
    source = SourceAssessment("rerank", text, 0.1, 0.9, (0, 3), (5, 1), 0.52, None, 0.81, None)
    assessment = Assessment(9, 8, 0.04, 0.12, (source,))
    answers = SuretyFit(30, 24, 0.4, Stated(9, 8, 0.12), Stated(14, 12, 0.08), is_better=True)
    return CalibrationReport(Path("/tmp/x"), text, read_priors()["late"], True, assessment, answers, (text,))


FORMS = {
    "calibration": lambda text: payloads.calibration_to_json(calibration_of(text)),
    "answer": lambda text: answer_payload.answer_to_json(answer_of(text)),
    "answer likely": lambda text: answer_payload.answer_to_json(likely_of(text)),
    "answer accepted": lambda text: answer_payload.answer_to_json(likely_of(text), accept_likely=True),
    "answer abstained": lambda text: answer_payload.answer_to_json(answer_of(text, status="abstained")),
    "search": lambda text: search_payload.search_to_json(SearchResult(text, (hit_of(text),), {"total": 1.0}, (text,))),
    "status": lambda text: payloads.status_to_json(status_of(text)),
    "index": lambda text: payloads.index_to_json(report_of(text)),
    "tables": lambda text: payloads.tables_to_json(text, (table_of(text),)),
    "show": lambda text: payloads.show_to_json(passage_of(text, (table_of(text),))),
    "remove": lambda text: payloads.remove_to_json([text]),
    "error": lambda text: error_to_json(NoIndex(text, text)),
    "config": lambda text: payloads.settings_to_json(text, [Resolved("store", Path("/x"), "flag")]),
    "models": lambda text: model_view.models_to_json(KNOWN_MODELS, [pulled_of(text)], text, None),
    "models pull": lambda text: model_view.action_to_json("pull", pulled_of(text)),
    "models use": lambda text: model_view.used_to_json(text, text),
    "models verify": lambda text: model_view.verified_to_json([("fail", text, text, text)]),
    "doctor": lambda text: payloads.findings_to_json([("fail", text, text, text)]),
}


def schema_of(form):
    name = form.split()[0]
    return json.loads(resources.files("mixrag_cli").joinpath("schemas", f"{name}-1.json").read_text("utf-8"))


def rendered(render, *, color, monkeypatch, columns="100"):
    monkeypatch.setenv("COLUMNS", columns)
    stream = io.StringIO()
    render(make_console(stream, color))
    return stream.getvalue()


@pytest.mark.parametrize("name", RENDERERS)
@pytest.mark.parametrize("color", ["never", "always"])
def test_no_foreign_string_steers_the_terminal(name, color, monkeypatch):
    for payload in HOSTILE:
        shown = rendered(lambda console: RENDERERS[name](console, payload), color=color, monkeypatch=monkeypatch)  # noqa: B023
        if color == "always":
            assert "\x1b[" in shown or name in ("lines",)
            shown = OWN_STYLE.sub("", shown)
        assert not (found := FORBIDDEN.search(shown)), (payload, found, shown[:200])


@pytest.mark.parametrize("name", ["answer", "search", "passage"])
def test_markup_of_a_document_is_shown_as_it_stands(name, monkeypatch):
    payload = "[bold]not ours[/bold]"
    assert payload in rendered(
        lambda console: RENDERERS[name](console, payload), color="never", monkeypatch=monkeypatch
    )


@pytest.mark.parametrize("form", FORMS)
def test_json_is_plain_ascii_and_fits_its_schema(form, capsys):
    schema = schema_of(form)
    jsonschema.Draft202012Validator.check_schema(schema)
    for payload in HOSTILE:
        made = FORMS[form](payload)
        write_json(made)
        line = capsys.readouterr().out
        assert re.fullmatch(r"[\x20-\x7e]+\n", line)
        read_back = json.loads(line)
        jsonschema.validate(read_back, schema, cls=jsonschema.Draft202012Validator)
        assert read_back["schema"] == schema["$id"]


@pytest.mark.parametrize("form", FORMS)
def test_every_field_is_described_in_the_schema(form):
    def undescribed(value, schema, root, where):
        if "$ref" in schema:
            schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
        if "anyOf" in schema:
            schema = next(each for each in schema["anyOf"] if each.get("type") != "null")
            return undescribed(value, schema, root, where)
        if isinstance(value, dict) and "properties" in schema:
            missing = [f"{where}.{key}" for key in value if key not in schema["properties"]]
            for key, inner in value.items():
                if key in schema["properties"]:
                    missing += undescribed(inner, schema["properties"][key], root, f"{where}.{key}")
            return missing
        if isinstance(value, list) and "items" in schema:
            return [each for inner in value for each in undescribed(inner, schema["items"], root, f"{where}[]")]
        return []

    schema = schema_of(form)
    assert undescribed(FORMS[form]("x"), schema, schema, form) == []


def test_errors_are_one_cleaned_line_and_a_hint(capsys):
    for payload in HOSTILE:
        write_error(f"{payload}: no such file", f"mixrag index {payload}")
        shown = capsys.readouterr().err
        assert not FORBIDDEN.search(shown)
        lines = shown.splitlines()
        assert len(lines) == 2
        assert lines[0].startswith("mixrag: ")
        assert lines[1].startswith("  try: mixrag index")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (Decimal("12"), 12),
        (Decimal("12.0"), 12),
        (Decimal("1E+3"), 1000),
        (Decimal("-0.5"), -0.5),
        (Decimal("36413"), 36413),
        (Decimal("0.1234567890123456789"), "0.1234567890123456789"),
        (Decimal("NaN"), "NaN"),
    ],
)
def test_exact_numbers_become_json_numbers(value, expected):
    made = payload_values.number_to_json(value)
    assert made == expected
    assert type(made) is type(expected)


def test_the_answer_comes_first_then_sources_then_steps(monkeypatch):
    shown = rendered(
        lambda console: answer_view.print_answer(console, answer_of("ANSWER"), NOTHING_BEHIND, explain=True),
        color="never",
        monkeypatch=monkeypatch,
    )
    lines = [line for line in shown.splitlines() if line.strip()]
    assert lines[0] == "ANSWER"
    words = (
        "(ANSWER - 123) / 123 * 100 = 12.4",
        "[1] ANSWER#ANSWER!B4:C4",
        " e1 ",
        "(e2 - e1) / e1 * 100 = 12.4",
        "note: ",
    )
    order = [shown.index(word) for word in words]
    assert order == sorted(order)


def test_an_abstention_names_what_it_refused(monkeypatch):
    shown = rendered(
        lambda console: answer_view.print_answer(console, answer_of("no evidence", status="abstained"), NOTHING_BEHIND),
        color="never",
        monkeypatch=monkeypatch,
    )
    assert shown.startswith("No answer: no evidence")
    assert "- no evidence#no evidence!B4:C4" in shown


def test_links_lead_only_to_files_that_are_there(tmp_path, monkeypatch):
    file = tmp_path / "a b#c.pdf"
    file.write_bytes(b"x")
    assert file_link(file, 4) == f"file://{tmp_path}/a%20b%23c.pdf#page=4"
    assert file_link(tmp_path, 1) is None
    assert file_link(tmp_path / "gone") is None
    assert file_link(None) is None
    hit = hit_of("a b#c.pdf")
    result = SearchResult("q", (hit,), {})
    linked = rendered(
        lambda console: search_view.print_search(console, result, lambda _: file),
        color="always",
        monkeypatch=monkeypatch,
    )
    assert f"file://{tmp_path}/a%20b%23c.pdf" in linked
    plain = rendered(
        lambda console: search_view.print_search(console, result, lambda _: file),
        color="never",
        monkeypatch=monkeypatch,
    )
    assert "file://" not in plain


@pytest.mark.parametrize("columns", ["1", "20", "40", "80", "1000"])
@pytest.mark.parametrize("n_columns", [1, 5, 60])
def test_tables_fit_the_width_and_say_what_is_left_out(columns, n_columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    stream = io.StringIO()
    console = make_console(stream, "never")
    table = table_of("some words of a header", n_rows=70, n_columns=n_columns)
    layout, left_out = table_layout(console, table, ("B60",))
    console.print(layout)
    shown = stream.getvalue()
    assert max(len(line) for line in shown.splitlines()) <= console.width
    assert "30 more rows" in left_out
    assert "r60" in shown.replace("\n", "") or console.width < 40


def test_cited_cells_are_marked_and_never_left_out(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    stream = io.StringIO()
    console = make_console(stream, "never")
    columns = tuple(Header(column, (f"c{column}",)) for column in range(1, 21))
    rows = tuple(Header(row, (f"r{row}",)) for row in range(1, 101))
    cells = tuple(
        Cell(row, column, f"{row}/{column}", address=f"{chr(65 + column)}{row}")
        for row in range(1, 101)
        for column in range(1, 21)
    )
    table = Table("id", "t", columns, rows, cells, Locator((0, 1)))
    layout, left_out = table_layout(console, table, ("T90:U91",))
    console.print(layout)
    console.print(table_layout(console, table, ("B3:U3", "U4"))[0])  # a row as a whole, and the last cell of another
    shown = stream.getvalue()
    for cited in ("[90/19]", "[90/20]", "[91/19]", "[91/20]", "[3/1]", "[3/20]", "[4/20]"):
        assert cited in shown
    assert "more rows" in left_out
    assert "more columns" in left_out


def test_row_headers_become_an_outline(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    stream = io.StringIO()
    console = make_console(stream, "never")
    rows = (Header(1, ("Sex", "Female")), Header(2, ("Sex", "Male")), Header(3, ("Total",), is_total=True))
    cells = tuple(Cell(row, 1, f"{row}0.5", Decimal(row)) for row in (1, 2, 3))
    table = Table("id", "t", (Header(1, ("Region", "Workers")),), rows, cells, Locator((0, 1)))
    console.print(table_layout(console, table)[0])
    lines = [line.rstrip() for line in stream.getvalue().splitlines()]
    labels = [line for line in lines if re.match(r"\s*(Sex|Female|Male|Total)", line)]
    assert [re.split(r"\s{3,}", label)[0] for label in labels] == ["Sex", "  Female", "  Male", "Total"]
    assert labels[1].endswith("10.5")


@pytest.mark.parametrize(
    ("locator", "expected"),
    [
        (Locator((0, 1), page=4), "f#page=4"),
        (Locator((0, 1), lines=(10, 20)), "f#L10-20"),
        (Locator((0, 1), lines=(10, 10)), "f#L10"),
        (Locator((0, 1), sheet="Fin", cells="B4:C4"), "f#Fin!B4:C4"),
        (Locator((0, 1), cells="B4"), "f#B4"),
        (Locator((0, 1)), "f"),
    ],
)
def test_a_place_is_written_as_show_reads_it(locator, expected):
    assert reference("f", locator) == expected


def test_cells_lie_within_ranges():
    assert position_of("AA10") == (10, 27)
    assert is_within("B5", "B4:C6")
    assert is_within("C6", "Sheet!B4:C6")
    assert not is_within("D5", "B4:C6")
    assert not is_within(None, "B4")
    assert not is_within("B4", "page=4")


@pytest.mark.parametrize(
    ("environment", "color", "terminal_like", "styled"),
    [
        ({}, "auto", True, True),
        ({}, "auto", False, False),
        ({"NO_COLOR": "1"}, "auto", True, False),
        ({"NO_COLOR": ""}, "auto", True, True),
        ({"NO_COLOR": "1"}, "always", False, True),
        ({"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, "auto", False, False),
        ({"CLICOLOR_FORCE": "1"}, "auto", False, True),
        ({"CLICOLOR_FORCE": "0"}, "auto", False, False),
        ({"TERM": "dumb"}, "auto", True, False),
        ({}, "never", True, False),
    ],
)
def test_who_decides_on_colours(environment, color, terminal_like, styled, monkeypatch):
    for name in ("NO_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream = io.StringIO()
    stream.isatty = lambda: terminal_like
    assert is_styled(stream, color) is styled


def test_bars_clean_what_they_show_and_leave_the_terminal_as_it_was(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "120")
    with Bars("always") as bars:
        for name, total in (("scan", None), ("read", 5), ("finish", 1)):
            bars.phase(name, total)
            for done, payload in enumerate(HOSTILE[:15]):
                bars.advance(done, payload)
        bars.note("a \x1b[2Jnote")
    shown = capsys.readouterr().err
    assert "note" in shown
    own = re.compile(r"\x1b\[[0-9;]*[mAK]|\x1b\[\?25[lh]|\r")
    assert not FORBIDDEN.search(own.sub("", shown))
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")


def test_durations_for_people():
    assert [duration_text(s) for s in (0.04, 9.94, 59.2, 200, 3700)] == [
        "0.0 s",
        "9.9 s",
        "59 s",
        "3 min 20 s",
        "1 h 1 min",
    ]


def test_a_refused_hit_tells_the_score_and_threshold_of_the_source_that_judged_it():
    hit = replace(hit_of("x"), judged_by="meaning", threshold=0.6)
    told = answer_payload.hit_to_json(1, hit)
    assert (told["score_source"], told["score"], told["threshold"]) == ("meaning", 0.5, 0.6)
    assert told["accepted_by"] is None
    assert answer_payload.hit_to_json(1, replace(hit, threshold=float("inf")))["threshold"] is None


def test_a_path_below_the_current_folder_is_shown_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert from_here(f"{tmp_path}/docs/plan.md") == "docs/plan.md"
    beside = f"{tmp_path}-old/plan.md"
    assert from_here(beside) == beside and from_here("docs/plan.md") == "docs/plan.md"
