"""How a child process is started, seen from the parent; what it may use of the machine is in ``limits``."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PACKAGE_FOLDER = Path(__file__).resolve().parents[1]


def child_command(module: str, arguments: Sequence[str]) -> list[str]:
    """The command that runs a module of ours as a child bound to this process from its first line on.

    -P: the current folder must not lend its modules to the child.
    """
    return [sys.executable, "-P", "-m", "mixrag_cli.limits", str(os.getpid()), module, *arguments]


def child_surroundings(**variables: str) -> dict[str, Any]:
    """What surrounds a child, as subprocess takes it: this package and no other, nothing of the terminal's.

    variables: of its environment, beside the caller's. Few malloc arenas: each reserves 64 MB of address space.
    """
    search_path = os.pathsep.join(filter(None, [str(PACKAGE_FOLDER), os.environ.get("PYTHONPATH", "")]))
    return {
        "stdin": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,  # native libraries write where they like
        "cwd": "/",  # a folder being indexed must not lend its modules to the child
        "env": {**os.environ, "MALLOC_ARENA_MAX": "2", **variables, "PYTHONPATH": search_path},
        "process_group": 0,  # Ctrl-C in the terminal goes to the program alone
    }
