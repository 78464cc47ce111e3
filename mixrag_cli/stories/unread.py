"""Files whose format has no reader, counted by format; and whether images have one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mixrag_cli.readers.tesseract import is_installed
from mixrag_cli.records.files import Skipped
from mixrag_cli.settings import Settings
from mixrag_cli.walking import NO_READER_CODES


def reads_images(settings: Settings) -> bool:
    """Whether images are read: the settings allow it, and tesseract is installed."""
    return settings.ocr == "auto" and is_installed()


def unread_formats(left_out: Iterable[Skipped]) -> dict[str, int]:
    """How many files of each format nothing here reads, by their suffix in lower case, the most frequent first.

    Example: {".heic": 4, ".doc": 2}
    """
    suffixes = (
        f".{each.path.rpartition('.')[2].lower()}"
        for each in left_out
        if each.code in NO_READER_CODES and not each.path.endswith("/")
    )
    return dict(sorted(Counter(suffixes).items(), key=lambda item: (-item[1], item[0])))
