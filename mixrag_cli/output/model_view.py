"""Language models for people and for scripts: what there is, what is here, what it needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from mixrag_cli.models.catalogue import KnownModel
from mixrag_cli.models.library import PulledModel
from mixrag_cli.output.console import foreign
from mixrag_cli.output.payload_values import checks_to_json
from mixrag_cli.output.terminal import size_text

SCHEMA = "mixrag.models/1"


def models_to_json(
    known: Sequence[KnownModel], pulled: Sequence[PulledModel], generator: str, memory_bytes: int | None
) -> dict[str, Any]:
    """mixrag.models/1 of the list."""
    return {
        "schema": SCHEMA,
        "action": "list",
        "generator": generator,
        "memory_bytes": memory_bytes,
        "known": [
            {
                "name": each.name,
                "repository": each.repository,
                "file": each.file,
                "billions": each.billions,
                "size_gb": each.size_gb,
                "memory_gb": each.memory_gb,
                "licence": each.licence,
                "suits": each.suits,
            }
            for each in known
        ],
        "pulled": [pulled_to_json(each) for each in pulled],
    }


def pulled_to_json(model: PulledModel) -> dict[str, Any]:
    """One model on this machine."""
    return {
        "name": model.name,
        "repository": model.repository,
        "file": model.file,
        "revision": model.revision,
        "path": model.path,
        "sha256": model.sha256,
        "size_bytes": model.size_bytes,
    }


def action_to_json(action: str, model: PulledModel) -> dict[str, Any]:
    """mixrag.models/1 of what was done to a model: "pull", "path" or "remove"."""
    return {"schema": SCHEMA, "action": action, "model": pulled_to_json(model)}


def used_to_json(generator: str, settings: str) -> dict[str, Any]:
    """mixrag.models/1 of a choice. settings: the file that it is written to."""
    return {"schema": SCHEMA, "action": "use", "generator": generator, "settings": settings}


def verified_to_json(rows: Sequence[tuple[str, str, str, str]]) -> dict[str, Any]:
    """mixrag.models/1 from rows of (state, name, detail, remedy)."""
    return {"schema": SCHEMA, "action": "verify", "checks": checks_to_json(rows)}


def print_models(
    console: Console,
    known: Sequence[KnownModel],
    pulled: Sequence[PulledModel],
    generator: str,
    memory_bytes: int | None,
) -> None:
    """The known models with a line each on what they need, then what else is here."""
    here = {each.name: each for each in pulled}
    if memory_bytes is not None:
        console.print(Text(f"{memory_bytes / 1e9:.1f} GB of memory are free", style="dim"))
    for each in known:
        needs = f"{each.size_gb} GB to fetch, {each.memory_gb} GB to run; {each.licence}; {each.suits}"
        _print_model(console, each.name, needs, _state(each.name, here, generator))
    for model in pulled:
        if model.name not in {each.name for each in known}:
            told = f"{size_text(model.size_bytes)}; {model.repository}/{model.file}"
            _print_model(console, model.name, told, _state(model.name, here, generator))
    if generator and generator not in here:
        _print_model(console, generator, "a file or server of your own", "in use")


def _print_model(console: Console, name: str, told: str, state: str) -> None:
    mark = foreign(f"  [{state}]", "green") if state else Text("")
    console.print(foreign(name, "bold") + mark, soft_wrap=True)
    console.print(foreign(f"    {told}"), soft_wrap=True)


def _state(name: str, here: dict[str, PulledModel], generator: str) -> str:
    if name == generator:
        return "in use" if name in here else "in use, but not here"
    return "here" if name in here else ""
