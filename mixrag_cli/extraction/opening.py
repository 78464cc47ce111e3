"""Where files are read: on this machine, or on all machines of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mixrag_cli.errors import MixragError
from mixrag_cli.extraction.pool import ReaderPool
from mixrag_cli.settings import Settings


@contextmanager
def open_readers(
    settings: Settings, window: int, cluster: str = "", on_note: Callable[[str], None] = lambda note: None
) -> Iterator[ReaderPool]:
    """What reads files, until the block is left. window: the embedder's, in tokens.

    cluster: the address of a Ray cluster, "auto" for the one here or a new one, "" for none. on_note: told at the end
    of what went wrong in it and was made good.
    Raises MixragError where the extra is missing or the cluster cannot be used, WrongUsage.
    """
    if not cluster:
        with ReaderPool(settings, window) as pool:
            yield pool
        return
    try:
        from mixrag_cli.extraction.cluster import Cluster
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "ray":
            raise
        raise MixragError("spreading files over a cluster needs the extra ray", "pip install 'mixrag[ray]'") from error
    with Cluster(cluster, settings, window) as joined:
        with ReaderPool(settings, window, joined.seats) as pool:
            yield pool
        for note in joined.notes:
            on_note(note)
