"""Whether a file speaks of the day that a question asks for, or of another day of the same month alone."""

from __future__ import annotations

from mixrag_cli.quantities.facets import facets_of
from mixrag_cli.recap.evidence import EvidenceBase, surroundings_of
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Table


def is_of_other_day(question: str, hit: Hit, table: Table, base: EvidenceBase, label: str = "") -> bool:
    """Whether the day asked for is another one than all days of its month that are said in the table's file.

    A sheet of one day has it in its title, and figures for the month in its rows. label: of the cell in question.
    """
    asked = {date for date in facets_of(question).dates if all(date)}
    if not asked:
        return False
    _, around = surroundings_of(hit, table)
    hits = [each for each in base.hits if each.chunk.document == hit.chunk.document]
    titles = [found.title for each in hits if (found := base.tables.get(each.chunk.parent)) is not None]
    texts = (label, *(each.chunk.text for each in hits), *titles)
    said = {date for text in texts for date in facets_of(text).dates} | around.dates
    near = {date for date in said if all(date) and any(date[:2] == each[:2] for each in asked)}
    return bool(near) and not near & asked
