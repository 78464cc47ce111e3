"""Where files lie that can be made again: what models leave on this machine, evaluations' indexes and replies."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

CACHE_VARIABLE = "MIXRAG_CACHE_DIR"


def cache_folder(name: str) -> Path:
    """A folder of this name, below MIXRAG_CACHE_DIR, else in the user's cache."""
    base = os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("mixrag")
    return Path(base).expanduser() / name
