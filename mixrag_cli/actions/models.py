"""mixrag models: the language models that may word answers, from the list to the settings."""

from __future__ import annotations

from mixrag_cli.actions.caller import confirm, settings_of
from mixrag_cli.actions.generators import usable_generator
from mixrag_cli.actions.offline import allow_hub
from mixrag_cli.actions.run_view import view_of
from mixrag_cli.actions.screen import console_of, render
from mixrag_cli.commands.options import Face
from mixrag_cli.errors import ExitCode, ModelUnusable, WrongUsage
from mixrag_cli.models.catalogue import KNOWN_MODELS, find_known
from mixrag_cli.models.library import (
    PulledModel,
    check_pulled,
    find_pulled,
    forget_pulled,
    pulled_models,
    remember_pulled,
)
from mixrag_cli.models.machine import available_memory
from mixrag_cli.output.model_view import action_to_json, models_to_json, print_models, used_to_json, verified_to_json
from mixrag_cli.output.streams import write_json
from mixrag_cli.output.terminal import print_findings, print_lines
from mixrag_cli.settings import write_setting


def list_models(face: Face) -> None:
    """List good small models, and those on this machine; needs no network."""
    settings, pulled, memory = settings_of(face), pulled_models(), available_memory()
    render(face, models_to_json, print_models, KNOWN_MODELS, pulled, settings.generator, memory)


def pull(model: str, offline: bool, face: Face) -> None:
    """Fetch a model from the Hugging Face hub, going on where an earlier try ended."""
    name, repository, file = _address_of(model)
    known = find_pulled(name)
    if known:
        try:
            check_pulled(known, thoroughly=True)
            face.note(f"{name} is here already, and whole")
            _tell(face, "pull", known)
            return
        except ModelUnusable:
            face.note(f"{name} is here but damaged; fetching it again")
    allow_hub(name, offline=offline or settings_of(face).offline == "on")
    from mixrag_cli.models.hub import pull_model  # its library reads at import whether it may ask the hub

    with view_of(face) as view:
        view.phase("fetch", None)

        def on_bytes(done: int, total: int) -> None:
            view.phase("fetch", total or None)
            view.advance(done, name)

        pulled = pull_model(name, repository, file, known, on_bytes)
    remember_pulled(pulled)
    face.note(f"to answer with it: mixrag models use {name}")
    _tell(face, "pull", pulled)


def verify(model: str | None, face: Face) -> int:
    """Read the models on this machine and compare their sha256."""
    chosen = [_pulled(model)] if model else list(pulled_models())
    rows: list[tuple[str, str, str, str]] = []
    for each in chosen:
        try:
            rows.append(("ok", each.name, f"{check_pulled(each, thoroughly=True)}: sha256 {each.sha256}", ""))
        except ModelUnusable as error:
            rows.append(("fail", each.name, error.message, error.hint))
    render(face, verified_to_json, print_findings, rows)
    return ExitCode.MODEL if any(state == "fail" for state, *_ in rows) else ExitCode.DONE


def use(model: str, face: Face) -> None:
    """Answer with this model from now on; "none" for the built-in reader."""
    value = usable_generator(model)
    written = write_setting("generator", value)
    if face.json:
        write_json(used_to_json(value or "", str(written)))
    else:
        face.note(f"generator = {value or 'none'}, written to {written}; try it: mixrag doctor --model")


def path(model: str, face: Face) -> None:
    """Print where a model's file lies."""
    _tell(face, "path", _pulled(model))


def remove(model: str, yes: bool, face: Face) -> None:
    """Delete a model's file."""
    found = _pulled(model)
    confirm(f"{found.path} will be deleted", yes=yes)
    forget_pulled(found)
    if settings_of(face).generator == found.name:
        face.note("it is still the generator in your settings; mixrag models use none")
    _tell(face, "remove", found)


def _address_of(model: str) -> tuple[str, str, str]:
    """Name, repository and file of what is to be pulled. Raises WrongUsage."""
    if known := find_known(model) or find_pulled(model):
        return known.name, known.repository, known.file
    parts = model.removeprefix("hf:").split("/")
    is_plain = all(part not in ("", ".", "..") and not part.startswith("-") for part in parts)
    if len(parts) < 3 or not parts[-1].endswith(".gguf") or not is_plain:
        raise WrongUsage(f"{model} is neither a known model nor OWNER/REPOSITORY/FILE.gguf", "mixrag models list")
    return parts[-1].removesuffix(".gguf"), "/".join(parts[:2]), "/".join(parts[2:])


def _pulled(name: str) -> PulledModel:
    found = find_pulled(name)
    if found is None:
        raise ModelUnusable(f"model {name} is not on this machine", f"mixrag models pull {name}")
    return found


def _tell(face: Face, action: str, model: PulledModel) -> None:
    if face.json:
        write_json(action_to_json(action, model))
    else:
        print_lines(console_of(face), [model.path])
