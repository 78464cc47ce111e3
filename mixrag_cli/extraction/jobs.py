"""What the reading of files is asked for and what comes of it, wherever the files are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from mixrag_cli.cleaning import display_path
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.records.files import SourceFile
from mixrag_cli.records.passages import Extraction


@dataclass(frozen=True, slots=True)
class ExtractionJob:
    """One file to read. path: from the indexed folder on; its words are searched with the file's passages."""

    source: SourceFile
    document_id: str
    path: str

    @property
    def name(self) -> str:
        """The file name, by which its reader is chosen."""
        return display_path(self.source.path.rpartition(b"/")[2])


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """A job with what came of it: an extraction, or the reason why there is none."""

    job: ExtractionJob
    extraction: Extraction | None = None
    failure: FileUnreadable | None = None


BeatListener = Callable[[ExtractionJob, int, int], None]


class SeatLost(Exception):
    """A seat can read no more, through no fault of the file that it read."""


class Seat(Protocol):
    """What reads one file after another: a process of this machine, or one on a node of a cluster.

    Used by one thread, but for kill().
    """

    def extract(self, job: ExtractionJob, on_beat: BeatListener) -> ExtractionResult:
        """What comes of the file. on_beat: called with (job, done, total) as a long file advances.

        Raises SeatLost.
        """
        ...

    def release(self) -> None:
        """Let go of what the seat holds; it takes it anew when it is asked again."""
        ...

    def kill(self) -> None:
        """End what the seat waits for, from any thread, for good."""
        ...
