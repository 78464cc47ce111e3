"""A conversation as markdown: what was asked, what was answered, and from where."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from mixrag_cli.cleaning import safe_text
from mixrag_cli.output.places import reference

if TYPE_CHECKING:
    from mixrag_cli.pipeline.conversation import Turn

_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#!|])")


def conversation_to_markdown(turns: Iterable[Turn]) -> str:
    """One section a turn. Foreign text is escaped: nothing in it becomes a link, an image or HTML."""
    return "\n".join(_turn_to_markdown(turn) for turn in turns)


def _turn_to_markdown(turn: Turn) -> str:
    answer = turn.answer
    said = answer.text if answer.status == "answered" else f"No answer: {answer.text}"
    lines = [f"## {_plain(turn.question)}", "", _plain(said), ""]
    if answer.formula:
        lines += [f"Computed: {_plain(answer.formula)} = {answer.result}", ""]
    lines += [f"{source.ref}. {_plain(reference(source.hit.path, source.locator))}" for source in answer.sources]
    return "\n".join([*lines, ""])


def _plain(text: str) -> str:
    return _MARKUP.sub(r"\\\1", safe_text(text, keep_newlines=False))
