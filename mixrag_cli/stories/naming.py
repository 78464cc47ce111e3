"""Which remembered files a person means: by the path that mixrag prints, or by where they lie on the disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mixrag_cli.records.files import DocumentRow
from mixrag_cli.stories.roots import places_meant, source_path
from mixrag_cli.stories.scope import path_matches


def rows_named(rows: Sequence[DocumentRow], store: Path, text: str, here: Path) -> list[DocumentRow]:
    """The files that a text names, if any: a path, a folder or a glob, as mixrag prints it or with a place behind it
    ("a.pdf#page=4"); else where they lie, absolute or relative to here.
    """
    for pattern in dict.fromkeys((text, text.partition("#")[0])):
        if not pattern:
            continue
        if found := [row for row in rows if path_matches(row.path, pattern)]:
            return found
        places = places_meant(pattern, here, rows, store)
        lying = [(row, str(source_path(row, store))) for row in rows]
        if found := [row for row, path in lying if any(path_matches(path, place) for place in places)]:
            return found
    return []
