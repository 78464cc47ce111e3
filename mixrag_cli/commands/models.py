"""mixrag models: the language models that may word answers, from the list to the settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixrag_cli.commands.offline import allow_hub
from mixrag_cli.commands.options import Face, YesOption, command, confirm
from mixrag_cli.errors import ExitCode, ModelUnusable, WrongUsage
from mixrag_cli.output.streams import write_json

if TYPE_CHECKING:
    from mixrag_cli.models.library import PulledModel

app = typer.Typer(help="Fetch and choose local language models.", rich_markup_mode=None, add_completion=False)
NameArgument = Annotated[str, typer.Argument(metavar="MODEL", help="A name, as `mixrag models list` prints it.")]


@app.command("list")
@command
def list_models(*, face: Face) -> None:
    """List good small models, and those on this machine; needs no network."""
    from mixrag_cli.models.catalogue import KNOWN_MODELS
    from mixrag_cli.models.library import pulled_models
    from mixrag_cli.models.machine import available_memory

    settings, pulled, memory = face.settings(), pulled_models(), available_memory()
    if face.json:
        from mixrag_cli.output.model_view import models_to_json

        write_json(models_to_json(KNOWN_MODELS, pulled, settings.generator, memory))
    else:
        from mixrag_cli.output.model_view import print_models

        print_models(face.console(), KNOWN_MODELS, pulled, settings.generator, memory)


@app.command()
@command
def pull(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A name of `mixrag models list`, or OWNER/REPOSITORY/FILE.gguf.")
    ],
    offline: Annotated[bool, typer.Option("--offline", help="Never use the network.")] = False,
    *,
    face: Face,
) -> None:
    """Fetch a model from the Hugging Face hub, going on where an earlier try ended.

    The hub's sha256 is checked and kept; HF_ENDPOINT, HF_TOKEN and HF_HUB_OFFLINE are honoured.
    """
    from mixrag_cli.models.library import check_pulled, find_pulled, remember_pulled

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
    allow_hub(name, offline=offline or face.settings().offline == "on")
    from mixrag_cli.models.hub import pull_model

    with face.watch_run() as view:
        view.phase("fetch", None)

        def on_bytes(done: int, total: int) -> None:
            view.phase("fetch", total or None)
            view.advance(done, name)

        pulled = pull_model(name, repository, file, known, on_bytes)
    remember_pulled(pulled)
    face.note(f"to answer with it: mixrag models use {name}")
    _tell(face, "pull", pulled)


@app.command()
@command
def verify(
    model: Annotated[str | None, typer.Argument(metavar="MODEL", help="Only this one.")] = None, *, face: Face
) -> int:
    """Read the models on this machine and compare their sha256.

    Exit code 14 means that one is damaged or missing.
    """
    from mixrag_cli.models.library import check_pulled, pulled_models

    chosen = [_pulled(model)] if model else list(pulled_models())
    rows: list[tuple[str, str, str, str]] = []
    for each in chosen:
        try:
            rows.append(("ok", each.name, f"{check_pulled(each, thoroughly=True)}: sha256 {each.sha256}", ""))
        except ModelUnusable as error:
            rows.append(("fail", each.name, error.message, error.hint))
    if face.json:
        from mixrag_cli.output.model_view import verified_to_json

        write_json(verified_to_json(rows))
    else:
        from mixrag_cli.output.terminal import print_findings

        print_findings(face.console(), rows)
    return ExitCode.MODEL if any(state == "fail" for state, *_ in rows) else ExitCode.DONE


@app.command()
@command
def use(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A pulled model, a GGUF file, or a server's address.")],
    *,
    face: Face,
) -> None:
    """Answer with this model from now on; "none" for the built-in reader."""
    from mixrag_cli.settings import write_setting

    value = usable_generator(model)
    written = write_setting("generator", value)
    if face.json:
        from mixrag_cli.output.model_view import used_to_json

        write_json(used_to_json(value or "", str(written)))
    else:
        face.note(f"generator = {value or 'none'}, written to {written}; try it: mixrag doctor --model")


@app.command()
@command
def path(model: NameArgument, *, face: Face) -> None:
    """Print where a model's file lies."""
    _tell(face, "path", _pulled(model))


@app.command()
@command
def remove(model: NameArgument, yes: YesOption = False, *, face: Face) -> None:
    """Delete a model's file."""
    from mixrag_cli.models.library import forget_pulled

    found = _pulled(model)
    confirm(f"{found.path} will be deleted", yes=yes)
    forget_pulled(found)
    if face.settings().generator == found.name:
        face.note("it is still the generator in your settings; mixrag models use none")
    _tell(face, "remove", found)


def usable_generator(model: str) -> str | None:
    """What the setting is to say for a model that somebody names; None for "none". Loads nothing and asks no server.

    Raises ModelUnusable for what could not be used later: no such file, no model's file, no address.
    """
    from mixrag_cli.models.gguf_file import read_gguf_header
    from mixrag_cli.models.library import check_pulled, find_pulled

    if model in ("", "none"):
        return None
    if "://" in model:
        from mixrag_cli.models.server import parse_address

        parse_address(model)
        return model
    if pulled := find_pulled(model):
        check_pulled(pulled)
        return model
    path = Path(model).expanduser()
    if not path.is_file():
        raise ModelUnusable(f"model {model} is not on this machine", f"mixrag models pull {model}")
    read_gguf_header(path)
    return str(path.absolute())


def _address_of(model: str) -> tuple[str, str, str]:
    """Name, repository and file of what is to be pulled. Raises WrongUsage."""
    from mixrag_cli.models.catalogue import find_known
    from mixrag_cli.models.library import find_pulled

    if known := find_known(model) or find_pulled(model):
        return known.name, known.repository, known.file
    parts = model.removeprefix("hf:").split("/")
    is_plain = all(part not in ("", ".", "..") and not part.startswith("-") for part in parts)
    if len(parts) < 3 or not parts[-1].endswith(".gguf") or not is_plain:
        raise WrongUsage(f"{model} is neither a known model nor OWNER/REPOSITORY/FILE.gguf", "mixrag models list")
    return parts[-1].removesuffix(".gguf"), "/".join(parts[:2]), "/".join(parts[2:])


def _pulled(name: str) -> PulledModel:
    from mixrag_cli.models.library import find_pulled

    found = find_pulled(name)
    if found is None:
        raise ModelUnusable(f"model {name} is not on this machine", f"mixrag models pull {name}")
    return found


def _tell(face: Face, action: str, model: PulledModel) -> None:
    from mixrag_cli.output.model_view import action_to_json
    from mixrag_cli.output.terminal import print_lines

    if face.json:
        write_json(action_to_json(action, model))
    else:
        print_lines(face.console(), [model.path])
