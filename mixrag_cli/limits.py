"""What a child process may use of the machine. Called once by the child itself, before it touches a file.

Set in the child and not between fork and exec, where Python code is unsafe beside the parent's threads.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
MAX_OPEN_FILES = 64
MAX_WRITTEN_BYTES = 16_000_000  # readers write nothing; Python may still cache the bytecode of a module
MEGABYTE = 1_000_000


def limit_process(memory_mb: int, parent_pid: int) -> None:
    """Bound memory, open files, written bytes and core dumps; give up privileges; die when the parent dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NOFILE, MAX_OPEN_FILES)
    _lower(resource.RLIMIT_FSIZE, MAX_WRITTEN_BYTES)
    if (
        sys.platform == "linux"
    ):  # elsewhere the address space cannot be bounded, and a child sees its parent's end by EOF
        _lower(resource.RLIMIT_AS, memory_mb * MEGABYTE)
        control = ctypes.CDLL(None, use_errno=True).prctl
        control(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        control(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:  # it died before the request above was in force
        os._exit(1)


def allow_computing(seconds: int) -> None:
    """Let the process compute so many seconds more; the kernel ends it with SIGXCPU after that."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = int(usage.ru_utime + usage.ru_stime) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def _lower(kind: int, wanted: int) -> None:
    hard = resource.getrlimit(kind)[1]
    value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(kind, (value, value))
