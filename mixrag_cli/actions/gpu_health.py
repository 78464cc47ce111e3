"""The checks behind `mixrag doctor --gpu`: which cards there are, who can compute on them, and what that is worth.

cards ─► llama.cpp's devices ─► where the generator's layers go, and its speed there and on the processor
      └► onnxruntime's cards ─► the bundled embedder's speed there and here, and how near its vectors are
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from mixrag_cli.actions.caller import settings_of
from mixrag_cli.actions.health import Finding, run_check, tell_build
from mixrag_cli.actions.model_health import measure_speed
from mixrag_cli.commands.options import Face
from mixrag_cli.generator import device_of
from mixrag_cli.models import load_generator
from mixrag_cli.models.devices import Card, find_cards
from mixrag_cli.models.minilm import MiniLM, load_minilm
from mixrag_cli.models.onnx_model import PROCESSOR, card_providers
from mixrag_cli.settings import Settings

N_TEXTS = 512  # enough for a card to be filled, two seconds of a small processor
LEAST_COSINE = 0.99  # of a passage's two vectors; the int8 graph and its float32 one differ by .003 at most
CARD_EMBEDDER = "pip install onnx && pip uninstall onnxruntime && pip install onnxruntime-gpu"


def examine_gpu(face: Face) -> list[Finding]:
    """What the machine's cards, the libraries and the two models showed; a failure is a finding too."""
    cards = find_cards()
    checks: list[tuple[str, Callable[[], Iterator[Finding]]]] = [
        ("card", lambda: _tell_cards(cards)),
        ("llama.cpp", lambda: tell_build(cards)),
        ("generator", lambda: _measure_generator(settings_of(face))),
        ("embedder", lambda: _measure_embedder(cards, settings_of(face))),
    ]
    return [finding for name, check in checks for finding in run_check(name, check)]


def _tell_cards(cards: list[Card]) -> Iterator[Finding]:
    if not cards:
        yield Finding("ok", "card", "none on this machine; everything runs on the processor")
    for card in cards:
        if card.is_open:
            yield Finding("ok", "card", str(card))
        else:
            remedy = f"install {card.maker}'s driver, or lend the card to this container or user"
            yield Finding("warn", "card", f"{card}, which this process cannot reach", remedy)


def _measure_generator(settings: Settings) -> Iterator[Finding]:
    """Its speed where its layers go; where that is a device, on the processor too."""
    places = [settings]
    for place in places:
        generator = load_generator(place)
        if generator is None:
            yield Finding("ok", "generator", "none set; the built-in reader answers", "mixrag models list")
            return
        try:
            device = device_of(generator)
            yield Finding("ok", "generator", f"{generator.name} on {device or 'its server'}")
            yield from measure_speed(generator)
        finally:
            generator.close()
        if " layers" in device:
            places.append(replace(settings, gpu_layers=0))


def _measure_embedder(cards: list[Card], settings: Settings) -> Iterator[Finding]:
    here = load_minilm(settings.threads)
    rate, vectors = _embed(here)
    yield Finding("ok", "embedder", f"{rate:,.0f} tokens a second on the processor")
    there = load_minilm(settings.threads, on_card=True)
    if there.device == PROCESSOR:
        wants = any(card.is_open and not card.is_integrated for card in cards)
        detail = f"onnxruntime is built for {', '.join(card_providers()) or 'the processor alone'}"
        if wants:
            yield Finding("warn", "embedder", f"{detail}, and the card is not used", CARD_EMBEDDER)
        else:
            yield Finding("ok", "embedder", detail)
        return
    _embed(there)  # a card's first run builds its plans
    rate, others = _embed(there)
    nearest = float((vectors * others).sum(axis=1).min())
    told = f"{rate:,.0f} tokens a second by {there.device}, cosine to the processor's vectors {nearest:.4f} at least"
    remedy = "mixrag config set device cpu"
    near = nearest >= LEAST_COSINE
    yield Finding("ok", "embedder", told) if near else Finding("fail", "embedder", told, remedy)


def _embed(model: MiniLM) -> tuple[float, np.ndarray]:
    """Tokens a second, and the vectors."""
    texts = [f"The station in valley {number} pumps water from {number % 7} wells. " * 8 for number in range(N_TEXTS)]
    tokens = model.count_tokens(texts)
    started = time.monotonic()
    vectors = model.embed(texts)
    return tokens / (time.monotonic() - started), vectors
