"""The three grades of an answer as a script sees them: JSON, exit codes, --accept, batches."""

import json
from dataclasses import replace
from decimal import Decimal
from importlib import resources

import jsonschema
import pytest
from typer.testing import CliRunner

from mixrag_cli.cli import app
from mixrag_cli.errors import ExitCode
from mixrag_cli.output.answer_payload import answer_to_json
from mixrag_cli.output.marks import merged, source_marks
from mixrag_cli.records.answers import Answer, Candidate, Evidence, Source
from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.stories.session import Session

LEAVE = "Every member of the workshop has 27 days of paid leave in a calendar year."
FIRES = "The fire extinguishers are checked each November by Orla Tennick."
REASON = "no candidate is sure enough to state"


def source_of(text, ref=1, *, passage="", chunk="ab" * 16):
    locator = Locator((0, len(text)), lines=(3, 4))
    shown = Chunk(chunk, "cd" * 16, "prose", "markdown", passage or text, "Leave", "", locator, 0)
    return Source(ref, Hit(shown, "handbook.md", "Handbook", {"words": 4.0}, 0.7), locator, text)


def candidate_of(text, said, probability, *, value=None, unit="", **source):
    start = text.index(said)
    marks = ((start, start + len(said)),)
    return Candidate("span", said, probability, source_of(text, **source), value, unit, marks)


LIKELY = Answer(
    question="How many days of leave are there?",
    status="likely",
    text=REASON,
    kind="number",
    asks="days of leave",
    candidates=(
        candidate_of(LEAVE, "27 days", 0.6123456, value=Decimal(27), unit="days"),
        candidate_of(FIRES, "Orla Tennick", 0.4, ref=2, chunk="ef" * 16),
    ),
)
ABSTAINED = replace(LIKELY, status="abstained", text="no passage speaks of leave", candidates=())
ANSWERED = replace(
    LIKELY,
    status="answered",
    text="27 days",
    value=Decimal(27),
    unit="days",
    confidence=0.93,
    sources=(source_of(LEAVE),),
    evidence=(Evidence("e1", 1, LEAVE, "27 days", Decimal(27), "days"),),
)


def checked(payload):
    """The payload as a script reads it, after the published schema has let it pass."""
    schema = json.loads(resources.files("mixrag_cli").joinpath("schemas", "answer-1.json").read_text("utf-8"))
    read_back = json.loads(json.dumps(payload))
    jsonschema.validate(read_back, schema, cls=jsonschema.Draft202012Validator)
    return read_back


def test_a_likely_states_nothing_and_names_its_candidates():
    found = checked(answer_to_json(LIKELY))
    assert found["status"] == "likely" and found["reason"] == REASON
    assert (found["answer"], found["value"], found["unit"], found["confidence"]) == (None, None, "", None)
    assert (found["recap"]["answer"], found["decided_by"]) == (None, None)
    first = found["candidates"][0]
    assert (first["answer"], first["value"], first["unit"], first["probability"]) == ("27 days", 27, "days", 0.6123)
    assert first["kind"] == "span" and first["source"]["locator"]["lines"] == [3, 4]
    assert [first["source"]["text"][start:end] for start, end in first["marks"]] == ["27 days"]
    assert found["candidates"][1]["value"] is None


def test_who_accepts_a_likely_gets_its_guess_with_its_source():
    guess = candidate_of(FIRES, "Orla Tennick", 0.3, ref=2, chunk="ef" * 16)
    found = checked(answer_to_json(replace(LIKELY, best=guess), accept_likely=True))
    assert (found["answer"], found["confidence"], found["status"]) == ("Orla Tennick", 0.3, "likely")
    source = found["sources"][0]
    assert [source["text"][start:end] for start, end in source["marks"]] == ["Orla Tennick"]
    assert found["candidates"][0]["answer"] == "27 days"


def test_without_a_guess_it_is_the_first_candidate():
    found = checked(answer_to_json(LIKELY, accept_likely=True))
    assert found["status"] == "likely" and found["reason"] == REASON
    assert (found["answer"], found["value"], found["unit"], found["confidence"]) == ("27 days", 27, "days", 0.6123)
    assert len(found["candidates"]) == 2
    for other in (ABSTAINED, ANSWERED, replace(LIKELY, candidates=())):
        assert answer_to_json(other, accept_likely=True) == answer_to_json(other)


def test_a_number_that_is_not_stated_is_no_value():
    found = checked(answer_to_json(replace(ABSTAINED, value=Decimal(27), unit="days")))
    assert (found["answer"], found["value"], found["unit"]) == (None, None, "")
    assert found["reason"] == "no passage speaks of leave" and found["candidates"] == []


def test_a_cited_passage_says_where_the_answer_stands_in_it():
    found = checked(answer_to_json(replace(ANSWERED, candidates=())))
    source = found["sources"][0]
    assert [source["text"][start:end] for start, end in source["marks"]] == ["27 days"]


