"""A generator that remembers its replies, so that an evaluation runs again offline and comes to the same figures.

    request ─► key (name, request) ─► known: the reply as it was ─► else the model, whose reply is kept

One small file a reply, readable by its owner alone. The model behind is opened at the first reply that is not known,
so a replay needs neither its file nor its server. A reply that was cut off by time or by hand is not kept: it says
more about that day than about the model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from mixrag_cli.errors import ModelUnusable, PromptTooLong
from mixrag_cli.generator import FinishReason, Generator, Message, Reply, Request
from mixrag_cli.models.cache import write_whole

KEPT_FINISHES = frozenset({"stop", "length"})
MAX_FILE_BYTES = 10_000_000  # a reply is text; what is larger is none of ours


class ReplyCache:
    """Small JSON objects by key, each in a file of its own below a folder, written whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> dict[str, Any] | None:
        """What is kept under the key; None for nothing and for what cannot be read."""
        path = self._path(key)
        try:
            if path.stat().st_size > MAX_FILE_BYTES:
                return None
            kept = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        return kept["value"] if isinstance(kept, dict) and kept.get("key") == key else None

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        """Keep the value. A cache that cannot be written is no error: the model is asked again."""
        with suppress(OSError):
            write_whole(self._path(key), {"key": key, "value": value})

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"


class CachedGenerator:
    """A Generator in front of another.

    identity: what the settings say of the model behind; its name and limits are remembered by that. open_generator:
    opens it, called at most once. replay: never open it. missing: what a replay lacked first, "" so far: whoever asks
    may take the error for a failing model and go on without it.
    """

    def __init__(
        self, identity: str, open_generator: Callable[[], Generator], cache: ReplyCache, *, replay: bool = False
    ) -> None:
        self._open = open_generator
        self._cache = cache
        self._replay = replay
        self._generator: Generator | None = None
        self.missing = ""
        facts_key = _hash("facts", identity)
        facts = self._cache.get(facts_key)
        if facts is None:
            behind = self._behind("nothing is known of this model")
            facts = {
                "name": behind.name,
                "context_tokens": behind.context_tokens,
                "binds_schema": behind.binds_schema,
            }
            self._cache.put(facts_key, facts)
        self.name = str(facts["name"])
        self.context_tokens = int(facts["context_tokens"])
        self.binds_schema = bool(facts["binds_schema"])

    def reply(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:
        """The reply as it was given before, else the model's.

        Raises PromptTooLong, and ModelUnusable, in a replay also for an unknown one.
        """
        key = _hash("reply", self.name, _request_text(request))
        kept = self._cache.get(key) or {}
        if "too_long" in kept:
            raise PromptTooLong(*map(int, kept["too_long"]))
        if (known := _read_reply(kept)) is not None:
            if on_text is not None:
                on_text(known.text)
            return known
        try:
            reply = self._behind("a reply is not in the cache").reply(request, on_text)
        except PromptTooLong as error:
            self._cache.put(key, {"too_long": [error.prompt_tokens, error.reply_tokens, error.context_tokens]})
            raise
        if reply.finish in KEPT_FINISHES:
            self._cache.put(key, asdict(reply))
        return reply

    def count_tokens(self, text: str) -> int:
        """As the model behind counts, remembered too: prompts are fitted by it."""
        return self._count(_hash("count", self.name, text), lambda behind: behind.count_tokens(text))

    def count_prompt_tokens(self, messages: Sequence[Message]) -> int:
        """As count_tokens, for whole prompts."""
        key = _hash("count prompt", self.name, json.dumps([asdict(message) for message in messages], sort_keys=True))
        return self._count(key, lambda behind: behind.count_prompt_tokens(messages))

    def cancel(self) -> None:
        """Stop the reply in progress, if the model behind is giving one."""
        if self._generator is not None:
            self._generator.cancel()

    def close(self) -> None:
        """Free the model behind, if it was opened."""
        if self._generator is not None:
            self._generator.close()

    def _count(self, key: str, count: Callable[[Generator], int]) -> int:
        known = (self._cache.get(key) or {}).get("tokens")
        if isinstance(known, int):
            return known
        counted = count(self._behind("a count of tokens is not in the cache"))
        self._cache.put(key, {"tokens": counted})
        return counted

    def _behind(self, cause: str) -> Generator:
        if self._replay:
            self.missing = self.missing or cause
            raise ModelUnusable(f"replay: {cause}", "the same command without --replay")
        if self._generator is None:
            self._generator = self._open()
            name = getattr(self, "name", self._generator.name)
            if self._generator.name != name:  # the file or server behind the same settings is another one now
                raise ModelUnusable(
                    f"the model is {self._generator.name} now, the cached replies are {name}'s",
                    "--cache with another folder",
                )
        return self._generator


def _request_text(request: Request) -> str:
    """All that a reply depends on; a nonce, which differs from run to run, told as a constant."""
    text = json.dumps({**asdict(request), "nonce": ""}, sort_keys=True)
    return text.replace(request.nonce, "nonce") if request.nonce else text


def _read_reply(kept: Mapping[str, Any]) -> Reply | None:
    if not isinstance(kept.get("text"), str) or kept.get("finish") not in KEPT_FINISHES:
        return None
    return Reply(
        text=kept["text"],
        finish=cast(FinishReason, kept["finish"]),
        prompt_tokens=int(kept.get("prompt_tokens", 0)),
        reply_tokens=int(kept.get("reply_tokens", 0)),
        seconds=float(kept.get("seconds", 0.0)),
        first_token_s=float(kept.get("first_token_s", 0.0)),
    )


def _hash(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big") + raw)
    return digest.hexdigest()
