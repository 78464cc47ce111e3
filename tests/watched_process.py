"""What a program does to the world: a run whose every connection and every new file is told, native code's included.

A seccomp filter (seccomp(2), SECCOMP_RET_USER_NOTIF) makes the kernel ask this process before each system call that
names an address or may create a file, in the program and in all that it starts. Addresses off this machine are
refused, so that a failing test sends nothing. It needs no privilege and no other program: Linux 5.5 or newer.

    thread: takes the filter, which is its alone ─► starts the program, which inherits it
    caller: receives each call ─► reads its arguments from the program's memory ─► remembers ─► lets it go on
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import select
import socket
import struct
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PR_SET_NO_NEW_PRIVS = 38
SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER = 1, 8
RET_ALLOW, RET_USER_NOTIF = 0x7FFF0000, 0x7FC00000
NOTIF_RECV, NOTIF_SEND = 0xC0502100, 0xC0182101  # ioctl numbers: _IOWR('!', 0 | 1, struct)
FLAG_CONTINUE = 1
LOAD, JUMP_EQUAL, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06  # BPF instructions
DATA_NUMBER, DATA_ARGUMENTS = 0, 16  # offsets in struct seccomp_data

O_TMPFILE_BIT = 0o20000000
CREATING_FLAGS = os.O_CREAT | O_TMPFILE_BIT
AT_FDCWD = -100
NAME_SERVICE_PORTS = (53, 853, 5353)
NAME_SERVICE_SOCKETS = ("nscd", "resolve", "avahi")  # in the path of a Unix socket that answers name look-ups
LONGEST_PATH = 4096

# The calls that are watched, by machine. An "io_uring" could do all of this unseen: to set one up is a finding.
NUMBERS: Mapping[str, Mapping[str, int]] = {
    "x86_64": {
        **{"connect": 42, "sendto": 44, "sendmsg": 46, "sendmmsg": 307, "io_uring_setup": 425, "seccomp": 317},
        **{"open": 2, "creat": 85, "openat": 257, "openat2": 437, "mkdir": 83, "mkdirat": 258, "mknod": 133},
        **{"mknodat": 259, "rename": 82, "renameat": 264, "renameat2": 316, "link": 86, "linkat": 265},
        **{"symlink": 88, "symlinkat": 266},
    },
    "aarch64": {
        **{"connect": 203, "sendto": 206, "sendmsg": 211, "sendmmsg": 269, "io_uring_setup": 425, "seccomp": 277},
        **{"openat": 56, "openat2": 437, "mkdirat": 34, "mknodat": 33, "renameat": 38, "renameat2": 276},
        **{"linkat": 37, "symlinkat": 36},
    },
}
# Which argument flags the creation of a file, and where the created path stands: (folder's argument or None, path's).
FLAG_ARGUMENTS = {"open": 1, "openat": 2}
CREATED = {
    **{"open": (None, 0), "creat": (None, 0), "mkdir": (None, 0), "mknod": (None, 0), "rename": (None, 1)},
    **{"link": (None, 1), "symlink": (None, 1), "openat": (0, 1), "openat2": (0, 1), "mkdirat": (0, 1)},
    **{"mknodat": (0, 1), "renameat": (2, 3), "renameat2": (2, 3), "linkat": (2, 3), "symlinkat": (1, 2)},
}

libc = ctypes.CDLL(None, use_errno=True)


class CannotWatch(Exception):
    """This machine's kernel does not let a process be watched; says why."""


@dataclass
class Seen:
    """What the processes of one run did. connections: addresses off this machine; lookups: of names; created: paths."""

    connections: list[str] = field(default_factory=list)
    lookups: list[str] = field(default_factory=list)
    created: list[Path] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)  # calls whose arguments could not be read


def run_watched(
    arguments: Sequence[str], *, env: Mapping[str, str], cwd: Path, typed: bytes = b"", timeout: float = 120
) -> tuple[subprocess.CompletedProcess[bytes], Seen]:
    """Run a program to its end and tell what it did. Raises CannotWatch, subprocess.TimeoutExpired."""
    numbers = NUMBERS.get(platform.machine())
    if numbers is None:
        raise CannotWatch(f"system calls of {platform.machine()} are not listed")
    ready = threading.Event()
    outcome: list[int | subprocess.CompletedProcess[bytes] | BaseException] = []

    def start() -> None:
        outcome.append(take_filter(numbers))
        ready.set()
        if outcome[0] >= 0:
            try:
                outcome.append(
                    subprocess.run(arguments, env=env, cwd=cwd, input=typed, capture_output=True, timeout=timeout)
                )
            except BaseException as error:
                outcome.append(error)

    program = threading.Thread(target=start)
    program.start()
    ready.wait()
    listener = outcome[0]
    assert isinstance(listener, int)
    if listener < 0:
        program.join()
        raise CannotWatch(f"the kernel refuses a seccomp listener: {os.strerror(-listener)}")
    seen = Seen()
    try:
        serve_calls(listener, {number: name for name, number in numbers.items()}, seen, program.is_alive)
    finally:
        os.close(listener)
    program.join()
    done = outcome[1]
    if isinstance(done, subprocess.CompletedProcess):
        return done, seen
    assert isinstance(done, BaseException)
    raise done


def take_filter(numbers: Mapping[str, int]) -> int:
    """Put the calling thread, and all that it starts, under the filter; the listener's descriptor, or -errno."""
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return -ctypes.get_errno()
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in filter_program(numbers))
    buffer = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    listener = libc.syscall(
        numbers["seccomp"], SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, ctypes.c_char_p(program)
    )
    return listener if listener >= 0 else -ctypes.get_errno()


