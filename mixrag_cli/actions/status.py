"""mixrag status: what is indexed, what is not and why, models, thresholds, size, age."""

from __future__ import annotations

from pathlib import Path

from mixrag_cli.actions.caller import settings_of
from mixrag_cli.actions.screen import render
from mixrag_cli.commands.options import Face
from mixrag_cli.output.payloads import status_to_json
from mixrag_cli.output.terminal import print_status
from mixrag_cli.stories.inspection import read_status


def status(skipped: bool, changed: bool, face: Face) -> None:
    """Tell what is in the index, and what is not."""
    found = read_status(Path.cwd(), settings_of(face))
    render(face, status_to_json, print_status, found, list_skipped=skipped, list_changed=changed)
