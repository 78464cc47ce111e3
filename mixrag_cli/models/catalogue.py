"""A short list of small instruct models that suit this program, as they stand on the Hugging Face hub.

No checksum is written here: `mixrag models pull` takes the one that the hub states for the file, checks the bytes that
came against it and keeps it; from then on another file is refused.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model worth having. billions: of parameters. size_gb: of the file, about; memory_gb: to run it with a window of
    8,192 tokens, about. suits: the hardware on which it answers in reasonable time."""

    name: str
    repository: str
    file: str
    billions: float
    size_gb: float
    memory_gb: float
    licence: str
    suits: str


# Sizes rounded up; memory: the file, keys and values of 8,192 tokens in f16, and 0.3 GB beside them.
KNOWN_MODELS = (
    KnownModel(
        "qwen2.5-0.5b",
        "Qwen/Qwen2.5-0.5B-Instruct-GGUF",
        "qwen2.5-0.5b-instruct-q8_0.gguf",
        0.5,
        0.7,
        1.1,
        "Apache-2.0",
        "any laptop; for trying things out",
    ),
    KnownModel(
        "qwen2.5-1.5b",
        "Qwen/Qwen2.5-1.5B-Instruct-GGUF",
        "qwen2.5-1.5b-instruct-q4_k_m.gguf",
        1.5,
        1.2,
        1.8,
        "Apache-2.0",
        "2 to 4 cores without a GPU",
    ),
    KnownModel(
        "qwen2.5-3b",
        "Qwen/Qwen2.5-3B-Instruct-GGUF",
        "qwen2.5-3b-instruct-q4_k_m.gguf",
        3.1,
        2.2,
        2.8,
        "Qwen Research (not for commercial use)",
        "8 cores, or a GPU with 4 GB",
    ),
    KnownModel(
        "phi-3-mini",
        "microsoft/Phi-3-mini-4k-instruct-gguf",
        "Phi-3-mini-4k-instruct-q4.gguf",
        3.8,
        2.4,
        4.4,
        "MIT",
        "8 cores, or a GPU with 6 GB; window of 4,096 tokens",
    ),
)


def find_known(name: str) -> KnownModel | None:
    """The model of that name."""
    return next((each for each in KNOWN_MODELS if each.name == name), None)
