"""mixrag index: walk, read, chunk, embed, commit; only what has changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mixrag_cli.actions.caller import confirm, settings_of
from mixrag_cli.actions.refreshing import WAIT_S, keep_fresh
from mixrag_cli.actions.run_view import view_of
from mixrag_cli.actions.screen import render
from mixrag_cli.actions.signals import interruption_code
from mixrag_cli.commands.index import Run
from mixrag_cli.commands.options import Face, SummaryForm
from mixrag_cli.errors import ExitCode, MixragError, WrongUsage
from mixrag_cli.output.console import Console
from mixrag_cli.output.estimate_view import estimate_lines, estimate_to_json
from mixrag_cli.output.formats import no_reader_text
from mixrag_cli.output.payloads import index_to_json
from mixrag_cli.output.progress import duration_text
from mixrag_cli.output.streams import write_json
from mixrag_cli.output.terminal import print_lines
from mixrag_cli.readers.decoding import find_codec
from mixrag_cli.records.files import Skipped
from mixrag_cli.settings import Settings, ignored_settings_files
from mixrag_cli.store import name_collection, remember_roots
from mixrag_cli.stories.estimating import Estimate, estimate_index
from mixrag_cli.stories.grouping import GroupReport
from mixrag_cli.stories.indexing import IndexReport, build_index
from mixrag_cli.stories.roots import plan_index
from mixrag_cli.stories.summarising import SummaryReport
from mixrag_cli.stories.watching import due_refreshes
from mixrag_cli.stories.wishes import IndexWishes
from mixrag_cli.walking import Selection

SPENT = {
    "tokens": "the token budget is spent (summary_tokens)",
    "time": "the time is over (summary_minutes)",
    "interrupted": "interrupted",
}
MAX_LISTED = 10  # unreadable files named one by one; more are told in groups


def index(
    paths: list[Path] | None,
    run: Run,
    summaries: SummaryForm | None,
    generator: str | None,
    yes: bool,
    face: Face,
) -> int:
    """Index folders, or bring their index up to date."""
    roots = paths or []  # none: the folders that the index here knows, else the current one
    settings = settings_of(face, may_be_new=True, summaries=summaries, generator=generator)
    wishes = _wishes(run)
    if run.estimate:
        return _estimate(roots, settings, face, wishes)
    if run.rebuild:
        confirm("the index will be built anew", yes=yes)
    _warn_of_settings_files(roots, face)
    return _build(roots, settings, face, wishes, watch=run.watch)


def _wishes(run: Run) -> IndexWishes:
    encodings = tuple(map(_said_encoding, run.encoding or ()))
    selection = Selection(tuple(run.include or ()), tuple(run.exclude or ()), encodings)
    return IndexWishes(run.rebuild, run.prune, run.follow, run.wait_s, selection, run.ray)


def _said_encoding(given: str) -> tuple[str, str]:
    """The glob and the encoding of GLOB=NAME, ("", "") of ''. Raises WrongUsage."""
    glob, _, name = given.rpartition("=")
    if not given:
        return "", ""
    if not glob or not name:
        raise WrongUsage(f"--encoding: {given!r} is no GLOB=NAME", "mixrag index --encoding '*.txt=cp850'")
    codec = find_codec(name)
    if not codec:
        raise WrongUsage(f"--encoding: {name!r} is no encoding of texts", "mixrag index --encoding '*.txt=cp850'")
    return glob, codec


def _estimate(roots: Sequence[Path], settings: Settings, face: Face, wishes: IndexWishes) -> int:
    """Say what the run would take."""
    with view_of(face) as view:
        estimate = estimate_index(roots, settings, view, wishes)

    render(face, estimate_to_json, _print_estimate, estimate)
    return ExitCode.DONE


def _print_estimate(console: Console, estimate: Estimate) -> None:
    print_lines(console, estimate_lines(estimate))


def _build(roots: Sequence[Path], settings: Settings, face: Face, wishes: IndexWishes, *, watch: bool) -> int:
    """Do it, and say what was done; watch: go on as files change."""
    with view_of(face) as view:
        due = _begin_to_watch(roots, settings) if watch else None
        report = build_index(roots, settings, events=view, wishes=wishes)
    _tell(report, face)
    _remember(report, face, found_by_folder=settings.store is None, named=bool(roots))
    if report.interrupted:
        return interruption_code()
    if due is not None:
        again = replace(wishes, rebuild=False, selection=None, wait_s=max(wishes.wait_s, WAIT_S), cluster="")

        def refresh() -> IndexReport:
            with view_of(face) as view:
                return build_index(roots, settings, events=view, wishes=again)

        return keep_fresh(due, refresh, face)
    lacks_model = report.summaries is not None and report.summaries.lacks_model
    return ExitCode.PARTIAL if report.skipped or lacks_model else ExitCode.DONE


def _begin_to_watch(roots: Sequence[Path], settings: Settings) -> Iterator[None]:
    """Watching begins before the first run, so that no change falls between the two. Raises as due_refreshes does."""
    due = due_refreshes(plan_index(roots, settings))
    next(due)
    return due


def _remember(report: IndexReport, face: Face, *, found_by_folder: bool, named: bool) -> None:
    """Let the index be found again by its name, or from folders that it does not lie above; say where it is.

    found_by_folder: nobody named the store. named: somebody named the folders now.
    """
    try:
        if face.names:
            name_collection(face.names[0], report.store)
        elif found_by_folder and report.elsewhere:
            remember_roots(report.store, report.elsewhere)
            if named:
                folders = ", ".join(map(str, report.elsewhere))
                face.note(f"the index lies in {report.store}; it is found from {folders} too")
    except MixragError as error:
        face.note(f"where this index lies could not be noted down: {error.message}")


def _warn_of_settings_files(roots: Sequence[Path], face: Face) -> None:
    for root in roots or [Path.cwd()]:
        for file in ignored_settings_files(root):
            face.note(f"{file.relative_to(root)}: settings in the indexed folder are not used (see mixrag config path)")


def _tell(report: IndexReport, face: Face) -> None:
    """Unreadable files and the summary on stderr; with --json the report on stdout."""
    for line in _unreadable_lines(report.skipped):
        face.note(line)
    for warning in report.warnings:
        face.note(warning)
    face.note(_summary(report))
    if report.no_reader:
        face.note(no_reader_text(report.no_reader, report.left_out))
    if report.summaries is not None:
        face.note(_summaries_line(report.summaries))
    if report.groups is not None:
        face.note(_groups_line(report.groups))
    if face.json:
        write_json(index_to_json(report))


def _unreadable_lines(skipped: Sequence[Skipped]) -> list[str]:
    """One line a file; many are grouped by their reason, so that the summary stays in sight."""
    if len(skipped) <= MAX_LISTED:
        return [f"{each.path}: {each.reason}; skipped" for each in skipped]
    first = {each.reason: each.path for each in reversed(skipped)}
    counts = Counter(each.reason for each in skipped)
    return [
        f"{count} files: {reason}; skipped (first: {first[reason]}; all: mixrag status --skipped)"
        if count > 1
        else f"{first[reason]}: {reason}; skipped"
        for reason, count in counts.most_common()
    ]


def _summary(report: IndexReport) -> str:
    n_hidden = sum(one.code == "hidden" for one in report.left_out)
    hidden = f" ({n_hidden:,} hidden)" if n_hidden else ""
    done = {
        "added": report.added,
        "changed": report.changed,
        "read again, as this version reads": report.reread,
        "renamed": report.renamed,
        "removed": report.removed,
        "unchanged": report.unchanged,
        "unreadable": len(report.skipped),
        f"left out by rule{hidden}": len(report.left_out) - sum(report.no_reader.values()),
    }
    counts = ", ".join(f"{count:,} {what}" for what, count in done.items() if count) or "no files"
    rate = f", {report.tokens / report.seconds:,.0f} tokens/s" if report.tokens and report.seconds else ""
    kept = "the index is as it was before" if report.as_before else "what was committed is kept"
    ended = f"interrupted; {kept}: " if report.interrupted else ""
    return f"{ended}{counts}; {report.chunks:,} passages in {duration_text(report.seconds)}{rate}"


def _summaries_line(report: SummaryReport) -> str:
    """What became of the tables without a summary, and why some have none yet."""
    done = {"made": report.made, "known from before": report.remembered, "rejected": report.rejected}
    counts = ", ".join(f"{count:,} {what}" for what, count in done.items() if count) or "nothing to do"
    spent = f" with {report.tokens:,} tokens in {duration_text(report.seconds)}" if report.tokens else ""
    stopped = f"; {SPENT.get(report.stopped, report.stopped)}" if report.stopped else ""
    left = f"; {report.left:,} tables left for the next run" if report.left else ""
    return f"summaries of tables: {counts}{spent}{stopped}{left}"


def _groups_line(report: GroupReport) -> str:
    """What became of the groups of passages, and why some have no summary yet."""
    spent = f" with {report.tokens:,} tokens" if report.tokens else ""
    stopped = f"; {SPENT.get(report.stopped, report.stopped)}" if report.stopped else ""
    left = f"; {report.left:,} left for the next run" if report.left else ""
    return (
        f"summaries of groups: {report.made:,} made, {report.kept:,} kept ({report.maker}){spent} in "
        f"{duration_text(report.seconds)}{stopped}{left}"
    )
