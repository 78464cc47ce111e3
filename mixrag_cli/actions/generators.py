"""What the setting for the generator may be."""

from __future__ import annotations

from pathlib import Path

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.models.address import parse_address
from mixrag_cli.models.gguf_file import read_gguf_header
from mixrag_cli.models.library import check_pulled, find_pulled


def usable_generator(model: str) -> str | None:
    """What the setting is to say for a model that somebody names; None for "none". Loads nothing and asks no server.

    Raises ModelUnusable for what could not be used later: no such file, no model's file, no address.
    """
    if model in ("", "none"):
        return None
    if "://" in model:
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
