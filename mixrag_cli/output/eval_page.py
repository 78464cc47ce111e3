"""An evaluation as one HTML page: tables, and plots of means and differences with their intervals as inline SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mixrag_cli.output.eval_curves import size_curves
from mixrag_cli.output.eval_view import (
    change_text,
    comparison_words,
    measured_text,
    p_text,
    share_text,
    times_text,
)
from mixrag_cli.output.html_page import SVG_WIDTH, escaped, html_page, html_table

if TYPE_CHECKING:
    from mixrag_cli.evaluation.reporting import Comparison, EvalReport, Measured

LABEL_WIDTH, RIGHT_MARGIN = 290, 70
ROW_HEIGHT, AXIS_HEIGHT = 26, 30
TICKS = 5
LABEL_CHARACTERS = 42


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of a plot: a value between its bounds. is_weak: drawn grey, for what is not reliable."""

    label: str
    low: float
    value: float
    high: float
    is_weak: bool = False


def evaluation_page(report: EvalReport) -> str:
    """The whole page."""
    parts = [*_intro(report), *_runs(report), *size_curves(report), *_comparisons(report), *_groups(report)]
    return html_page(f"mixrag eval: {report.dataset}", parts)


def _intro(report: EvalReport) -> Iterator[str]:
    split = f", split {report.split}" if report.split else ""
    asked = f"{report.queries:,} questions{split}. Means with 95 % bootstrap intervals (10,000 resamples)."
    yield f"<p>{escaped(asked)}</p>"
    models = ", ".join(f"{part}: {name}" for part, name in report.models.items())
    yield f'<p class="dim">{escaped(models)}</p>'
    yield from (f"<p>{escaped(note)}</p>" for note in report.notes)


def _runs(report: EvalReport) -> Iterator[str]:
    names = list(report.runs[0].measures)
    told = (*report.runs, report.oracle) if report.oracle else report.runs
    rows = [[each.run.name, *(measured_text(each.measures[name]) for name in names)] for each in told]
    yield "<h2>Runs</h2>"
    yield html_table(["run", *names], rows)
    timed = [each for each in report.runs if each.search_ms or each.answer_ms]
    if timed:
        yield "<h2>Milliseconds a question, p50 / p95</h2>"
        pairs = (
            [each.run.name, *(times_text(t) if t else "·" for t in (each.search_ms, each.answer_ms))] for each in timed
        )
        yield html_table(["run", "search", "answer"], pairs)
    for name in names:
        shown = [each for each in report.runs if each.measures[name].count]
        if shown:
            yield f"<h2>{escaped(name)}</h2>"
            intervals = [(each.run.name, each.measures[name].interval) for each in shown]
            yield _plot([_Row(label, found.low, found.mean, found.high) for label, found in intervals])


def _comparisons(report: EvalReport) -> Iterator[str]:
    for measure in dict.fromkeys(found.measure for found in report.comparisons):
        family = [found for found in report.comparisons if found.measure == measure]
        yield f"<h2>{escaped(measure)}: change against {escaped(report.runs[0].run.name)}</h2>"
        splits = list(family[0].by_split)
        heads = ["− without, + with" if report.is_ablation else "run", "change", "p", "p Holm", "p FDR", *splits, ""]
        yield html_table(heads, (_comparison_cells(report, found, splits) for found in family))
        rows = [_Row(found.b, -found.high, -found.difference, -found.low, found.verdict == "none") for found in family]
        yield _plot(rows, zero=True)


def _comparison_cells(report: EvalReport, found: Comparison, splits: Sequence[str]) -> list[str]:
    return [
        found.b,
        change_text(found),
        p_text(found.p),
        p_text(found.p_holm),
        p_text(found.p_fdr),
        *(share_text(-found.by_split[name], signed=True) for name in splits),
        comparison_words(report, found),
    ]


def _groups(report: EvalReport) -> Iterator[str]:
    for run in report.runs:
        if run.groups:
            names = list(run.measures)
            yield f"<h2>{escaped(run.run.name)} by {escaped(report.grouped_by)}</h2>"
            yield html_table(
                [report.grouped_by, *names], (_group_cells(value, each, names) for value, each in run.groups.items())
            )


def _group_cells(value: str, measures: Mapping[str, Measured], names: Sequence[str]) -> list[str]:
    return [value, *(f"{measured_text(measures[name])} ({measures[name].count})" for name in names)]


def _plot(rows: Sequence[_Row], *, zero: bool = False) -> str:
    """Values with their intervals on one axis, a line each."""
    low, high = _bounds(rows, zero=zero)
    height = ROW_HEIGHT * len(rows) + AXIS_HEIGHT
    axis_y = ROW_HEIGHT * len(rows) + 4
    parts = [f'<svg viewBox="0 0 {SVG_WIDTH} {height}" role="img">']
    for tick in range(TICKS):
        value = low + (high - low) * tick / (TICKS - 1)
        x = _x(value, low, high)
        parts.append(f'<line class="axis" x1="{x}" y1="0" x2="{x}" y2="{axis_y}"/>')
        parts.append(f'<text x="{x}" y="{axis_y + 18}" text-anchor="middle">{share_text(value, signed=zero)}</text>')
    if zero:
        x = _x(0.0, low, high)
        parts.append(f'<line class="zero" x1="{x}" y1="0" x2="{x}" y2="{axis_y}"/>')
    parts += [_plot_row(row, number, low, high, signed=zero) for number, row in enumerate(rows)]
    return "".join([*parts, "</svg>"])


def _plot_row(row: _Row, number: int, low: float, high: float, *, signed: bool) -> str:
    y = ROW_HEIGHT * number + ROW_HEIGHT // 2
    label = row.label if len(row.label) <= LABEL_CHARACTERS else row.label[: LABEL_CHARACTERS - 1] + "…"
    return (
        f'<g class="{"weak" if row.is_weak else "sure"}">'
        f'<text x="{LABEL_WIDTH - 12}" y="{y + 4}" text-anchor="end">{escaped(label)}</text>'
        f'<line class="bar" x1="{_x(row.low, low, high)}" y1="{y}" x2="{_x(row.high, low, high)}" y2="{y}"/>'
        f'<circle class="dot" cx="{_x(row.value, low, high)}" cy="{y}" r="4"/>'
        f'<text x="{SVG_WIDTH - RIGHT_MARGIN + 14}" y="{y + 4}">{share_text(row.value, signed=signed)}</text></g>'
    )


def _bounds(rows: Sequence[_Row], *, zero: bool) -> tuple[float, float]:
    low = min([row.low for row in rows] + ([0.0] if zero else []))
    high = max([row.high for row in rows] + ([0.0] if zero else []))
    margin = max((high - low) * 0.05, 1e-3)
    return low - margin, high + margin


def _x(value: float, low: float, high: float) -> float:
    width = SVG_WIDTH - LABEL_WIDTH - RIGHT_MARGIN
    return round(LABEL_WIDTH + width * (value - low) / (high - low), 1)
