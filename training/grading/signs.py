"""Ask every question of a domain through the product's own retrieval, and keep each candidate's signs and whether it is
right. What was asked of the same files by the same program is not asked again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from unittest.mock import patch

from mixrag_cli.evaluation.answers import VALUE_CHARS, says_form, says_right
from mixrag_cli.recap.drafting import draft_all
from mixrag_cli.recap.in_tables import scorer
from mixrag_cli.recap.signs import Draft
from mixrag_cli.records.answers import Source, Spot
from mixrag_cli.records.places import Locator, cells_overlap
from mixrag_cli.stories.answering import prepare
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.scanning import FileScanner
from mixrag_cli.stories.scope import Scope, files_meant
from mixrag_cli.stories.session import Session
from training.folders import open_indexed
from training.grading.domains import KEPT_FOLD, Asked, Domain, Gold

ENOUGH_OF_THE_WORDS = 0.5  # of those that stand at the right place, which a passage shows


@dataclass(frozen=True, slots=True)
class Signed:
    """A candidate of a question: its signs, and where it stands.

    right: whether it is; of a passage, whether the answer stands in it. answers: whether it is right if it is stated.
    """

    domain: str
    question: int
    signs: dict[str, float]
    right: bool
    answers: bool
    spot: Spot

    @property
    def kind(self) -> str:
        """The candidate's kind."""
        return self.spot.kind

    def to_json(self) -> str:
        """A line of the cache."""
        spot = {**asdict(self.spot), "place": self.spot.place.to_json()}
        return json.dumps({**asdict(self), "spot": spot})

    @classmethod
    def from_json(cls, line: str) -> Signed:
        """The inverse of to_json."""
        known = json.loads(line)
        spot = known.pop("spot")
        return cls(**known, spot=Spot(**{**spot, "place": Locator.from_json(spot["place"])}))


def signs_of(domain: Domain, cache: Path) -> list[Signed]:
    """All candidates of all questions of the domain."""
    kept = cache / f"{domain.name}.signs.jsonl"
    if kept.exists():
        return [Signed.from_json(line) for line in kept.read_text("utf-8").splitlines()]
    session = open_indexed(domain.folder, cache / "stores" / domain.name)
    with fitted_without(KEPT_FOLD, cache / "folds" if domain.name == "statistics" else None):
        found = [one for n, asked in enumerate(domain.questions) for one in _ask(session, domain.name, n, asked)]
    kept.write_text("".join(one.to_json() + "\n" for one in found), "utf-8")
    return found


@contextmanager
def fitted_without(fold: int, folder: Path | None) -> Iterator[None]:
    """The reader of tables with what was fitted without a fold's (tests/benchmarks/hitab_pairs.py keeps it there).

    As it is where there is no folder.
    """
    network = scorer.read_network(network_file(folder, fold).read_text("utf-8")) if folder else scorer.load_network()
    with patch.object(scorer, "load_network", lambda: network):
        yield


def network_file(folder: Path, fold: int) -> Path:
    """Where the network is kept that was fitted without a fold of HiTab's tables."""
    return folder / f"network{fold}.json"


def _ask(session: Session, domain: str, number: int, asked: Asked) -> Iterator[Signed]:
    scope = Scope(paths=asked.scope)
    if not files_meant(scope, session.document_rows):
        return  # the file that it means could not be read
    restated, base, _ = prepare(session, asked.text, scope, Clock(), FileScanner(session))
    for draft in draft_all(restated, base):
        right = is_right(asked, draft)
        answers = right and (draft.kind != "passage" or asked.is_answered_by_text or _says(asked, draft.text))
        yield Signed(domain, number, dict(draft.signs), right, answers, draft.spot)


def _says(asked: Asked, text: str) -> bool:
    """Whether a text is short enough for an answer, and one."""
    return len(text) <= VALUE_CHARS and any(says_form(form, text) for form in asked.forms)


def is_right(asked: Asked, draft: Draft) -> bool:
    """Whether a candidate says a right form; of a passage, whether it shows the right place.

    A question of the bank that a passage answers is answered, as the bank judges it, by any passage that says a form,
    and by whatever is cited from the right place.
    """
    if draft.kind == "passage":
        says = asked.is_of_text is True and any(says_form(form, draft.text) for form in asked.forms)
        return says or any(_shows(draft, gold, asked.forms) for gold in asked.gold)
    if asked.is_of_text is True and any(_cites(draft, gold) for gold in asked.gold):
        return True
    if draft.kind == "sentence" and not any(_shows(draft, Gold(gold.file), asked.forms) for gold in asked.gold):
        return False
    value = None if draft.value is None else float(draft.value)
    return says_right(asked.text, asked.forms, draft.text, value, draft.unit)


def _cites(draft: Draft, gold: Gold) -> bool:
    """Whether what is no passage cites the lines or cells of the place or, of one without either, its words."""
    return any(_is_of(source, gold) and _is_at(source, gold) for source in draft.sources)


def _is_of(source: Source, gold: Gold) -> bool:
    return f"/{source.hit.path}".endswith(f"/{gold.file}")


def _is_at(source: Source, gold: Gold) -> bool:
    if gold.lines:
        return _shares_line(source.locator.lines, gold.lines)
    if gold.cells:
        return _shares_cell(source.locator.cells, gold.cells)
    return bool(gold.words) and set(_words(gold.words)) <= set(_words(source.text))


def _shares_line(some: tuple[int, int] | None, others: tuple[int, int]) -> bool:
    return some is not None and some[0] <= others[1] and others[0] <= some[1]


def _shares_cell(some: str | None, others: str) -> bool:
    return some is not None and cells_overlap(some, others)


def _shows(draft: Draft, gold: Gold, forms: tuple[str, ...]) -> bool:
    """Whether a passage overlaps the lines of the place, holds half of its words, or, without either, says a form.

    Where no form is known it overlaps the cells.
    """
    if not _is_of(draft.source, gold):
        return False
    if gold.lines and draft.source.locator.lines:
        return _shares_line(draft.source.locator.lines, gold.lines)
    if gold.cells and not forms:
        return _shares_cell(draft.source.locator.cells, gold.cells)
    shown = set(_words(draft.source.hit.chunk.text))
    if gold.words:
        wanted = set(_words(gold.words))
        return len(wanted & shown) >= ENOUGH_OF_THE_WORDS * len(wanted)
    return any(says_form(form, draft.source.hit.chunk.text) for form in forms)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
