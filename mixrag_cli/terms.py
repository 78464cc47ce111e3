"""Text → the plain terms that it is searched by; the same for documents, for queries and for what weighs them.

The engine's own tokenizers drop "C++", leave camelCase whole and its stemmers cut too deep, so the terms are made
here, of the words that everything else here reads, and the engine only splits at blanks. A query is therefore a list of
words, never a query language.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mixrag_cli.words import STOP_WORDS, parts_of, stem, tokens_of

MAX_TERM_LENGTH = 64  # longer runs are hashes and encoded data; nobody types them


def text_to_terms(text: str) -> list[str]:
    """The text's terms in order: lower case, stemmed, identifiers whole and in parts, no stop words.

    Example: text_to_terms("The getNames cost $1,234.50") -> ["getnam", "get", "name", "cost", "1234.50"]
    """
    return [term for token in tokens_of(text) for term in _token_to_terms(token)]


def join_terms(texts: Sequence[str], words: str) -> str:
    """What the full-text index sees of a chunk: the terms of its texts, then those of `words` that are new."""
    terms = [term for text in texts for term in text_to_terms(text)]
    known = set(terms)
    return " ".join(terms + [term for term in text_to_terms(words) if term not in known])


@lru_cache(maxsize=65_536)
def _token_to_terms(token: str) -> tuple[str, ...]:
    parts = parts_of(token)
    whole = token.strip("_").casefold()
    is_identifier = len(parts) > 1 and "".join(parts) == whole.replace("_", "")  # kanji in pairs are none
    terms = (stem(part) for part in ((whole, *parts) if is_identifier else parts))
    return tuple(term for term in terms if term not in STOP_WORDS and 0 < len(term) <= MAX_TERM_LENGTH)
