"""The index on disk. What is named here is all that the rest of the program uses.

The engines are loaded when a store is opened: reading loads lance (0.3 s), writing loads lancedb (0.9 s) at the
first row to be written.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mixrag_cli.store.cache import EmbeddingCache, cache_of
    from mixrag_cli.store.checking import Finding, check_store
    from mixrag_cli.store.commit import (
        CommitRecord,
        read_record,
        read_roots,
        rebuild_hint,
        root_to_text,
        text_to_root,
    )
    from mixrag_cli.store.filters import build_filter
    from mixrag_cli.store.finding import find_store, find_store_of
    from mixrag_cli.store.layout import size_of_store
    from mixrag_cli.store.location import STORE_DIR, holds_store, is_published, store_asked_for, store_for_new
    from mixrag_cli.store.lock import ensure_unlocked, written_since
    from mixrag_cli.store.opening import open_writer, reopen_writer
    from mixrag_cli.store.publishing import Published, publish
    from mixrag_cli.store.quantising import encode_tokens, tokens_as_kept, vectors_as_kept
    from mixrag_cli.store.reading import StoreReader, open_reader
    from mixrag_cli.store.registry import (
        Registry,
        forget_collection,
        name_collection,
        read_registry,
        remember_roots,
        store_of_new_collection,
    )
    from mixrag_cli.store.removing import delete_store
    from mixrag_cli.store.schema import Embedding, StoredDocument, text_key
    from mixrag_cli.store.writing import StoreWriter

__all__ = [
    "STORE_DIR",
    "CommitRecord",
    "Embedding",
    "EmbeddingCache",
    "Finding",
    "Published",
    "Registry",
    "StoreReader",
    "StoreWriter",
    "StoredDocument",
    "build_filter",
    "cache_of",
    "check_store",
    "delete_store",
    "encode_tokens",
    "ensure_unlocked",
    "find_store",
    "find_store_of",
    "forget_collection",
    "holds_store",
    "is_published",
    "name_collection",
    "open_reader",
    "open_writer",
    "publish",
    "read_record",
    "read_registry",
    "read_roots",
    "rebuild_hint",
    "remember_roots",
    "reopen_writer",
    "root_to_text",
    "size_of_store",
    "store_asked_for",
    "store_for_new",
    "store_of_new_collection",
    "text_key",
    "text_to_root",
    "tokens_as_kept",
    "vectors_as_kept",
    "written_since",
]

_HOMES = {
    "cache": ("EmbeddingCache", "cache_of"),
    "checking": ("Finding", "check_store"),
    "commit": ("CommitRecord", "read_record", "read_roots", "rebuild_hint", "root_to_text", "text_to_root"),
    "filters": ("build_filter",),
    "layout": ("size_of_store",),
    "lock": ("ensure_unlocked", "written_since"),
    "finding": ("find_store", "find_store_of"),
    "location": ("STORE_DIR", "holds_store", "is_published", "store_asked_for", "store_for_new"),
    "opening": ("open_writer", "reopen_writer"),
    "reading": ("StoreReader", "open_reader"),
    "publishing": ("Published", "publish"),
    "quantising": ("encode_tokens", "tokens_as_kept", "vectors_as_kept"),
    "registry": (
        "Registry",
        "forget_collection",
        "name_collection",
        "read_registry",
        "remember_roots",
        "store_of_new_collection",
    ),
    "removing": ("delete_store",),
    "schema": ("Embedding", "StoredDocument", "text_key"),
    "writing": ("StoreWriter",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import the module that defines the name, at its first use."""
    if (home := _HOME_OF.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
