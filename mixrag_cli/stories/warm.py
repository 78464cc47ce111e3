"""WarmSession: a session that stays open between questions and follows the store's commits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mixrag_cli.errors import NoIndex
from mixrag_cli.settings import Settings
from mixrag_cli.store import StoreReader, find_store, is_published, open_reader, read_record
from mixrag_cli.stories.session import Session, ensure_same_model, open_session

USES_OF_A_SESSION = 1_000  # it remembers each question, 10 to 50 kB; opening the store anew takes 20 ms


class WarmSession:
    """The session of the store found from start upward; one question at a time, from any thread.

    Nothing is opened before the first question, so that a store may also come later.
    """

    def __init__(self, start: Path, settings: Settings) -> None:
        self.settings = settings
        self._start = start
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._uses = 0

    @contextmanager
    def use(self) -> Iterator[Session]:
        """The session at the store's last commit, for one question.

        Raises NoIndex, StoreDamaged, StoreMismatch, ModelUnusable.
        """
        with self._lock:
            yield self._current()

    def follow(self) -> None:
        """Let go of a commit that is no longer the last, so that clean-up may remove it; open the last one.

        A published index is asked for at each question and not in between: nobody cleans up after its readers.
        """
        with self._lock:
            if self._session is not None and not is_published(self._session.reader.store):
                self._current()

    def _current(self) -> Session:
        if self._session is None:
            self._session = open_session(self._start, self.settings)
        elif self._uses >= USES_OF_A_SESSION or self._is_outdated(self._session):
            before, self._session = self._session, None
            if isinstance(before.reader, StoreReader):
                before.reader.close()
            reader = open_reader(find_store(self._start, self.settings.store))
            ensure_same_model(reader, before.embedder)
            self._session = Session(reader, before.embedder, self.settings)
            self._uses = 0
        self._uses += 1
        return self._session

    def _is_outdated(self, session: Session) -> bool:
        if is_published(session.reader.store):
            return find_store(self._start, self.settings.store) != session.reader.store
        try:
            now = read_record(session.reader.store)
        except NoIndex:
            return True
        held = session.reader.record
        return (now.store_id, now.number) != (held.store_id, held.number)
