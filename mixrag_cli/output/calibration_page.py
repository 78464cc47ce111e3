"""A calibration as one HTML page: for each source and kind of passage its scores as inline SVG, and its threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mixrag_cli.output.calibration_view import ANY_KIND, answers_lines, source_lines, worth_a_plot
from mixrag_cli.output.eval_view import share_text
from mixrag_cli.output.html_page import SVG_WIDTH, escaped, html_page
from mixrag_cli.output.terminal import origin_text
from mixrag_cli.retrieval.acceptance import JUDGES

if TYPE_CHECKING:
    from mixrag_cli.retrieval.assessment import Assessment, SourceAssessment
    from mixrag_cli.stories.calibrating_by_wish import CalibrationReport

ROW_HEIGHT, GAP, AXIS_HEIGHT = 60, 14, 26
LABEL_WIDTH, RIGHT_MARGIN = 150, 20


def calibration_page(report: CalibrationReport) -> str:
    """The whole page."""
    parts = [f"<p>For rerank {escaped(report.rerank)}: {escaped(origin_text(report.calibration))}.</p>"]
    parts += [f"<p>{escaped(note)}</p>" for note in report.notes]
    parts += [f"<p>{escaped(line)}</p>" for line in answers_lines(report)]
    if report.assessment is not None:
        parts += _assessment(report.assessment)
    return html_page("mixrag calibrate", parts)


def _assessment(found: Assessment) -> Iterator[str]:
    yield f"<p>{found.questions:,} questions, {found.found:,} with a relevant passage among the candidates.</p>"
    yield (
        f"<p>Expected calibration error {share_text(found.error)} (shipped: {share_text(found.error_before)}). "
        "Figures of what was fitted are of questions that were left out while fitting.</p>"
    )
    yield '<p class="dim">A full red line is the threshold, a broken one the shipped one.</p>'
    for each in worth_a_plot(found):
        kind = "all passages" if each.modality == ANY_KIND else each.modality
        yield f"<h2>{escaped(f'{each.source}, {kind}')}</h2>"
        yield f"<p>{escaped('; '.join(source_lines(each)))}</p>"
        yield _plot(each)


def _plot(found: SourceAssessment) -> str:
    """Two histograms over one axis, each scaled to its own highest."""
    bottom = 2 * ROW_HEIGHT + GAP
    parts = [f'<svg viewBox="0 0 {SVG_WIDTH} {bottom + AXIS_HEIGHT}" role="img">']
    parts += _bars("hits", f"{found.n_relevant:,} relevant", found.relevant, ROW_HEIGHT)
    parts += _bars("rest", f"{found.n_other:,} other", found.other, bottom)
    thresholds = (("was", found.threshold_before), ("cut", found.threshold)) if found.source in JUDGES else ()
    for style, threshold in thresholds:
        if threshold is not None and found.low <= threshold <= found.high:
            x = _x((threshold - found.low) / ((found.high - found.low) or 1))
            parts.append(f'<line class="{style}" x1="{x}" y1="0" x2="{x}" y2="{bottom}"/>')
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        value = found.low + share * (found.high - found.low)
        parts.append(f'<text x="{_x(share)}" y="{bottom + 18}" text-anchor="{anchor}">{value:.3f}</text>')
    return "".join([*parts, "</svg>"])


def _bars(style: str, label: str, counts: Sequence[int], bottom: int) -> Iterator[str]:
    yield f'<text x="{LABEL_WIDTH - 12}" y="{bottom - ROW_HEIGHT // 2}" text-anchor="end">{escaped(label)}</text>'
    yield f'<line class="axis" x1="{_x(0)}" y1="{bottom}" x2="{_x(1)}" y2="{bottom}"/>'
    highest = max(counts, default=0) or 1
    width = round(_x(1 / len(counts)) - _x(0) - 1, 1)
    for place, count in enumerate(counts):
        if count:
            height = round(ROW_HEIGHT * count / highest, 1)
            x = _x(place / len(counts))
            yield f'<rect class="{style}" x="{x}" y="{bottom - height}" width="{width}" height="{height}"/>'


def _x(share: float) -> float:
    return round(LABEL_WIDTH + (SVG_WIDTH - LABEL_WIDTH - RIGHT_MARGIN) * share, 1)
