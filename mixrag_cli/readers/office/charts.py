"""The charts of slides as the small tables that they are drawn from: categories down, series across.

The series are read from the chart's own XML, where all kinds of charts keep them alike; python-pptx knows no chart in
three dimensions, of stocks or of surfaces.
Source: ECMA-376, part 1, 21.2.2 (c:plotArea, c:ser, c:cat, c:xVal, c:val, c:yVal).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mixrag_cli.readers.office.markup import table_markup

CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
MAX_CHART_POINTS = 1_000
MAX_SERIES = 250  # of one plot; a spreadsheet program draws 255

Points = dict[int, str]  # texts by their place


@dataclass(frozen=True, slots=True)
class _Series:
    """A row or line of a chart; categories and values by their place."""

    name: str
    categories: Points
    values: Points


def chart_markup(chart: Any) -> str:
    """A table a plot, headed by the chart's title; series over other categories make a table of their own."""
    title = chart.chart_title.text_frame.text if chart.has_title and chart.chart_title.has_text_frame else ""
    area = chart._chartSpace.find(f"{CHART}chart/{CHART}plotArea")
    plots = [] if area is None else [plot for plot in area if isinstance(plot.tag, str) and plot.tag.endswith("Chart")]
    return "".join(table_markup(rows, title) for plot in plots for rows in _tables_of(plot))


def _tables_of(plot: Any) -> Iterator[list[list[str]]]:
    groups: dict[tuple[tuple[int, str], ...], list[_Series]] = {}
    for series in map(_read_series, plot.findall(f"{CHART}ser")[:MAX_SERIES]):
        groups.setdefault(tuple(sorted(series.categories.items())), []).append(series)
    for series_list in groups.values():
        yield _rows_of(series_list)


def _rows_of(series_list: list[_Series]) -> list[list[str]]:
    categories = series_list[0].categories
    n_points = max((place + 1 for series in series_list for place in (*series.categories, *series.values)), default=0)
    rows = [["", *(series.name for series in series_list)]]
    for place in range(n_points):
        label = categories.get(place, "") if categories else str(place + 1)
        rows.append([label, *(series.values.get(place, "") for series in series_list)])
    return rows


def _read_series(series: Any) -> _Series:
    name = " ".join(_points_of(series.find(f"{CHART}tx")).values())
    categories = series.find(f"{CHART}cat")
    values = series.find(f"{CHART}val")
    categories = series.find(f"{CHART}xVal") if categories is None else categories
    values = series.find(f"{CHART}yVal") if values is None else values
    shown = {place: _value_text(text) for place, text in _points_of(values).items()}
    return _Series(name, _points_of(categories), shown)


def _points_of(data: Any) -> Points:
    """The texts of a c:tx, c:cat or c:val; of categories in levels those of the innermost, which comes first."""
    if data is None:
        return {}
    level = data.find(f".//{CHART}lvl")
    found: Points = {}
    for point in (data if level is None else level).iter(f"{CHART}pt"):
        place, text = point.get("idx", ""), point.findtext(f"{CHART}v") or ""
        if place.isdecimal() and len(place) < 9 and int(place) < MAX_CHART_POINTS and text.strip():
            found[int(place)] = text
    return found or _literal(data)


def _literal(data: Any) -> Points:
    """The name of a series that is written out, not taken from a sheet."""
    text = data.findtext(f"{CHART}v")
    return {0: text} if text else {}


def _value_text(text: str) -> str:
    """The stored binary number in its shortest form; what is no number as it stands."""
    try:
        return f"{float(text):.15g}"
    except ValueError:
        return text
