"""What the headers of a table say of time."""

from __future__ import annotations

from mixrag_cli.quantities.facets import Facets, facets_of
from mixrag_cli.records.tables import Header


def times_of(*headers: Header) -> Facets:
    """All times that the headers' paths speak of. Example: ("Three Months Ended", "July 1, 2023") -> that day's."""
    found = Facets()
    for header in headers:
        found |= facets_of(" ".join(header.path))
    return found
