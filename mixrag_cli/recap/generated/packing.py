"""Evidence as passages that fit the model's window, the likeliest first, each with an id to cite it by.

    hits ─► groups (a table with all hits that show it; a passage alone) ─► by probability ─► as many as fit

A table is laid out with one line a row under a line of full column paths. Where it does not fit whole, rows are left
out, never cut, and the header line stays. Text of documents is data from strangers: it is cleaned, what could pass for
a model's special token is broken up, and it stands between lines that carry a key drawn for this call alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import attrgetter

from mixrag_cli.fencing import fence, plain_text
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Header, Table
from mixrag_cli.tables.lines import BAR, head_lines, row_lines, shown_columns
from mixrag_cli.words import match_term, stems_of

MAX_PASSAGES = 12  # reading more costs seconds on a CPU, and the right one is seldom further down
MAX_TABLE_SHARE = 0.6  # of the room, so that one large table leaves some to the others
HEAD_TOKENS = 40  # the delimiters and the line that says where a passage comes from, about
MAX_HEAD_CHARS = 300
MAX_RANKED_ROWS = 5_000  # of a table, looked through for the question's words


@dataclass(frozen=True, slots=True)
class Passage:
    """What the model is given to read and to cite.

    id: "s1", "s2", … head: where it comes from. text: as given, which is what quotes are checked against. table, rows:
    of a table the table, and for each line of the text the grid row that it shows.
    """

    id: str
    hit: Hit
    head: str
    text: str
    table: Table | None = None
    rows: Mapping[int, int] = field(default_factory=dict)


def pack_evidence(
    base: EvidenceBase, terms: Sequence[str], first: Iterable[str], count_tokens: Callable[[str], int], room: int
) -> tuple[Passage, ...]:
    """The passages that fit the room, best first; () where none does.

    terms: of the question, by which rows of a large table are chosen. first: ids of chunks that go in before all
    others (what the built-in reader cites). room: tokens.
    """
    packed: list[Passage] = []
    left = room
    for hits in _by_place(base, frozenset(first)):
        if len(packed) == MAX_PASSAGES:
            break
        best = max(hits, key=attrgetter("promise"))
        passage = Passage(f"s{len(packed) + 1}", best, _head(best), plain_text(best.chunk.text))
        if (table := base.tables.get(best.chunk.parent)) is not None:
            share = min(left, int(room * MAX_TABLE_SHARE)) - HEAD_TOKENS
            text, rows = _table_text(table, _by_likelihood(hits, table, terms), count_tokens, share)
            passage = replace(passage, text=text, table=table, rows=rows)
        cost = count_tokens(passage.text) + HEAD_TOKENS
        if passage.text and cost <= left:
            packed.append(passage)
            left -= cost
    return tuple(packed)


def _by_place(base: EvidenceBase, first: frozenset[str]) -> list[list[Hit]]:
    """The hits that are shown together, those of one table or one passage, the likeliest first."""
    places: dict[str, list[Hit]] = {}
    for hit in base.hits:
        places.setdefault(hit.chunk.parent if hit.chunk.parent in base.tables else hit.chunk.id, []).append(hit)

    def priority(hits: Sequence[Hit]) -> tuple[bool, float]:
        return any(hit.chunk.id in first for hit in hits), max(hit.promise for hit in hits)

    return sorted(places.values(), key=priority, reverse=True)


def _head(hit: Hit) -> str:
    parts = (hit.path, hit.title if hit.title != hit.path else "", hit.chunk.context)
    return plain_text(BAR.join(part for part in parts if part), keep_newlines=False)[:MAX_HEAD_CHARS]


# --- tables -------------------------------------------------------------------------------------------------------


def _table_text(
    table: Table, likely: Iterable[Header], count_tokens: Callable[[str], int], room: int
) -> tuple[str, dict[int, int]]:
    """The table's head and as many of its likely rows as fit, in their own order, and the row that each line shows; ""
    where no row fits.
    """
    columns = shown_columns(table)
    shown, lines = head_lines(table, columns), row_lines(table, columns)
    left = room - count_tokens("\n".join(shown))
    chosen: set[int] = set()
    for row in likely:
        left -= count_tokens(lines[row.index]) + 1
        if left < 0:
            break
        chosen.add(row.index)
    rows: dict[int, int] = {}
    for is_chosen, run in groupby(table.rows, key=lambda row: row.index in chosen):
        for row in run if is_chosen else ():
            rows[len(shown)] = row.index
            shown.append(lines[row.index])
        if not is_chosen:
            shown.append(f"({len(list(run))} rows not shown)")
    if table.total_rows > len(table.rows):
        shown.append(f"({table.total_rows - len(table.rows)} more rows not shown)")
    return "\n".join(shown) if chosen else "", rows


def _by_likelihood(hits: Sequence[Hit], table: Table, terms: Sequence[str]) -> list[Header]:
    """Rows that were found by the search, then those whose labels say the question's words, then the others."""
    found = {hit.chunk.row: hit.promise for hit in reversed(hits) if hit.chunk.row is not None}

    def weight(row: Header) -> float:
        stems = stems_of(" ".join(row.path)) if len(table.rows) <= MAX_RANKED_ROWS else ()
        return found.get(row.index, 0.0) + sum(match_term(term, stems) for term in terms)

    return sorted(table.rows, key=weight, reverse=True)


# --- the prompt's part --------------------------------------------------------------------------------------------


def passages_text(passages: Sequence[Passage], key: str) -> str:
    """The passages between their delimiters, as the prompt shows them."""
    return "\n".join(fence(key, each.id, f"from: {each.head}\n{each.text}") for each in passages)
