"""mixrag eval: measure retrieval and answers on a data set, with intervals, and what each method is worth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mixrag_cli.actions.caller import ensure_folders, settings_of
from mixrag_cli.actions.run_view import view_of
from mixrag_cli.actions.screen import render
from mixrag_cli.commands.eval import Compared, Kept, Selected, Written
from mixrag_cli.commands.options import Face
from mixrag_cli.errors import WrongUsage
from mixrag_cli.evaluation.ablation import ablated_runs, parse_run
from mixrag_cli.evaluation.datasets import DataSet, asked_elsewhere, select, with_distractors
from mixrag_cli.evaluation.loading import load_corpus, load_dataset, load_elsewhere
from mixrag_cli.evaluation.reporting import Run
from mixrag_cli.evaluation.scoring import MAX_K, Measure, default_measures, parse_measure
from mixrag_cli.output.eval_page import evaluation_page
from mixrag_cli.output.eval_payload import evaluation_to_json, scores_to_json
from mixrag_cli.output.eval_view import print_evaluation
from mixrag_cli.output.streams import json_line
from mixrag_cli.settings import Settings
from mixrag_cli.stories import evaluating
from mixrag_cli.stories.eval_corpus import eval_cache
from mixrag_cli.stories.evaluating import EvalPlan, Evaluation


def evaluate(
    dataset: Path,
    compared: Compared,
    selected: Selected,
    written: Written,
    kept: Kept,
    face: Face,
) -> None:
    """Measure retrieval and answers on a data set, with 95 % intervals."""
    settings = settings_of(face)
    ensure_folders(written.page, written.scores)
    data = _load(dataset, selected)
    measures = _measures(data, compared)
    asks = compared.answers or any(each.needs_answer for each in measures)
    if not compared.judge and (judged := next((each.name for each in measures if each.needs_judge), "")):
        raise WrongUsage(f"measure {judged!r} wants a judge", "the same command with --judge MODEL")
    runs = _runs(settings, compared, with_answers=asks)
    with view_of(face) as view:
        plan = EvalPlan(
            dataset=data,
            runs=runs,
            measures=measures,
            split=selected.splits[0] if len(selected.splits) > 1 else "",
            grouped_by=selected.by,
            with_answers=asks,
            judge=compared.judge,
            is_ablation=compared.ablate,
            fresh=kept.fresh,
            replay=kept.replay,
        )
        sizes = [_read_size(text) for text in selected.sizes.split(",") if text.strip()]
        evaluation = evaluating.evaluate_sizes(plan, sizes or [0], settings, eval_cache(kept.cache), view)
    _tell(evaluation, face, written)


def _load(dataset: Path, selected: Selected) -> DataSet:
    labels = [_read_pair(text) for text in selected.only or ()]
    data = select(load_dataset(dataset, selected.files), selected.splits, labels, selected.limit)
    if selected.by and not any(selected.by in question.labels for question in data.questions):
        raise WrongUsage(f"no question has a field {selected.by!r}")
    return _with_others(data, selected.distractors or (), selected.against)


def _runs(settings: Settings, compared: Compared, *, with_answers: bool) -> tuple[Run, ...]:
    first = ablated_runs(settings, with_answers=with_answers) if compared.ablate else (parse_run("default"),)
    runs = (*first, *map(parse_run, compared.compare or ()))
    names = [run.name for run in runs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise WrongUsage(f"two runs are named {twice!r}", "give one a name of its own: --compare NAME:SETTING=VALUE")
    return runs


def _measures(data: DataSet, compared: Compared) -> tuple[Measure, ...]:
    cuts = [_read_cut(text) for text in compared.k.split(",")]
    wanted = tuple(dict.fromkeys(map(parse_measure, compared.measure or ())))
    measures = wanted or default_measures(data, cuts, with_answers=compared.answers, with_judge=bool(compared.judge))
    if not measures:
        raise WrongUsage("nothing to measure by searching alone", "the same command with --answers")
    return measures


def _with_others(data: DataSet, distractors: Sequence[Path], against: Path | None) -> DataSet:
    if not distractors and against is None:
        return data

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
    if not text.strip().isascii() or not text.strip().isdigit() or not 1 <= int(text) <= MAX_K:
        raise WrongUsage(f"--k must be from 1 to {MAX_K}, not {text.strip()!r}")
    return int(text)


def _read_size(text: str) -> int:
    if text.strip() == "all":
        return 0
    if not text.strip().isascii() or not text.strip().isdigit() or not int(text):
        raise WrongUsage(f"--sizes must hold numbers of documents or all, not {text.strip()!r}")
    return int(text)


def _tell(evaluation: Evaluation, face: Face, written: Written) -> None:
    """The report on stdout as a table or as JSON, and into the files that were asked for."""
    if written.page is not None:
        written.page.write_text(evaluation_page(evaluation.report), "utf-8")
        face.note(f"report written to {written.page}")
    if written.scores is not None:
        written.scores.write_text("".join(json_line(each) + "\n" for each in scores_to_json(evaluation)), "utf-8")
        face.note(f"scores written to {written.scores}")
    render(face, evaluation_to_json, print_evaluation, evaluation.report)
