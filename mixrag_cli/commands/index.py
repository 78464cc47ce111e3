"""mixrag index: walk, read, chunk, embed, commit; only what has changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, GeneratorOption, SummariesOption, YesOption, command


@dataclass(frozen=True, slots=True)
class Run:
    """How the run goes about it."""

    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Make the index anew; until it is whole, the one there answers.")
    ] = False
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Measure a sample, say what the run would take, and write nothing.")
    ] = False
    prune: Annotated[
        bool, typer.Option("--prune", help="Forget missing files even when they are a large part of the index.")
    ] = False
    follow: Annotated[bool, typer.Option("--follow", help="Follow symbolic links that stay inside the folder.")] = False
    wait_s: Annotated[
        float, typer.Option("--wait", metavar="S", min=0, help="Wait this many seconds for another index run to end.")
    ] = 0
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            "--exclude",
            metavar="GLOB",
            help="Leave these files or folders out, now and later; may be repeated; '' forgets what was given before.",
        ),
    ] = None
    include: Annotated[
        list[str] | None,
        typer.Option("--include", metavar="GLOB", help="Only these files, now and later; as --exclude."),
    ] = None
    encoding: Annotated[
        list[str] | None,
        typer.Option(
            "--encoding",
            metavar="GLOB=NAME",
            help="Read these text files in this encoding, now and later; as --exclude. Example: 'old/*.txt=cp850'.",
        ),
    ] = None
    watch: Annotated[bool, typer.Option("--watch", help="Then keep the index fresh as files change, until Ctrl-C.")] = (
        False
    )
    ray: Annotated[
        str,
        typer.Option(
            "--ray",
            metavar="auto|HOST:PORT",
            help="Read the files on all machines of a Ray cluster that see them; auto: the one here, or a new one.",
        ),
    ] = ""


@command
def index(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH", help="Folders or files; without any, the folders of the index here, else the current one."
        ),
    ] = None,
    *,
    run: Run,
    summaries: SummariesOption = None,
    generator: GeneratorOption = None,
    yes: YesOption = False,
    face: Face,
) -> None:
    """Index folders, or bring their index up to date.

    Exit code 3 means that the index is done but some files could not be read, or the model that summarises tables
    could not be used.
    """