def filter_program(numbers: Mapping[str, int]) -> list[tuple[int, int, int, int]]:
    """The filter: notify of the listed calls, of an opening only where it may create, of a sending only to an address.

    An instruction is (code, how far to jump if true, if false, operand). Sources: linux/filter.h, linux/seccomp.h.
    """
    program = [(LOAD, 0, 0, DATA_NUMBER)]
    for name, number in numbers.items():
        if name == "seccomp":
            continue
        flags = FLAG_ARGUMENTS.get(name)
        if flags is not None:
            rule = [(LOAD, 0, 0, DATA_ARGUMENTS + 8 * flags), (JUMP_ANY_BIT, 0, 1, CREATING_FLAGS)]
            rule += [(RETURN, 0, 0, RET_USER_NOTIF), (RETURN, 0, 0, RET_ALLOW)]
        elif name == "sendto":  # on a connected socket the address is null
            rule = [(LOAD, 0, 0, DATA_ARGUMENTS + 8 * 4), (JUMP_EQUAL, 1, 0, 0)]
            rule += [(RETURN, 0, 0, RET_USER_NOTIF), (RETURN, 0, 0, RET_ALLOW)]
        else:
            rule = [(RETURN, 0, 0, RET_USER_NOTIF)]
        program += [(JUMP_EQUAL, 0, len(rule), number), *rule]
    return [*program, (RETURN, 0, 0, RET_ALLOW)]


def serve_calls(listener: int, names: Mapping[int, str], seen: Seen, is_running: Callable[[], bool]) -> None:
    """Answer the kernel's questions until the program has ended."""
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    while is_running():
        if not any(event & select.POLLIN for _, event in poll.poll(100)):
            continue
        notice = ctypes.create_string_buffer(80)  # struct seccomp_notif: id, pid, flags, nr, arch, ip, args[6]
        if libc.ioctl(listener, ctypes.c_ulong(NOTIF_RECV), notice):
            continue  # the caller was killed meanwhile
        id_, pid, _, number, _, _, *arguments = struct.unpack("QIIiIQ6Q", notice.raw)
        refused = judge(Call(pid, names[number], arguments), seen)
        answer = struct.pack("QqiI", id_, 0, -refused, 0 if refused else FLAG_CONTINUE)
        libc.ioctl(listener, ctypes.c_ulong(NOTIF_SEND), ctypes.create_string_buffer(answer, len(answer)))


@dataclass(frozen=True)
class Call:
    """One system call of one thread."""

    pid: int
    name: str
    arguments: Sequence[int]

    def read(self, address: int, length: int) -> bytes:
        """What lies in the thread's memory. Raises OSError."""
        with open(f"/proc/{self.pid}/mem", "rb", buffering=0) as memory:  # noqa: PTH123
            memory.seek(address)
            return memory.read(length) or b""

    def path(self) -> Path:
        """The path that would be created, absolute. Raises OSError."""
        folder, at = CREATED[self.name]
        text = b""
        address = self.arguments[at]
        while b"\0" not in text and len(text) < LONGEST_PATH:  # never over the end of a page that may be the last
            text += self.read(address + len(text), 256 - (address + len(text)) % 256)
        path = Path(os.fsdecode(text.partition(b"\0")[0]))
        if path.is_absolute():
            return path
        number = ctypes.c_int(self.arguments[folder] & 0xFFFFFFFF).value if folder is not None else AT_FDCWD
        base = "cwd" if number == AT_FDCWD else f"fd/{number}"
        return Path(f"/proc/{self.pid}/{base}").readlink() / path

    def addresses(self) -> list[bytes]:
        """The socket addresses that are named. Raises OSError."""
        if self.name == "connect":
            return [self.read(self.arguments[1], self.arguments[2])]
        if self.name == "sendto":
            return [self.read(self.arguments[4], self.arguments[5])]
        count = self.arguments[2] if self.name == "sendmmsg" else 1
        heads = [self.read(self.arguments[1] + 64 * n, 12) for n in range(count)]  # struct mmsghdr takes 64 bytes
        named = [struct.unpack("QI", head) for head in heads]
        return [self.read(address, length) for address, length in named if address]


def judge(call: Call, seen: Seen) -> int:
    """Remember what matters of a call; the errno to refuse it with, 0 to let it go on."""
    try:
        if call.name in CREATED:
            path = call.path()
            if not os.path.lexists(path):
                seen.created.append(path)
            return 0
        if call.name == "io_uring_setup":
            seen.unread.append("io_uring_setup")
            return errno.ENOSYS
        return max((judge_address(raw, seen) for raw in call.addresses()), default=0)
    except OSError as error:
        seen.unread.append(f"{call.name}: {error}")
        return 0


def judge_address(raw: bytes, seen: Seen) -> int:
    """Remember an address that is none of this machine's, or that answers look-ups; the errno to refuse it with."""
    family = struct.unpack("H", raw[:2])[0] if len(raw) >= 2 else socket.AF_UNSPEC
    if family == socket.AF_UNIX:
        path = os.fsdecode(raw[2:].partition(b"\0")[0])
        if any(name in path for name in NAME_SERVICE_SOCKETS):
            seen.lookups.append(path)
        return 0
    if family not in (socket.AF_INET, socket.AF_INET6):
        return 0
    (port,) = struct.unpack(">H", raw[2:4])
    host = socket.inet_ntop(family, raw[4:8] if family == socket.AF_INET else raw[8:24])
    if port in NAME_SERVICE_PORTS:
        seen.lookups.append(f"{host} port {port}")
    elif host.startswith("127.") or host == "::1":
        return 0
    else:
        seen.connections.append(f"{host} port {port}")
    return errno.ENETUNREACH
