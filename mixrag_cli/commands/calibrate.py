"""mixrag calibrate: what each source's scores are worth in this collection, from judged questions or without."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixrag_cli.commands.options import Face, command, ensure_folders
from mixrag_cli.errors import WrongUsage
from mixrag_cli.output.streams import write_json

if TYPE_CHECKING:
    from mixrag_cli.stories.calibrating import CalibrationReport


@command
def calibrate(
    labels: Annotated[
        Path | None,
        typer.Argument(
            metavar="LABELS",
            help='JSON lines such as {"question": "…", "path": "report.pdf", "page": 4}; without, questions are drawn.',
        ),
    ] = None,
    reset: Annotated[bool, typer.Option("--reset", help="Go back to the thresholds that are shipped.")] = False,
    page: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write the report as a page.")] = None,
    wait_s: Annotated[
        float, typer.Option("--wait", metavar="S", min=0, help="Wait this many seconds for an index run to end.")
    ] = 0,
    *,
    face: Face,
) -> None:
    """Fit the thresholds of each source to this index, with labels or without.

    A label names a file and may narrow it by "page", "lines" or "cells"; "relevant": false says that the place does
    not answer the question.
    """
    if reset and (labels is not None or page is not None):
        raise WrongUsage("--reset takes neither labels nor --html")
    ensure_folders(page)
    settings = face.settings()
    if reset:
        from mixrag_cli.stories.calibrating import reset_calibration

        _tell(reset_calibration(Path.cwd(), settings, wait_s), face, None)
        return
    from mixrag_cli.stories.labels import read_labels

    judged = read_labels(labels) if labels is not None else []
    with face.watch_run() as view:
        from mixrag_cli.stories.calibrating import calibrate_store

        report = calibrate_store(Path.cwd(), settings, judged, view, wait_s)
    _tell(report, face, page)


def _tell(report: CalibrationReport, face: Face, page: Path | None) -> None:
    """The report on stdout, as JSON or for people, and as a page where one was asked for."""
    if page is not None:
        from mixrag_cli.output.calibration_page import calibration_page

        page.write_text(calibration_page(report), "utf-8")
        face.note(f"report written to {page}")
    if face.json:
        from mixrag_cli.output.payloads import calibration_to_json

        write_json(calibration_to_json(report))
        return
    from mixrag_cli.output.calibration_view import print_calibration

    print_calibration(face.console(), report)
