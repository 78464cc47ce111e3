"""mixrag ask: one answer with its steps and sources, or an honest refusal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from mixrag_cli.commands.options import (
    AcceptName,
    AcceptOption,
    ExpandOption,
    Face,
    GeneratorOption,
    Search,
    StrategyOption,
    command,
)


@dataclass(frozen=True, slots=True)
class Reply:
    """How the answer is given."""

    accept: AcceptOption = AcceptName.answered
    explain: Annotated[bool, typer.Option("--explain", help="Show all five RECAP steps, not only the result.")] = False
    jsonl: Annotated[
        Path | None,
        typer.Option("--jsonl", metavar="FILE", help="Answer each line of this file of questions; - reads stdin."),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="With --jsonl: add the answers to this file, and resume it."),
    ] = None


@command
def ask(
    question: Annotated[
        list[str] | None, typer.Argument(metavar="QUESTION", help="The question; - reads it from stdin.")
    ] = None,
    *,
    search: Search,
    expand: ExpandOption = None,
    generator: GeneratorOption = None,
    strategy: StrategyOption = None,
    reply: Reply,
    face: Face,
) -> None:
    """Answer a question from the indexed documents, with sources; or, with --jsonl, many.

    Exit code 5 means that no answer is sure enough to state: the places that probably hold it are shown. Exit code 4
    means that nothing found comes near enough; what is missing is named.
    """
