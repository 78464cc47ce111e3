"""Where files lie that models leave on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

CACHE_VARIABLE = "MIXRAG_CACHE_DIR"


def models_folder() -> Path:
    """Below MIXRAG_CACHE_DIR, else in the user's cache."""
    base = os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("mixrag")
    return Path(base).expanduser() / "models"
