"""The only filters that reach the engine: ids of hex digits, whole numbers and words from a fixed list.

A path or a question inside a filter string could select, or delete, everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar, get_args

from mixrag_cli.errors import WrongUsage
from mixrag_cli.records.documents import Modality
from mixrag_cli.records.passages import ChunkKind

_IDS_IN_A_FILTER = 1000
_T = TypeVar("_T")
_ID = re.compile(r"[0-9a-f]{6,64}")
_CLAUSE = r"(?:document|document NOT|modality|kind) IN \('[0-9a-z]+'(?:,'[0-9a-z]+')*\)|position < 0"
_FILTER = re.compile(rf"(?:{_CLAUSE})(?: AND (?:{_CLAUSE}))*")


def build_filter(
    *,
    document_ids: Sequence[str] | None = None,
    not_documents: Sequence[str] = (),
    modalities: Sequence[str] | None = None,
    kinds: Sequence[str] | None = None,
) -> str | None:
    """A filter for the search functions; None where nothing is asked for. An empty list of documents matches nothing.

    not_documents: those to be left out.
    Example: build_filter(kinds=["row"]) -> "kind IN ('row')"
    Raises WrongUsage for an unknown modality or kind, ValueError for an id that is none.
    """
    clauses = []
    if document_ids is not None:
        clauses.append(ids_in("document", document_ids) if document_ids else "position < 0")
    if not_documents:
        clauses.append(ids_in("document NOT", not_documents))
    for column, asked, known in (("modality", modalities, get_args(Modality)), ("kind", kinds, get_args(ChunkKind))):
        if asked:
            clauses.append(_words_in(column, asked, known))
    return " AND ".join(clauses) or None


def ids_in(column: str, ids: Iterable[str]) -> str:
    """`column IN ('…',…)`. Raises ValueError for anything but lower-case hex."""
    checked = list(ids)
    for id_ in checked:
        if not _ID.fullmatch(id_):
            raise ValueError(f"not an id: {id_!r}")
    return f"{column} IN ({','.join(map(repr, checked))})"


def filters_in(column: str, ids: Sequence[str]) -> list[str]:
    """As ids_in, in as many filters as keep each short. Raises ValueError for anything but lower-case hex."""
    return [ids_in(column, part) for part in in_parts(ids)]


def in_parts(ids: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """The ids in their order, as many at a time as one filter may name."""
    for start in range(0, len(ids), _IDS_IN_A_FILTER):
        yield ids[start : start + _IDS_IN_A_FILTER]


def check_filter(where: str | None) -> None:
    """Raise ValueError for a filter that build_filter cannot have made."""
    if where is not None and not _FILTER.fullmatch(where):
        raise ValueError("not a filter of build_filter")


def _words_in(column: str, asked: Sequence[str], known: Sequence[str]) -> str:
    for word in asked:
        if word not in known:
            raise WrongUsage(f"{column} {word!r} is none of {', '.join(known)}")
    return f"{column} IN ({','.join(map(repr, asked))})"
