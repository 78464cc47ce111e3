"""Which of two like cells a question cannot mean: the one that says more than was asked, or another currency."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from mixrag_cli.quantities.facets import without_facets
from mixrag_cli.quantities.unit_words import CURRENCY_OF
from mixrag_cli.recap.in_rows.filters import COMPARED
from mixrag_cli.recap.in_tables.cells import CellMatch
from mixrag_cli.recap.wording import WHOLE_WORDS, spelled_out
from mixrag_cli.tables.text import has_labels
from mixrag_cli.words import COMMON_WORDS, match_term, stem, words_of

NUMBERED = 0.8  # of the rows whose labels are numbers, where numbers name rows
OUTSAID = 0.1  # of the question's weight: a word that the other cell leaves unsaid
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
# Words that mean several currencies, or something else besides.
_VAGUE = frozenset(("dollar", "dollars", "pound", "pounds", "rs"))
_SILENT = (COMMON_WORDS | WHOLE_WORDS) - {"no", "not", "nor", "non"}
_CURRENCIES = {word: code for word, code in CURRENCY_OF.items() if word.isalpha() and word not in _VAGUE}


def says_other_currency(match: CellMatch, question: str) -> bool:
    """Whether the question names a currency, and one side of the cell another one."""
    asked = _currencies(question)
    sides = (_currencies(" ".join(header.path)) for header in (match.row, match.column))
    return bool(asked) and any(side and not side & asked for side in sides)


def _currencies(text: str) -> frozenset[str]:
    return frozenset(_CURRENCIES[word] for word in words_of(text) if word in _CURRENCIES)


def has_plainer(match: CellMatch, question: str) -> bool:
    """Whether another row says all that the cell's does but a word that was not asked, and nothing else.

    Example: "Adjusted gross margin" beside "Gross margin", where the gross margin is asked for.
    """
    asked = _stems(question)
    own = _stems(" ".join(match.row.path))
    if own <= asked:
        return False
    said = frozenset(word for word in own if match_term(word, asked))
    words = _words(said)
    if not words or words == _words(own):
        return False
    found = (_stems(" ".join(other.path)) for other in match.table.rows)
    return any(said <= plain and _words(plain) == words for plain in found)


def is_of_other_number(match: CellMatch, question: str) -> bool:
    """Whether numbers name the table's rows, and one of them is asked for but not this row's.

    Where rows have no names, their places in the table are none ("row 5") unless a row is asked for.
    """
    asked = frozenset(word for word in words_of(spelled_out(without_facets(question))) if word.isdigit())
    if not asked:
        return False
    if not has_labels(match.table):
        return "row" not in words_of(question) and bool(asked & set(words_of(match.row.leaf)))
    leaves = [row.leaf.strip() for row in match.table.rows]
    numbers = asked.intersection(leaves)
    are_numbers = sum(leaf.isdigit() for leaf in leaves) >= NUMBERED * len(leaves)
    return are_numbers and bool(numbers) and match.row.leaf.strip() not in numbers and not COMPARED.search(question)


def is_outsaid(match: CellMatch, found: Sequence[CellMatch]) -> bool:
    """Whether a cell of another table of the file says more of the question, and stands before this one.

    Where that one is not sure, this one is less so.
    """
    document = match.hit.chunk.document
    return any(
        other.hit.chunk.document == document
        and other.table.id != match.table.id
        and other.score > match.score
        and other.time >= match.time
        and other.coverage >= match.coverage + OUTSAID
        for other in found
    )


@lru_cache(maxsize=65536)
def _stems(text: str) -> frozenset[str]:
    """Stems of the telling words and the numbers, brackets apart."""
    words = words_of(_BRACKETS.sub(" ", text))
    return frozenset(stem(word) for word in words if word not in _SILENT)


@lru_cache(maxsize=65536)
def _words(stems: frozenset[str]) -> frozenset[str]:
    return frozenset(each for each in stems if not each[0].isdigit())
