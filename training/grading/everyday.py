"""The open part of the bank as domains: what may be looked at may be learnt from; the sealed part is not read here."""

from __future__ import annotations

import sys
from pathlib import Path

from training.grading.domains import Asked, Domain, Gold

BANK = Path(__file__).parents[2] / "tests" / "bank"


def open_domains(data: Path) -> list[Domain]:
    """One domain a set of the bank, with its open questions."""
    sys.path.insert(0, str(BANK))
    from questions import SETS, read_bank  # type: ignore[import-not-found]

    bank = [question for question in read_bank(data) if question.part == "open"]
    return [
        Domain(f"everyday-{name}", data / folder, tuple(_asked(one, data / folder) for one in bank if one.set == name))
        for name, (folder, _) in SETS.items()
    ]


def _asked(question: object, folder: Path) -> Asked:
    gold = tuple(Gold(place.file, _words_at(folder, place)) for place in question.places)  # type: ignore[attr-defined]
    return Asked(question.text, question.forms, gold)  # type: ignore[attr-defined]


def _words_at(folder: Path, place: object) -> str:
    """The words that stand at a place of a text file, its needle where it has no lines."""
    lines = place.lines  # type: ignore[attr-defined]
    if not lines:
        return str(place.needle)  # type: ignore[attr-defined]
    text = (folder / place.file).read_text("utf-8", "replace").splitlines()  # type: ignore[attr-defined]
    return "\n".join(text[lines[0] - 1 : lines[1]])
