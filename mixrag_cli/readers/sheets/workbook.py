"""What every spreadsheet format is read into before tables are looked for: sheets of sparse rows with merges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from mixrag_cli.readers.sheets.sampling import RowSampler

MAX_ROWS = 1_048_576  # the grid of every spreadsheet program; what claims to lie outside is ignored
MAX_COLUMNS = 16_384
MAX_CELLS = 5_000_000
MAX_MERGES = 50_000
MAX_SHEETS = 1_000
MAX_COMMENTS = 5_000  # of a sheet
BEAT_ROWS = 2_000

Beat = Callable[[int, int], None]


@dataclass(slots=True)
class SheetCells:
    """One sheet: its kept rows, its merged ranges as (top, left, bottom, right) from 0, and what is hidden.

    comments: on cells, by their (row, column) from 0.
    """

    name: str
    is_hidden: bool = False
    sampler: RowSampler = field(default_factory=RowSampler)
    merges: list[tuple[int, int, int, int]] = field(default_factory=list)
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[int] = field(default_factory=list)
    comments: dict[tuple[int, int], str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def unvalued_note(n: int) -> str:
    """The warning on formulas whose values a program never stored: they are shown, and never computed here."""
    which = "1 formula has" if n == 1 else f"{n:,} formulas have"
    return f"{which} no stored value; open and save the file in a spreadsheet program"
