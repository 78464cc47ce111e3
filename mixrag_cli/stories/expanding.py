"""What the generator adds to a search: other texts to search by, another wording, the choice of a document.

Each is by wish and within a time of its own; where the model cannot be had or writes nothing of use, the search goes
on without it and the question's clock says what was left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.choice import (
    JUDGE,
    Reading,
    accept_graded,
    choose_document,
    grade_passages,
)
from mixrag_cli.retrieval.expansion import EXPANSION_SECONDS, Expansion, expand_question, rewrite_question
from mixrag_cli.retrieval.fusion import put_first
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.collection import Collection


def expand(collection: Collection, question: str, clock: Clock) -> tuple[str, ...]:
    """Other texts by whose meaning to search, as settings.expansion says; () for the question's own."""
    settings = collection.settings
    if settings.expansion == "none":
        return ()
    seconds = min(EXPANSION_SECONDS, settings.generator_seconds)
    try:
        found = expand_question(
            question, settings.expansion, collection.load_generator(), seconds=seconds, seed=settings.seed
        )
    except ModelUnusable as error:
        found = Expansion((), (error.message,))
    return _noted(found, "expansion", clock)


def rewrite(collection: Collection, question: str, clock: Clock) -> str:
    """The question in the generator's words, "" where there is none or it writes nothing of use."""
    if not collection.has_generator:
        return ""
    settings = collection.settings
    seconds = min(EXPANSION_SECONDS, settings.generator_seconds)
    try:
        found = rewrite_question(question, collection.load_generator(), seconds=seconds, seed=settings.seed)
    except ModelUnusable as error:
        found = Expansion((), (error.message,))
    return "".join(_noted(found, "correction", clock)[:1])


def keep_chosen(collection: Collection, question: str, hits: Sequence[Hit], clock: Clock) -> tuple[Hit, ...]:
    """The hits of the document that the generator chooses; all of them where it chooses none or cannot be had."""
    chosen = _choose(collection, question, hits, clock)
    return tuple(hit for hit in hits if chosen is None or hit.chunk.document == chosen)


def put_chosen_first(collection: Collection, question: str, hits: Sequence[Hit], clock: Clock) -> list[Hit]:
    """The hits with those of the document that the generator chooses before all others."""
    chosen = _choose(collection, question, hits, clock)
    return put_first(hits, lambda hit: float(hit.chunk.document == chosen))


def accept(collection: Collection, question: str, hits: Sequence[Hit], clock: Clock) -> list[Hit]:
    """The hits, each saying what accepts it: the generator's grades where the settings want them, else thresholds.

    Where it grades none, the thresholds stand in for it, and the clock says so.
    """
    settings = collection.settings
    if settings.acceptance != JUDGE or not hits:
        return collection.judge(hits)
    reading = Reading.of(settings)
    try:
        accepted = accept_graded(hits, grade_passages(question, hits, collection.load_generator(), reading))
    except ModelUnusable as error:
        clock.left_out.append(f"judge of the passages: {error.message}")
        accepted = collection.judge(hits)
    clock.lap("accept")
    return accepted


def _choose(collection: Collection, question: str, hits: Sequence[Hit], clock: Clock) -> str | None:
    """The id of the document that the generator chooses, where the settings want one chosen and there are several."""
    settings = collection.settings
    if settings.choose_document == "off" or len({hit.chunk.document for hit in hits}) < 2:
        return None
    reading = Reading.of(settings)
    try:
        chosen = choose_document(question, hits, collection.load_generator(), reading)
    except ModelUnusable as error:
        clock.left_out.append(f"choice of the document: {error.message}")
        chosen = None
    clock.lap("choose")
    return chosen


def _noted(found: Expansion, what: str, clock: Clock) -> tuple[str, ...]:
    clock.left_out += [f"{what}: {reason}" for reason in found.left_out]
    clock.lap("expand")
    return found.texts
