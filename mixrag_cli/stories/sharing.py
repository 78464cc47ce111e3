"""Publishing the index found from here upward."""

from __future__ import annotations

from pathlib import Path

from mixrag_cli.errors import WrongUsage
from mixrag_cli.settings import ADDRESS, PUBLISHED, Settings
from mixrag_cli.store import Published, find_store, is_published, publish


def publish_index(start: Path, address: str, settings: Settings) -> Published:
    """Publish the store's last commit at the address.

    Raises NoIndex, StoreDamaged, StoreMismatch; WrongUsage for an address that cannot be written; MixragError.
    """
    is_remote = ADDRESS.match(address) is not None
    if is_remote and not address.lower().startswith(PUBLISHED):
        raise WrongUsage(f"{address}: cannot be published to", f"a folder, {', '.join(PUBLISHED[:3])}")
    if is_remote and settings.offline == "on":
        raise WrongUsage(f"{address}: not on this machine, and offline is on", "mixrag config set offline off")
    store = find_store(start, settings.store)
    if is_published(store):
        raise WrongUsage("the index is a published one itself; publish the one that it was made of")
    return publish(store, address)
