"""An evaluation as one HTML page: tables, and plots of means and differences with their intervals as inline SVG.

The page loads nothing and runs nothing; its policy says so to the browser, and every string on it is escaped.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mixrag_cli.cleaning import safe_text
from mixrag_cli.evaluation.ablation import WITHOUT
from mixrag_cli.output.eval_view import change_text, comparison_words, p_text, share_text

if TYPE_CHECKING:
    from mixrag_cli.evaluation.reporting import Comparison, EvalReport, Measured

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.2rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;display:block;overflow-x:auto}
th,td{padding:.25rem .8rem .25rem 0;text-align:right;border-bottom:1px solid #e4e4e4;white-space:nowrap}
th:first-child,td:first-child{text-align:left}td:last-child{text-align:left}
.dim{color:#777}svg{max-width:100%;height:auto;display:block}
text{font:13px system-ui,sans-serif;fill:#222}.axis{stroke:#bbb}.zero{stroke:#999;stroke-dasharray:3 3}
.bar{stroke:#2b6cb0;stroke-width:2}.dot{fill:#2b6cb0}.weak .bar{stroke:#9aa5b1}.weak .dot{fill:#9aa5b1}
@media(prefers-color-scheme:dark){body{background:#16181d;color:#ddd}text{fill:#ddd}th,td{border-color:#333}}
"""
PLOT_WIDTH, LABEL_WIDTH, RIGHT_MARGIN = 760, 290, 70
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
    title = f"mixrag eval: {report.dataset}"
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{_text(title)}</title><style>{STYLE}</style></head><body>",
            f"<h1>{_text(title)}</h1>",
            *_intro(report),
            *_runs(report),
            *_comparisons(report),
            *_groups(report),
            "</body></html>",
            "",
        ]
    )


def _intro(report: EvalReport) -> Iterator[str]:
    split = f", split {report.split}" if report.split else ""
    yield f"<p>{report.queries:,} questions{_text(split)}. Means with 95 % bootstrap intervals (10,000 resamples).</p>"
    models = ", ".join(f"{part}: {name}" for part, name in report.models.items())
    yield f'<p class="dim">{_text(models)}</p>'
    yield from (f"<p>{_text(note)}</p>" for note in report.notes)


def _runs(report: EvalReport) -> Iterator[str]:
    names = list(report.runs[0].measures)
    rows = [[each.run.name, *(_interval_text(each.measures[name]) for name in names)] for each in report.runs]
    yield "<h2>Runs</h2>"
    yield _table(["run", *names], rows)
    timed = [each for each in report.runs if each.search_ms or each.answer_ms]
    if timed:
        yield "<h2>Milliseconds a question, p50 / p95</h2>"
        pairs = (
            [each.run.name, *(f"{t.p50:,.0f} / {t.p95:,.0f}" if t else "·" for t in (each.search_ms, each.answer_ms))]
            for each in timed
        )
        yield _table(["run", "search", "answer"], pairs)
    for name in names:
        shown = [each for each in report.runs if each.measures[name].count]
        if shown:
            yield f"<h2>{_text(name)}</h2>"
            intervals = [(each.run.name, each.measures[name].interval) for each in shown]
            yield _plot([_Row(label, found.low, found.mean, found.high) for label, found in intervals])


def _comparisons(report: EvalReport) -> Iterator[str]:
    for measure in dict.fromkeys(found.measure for found in report.comparisons):
        family = [found for found in report.comparisons if found.measure == measure]
        yield f"<h2>{_text(measure)}: change against {_text(report.runs[0].run.name)}</h2>"
        splits = list(family[0].by_split)
        heads = ["method removed" if report.is_ablation else "run", "change", "p", "p Holm", *splits, ""]
        yield _table(heads, (_comparison_cells(report, found, splits) for found in family))
        rows = [_Row(found.b, -found.high, -found.difference, -found.low, found.verdict == "none") for found in family]
        yield _plot(rows, zero=True)


def _comparison_cells(report: EvalReport, found: Comparison, splits: Sequence[str]) -> list[str]:
    return [
        found.b.removeprefix(WITHOUT),
        change_text(found),
        p_text(found.p),
        p_text(found.p_holm),
        *(share_text(-found.by_split[name], signed=True) for name in splits),
        comparison_words(report, found),
    ]


def _groups(report: EvalReport) -> Iterator[str]:
    for run in report.runs:
        if run.groups:
            names = list(run.measures)
            yield f"<h2>{_text(run.run.name)} by {_text(report.grouped_by)}</h2>"
            yield _table(
                [report.grouped_by, *names], (_group_cells(value, each, names) for value, each in run.groups.items())
            )


def _group_cells(value: str, measures: Mapping[str, Measured], names: Sequence[str]) -> list[str]:
    return [value, *(f"{_interval_text(measures[name])} ({measures[name].count})" for name in names)]


def _interval_text(found: Measured) -> str:
    if not found.count:
        return "·"
    interval = found.interval
    return f"{share_text(interval.mean)} [{share_text(interval.low)}, {share_text(interval.high)}]"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{_text(each)}</th>" for each in heads)
    body = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _plot(rows: Sequence[_Row], *, zero: bool = False) -> str:
    """Values with their intervals on one axis, a line each."""
    low, high = _bounds(rows, zero=zero)
    height = ROW_HEIGHT * len(rows) + AXIS_HEIGHT
    axis_y = ROW_HEIGHT * len(rows) + 4
    parts = [f'<svg viewBox="0 0 {PLOT_WIDTH} {height}" role="img">']
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
        f'<text x="{LABEL_WIDTH - 12}" y="{y + 4}" text-anchor="end">{_text(label)}</text>'
        f'<line class="bar" x1="{_x(row.low, low, high)}" y1="{y}" x2="{_x(row.high, low, high)}" y2="{y}"/>'
        f'<circle class="dot" cx="{_x(row.value, low, high)}" cy="{y}" r="4"/>'
        f'<text x="{PLOT_WIDTH - RIGHT_MARGIN + 14}" y="{y + 4}">{share_text(row.value, signed=signed)}</text></g>'
    )


def _bounds(rows: Sequence[_Row], *, zero: bool) -> tuple[float, float]:
    low = min([row.low for row in rows] + ([0.0] if zero else []))
    high = max([row.high for row in rows] + ([0.0] if zero else []))
    margin = max((high - low) * 0.05, 1e-3)
    return low - margin, high + margin


def _x(value: float, low: float, high: float) -> float:
    width = PLOT_WIDTH - LABEL_WIDTH - RIGHT_MARGIN
    return round(LABEL_WIDTH + width * (value - low) / (high - low), 1)


def _text(text: str) -> str:
    return html.escape(safe_text(text, keep_newlines=False))
