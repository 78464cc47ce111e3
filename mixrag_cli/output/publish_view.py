"""What publishing did, as one line and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mixrag_cli.output.lines import BYTES_A_MB

if TYPE_CHECKING:
    from mixrag_cli.store import Published


def publish_to_json(done: Published) -> dict[str, Any]:
    """mixrag.publish/1."""
    return {"schema": "mixrag.publish/1", **asdict(done)}


def publish_line(done: Published) -> str:
    """One line for people."""
    whole, sent = done.bytes / BYTES_A_MB, done.sent_bytes / BYTES_A_MB
    counts = f"{done.files:,} files of {whole:,.1f} MB, {done.sent_files:,} of {sent:,.1f} MB sent"
    return f"published commit {done.number} at {done.address}: {counts}"
