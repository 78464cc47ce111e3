"""What a generator is: chat messages in, text or schema-bound JSON out. Its backends live under models/.

Everything that speaks to a language model (RECAP, summaries, query expansion, chat) speaks through this protocol, so
that a file on disk, a server on loopback and a recorded transcript are one thing to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Role = Literal["system", "user", "assistant"]
FinishReason = Literal["stop", "length", "cancelled", "timeout"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation. text: plain text; nothing in it is ever read as a special token."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a generator.

    schema: a JSON Schema that the reply must satisfy, or None for free text. max_tokens: of the reply. temperature:
    0 takes the likeliest token. seconds: wall time after which the reply is cut off, 0 for no limit. stop: texts
    before which the reply ends. purpose: a stable word for caches and reports ("recap", "summary", "hyde", …).
    nonce: a text drawn for this call alone that stands in the messages; a cache takes two requests that differ in
    it alone for one.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 512
    temperature: float = 0.0
    seed: int = 0
    seconds: float = 120.0
    stop: tuple[str, ...] = ()
    purpose: str = ""
    nonce: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a generator answered.

    text: the whole reply; of a schema-bound request JSON where the backend binds, else text that should be. finish:
    "stop" when the model ended by itself. seconds: wall time; first_token_s: until the first token.
    """

    text: str
    finish: FinishReason = "stop"
    prompt_tokens: int = 0
    reply_tokens: int = 0
    seconds: float = 0.0
    first_token_s: float = 0.0


class Generator(Protocol):
    """A language model that answers requests, one at a time.

    name: goes into caches and reports; another name means other replies. context_tokens: prompt and reply together.
    binds_schema: whether a reply to a request with a schema is certain to satisfy it (unless cut off).
    """

    name: str
    context_tokens: int
    binds_schema: bool

    def reply(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:
        """The reply to one request.

        on_text: told each piece of text as it comes. Raises PromptTooLong, before anything is generated, when prompt
        and max_tokens do not fit into context_tokens, ModelUnusable when the model fails; KeyboardInterrupt passes
        through after the generation has stopped, and the next call works.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """How many tokens the text takes in a prompt; an upper bound where the backend cannot count."""
        ...

    def count_prompt_tokens(self, messages: Sequence[Message]) -> int:
        """How many tokens the messages take as a prompt, with all that the chat template puts around them."""
        ...

    def cancel(self) -> None:
        """Stop the reply in progress, from another thread or a signal handler; it returns what it has."""
        ...

    def close(self) -> None:
        """Free the model's memory; no other method works after that. Twice is no error."""
        ...


def device_of(generator: Generator) -> str:
    """Where the generator computes, as people are told; "" where it says nothing of it, as of a server's machine."""
    return str(getattr(generator, "device", ""))


def ways_to(generator: Generator, wanted: int) -> tuple[Generator, ...]:
    """As many ways to the generator's model as are wanted, it itself first, that can be asked at the same time.

    Only what has a method `twin` can be asked so: a server. A model in this process computes one reply at a time.
    """
    twin: Callable[[], Generator] | None = getattr(generator, "twin", None)
    return (generator, *(twin() for _ in range(wanted - 1))) if twin is not None else (generator,)
