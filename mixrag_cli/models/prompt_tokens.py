"""A conversation to the tokens of a prompt; what stands in a text never becomes a mark of the template."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mixrag_cli.generator import Message
from mixrag_cli.models.chat_template import Render, conversation_to_pieces
from mixrag_cli.models.llama_native import NativeModel

SPM_SENTINEL = "\n"  # a token of its own in every SentencePiece vocabulary
MARK = re.compile(r"[<\[].+[>\]]", re.DOTALL)


class PromptTokens:
    """Conversations and texts to the tokens of one loaded model. Runs on the thread that the model runs on."""

    def __init__(self, model: NativeModel, render: Render) -> None:
        self._model = model
        self._render = render

    def of_conversation(self, messages: Sequence[Message]) -> list[int]:
        """The tokens of a whole prompt, the template's marks included."""
        tokens: list[int] = []
        for piece in conversation_to_pieces(messages, self._render):
            tokens += self._piece_tokens(piece.text, special=piece.is_markup, is_first=not tokens)
        if self._model.begins_with_bos and tokens[:1] != [self._model.bos]:
            tokens.insert(0, self._model.bos)
        return tokens

    def of_text(self, text: str) -> list[int]:
        """The tokens of a text in the midst of a prompt, none of them special."""
        return self._piece_tokens(text, special=False, is_first=False)

    def _piece_tokens(self, text: str, *, special: bool, is_first: bool) -> list[int]:
        if not special:
            return [token for part in self._without_marks(text) for token in self._joint_tokens(part, special=False)]
        return self._model.tokenize(text, special=True) if is_first else self._joint_tokens(text, special=True)

    def _joint_tokens(self, text: str, *, special: bool) -> list[int]:
        """The tokens of a text that stands in the midst of a prompt: SentencePiece would put a blank before it."""
        if self._model.is_sentence_piece:
            head = self._model.tokenize(SPM_SENTINEL, special=False)
            tokens = self._model.tokenize(SPM_SENTINEL + text, special=special)
            if tokens[: len(head)] == head:
                return tokens[len(head) :]
        return self._model.tokenize(text, special=special)

    def _without_marks(self, text: str) -> list[str]:
        """The text in parts that hold no mark: tokens that a file calls user-defined are matched in plain text too."""
        marks = {mark for token in set(self._model.tokenize(text, special=False)) if (mark := self._mark(token))}
        if not marks:
            return [text]
        parts: list[str] = []
        for part in re.split("(" + "|".join(map(re.escape, sorted(marks, key=len, reverse=True))) + ")", text):
            parts += [part[:1], part[1:]] if part in marks else [part]
        return [whole for part in parts if part for whole in (self._without_marks(part) if len(part) > 1 else [part])]

    def _mark(self, token: int) -> str:
        """The text of a token that could pass for a template's own, "" of any other."""
        if not self._model.is_special(token):
            return ""
        text = self._model.token_bytes(token, special=True).decode("utf-8", "replace")
        return text if MARK.fullmatch(text) else ""
