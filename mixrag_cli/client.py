"""The quick way in: where `mixrag serve` keeps this store warm, a question goes to it before anything is loaded here.

    arguments ─► which store ─► its socket ─► the command line, and what the terminal is like ─► what to print

The server runs the command line as it stands, so that its output is that of a cold run. Whatever does not fit, or goes
wrong, is no error: the command is then run here. Imports are the standard library's, and late: all of this is in
front of a person who waits.
"""

from __future__ import annotations

import os
import stat
import sys

from mixrag_cli import __version__

TYPE_CHECKING = False  # as in typing, which is not loaded for it
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

COMMANDS = ("ask", "search")
# Options that need what only the caller's own process has: its stdin, its files, its traceback, its right to write,
# its editor.
OWN_AFFAIRS = ("-", "--file", "--jsonl", "--output", "--debug", "--sync", "--open")
STORE_DIR, RECORD_FILE, REGISTRY_FILE = ".mixrag", "state.json", "registry.json"
SEEN_VARIABLES = ("HOME", "NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM", "LANG")
SEEN_PREFIXES = ("MIXRAG_", "XDG_", "LC_")
UNSEEN_VARIABLES = ("MIXRAG_API_KEY",)  # the server has its own
CONNECT_S, REPLY_S = 1.0, 60.0
MAX_HEADER_BYTES = 100_000


def run_warm(arguments: Sequence[str]) -> int | None:
    """The exit code of a command line that a warm server has run; None where it has to be run here."""
    try:
        if not arguments or arguments[0] not in COMMANDS or not _is_simple(arguments):
            return None
        store = _store_of(arguments)
        path = socket_path(store) if store else None
        if path is None or not _is_ours(path, stat.S_ISSOCK):
            return None
        for descriptor in (0, 1, 2):
            os.fstat(descriptor)
        reply = _exchange(path, _request(arguments))
    except (OSError, ValueError):
        return None
    return None if reply is None else _print(*reply)


def socket_path(store: str) -> str | None:
    """Where a server of this store listens: in the user's runtime folder, named by the store's device and inode.

    store: a folder, or the address of a published index, by whose hash the socket is named.

    The folder is platformdirs' user_runtime_dir, whose import would take a quarter of the time there is.
    Raises OSError where there is no store.
    """
    if "://" in store:
        from hashlib import sha256

        name = sha256(store.encode()).hexdigest()[:32]
    else:
        place = os.stat(store)  # noqa: PTH116
        name = f"{place.st_dev:x}-{place.st_ino:x}"
    base = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    if not os.access(base, os.W_OK):
        base = f"{os.environ.get('TMPDIR', '/tmp')}/runtime-{os.getuid()}"
    return f"{base}/mixrag/{name}.sock"


def seen_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that say how a command behaves or prints."""
    return {
        name: value
        for name, value in environ.items()
        if (name in SEEN_VARIABLES or name.startswith(SEEN_PREFIXES)) and name not in UNSEEN_VARIABLES
    }


def receive_header(connection: Any) -> tuple[dict[str, Any], bytes]:
    """The JSON object that a message begins with, and what has come of the rest. Raises OSError, ValueError."""
    import json

    received = b""
    while b"\n" not in received:
        part = connection.recv(65_536)
        if not part or len(received) > MAX_HEADER_BYTES:
            raise ValueError("the message has no header")
        received += part
    line, _, rest = received.partition(b"\n")
    header = json.loads(line)
    if not isinstance(header, dict):
        raise ValueError("the header is no object")
    return header, rest


def peer_is_me(connection: Any) -> bool:
    """Whether the process at the other end is this user's; true where the system does not tell."""
    import socket
    import struct

    if not hasattr(socket, "SO_PEERCRED"):
        return True
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return bool(struct.unpack("3i", told)[1] == os.getuid())


def _is_simple(arguments: Sequence[str]) -> bool:
    return not any(each.partition("=")[0] in OWN_AFFAIRS for each in arguments)


