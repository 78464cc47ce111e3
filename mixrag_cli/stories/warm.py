"""WarmSessions: sessions that stay open between questions and follow their stores' commits."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from mixrag_cli.errors import NoIndex
from mixrag_cli.settings import Settings
from mixrag_cli.store import StoreReader, find_store, is_published, open_reader, read_record
from mixrag_cli.stories.session import Session, ensure_same_model, open_session
from mixrag_cli.stories.several import Several

USES_OF_A_SESSION = 1_000  # it remembers each question, 10 to 50 kB; opening the store anew takes 20 ms


class WarmSessions:
    """The session of the store found from start upward, or those of named collections, over the same models.

    One question at a time, from any thread. Nothing is opened before the first question, so that a store may also
    come later. collections: the stores by their names, none for the one store.
    """

    def __init__(self, start: Path, settings: Settings, collections: Mapping[str, Path] | None = None) -> None:
        self.settings = settings
        self.collections = dict(collections or {})
        self._lock = threading.Lock()
        self._kept = {name: _Kept(store, replace(settings, store=store)) for name, store in self.collections.items()}
        self._kept = self._kept or {"": _Kept(start, settings)}
        self._lender: Session | None = None

    @contextmanager
    def use(self, names: Sequence[str] = ()) -> Iterator[Session | Several]:
        """Of the named collections, or of all, the sessions at the last commits, for one question.

        Raises NoIndex, StoreDamaged, StoreMismatch, ModelUnusable.
        """
        with self._lock:
            sessions = [self._open(name) for name in names or self._kept]
            for name, session in zip(names or self._kept, sessions, strict=True):
                session.name = name if len(sessions) > 1 else ""
            yield sessions[0] if len(sessions) == 1 else Several(sessions)

    def load(self) -> None:
        """Open every store and load what a first question needs of the models. Raises as use does."""
        with self.use():
            assert self._lender is not None
            self._lender.warm_up()

    def follow(self) -> None:
        """Let go of commits that are no longer the last, so that clean-up may remove them; open the last ones.

        A published index is asked for at each question and not in between: nobody cleans up after its readers.
        """
        with self._lock:
            for name, kept in self._kept.items():
                if kept.session is not None and not is_published(kept.session.reader.store):
                    self._open(name)

    def _open(self, name: str) -> Session:
        session = self._kept[name].current(self._lender)
        if self._lender is None:  # a session that nobody asks, so that it remembers models and no questions
            self._lender = Session(session.reader, session.embedder, self.settings)
            session.borrow_models(self._lender)
        return session


class _Kept:
    """The session of one store, opened anew after each commit and after many questions."""

    def __init__(self, start: Path, settings: Settings) -> None:
        self.session: Session | None = None
        self._start = start
        self._settings = settings
        self._uses = 0

    def current(self, lender: Session | None) -> Session:
        """The session at the store's last commit. lender: whose models it takes, None to load its own."""
        if lender is None:
            self.session = open_session(self._start, self._settings)
        elif self.session is None or self._uses >= USES_OF_A_SESSION or self._is_outdated(self.session):
            before, self.session = self.session, None
            if before is not None and isinstance(before.reader, StoreReader):
                before.reader.close()
            reader = open_reader(find_store(self._start, self._settings.store))
            ensure_same_model(reader, lender.embedder)
            self.session = Session(reader, lender.embedder, self._settings)
            self.session.borrow_models(lender)
            self._uses = 0
        self._uses += 1
        return self.session

    def _is_outdated(self, session: Session) -> bool:
        if is_published(session.reader.store):
            return find_store(self._start, self._settings.store) != session.reader.store
        try:
            now = read_record(session.reader.store)
        except NoIndex:
            return True
        held = session.reader.record
        return (now.store_id, now.number) != (held.store_id, held.number)
