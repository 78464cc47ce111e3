"""What a search found as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mixrag_cli.output.answer_payload import hit_to_json
from mixrag_cli.output.payload_values import rounded
from mixrag_cli.records.passages import Chunk, Hit

if TYPE_CHECKING:
    from mixrag_cli.stories.session import SearchResult


def search_to_json(result: SearchResult, *, only_files: bool = False) -> dict[str, Any]:
    """mixrag.search/1. only_files: the paths alone, without the passages."""
    hits = () if only_files else result.hits
    return {
        "schema": "mixrag.search/1",
        "query": result.query,
        "files": list(result.files),
        "hits": [{**hit_to_json(rank, hit), **_around_to_json(result, hit)} for rank, hit in enumerate(hits, 1)],
        "degraded": list(result.degraded),
        "warnings": list(result.warnings),
        "timings_ms": rounded(result.timings_ms),
    }


def _around_to_json(result: SearchResult, hit: Hit) -> dict[str, Any]:
    """The passages before and after, where they were asked for."""
    if (around := result.around.get(hit.chunk.id)) is None:
        return {}
    return {
        "before": [_near_to_json(one) for one in around.before],
        "after": [_near_to_json(one) for one in around.after],
    }


def _near_to_json(chunk: Chunk) -> dict[str, Any]:
    return {"id": chunk.id, "locator": chunk.locator.to_json(), "text": chunk.text}
