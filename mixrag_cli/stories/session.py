"""Session: a collection that can be searched and asked; how one is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from mixrag_cli.errors import StoreMismatch
from mixrag_cli.models import Embedder, load_embedder, load_reader
from mixrag_cli.reading import ReaderModel
from mixrag_cli.records.answers import Answer
from mixrag_cli.records.passages import Hit
from mixrag_cli.settings import Settings
from mixrag_cli.store import StoreReader, find_store, open_reader
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.collection import Around, Collection
from mixrag_cli.stories.expanding import expand, put_chosen_first
from mixrag_cli.stories.named_first import put_named_first
from mixrag_cli.stories.scope import Scope

SEARCHES_FOR_FILES = 4  # at most, for as many files as are wanted; each costs what a search costs


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Ranked passages. timings_ms: "embed", "candidates", "rerank", "choose", "total". degraded: what was left out.

    around: by passage's id what stands before and after it, where that was asked for.
    """

    query: str
    hits: tuple[Hit, ...]
    timings_ms: Mapping[str, float]
    warnings: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()
    around: Mapping[str, Around] = field(default_factory=dict)

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the files that the passages are of, best first."""
        return tuple(dict.fromkeys(hit.path for hit in self.hits))


class Session(Collection):
    """A collection and the two things that a person does with it, question after question."""

    def search(self, query: str, scope: Scope, limit: int, *, one_a_file: bool = False) -> SearchResult:
        """The ranked passages for a query, best first; of a file that it names exactly one before all others.

        one_a_file: only the best passage of each file.
        Raises WrongUsage for a scope that names no document.
        """
        clock = Clock()
        found = self.find(query, self.filter(scope), clock, sought=expand(self, query, clock))
        hits = put_named_first(self, query, scope, put_chosen_first(self, query, found, clock), clock)
        if one_a_file:
            hits = self._one_a_file(query, scope, limit, hits, clock)
        return SearchResult(query, tuple(self.judge(hits[:limit])), clock.total(), degraded=tuple(clock.left_out))

    def _one_a_file(self, query: str, scope: Scope, limit: int, hits: Sequence[Hit], clock: Clock) -> tuple[Hit, ...]:
        """The best hit of each file. A long file may take all candidates, so that the others are searched once more."""
        best: dict[str, Hit] = {}
        for _ in range(SEARCHES_FOR_FILES):
            for hit in hits:
                best.setdefault(hit.chunk.document, hit)
            if len(best) >= limit or not hits or not isinstance(self.reader, StoreReader):
                break
            hits = self.find(query, self.filter(scope, without=sorted(best)), clock)
        return tuple(best.values())

    def ask(self, question: str, scope: Scope, on_text: Callable[[str], None] | None = None) -> Answer:
        """One answer with its RECAP steps and sources, or an abstention that says why.

        on_text: told a generator's words as they come, provisional until the answer is returned.
        """
        # Only asking pays for the reader: its wordings take a tenth of a second to compile.
        from mixrag_cli.stories.answering import answer_question

        return answer_question(self, question, scope, on_text)


def open_several(stores: Mapping[str, Path], settings: Settings, *, asks: bool = False) -> tuple[Session, ...]:
    """A session of each store, by its name, over one embedder and one reader. asks, raises: as in open_session."""
    embedder, loading_reader = _load_models(settings, asks)
    sessions: list[Session] = []
    for name, store in stores.items():
        reader = open_reader(find_store(store, store))
        ensure_same_model(reader, embedder.result())
        sessions.append(Session(reader, embedder.result(), settings, name, loading_reader))
    for session in sessions[1:]:
        session.borrow_models(sessions[0])
    return tuple(sessions)


def open_session(start: Path, settings: Settings, *, asks: bool = False) -> Session:
    """Open the store found from start upward, and load its embedder meanwhile.

    asks: whether a question is to be answered, so that the reader model is loaded then too.
    Raises NoIndex, StoreDamaged, StoreMismatch (another model than the settings name), ModelUnusable.
    """
    store = find_store(start, settings.store)
    embedder, loading_reader = _load_models(settings, asks)
    reader = open_reader(store)
    ensure_same_model(reader, embedder.result())
    return Session(reader, embedder.result(), settings, loading_reader=loading_reader)


def _load_models(settings: Settings, asks: bool) -> tuple[Future[Embedder], Future[ReaderModel] | None]:
    """The embedder and, where a question is to be answered, the reader model; a thread loads one after the other.

    Two threads take longer: loading computes, and they wait for each other.
    """
    background = ThreadPoolExecutor(max_workers=1)
    embedder = background.submit(load_embedder, settings)
    return embedder, background.submit(load_reader, settings) if asks else None


def ensure_same_model(reader: StoreReader, embedder: Embedder) -> None:
    """Raise StoreMismatch where the store's vectors are another model's."""
    if embedder.name != reader.record.embedder:
        raise StoreMismatch(
            f"index was made with model {reader.record.embedder}, not {embedder.name}", "mixrag index --rebuild"
        )
