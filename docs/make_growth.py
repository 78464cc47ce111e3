"""Draw docs/growth.svg: how time, memory and disk grow with a collection, from the table in docs/measurements.md.

    python docs/make_growth.py

One panel a row of the table that holds a figure for each size; both axes are logarithmic. The dashed line is what grows
as the collection does.
"""

from __future__ import annotations

import math
import re
from html import escape
from pathlib import Path

DOCS = Path(__file__).parent
HEADING = "## As a collection grows"
SHOWN = {  # rows, and their unit
    "indexing, without embedding": "s",
    "bytes of the store": "MB",
    "warm retrieval, median (40 by words, 60 by meaning, the words' weights)": "ms",
    "cold `mixrag search`, median": "ms",
    "peak memory of `mixrag search`": "MB",
}
WIDTH, HEIGHT, GAP, MARGIN = 150, 120, 40, 30
NUMBER = re.compile(r"[\d,]+(?:\.\d+)?")


def read_table(page: str) -> tuple[list[float], dict[str, list[float]]]:
    """The sizes, and of each row that is shown its first number in each column."""
    lines = [line for line in page.partition(HEADING)[2].split("\n## ")[0].splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    rows = {row[0]: [_number(cell) for cell in row[1:]] for row in cells if row[0] in SHOWN}
    return [_number(cell) for cell in cells[0][1:]], rows


def draw(sizes: list[float], rows: dict[str, list[float]]) -> str:
    """The picture, as SVG."""
    panels = [_panel(place, name, sizes, values) for place, (name, values) in enumerate(rows.items())]
    width, height = GAP + len(panels) * (WIDTH + GAP), HEIGHT + 2 * MARGIN + 10
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'font-size="9"><rect width="{width}" height="{height}" fill="white"/>{"".join(panels)}</svg>\n'
    )


def _panel(place: int, name: str, sizes: list[float], values: list[float]) -> str:
    left, top = GAP + place * (WIDTH + GAP), MARGIN
    logs = [math.log10(value) for value in values]
    low = math.floor(min(logs))
    span = max(3, math.ceil(max(logs)) - low)
    first, last = math.log10(sizes[0]), math.log10(sizes[-1])

    def at(size: float, value: float) -> tuple[float, float]:
        x = left + WIDTH * (math.log10(size) - first) / (last - first)
        return x, top + HEIGHT * (1 - (math.log10(value) - low) / span)

    ends = [(sizes[0], values[0]), (sizes[-1], min(values[0] * sizes[-1] / sizes[0], 10 ** (low + span)))]
    if ends[1][1] < values[0] * sizes[-1] / sizes[0]:
        ends[1] = (sizes[0] * ends[1][1] / values[0], ends[1][1])
    points = [at(size, value) for size, value in zip(sizes, values, strict=True)]
    parts = [
        f'<text x="{left}" y="{top - 12}">{escape(name.partition(" (")[0].replace("`", ""))}, {SHOWN[name]}</text>',
        f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#bbb"/>',
        _line([at(*end) for end in ends], "#999", dashed=True),
        _line(points, "#1f5fa8"),
    ]
    for (x, y), value in zip(points, values, strict=True):
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="#1f5fa8"/>')
        anchor = "end" if x > left + WIDTH - 20 else "start"
        parts.append(f'<text x="{x:.1f}" y="{y - 5:.1f}" text-anchor="{anchor}">{value:,g}</text>')
    for size, (x, _) in zip(sizes, points, strict=True):
        parts.append(f'<text x="{x:.1f}" y="{top + HEIGHT + 12}" text-anchor="middle">{size:,.0f}</text>')
    return "".join(parts)


def _line(points: list[tuple[float, float]], colour: str, *, dashed: bool = False) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashes = ' stroke-dasharray="3 3"' if dashed else ""
    return f'<polyline points="{path}" fill="none" stroke="{colour}"{dashes}/>'


def _number(cell: str) -> float:
    found = NUMBER.search(cell)
    if found is None:
        raise SystemExit(f"no figure in {cell!r}")
    return float(found[0].replace(",", ""))


def growth() -> str:
    """The picture of the table as it is."""
    return draw(*read_table((DOCS / "measurements.md").read_text("utf-8")))


def main() -> None:
    """Write the picture."""
    (DOCS / "growth.svg").write_text(growth(), "utf-8")


if __name__ == "__main__":
    main()
