"""What an index run would take, as lines and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mixrag_cli.output.lines import BYTES_A_MB
from mixrag_cli.output.progress import duration_text

if TYPE_CHECKING:
    from mixrag_cli.stories.estimating import Estimate


def estimate_to_json(estimate: Estimate) -> dict[str, Any]:
    """mixrag.estimate/1."""
    return {"schema": "mixrag.estimate/1", **asdict(estimate), "seconds": round(estimate.seconds, 1)}


def estimate_lines(estimate: Estimate) -> list[str]:
    """One thing a line."""
    if not estimate.files:
        return ["nothing to read: the index is up to date"]
    return [
        f"files   {estimate.files:,} new or changed, {estimate.bytes / BYTES_A_MB:,.1f} MB",
        f"tokens  about {estimate.tokens:,}",
        f"time    about {duration_text(estimate.seconds)} on this machine, as busy as it is now",
        f"disk    about {estimate.disk_bytes / BYTES_A_MB:,.0f} MB for the index",
        f"sample  {estimate.sampled_files:,} files were read to measure this; nothing was written",
    ]
