"""Several collections asked at once: each is searched by itself, and what is found is ordered by its promise.

Raw scores of different collections cannot be compared: BM25 counts the words of its own. What each collection's own
calibration makes of them can. So hits are merged by their fused score, which is a probability, and of the answers the
surest is given. A collection that answers otherwise is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from mixrag_cli.errors import WrongUsage
from mixrag_cli.records.answers import N_LIKELY, Answer
from mixrag_cli.records.passages import Hit
from mixrag_cli.stories.collection import Around
from mixrag_cli.stories.named_first import says_name
from mixrag_cli.stories.retrieving import NEAREST
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import SearchResult, Session
from mixrag_cli.stories.showing import Passage

Found = TypeVar("Found")


class Several:
    """The sessions of several collections, each with its name, behind the two things that a person does with one."""

    def __init__(self, members: Sequence[Session]) -> None:
        self.members = tuple(members)
        self._by_name = {member.name: member for member in self.members}

    def search(self, query: str, scope: Scope, limit: int, *, one_a_file: bool = False) -> SearchResult:
        """The ranked passages of all collections, best first. Raises WrongUsage for a scope that no file is in."""
        found = self._of_each(lambda member: member.search(query, scope, limit, one_a_file=one_a_file))
        hits = [hit for result in found for hit in result.hits]
        # What is the same in two collections is shown once; a file that the query names stays before all others.
        best = {hit.chunk.id: hit for hit in sorted(hits, key=lambda hit: hit.score)}
        order = sorted(best.values(), key=lambda hit: (not says_name(hit.path, query), -hit.score, hit.path))
        return SearchResult(
            query,
            tuple(order[:limit]),
            _summed([result.timings_ms for result in found]),
            warnings=_all([result.warnings for result in found]),
            degraded=_all([result.degraded for result in found]),
        )

    def around(self, hits: Sequence[Hit], passages: int) -> dict[str, Around]:
        """As Collection.around, each hit in its own collection."""
        return {
            id_: around for hit in hits for id_, around in self._by_name[hit.collection].around([hit], passages).items()
        }

    def ask(self, question: str, scope: Scope, on_text: Callable[[str], None] | None = None) -> Answer:
        """The surest answer of all collections; else the likeliest places of all; else the nearest passages of all.

        Raises WrongUsage for a scope that no file is in.
        """
        answers = self._of_each(lambda member: member.ask(question, scope, on_text))
        fused = fuse_answers(answers)
        return replace(
            fused,
            degraded=_all([answer.degraded for answer in answers]),
            warnings=(*_all([answer.warnings for answer in answers]), *_otherwise(fused, answers)),
            timings_ms=_summed([answer.timings_ms for answer in answers]),
        )

    def show(self, ref: str) -> Passage:
        """The place that a citation names, in the first collection that has it. Raises WrongUsage where none has."""
        refusals = []
        for member in self.members:
            try:
                return member.show(ref)
            except WrongUsage as refusal:
                refusals.append(refusal)
        raise refusals[0]

    def _of_each(self, run: Callable[[Session], Found]) -> list[Found]:
        """What each collection gives; one in which no file is meant gives nothing, unless that is so in all."""
        found, refusals = [], []
        for member in self.members:
            try:
                found.append(run(member))
            except WrongUsage as refusal:
                refusals.append(refusal)
        if not found:
            raise refusals[0]
        return found


def fuse_answers(answers: Sequence[Answer]) -> Answer:
    """One answer of those that several collections give to one question."""
    stated = [answer for answer in answers if answer.status == "answered"]
    if stated:
        return max(stated, key=lambda answer: answer.confidence)
    likely = [answer for answer in answers if answer.status == "likely"]
    if likely:
        candidates = sorted((each for answer in likely for each in answer.candidates), key=lambda one: -one.probability)
        best = max(likely, key=lambda answer: answer.guess.probability if answer.guess else 0.0)
        return replace(best, candidates=tuple(candidates[:N_LIKELY]))
    refused = sorted((hit for answer in answers for hit in answer.refused), key=lambda hit: -hit.score)
    return replace(answers[0], refused=tuple(refused[:NEAREST]))


def _otherwise(fused: Answer, answers: Sequence[Answer]) -> tuple[str, ...]:
    """A note for each collection that states another answer than the one that is given."""
    if fused.status != "answered":
        return ()
    return tuple(
        f"collection {answer.sources[0].hit.collection} answers otherwise: {answer.text} ({answer.confidence:.0%} sure)"
        for answer in answers
        if answer.status == "answered" and answer.sources and answer.text != fused.text
    )


def _summed(timings: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for each in timings for name in each)
    return {name: round(sum(each.get(name, 0.0) for each in timings), 1) for name in names}


def _all(notes: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for each in notes for note in each))
