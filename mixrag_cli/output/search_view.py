"""Search hits for people: each passage round the sentence that says most of the query's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from mixrag_cli.output.console import foreign
from mixrag_cli.output.lines import Locate, print_notes
from mixrag_cli.output.passages import print_near
from mixrag_cli.output.places import short_id
from mixrag_cli.records import Hit

if TYPE_CHECKING:
    from mixrag_cli.pipeline.session import SearchResult


def print_search(console: Console, result: SearchResult, locate: Locate) -> None:
    """The ranked passages with their scores, each round the sentence that says most of the query's words."""
    if not result.hits:
        console.print(foreign("No passages found.", "yellow"))
    for rank, hit in enumerate(result.hits, 1):
        print_near(console, hit, result.query, (f"{rank:>2}  ", f"  {_scores(hit)}"), locate)
    print_notes(console, (*result.degraded, *result.warnings))


def _scores(hit: Hit) -> str:
    each = " · ".join(f"{name} {score:.2f}" for name, score in hit.scores.items())
    return f"{short_id(hit.chunk.id)}  {hit.score:.2f}" + (f" ({each})" if each else "")
