"""What a child process may use of the machine. Called once by the child itself, before it touches a file.

Set in the child and not between fork and exec, where Python code is unsafe beside the parent's threads. A child is
started through this module, `python -m mixrag_cli.limits PARENT MODULE ARGUMENTS…`, so that it is bound to its parent
before it imports anything: half a second of imports on an idle machine, and many on a busy one, outlived a killed
program.
"""

from __future__ import annotations

import ctypes
import os
import resource
import runpy
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
MAX_OPEN_FILES = 64
MAX_WRITTEN_BYTES = 16_000_000  # readers write nothing; Python may still cache the bytecode of a module
MEGABYTE = 1_000_000


def limit_process(memory_mb: int, parent_pid: int) -> None:
    """Bound memory, open files, written bytes and core dumps; give up privileges; die when the parent dies."""
    die_with_parent(parent_pid)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NOFILE, MAX_OPEN_FILES)
    _lower(resource.RLIMIT_FSIZE, MAX_WRITTEN_BYTES)
    if (
        sys.platform == "linux"
    ):  # elsewhere the address space cannot be bounded, and a child sees its parent's end by EOF
        _lower(resource.RLIMIT_AS, memory_mb * MEGABYTE)
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def die_with_parent(parent_pid: int) -> None:
    """End this process when the parent's thread that started it ends, by the kernel where it can."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
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


if __name__ == "__main__":
    die_with_parent(int(sys.argv[1]))
    module, sys.argv[1:] = sys.argv[2], sys.argv[3:]
    runpy.run_module(module, run_name="__main__")
