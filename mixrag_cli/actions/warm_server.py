"""WarmServer: runs the command lines that client.py sends, over sessions that stay open.

    request ─► are its stores and its settings these? no: decline ─► the caller's folder, variables and streams
            ─► the program's own command ─► exit code and what it printed

One at a time: a command runs in the caller's folder and variables, which are the process's.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import select
import socket
import sys
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from mixrag_cli import __version__
from mixrag_cli.actions.lending import NotWarm, ServedLine, lend_session
from mixrag_cli.actions.signals import interruption_code
from mixrag_cli.client import COMMANDS, peer_is_me, receive_header, seen_environment, socket_path
from mixrag_cli.errors import ExitCode, MixragError, StoreLocked
from mixrag_cli.settings import Settings
from mixrag_cli.store import find_store, is_published, store_asked_for
from mixrag_cli.stories.conversation import Conversation
from mixrag_cli.stories.session import Session
from mixrag_cli.stories.several import Several
from mixrag_cli.stories.warm import WarmSessions

FOLLOW_S = 2.0  # between two looks for a newer commit, so that an older one is not held for long
REQUEST_S = 5.0  # a caller that connects and says nothing is not waited for any longer
BACKLOG = 16


class WarmServer:
    """A server for the store found from start upward, or for the newest snapshot of a published index; or for stores.

    program: the root of the command tree. collections: the stores to answer for by their names, none for the one.
    stores: by name, "" for the one, the folder or address by which each is asked for.
    Raises NoIndex.
    """

    def __init__(
        self, start: Path, settings: Settings, program: Any, collections: Mapping[str, Path] | None = None
    ) -> None:
        self.stores: Mapping[str, Path | str]
        if collections:
            self.stores = {name: find_store(start, store).resolve() for name, store in collections.items()}
            self._is_published = False
        else:
            found = find_store(start, settings.store)
            asked = store_asked_for(found, settings.store)
            self.stores = {"": asked if isinstance(asked, str) else asked.resolve()}
            self._is_published = is_published(found)
            settings = replace(settings, store=self.stores[""])
        self._settings = settings
        self._program = program
        self._chats: OrderedDict[str, Conversation] = OrderedDict()
        self._warm = WarmSessions(start, settings, collections)

    @contextmanager
    def listening(self) -> Iterator[list[socket.socket]]:
        """A socket for each store, bound, for this user alone; they go at the end. Raises StoreLocked, MixragError."""
        with ExitStack() as stack:
            yield [stack.enter_context(self._listening_for(store)) for store in self.stores.values()]

    @contextmanager
    def _listening_for(self, store: Path | str) -> Iterator[socket.socket]:
        path = Path(socket_path(str(store)) or "")
        path.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        if path.parent.stat().st_uid != os.getuid():
            raise MixragError(f"{path.parent}: belongs to somebody else")
        with path.with_suffix(".lock").open("wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise StoreLocked(f"another mixrag serve answers for {store}") from error
            path.unlink(missing_ok=True)
            with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as listener:
                before = os.umask(0o177)
                try:
                    listener.bind(str(path))
                finally:
                    os.umask(before)
                listener.listen(BACKLOG)
                try:
                    yield listener
                finally:
                    path.unlink(missing_ok=True)

    def answer_all(self, listeners: Sequence[socket.socket], idle_s: float) -> int:
        """Answer until nobody has asked for idle_s seconds, a store is gone, or a signal comes; the exit code."""
        try:
            self._warm.load()
            asked = time.monotonic()
            while time.monotonic() - asked < idle_s:
                called, _, _ = select.select(listeners, (), (), FOLLOW_S)
                if not called:
                    self._warm.follow()
                    continue
                for listener in called:
                    connection, _ = listener.accept()
                    with closing(connection), suppress(OSError, ValueError):
                        self._answer(connection)
                asked = time.monotonic()
        except KeyboardInterrupt:
            return interruption_code()
        return ExitCode.DONE

    def _answer(self, connection: socket.socket) -> None:
        """Read one request and send its reply. Raises OSError, ValueError."""
        connection.settimeout(REQUEST_S)
        if not peer_is_me(connection):
            return
        request, _ = receive_header(connection)
        reply = self._run(request) if self._is_ours(request) else None
        if reply is None:
            connection.sendall(b'{"declined": true}\n')
            return
        code, answer, notes = reply
        header = {"code": code, "stdout": len(answer), "stderr": len(notes)}
        connection.sendall(json.dumps(header).encode() + b"\n" + answer + notes)
        if code in (ExitCode.INTERRUPTED, ExitCode.TERMINATED):
            raise KeyboardInterrupt  # the signal was meant for the server; it met a command

    @staticmethod
    def _is_ours(request: Mapping[str, Any]) -> bool:
        arguments = request.get("arguments") or [""]
        is_known = arguments[0] in COMMANDS or (arguments[0] == "chat" and "chat" in request)
        return request.get("version") == __version__ and is_known

    def _run(self, request: Mapping[str, Any]) -> tuple[int, bytes, bytes] | None:
        """The command's exit code, stdout and stderr; None where it wants another session than this one."""
        code = 0
        with _in_place_of(request) as (answers, notes), lend_session(self._lend, self._line_of(request)):
            try:
                self._program.main([str(each) for each in request["arguments"]])
            except NotWarm:
                return None
            except SystemExit as leaving:
                code = int(leaving.code or 0)
            return code, answers.getvalue(), notes.getvalue()

    def _line_of(self, request: Mapping[str, Any]) -> ServedLine | None:
        told = request.get("chat")
        return (
            ServedLine(str(told.get("name")), str(told.get("line", "")), self._chats)
            if isinstance(told, dict)
            else None
        )

    def _lend(self, settings: Settings, collections: Mapping[str, Path]) -> Session | Several:
        """What a command with these settings in the caller's folder asks: the named collections, or one store.

        Raises NotWarm, MixragError.
        """
        if replace(settings, store=None) != replace(self._settings, store=None):
            raise NotWarm
        if any(self.stores.get(name) != store.resolve() for name, store in collections.items()):
            raise NotWarm
        names = tuple(collections) or (self._name_of(settings.store),)
        with self._warm.use(names) as session:
            return session

    def _name_of(self, store: Path | str | None) -> str:
        """Of the store that the caller, in whose folder this is, means. Raises NotWarm where it is not served here.

        A published index is told by its name.
        """
        meant = store if self._is_published else find_store(Path.cwd(), store)
        meant = meant.resolve() if isinstance(meant, Path) else meant
        found = next((name for name, each in self.stores.items() if each == meant), None)
        if found is None:
            raise NotWarm
        return found


