"""The scripted generator behaves as a Generator in all that a caller observes."""

from __future__ import annotations

import threading

import pytest
from scripted_generator import ScriptedGenerator

from mixrag_cli.errors import ModelUnusable, PromptTooLong
from mixrag_cli.generator import Generator, Message, Request

ASK = Request((Message("user", "How many stools are there?"),))


def test_plays_its_lines_in_order_and_streams_them() -> None:
    generator: Generator = ScriptedGenerator(["There are 18 stools.", lambda request: request.purpose])
    pieces: list[str] = []
    reply = generator.reply(ASK, pieces.append)
    assert reply.text == "".join(pieces) == "There are 18 stools."
    assert (reply.finish, reply.reply_tokens) == ("stop", len(pieces))
    assert generator.reply(Request(ASK.messages, purpose="summary")).text == "summary"
    with pytest.raises(AssertionError, match="request 3 of a script of 2"):
        generator.reply(ASK)


def test_keeps_the_request_s_limits() -> None:
    generator = ScriptedGenerator(["one two three four"], repeat=True, delay_s=0.02)
    assert generator.reply(Request(ASK.messages, max_tokens=2)).text == "one two"
    assert generator.reply(Request(ASK.messages, max_tokens=2)).finish == "length"
    assert generator.reply(Request(ASK.messages, stop=(" three",))).text == "one two"
    assert generator.reply(Request(ASK.messages, seconds=0.03)).finish == "timeout"
    threading.Timer(0.03, generator.cancel).start()
    assert generator.reply(ASK).finish == "cancelled"
    assert generator.reply(ASK).finish == "stop"


def test_fails_as_the_script_says_or_the_window_demands() -> None:
    generator = ScriptedGenerator([ModelUnusable("the server is gone"), "x"], context_tokens=600)
    with pytest.raises(ModelUnusable, match="gone"):
        generator.reply(ASK)
    with pytest.raises(PromptTooLong) as caught:
        generator.reply(Request((Message("user", "word " * 200),), max_tokens=400))
    assert (caught.value.prompt_tokens, caught.value.reply_tokens, caught.value.context_tokens) == (205, 400, 600)
