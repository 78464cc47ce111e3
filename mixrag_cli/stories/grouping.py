"""summarise_groups(): a summary for every group of passages of the source "tiers", once all else can be searched.

    passages ─► groups, tier by tier ─► kept under what the group holds: taken as it is
                                     └─ else asked of the generator; without one, the sentences of its midst
                                     ─► embedded ─► one file beside the index, read when the source is first asked

A group is made again where its content or its maker is another one, a generator's budget holds for all groups of a run,
and what it left is taken up by the next. Where the file is missing or damaged, groups are known by their centres.

Source: "Beyond the Reranker", section 4.2 (RAPTOR and the cross-document tier: nodes keyed by a hash).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from mixrag_cli.errors import ModelUnusable, NoIndex
from mixrag_cli.generator import Generator
from mixrag_cli.models import Embedder
from mixrag_cli.models.cache import write_whole
from mixrag_cli.retrieval.group_summaries import extract_summary, group_request, read_group_summary
from mixrag_cli.retrieval.sources import tiers
from mixrag_cli.retrieval.sources.passages import Passages, read_passages
from mixrag_cli.retrieval.sources.tree import KeptTree, Summary, Tier, grow_tree, keys_of
from mixrag_cli.settings import Settings, source_weights
from mixrag_cli.store import open_reader
from mixrag_cli.stories.embedding import embed_texts
from mixrag_cli.stories.events import IndexEvents
from mixrag_cli.stories.kept_tree import TREE_FILE, read_tree
from mixrag_cli.stories.summary_budget import INTERRUPTED, Budget, BudgetSpentError, reply_within

SAVED_GROUPS = 32  # after so many new ones the file is written: the most that dying loses
EXTRACTIVE = "extractive"  # the maker without a generator


@dataclass(frozen=True, slots=True)
class GroupReport:
    """What became of the groups of passages.

    groups: that hold something; made: written now; kept: from before; left: not come to. tokens: of prompts and
    replies. stopped: as in SummaryReport.
    """

    maker: str
    groups: int = 0
    made: int = 0
    kept: int = 0
    left: int = 0
    tokens: int = 0
    seconds: float = 0.0
    stopped: str = ""


def wants_groups(settings: Settings) -> bool:
    """Whether groups of passages are searched."""
    return source_weights(settings.sources).get(tiers.NAME, 0.0) != 0


def summarise_groups(
    store: Path,
    settings: Settings,
    *,
    load_embedder: Callable[[], Embedder],
    load_generator: Callable[[], Generator],
    events: IndexEvents,
) -> GroupReport:
    """Bring the summaries of the store's groups up to date, as far as the budget goes.

    Both models are loaded only when there is something to do. Raises what opening a store raises.
    """
    started = time.monotonic()
    maker = f"{settings.generator} {settings.generator_model}".strip() or EXTRACTIVE
    kept = read_tree(store)
    try:
        with open_reader(store) as reader:
            commit = reader.record.number
            if kept is not None and (kept.maker, kept.commit) == (maker, commit):
                return GroupReport(maker, len(kept.summaries), kept=len(kept.summaries))
            passages = read_passages(reader.passages())
    except NoIndex:
        return GroupReport(maker)
    grown = _tree_over(passages, kept, maker)
    run = _Run(store, settings, passages, grown, commit, load_embedder, load_generator, events)
    return replace(run.go(), seconds=round(time.monotonic() - started, 2))


def _tree_over(passages: Passages, kept: KeptTree | None, maker: str) -> KeptTree:
    """The kept tree where it fits the passages, else a new one; summaries by another maker are left out."""
    if kept is not None and kept.fits(passages.vectors):
        return kept if kept.maker == maker else replace(kept, maker=maker, summaries={})
    tiers_ = grow_tree(passages.vectors)
    return KeptTree(maker, len(passages.kept), tuple(tier.centres for tier in tiers_))


@dataclass(slots=True)
class _Run:
    """One run over all groups. known: summaries by key, of this run's groups alone."""

    store: Path
    settings: Settings
    passages: Passages
    tree: KeptTree
    commit: int
    load_embedder: Callable[[], Embedder]
    load_generator: Callable[[], Generator]
    events: IndexEvents
    known: dict[str, Summary] = field(default_factory=dict)
    budget: Budget = field(init=False)
    made: int = 0
    _embedder: Embedder | None = None
    _generator: Generator | None = None

    def __post_init__(self) -> None:
        self.budget = Budget.of(self.settings)

    def go(self) -> GroupReport:
        """Write what is missing, the lowest tier first."""
        grown = grow_tree(self.passages.vectors, self.tree.centres) if self.tree.centres else []
        keys = keys_of(self.passages.texts, grown)
        wanted = {key for tier in keys for key in tier if key}
        self.known = {key: found for key, found in self.tree.summaries.items() if key in wanted}
        n_kept, stopped = len(self.known), ""
        self.events.phase("summarise groups", len(wanted) - n_kept)
        try:
            for held, tier, own in self._tiers(grown, keys):
                self._write_tier(held, tier, own)
        except KeyboardInterrupt:
            stopped = INTERRUPTED
        except (BudgetSpentError, ModelUnusable) as error:
            stopped = str(error)
        finally:
            if self._generator is not None:
                self._generator.close()
        left = len(wanted) - len(self.known)
        self._save(-1 if left else self.commit)
        return GroupReport(self.tree.maker, len(wanted), self.made, n_kept, left, self.budget.tokens, stopped=stopped)

    def _tiers(
        self, grown: Sequence[Tier], keys: Sequence[Sequence[str]]
    ) -> Iterator[tuple[Sequence[tuple[str, np.ndarray]], Tier, Sequence[str]]]:
        """Each tier with the texts and vectors of what lies below it, and its keys; the lowest first."""
        held = list(zip(self.passages.texts, self.passages.vectors, strict=True))
        for tier, own in zip(grown, keys, strict=True):
            yield held, tier, own
            blank = Summary("", tier.centres[0] * 0)
            held = [(found.text, found.vector) for found in (self.known.get(key, blank) for key in own)]

    def _write_tier(self, held: Sequence[tuple[str, np.ndarray]], tier: Tier, keys: Sequence[str]) -> None:
        """The summaries of a tier that are missing. held: texts and vectors of what its groups hold."""
        waiting: dict[str, str] = {}
        try:
            for number, key in enumerate(keys):
                if key and key not in self.known and key not in waiting:
                    waiting[key] = self._text_of(_by_centre(held, tier, number))
                if len(waiting) >= SAVED_GROUPS:
                    self._keep(waiting)
                    self._save(-1)
                    waiting = {}
        finally:
            self._keep(waiting)

    def _text_of(self, texts: Sequence[str]) -> str:
        """What is written of a group that holds these texts. Raises as reply_within does."""
        if self.tree.maker == EXTRACTIVE:
            return extract_summary(texts)
        generator = self._opened()
        request = group_request(
            texts, generator, self.settings.context_tokens, seconds=self.budget.seconds(), seed=self.settings.seed
        )
        return read_group_summary(reply_within(self.budget, generator, request).text) or extract_summary(texts)

    def _opened(self) -> Generator:
        """The generator, loaded when first needed. Raises ModelUnusable."""
        if self._generator is None:
            self._generator = self.load_generator()
        return self._generator

    def _keep(self, waiting: Mapping[str, str]) -> None:
        """Embed what is written, and keep it."""
        if not waiting:
            return
        self._embedder = self._embedder or self.load_embedder()
        made = embed_texts(list(waiting.values()), self._embedder)
        for (key, text), embedding in zip(waiting.items(), made, strict=True):
            self.known[key] = Summary(text, embedding.vector)
        self.made += len(waiting)
        self.events.advance(self.made, f"{self.budget.tokens:,} tokens")

    def _save(self, commit: int) -> None:
        """What is kept, in one file; a folder that cannot be written is no error: it is made again."""
        with suppress(OSError):
            tree = replace(self.tree, summaries=dict(self.known), commit=commit)
            write_whole(self.store / TREE_FILE, tree.to_json())


def _by_centre(held: Sequence[tuple[str, np.ndarray]], tier: Tier, number: int) -> list[str]:
    """The texts that a group holds, the nearest to its centre first."""
    inside = [held[place] for place in np.flatnonzero(tier.children[number]).tolist()]
    return [text for text, vector in sorted(inside, key=lambda each: -float(each[1] @ tier.centres[number]))]
