"""The checks behind `mixrag doctor --model`: the generator is loaded, reads and writes, with the clock beside it."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator

from mixrag_cli.actions.caller import settings_of
from mixrag_cli.actions.health import Finding
from mixrag_cli.commands.options import Face
from mixrag_cli.errors import MixragError
from mixrag_cli.generator import Generator, Message, Request, device_of
from mixrag_cli.models import load_generator

PROMPT_WORDS = 300  # about what two passages come to
REPLY_TOKENS = 64
# Below these a user waits longer than most will: 20 s for an answer's first word, a minute for its last.
SLOW_PROMPT_TOKENS_S = 100.0
SLOW_REPLY_TOKENS_S = 5.0
SMALLER = "a smaller model from mixrag models list, or a build of llama-cpp-python for your GPU"


def examine_model(face: Face) -> list[Finding]:
    """What loading and asking the generator showed; a failure is a finding too."""
    try:
        return list(_examine(face))
    except MixragError as error:
        return [Finding("fail", "model", error.message, error.hint)]


def _examine(face: Face) -> Iterator[Finding]:
    started = time.monotonic()
    generator = load_generator(settings_of(face))
    if generator is None:
        yield Finding("ok", "model", "none set; the built-in reader answers", "mixrag models list")
        return
    try:
        place = f" on {device}" if (device := device_of(generator)) else ""
        yield Finding("ok", "model", f"{generator.name}{place}, opened in {time.monotonic() - started:.1f} s")
        yield from measure_speed(generator)
        yield _tell_memory(generator)
    finally:
        generator.close()


def measure_speed(generator: Generator) -> Iterator[Finding]:
    """How soon it begins to reply, and how many tokens it reads and writes a second."""
    question = Message("user", "Count the words of this list: " + "ash oak pine " * (PROMPT_WORDS // 3))
    reply = generator.reply(Request((question,), max_tokens=REPLY_TOKENS, temperature=1.0, purpose="doctor"))
    if not reply.reply_tokens:
        yield Finding("warn", "model speed", f"no token came within {reply.seconds:.0f} s", SMALLER)
        return
    writing = max(reply.seconds - reply.first_token_s, 1e-6)
    reading_rate = reply.prompt_tokens / max(reply.first_token_s, 1e-6)
    writing_rate = max(reply.reply_tokens - 1, 1) / writing
    yield Finding(
        "ok", "first token", f"after {reply.first_token_s:.2f} s with a prompt of {reply.prompt_tokens:,} tokens"
    )
    for name, rate, slow in (
        ("reading", reading_rate, SLOW_PROMPT_TOKENS_S),
        ("writing", writing_rate, SLOW_REPLY_TOKENS_S),
    ):
        told = f"{rate:,.1f} tokens a second"
        yield Finding("warn", name, told, SMALLER) if rate < slow else Finding("ok", name, told)


def _tell_memory(generator: Generator) -> Finding:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    window = f"a window of {generator.context_tokens:,} tokens"
    return Finding("ok", "model memory", f"{peak / 1e9:.2f} GB at most in this process, with {window}")