def _store_of(arguments: Sequence[str]) -> str | None:
    """The store that the command line means, as far as can be told without settings; the server looks again.

    Of several collections the first: the server that answers for all of them listens for each.
    """
    for number, argument in enumerate(arguments):
        option, has_value, value = argument.partition("=")
        if option in ("--store", "--collection"):
            value = value if has_value else "".join(arguments[number + 1 : number + 2])
            return value if option == "--store" else _store_named(value.split(",")[0].strip())
    if named := os.environ.get("MIXRAG_STORE"):
        return named
    folder = os.getcwd()  # noqa: PTH109
    while not os.path.isfile(f"{folder}/{STORE_DIR}/{RECORD_FILE}"):  # noqa: PTH113
        if folder in ("/", ""):
            return None
        folder = os.path.dirname(folder)  # noqa: PTH120
    return f"{folder}/{STORE_DIR}"


def _store_named(name: str) -> str | None:
    """The store of a collection, None for a name that is not known. Raises OSError, ValueError.

    The registry lies in settings.data_folder, by platformdirs, whose import would take a quarter of the time there is.
    """
    import json

    shared = os.environ.get("XDG_DATA_HOME", "").strip() or os.path.expanduser("~/.local/share")  # noqa: PTH111
    folder = os.path.expanduser(os.environ.get("MIXRAG_DATA_DIR") or f"{shared}/mixrag")  # noqa: PTH111
    with open(f"{folder}/{REGISTRY_FILE}", "rb") as file:  # noqa: PTH123
        known = json.load(file)
    named = known.get("collections") if isinstance(known, dict) else None
    return named.get(name) if isinstance(named, dict) else None


def _is_ours(path: str, is_kind: Any) -> bool:
    """Whether the path is of this kind, and this user's alone."""
    found = os.lstat(path)
    return bool(is_kind(found.st_mode)) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def ask_server(store: str, arguments: Sequence[str], **more: Any) -> tuple[int, bytes, bytes] | None:
    """The exit code, stdout and stderr of a command line that the store's server runs; None where none does.

    more: what goes with the request.
    """
    try:
        path = socket_path(store)
        if path is None or not _is_ours(path, stat.S_ISSOCK):
            return None
        return _exchange(path, {**_request(arguments), **more})
    except (OSError, ValueError):
        return None


def _exchange(path: str, request: Mapping[str, Any]) -> tuple[int, bytes, bytes] | None:
    """The exit code, stdout and stderr of the command, None where the server declines. Raises OSError, ValueError."""
    import json
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(CONNECT_S)
        connection.connect(path)
        if not peer_is_me(connection):
            return None
        connection.sendall(json.dumps(request).encode() + b"\n")
        connection.settimeout(REPLY_S)
        header, body = receive_header(connection)
        if "code" not in header:
            return None
        code, size = int(header["code"]), int(header["stdout"])
        total = size + int(header["stderr"])
        while len(body) < total:
            part = connection.recv(1 << 20)
            if not part:
                raise ValueError("the reply is cut off")
            body += part
    return code, body[:size], body[size:total]


def _request(arguments: Sequence[str]) -> dict[str, Any]:
    environment = seen_environment(os.environ)
    if sys.stdout.isatty() and not environment.get("COLUMNS"):
        environment["COLUMNS"] = str(os.get_terminal_size(sys.stdout.fileno()).columns)
    return {
        "version": __version__,
        "arguments": list(arguments),
        "cwd": os.getcwd(),  # noqa: PTH109
        "environment": environment,
        "stdout": {"is_terminal": sys.stdout.isatty(), "encoding": sys.stdout.encoding},
        "stderr": {"is_terminal": sys.stderr.isatty(), "encoding": sys.stderr.encoding},
    }


def _print(code: int, answer: bytes, notes: bytes) -> int:
    """Write both out, as a cold run would: a reader that has gone is no error, a full disk is one."""
    try:  # noqa: SIM105 - contextlib would have to be imported for it
        _write(2, notes)
    except OSError:
        pass
    try:
        _write(1, answer)
    except BrokenPipeError:
        return 0
    except OSError as error:
        words = error.strerror or "unknown"
        _write(2, f"mixrag: write error: {words[:1].lower()}{words[1:]}\n".encode())
        return 1
    return code


def _write(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]
