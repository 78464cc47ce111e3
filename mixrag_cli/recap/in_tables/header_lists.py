"""What a table's headers list: the parts of a section or a total, the years of its columns.

"What are the components of inventories?"          the rows below the head, or those that a total adds up
"For which years is the gross margin reported?"    the years that head the columns
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from mixrag_cli.quantities.facets import facets_of
from mixrag_cli.recap.evidence import EvidenceBase, stems_of, surroundings_of
from mixrag_cli.recap.in_tables.sides import unasked_part
from mixrag_cli.recap.wording import COMPARATIVES, LEAST, MOST
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Header, Table
from mixrag_cli.words import match_term, terms_of

MIN_SAID = 0.8  # of what is asked of by the head of its parts, by weight
MAX_UNASKED = 0.4  # of the head's own label
MIN_TITLED = 0.6  # of what is asked of by the title and all headers of the table whose years are asked for
MAX_OFF = Decimal("0.005")  # of a total, by which rounded parts may miss it
_PART = r"components?|items?|categories|types?|elements?|parts?|segments?|regions?|countries|divisions?|classes|groups?"
_PARTS = re.compile(
    rf"^\s*(?:what|which)\s+(?:are|were)\s+(?:all\s+)?(?:the\s+)?(?:\w+\s+)?(?:{_PART})\s+"
    r"(?:(?:listed|included|shown|recorded|reported|that\s+ma[dk]e\s+up|making\s+up|comprising)\s+)?"
    r"(?:(?:under|within|in|of|for)\s+)?(?P<whole>.+?)\W*$",
    re.IGNORECASE,
)
_CONSISTS = re.compile(
    r"^\s*(?:what|which)\s+(?:\w+\s+){0,2}?(?:does|do|did|is|are)\s+(?P<whole>.+?)\s+"
    r"(?:consists?\s+of|comprised?(?:\s+of)?|composed\s+of|made\s+up\s+of|includes?)\W*$",
    re.IGNORECASE,
)
_YEARS = re.compile(
    r"^\s*(?:(?:in|for|of|over)\s+)?(?:which|what)(?:\s+(?:are|were)\s+the)?\s+(?:(?:fiscal|financial)\s+)?years\b"
    r"(?P<whole>.*)$",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:tables?|data|figures?|information|calculated|provided?|provides|included?|includes|available|shown?|shows|"
    r"recorded|reported|listed|presented|given|covered|covers?)\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(rf"\b(?:{'|'.join(COMPARATIVES)}|how|than)\b|\d\s*%", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HeaderList:
    """Labels of one table, in its order. coverage: of what is asked of, by its head or the table, in [0, 1]."""

    hit: Hit
    table: Table
    labels: tuple[str, ...]
    coverage: float


def match_header_list(question: str, base: EvidenceBase) -> HeaderList | None:
    """The labels that the question asks for, from the first table of the evidence that lists them; None for none."""
    if MOST.search(question) or LEAST.search(question) or _COMPARED.search(question):
        return None
    if (asked := _YEARS.match(question)) and _TELLS.search(asked["whole"]):
        return _first(_years(_TELLS.sub(" ", asked["whole"]), base))
    if asked := _PARTS.match(question) or _CONSISTS.match(question):
        return _first(_parts(terms_of(_without_table(asked["whole"])), base))
    return None


def _first(found: Iterator[HeaderList]) -> HeaderList | None:
    return max(found, key=lambda each: each.coverage, default=None)


def _without_table(text: str) -> str:
    """Without "in the table", which says where and not what."""
    return re.sub(r"\b(?:in|of|from|by) (?:the|this) tables?\b", " ", text, flags=re.IGNORECASE)


def _years(whole: str, base: EvidenceBase) -> Iterator[HeaderList]:
    """The years of each table that says what is asked of."""
    terms = terms_of(whole)
    for hit, table in base.placed_tables():
        around, _ = surroundings_of(hit, table)
        headed = " ".join(label for header in (*table.rows, *table.columns) for label in header.path)
        said = _share_said(terms, (*around, *stems_of(headed)), base) if terms else float(len(base.tables) == 1)
        years = _years_of(table.columns) or _years_of(table.rows)
        if said >= MIN_TITLED and len(years) > 1:
            yield HeaderList(hit, table, years, said)


def _years_of(headers: Sequence[Header]) -> tuple[str, ...]:
    found = [year for header in headers for year in sorted(facets_of(" ".join(header.path)).years)]
    return tuple(dict.fromkeys(map(str, found)))


def _parts(terms: tuple[str, ...], base: EvidenceBase) -> Iterator[HeaderList]:
    """The parts of each head or total that is what is asked of."""
    if not terms:
        return
    for hit, table in base.placed_tables():
        around, _ = surroundings_of(hit, table)
        own = [term for term in terms if not match_term(term, around)] or terms  # whose report it is, no head says
        for label, parts in _wholes(table):
            said = _share_said(own, stems_of(label), base)
            if said >= MIN_SAID and unasked_part(label, terms) <= MAX_UNASKED and len(parts) > 1:
                yield HeaderList(hit, table, parts, said)


def _wholes(table: Table) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each head with the labels right below it, and each total with those that it adds up."""
    below: dict[tuple[str, ...], dict[str, None]] = {}
    for row in table.rows:
        for depth in range(1, len(row.path)):
            if not (row.is_total and depth == len(row.path) - 1):
                below.setdefault(row.path[:depth], {})[row.path[depth]] = None
    for path, labels in below.items():
        yield path[-1], tuple(labels)
    for n, row in enumerate(table.rows):
        if added := _added_up(n, table):
            yield row.leaf, tuple(each.leaf for each in added)


def _added_up(n: int, table: Table) -> list[Header]:
    """The rows above the n-th that come to its figures in every column that has some; none where they do not."""
    values = {(cell.row, cell.column): cell.value for cell in table.cells if cell.value}
    own = table.rows[n].index
    wholes = {column.index: values[own, column.index] for column in table.columns if (own, column.index) in values}
    for start in range(n - 2, -1, -1):
        rows = table.rows[start:n]
        if wholes and all(_comes_to(rows, column, whole, values) for column, whole in wholes.items()):
            return list(rows)
    return []


def _comes_to(rows: Sequence[Header], column: int, whole: Decimal, values: Mapping[tuple[int, int], Decimal]) -> bool:
    added = sum((values.get((row.index, column), Decimal(0)) for row in rows), Decimal(0))
    return abs(added - whole) <= MAX_OFF * abs(whole)


def _share_said(terms: Sequence[str], stems: tuple[str, ...], base: EvidenceBase) -> float:
    """The part of the terms' weight that the stems say."""
    weights = [base.weight(term) for term in terms]
    said = sum(weight * match_term(term, stems) for term, weight in zip(terms, weights, strict=True))
    return said / sum(weights) if weights else 0.0
