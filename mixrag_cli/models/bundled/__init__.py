"""The bundled model's files, and whether they are the pinned ones. CARD.md says what it is and how it was made.

training/embedder makes it. Loads nothing.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from mixrag_cli.errors import ModelUnusable, reason_of
from mixrag_cli.models.cache import is_noted, keep_note, note_of

BUNDLED = "minilm"  # its name in the settings
MODEL_SHA256 = "e4352c2b1bb806ea733784b1a5dbb50f575ca6ec218f6ba746b2386c744828e8"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
WINDOW = 256  # wordpieces; the length that all-MiniLM-L6-v2 was trained for
BLOCK_BYTES = 1 << 20
WHOLE_FILES = "bundled-whole.json"  # notes on files that had the pinned sha256
REINSTALL = "pip install --force-reinstall --no-deps mixrag"


def model_file(*, thoroughly: bool = False) -> Path:
    """The model's file, checked. Raises ModelUnusable when it is missing or not the pinned one.

    Hashing takes 0.03 s, so a file that was found whole is hashed again when its place, size or times have changed, or
    thoroughly.
    """
    return pinned_file(bundled_folder() / "model.onnx", MODEL_SHA256, thoroughly=thoroughly)


def tokenizer_file(*, thoroughly: bool = False) -> Path:
    """The tokenizer's file, as model_file."""
    return pinned_file(bundled_folder() / "tokenizer.json", TOKENIZER_SHA256, thoroughly=thoroughly)


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


def pinned_file(path: Path, sha256: str, *, thoroughly: bool = False) -> Path:
    """A model's file, checked. Raises ModelUnusable when it is missing or another; thoroughly: as for model_file."""
    try:
        note = note_of(path, sha256)
        if not thoroughly and is_noted(WHOLE_FILES, note):
            return path
        found = file_sha256(path)
    except OSError as error:
        raise ModelUnusable(f"model file {path}: {reason_of(error, 'unreadable')}", REINSTALL) from error
    if found != sha256:
        raise ModelUnusable(f"model file {path}: sha256 differs from the pinned one; not loaded", REINSTALL)
    keep_note(WHOLE_FILES, note)
    return path
