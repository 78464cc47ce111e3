"""The reader model: its file, pinned; its heads by name; and how the lessons of training/reader write a cell.

training/reader makes it; CARD.md says from what. Loads nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mixrag_cli.models.bundled import pinned_file

READER_SHA256 = "c15d6740fe6a9c52e9f8e95809986ec96097d9308b31fc08d0626fc84d26ed52"
MAX_QUESTION = 48  # wordpieces of a question that are read
MAX_SPAN = 30  # wordpieces of the longest span that is looked for
OPERATIONS = (
    "lookup",
    "count",
    "sum",
    "average",
    "difference",
    "percent_change",
    "ratio",
    "argmax",
    "argmin",
    "max",
    "min",
    "list",
)
EXPECTS = ("number", "name", "date", "passage", "yes-no", "code")
# The outputs at [CLS], in this order, before those of OPERATIONS and of EXPECTS.
NONE, HOLDS, PAIR = range(3)
N_CLS = 3 + len(OPERATIONS) + len(EXPECTS)
START_END = "reader.span.weight", "reader.span.bias"  # (2, 384), (2,)
CLS = "reader.cls.weight", "reader.cls.bias"  # (N_CLS, 384), (N_CLS,)
MAX_ROW_CHARS = 160


def cell_text(
    title: str, row: Sequence[str], column: Sequence[str], value: str, others: Mapping[str, str] | None = None
) -> str:
    """A cell or a fact as the model's pair head learnt to read it.

    Example: "Workers › Sex > Female | 2011: 35.3"; a side without a path is left out. A fact of code has its owner for
    a title and its name for a row: "Session.send › timeout: 30".
    others: other cells of the row by their column's name, for flat tables whose rows a key does not tell apart.
    """
    label = " | ".join(" > ".join(path) for path in (row, column) if path)
    text = f"{title} › {label}: {value}" if title else f"{label}: {value}"
    beside = "; ".join(f"{name} {cell}" for name, cell in (others or {}).items())
    return f"{text} ({beside[:MAX_ROW_CHARS]})" if beside else text


def reader_file(*, thoroughly: bool = False) -> Path:
    """The model's file, checked. Raises ModelUnusable when it is missing or another; thoroughly: hash it anew."""
    return pinned_file(reader_folder() / "model.onnx", READER_SHA256, thoroughly=thoroughly)


def reader_folder() -> Path:
    """The folder of the model's file."""
    return Path(__file__).parent
