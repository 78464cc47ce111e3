"""Where a sentence-transformers model lies on this machine, by path or by name. Nothing is downloaded."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.models.cache import both_ends

DEFAULT_OWNER = "sentence-transformers"  # whose models go by their bare name, as in that library


def model_folder(name: str) -> Path:
    """The folder of the model: name itself where it is one, else the newest snapshot in the Hugging Face cache.

    Raises ModelUnusable when there is neither.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder
    owners = (name,) if "/" in name else (f"{DEFAULT_OWNER}/{name}", name)
    for full_name in owners:
        snapshots = _hub_cache() / f"models--{full_name.replace('/', '--')}" / "snapshots"
        if snapshots.is_dir() and (found := sorted(snapshots.iterdir(), key=lambda path: path.stat().st_mtime_ns)):
            return found[-1]
    raise ModelUnusable(
        f"model {name} is neither a folder nor in the Hugging Face cache {_hub_cache()}",
        f"hf download {owners[0]}",
    )


def folder_fingerprint(folder: Path) -> str:
    """12 hex digits that change when the model does: names, sizes and both ends of its files."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix not in (".json", ".safetensors", ".bin", ".model", ".txt"):
            continue
        digest.update(f"{path.relative_to(folder)}:{path.stat().st_size}\n".encode("utf-8", "surrogateescape"))
        digest.update(both_ends(path))
    return digest.hexdigest()[:12]


def _hub_cache() -> Path:
    """As huggingface_hub finds it, without importing it."""
    if cache := os.environ.get("HF_HUB_CACHE"):
        return Path(cache).expanduser()
    home = os.environ.get("HF_HOME") or f"{os.environ.get('XDG_CACHE_HOME') or '~/.cache'}/huggingface"
    return Path(home).expanduser() / "hub"
