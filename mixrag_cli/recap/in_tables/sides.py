"""One side of a table against the terms of a question: what each header says of them, and what it says besides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixrag_cli.quantities.facets import Facets, facets_of, without_facets
from mixrag_cli.recap.evidence import stems_of
from mixrag_cli.recap.wording import WHOLE_WORDS
from mixrag_cli.records.tables import Header
from mixrag_cli.words import COMMON_WORDS, UNIT_WORDS, match_term

_SILENT = UNIT_WORDS | COMMON_WORDS | WHOLE_WORDS


@dataclass(frozen=True, slots=True)
class Side:
    """What the headers of one side say. said: (n_terms, n_headers), in [0, 1]. facets: of each whole path."""

    said: npt.NDArray[np.float64]
    facets: tuple[Facets, ...]


def side_of(headers: Sequence[Header], terms: Sequence[str]) -> Side:
    """How well the path of each header says each term, and of which time it is."""
    paths = [" ".join(header.path) for header in headers]
    said = [[match_term(term, stems_of(path)) for path in paths] for term in terms]
    return Side(np.array(said, np.float64).reshape(len(terms), len(paths)), tuple(map(facets_of, paths)))


def unasked_part(label: str, terms: Sequence[str]) -> float:
    """The part of a label's words, numbers, times and units apart, that the terms do not say; 0 for none."""
    words = [word for word in stems_of(without_facets(label)) if not word.isdigit() and word not in _SILENT]
    return sum(not match_term(word, terms) for word in words) / len(words) if words else 0.0
