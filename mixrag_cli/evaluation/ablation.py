"""Which runs to compare: named ways of retrieving and answering, and the default with one method less, or one more.

Source: "Beyond the Reranker", section 5: every ablated run differs from the full pipeline in exactly one method.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from mixrag_cli.errors import WrongUsage
from mixrag_cli.evaluation.reporting import ANSWERS_ALONE, Run
from mixrag_cli.settings import EXTRA_SOURCES, Settings, check_value, source_weights

WITHOUT = "− "  # before the name of what a run does without, as the study's table writes it
WITH = "+ "  # before the name of a source that a run has besides
# Nothing but candidates and their fusion, to compare with.
PLAIN = {"rerank": "none", "acceptance": "none", "correction": "off", "near_duplicates": "keep"}
# Ways of doing it that are worth a name of their own.
NAMED_RUNS: Mapping[str, Mapping[str, str]] = {
    "default": {},
    "words": {"fusion": "words", **PLAIN},
    "meaning": {"fusion": "meaning", **PLAIN},
    "rrf": {"fusion": "rrf", **PLAIN},
    "weighted": {"fusion": "weighted", **PLAIN},
    **{name: {"sources": name} for name in EXTRA_SOURCES},
    "topics": {"prose_chunks": "topics"},
    "direct": {"strategy": "direct"},
    "cot": {"strategy": "cot"},
    "eedp": {"strategy": "eedp"},
    "pot": {"strategy": "pot"},
    **{f"recap without {step}": {"strategy": f"recap-without-{step}"} for step in ("restate", "extract", "compute")},
}


@dataclass(frozen=True, slots=True)
class Method:
    """A method that can be removed. changes: the settings without it. An arrow says what takes its place."""

    name: str
    changes: Mapping[str, str]
    needs_generator: bool = False


METHODS = (
    Method("rerank", {"rerank": "none"}),
    Method("fusion → rrf", {"fusion": "rrf"}),
    Method("fusion → weighted", {"fusion": "weighted"}),
    Method("fusion → words", {"fusion": "words"}),
    Method("fusion → meaning", {"fusion": "meaning"}),
    Method("phrases", {"sources": "phrase:0"}),
    Method("headers", {"sources": "header:0"}),
    Method("titles", {"sources": "title:0"}),
    Method("thresholds by source → one", {"acceptance": "global"}),
    Method("thresholds by source → judge", {"acceptance": "judge"}, needs_generator=True),
    Method("acceptance", {"acceptance": "none"}),
    Method("correction", {"correction": "off"}),
    Method("near-duplicate removal", {"near_duplicates": "keep"}),
    Method("query expansion", {"expansion": "none"}),
    Method("choice of the document", {"choose_document": "off"}),
    Method("own calibration", {"calibration": "off"}),
    Method("table rows", {"table_representation": "table"}),
    Method("cutting by topics", {"prose_chunks": "packed"}),
    Method("what mentions stand for", {"nlp": "none"}),
    Method("table summaries", {"summaries": "none"}),
    Method("RECAP → direct", {"strategy": "direct"}, needs_generator=True),
    Method("R of RECAP", {"strategy": "recap-without-restate"}, needs_generator=True),
    Method("E of RECAP", {"strategy": "recap-without-extract"}, needs_generator=True),
    Method("C of RECAP", {"strategy": "recap-without-compute"}, needs_generator=True),
)


def ablated_runs(settings: Settings, *, with_answers: bool) -> tuple[Run, ...]:
    """The full run first, then one run a method that these settings use, each without it; then one a source more.

    with_answers: where questions are only searched for, methods that act on answers alone are left out. Summaries are
    no source more: they are on where a generator has written some, and elsewhere there is nothing to search.
    Source: "Beyond the Reranker", section 5; without R, E, C: MixRAG, table 5.
    """
    removed = [
        Run(f"{WITHOUT}{method.name}", _beside(settings, method.changes))
        for method in METHODS
        if any(getattr(settings, name) != value for name, value in method.changes.items())
        and (with_answers or not ANSWERS_ALONE.issuperset(method.changes))
        and (not method.needs_generator or settings.generator)
    ]
    named = source_weights(settings.sources)
    further = [
        Run(f"{WITHOUT}{name}", {"sources": _sources_without(settings.sources, name)})
        for name, weight in named.items()
        if weight != 0
    ]
    added = [
        Run(f"{WITH}{name}", _beside(settings, {"sources": name}))
        for name in EXTRA_SOURCES
        if name not in (*named, "summary")
    ]
    return (Run("full"), *removed, *further, *added)


def _sources_without(named: str, name: str) -> str:
    """The setting `sources` without one of those that it names."""
    return "+".join(part for part in named.split("+") if part.partition(":")[0].strip() != name) or "none"


def _beside(settings: Settings, changes: Mapping[str, str]) -> Mapping[str, str]:
    """The changes, a source's weight beside those that the settings give already: its own run changes that alone."""
    if "sources" not in changes or settings.sources == "none":
        return changes
    return {**changes, "sources": f"{settings.sources}+{changes['sources']}"}


def parse_run(text: str) -> Run:
    """A run as the command line names it.

    Example: parse_run("words"), parse_run("fusion=rrf,rerank=none"), parse_run("plain: fusion=rrf, rerank=none")
    Raises WrongUsage for an unknown name or setting, or a value out of its bounds.
    """
    head, colon, rest = text.partition(":")
    if colon and "=" not in head:
        return Run(head.strip() or rest.strip(), _parse_changes(rest))
    if "=" in text:
        return Run(text.replace(" ", ""), _parse_changes(text))
    name = text.strip()
    if name not in NAMED_RUNS:
        close = difflib.get_close_matches(name, NAMED_RUNS, n=1)
        nearest = f" (nearest: {close[0]})" if close else ""
        raise WrongUsage(f"unknown run {name!r}{nearest}", "mixrag eval DATASET --compare fusion=rrf,rerank=none")
    return Run(name, NAMED_RUNS[name])


def _parse_changes(text: str) -> dict[str, str]:
    changes: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise WrongUsage(f"{part.strip()!r}: a setting and its value are needed", "--compare fusion=rrf")
        check_value(name, value, where="--compare")
        changes[name] = value
    return changes


def settings_of(run: Run, settings: Settings) -> Settings:
    """The settings of a run: those given, with the run's changes. Raises WrongUsage as check_value does."""
    return replace(settings, **{name: check_value(name, value) for name, value in run.changes.items()})
