"""Extract from a table of records: the words of a question that mean its rows, whatever the headers call them.

"How many senators …"            the file or the title says what a row is          senators.csv
"… bird strikes …"               also where it writes two words as one             birdstrikes.csv
"… of the LA riots …"            words side by side, as in the file's name         la-riots.csv
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mixrag_cli.recap.wording import COUNT
from mixrag_cli.words import is_joined_in, stem, words_of

COUNTED_REACH = 3  # words behind "how many" in which the counted thing is named
ROW_WORDS = frozenset(stem(word) for word in ("rows", "entries", "records", "lines"))


def row_words(question: str, around: Sequence[str]) -> frozenset[str]:
    """Stems of the question that mean the rows themselves. around: stems of title and path."""
    asked = COUNT.search(question)
    counted = [stem(word) for word in words_of(question[asked.end() :])[:COUNTED_REACH]] if asked else []
    beside = set(pairwise(around))
    side_by_side = {
        word for pair in pairwise(stem(word) for word in words_of(question)) if pair in beside for word in pair
    }
    return ROW_WORDS | {word for word in counted if says_joined(around, word)} | side_by_side


def says_joined(around: Sequence[str], word: str) -> bool:
    """Whether a title or a path says the word, by itself or in a name without spaces ("strikes" in "birdstrikes")."""
    return word in around or any(is_joined_in(word, name) for name in around)
