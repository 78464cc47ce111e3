"""The bank as domains: its open part, and the folders that the grading may learn from; the sealed part is not read."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from training.grading.domains import Asked, Domain, Gold, only

BANK = Path(__file__).parents[2] / "tests" / "bank"
SCOPED = 4  # of so many answerable questions one is asked again of its own file alone, as a person does who knows it


def bank_domains(data: Path, gathered: Path) -> list[Domain]:
    """One domain a set of the bank, with the questions that may be learnt from."""
    bank = _bank()
    folders = {name: data / folder for name, (folder, _) in bank.SETS.items()}
    by_set = defaultdict(list)
    for one in (*bank.read_bank(data), *bank.read_gathered(gathered)):
        if one.part != "sealed":
            by_set[one.set].append(one)
    found = []
    for name, questions in by_set.items():
        folder = folders.get(name, gathered / name / "files")
        asked = [_asked(one, one.kind in bank.PASSAGE_KINDS) for one in questions]
        scoped = (*of_own_file(asked), *of_another_file(asked))
        found.append(Domain(f"everyday-{name}" if name in bank.SETS else name, folder, (*asked, *scoped)))
    return found


def fitted_files(gathered: Path) -> list[Path]:
    """The files of the gathered folders that the grading learns from."""
    folders = [gathered / name / "files" for name, part in _bank().GATHERED.items() if part == "fitted"]
    return [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]


def _bank() -> Any:
    """The module of the bank's questions, which is no part of a package."""
    sys.path.insert(0, str(BANK))
    import questions  # type: ignore[import-not-found]

    return questions


def of_own_file(asked: Sequence[Asked]) -> Iterator[Asked]:
    """Every SCOPED-th question that one file answers, restricted to that file."""
    for one, file in _of_one_file(asked):
        yield replace(one, scope=(only(file),))


def of_another_file(asked: Sequence[Asked]) -> Iterator[Asked]:
    """Every second of these questions, restricted to the file of another one, which does not answer it."""
    chosen = list(_of_one_file(asked))
    for number, (one, file) in enumerate(chosen[::2]):
        others = [other for _, other in (*chosen[2 * number :], *chosen) if other != file]
        if others:
            yield Asked(one.text, (), (), scope=(only(others[0]),), is_of_text=one.is_of_text)


def _of_one_file(asked: Sequence[Asked]) -> list[tuple[Asked, str]]:
    of_one = [one for one in asked if len({gold.file for gold in one.gold}) == 1]
    return [(one, one.gold[0].file) for one in of_one[::SCOPED]]


def _asked(question: Any, is_of_text: bool) -> Asked:
    gold = tuple(Gold(place.file, place.needle, place.lines, place.cell) for place in question.places)
    value = () if question.value is None else (f"{question.value:f}",)
    forms = (*question.forms, *value) if question.is_answerable else ()
    return Asked(question.text, forms, gold, is_of_text=is_of_text)
