"""A conversation: questions that may lean on the ones before, each answered by the same warm session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mixrag_cli.cleaning import safe_text
from mixrag_cli.errors import ModelUnusable
from mixrag_cli.records.answers import Answer
from mixrag_cli.stories.followup import (
    keeps_words,
    leans_on,
    make_standalone,
    read_rewrite,
    rewrite_request,
)
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session


@dataclass(frozen=True, slots=True)
class Turn:
    """What was typed, the self-standing question that was put for it, and its answer."""

    typed: str
    question: str
    answer: Answer


class Conversation:
    """The turns so far over one session. scope: where the next question looks; change it at will."""

    def __init__(self, session: Session, scope: Scope) -> None:
        self.session = session
        self.scope = scope
        self.turns: list[Turn] = []

    def understand(self, typed: str) -> str:
        """The question that will be put: what was typed, with what the question before supplies.

        One that lost a word that was typed is not put: then it is what was typed, as it is.
        """
        questions = [turn.question for turn in self.turns]
        if not questions or not leans_on(typed, questions[-1]):
            return typed
        question = self._completed(typed, questions)
        return question if keeps_words(typed, question) else typed

    def _completed(self, typed: str, questions: list[str]) -> str:
        if not self.session.has_generator:
            return make_standalone(typed, questions[-1])
        try:
            reply = self.session.load_generator().reply(rewrite_request(typed, questions, self.session.settings.seed))
        except ModelUnusable:  # the answer will say so
            return make_standalone(typed, questions[-1])
        return safe_text(read_rewrite(reply.text, typed, questions))

    def put(self, typed: str, question: str, on_text: Callable[[str], None] | None = None) -> Turn:
        """Answer the question and remember the turn; one that is interrupted leaves nothing behind."""
        turn = Turn(typed, question, self.session.ask(question, self.scope, on_text))
        self.turns.append(turn)
        return turn
