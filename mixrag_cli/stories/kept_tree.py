"""The file beside the index in which the summaries of its groups of passages lie, for the source "tiers"."""

from __future__ import annotations

import json
from pathlib import Path

from mixrag_cli.retrieval.sources.tree import KeptTree
from mixrag_cli.store import StoreReader

TREE_FILE = Path("cache", "tiers.json")  # inside the store's folder; a rebuild keeps it
MAX_FILE_BYTES = 500_000_000  # some 3 kB a group; what is larger is none of ours


def tree_of(reader: object) -> KeptTree | None:
    """What is kept of the groups of what is read; None where that lies in memory alone."""
    return read_tree(reader.store) if isinstance(reader, StoreReader) else None


def read_tree(store: Path) -> KeptTree | None:
    """What is kept of the store's groups; None where nothing is, or nothing that can be believed."""
    path = store / TREE_FILE
    try:
        if path.stat().st_size <= MAX_FILE_BYTES:
            return KeptTree.from_json(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    return None
