"""What one run of summaries may spend: tokens of prompts and replies, and time. Shared by those who ask at once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock

from mixrag_cli.fencing import KEY_OF_COUNTING
from mixrag_cli.generator import Generator, Reply, Request
from mixrag_cli.settings import Settings

BUDGETS = TOKENS, TIME = "tokens", "time"  # what a run may stop for
INTERRUPTED = "interrupted"  # as well
MIN_REPLY_TOKENS = 64  # with less left of the budget no reply would be whole


class BudgetSpentError(Exception):
    """No further reply can be paid for. args: "tokens" or "time"."""


@dataclass(slots=True)
class Spending:
    """One reply's share. most: tokens that it may have; spent: of prompt and reply, known when it is there."""

    most: int
    spent: int = 0


@dataclass(slots=True)
class Budget:
    """What may still be spent. tokens: so far, and what is promised to replies that are being written."""

    most_tokens: int
    deadline: float
    reply_seconds: float
    tokens: int = 0
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def of(cls, settings: Settings) -> Budget:
        """What the settings give a run that begins now."""
        deadline = time.monotonic() + 60 * settings.summary_minutes
        return cls(settings.summary_tokens, deadline, settings.generator_seconds)

    @contextmanager
    def spend(self, prompt_tokens: int, wanted: int) -> Iterator[Spending]:
        """A share for one reply; what it did not take is given back. Raises BudgetSpentError where none is worth it."""
        with self._lock:
            left = self.most_tokens - self.tokens - prompt_tokens
            if left < min(wanted, MIN_REPLY_TOKENS):
                raise BudgetSpentError(TOKENS)
            spending = Spending(min(wanted, left))
            promised = prompt_tokens + spending.most
            self.tokens += promised
        try:
            yield spending
        finally:
            with self._lock:
                self.tokens += spending.spent - promised

    def seconds(self) -> float:
        """How long the next reply may take. Raises BudgetSpentError where no time is left."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise BudgetSpentError(TIME)
        return min(self.reply_seconds, left)


def reply_within(budget: Budget, generator: Generator, request: Request) -> Reply:
    """The reply to a request, paid for by the budget. request: under a key of its own, with the tokens it wants.

    Raises BudgetSpentError, KeyboardInterrupt where it was cancelled, and what Generator.reply raises.
    """
    wanted = request.max_tokens
    counted = [replace(each, text=each.text.replace(request.nonce, KEY_OF_COUNTING)) for each in request.messages]
    with budget.spend(generator.count_prompt_tokens(counted), wanted) as share:
        reply = generator.reply(replace(request, max_tokens=share.most))
        share.spent = reply.prompt_tokens + reply.reply_tokens
    if reply.finish == "cancelled":
        raise KeyboardInterrupt
    if reply.finish == "timeout":
        budget.seconds()  # where the run's own time is over, what is asked about is left for the next one
    if reply.finish == "length" and share.most < wanted:
        raise BudgetSpentError(TOKENS)
    return reply
