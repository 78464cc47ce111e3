"""mixrag config: read and change the user's settings."""

from __future__ import annotations

from importlib.util import find_spec

from mixrag_cli.actions.generators import usable_generator
from mixrag_cli.actions.screen import console_of
from mixrag_cli.commands.options import Face
from mixrag_cli.errors import ModelUnusable
from mixrag_cli.models import EXTRA_HINT, load_language
from mixrag_cli.models.local import model_folder
from mixrag_cli.output.payloads import settings_to_json
from mixrag_cli.output.streams import write_json
from mixrag_cli.output.terminal import print_lines
from mixrag_cli.settings import NO_PIPELINE, Settings, config_file, resolve_settings, unknown_setting, write_setting

OWN_MODELS = {"embedder": ("minilm",), "rerank": ("late", "none", "llm")}  # values that name no model of the user's


def list_settings(face: Face) -> None:
    """List every setting, its value and where it comes from."""
    _print_settings(face, None)


def get(name: str, face: Face) -> None:
    """Print one setting's value."""
    _print_settings(face, name)


def set_setting(name: str, value: str, face: Face) -> None:
    """Set a value in your config.toml; it is checked first."""
    _tell_written(face, name, str(write_setting(name, _usable(name, value))))


def unset(name: str, face: Face) -> None:
    """Remove a value from your config.toml, so that the default holds again."""
    _tell_written(face, name, str(write_setting(name, None)))


def path(face: Face) -> None:
    """Print where your config.toml lies, whether or not it exists."""
    if face.json:
        write_json({"schema": "mixrag.config/1", "path": str(config_file())})
    else:
        print_lines(console_of(face), [str(config_file())])


def _usable(name: str, value: str) -> str:
    """The value, where the program could use it later. Raises WrongUsage, ModelUnusable where it could not."""
    if name == "generator":
        return usable_generator(value) or ""
    if name == "nlp" and value != NO_PIPELINE:
        load_language(Settings(nlp=value))
    if value not in OWN_MODELS.get(name, (value,)):
        if find_spec("sentence_transformers") is None:
            raise ModelUnusable(f"{name} {value} needs sentence-transformers, which is not installed", EXTRA_HINT)
        model_folder(value)
    return value


def _print_settings(face: Face, only: str | None) -> None:
    resolved = resolve_settings({"store": face.store})
    if only is not None:
        resolved = tuple(each for each in resolved if each.name == only)
        if not resolved:
            raise unknown_setting(only)
    if face.json:
        write_json(settings_to_json(str(config_file()), resolved))
        return
    console = console_of(face)
    if only is not None:
        print_lines(console, ["" if each.value is None else str(each.value) for each in resolved])
    else:
        print_lines(console, (f"{each.name} = {each.value}  ({each.origin})" for each in resolved))


def _tell_written(face: Face, name: str, path: str) -> None:
    _print_settings(face, name) if face.json else face.note(f"written to {path}")
