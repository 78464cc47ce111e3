"""A query that is exactly a file's name means the file: its best passage comes before all others."""

from __future__ import annotations

from collections.abc import Sequence

from mixrag_cli.records.passages import Hit
from mixrag_cli.store import StoreReader, build_filter
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.collection import Collection
from mixrag_cli.stories.scope import Scope, files_meant

LONGEST_NAME = 4_096  # characters; no file system has longer paths
MOST_NAMESAKES = 50  # files of one name that are put first; a name such as index.html says little beyond


def put_named_first(
    collection: Collection, query: str, scope: Scope, hits: Sequence[Hit], clock: Clock
) -> tuple[Hit, ...]:
    """The hits with the best of each file that the query names before all others; as they were where it names none."""
    asked = query.strip()
    saying = collection.reader.documents_saying(asked) if 0 < len(asked) <= LONGEST_NAME else []
    rows = [row for row in saying if row.status == "indexed" and says_name(row.path, query)]
    named = [row.id for row in files_meant(scope, rows)][:MOST_NAMESAKES]
    if not named:
        return tuple(hits)
    missing = set(named) - {hit.chunk.document for hit in hits}
    found: list[Hit] = []
    if missing and isinstance(collection.reader, StoreReader):
        where = build_filter(
            document_ids=sorted(missing), modalities=scope.modalities or None, kinds=scope.kinds or None
        )
        found = collection.find(query, where, clock)
    best: dict[str, Hit] = {}
    for hit in (*hits, *found):
        if hit.chunk.document in named:
            best.setdefault(hit.chunk.document, hit)
    first = sorted(best.values(), key=lambda hit: (-hit.score, hit.path))
    taken = {hit.chunk.id for hit in first}
    return (*first, *(hit for hit in hits if hit.chunk.id not in taken))


def says_name(path: str, query: str) -> bool:
    """Whether the query is the file's path, or its name with or without the suffix; upper case is as lower."""
    asked, path = query.strip().casefold(), path.casefold()
    name = path.rpartition("/")[2]
    return asked in (path, name) or (asked == name.rpartition(".")[0] and asked != "")
