"""An evaluation for people: runs and their means, then what each comparison or removed method comes to.

Tables are laid out for the width at hand: measures that do not fit are counted, never squeezed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table as Layout

from mixrag_cli.evaluation.ablation import WITHOUT
from mixrag_cli.output.console import foreign

if TYPE_CHECKING:
    from mixrag_cli.evaluation.reporting import Comparison, EvalReport, Measured, RunReport, Times

NARROWEST_NAME = 16
WIDEST_NAME = 46
MEASURE_WIDTH = 20  # ".804 [.716, .882]" and its padding
GROUP_WIDTH = 16
COMPARISON_WIDTH = 62  # all columns of the comparison table but the first
WIDE, NARROW = 90, 64  # from here on all columns are shown; below this only what a comparison comes to
TIME_WIDTH = 18


def print_evaluation(console: Console, report: EvalReport) -> None:
    """The report as tables on a console from make_console."""
    split = f", split {report.split}" if report.split else ""
    console.print(foreign(f"{report.dataset}: {report.queries:,} questions{split}", "bold"))
    _print_runs(console, report)
    if report.sizes:
        _print_sizes(console, report)
    if report.comparisons:
        _print_comparisons(console, report)
    if report.grouped_by:
        _print_groups(console, report)
    for note in report.notes:
        console.print(foreign(f"note: {note}", "yellow"))


def comparison_words(report: EvalReport, found: Comparison) -> str:
    """What a comparison came to: of the method that the other run does without, or of the other run itself."""
    if report.is_ablation and found.b.startswith(WITHOUT):
        words = {"better": "✓ helps", "worse": "✓ hurts", "unstable": "◦ unstable", "none": "✗ no reliable effect"}
    else:
        words = {"better": "✓ worse", "worse": "✓ better", "unstable": "◦ unstable", "none": "✗ no reliable effect"}
    return words[found.verdict]


def change_text(found: Comparison) -> str:
    """What the other run changes, with its interval. Example: "-.165 [-.248, -.078]"."""
    low, high = share_text(-found.high, signed=True), share_text(-found.low, signed=True)
    return f"{share_text(-found.difference, signed=True)} [{low}, {high}]"


def p_text(p: float) -> str:
    """A p value with three decimals, "< .001" below that."""
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def share_text(value: float, *, signed: bool = False) -> str:
    """A value in [-1, 1] as .804, others with two decimals. Example: share_text(0.0812, signed=True) -> "+.081"."""
    if abs(value) > 1:
        return f"{value:+,.2f}" if signed else f"{value:,.2f}"
    text = f"{round(value, 3) + 0.0:+.3f}" if signed else f"{value:.3f}"  # + 0.0: no minus before a zero
    return text if abs(round(value, 3)) >= 1 else text.replace("0.", ".", 1)


def measured_text(found: Measured) -> str:
    """A mean with its interval, a dot where nothing was measured. Example: ".804 [.716, .882]"."""
    if not found.count:
        return "·"
    interval = found.interval
    return f"{share_text(interval.mean)} [{share_text(interval.low)}, {share_text(interval.high)}]"


def times_text(times: Times) -> str:
    """Milliseconds, p50 and p95. Example: "110 / 240"."""
    return f"{times.p50:,.0f} / {times.p95:,.0f}"


def _print_runs(console: Console, report: EvalReport) -> None:
    names = list(report.runs[0].measures)
    width = _name_width([each.run.name for each in (*report.runs, report.oracle) if each])
    has_times = any(each.search_ms or each.answer_ms for each in report.runs)
    room = console.width - width - (TIME_WIDTH if has_times and console.width >= 100 else 0)
    shown = names[: max(1, room // MEASURE_WIDTH)]
    layout = _layout("run", width, shown)
    show_times = has_times and console.width >= 100
    if show_times:
        layout.add_column("ms p50 / p95", justify="right", no_wrap=True)
    for each in (*report.runs, report.oracle) if report.oracle else report.runs:
        cells = [measured_text(each.measures[name]) for name in shown]
        layout.add_row(foreign(each.run.name), *cells, *([_times_text(each)] if show_times else []))
    console.print(layout)
    if len(shown) < len(names):
        console.print(foreign(f"… and {', '.join(names[len(shown) :])} (with --json or --html)", "dim"))


def _print_sizes(console: Console, report: EvalReport) -> None:
    """By the first measure; the others are in the JSON and the page."""
    measure = next(iter(report.runs[0].measures))
    width = _name_width([each.run.name for each in report.runs])
    console.print(foreign(f"{measure} by the number of documents", "bold"))
    layout = _layout("run", width, [f"{each.documents:,}" for each in report.sizes])
    for place, run in enumerate(report.runs):
        layout.add_row(
            foreign(run.run.name), *(measured_text(each.runs[place].measures[measure]) for each in report.sizes)
        )
    console.print(layout)


def _print_comparisons(console: Console, report: EvalReport) -> None:
    """By the first measure; the others are in the JSON and the page."""
    measure = report.comparisons[0].measure
    found = [each for each in report.comparisons if each.measure == measure]
    means = {each.run.name: each.measures[measure].interval.mean for each in report.runs}
    is_wide, is_narrow = console.width >= WIDE, console.width < NARROW
    heads = (measure, "change", "p", "p Holm") if is_wide else ("change",) if is_narrow else ("change", "p Holm")
    first = "− without, + with" if report.is_ablation else f"against {report.runs[0].run.name}"
    layout = _layout(first, max(NARROWEST_NAME, min(WIDEST_NAME, console.width - COMPARISON_WIDTH)), heads)
    layout.add_column("", no_wrap=is_wide)
    for each in found:
        cells = {
            measure: share_text(means[each.b]),
            "change": share_text(-each.difference, signed=True) if is_narrow else change_text(each),
            "p": p_text(each.p),
            "p Holm": p_text(each.p_holm),
        }
        name = each.b
        layout.add_row(foreign(name), *(cells[head] for head in heads), comparison_words(report, each))
    console.print()
    console.print(layout)


def _print_groups(console: Console, report: EvalReport) -> None:
    for run in report.runs:
        if not run.groups:
            continue
        names = list(run.measures)
        width = _name_width(list(run.groups))
        shown = names[: max(1, (console.width - width) // GROUP_WIDTH)]
        layout = _layout(report.grouped_by, width, shown)
        for value, measures in run.groups.items():
            layout.add_row(foreign(value), *(_group_text(measures, name) for name in shown))
        console.print()
        console.print(foreign(run.run.name, "bold"))
        console.print(layout)


def _layout(first: str, width: int, others: Sequence[str]) -> Layout:
    layout = Layout(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    layout.add_column(foreign(first), max_width=width, overflow="fold")
    for name in others:
        layout.add_column(foreign(name), justify="right", no_wrap=True)
    return layout


def _name_width(names: Sequence[str]) -> int:
    return max(NARROWEST_NAME, min(WIDEST_NAME, max(map(len, names), default=0)))


def _group_text(measures: Mapping[str, Measured], name: str) -> str:
    found = measures.get(name)
    return f"{share_text(found.interval.mean)} ({found.count})" if found and found.count else "·"


def _times_text(run: RunReport) -> str:
    times = run.answer_ms or run.search_ms
    return times_text(times) if times else ""
