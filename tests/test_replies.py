"""Cached replies: asked once, the same ever after, and nothing but the cache in a replay."""

from __future__ import annotations

import stat
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from mixrag_cli.errors import ModelUnusable, PromptTooLong
from mixrag_cli.generator import Generator, Message, Reply, Request
from mixrag_cli.models.replies import CachedGenerator, ReplyCache

REQUEST = Request((Message("user", "What is the total? \ud800"),), schema={"type": "object"}, purpose="recap")


class Counting:
    """A generator that numbers its replies."""

    name, context_tokens, binds_schema = "counting-1", 4096, True

    def __init__(self) -> None:
        self.calls = self.opened = self.counts = 0
        self.finish = "stop"

    def open(self) -> Generator:
        self.opened += 1
        return self

    def reply(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:
        self.calls += 1
        if self.finish == "too long":
            raise PromptTooLong(9, 4, 8)
        text = f"reply {self.calls}"
        if on_text:
            on_text(text)
        return Reply(text, self.finish, 7, 3, 1.25, 0.5)

    def count_tokens(self, text: str) -> int:
        self.counts += 1
        return len(text)

    def count_prompt_tokens(self, messages: Sequence[Message]) -> int:
        self.counts += 1
        return sum(len(message.text) for message in messages) + 3

    def cancel(self) -> None:
        self.cancelled = True

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def behind() -> Counting:
    return Counting()


@pytest.fixture
def cached(behind: Counting, tmp_path: Path) -> Callable[..., CachedGenerator]:
    return lambda **more: CachedGenerator("file.gguf", behind.open, ReplyCache(tmp_path / "replies"), **more)


def test_the_same_request_is_asked_once_and_replayed_bit_equal(behind: Counting, cached) -> None:
    first = cached().reply(REQUEST)
    again = cached(replay=True)
    heard: list[str] = []
    assert again.reply(REQUEST, heard.append) == first == Reply("reply 1", "stop", 7, 3, 1.25, 0.5)
    assert heard == ["reply 1"]
    assert (again.name, again.context_tokens, again.binds_schema) == ("counting-1", 4096, True)
    assert (behind.calls, behind.opened) == (1, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"messages": (Message("user", "What is the sum?"),)},
        {"messages": (Message("system", "What is the total? \ud800"),)},
        {"schema": {"type": "array"}},
        {"seed": 1},
        {"temperature": 0.5},
        {"max_tokens": 9},
    ],
)
def test_any_difference_is_another_request(behind: Counting, cached, change: dict) -> None:
    generator = cached()
    generator.reply(REQUEST)
    assert generator.reply(replace(REQUEST, **change)).text == "reply 2"


def test_a_replay_says_what_is_missing(cached) -> None:
    with pytest.raises(ModelUnusable, match="replay: nothing is known of this model"):
        cached(replay=True)
    cached()
    with pytest.raises(ModelUnusable, match="replay: a reply is not in the cache"):
        cached(replay=True).reply(REQUEST)


def test_token_counts_are_remembered(behind: Counting, cached) -> None:
    assert cached().count_tokens("four") == 4
    assert cached(replay=True).count_tokens("four") == 4
    assert cached().count_prompt_tokens(REQUEST.messages) == len(REQUEST.messages[0].text) + 3
    assert cached(replay=True).count_prompt_tokens(REQUEST.messages) == len(REQUEST.messages[0].text) + 3
    assert behind.counts == 2


def test_a_prompt_that_does_not_fit_does_not_fit_in_the_replay_either(behind: Counting, cached) -> None:
    behind.finish = "too long"
    for more in ({}, {"replay": True}):
        with pytest.raises(PromptTooLong, match="prompt has 9 tokens"):
            cached(**more).reply(REQUEST)
    assert behind.calls == 1


@pytest.mark.parametrize("finish", ["cancelled", "timeout"])
def test_a_reply_that_was_cut_off_is_not_kept(behind: Counting, cached, finish: str) -> None:
    behind.finish = finish
    generator = cached()
    assert [generator.reply(REQUEST).text, generator.reply(REQUEST).text] == ["reply 1", "reply 2"]


def test_files_are_private_and_damage_is_a_miss(behind: Counting, cached, tmp_path: Path) -> None:
    cached().reply(REQUEST)
    files = list(tmp_path.rglob("*.json"))
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    for path in files:
        path.write_text('{"key": "another", "value": {"text": "forged"}}', "utf-8")
    assert cached().reply(REQUEST).text == "reply 2"


def test_another_model_behind_the_same_settings_is_noticed(behind: Counting, cached) -> None:
    cached().reply(REQUEST)
    behind.name = "counting-2"
    with pytest.raises(ModelUnusable, match="the model is counting-2 now"):
        cached().reply(replace(REQUEST, seed=5))


def test_a_folder_that_cannot_be_written_costs_only_the_memory(behind: Counting, tmp_path: Path) -> None:
    (tmp_path / "replies").write_text("a file")
    generator = CachedGenerator("x", behind.open, ReplyCache(tmp_path / "replies"))
    assert [generator.reply(REQUEST).text, generator.reply(REQUEST).text] == ["reply 1", "reply 2"]


def test_cancel_reaches_the_model_behind(behind: Counting, cached) -> None:
    generator = cached()
    generator.cancel()
    generator.reply(REQUEST)
    generator.cancel()
    generator.close()
    assert behind.cancelled
    assert behind.closed
