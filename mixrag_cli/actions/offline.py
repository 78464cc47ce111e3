"""No network unless a command is there for it: what libraries are told, and what the user told them before."""

from __future__ import annotations

import os

from mixrag_cli.errors import MixragError

# No library tells anybody that it is used, whatever the variables said before: this is promised, not preferred.
NO_TELEMETRY = {
    "ORT_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
}
# Nothing is fetched at run time, and native libraries keep their logs to themselves.
QUIET_AND_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "LLAMA_ARG_OFFLINE": "1",
    "LANCEDB_LOG": "error",
    "TOKENIZERS_PARALLELISM": "true",
}
HUB_VARIABLES = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")  # the hub's library obeys both
_set_by_us: set[str] = set()


def keep_libraries_offline() -> None:
    """Tell the libraries, through their variables, which child processes inherit; what the user set stays.

    Only a library's telemetry is off whatever the user set.
    """
    os.environ.update(NO_TELEMETRY)
    for name, value in QUIET_AND_OFFLINE.items():
        if name not in os.environ:
            os.environ[name] = value
            _set_by_us.add(name)


def allow_hub(what: str, *, offline: bool) -> None:
    """Let this process ask the hub. Must come before the hub's library is imported.

    Raises MixragError where the user forbade it, by --offline, the setting or the hub's own variables.
    """
    for name in HUB_VARIABLES:
        if name in _set_by_us:
            _set_by_us.remove(name)
            del os.environ[name]
    forbidden_by = ["offline"] if offline else []
    forbidden_by += [name for name in HUB_VARIABLES if os.environ.get(name, "").upper() in ("1", "ON", "YES", "TRUE")]
    if forbidden_by:
        raise MixragError(f"{what} is not on this machine, and {forbidden_by[0]} is on", "the same command without it")
