"""A spaCy pipeline that the user has installed: the names that texts say, and which mentions mean the same thing.

It is found by spacy.util or as a folder, never downloaded. What it can do depends on its parts: names need an entity
recogniser; clusters of mentions are read where a part of it writes spans named coref_clusters…, as spaCy's own does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.util import get_installed_models, is_package

from mixrag_cli.errors import ModelUnusable, first_line

CLUSTERS = "coref_clusters"  # how spaCy's coreference component begins the names of its spans
# Labels of what is no name of a thing: those of OntoNotes, which spaCy's pipelines are trained on.
NUMBERS = frozenset(("CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME"))
COREFERENCE = "coref"  # in the name of a part that makes clusters, which may want all other parts
UNNEEDED = frozenset(("attribute_ruler", "lemmatizer", "morphologizer", "parser", "senter", "tagger"))  # for names
AT_ONCE = 64  # texts a run of the pipeline
WITHOUT = "mixrag config set nlp none"
MAX_TEXT = 100_000  # characters of a text that are read: spaCy refuses a million


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a text, characters [start, end). label: as the pipeline calls its kind, "ORG"."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Told:
    """What the pipeline says of one text. clusters: of mentions that mean the same, each [start, end)."""

    names: tuple[Name, ...]
    clusters: tuple[tuple[tuple[int, int], ...], ...]


class Pipeline:
    """A loaded pipeline. language: of its texts, as "en"."""

    def __init__(self, model: Language) -> None:
        unneeded = [part for part in model.pipe_names if part in UNNEEDED]
        if unneeded and not any(COREFERENCE in part for part in model.pipe_names):
            model.select_pipes(disable=unneeded)
        self._model = model
        self.language = str(model.lang)

    def read(self, texts: Sequence[str]) -> Iterator[Told]:
        """What is told of each text, in their order."""
        for document in self._model.pipe((text[:MAX_TEXT] for text in texts), batch_size=AT_ONCE):
            yield Told(_names(document), _clusters(document))

    def names_in(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """The names that each text says, in lower case."""
        told = zip(texts, self.read(texts), strict=True)
        return [frozenset(text[name.start : name.end].lower() for name in each.names) for text, each in told]


def load_pipeline(name: str) -> Pipeline:
    """The pipeline of an installed package of that name, or in that folder. Raises ModelUnusable."""
    if not is_package(name) and not Path(name).expanduser().is_dir():
        known = ", ".join(get_installed_models()) or "none"
        raise ModelUnusable(f"language pipeline {name} is not on this machine (installed: {known})", WITHOUT)
    try:
        return Pipeline(spacy.load(name if is_package(name) else Path(name).expanduser()))
    except Exception as error:  # whatever the parts of a stranger's pipeline raise
        reason = first_line(error)
        raise ModelUnusable(f"language pipeline {name} does not load: {reason}", WITHOUT) from error


def _names(document: Any) -> tuple[Name, ...]:
    return tuple(Name(one.start_char, one.end_char, one.label_) for one in document.ents if one.label_ not in NUMBERS)


def _clusters(document: Any) -> tuple[tuple[tuple[int, int], ...], ...]:
    groups = (spans for key, spans in document.spans.items() if key.startswith(CLUSTERS))
    return tuple(tuple((span.start_char, span.end_char) for span in spans) for spans in groups)
