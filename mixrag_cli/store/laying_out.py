"""The inverted file of a large store, as its tables stand, and whether it says what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mixrag_cli.store.commit import sync_folder
from mixrag_cli.store.inverted import FEWEST_ROWS, open_inverted, write_inverted
from mixrag_cli.store.layout import inverted_path
from mixrag_cli.store.nearest import lengths_of
from mixrag_cli.store.reading import StoreReader
from mixrag_cli.store.schema import CHUNKS

ROWS_AT_ONCE = 16_384


def lay_out_vectors(reader: StoreReader) -> None:
    """Write the file for the reader's state, by what an older one knows; none for a store that needs none."""
    path = inverted_path(reader.store, reader.record.generation)
    if reader.record.chunks < FEWEST_ROWS:
        path.unlink(missing_ok=True)
    elif reader.inverted_file is None:
        rows, codes = reader.vector_codes()
        write_inverted(path, reader.record.tables[CHUNKS].version, rows, codes, open_inverted(path, None))
        sync_folder(path.parent)


def lists_are_sound(reader: StoreReader) -> bool:
    """Whether the file holds each vector of the table once, as the table does; also where there is no file.

    One that cannot be read, of a finished state, is not sound: searches do without it and take longer.
    """
    if (inverted := reader.inverted_file) is None:
        path = inverted_path(reader.store, reader.record.generation)
        return not (reader.record.is_finished and path.exists())
    rows, codes = reader.vector_codes()
    order = np.argsort(inverted.rows, kind="stable")
    with_vector = np.flatnonzero(np.concatenate([part.any(axis=1) for part in _parts_of(codes)]))
    with_vector = with_vector[np.argsort(rows[with_vector], kind="stable")]
    if not np.array_equal(inverted.rows[order], rows[with_vector]):
        return False
    pairs = zip(_parts_of(order), _parts_of(with_vector), strict=True)
    return all(
        np.array_equal(inverted.codes[theirs], codes[ours])
        and np.array_equal(inverted.lengths[theirs], lengths_of(codes[ours]))
        for theirs, ours in pairs
    )


def _parts_of(rows: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
    return [rows[start : start + ROWS_AT_ONCE] for start in range(0, max(1, len(rows)), ROWS_AT_ONCE)]
