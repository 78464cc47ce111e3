"""What a person asks of an index run beside the folders and the settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mixrag_cli.walking import Selection


@dataclass(frozen=True, slots=True)
class IndexWishes:
    """rebuild: from nothing, beside the index that is there. prune: allow the removal of many vanished files at once.

    follow: symbolic links that stay inside the folder. wait_s: seconds, for another run to end. selection: globs for
    these roots, kept from now on; None for those kept. cluster: address of the Ray cluster that reads, "" for none.
    like: further indexes whose vectors serve where the same model made them of the same texts.
    groups: whether groups of passages get summaries, where they are searched.
    """

    rebuild: bool = False
    prune: bool = False
    follow: bool = False
    wait_s: float = 0
    selection: Selection | None = None
    cluster: str = ""
    like: tuple[Path, ...] = ()
    groups: bool = True
