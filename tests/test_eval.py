"""mixrag eval: the real command on small data sets, its figures against ir-measures, its three faces."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any

import ir_measures
import jsonschema
import pytest

from mixrag_cli.errors import ModelUnusable, WrongUsage
from mixrag_cli.evaluation.ablation import ablated_runs, parse_run, settings_of
from mixrag_cli.evaluation.answers import candidates_hold, is_right_value, says_form, says_right
from mixrag_cli.evaluation.datasets import Question, of_size, select
from mixrag_cli.evaluation.judging import Judged, judge_answer
from mixrag_cli.evaluation.loading import load_dataset
from mixrag_cli.evaluation.measures import precision_at
from mixrag_cli.evaluation.nearness import measure_nearness
from mixrag_cli.evaluation.reporting import EvalReport, Run, compare_runs, report_run, score_run, take_best
from mixrag_cli.evaluation.scoring import Outcome, parse_measure
from mixrag_cli.models import LateEmbedder
from mixrag_cli.output.console import make_console
from mixrag_cli.output.eval_page import evaluation_page
from mixrag_cli.output.eval_payload import evaluation_to_json
from mixrag_cli.output.eval_view import print_evaluation, share_text
from mixrag_cli.output.progress import Silence
from mixrag_cli.records.answers import Answer, Candidate, Source
from mixrag_cli.records.places import Locator
from mixrag_cli.settings import EXTRA_SOURCES, Settings
from mixrag_cli.stories.eval_corpus import corpus_folder, prepare_corpus
from mixrag_cli.stories.evaluating import EvalPlan, evaluate
from tests.cli_fixtures import environment_of, run_here, run_mixrag
from tests.scripted_generator import ScriptedGenerator
from tests.scripted_server import serve

TEXTS = {
    "ferry": "Ferries to the island leave every hour from the north quay. The crossing takes forty minutes.",
    "harbour": "The harbour master closes the gates at nine in the evening. Yachts pay by length.",
    "kiln": "The kiln reaches 1,240 degrees within eight hours. It cools overnight.",
    "glaze": "Celadon glaze is fired in reduction. Iron gives it its green.",
    "bees": "A hive holds up to sixty thousand bees in summer. Honey is harvested in August.",
    "orchard": "Apples are picked from September on. The orchard has ninety trees of eleven sorts.",
    "tide": "Spring tides follow the full moon. The quay is flooded at the highest of them.",
    "clay": "Clay is wedged before throwing so that no air remains. Stoneware clay shrinks by twelve per cent.",
}
QUERIES = {
    "q1": ("How often do ferries leave?", {"ferry": 2, "harbour": 1}, "sea"),
    "q2": ("When are the harbour gates closed?", {"harbour": 2}, "sea"),
    "q3": ("How hot does the kiln get?", {"kiln": 2, "glaze": 1, "clay": 1}, "<b>craft</b>"),
    "q4": ("What makes celadon green?", {"glaze": 1}, "<b>craft</b>"),
    "q5": ("When is honey harvested?", {"bees": 1}, "land"),
    "q6": ("How many sorts of apples are there?", {"orchard": 1}, "land"),
    "q7": ("When is the quay under water?", {"tide": 2, "ferry": 0}, "sea"),
    "q8": ("How much does clay shrink in the fire?", {"clay": 1, "kiln": 1}, "<b>craft</b>"),
}


def lines(rows: list[dict]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def beir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets") / "quay & kiln"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text(lines([{"_id": key, "text": text} for key, text in TEXTS.items()]))
    queries = [{"_id": key, "text": text, "topic": topic} for key, (text, _, topic) in QUERIES.items()]
    (folder / "queries.jsonl").write_text(lines(queries))
    (folder / "qrels").mkdir()
    for split, keys in (("dev", ("q1", "q2", "q3", "q4")), ("test", ("q5", "q6", "q7", "q8"))):
        rows = [f"{key}\t{doc}\t{grade}\n" for key in keys for doc, grade in QUERIES[key][1].items()]
        (folder / "qrels" / f"{split}.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(rows))
    return folder


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def check_schema(found: dict) -> None:
    schema = json.loads(resources.files("mixrag_cli").joinpath("schemas", "eval-1.json").read_text("utf-8"))
    jsonschema.validate(found, schema, cls=jsonschema.Draft202012Validator)


def without_times(found: dict) -> dict:
    return {**found, "runs": [{**run, "timings_ms": None} for run in found["runs"]]}


# --- the command ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_data_set_is_measured_compared_and_told_in_three_ways(beir: Path, cache: Path, tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in beir.rglob("*")}
    page, scores = tmp_path / "report.html", tmp_path / "scores.jsonl"
    arguments = ("eval", str(beir), "--cache", str(cache), "--compare", "words_candidates=1,meaning_candidates=1")
    done = run_here(*arguments, "--json", "--by", "topic", "--html", str(page), "--scores", str(scores), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    check_schema(found)
    assert (found["dataset"], found["queries"], found["kind"]) == ("quay & kiln", 8, "beir")
    default, narrow = found["runs"]
    assert default["measures"]["Success@10"] == {"mean": 1.0, "low": 1.0, "high": 1.0, "queries": 8}
    assert default["measures"]["nDCG@10"]["mean"] > 0.8
    assert narrow["measures"]["Recall@10"]["mean"] < default["measures"]["Recall@10"]["mean"]
    assert narrow["settings"] == {"words_candidates": "1", "meaning_candidates": "1"}
    assert {each["measure"] for each in found["comparisons"]} == {"nDCG@10", "Success@10", "Recall@10", "MRR@10"}
    assert set(found["comparisons"][0]["by_split"]) == {"dev", "test"}
    assert set(default["groups"]) == {"sea", "land", "<b>craft</b>"}
    check_page(page.read_text("utf-8"))
    rows = [json.loads(line) for line in scores.read_text().splitlines()]
    assert len(rows) == 16
    mean = sum(row["scores"]["nDCG@10"] for row in rows if row["run"] == "default") / 8
    assert mean == pytest.approx(default["measures"]["nDCG@10"]["mean"], abs=1e-5)
    # again: the index is used as it lies, and but for the times every figure is the same
    stores = {path: path.stat().st_mtime_ns for path in cache.rglob("*.lance")}
    again = run_here(*arguments, "--json", "--by", "topic", cwd=tmp_path)
    assert without_times(json.loads(again.stdout)) == without_times(found)
    assert {path: path.stat().st_mtime_ns for path in cache.rglob("*.lance")} == stores
    assert {path: path.stat().st_mtime_ns for path in beir.rglob("*")} == before


def test_questions_asked_elsewhere_have_no_answer_there(beir: Path, cache: Path, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "bees.md").write_text("# Bees\n\nA hive holds up to sixty thousand bees in summer.\n")
    arguments = ("eval", str(beir), "--cache", str(cache), "--answers", "--json", "--against")
    done = run_here(*arguments, str(tmp_path / "notes"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    check_schema(found)
    measures = found["runs"][0]["measures"]
    assert found["queries"] == len(QUERIES)
    assert measures["refusal-recall"]["mean"] >= 0.75
    missing = run_here(*arguments, str(tmp_path / "nowhere"), cwd=tmp_path)
    assert missing.returncode == 2
    assert b"nowhere: no such folder" in missing.stdout


def test_documents_of_another_set_are_searched_besides(beir: Path, cache: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "corpus.jsonl").write_text(
        lines([{"_id": "ferry", "text": "How often do ferries leave? Ask at the quay."}])
    )
    done = run_here("eval", str(beir), "--cache", str(cache), "--distractors", str(other), "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    alone = json.loads(run_here("eval", str(beir), "--cache", str(cache), "--json", cwd=tmp_path).stdout)
    beside, before = (found["runs"][0]["measures"]["nDCG@10"]["mean"] for found in (json.loads(done.stdout), alone))
    assert beside < before  # its document stands above the relevant one of the first question


def check_page(page: str) -> None:
    assert page.count("<svg") == page.count("</svg>") >= 8
    assert "<b>craft</b>" not in page
    assert "&lt;b&gt;craft&lt;/b&gt;" in page
    assert "quay &amp; kiln" in page
    assert not re.search(r"<script|https?:|src=|@import|url\(", page)
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page


def test_answers_and_refusals_of_questions_about_files(cache: Path, tmp_path: Path) -> None:
    folder = tmp_path / "asked"
    questions = [
        {
            "id": "a",
            "question": "How many chairs were sold in 2024?",
            "answer": "515",
            "value": 515,
            "path": "workshop.md",
        },
        {"id": "b", "question": "Who won the 2018 football World Cup?", "answer": None, "documents": []},
        {"id": "c", "question": "Where?", "answer": "x", "documents": ["lost.md"]},
    ]
    write_workshop(folder, questions)
    done = run_here("eval", str(folder), "--answers", "--json", "--cache", str(cache), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    check_schema(found)
    measures = found["runs"][0]["measures"]
    assert measures["value"] == {"mean": 1.0, "low": 1.0, "high": 1.0, "queries": 1}
    assert (measures["refusal-recall"]["mean"], measures["refusal-recall"]["queries"]) == (1.0, 1)
    assert measures["Success@10"]["mean"] == 0.5
    assert measures["CP"]["queries"] == 3
    assert found["notes"] == ["1 documents that questions name are not in the index (first: lost.md)"]
    assert found["runs"][0]["timings_ms"]["answer"]["p50"] > 0
    assert [path.name for path in (folder / "files").rglob("*")] == ["notes", "workshop.md"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["absent"], 2, "no such file or folder"),
        (["."], 2, "no data set"),
        (["{beir}", "--compare", "fuson=rrf"], 2, "unknown setting 'fuson' (nearest: fusion)"),
        (["{beir}", "--compare", "wrods"], 2, "unknown run 'wrods' (nearest: words)"),
        (["{beir}", "--measure", "nDGC@10"], 2, "unknown measure 'nDGC@10' (nearest: nDCG)"),
        (["{beir}", "--split", "train"], 2, "no split 'train'"),
        (["{beir}", "--by", "colour"], 2, "no question has a field 'colour'"),
        (["{beir}", "--k", "0"], 2, "--k must be from 1 to 1000"),
        (["{beir}", "--compare", "default"], 2, "two runs are named 'default'"),
        (["{beir}", "--html", "no/such/folder/x.html"], 2, "no/such/folder/x.html: no such folder"),
    ],
)
def test_what_cannot_be_meant_is_said_before_anything_runs(
    beir: Path, cache: Path, tmp_path: Path, monkeypatch, capfd, arguments: list[str], code: int, message: str
) -> None:
    from mixrag_cli.cli import app

    monkeypatch.chdir(tmp_path)
    given = [each.format(beir=beir) for each in arguments]
    with pytest.raises(SystemExit) as left:
        app(["eval", *given, "--cache", str(tmp_path / "c"), "--json"])
    assert left.value.code == code
    told = json.loads(capfd.readouterr().out)
    assert message in told["message"]
    assert not (tmp_path / "c").exists()


def test_asking_is_light_to_start() -> None:
    done = run_mixrag("eval", "--help", cwd=Path.cwd(), env=environment_of(Path.cwd(), PYTHONPROFILEIMPORTTIME="1"))
    assert done.returncode == 0
    loaded = set(re.findall(r"\| +([\w.]+)", done.stderr.decode("utf-8", "replace")))
    assert loaded.isdisjoint({"numpy", "lance", "rich", "onnxruntime"})


def write_workshop(folder: Path, questions: list[dict]) -> Path:
    (folder / "files" / "notes").mkdir(parents=True)
    (folder / "files" / "notes" / "workshop.md").write_text(
        "# Workshop\n\nEvery member of the workshop has 27 days of paid leave in a calendar year.\n\n"
        "| Year | Chairs sold |\n|---|---|\n| 2023 | 412 |\n| 2024 | 515 |\n"
    )
    (folder / "questions.jsonl").write_text(lines(questions))
    return folder


@pytest.mark.slow
def test_a_replay_calls_no_model_and_comes_to_the_same_figures(
    cache: Path, tmp_path: Path, monkeypatch, model_cache: Path
) -> None:
    asked = [
        {"id": "a", "question": "How many days of paid leave has a member?", "answer": "27 days", "path": "workshop.md"}
    ]
    dataset = load_dataset(write_workshop(tmp_path / "set", asked))
    plan = EvalPlan(dataset, (Run("default"),), tuple(map(parse_measure, ("F1", "tokens"))), with_answers=True)
    settings = Settings(generator="anything.gguf", strategy="direct")
    behind = ScriptedGenerator(['{"answer": "28 days"}', '{"answer": "27 days of paid leave"}'], repeat=True)
    opened: list[Settings] = []

    def open_scripted(given: Settings) -> ScriptedGenerator:
        opened.append(given)
        return behind

    monkeypatch.setattr("mixrag_cli.stories.evaluating.require_generator", open_scripted)
    first = evaluate(plan, settings, cache, Silence(quiet=True))
    assert behind.requests
    assert first.report.models["generator"] == "scripted"
    again = evaluate(replace(plan, replay=True), settings, cache, Silence(quiet=True))
    assert len(opened) == 1
    assert [each.scores for each in again.scored] == [each.scores for each in first.scored]
    assert first.report.runs[0].measures["tokens"].interval.mean > 0
    for file in (cache / "replies").rglob("*.json"):
        if '"text"' in file.read_text("utf-8"):
            file.unlink()
    with pytest.raises(ModelUnusable, match="replay: a reply is not in the cache"):
        evaluate(replace(plan, replay=True), settings, cache, Silence(quiet=True))


@pytest.mark.slow
def test_summaries_replay_too(cache: Path, tmp_path: Path, monkeypatch, model_cache: Path) -> None:
    asked = [{"id": "a", "question": "How many chairs were sold in 2024?", "path": "workshop.md"}]
    dataset = load_dataset(write_workshop(tmp_path / "set", asked))
    plan = EvalPlan(dataset, (Run("default"),), (parse_measure("MRR@10"),), fresh=True)
    settings = Settings(generator="writer.gguf", summaries="short")
    told = {"title": "Chairs sold", "description": "Seats that left the workshop in each calendar year, one by one."}
    behind = ScriptedGenerator([json.dumps(told)], repeat=True)
    monkeypatch.setattr("mixrag_cli.stories.evaluating.require_generator", lambda _: behind)
    evaluate(plan, settings, cache, Silence(quiet=True))
    assert len(behind.requests) == 1
    evaluate(replace(plan, replay=True), settings, cache, Silence(quiet=True))
    assert len(behind.requests) == 1
    shutil.rmtree(cache / "replies")
    with pytest.raises(ModelUnusable, match="summaries of tables: replay: nothing is known of this model"):
        evaluate(replace(plan, replay=True), settings, cache, Silence(quiet=True))


# --- its figures ---------------------------------------------------------------------------------------------------


def test_every_ranking_measure_agrees_with_ir_measures(beir: Path, cache: Path, model_cache: Path) -> None:
    names = {"nDCG@3": "nDCG@3", "Recall@2": "R@2", "MRR@10": "RR@10", "Success@1": "Success@1", "P@5": "P@5"}
    plan = EvalPlan(load_dataset(beir), (Run("default"),), tuple(map(parse_measure, names)))
    evaluation = evaluate(plan, Settings(), cache, Silence(quiet=True))
    outcomes = dict(zip((each.id for each in evaluation.questions), evaluation.scored[0].outcomes, strict=True))
    run = [
        ir_measures.ScoredDoc(query, document, float(-rank))
        for query, outcome in outcomes.items()
        for rank, document in enumerate(outcome.ranking)
    ]
    qrels = [
        ir_measures.Qrel(query, document, int(grade))
        for query, (_, grades, _) in QUERIES.items()
        for document, grade in grades.items()
    ]
    parsed = {ours: ir_measures.parse_measure(theirs) for ours, theirs in names.items()}
    expected = ir_measures.calc_aggregate(list(parsed.values()), qrels, run)
    for ours, measure in parsed.items():
        mean = evaluation.report.runs[0].measures[ours].interval.mean
        assert mean == pytest.approx(expected[measure], abs=1e-9), ours


def test_precision_counts_places_that_nothing_fills() -> None:
    assert precision_at(["a", "x"], {"a": 1.0}, 2) == 0.5
    assert precision_at(["a"], {"a": 1.0, "b": 1.0}, 5) == 0.2
    assert precision_at([], {"a": 1.0}, 5) == 0.0


def answered(text: str = "x", **more) -> Answer:
    return Answer("?", "answered", text, "lookup", "", **more)


REFUSAL = Answer("?", "abstained", "nothing there", "lookup", "")
ANSWERABLE = Question("a", "What?", relevant={"d": 1.0}, answers=("the red fox",))
NUMERIC = ("value", "stated-precision", "likely-holds")
UNANSWERABLE = Question("u", "What?", is_answerable=False)


def test_refusing_has_precision_and_recall() -> None:
    questions = [ANSWERABLE, ANSWERABLE, UNANSWERABLE, UNANSWERABLE, UNANSWERABLE]
    outcomes = [Outcome(answer=each) for each in (REFUSAL, answered(), REFUSAL, REFUSAL, answered())]
    measures = tuple(map(parse_measure, ("refusal-precision", "refusal-recall", "F1", "nDCG@10")))
    report = report_run(score_run(Run("r"), questions, outcomes, measures), questions, "", "")
    assert report.measures["refusal-precision"].interval.mean == pytest.approx(2 / 3)
    assert report.measures["refusal-recall"].interval.mean == pytest.approx(2 / 3)
    assert [report.measures[name].count for name in ("refusal-precision", "refusal-recall", "F1")] == [3, 3, 2]


def likely(*said: str, passage: str = "", value=None) -> Answer:
    places = [Source(n, None, Locator((0, 1)), passage or text) for n, text in enumerate(said, start=1)]
    found = tuple(Candidate("span", text, 0.5, place, value) for text, place in zip(said, places, strict=True))
    return Answer("?", "likely", "not sure enough", "lookup", "", candidates=found)


def test_a_likely_is_neither_an_answer_nor_a_refusal() -> None:
    questions = [ANSWERABLE, ANSWERABLE, ANSWERABLE, UNANSWERABLE, UNANSWERABLE]
    given = (answered("the red fox"), answered("a dog"), likely("the red fox"), likely("the red fox"), answered())
    names = ("stated-precision", "coverage", "likely-holds", "refusal-recall", "refusal-precision", "EM", "F1")
    outcomes = [Outcome(answer=each) for each in given]
    report = report_run(score_run(Run("r"), questions, outcomes, tuple(map(parse_measure, names))), questions, "", "")
    means = {name: (report.measures[name].interval.mean, report.measures[name].count) for name in names}
    assert means["stated-precision"] == (pytest.approx(1 / 3), 3)  # one right, one wrong, one to what has no answer
    assert means["coverage"] == (pytest.approx(2 / 3), 3)
    assert means["likely-holds"] == (0.5, 2)
    assert means["refusal-recall"] == (0.0, 2)
    assert means["refusal-precision"][1] == 0
    assert means["EM"] == means["F1"] == (pytest.approx(1 / 3), 3)


@pytest.mark.parametrize(
    ("answer", "holds"),
    [
        (likely("a dog", "a cat", "the red fox"), True),
        (likely("a dog", "a cat", "a hen", "the red fox"), False),  # the fourth is not shown
        (likely("a dog", passage="They saw the red fox there."), True),
        (likely("a dog", passage="They saw the red foxes there."), False),
        (likely(), False),
    ],
)
def test_a_likely_holds_what_one_of_its_first_candidates_says(answer: Answer, holds: bool) -> None:
    assert candidates_hold(ANSWERABLE, answer) is holds


@pytest.mark.parametrize(("value", "holds"), [(412, True), (515, False), (None, False)])
def test_a_number_that_merely_stands_in_the_passage_is_not_held(value: int | None, holds: bool) -> None:
    from decimal import Decimal

    asked = Question("n", "How many?", answers=("412",), value=412.0)
    answer = likely("chairs", passage="2023: 412, 2024: 515", value=None if value is None else Decimal(value))
    assert candidates_hold(asked, answer) is holds


def test_a_likely_number_has_no_value() -> None:
    from decimal import Decimal

    asked = Question("n", "How many?", answers=("412",), value=412.0)
    scores = [parse_measure(name).score(asked, Outcome(answer=likely("412", value=Decimal(412)))) for name in NUMERIC]
    assert [(score.value, score.weight) for score in scores] == [(0.0, 1.0), (0.0, 0.0), (1.0, 1.0)]


def test_a_question_whose_evidence_no_passage_covers_counts_as_missed() -> None:
    from mixrag_cli.evaluation.datasets import Span

    asked = Question("s", "What?", spans=(Span("d", 0, 900),))
    score = parse_measure("nDCG@10").score(asked, Outcome(("p1",), {}))
    assert (score.value, score.weight) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("gold", "texts", "value", "unit", "right"),
    [
        (36413, "$36,413 million", "36413", "USD million", True),
        (36413, "36,413; $36,413 million; 36.413 billion", "36413", "USD million", True),
        (36413, "36,413; $36,413 million; 36.413 billion", "36413", "USD billion", False),
        (36413, "$36,413 million", "36413000000", "USD", True),
        (36413, "$36,413 million", "36.413", "USD million", False),
        (25.93, "25.9 %", "25.9", "%", True),
        (25.93, "25.9 %", "25.7", "%", False),
        (0, "0", "0", "", True),
    ],
)
def test_a_number_is_right_within_its_rounding(gold: float, texts: str, value: str, unit: str, right: bool) -> None:
    from decimal import Decimal

    question = Question("n", "How much?", answers=tuple(texts.split("; ")), value=gold)
    assert is_right_value(question, answered(value=Decimal(value), unit=unit)) is right


@pytest.mark.parametrize(
    ("form", "text", "says"),
    [
        ("0.4", "ColorJitter(brightness=0.4, hue=0.1)", True),
        ("Rajeev Thakur", "- I/O : Rajeev Thakur(c), Quincey Koziol", True),
        ("nvidia; neuron", "one of neuron and nvidia", True),
        ("UK; Sweden; Luxembourg", "Sweden, Luxembourg", False),
        ("int limit = 5;", "static int limit = 5;", True),
        ("1,234", "the 1234 m run", True),
        ("max_conn", "set the max_conn.", True),
        ("285", "a loss of 28.5", False),
        ("5", "version v5", False),
        ("100", "one of 10,100,200", False),
        ("src/mail/send.py", "see src/mail/read.py", False),
        ("it is closed on every second Monday", "On every second Monday it is closed.", True),
        ("it is closed on every second Monday", "It is open on Monday.", False),
    ],
)
def test_a_right_form_is_said_in_whole_words_and_numbers(form: str, text: str, says: bool) -> None:
    assert says_form(form, text) is says


def test_nearness_is_what_the_paper_defines() -> None:
    import numpy as np

    axes = np.eye(3, dtype=np.float32)
    slanted = np.array([0.6, 0.8, 0.0], np.float32)
    near = measure_nearness(axes[0], slanted, axes[1], np.stack([axes[0], slanted, axes[1], axes[2], axes[0]]))
    assert near.cp == 0.5  # cosines 1, .6, 0, 0 of the first four; the fifth is not looked at
    assert (near.af, near.ar, near.cr) == (pytest.approx(1.0), pytest.approx(0.6), pytest.approx(1.0))
    nothing = measure_nearness(axes[0], None, None, axes[:0])
    assert (nothing.cp, nothing.af, nothing.ar, nothing.cr) == (0.0, None, None, None)


GIVEN = ("The kiln reaches 1,240 degrees.", "A hive holds bees.")


def judged(reply: object, answer: str | None = "1,240 degrees in eight hours", gold: str | None = "1,240") -> Judged:
    judge = ScriptedGenerator([reply if isinstance(reply, str) else json.dumps(reply)])
    found = judge_answer("How hot does the kiln get?", answer, gold, GIVEN, judge)
    (request,) = judge.requests
    assert request.purpose == "judge" and request.schema is not None
    assert all(text in request.messages[1].text for text in (*GIVEN, answer or "", gold or ""))
    return found


def claims(*supported: bool) -> list[dict[str, object]]:
    return [{"claim": "c", "supported": each} for each in supported]


def test_a_judge_s_reply_becomes_the_four_measures() -> None:
    said = {"helps": ["p1"], "claims": claims(True, False), "answers": True, "expected": claims(True)}
    assert judged(said) == Judged(cp=0.5, af=0.5, ar=1.0, cr=1.0)
    assert judged({**said, "helps": ["p1", "P2", "p9"]}).cp == 1.0


def test_what_a_judge_was_not_shown_or_did_not_say_is_not_measured() -> None:
    said = {"helps": [], "claims": claims(True), "answers": True, "expected": claims(True)}
    assert judged(said, answer=None, gold=None) == Judged(cp=0.0)
    assert judged("I would rather not.") == Judged()
    assert judged({"helps": "p1", "claims": [{"supported": "yes"}], "answers": "no", "expected": []}) == Judged()


@pytest.mark.slow
def test_a_judge_measures_through_the_command_and_replays(beir: Path, cache: Path, tmp_path: Path) -> None:
    said = {"helps": ["p1"], "claims": claims(True, True, False, False), "answers": False, "expected": []}
    names = ("CP-judged", "support", "AR-judged", "CR-judged")
    asked = ("eval", str(beir), "--cache", str(cache), "--json")
    measures = [part for name in names for part in ("--measure", name)]
    with serve(lambda _: json.dumps(said)) as address:
        done = run_here(*asked, *measures, "--judge", address, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    again = run_here(*asked, *measures, "--judge", address, "--replay", cwd=tmp_path)
    told, replayed = json.loads(done.stdout), json.loads(again.stdout)
    check_schema(told)
    assert without_times(replayed) == without_times(told)
    (run,) = told["runs"]
    assert run["measures"]["CP-judged"]["mean"] == pytest.approx(0.25)
    assert run["measures"]["CR-judged"]["queries"] == 0
    assert run["measures"]["AF-judged"]["queries"] > 0
    assert run["measures"]["AF-judged"]["mean"] == pytest.approx(0.5)
    assert told["models"]["judge"]
    lacking = run_here(*asked, "--measure", "support", cwd=tmp_path)
    assert lacking.returncode == 2 and "wants a judge" in json.loads(lacking.stdout)["message"]


def test_overall_is_the_mean_of_four_known_measures() -> None:
    measure, question = parse_measure("overall-judged"), Question("q", "?")
    whole = Outcome(answer=answered(), judged=Judged(1.0, 0.5, 1.0, 0.5))
    assert measure.score(question, whole).value == 0.75
    assert measure.score(question, replace(whole, judged=Judged(1.0, 0.5, 1.0, None))).weight == 0


# --- sizes ---------------------------------------------------------------------------------------------------------


def test_smaller_corpora_hold_what_is_asked_for_and_lie_in_larger_ones(beir: Path) -> None:
    few = select(load_dataset(beir), [], [], 2)  # about the ferry and the harbour
    names = [{document.id for document in of_size(few, size).documents} for size in (2, 4, 6, 0)]
    assert [len(each) for each in names] == [2, 4, 6, 8]
    assert names[0] == {"ferry", "harbour"}
    assert all(smaller < larger for smaller, larger in pairwise(names))
    assert of_size(few, 4) == of_size(few, 4) and of_size(few, 99).documents == few.documents
    with pytest.raises(WrongUsage, match="1 documents are too few: the questions are about 2"):
        of_size(few, 1)


@pytest.mark.slow
def test_sizes_are_measured_told_and_drawn(beir: Path, cache: Path, tmp_path: Path) -> None:
    page = tmp_path / "sizes.html"
    sizes = ("--limit", "2", "--sizes", "all,2,4", "--measure", "nDCG@10", "--compare", "words", "--cache", str(cache))
    done = run_here("eval", str(beir), *sizes, "--json", "--html", str(page), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    check_schema(found)
    assert [each["documents"] for each in found["sizes"]] == [2, 4, 8]
    assert [run["measures"] for run in found["sizes"][-1]["runs"]] == [run["measures"] for run in found["runs"]]
    drawn = page.read_text("utf-8")
    assert "nDCG@10 by the number of documents" in drawn
    assert drawn.count("<polyline") == 2 and ">words</text>" in drawn
    curves = next(part for part in drawn.split("<svg") if "<polyline" in part)
    intervals = re.findall(r'<line class="axis" x1="([\d.]+)" y1="[\d.]+" x2="\1"', curves)
    assert len(intervals) == len(set(intervals)) == 6  # of two runs at three sizes, none on another
    few = ("--limit", "1", "--sizes", "2,4", "--measure", "nDCG@10", "--cache", str(cache))
    plain = run_here("eval", str(beir), *few, cwd=tmp_path)
    assert b"nDCG@10 by the number of documents" in plain.stdout
    refused = run_here("eval", str(beir), "--sizes", "many", "--json", cwd=tmp_path)
    assert refused.returncode == 2 and "not 'many'" in json.loads(refused.stdout)["message"]


@pytest.mark.slow
def test_a_text_is_embedded_once_for_all_sizes_and_runs(
    beir: Path, tmp_path: Path, minilm: LateEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded: list[str] = []
    usual = type(minilm).embed_late

    def counted(self: LateEmbedder, texts: Sequence[str], *others: Any) -> Any:
        embedded.extend(texts)
        return usual(self, texts, *others)

    monkeypatch.setattr(type(minilm), "embed_late", counted)
    few = select(load_dataset(beir), [], [], 2)
    sizes = [(size, Settings(rerank=rerank)) for size in (4, 0) for rerank in ("late", "none")]
    folders = [corpus_folder(of_size(few, size), settings, tmp_path) for size, settings in sizes]
    for (size, settings), folder in zip(sizes, folders, strict=True):
        prepare_corpus(of_size(few, size), settings, folder, Silence(quiet=True))
    assert len(set(folders)) == 4
    assert len(embedded) == len(set(embedded)) == len(few.documents)


# --- comparisons ---------------------------------------------------------------------------------------------------


def scored(name: str, values: list[float], questions: list[Question]):
    outcomes = [Outcome(("d",) if value else ("x",), {"d": 1.0}) for value in values]
    return score_run(Run(name), questions, outcomes, (parse_measure("nDCG@10"),))


def test_a_significant_effect_that_turns_between_splits_is_unstable() -> None:
    questions = [Question(str(n), "?", {"d": 1.0}, split="test" if n < 60 else "dev") for n in range(80)]
    full = scored("full", [1.0] * 60 + [0.0] * 20, questions)
    other = scored("other", [0.0] * 60 + [1.0] * 5 + [0.0] * 15, questions)
    same = scored("same", [1.0] * 60 + [0.0] * 20, questions)
    worse = scored("worse", [0.0] * 80, questions[:60] + questions[60:])
    found = {each.b: each for each in compare_runs([full, other, same, worse], questions, "test", ["nDCG@10"])}
    assert found["other"].verdict == "unstable"
    assert found["other"].by_split == {"test": 1.0, "dev": -0.25}
    assert found["same"].verdict == "none"
    assert found["other"].p_holm == pytest.approx(3 * found["other"].p)


def test_the_oracle_takes_the_best_run_of_each_question() -> None:
    questions = [Question(str(n), "?", {"d": 1.0}) for n in range(4)]
    first, second = scored("first", [1.0, 0.0, 1.0, 0.0], questions), scored("second", [0.0, 1.0, 1.0, 0.0], questions)
    best = take_best([first, second])
    assert [score.value for score in best.scores["nDCG@10"]] == [1.0, 1.0, 1.0, 0.0]
    assert report_run(best, questions, "", "").measures["nDCG@10"].interval.mean == 0.75
    assert report_run(best, questions, "", "").search_ms is None


def test_ablation_removes_what_is_in_use_one_at_a_time() -> None:
    settings = Settings(expansion="hyde", correction="off")
    runs = ablated_runs(settings, with_answers=True)
    assert runs[0] == Run("full")
    assert {run.name for run in runs} >= {"− rerank", "− query expansion", "− near-duplicate removal"}
    assert not {"− correction", "− RECAP → direct"} & {run.name for run in runs}
    for run in runs[1:]:
        changed = settings_of(run, settings)
        assert [name for name in run.changes if getattr(changed, name) != getattr(settings, name)] == list(run.changes)
        assert len(run.changes) == 1


def test_ablation_adds_each_source_that_is_not_in_use() -> None:
    added = [run.name for run in ablated_runs(Settings(), with_answers=False) if run.name.startswith("+ ")]
    assert added == [f"+ {name}" for name in EXTRA_SOURCES if name != "summary"]
    settings = Settings(sources="graph+title:0")
    runs = {run.name: settings_of(run, settings).sources for run in ablated_runs(settings, with_answers=False)}
    assert runs["+ levels"] == "graph+title:0+levels" and runs["− graph"] == "title:0"
    assert "+ graph" not in runs


def test_what_acts_on_answers_alone_is_no_row_of_a_ranking() -> None:
    settings = Settings(accept_precision=50)
    searched = {run.name for run in ablated_runs(settings, with_answers=False)}
    asked = {run.name for run in ablated_runs(settings, with_answers=True)}
    assert asked - searched == {"− thresholds by source → one", "− acceptance", "− correction"}
    assert {"− rerank", "− near-duplicate removal"} <= searched
    questions = [Question(str(n), "?", {"d": 1.0}) for n in range(30)]
    full, other = scored("full", [1.0] * 30, questions), scored("other", [1.0] * 20 + [0.0] * 10, questions)
    same = scored("same", [1.0] * 30, questions)
    gate = replace(same, run=Run("− acceptance", {"acceptance": "none"}))
    (found,) = compare_runs([full, other, gate], questions, "", ["nDCG@10"])
    assert (found.b, found.p_holm) == ("other", found.p)
    assert gate.run.can_differ("F1") and not gate.run.can_differ("Recall@5")
    assert same.run.can_differ("nDCG@10")


def test_runs_are_named_by_their_settings_or_by_their_maker() -> None:
    assert parse_run("fusion=rrf, rerank=none") == Run("fusion=rrf,rerank=none", {"fusion": "rrf", "rerank": "none"})
    assert parse_run("plain: fusion=rrf") == Run("plain", {"fusion": "rrf"})
    assert parse_run("words").changes["fusion"] == "words"
    with pytest.raises(WrongUsage, match="must be one of"):
        parse_run("fusion=sum")
    with pytest.raises(WrongUsage, match="a setting and its value"):
        parse_run("fusion=rrf,rerank")


@pytest.mark.parametrize("text", ["HIT@5", "hit@5", "success@5"])
def test_measures_by_any_of_their_names(text: str) -> None:
    assert parse_measure(text).name == "Success@5"
    assert parse_measure("f1").needs_answer


@pytest.mark.parametrize("text", ["nDCG", "nDCG@0", "F1@10", "", "@10", "nDCG@99999"])
def test_measures_that_cannot_be_meant(text: str) -> None:
    with pytest.raises(WrongUsage):
        parse_measure(text)


# --- its faces -----------------------------------------------------------------------------------------------------


def some_report(*, ablation: bool = False) -> EvalReport:
    questions = [Question(str(n), "?", {"d": 1.0}, labels={"kind": ("\x1b[31mred",)}) for n in range(30)]
    runs = [scored("full", [1.0] * 30, questions), scored("− a method of a very long name", [0.0] * 30, questions)]
    reports = tuple(report_run(each, questions, "", "kind") for each in runs)
    comparisons = compare_runs(runs, questions, "", ["nDCG@10"])
    return EvalReport("\x1b[2Jset", "beir", 30, "", reports, comparisons, ablation, "kind", {"embedder": "e"}, ("n",))


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("ablation", [True, False])
def test_the_table_fits_the_width_and_is_clean(monkeypatch, width: int, ablation: bool) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    stream = io.StringIO()
    print_evaluation(make_console(stream, "never"), some_report(ablation=ablation))
    text = stream.getvalue()
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text
    assert "1.000" in text
    assert ("helps" in text) is ablation


def test_the_json_of_a_report_fits_its_schema() -> None:
    check_schema(evaluation_to_json(some_report()))
    assert "\x1b" not in evaluation_page(some_report())


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.8035, ".803"), (1.0, "1.000"), (0.9996, "1.000"), (-0.1651, "-.165"), (1234.5, "1,234.50"), (0.0, ".000")],
)
def test_shares_are_written_short(value: float, text: str) -> None:
    assert share_text(value) == text


@pytest.mark.parametrize(("value", "text"), [(0.0812, "+.081"), (-0.00001, "+.000"), (-0.5, "-.500")])
def test_changes_carry_their_sign(value: float, text: str) -> None:
    assert share_text(value, signed=True) == text


def test_a_right_number_may_begin_with_its_point() -> None:
    assert says_right("q", (".546",), "0.546", 0.546, "") and not says_right("q", (".546",), "5.46", 5.46, "")
