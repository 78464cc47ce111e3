"""Child processes for the store's tests, forked from a server that has the engine loaded: 0.2 s each instead of 2 s."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.process import BaseProcess

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["mixrag_cli.store.engine", "mixrag_cli.store.writing", "store_samples"])


def start(target: Callable[..., None], *arguments: object) -> BaseProcess:
    process = _CONTEXT.Process(target=target, args=arguments, daemon=True)
    process.start()
    return process
