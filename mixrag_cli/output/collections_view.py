"""The named collections for people and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from mixrag_cli.output.console import foreign
from mixrag_cli.output.payload_values import moment_to_json
from mixrag_cli.output.terminal import size_text

if TYPE_CHECKING:
    from mixrag_cli.stories.named_collections import NamedCollection


def print_collections(console: Console, found: Sequence[NamedCollection]) -> None:
    """One line a collection; the path comes last and whole, so that it can be copied."""
    width = max((len(each.name) for each in found), default=0)
    for each in found:
        held = f"{each.files:>7,} files  {each.passages:>9,} passages  {size_text(each.bytes):>9}  "
        facts = Text(held) if each.state == "ok" else foreign(f"{each.state}  ", "yellow")
        console.print(Text(f"{each.name:<{width}}  ", "bold") + facts + foreign(str(each.store)), soft_wrap=True)


def collections_to_json(found: Sequence[NamedCollection]) -> dict[str, Any]:
    """mixrag.collections/1; updated is UTC in ISO 8601, null where the index cannot be read."""
    return {
        "schema": "mixrag.collections/1",
        "collections": [
            {
                "name": each.name,
                "store": str(each.store),
                "state": each.state,
                "files": each.files,
                "passages": each.passages,
                "bytes": each.bytes,
                "updated": moment_to_json(each.updated) if each.updated else None,
            }
            for each in found
        ],
    }
