"""mixrag publish: the index as it is now, put where others can read it."""

from __future__ import annotations

from pathlib import Path

from mixrag_cli.actions.caller import settings_of
from mixrag_cli.commands.options import Face
from mixrag_cli.output.publish_view import publish_line, publish_to_json
from mixrag_cli.output.streams import write_json
from mixrag_cli.stories.sharing import publish_index


def publish(address: str, face: Face) -> None:
    """Put the last commit where others can read it with --store ADDRESS."""
    done = publish_index(Path.cwd(), address, settings_of(face))
    if face.json:
        write_json(publish_to_json(done))
    else:
        face.note(publish_line(done))