@pytest.mark.parametrize(
    ("answer", "marked"),
    [
        (replace(ANSWERED, candidates=()), ["27 days"]),
        (ANSWERED, ["27 days"]),  # by the first candidate, which has the same passage
        (replace(ANSWERED, candidates=LIKELY.candidates[1:], text="as often as wanted", evidence=()), []),
        (replace(ANSWERED, candidates=(), text="as often as wanted"), ["27 days"]),  # as the number is written
        (replace(ANSWERED, candidates=(), formula="e1", evidence=(Evidence("e1", 1, LEAVE, LEAVE),)), [LEAVE]),
        (replace(ANSWERED, candidates=(), evidence=(Evidence("e1", 2, LEAVE, LEAVE),)), []),  # of another source
    ],
)
def test_the_marks_are_the_deciding_words(answer, marked):
    source = answer.sources[0]
    assert [source.text[start:end] for start, end in source_marks(answer, source)] == marked


def test_the_words_of_a_candidate_are_found_again_in_a_shorter_quote():
    passage = f"Of leave. {LEAVE}"
    candidate = candidate_of(passage, "27 days", 0.9)
    answer = replace(ANSWERED, candidates=(candidate,), evidence=())
    assert [LEAVE[start:end] for start, end in source_marks(answer, answer.sources[0])] == ["27 days"]


def test_marks_that_touch_become_one():
    assert merged([(5, 9), (0, 3), (2, 4), (7, 7)]) == ((0, 4), (5, 9))
    assert merged([]) == ()


# --- the command ---------------------------------------------------------------------------------------------------


@pytest.fixture
def asked(indexed, monkeypatch):
    """A run of `mixrag ask` on the indexed folder, where the reader comes to the given answer."""
    monkeypatch.chdir(indexed)

    def run(answer, *arguments, question=("How", "many", "days?")):
        monkeypatch.setattr(Session, "ask", lambda *_: answer)
        return CliRunner().invoke(app, ["ask", *question, *arguments])

    return run


@pytest.mark.parametrize(
    ("answer", "options", "code"),
    [
        (ANSWERED, [], ExitCode.DONE),
        (LIKELY, [], ExitCode.LIKELY),
        (ABSTAINED, [], ExitCode.NO_ANSWER),
        (ANSWERED, ["--accept", "likely"], ExitCode.DONE),
        (LIKELY, ["--accept", "likely"], ExitCode.DONE),
        (LIKELY, ["--accept", "answered"], ExitCode.LIKELY),
        (ABSTAINED, ["--accept", "likely"], ExitCode.NO_ANSWER),
    ],
)
def test_each_grade_has_its_exit_code(asked, answer, options, code):
    done = asked(answer, "--json", *options)
    found = checked(json.loads(done.stdout))
    assert done.exit_code == code
    assert found["status"] == answer.status
    assert (found["answer"] is not None) == (code == ExitCode.DONE)
    assert asked(answer, *options).exit_code == code


def test_the_codes_are_those_that_are_documented():
    assert (ExitCode.NO_ANSWER, ExitCode.LIKELY) == (4, 5)


def test_a_batch_carries_the_grade_of_each_line(asked, tmp_path):
    questions = tmp_path / "questions.jsonl"
    questions.write_text('"How many days?"\n"Who checks?"\n', "utf-8")
    for options, said in ([], None), (["--accept", "likely"], "27 days"):
        done = asked(LIKELY, "--jsonl", str(questions), *options, question=())
        lines = [checked(json.loads(line)) for line in done.stdout.splitlines()]
        assert done.exit_code == ExitCode.DONE
        assert [(line["line"], line["status"], line["answer"]) for line in lines] == [
            (1, "likely", said),
            (2, "likely", said),
        ]


def test_a_chat_shows_and_saves_the_three_grades(asked, indexed, tmp_path, monkeypatch):
    saved = tmp_path / "answers.md"
    given = iter([ANSWERED, LIKELY, ABSTAINED])
    typed = "Which leave?\nWho checks?\n/sources\n/show 2\nWhat is new?\n/show 1\n"
    monkeypatch.setattr(Session, "ask", lambda *_: next(given))
    done = CliRunner().invoke(app, ["chat"], input=f"{typed}/save {saved}\n")
    first, second = done.stdout.index("27 days\n"), done.stdout.index("Probably in one of these:")
    assert first < second < done.stdout.index("No answer: no passage speaks of leave")
    assert done.stdout.count("Probably in one of these:") == 2  # the answer, and /sources again
    assert "61%" in done.stdout
    assert "Handbook of the Fernhill workshop" in done.stdout  # /show 2: the second candidate in its file
    assert "the last answer has no source 1" in done.stderr
    page = saved.read_text("utf-8")
    assert [part in page for part in ("27 days", "Probably in one of these:", "No answer:")] == [True] * 3


def test_an_unknown_grade_is_wrong_usage(asked):
    done = asked(LIKELY, "--accept", "maybe")
    assert done.exit_code == ExitCode.USAGE
