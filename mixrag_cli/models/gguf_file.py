"""What a GGUF file says of itself, read without llama.cpp: is it one at all, and what memory will it take.

Only the keys before the vocabulary are read, some hundred bytes; every length is checked before it is believed.
Source: the GGUF specification, version 3.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from mixrag_cli.errors import ModelUnusable, reason_of
from mixrag_cli.models.cache import both_ends

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MAX_KEYS = 10_000
MAX_TEXT_BYTES = 10_000_000  # a chat template is the longest text that files hold, some ten kilobytes
MAX_ARRAY = 1_024  # arrays beyond this are the vocabulary, where reading stops
# Everything beside the weights and the cache: graph and logits buffers, 0.1 to 0.5 GB for models up to 8B.
BESIDES_BYTES = 300_000_000
CACHE_BYTES_A_NUMBER = 2  # f16

_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_TEXT, _ARRAY = 8, 9


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """A file's own description. values: its keys up to the vocabulary."""

    path: Path
    size_bytes: int
    values: Mapping[str, Any]

    @property
    def architecture(self) -> str:
        """As llama.cpp names it: "llama", "qwen2", …."""
        return str(self.values.get("general.architecture", ""))

    @property
    def context_length(self) -> int:
        """The window that the model was trained for, 0 where the file does not say."""
        return self._whole("context_length")

    @property
    def layers(self) -> int:
        """How many blocks can be put on a GPU one by one."""
        return self._whole("block_count")

    def cache_bytes(self, context_tokens: int) -> int:
        """Memory for the keys and values of so many tokens, were every layer to keep them all."""
        heads = self._whole("attention.head_count") or 1
        head = self._whole("embedding_length") // heads
        numbers = (self._whole("attention.key_length") or head) + (self._whole("attention.value_length") or head)
        kv_heads = self._whole("attention.head_count_kv") or heads
        return CACHE_BYTES_A_NUMBER * context_tokens * self.layers * kv_heads * numbers

    def needed_bytes(self, context_tokens: int) -> int:
        """Memory to run the model with a window of so many tokens."""
        return self.size_bytes + self.cache_bytes(context_tokens) + BESIDES_BYTES

    def _whole(self, key: str) -> int:
        value = self.values.get(f"{self.architecture}.{key}", 0)
        if isinstance(value, list):  # one number a layer
            value = max((each for each in value if isinstance(each, int)), default=0)
        return value if isinstance(value, int) and value > 0 else 0


class _Damaged(Exception):
    """The file says what cannot be."""


def read_gguf_header(path: Path) -> GgufHeader:
    """The file's description.

    Raises ModelUnusable when it is missing, unreadable, no GGUF file or cut short within the description.
    """
    try:
        with path.open("rb") as file:
            return GgufHeader(path, path.stat().st_size, _read_values(file))
    except (_Damaged, struct.error) as error:
        reason = str(error) if isinstance(error, _Damaged) else "cut short"
        raise ModelUnusable(f"model file {path}: {reason}", "mixrag models pull NAME, to have a sound one") from error
    except OSError as error:
        reason = reason_of(error, "cannot be read")
        raise ModelUnusable(f"model file {path}: {reason}", "mixrag models list") from error


def file_fingerprint(path: Path) -> str:
    """12 hex digits that change when the model does: its size and both ends, so that gigabytes need no reading."""
    digest = hashlib.sha256(str(path.stat().st_size).encode("ascii"))
    digest.update(both_ends(path))
    return digest.hexdigest()[:12]


def _read_values(file: BinaryIO) -> dict[str, Any]:
    magic = file.read(4)
    if magic != MAGIC:
        raise _Damaged("empty" if not magic else "not a GGUF file")
    version, n_tensors, n_keys = struct.unpack("<IQQ", file.read(20))
    if version not in VERSIONS:
        raise _Damaged(f"GGUF version {version} is not known")
    if not n_tensors or not 0 < n_keys <= MAX_KEYS:
        raise _Damaged("holds no model")
    values: dict[str, Any] = {}
    for _ in range(n_keys):
        key = _read_text(file)
        (kind,) = struct.unpack("<I", file.read(4))
        value = _read_value(file, kind)
        if value is None:
            break
        values[key] = value
    return values


def _read_value(file: BinaryIO, kind: int) -> Any:
    """A number, a text or a list of them; None for an array too long to be worth reading."""
    if kind == _TEXT:
        return _read_text(file)
    if kind == _ARRAY:
        inner, length = struct.unpack("<IQ", file.read(12))
        if inner == _ARRAY:
            raise _Damaged("damaged")
        return None if length > MAX_ARRAY else [_read_value(file, inner) for _ in range(length)]
    if kind not in _NUMBERS:
        raise _Damaged("damaged")
    form = _NUMBERS[kind]
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]


def _read_text(file: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", file.read(8))
    if length > MAX_TEXT_BYTES:
        raise _Damaged("damaged")
    raw = file.read(length)
    if len(raw) < length:
        raise _Damaged("cut short")
    return raw.decode("utf-8", "replace")
