"""What a model can compute on beside the processor: the devices that a library offers, and the cards of this machine.

find_cards      what the kernel lists on the PCI bus, whatever any library was built for
place_layers    how many of a model's layers go to the devices that llama.cpp offers
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mixrag_cli.models.gguf_file import GgufHeader

PCI = Path("/sys/bus/pci/devices")
NODES = Path("/dev")
GPU_RESERVE_BYTES = 800_000_000  # graph buffers and what the desktop needs; llama.cpp's own fitting leaves 1 GiB
DISPLAY_CLASSES = ("0x03", "0x12")  # display controllers and processing accelerators, by the PCI code of the class
MAKERS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}  # of PCI cards that llama.cpp has a backend for
# What opens a maker's cards to programs, and how llama.cpp is built for them.
OPENED_BY = {"NVIDIA": ("nvidia0", "dxg"), "AMD": ("kfd", "dri/renderD128"), "Intel": ("dri/renderD128",)}
BUILT_BY = {"NVIDIA": "GGML_CUDA", "AMD": "GGML_HIP", "Intel": "GGML_VULKAN"}
ROOT_BUS = "0000:00:"  # a processor's own graphics sit there; cards sit behind a bridge
CPU = "the processor"

Kind = Literal["gpu", "igpu"]


@dataclass(frozen=True, slots=True)
class Device:
    """A device that llama.cpp can use. name: as the backend calls it, "CUDA0"; kind: igpu shares the machine's RAM."""

    name: str
    description: str
    kind: Kind
    free_bytes: int
    total_bytes: int

    def __str__(self) -> str:
        return f"{self.description} ({self.name})" if self.description else self.name


@dataclass(frozen=True, slots=True)
class Card:
    """A graphics processor on the bus. is_open: whether this process finds the node through which programs reach it."""

    maker: str
    address: str
    is_integrated: bool
    is_open: bool

    def __str__(self) -> str:
        return f"{self.maker} {'graphics of the processor' if self.is_integrated else 'card'} at {self.address}"

    @property
    def build_command(self) -> str:
        """What installs a llama.cpp that computes on it."""
        option = f'CMAKE_ARGS="-D{BUILT_BY[self.maker]}=on"'
        return f"{option} pip install --force-reinstall --no-cache-dir llama-cpp-python"


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a model's layers go: so many of all to the devices, the rest to the processor. The output is a layer."""

    layers: int
    all_layers: int
    devices: tuple[Device, ...] = ()

    def __str__(self) -> str:
        if not self.layers or not self.devices:
            return CPU
        return f"{', '.join(map(str, self.devices))}, {self.layers} of {self.all_layers} layers"

    @property
    def own_memory_share(self) -> float:
        """The share of the model that lies in memory of the devices' own, not in the machine's."""
        is_shared = any(device.kind == "igpu" for device in self.devices)
        return 0.0 if is_shared or not self.devices else self.layers / self.all_layers


def place_layers(
    header: GgufHeader, context_tokens: int, devices: Sequence[Device], wanted: int = -1, ram_bytes: int | None = None
) -> Placement:
    """As many layers on the devices as their free memory holds, or as many as wanted where that is not negative.

    Integrated devices are used where there is no other, as llama.cpp does, and hold no more than the machine has free.
    ram_bytes: that, None where unknown.
    """
    cards = [device for device in devices if device.kind == "gpu"]
    used = tuple(cards or devices)
    all_layers = header.layers + 1
    if not used or wanted == 0:
        return Placement(0, all_layers)
    if wanted > 0:
        return Placement(min(wanted, all_layers), all_layers, used)
    free = sum(max(0, device.free_bytes - GPU_RESERVE_BYTES) for device in used)
    if not cards and ram_bytes is not None:
        free = min(free, ram_bytes)
    a_layer = (header.size_bytes + header.cache_bytes(context_tokens)) / all_layers
    layers = min(all_layers, int(free / a_layer))
    return Placement(layers, all_layers, used if layers else ())


def find_cards() -> list[Card]:
    """The graphics processors that the kernel lists, cards first. Empty where it lists none, or nothing at all."""
    try:
        folders = sorted(PCI.iterdir())
    except OSError:
        return []
    found = [card for folder in folders if (card := _card(folder)) is not None]
    return sorted(found, key=lambda card: card.is_integrated)


def _card(folder: Path) -> Card | None:
    try:
        kind, vendor = ((folder / name).read_text("ascii").strip() for name in ("class", "vendor"))
    except (OSError, ValueError):
        return None
    maker = MAKERS.get(vendor)
    if maker is None or not kind.startswith(DISPLAY_CLASSES):
        return None
    is_open = any((NODES / node).exists() for node in OPENED_BY[maker])
    return Card(maker, folder.name, folder.name.startswith(ROOT_BUS), is_open)
