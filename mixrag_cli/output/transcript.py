"""A conversation as markdown: what was asked, what was answered, and from where."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from mixrag_cli.cleaning import safe_text
from mixrag_cli.output.answer_view import PROBABLY
from mixrag_cli.output.places import reference
from mixrag_cli.records.answers import Answer, Candidate

if TYPE_CHECKING:
    from mixrag_cli.stories.conversation import Turn

_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#!|])")


def conversation_to_markdown(turns: Iterable[Turn]) -> str:
    """One section a turn. Foreign text is escaped: nothing in it becomes a link, an image or HTML."""
    return "\n".join(_turn_to_markdown(turn) for turn in turns)


def _turn_to_markdown(turn: Turn) -> str:
    answer = turn.answer
    lines = [f"## {_plain(turn.question)}", "", _plain(_said(answer)), ""]
    if answer.formula:
        lines += [f"Computed: {_plain(answer.formula)} = {answer.result}", ""]
    if answer.status == "likely":
        lines += [_candidate_line(*numbered) for numbered in enumerate(answer.candidates, start=1)]
    else:
        lines += [f"{source.ref}. {_plain(reference(source.hit.path, source.locator))}" for source in answer.sources]
    return "\n".join([*lines, ""])


def _said(answer: Answer) -> str:
    if answer.status == "likely":
        return PROBABLY
    return answer.text if answer.status == "answered" else f"No answer: {answer.text}"


def _candidate_line(number: int, candidate: Candidate) -> str:
    place = _plain(reference(candidate.source.hit.path, candidate.source.locator))
    return f"{number}. {place} ({candidate.probability:.0%}): {_plain(candidate.text)}"


def _plain(text: str) -> str:
    return _MARKUP.sub(r"\\\1", safe_text(text, keep_newlines=False))
