"""The bundled model's files, and whether they are the pinned ones. CARD.md says what it is and how it was made.

Beside them: lessons (what it was trained on), train, export (choosing and writing it) and graph (its ONNX form), which
only those need who make it anew. Loads nothing.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from mixrag_cli.errors import ModelUnusable

BUNDLED = "minilm"  # its name in the settings
MODEL_SHA256 = "ee7a61dc9d787903df8f50f4794e91ed1db8d0f4415c160cfe9c49aff6dfd6f4"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
WINDOW = 256  # wordpieces; the length that all-MiniLM-L6-v2 was trained for
BLOCK_BYTES = 1 << 20
REINSTALL = "pip install --force-reinstall --no-deps mixrag"


def model_bytes() -> bytes:
    """The model, checked: hashing takes 0.03 s. Raises ModelUnusable when it is missing or not the pinned one."""
    return _read_pinned("model.onnx", MODEL_SHA256)


def tokenizer_bytes() -> bytes:
    """The tokenizer, checked. Raises ModelUnusable when it is missing or not the pinned one."""
    return _read_pinned("tokenizer.json", TOKENIZER_SHA256)


def bundled_folder() -> Path:
    """The folder of the model's files."""
    return Path(__file__).parent


def file_sha256(path: Path) -> str:
    """The sha256 of a file's bytes, hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def _read_pinned(name: str, sha256: str) -> bytes:
    path = bundled_folder() / name
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ModelUnusable(f"model file {path}: {(error.strerror or 'unreadable').lower()}", REINSTALL) from error
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise ModelUnusable(f"model file {path}: sha256 differs from the pinned one; not loaded", REINSTALL)
    return raw
