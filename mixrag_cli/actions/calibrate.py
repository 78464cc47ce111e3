"""mixrag calibrate: what each source's scores are worth in this collection, from judged questions or without."""

from __future__ import annotations

from pathlib import Path

from mixrag_cli.actions.caller import ensure_folders, settings_of
from mixrag_cli.actions.run_view import view_of
from mixrag_cli.actions.screen import render
from mixrag_cli.commands.options import Face
from mixrag_cli.errors import WrongUsage
from mixrag_cli.output.calibration_page import calibration_page
from mixrag_cli.output.calibration_view import print_calibration
from mixrag_cli.output.payloads import calibration_to_json
from mixrag_cli.stories.calibrating_by_wish import CalibrationReport, calibrate_store, reset_calibration
from mixrag_cli.stories.labels import Labels, read_labels


def calibrate(labels: Path | None, reset: bool, page: Path | None, wait_s: float, face: Face) -> None:
    """Fit the thresholds of each source to this index, with labels or without."""
    if reset and (labels is not None or page is not None):
        raise WrongUsage("--reset takes neither labels nor --html")
    ensure_folders(page)
    settings = settings_of(face)
    if reset:
        _tell(reset_calibration(Path.cwd(), settings, wait_s), face, None)
        return

    judged = read_labels(labels) if labels is not None else Labels()
    with view_of(face) as view:
        report = calibrate_store(Path.cwd(), settings, judged, view, wait_s)
    _tell(report, face, page)


def _tell(report: CalibrationReport, face: Face, page: Path | None) -> None:
    """The report on stdout, as JSON or for people, and as a page where one was asked for."""
    if page is not None:
        page.write_text(calibration_page(report), "utf-8")
        face.note(f"report written to {page}")
    render(face, calibration_to_json, print_calibration, report)
