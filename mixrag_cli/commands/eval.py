"""mixrag eval: measure retrieval and answers on a data set, with intervals, and what each method is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixrag_cli.commands.options import Face, command, ensure_folders
from mixrag_cli.errors import WrongUsage
from mixrag_cli.output.streams import json_line, write_json

if TYPE_CHECKING:
    from mixrag_cli.evaluation.datasets import DataSet
    from mixrag_cli.evaluation.reporting import Run
    from mixrag_cli.evaluation.scoring import Measure
    from mixrag_cli.settings import Settings
    from mixrag_cli.stories.evaluating import Evaluation


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
    ablate: Annotated[bool, typer.Option("--ablate", help="Remove one method at a time.")] = False
    answers: Annotated[bool, typer.Option("--answers", help="Answer the questions, not only search.")] = False
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
    cache: Annotated[
        Path | None, typer.Option("--cache", metavar="DIR", help="Keep indexes and model replies here.")
    ] = None,
    replay: Annotated[bool, typer.Option("--replay", help="Call no model whose reply is not cached.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Index the data set again.")] = False,
    face: Face,
) -> None:
    """Measure retrieval and answers on a data set, with 95 % intervals.

    All runs are compared with the first, which has your own settings; p values are corrected for their number.
    """
    settings = face.settings()
    ensure_folders(written.page, written.scores)
    data = _load(dataset, selected)
    measures = _measures(data, compared)
    asks = compared.answers or any(each.needs_answer for each in measures)
    runs = _runs(settings, compared, with_answers=asks)
    with face.watch_run() as view:
        from mixrag_cli.stories.eval_corpus import eval_cache
        from mixrag_cli.stories.evaluating import EvalPlan, evaluate

        plan = EvalPlan(
            dataset=data,
            runs=runs,
            measures=measures,
            split=selected.splits[0] if len(selected.splits) > 1 else "",
            grouped_by=selected.by,
            with_answers=asks,
            is_ablation=compared.ablate,
            fresh=fresh,
            replay=replay,
        )
        evaluation = evaluate(plan, settings, eval_cache(cache), view)
    _tell(evaluation, face, written)


def _load(dataset: Path, selected: Selected) -> DataSet:
    from mixrag_cli.evaluation.datasets import select
    from mixrag_cli.evaluation.loading import load_dataset

    labels = [_read_pair(text) for text in selected.only or ()]
    data = select(load_dataset(dataset, selected.files), selected.splits, labels, selected.limit)
    if selected.by and not any(selected.by in question.labels for question in data.questions):
        raise WrongUsage(f"no question has a field {selected.by!r}")
    return _with_others(data, selected.distractors or (), selected.against)


def _runs(settings: Settings, compared: Compared, *, with_answers: bool) -> tuple[Run, ...]:
    from mixrag_cli.evaluation.ablation import ablated_runs, parse_run

    first = ablated_runs(settings, with_answers=with_answers) if compared.ablate else (parse_run("default"),)
    runs = (*first, *map(parse_run, compared.compare or ()))
    names = [run.name for run in runs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise WrongUsage(f"two runs are named {twice!r}", "give one a name of its own: --compare NAME:SETTING=VALUE")
    return runs


def _measures(data: DataSet, compared: Compared) -> tuple[Measure, ...]:
    from mixrag_cli.evaluation.scoring import default_measures, parse_measure

    cuts = [_read_cut(text) for text in compared.k.split(",")]
    wanted = tuple(dict.fromkeys(map(parse_measure, compared.measure or ())))
    measures = wanted or default_measures(data, cuts, with_answers=compared.answers)
    if not measures:
        raise WrongUsage("nothing to measure by searching alone", "the same command with --answers")
    return measures


def _with_others(data: DataSet, distractors: Sequence[Path], against: Path | None) -> DataSet:
    if not distractors and against is None:
        return data
    from mixrag_cli.evaluation.datasets import asked_elsewhere, with_distractors
    from mixrag_cli.evaluation.loading import load_corpus, load_elsewhere

    if against is not None:
        return asked_elsewhere(data, *load_elsewhere(against))
    others = {f"distractors{number}": load_corpus(place) for number, place in enumerate(distractors, start=1)}
    return with_distractors(data, others)


def _read_pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise WrongUsage(f"--only {text!r}: a field and its value are needed", "--only type=factual")
    return name.strip(), value.strip()


def _read_cut(text: str) -> int:
    from mixrag_cli.evaluation.scoring import MAX_K

    if not text.strip().isascii() or not text.strip().isdigit() or not 1 <= int(text) <= MAX_K:
        raise WrongUsage(f"--k must be from 1 to {MAX_K}, not {text.strip()!r}")
    return int(text)


def _tell(evaluation: Evaluation, face: Face, written: Written) -> None:
    """The report on stdout as a table or as JSON, and into the files that were asked for."""
    from mixrag_cli.output.eval_payload import evaluation_to_json, scores_to_json

    if written.page is not None:
        from mixrag_cli.output.eval_page import evaluation_page

        written.page.write_text(evaluation_page(evaluation.report), "utf-8")
        face.note(f"report written to {written.page}")
    if written.scores is not None:
        written.scores.write_text("".join(json_line(each) + "\n" for each in scores_to_json(evaluation)), "utf-8")
        face.note(f"scores written to {written.scores}")
    if face.json:
        write_json(evaluation_to_json(evaluation.report))
        return
    from mixrag_cli.output.eval_view import print_evaluation

    print_evaluation(face.console(), evaluation.report)
