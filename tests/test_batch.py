"""Many questions in one run: answers in order, errors as objects, a second run goes on where the first stopped."""

import io
import json
from pathlib import Path

import pytest
from cli_fixtures import environment_of, run_here, run_mixrag

from mixrag_cli.errors import WrongUsage
from mixrag_cli.stories.batch import MAX_LINE_BYTES, Done, answered_lines, read_batch

LINES = [
    '{"id": "leave", "question": "How many chairs were sold in 2024?"}',
    '"Who checks the fire extinguishers?"',
    "",
    "not json",
    '{"id": 7, "question": "  "}',
    '{"id": 8, "question": "How many chairs were sold in 2024?", "path": "nosuch/*"}',
    '{"question": "What is the capital of Mongolia?", "path": ["*.md"]}',
]


def write_questions(folder: Path) -> Path:
    file = folder / "questions.jsonl"
    file.write_text("\n".join(LINES) + "\n", "utf-8")
    return file


def objects(raw: bytes) -> list[dict]:
    return [json.loads(line) for line in raw.splitlines()]


@pytest.mark.slow
def test_a_batch_is_answered_in_order_and_resumed(indexed, tmp_path):
    questions, answers = write_questions(tmp_path), tmp_path / "answers.jsonl"
    environment = environment_of(indexed.parent)
    first = run_mixrag("ask", "--jsonl", str(questions), cwd=indexed, env=environment)
    found = objects(first.stdout)
    assert first.returncode == 3  # some lines are no questions
    assert [each["line"] for each in found] == [1, 2, 4, 5, 6, 7]
    assert found[0]["answer"].startswith("515") and found[0]["id"] == "leave"
    assert "Tennick" in json.dumps(found[1])
    assert [each["schema"] for each in found[2:5]] == ["mixrag.error/1"] * 3
    assert found[3]["id"] == 7 and "matches" in found[4]["message"]
    assert found[5]["status"] != "answered"

    # The first answer is there, the second was cut off in the middle: the run goes on with the second.
    kept = first.stdout.splitlines(keepends=True)
    answers.write_bytes(kept[0] + kept[1][:50])
    second = run_here("ask", "--jsonl", str(questions), "--output", str(answers), cwd=indexed, env=environment)
    assert second.returncode == 3 and second.stdout == b""
    assert b"1 questions are answered already" in second.stderr
    resumed = objects(answers.read_bytes())
    assert [each["line"] for each in resumed] == [1, 2, 4, 5, 6, 7]
    assert [each.get("answer") for each in resumed] == [each.get("answer") for each in found]


def test_lines_that_failed_before_still_count_as_failed(indexed, tmp_path):
    questions, answers = tmp_path / "questions.jsonl", tmp_path / "answers.jsonl"
    questions.write_text('"How many chairs were sold in 2024?"\nnot json\n')
    arguments = ("ask", "--jsonl", str(questions), "--output", str(answers))
    environment = environment_of(indexed.parent)
    assert run_here(*arguments, cwd=indexed, env=environment).returncode == 3
    again = run_here(*arguments, cwd=indexed, env=environment)
    assert again.returncode == 3  # nothing was left to ask, and the batch is not whole
    assert b"2 questions are answered already" in again.stderr and b"1 of them with an error" in again.stderr
    questions.write_text('"How many chairs were sold in 2024?"\n')
    answers.write_bytes(answers.read_bytes().splitlines(keepends=True)[0])
    assert run_here(*arguments, cwd=indexed, env=environment).returncode == 0


def test_questions_through_a_pipe(indexed):
    done = run_mixrag(
        *("ask", "--jsonl", "-"),
        cwd=indexed,
        env=environment_of(indexed.parent),
        typed=b'"How many chairs were sold in 2024?"\n',
    )
    assert done.returncode == 0 and objects(done.stdout)[0]["value"] == 515


@pytest.mark.parametrize(
    "arguments",
    [
        ["--jsonl", "missing.jsonl"],
        ["--jsonl", "."],
        ["--output", "answers.jsonl", "a question"],
        ["--jsonl", "questions.jsonl", "a question"],
    ],
)
def test_what_cannot_be_a_batch_is_wrong_usage(arguments, indexed):
    done = run_here("ask", *arguments, cwd=indexed, env=environment_of(indexed.parent))
    assert done.returncode == 2 and done.stderr.startswith(b"mixrag: ")


def test_answers_are_never_added_to_another_file(tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("my notes\n")
    with pytest.raises(WrongUsage, match="no file of answers"):
        answered_lines(notes)
    assert notes.read_text() == "my notes\n"
    assert answered_lines(tmp_path / "none.jsonl") == Done()


def test_lines_that_are_no_questions_say_why():
    raw = b'\xef\xbb\xbf"first"\n[1]\n{"question": 5}\n{"question": "q", "path": 3}\n' + b'"' + b"x" * 9000 + b'"\n'
    problems = [asked.problem for asked in read_batch(io.BytesIO(raw))]
    assert problems[0] == "" and all(problems[1:]) and "9,000 characters" in problems[-1]
    deep = b"[" * 100_000 + b"\n"
    assert [asked.problem for asked in read_batch(io.BytesIO(deep))] == ["not valid JSON"]


def test_a_line_without_end_does_not_fill_the_memory():
    asked = list(read_batch(io.BytesIO(b"x" * (3 * MAX_LINE_BYTES) + b'\n"next"\n')))
    assert "longer than" in asked[0].problem and asked[-1].question == "next"
    assert [each.line for each in asked] == [1, 2]
