"""From the settings to a GGUF model that runs: which file, is it whole, does it fit, is it sound, then load it."""

from __future__ import annotations

from pathlib import Path

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.models.catalogue import find_known
from mixrag_cli.models.devices import Placement, place_layers
from mixrag_cli.models.gguf_file import BESIDES_BYTES, GgufHeader, read_gguf_header
from mixrag_cli.models.library import check_pulled, find_pulled
from mixrag_cli.models.llama import LlamaGenerator
from mixrag_cli.models.llama_child import ensure_sound
from mixrag_cli.models.llama_native import offered_devices
from mixrag_cli.models.machine import available_memory
from mixrag_cli.settings import Settings

MODEL_SUFFIX = ".gguf"


def load_local_generator(settings: Settings) -> LlamaGenerator:
    """The model that settings.generator names by its file or its name. Raises ModelUnusable."""
    header, context_tokens, placement = plan_generator(settings)
    check_memory(header, context_tokens, placement)
    ensure_sound(header)
    return LlamaGenerator(
        header,
        context_tokens=context_tokens,
        threads=settings.threads,
        placement=placement,
        chat_template=settings.chat_template,
    )


def plan_generator(settings: Settings) -> tuple[GgufHeader, int, Placement]:
    """The model's description, its window in tokens and where its layers would go; loads nothing.

    Raises ModelUnusable as generator_file and read_gguf_header do.
    """
    header = read_gguf_header(generator_file(settings.generator))
    context_tokens = min(settings.context_tokens, header.context_length or settings.context_tokens)
    devices = offered_devices() if settings.gpu_layers else []
    placement = place_layers(header, context_tokens, devices, settings.gpu_layers, available_memory())
    return header, context_tokens, placement


def generator_file(name: str) -> Path:
    """The file of the model: one that was pulled, by its name, else a path.

    Raises ModelUnusable when there is none, or a pulled one is not what it was.
    """
    if pulled := find_pulled(name):
        return check_pulled(pulled)
    path = Path(name).expanduser()
    if path.is_file() or path.suffix == MODEL_SUFFIX or len(path.parts) > 1:
        return path
    if find_known(name):
        raise ModelUnusable(f"model {name} is not on this machine", f"mixrag models pull {name}")
    raise ModelUnusable(f"model {name} is neither a file nor a known name", "mixrag models list")


def check_memory(header: GgufHeader, context_tokens: int, placement: Placement) -> None:
    """Raises ModelUnusable when the machine has visibly too little memory left for what lies outside of its cards."""
    available = available_memory()
    on_cards = placement.own_memory_share * (header.needed_bytes(context_tokens) - BESIDES_BYTES)
    needed = header.needed_bytes(context_tokens) - on_cards
    if available is None or needed <= available:
        return
    beside = f" beside {placement}" if on_cards else ""
    raise ModelUnusable(
        f"model file {header.path}: needs about {needed / 1e9:.1f} GB of memory{beside} with a window of "
        f"{context_tokens:,} tokens, and {available / 1e9:.1f} GB are free",
        "mixrag config set context_tokens 4096, or a smaller model from mixrag models list",
    )
