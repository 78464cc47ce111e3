"""Search hits for people, by file: each passage round the sentence that says most of the query's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from mixrag_cli.output.console import foreign
from mixrag_cli.output.lines import (
    Locate,
    one_line,
    print_file,
    print_indented,
    print_notes,
    print_place,
)
from mixrag_cli.output.passages import in_collection, print_near_text
from mixrag_cli.output.places import place_of, short_id
from mixrag_cli.records.passages import Chunk, Hit

if TYPE_CHECKING:
    from mixrag_cli.stories.session import SearchResult


def print_search(console: Console, result: SearchResult, locate: Locate) -> None:
    """The ranked passages with their scores, those of a file together; the file of the best passage comes first."""
    if not result.hits:
        console.print(foreign("No passages found.", "yellow"))
    by_file: dict[tuple[str, str], list[tuple[int, Hit]]] = {}
    for rank, hit in enumerate(result.hits, 1):
        by_file.setdefault((hit.collection, hit.path), []).append((rank, hit))
    for number, ((_, path), hits) in enumerate(by_file.items()):
        if number:
            console.print()
        best = hits[0][1]
        print_file(console, path, locate, f"{in_collection(best)}  {_title(path, best)}".strip())
        _print_hits(console, hits, result, locate)
    print_notes(console, (*result.degraded, *result.warnings))


def _title(path: str, hit: Hit) -> str:
    """The document's title, where it says more than its path."""
    title = one_line(hit.title)
    return "" if title in path else title


def _print_hits(console: Console, hits: Sequence[tuple[int, Hit]], result: SearchResult, locate: Locate) -> None:
    """The passages of one file, each with those around it that were asked for and do not stand there already."""
    shown = {hit.chunk.id for _, hit in hits}
    for rank, hit in hits:
        around = result.around.get(hit.chunk.id)
        for chunk in around.before if around else ():
            _print_beside(console, chunk, shown)
        print_place(console, f"{rank:>2}  ", hit.path, hit.chunk.locator, locate, _score(hit))
        print_near_text(console, hit, result.query, whole=around is not None)
        for chunk in around.after if around else ():
            _print_beside(console, chunk, shown)


def _print_beside(console: Console, chunk: Chunk, shown: set[str]) -> None:
    """A passage before or after one that was found, whole, once."""
    if chunk.id in shown:
        return
    shown.add(chunk.id)
    print_indented(console, foreign(f"{place_of(chunk.locator)}  {short_id(chunk.id)}".lstrip(), "dim"))
    for line in chunk.text.splitlines():
        print_indented(console, foreign(line.rstrip(), "dim"))


def _score(hit: Hit) -> str:
    """The fused score; what each source says of the passage stands in the JSON."""
    return f"{short_id(hit.chunk.id)}  {hit.score:.2f}"
