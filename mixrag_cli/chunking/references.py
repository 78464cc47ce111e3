"""What "it" and "the Company" stand for: the names that running text means where it does not say them.

    Acme Corp., a Delaware corporation (the "Company"), reported …   ─► "Company" means Acme Corp. from there on
    Acme Corp. makes pumps. It sold 40.                              ─► "It" means Acme Corp.
    clusters of mentions, where the pipeline knows some              ─► each means the first of its cluster

The names are added to the words that a passage is searched by. Its text stays as it was written.
Source: MixRAG, section 4.1.3 (passage processing): coreference is resolved before sentences are indexed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from mixrag_cli.records.documents import Document
from mixrag_cli.records.passages import Chunk

# A closed class of English; "they" and "this" mean too many things for the nearest name to be a good guess.
THING_PRONOUNS = frozenset(("it", "its", "itself"))
PERSON_PRONOUNS = frozenset(("he", "him", "his", "himself", "she", "her", "hers", "herself"))
PERSON_LABELS = frozenset(("PERSON", "PER"))  # of OntoNotes and of CoNLL
# A name, at most so many characters on in the same sentence, and a term in quotation marks and brackets.
_DEFINED = re.compile(r"[^.;(\n]{0,80}\(\s*(?:the\s+)?[\"“'‘]([^\"”'’()]{2,40})[\"”'’]\s*\)", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+")


class NameLike(Protocol):
    """A name in a text, as a pipeline tells it."""

    @property
    def start(self) -> int: ...  # noqa: D102
    @property
    def end(self) -> int: ...  # noqa: D102
    @property
    def label(self) -> str: ...  # noqa: D102


class ToldLike(Protocol):
    """What a pipeline says of one text."""

    @property
    def names(self) -> Sequence[NameLike]: ...  # noqa: D102
    @property
    def clusters(self) -> Sequence[Sequence[tuple[int, int]]]: ...  # noqa: D102


class PipelineLike(Protocol):
    """What reads texts for their names."""

    language: str

    def read(self, texts: Sequence[str]) -> Iterable[ToldLike]:
        """What is told of each text."""
        ...


@dataclass(frozen=True, slots=True)
class Reference:
    """A mention at a character of the document's text, and the name that it stands for."""

    at: int
    name: str


def add_references(
    chunks: Sequence[Chunk], document: Document, pipeline: PipelineLike, on_read: Callable[[int], None]
) -> tuple[Chunk, ...]:
    """The passages; those of running text are also searched by the names that their mentions stand for.

    on_read: told how many characters of the document are read.
    """
    found = find_references(document, pipeline, on_read)
    return tuple(_with_names(chunk, found) if chunk.kind == "prose" else chunk for chunk in chunks)


def find_references(
    document: Document, pipeline: PipelineLike, on_read: Callable[[int], None] = lambda _: None
) -> list[Reference]:
    """The mentions in running text that stand for a name, in their order. on_read: as for add_references.

    Source: MixRAG, section 4.1.3.
    """
    blocks = [block for block in document.blocks if block.kind not in ("table", "code") and block.text.strip()]
    defined: dict[str, str] = {}
    last: dict[bool, str] = {}  # by whether it is a person's: the name said last
    found = []
    for block, told in zip(blocks, pipeline.read([block.text for block in blocks]), strict=True):
        begin, text = block.locator.chars[0], block.text
        on_read(begin)
        if block.kind == "heading":  # a name above a section is no antecedent that a sentence leans on
            last.clear()
        found += [Reference(begin + at, name) for at, name in _clustered(text, told)]
        found += [Reference(begin + at, name) for at, name in _said_again(text, defined)]
        defined |= _definitions(text, told.names)
        if pipeline.language == "en" and not told.clusters:
            found += [Reference(begin + at, name) for at, name in _leaning(text, told.names, last)]
    return sorted(found, key=lambda each: each.at)


def _clustered(text: str, told: ToldLike) -> list[tuple[int, str]]:
    """Mentions of a cluster, with its first one that is a name, else its first."""
    found = []
    for cluster in told.clusters:
        named = [(start, end) for start, end in cluster if any(n.start < end and start < n.end for n in told.names)]
        first, last = min(named or cluster)
        found += [(start, text[first:last]) for start, _ in cluster if start != first]
    return found


def _definitions(text: str, names: Sequence[NameLike]) -> dict[str, str]:
    """Defined terms with what they stand for. Example: 'Acme Corp. (the "Company")' -> {"Company": "Acme Corp."}."""
    defined = {}
    for name in names:
        if after := _DEFINED.match(text, name.end):
            defined[after[1]] = text[name.start : name.end]
    return defined


def _said_again(text: str, defined: dict[str, str]) -> list[tuple[int, str]]:
    return [
        (found.start(), name)
        for term, name in defined.items()
        for found in re.finditer(rf"\b{re.escape(term)}\b", text)
    ]


def _leaning(text: str, names: Sequence[NameLike], last: dict[bool, str]) -> list[tuple[int, str]]:
    """Pronouns with the name said last before them, in this block or the ones before. last: changed on the way."""
    found, waiting = [], sorted(names, key=lambda name: name.start)
    for word in _WORD.finditer(text):
        while waiting and waiting[0].end <= word.start():
            name = waiting.pop(0)
            last[name.label in PERSON_LABELS] = text[name.start : name.end]
        said = word[0].lower()
        if said in THING_PRONOUNS | PERSON_PRONOUNS and (said in PERSON_PRONOUNS) in last:
            found.append((word.start(), last[said in PERSON_PRONOUNS]))
    for name in waiting:
        last[name.label in PERSON_LABELS] = text[name.start : name.end]
    return found


def _with_names(chunk: Chunk, found: Sequence[Reference]) -> Chunk:
    start, end = chunk.locator.chars
    meant = dict.fromkeys(each.name for each in found if start <= each.at < end and each.name not in chunk.text)
    return replace(chunk, words=f"{chunk.words} {' '.join(meant)}".strip()) if meant else chunk
