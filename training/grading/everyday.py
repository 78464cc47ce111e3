"""The bank as domains: its open part, and the folders that the grading may learn from; the sealed part is not read."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from training.grading.domains import Asked, Domain, Gold

BANK = Path(__file__).parents[2] / "tests" / "bank"


def bank_domains(data: Path, gathered: Path) -> list[Domain]:
    """One domain a set of the bank, with the questions that may be learnt from."""
    sys.path.insert(0, str(BANK))
    from questions import PASSAGE_KINDS, SETS, read_bank, read_gathered  # type: ignore[import-not-found]

    folders = {name: data / folder for name, (folder, _) in SETS.items()}
    by_set = defaultdict(list)
    for one in (*read_bank(data), *read_gathered(gathered)):
        if one.part != "sealed":
            by_set[one.set].append(one)
    found = []
    for name, questions in by_set.items():
        folder = folders.get(name, gathered / name / "files")
        asked = tuple(_asked(one, one.kind in PASSAGE_KINDS) for one in questions)
        found.append(Domain(f"everyday-{name}" if name in SETS else name, folder, asked))
    return found


def _asked(question: Any, is_of_text: bool) -> Asked:
    gold = tuple(Gold(place.file, place.needle, place.lines) for place in question.places)
    value = () if question.value is None else (f"{question.value:f}",)
    forms = (*question.forms, *value) if question.is_answerable else ()
    return Asked(question.text, forms, gold, is_of_text=is_of_text)
