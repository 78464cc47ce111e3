"""Values from the command line: read as Typer reads them, without what Typer loads for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from mixrag_cli.cli import app
from mixrag_cli.commands import values
from mixrag_cli.commands.doors import commands_below

LINES = (
    "search x",
    "search x --limit 3 --kind table --kind row --path *.md --path a/b --file a.pdf --rerank none --json -q",
    "search x --limit 0",
    "search x --limit 1001",
    "search x --limit -3",
    "search x --limit +3",
    "search x --limit 3.0",
    "search x --limit ٣",
    "search x --limit 99999999999999999999",
    "search x --kind tables",
    "search x --kind TABLE",
    "search x --color never --store here",
    "search",
    "ask why not --explain --strategy cot --generator m.gguf",
    "ask --jsonl - --output answers",
    "calibrate labels.jsonl --wait 2.5 --html page.html",
    "calibrate --wait 3",
    "calibrate --wait -1",
    "calibrate --wait nan",
    "calibrate --wait 1e3",
    "calibrate --wait soon",
    "index . .. --rebuild --prune --follow --summaries short",
    "index secret open\0end",
    "eval data --k 5,10 --limit 0 --only a=b --only c=d --ablate --distractors one --distractors two",
    "status --skipped",
    "completion bash",
    "completion tcsh",
    "models pull one --offline",
    "config set rerank late",
    "doctor --help",
)


def read(line: str) -> Any:
    """What a command line comes to: the command's values, or what is wrong with them."""
    command: Any = get_command(app)
    words = line.split(" ")
    while hasattr(command, "commands"):
        command = dict(commands_below(command))[words.pop(0)]
    try:
        return {name: (type(value), value) for name, value in command.make_context("mixrag", words).params.items()}
    except typer.TyperException as error:
        return error.format_message()
    except typer.Exit as left:
        return left.exit_code


@pytest.mark.parametrize("line", LINES)
def test_values_are_those_that_typer_reads(
    line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret").write_text("closed")
    (tmp_path / "secret").chmod(0)
    found = read(line)
    with monkeypatch.context() as patch:
        for kind, by_typer in values.BY_TYPER.items():
            patch.setattr(kind, "get_runtime_param", by_typer)
        assert read(line) == found
    capsys.readouterr()


def test_plain_values_do_not_trouble_typer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise AssertionError("Typer was asked")

    monkeypatch.setattr(values, "BY_TYPER", dict.fromkeys(values.BY_TYPER, fail))
    assert read(LINES[0])["limit"] == (int, 10)
    assert read(LINES[1])["file"] == (list, [Path("a.pdf")])
    with pytest.raises(AssertionError, match="Typer was asked"):
        read("search x --limit many")