class _Captured(io.TextIOWrapper):
    """A stream in memory that looks to the program like the caller's."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self._memory = io.BytesIO()
        self._is_terminal = bool(told["is_terminal"])
        super().__init__(self._memory, encoding=str(told["encoding"]), errors="mixrag-plain", newline="\n")

    def isatty(self) -> bool:
        return self._is_terminal

    def getvalue(self) -> bytes:
        """All that was written."""
        self.flush()
        return self._memory.getvalue()


@contextmanager
def _in_place_of(request: Mapping[str, Any]) -> Iterator[tuple[_Captured, _Captured]]:
    """The caller's folder, variables and streams, until the command is done. Raises OSError, ValueError."""
    try:
        answers, notes = _Captured(request["stdout"]), _Captured(request["stderr"])
    except (KeyError, TypeError, LookupError) as error:
        raise ValueError("not a request") from error
    streams, folder, variables = (sys.stdin, sys.stdout, sys.stderr), Path.cwd(), seen_environment(os.environ)
    os.chdir(str(request["cwd"]))
    try:
        sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO()), answers, notes
        _exchange_variables({str(name): str(value) for name, value in dict(request["environment"]).items()})
        yield answers, notes
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        _exchange_variables(variables)
        os.chdir(folder)


def _exchange_variables(wanted: Mapping[str, str]) -> None:
    for name in seen_environment(os.environ).keys() - wanted.keys():
        del os.environ[name]
    os.environ.update(seen_environment(wanted))
