"""Evidence as passages that fit the model's window, the likeliest first, each with an id to cite it by.

    hits ─► groups (a table with all hits that show it; a passage alone) ─► by probability ─► as many as fit

A table is laid out with one line a row under a line of full column paths. Where it does not fit whole, rows are left
out, never cut, and the header line stays. Text of documents is data from strangers: it is cleaned, what could pass for
a model's special token is broken up, and it stands between lines that carry a key drawn for this call alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mixrag_cli.fencing import fence, plain_text
from mixrag_cli.recap.evidence import EvidenceBase, stems_of
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Header, Table
from mixrag_cli.tables.lines import BAR, head_lines, row_lines, shown_columns
from mixrag_cli.words import match_term

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


@dataclass(frozen=True, slots=True)
class _Group:
    """What is shown together: a table with the hits that led to it, or one passage."""

    hits: tuple[Hit, ...]
    table: Table | None

    @property
    def best(self) -> Hit:
        return max(self.hits, key=rank_of)


def rank_of(hit: Hit) -> float:
    """By what passages are taken: the calibrated probability, the fused score where there is none."""
    return hit.score if hit.probability is None else hit.probability


def pack_evidence(
    base: EvidenceBase, terms: Sequence[str], first: Iterable[str], count_tokens: Callable[[str], int], room: int
) -> tuple[Passage, ...]:
    """The passages that fit the room, best first; () where none does.

    terms: of the question, by which rows of a large table are chosen. first: ids of chunks that go in before all
    others (what the built-in reader cites). room: tokens.
    """
    packed: list[Passage] = []
    left = room
    for group in _groups(base, frozenset(first)):
        if len(packed) == MAX_PASSAGES:
            break
        name = f"s{len(packed) + 1}"
        if group.table is None:
            passage = _plain(name, group.best)
        else:
            share = min(left, int(room * MAX_TABLE_SHARE)) - HEAD_TOKENS
            passage = _tabular(name, group, group.table, terms, count_tokens, share)
        cost = count_tokens(passage.text) + HEAD_TOKENS
        if passage.text and cost <= left:
            packed.append(passage)
            left -= cost
    return tuple(packed)


def _groups(base: EvidenceBase, first: frozenset[str]) -> list[_Group]:
    by_place: dict[str, list[Hit]] = {}
    for hit in base.hits:
        shown = hit.chunk.parent if hit.chunk.parent in base.tables else hit.chunk.id
        by_place.setdefault(shown, []).append(hit)
    groups = [_Group(tuple(hits), base.tables.get(place)) for place, hits in by_place.items()]
    return sorted(groups, key=lambda group: (_is_first(group, first), rank_of(group.best)), reverse=True)


def _is_first(group: _Group, first: frozenset[str]) -> bool:
    return any(hit.chunk.id in first for hit in group.hits)


def _plain(name: str, hit: Hit) -> Passage:
    return Passage(name, hit, _head(hit), plain_text(hit.chunk.text))


def _head(hit: Hit) -> str:
    parts = (hit.path, hit.title if hit.title != hit.path else "", hit.chunk.context)
    return plain_text(BAR.join(part for part in parts if part), keep_newlines=False)[:MAX_HEAD_CHARS]


# --- tables -------------------------------------------------------------------------------------------------------


def _tabular(
    name: str, group: _Group, table: Table, terms: Sequence[str], count_tokens: Callable[[str], int], room: int
) -> Passage:
    """The table's head and as many of its rows as fit, the likeliest first, in their own order."""
    columns = shown_columns(table)
    head = head_lines(table, columns)
    lines = row_lines(table, columns)
    left = room - count_tokens("\n".join(head))
    chosen: set[int] = set()
    for likely in _rows_by_likelihood(group, table, terms):
        cost = count_tokens(lines[likely.index]) + 1
        if cost > left:
            break
        chosen.add(likely.index)
        left -= cost
    if not chosen:
        return Passage(name, group.best, _head(group.best), "", table)
    shown = list(head)
    rows: dict[int, int] = {}
    skipped = 0
    for row in table.rows:
        if row.index not in chosen:
            skipped += 1
            continue
        if skipped:
            shown.append(f"({skipped} rows not shown)")
        skipped = 0
        rows[len(shown)] = row.index
        shown.append(lines[row.index])
    skipped += max(0, table.total_rows - len(table.rows))
    if skipped:
        shown.append(f"({skipped} rows not shown)")
    return Passage(name, group.best, _head(group.best), "\n".join(shown), table, rows)


def _rows_by_likelihood(group: _Group, table: Table, terms: Sequence[str]) -> list[Header]:
    """Rows that were found by the search, then those whose labels say the question's words, then the others."""
    found = {hit.chunk.row: rank_of(hit) for hit in reversed(group.hits) if hit.chunk.row is not None}
    if len(table.rows) > MAX_RANKED_ROWS:
        wanted = [row for row in table.rows if row.index in found]
        return wanted + [row for row in table.rows if row.index not in found][:MAX_RANKED_ROWS]
    weight = {row.index: found.get(row.index, 0.0) + _says(row, terms) for row in table.rows}
    return sorted(table.rows, key=lambda row: -weight[row.index])


def _says(row: Header, terms: Sequence[str]) -> float:
    stems = stems_of(" ".join(row.path))
    return sum(match_term(term, stems) for term in terms)


# --- the prompt's part --------------------------------------------------------------------------------------------


def passages_text(passages: Sequence[Passage], key: str) -> str:
    """The passages between their delimiters, as the prompt shows them."""
    return "\n".join(fence(key, each.id, f"from: {each.head}\n{each.text}") for each in passages)
