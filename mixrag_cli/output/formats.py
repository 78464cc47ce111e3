"""How the files without a reader are told: their number, and how many there are of each format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mixrag_cli.records.files import Skipped
from mixrag_cli.walking import IMAGE

MAX_FORMATS = 8  # named one by one; a folder of many kinds of media is told in one line all the same


def formats_text(no_reader: Mapping[str, int]) -> str:
    """The formats with their counts, "" where there are none. Example: "4 .heic, 2 .doc, 3 of 2 other formats"."""
    named = list(no_reader.items())
    parts = [f"{count:,} {suffix}" for suffix, count in named[:MAX_FORMATS]]
    if rest := named[MAX_FORMATS:]:
        parts.append(f"{sum(count for _, count in rest):,} of {len(rest)} other formats")
    return ", ".join(parts)


def no_reader_text(no_reader: Mapping[str, int], left_out: Iterable[Skipped] = ()) -> str:
    """The whole sentence, and what would read some of them. Example: "6 files have no reader: 4 .heic, 2 .doc"."""
    count = sum(no_reader.values())
    hint = next((f" ({each.reason})" for each in left_out if each.code == IMAGE.code), "")
    return f"{count:,} {'file has' if count == 1 else 'files have'} no reader: {formats_text(no_reader)}{hint}"
