"""Who watches a run that takes its time."""

from __future__ import annotations

from mixrag_cli.commands.options import Face
from mixrag_cli.output.progress import RunView, watch_run


def view_of(face: Face) -> RunView:
    """Bars, notes, or nobody, as the caller wants it."""
    return watch_run(quiet=face.quiet, color=face.color.value)
