"""Conversations as prompts: a chat template's own marks apart from the texts that people and documents wrote.

1. The template is rendered with an unguessable word in place of each text, so it never sees what it could act on.
2. The result is cut at those words: what lies between is the template's, and only that may hold special tokens.
3. The texts go back in between as plain text, whatever marks they imitate.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mixrag_cli.errors import ModelUnusable, first_line
from mixrag_cli.generator import Message

MAX_RENDERED_CHARACTERS = 1_000_000  # of a template without its texts; the real ones take hundreds

Turn = Mapping[str, str]  # role and content, as templates want them
Render = Callable[[Sequence[Turn]], str]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a prompt. is_markup: the template's own; else a text in which nothing is a special token."""

    text: str
    is_markup: bool


def conversation_to_pieces(messages: Sequence[Message], render: Render) -> tuple[Piece, ...]:
    """The prompt that ends where the model is to go on.

    A template that takes no system message gets it at the head of the first user message.
    Raises ModelUnusable when the template fails or loses a message.
    """
    failure: Exception | None = None
    for turns in (messages, _without_system(messages)):
        try:
            pieces = _rendered_apart(turns, render)
        except Exception as error:  # a template is a stranger's program and fails as it likes
            failure = error
            continue
        if pieces is not None:
            return pieces
    raise ModelUnusable(
        f"the model's chat template does not render{f': {first_line(failure)}' if failure else ' every message'}",
        "mixrag config set chat_template chatml, or the family that the model belongs to",
    )


def _without_system(messages: Sequence[Message]) -> tuple[Message, ...]:
    system = "\n\n".join(message.text for message in messages if message.role == "system")
    rest = [message for message in messages if message.role != "system"]
    if not system or not rest:
        return tuple(messages)
    return (Message(rest[0].role, f"{system}\n\n{rest[0].text}"), *rest[1:])


def _rendered_apart(messages: Sequence[Message], render: Render) -> tuple[Piece, ...] | None:
    """The pieces, None where a message is missing from what was rendered."""
    texts = {f"mixrag{secrets.token_hex(16)}": message.text for message in messages}
    rendered = render([{"role": each.role, "content": word} for each, word in zip(messages, texts, strict=True)])
    if len(rendered) > MAX_RENDERED_CHARACTERS or not all(word in rendered for word in texts):
        return None
    parts = re.split("(" + "|".join(texts) + ")", rendered) if texts else [rendered]
    return tuple(Piece(texts.get(part, part), part not in texts) for part in parts if part)


# --- the families that are known without a template in the file -------------------------------------------------------


def _chatml(turns: Sequence[Turn]) -> str:
    return "".join(f"<|im_start|>{each['role']}\n{each['content']}<|im_end|>\n" for each in turns) + (
        "<|im_start|>assistant\n"
    )


def _llama_3(turns: Sequence[Turn]) -> str:
    def header(role: str) -> str:
        return f"<|start_header_id|>{role}<|end_header_id|>\n\n"

    said = "".join(f"{header(each['role'])}{each['content']}<|eot_id|>" for each in turns)
    return f"<|begin_of_text|>{said}{header('assistant')}"


def _mistral(turns: Sequence[Turn]) -> str:
    _refuse_system(turns)
    said = (
        f"{each['content']}</s>" if each["role"] == "assistant" else f"[INST] {each['content']} [/INST]"
        for each in turns
    )
    return "<s>" + "".join(said)


def _gemma(turns: Sequence[Turn]) -> str:
    _refuse_system(turns)
    roles = {"assistant": "model"}
    said = (
        f"<start_of_turn>{roles.get(each['role'], each['role'])}\n{each['content']}<end_of_turn>\n" for each in turns
    )
    return "<bos>" + "".join(said) + "<start_of_turn>model\n"


def _refuse_system(turns: Sequence[Turn]) -> None:
    if any(each["role"] == "system" for each in turns):
        raise ValueError("this family has no system messages")


# By their marks, the most telling first.
FAMILIES: Mapping[str, tuple[str, Render]] = {
    "llama-3": ("<|start_header_id|>", _llama_3),
    "gemma": ("<start_of_turn>", _gemma),
    "chatml": ("<|im_start|>", _chatml),
    "mistral": ("[INST]", _mistral),
}
DEFAULT_FAMILY = "chatml"


def family_of(is_token: Callable[[str], bool]) -> str:
    """The family whose mark is one token of the model's vocabulary; chatml where none is."""
    return next((name for name, (mark, _) in FAMILIES.items() if is_token(mark)), DEFAULT_FAMILY)


def family_render(name: str) -> Render:
    """A family's template. Example: chatml writes "<|im_start|>user\\nHello<|im_end|>\\n<|im_start|>assistant\\n"."""
    return FAMILIES[name][1]
