"""FactCollector: the facts of one file, bounded in number and size, in the order of the file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mixrag_cli.records.documents import Fact, FactColumn, FactSort, FactValue
from mixrag_cli.records.places import Locator

# A person's file states hundreds at most; what states more is data, and has readers of its own.
MAX_FACTS = 4_000
MAX_PATH = 12  # keys from the outermost to the one meant; deeper ones lose the outer
MAX_KEY_CHARS = 120
MAX_VALUE_CHARS = 300  # of a value, a help text: what an answer in one line can hold
_SPACES = re.compile(r"\s+")
_OPENING = r"""(?P<prefix>[rRbBuUfFlL$@]{0,3})(?P<mark>\"\"\"|'''|["'`])"""
_OUTER_QUOTES = re.compile(rf"{_OPENING}(?P<text>.*)(?P=mark)$", re.DOTALL)
# no mark inside but behind a backslash or doubled
_QUOTED = re.compile(
    rf"{_OPENING}(?P<text>(?:(?!(?P=mark))[^\\]|\\(?!(?P=mark)$).|(?P=mark){{2}})*+\\?)(?P=mark)$", re.DOTALL
)


class FactCollector:
    """Takes facts until there are MAX_FACTS; says so by is_full.

    place: of the block that is being read: its notebook cell, page and box.
    """

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.place = Locator((0, 0))

    @property
    def is_full(self) -> bool:
        """Whether further facts are passed over."""
        return len(self.facts) >= MAX_FACTS

    def add(self, path: tuple[str, ...], sort: FactSort, *values: tuple[FactColumn, str, int | None]) -> None:
        """Take one fact; one without a key or without anything said of it is passed over."""
        keys = tuple(key for part in path if (key := one_line(part, MAX_KEY_CHARS)))[-MAX_PATH:]
        said = tuple(
            FactValue(column, shown, line, self.place.page, self.place.bbox)
            for column, text, line in values
            if (shown := one_line(text, MAX_VALUE_CHARS))
        )
        if keys and said and not self.is_full:
            self.facts.append(Fact(keys, sort, said, self.place.cell))

    def take(self, others: Sequence[Fact], above: tuple[str, ...], n_lines: int) -> None:
        """Take the facts of a text that stands in this one, below these keys and so many lines."""
        for fact in others:
            values = ((each.column, each.text, each.line and each.line + n_lines) for each in fact.values)
            self.add((*above, *fact.path), fact.sort, *values)


def one_line(text: str, limit: int) -> str:
    """The text with single blanks, cut at a word where it is longer than the limit."""
    plain = _SPACES.sub(" ", text[: 4 * limit]).strip()
    if len(plain) <= limit:
        return plain
    cut = plain[: limit - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut) + "…"


def unquoted(text: str) -> str:
    """What a string literal says. Example: unquoted("b'a'") -> "a"; an empty one stays as it is written.

    So does what is more than one literal, such as "'a' + 'b'". A line's end behind a backslash is no part of it.
    """
    return said.replace("\\\n", "") if (said := inside_quotes(text)).strip() else text


def inside_quotes(text: str, *, is_one: bool = False) -> str:
    """What stands between the quotes of one string literal, as it is written; "" where the text is none.

    is_one: whether the text is known to be one, so that any quotes inside belong to it.
    """
    found = (_OUTER_QUOTES if is_one else _QUOTED).match(text)
    return found["text"] if found else ""
