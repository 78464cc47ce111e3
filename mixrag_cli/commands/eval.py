"""mixrag eval: measure retrieval and answers on a data set, with intervals, and what each method is worth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, command


@dataclass(frozen=True, slots=True)
class Compared:
    """Which runs are compared, and by what."""

    compare: Annotated[
        list[str] | None,
        typer.Option(
            "--compare",
            metavar="RUN",
            help="Compare with this run: settings such as fusion=rrf,rerank=none, or words, meaning, rrf; "
            "may be repeated.",
        ),
    ] = None
    ablate: Annotated[bool, typer.Option("--ablate", help="Remove or add one method at a time.")] = False
    answers: Annotated[bool, typer.Option("--answers", help="Answer the questions, not only search.")] = False
    judge: Annotated[
        str, typer.Option("--judge", metavar="MODEL", help="Let this generator judge answers and passages.")
    ] = ""
    measure: Annotated[
        list[str] | None,
        typer.Option("--measure", metavar="NAME", help="Such as nDCG@10, HiT@5, F1, refusal-recall; may be repeated."),
    ] = None
    k: Annotated[str, typer.Option("--k", metavar="N", help="Where rankings are cut; several with commas.")] = "10"


@dataclass(frozen=True, slots=True)
class Selected:
    """Which of the questions are put, and to which documents."""

    split: Annotated[
        str,
        typer.Option("--split", metavar="NAME", help="Only this split; after a comma others that must agree in sign."),
    ] = ""
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", metavar="FIELD=VALUE", help="Only questions with this value in this field; may be repeated."
        ),
    ] = None
    by: Annotated[str, typer.Option("--by", metavar="FIELD", help="Tell the means apart by this field.")] = ""
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Only the first N questions; 0 for all.")] = 0
    files: Annotated[
        Path | None, typer.Option("--files", metavar="DIR", help="The documents that questions.jsonl asks about.")
    ] = None
    distractors: Annotated[
        list[Path] | None,
        typer.Option("--distractors", metavar="DIR", help="Search in this set's documents besides; may be repeated."),
    ] = None
    sizes: Annotated[
        str,
        typer.Option(
            "--sizes", metavar="N,N,all", help="Search in so many of the documents, from few to many, and compare."
        ),
    ] = ""
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="DIR",
            help="Ask this set's documents instead, which hold no answer.",
        ),
    ] = None

    @property
    def splits(self) -> list[str]:
        """The names that --split holds."""
        return [name.strip() for name in self.split.split(",") if name.strip()]


@dataclass(frozen=True, slots=True)
class Written:
    """The files that the report goes into."""

    page: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write the report as a page.")] = None
    scores: Annotated[
        Path | None, typer.Option("--scores", metavar="FILE", help="Write each question's scores as JSON lines.")
    ] = None


@dataclass(frozen=True, slots=True)
class Kept:
    """What a run leaves for the next, and what it takes of the one before."""

    cache: Annotated[
        Path | None, typer.Option("--cache", metavar="DIR", help="Keep indexes and model replies here.")
    ] = None
    replay: Annotated[bool, typer.Option("--replay", help="Call no model whose reply is not cached.")] = False
    fresh: Annotated[bool, typer.Option("--fresh", help="Index the data set again.")] = False


@command
def evaluate(
    dataset: Annotated[
        Path,
        typer.Argument(
            metavar="DATASET",
            help="A folder with corpus.jsonl, queries.jsonl and qrels.tsv, or questions.jsonl, or TAT-QA's JSON lines.",
        ),
    ],
    *,
    compared: Compared,
    selected: Selected,
    written: Written,
    kept: Kept,
    face: Face,
) -> None:
    """Measure retrieval and answers on a data set, with 95 % intervals.

    All runs are compared with the first, which has your own settings; p values are corrected for their number.
    """
