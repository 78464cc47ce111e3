"""A calibration for people: how the scores of relevant and other passages lie, and where the threshold parts them.

rerank · table    accepted from 0.52 (shipped: 0.49)    balanced accuracy .84 (.81)
   64 relevant  ▁▁▂▃▆█▇▅▂
1,900 other     █▆▄▂▁▁
                    ^
                0.10      0.91
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from mixrag_cli.output.console import foreign
from mixrag_cli.output.eval_view import share_text
from mixrag_cli.output.terminal import origin_text
from mixrag_cli.retrieval.acceptance import JUDGES

if TYPE_CHECKING:
    from mixrag_cli.retrieval.assessment import Assessment, SourceAssessment
    from mixrag_cli.stories.calibrating_by_wish import CalibrationReport

STEPS, PLAIN_STEPS = " ▁▂▃▄▅▆▇█", " .:-=+*#@"
ANY_KIND = "any"
FEWEST_RELEVANT = 5  # fewer make no shape
LABEL_COLUMNS = 18  # "  1,234 relevant  "


def print_calibration(console: Console, report: CalibrationReport) -> None:
    """What was fitted, what it is worth, and a plot for each source and kind of passage."""
    console.print(foreign(f"calibration for rerank {report.rerank}: {origin_text(report.calibration)}", "bold"))
    console.print(foreign(f"{stored_text(report)} {report.store}", "dim"), soft_wrap=True)
    for note in report.notes:
        console.print(foreign(f"note: {note}", "yellow"))
    for line in answers_lines(report):
        console.print(foreign(line))
    if (found := report.assessment) is None:
        return
    console.print(
        foreign(f"{found.questions:,} questions, {found.found:,} with a relevant passage among the candidates")
    )
    error = f"expected calibration error {share_text(found.error)} (shipped: {share_text(found.error_before)})"
    console.print(foreign(error))
    plotted = worth_a_plot(found)
    for each in plotted:
        console.print()
        _print_source(console, each)
    if len(plotted) < len(found.sources):
        console.print()
        few = f"kinds with fewer than {FEWEST_RELEVANT} relevant passages are not plotted (all are in --json)"
        console.print(foreign(few, "dim"))


def stored_text(report: CalibrationReport) -> str:
    """What the index keeps of it, to be followed by where that is. Example: "answers stored in"."""
    answers = report.answers is not None and report.answers.is_better
    kept = [name for name, is_kept in (("scores", report.is_stored), ("answers", answers)) if is_kept]
    return f"{' and '.join(kept) or 'nothing'} stored in"


def answers_lines(report: CalibrationReport) -> tuple[str, ...]:
    """How sure answers are by the judged ones, each with what is shipped; none where none were judged."""
    if (found := report.answers) is None:
        return ()
    after, before = found.after, found.before
    return (
        f"{found.questions:,} questions with their right answer, the best answer to {found.right:,} of them right",
        f"stated: {after.right:,} of {after.stated:,} right (shipped: {before.right:,} of {before.stated:,})",
        f"expected calibration error {share_text(after.error)} (shipped: {share_text(before.error)})",
    )


def worth_a_plot(found: Assessment) -> list[SourceAssessment]:
    """The sources and kinds of passages with enough relevant ones for a shape; of one kind alone not twice."""
    kinds = {each.modality for each in found.sources if each.n_relevant} - {ANY_KIND}
    return [
        each
        for each in found.sources
        if each.n_relevant >= FEWEST_RELEVANT and (each.modality == ANY_KIND or len(kinds) > 1)
    ]


def source_lines(found: SourceAssessment) -> tuple[str, ...]:
    """The threshold and what it is worth, each with the shipped one."""
    if found.source not in JUDGES:
        return ("counts for the order; accepts nothing by itself",)
    threshold = f"accepted from {_number(found.threshold)} (shipped: {_number(found.threshold_before)})"
    accuracy = f"balanced accuracy {_share(found.accuracy)} (shipped: {_share(found.accuracy_before)})"
    return threshold, accuracy


def histogram_text(counts: Sequence[int], columns: int, *, plain: bool) -> str:
    """Counts as one line of so many columns at most, scaled to their own highest.

    Example: histogram_text([0, 1, 4], 9, plain=True) -> " :@"; columns below len(counts) merge neighbours.
    """
    merged = [0] * min(columns, len(counts))
    for place, count in enumerate(counts):
        merged[place * len(merged) // len(counts)] += count
    steps = PLAIN_STEPS if plain else STEPS
    highest = max(merged, default=0) or 1
    return "".join(steps[-(-count * (len(steps) - 1) // highest)] for count in merged)


def _print_source(console: Console, found: SourceAssessment) -> None:
    kind = "all passages" if found.modality == ANY_KIND else found.modality
    console.print(foreign(f"{found.source}, {kind}", "bold"))
    for line in source_lines(found):
        console.print(foreign(f"  {line}"))
    plain = not console.encoding.lower().startswith("utf")
    columns = max(4, min(len(found.relevant), console.width - LABEL_COLUMNS))
    for name, counts in (("relevant", found.relevant), ("other", found.other)):
        label = f"{sum(counts):>7,} {name}"
        bars = histogram_text(counts, columns, plain=plain)
        console.print(foreign(f"{label:<{LABEL_COLUMNS}}{bars}".rstrip()), soft_wrap=True)
    threshold = found.threshold if found.source in JUDGES else None
    if (place := _column_of(threshold, found, columns)) is not None:
        console.print(foreign(" " * (LABEL_COLUMNS + place) + "^"), soft_wrap=True)
    low, high = _number(found.low), _number(found.high)
    console.print(foreign(" " * LABEL_COLUMNS + low + high.rjust(columns - len(low)), "dim"), soft_wrap=True)


def _column_of(threshold: float | None, found: SourceAssessment, columns: int) -> int | None:
    if threshold is None or not found.low <= threshold <= found.high or found.high == found.low:
        return None
    return min(columns - 1, int((threshold - found.low) / (found.high - found.low) * columns))


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


def _share(value: float | None) -> str:
    return "unknown" if value is None else share_text(value)
