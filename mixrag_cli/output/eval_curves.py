"""How measures change with the size of the corpus: a table, and a curve a run as inline SVG.

Source: MixRAG, section 5.4, figure 5.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mixrag_cli.output.eval_view import measured_text, share_text
from mixrag_cli.output.html_page import SVG_WIDTH, escaped, html_table

if TYPE_CHECKING:
    from mixrag_cli.evaluation.reporting import EvalReport, Measured

HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 260, 60, 190, 14, 34
TICKS = 5
ASIDE = 6  # of each run to the right of the one before, so that their intervals do not lie on one another
NAME_CHARS = 24  # of a run's name beside its curve
# Told apart by their dashes as well as by their place, so that no colour has to be.
DASHES = ("none", "7 4", "2 3", "10 3 2 3")

Curve = Sequence[tuple[int, "Measured"]]


def size_curves(report: EvalReport) -> Iterator[str]:
    """A heading, a table and a plot for each measure; nothing of an evaluation of one size."""
    if not report.sizes:
        return
    for name in report.runs[0].measures:
        curves = {
            run.run.name: [(sized.documents, sized.runs[place].measures[name]) for sized in report.sizes]
            for place, run in enumerate(report.runs)
        }
        if all(found.count for curve in curves.values() for _, found in curve):
            yield f"<h2>{escaped(name)} by the number of documents</h2>"
            heads = ["run", *(f"{sized.documents:,}" for sized in report.sizes)]
            yield html_table(
                heads, ([run, *(measured_text(found) for _, found in each)] for run, each in curves.items())
            )
            yield _plot(curves)


@dataclass(frozen=True, slots=True)
class _Frame:
    """What points are placed in: numbers of documents, by their logarithm, and values."""

    few: int
    many: int
    low: float
    high: float

    def x(self, size: int) -> float:
        span = math.log(self.many / self.few)
        along = math.log(size / self.few) / span if span else 0.5
        return round(LEFT + along * (SVG_WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        up = (value - self.low) / (self.high - self.low)
        return round(TOP + (1 - up) * (HEIGHT - TOP - BOTTOM), 1)


def _plot(curves: Mapping[str, Curve]) -> str:
    """The curves, each point with its interval."""
    points = [point for curve in curves.values() for point in curve]
    sizes = sorted({size for size, _ in points})
    low = min(found.interval.low for _, found in points)
    high = max(max(found.interval.high for _, found in points), low + 1e-3)
    frame = _Frame(sizes[0], sizes[-1], low, high)
    parts = [f'<svg viewBox="0 0 {SVG_WIDTH} {HEIGHT}" role="img">', *_axes(frame, sizes)]
    for number, (name, curve) in enumerate(curves.items()):
        parts += _drawn(frame, name, curve, number)
    return "".join([*parts, "</svg>"])


def _axes(frame: _Frame, sizes: Sequence[int]) -> Iterator[str]:
    for tick in range(TICKS):
        value = frame.low + (frame.high - frame.low) * tick / (TICKS - 1)
        y = frame.y(value)
        yield f'<line class="axis" x1="{LEFT}" y1="{y}" x2="{SVG_WIDTH - RIGHT}" y2="{y}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{share_text(value)}</text>'
    for size in sizes:
        yield f'<text x="{frame.x(size)}" y="{HEIGHT - 10}" text-anchor="middle">{size:,}</text>'


def _drawn(frame: _Frame, name: str, curve: Curve, number: int) -> Iterator[str]:
    dash = DASHES[number % len(DASHES)]
    places = [(round(frame.x(size) + ASIDE * number, 1), found.interval) for size, found in curve]
    path = " ".join(f"{x},{frame.y(within.mean)}" for x, within in places)
    yield f'<polyline class="bar" fill="none" stroke-dasharray="{dash}" points="{path}"/>'
    for x, within in places:
        yield f'<line class="axis" x1="{x}" y1="{frame.y(within.low)}" x2="{x}" y2="{frame.y(within.high)}"/>'
        yield f'<circle class="dot" cx="{x}" cy="{frame.y(within.mean)}" r="3"/>'
    x, last = places[-1]
    yield f'<text x="{x + 10:.1f}" y="{frame.y(last.mean) + 4}">{escaped(name[:NAME_CHARS])}</text>'
