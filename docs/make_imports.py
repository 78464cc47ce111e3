"""Write the table of imports in docs/architecture.md, as tests/test_architecture.py holds it.

    python docs/make_imports.py

tests/test_docs.py fails where the page and the test differ.
"""

from __future__ import annotations

import re
import runpy
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE / "architecture.md"
TABLE = re.compile(r"(?<=<!-- imports: made by docs/make_imports.py -->\n).*?(?=<!-- end -->)", re.DOTALL)
SHARED = ("BASE", "GROUND", "WORKERS", "LOWER")  # sets that the test names, the larger before what it holds


def imports_table() -> str:
    """What the shared names stand for, then one row a part of the package, and a room of it."""
    known = runpy.run_path(str(HERE.parent / "tests" / "test_architecture.py"))
    told = [f"`{name}` stands for {_code(sorted(known[name]))}." for name in SHARED]
    parts = [f"| `{part}` | {_cell(set(others), known)} |" for part, others in known["ALLOWED"].items()]
    rooms = [f"| `{room}` | {_code(sorted(others))} |" for room, others in known["ROOMS"].items()]
    tables = [*_table("part", parts), *_table("room", rooms)]
    return "\n".join(["", *(f"- {line}" for line in told), *tables, "", ""])


def _table(what: str, rows: list[str]) -> list[str]:
    return ["", f"| {what} | may import |", "|---|---|", *rows]


def _cell(parts: set[str], known: dict[str, set[str]]) -> str:
    names = []
    for shared in SHARED:
        if known[shared] <= parts:
            names.append(shared)
            parts = parts - known[shared]
    return _code([*names, *sorted(parts)]) or "nothing"


def _code(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    PAGE.write_text(TABLE.sub(lambda _: imports_table(), PAGE.read_text("utf-8")), "utf-8")
