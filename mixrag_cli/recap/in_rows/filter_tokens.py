"""A question as the words that conditions on rows are sought among, and a value of a column that is said there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mixrag_cli.records.tables import Header
from mixrag_cli.words import stem, words_of

_TOKEN = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a number of the question, by its stem and its place in the text."""

    stem: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Found:
    """A value of a column, said in the question. place: the first and last of its tokens.

    named: whether the question names the column beside it.
    """

    column: Header
    text: str
    place: tuple[int, int]
    named: bool


def tokens_of(text: str) -> list[Token]:
    """The words and numbers of a text in order."""
    return [Token(stem(found.group().lower()), found.start(), found.end()) for found in _TOKEN.finditer(text)]


def leaf_stems(header: Header) -> tuple[str, ...]:
    """The stems of a column's innermost label."""
    return tuple(stem(word) for word in words_of(header.leaf))


def places_of(needle: Sequence[str], tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where the stems stand one behind the other, as the first and last token."""
    n = len(needle)
    for at in range(len(tokens) - n + 1 if n else 0):
        if all(token.stem == wanted for token, wanted in zip(tokens[at : at + n], needle, strict=True)):
            yield at, at + n - 1
