"""What is written of a group of passages: by a generator what is asked of it, without one the sentences of its midst.

A summary is searched by its meaning and never shown, so that nothing in it is quoted and no number in it believed.
Source: RAPTOR (Sarthi et al., ICLR 2024) as "Beyond the Reranker", section 4.2, has it; the prompt is our own.
"""

from __future__ import annotations

from collections.abc import Sequence

from mixrag_cli.fencing import KEY_OF_COUNTING, draw_key, fence, fence_rule, one_line, plain_text
from mixrag_cli.generator import Generator, Message, Request
from mixrag_cli.lenient_json import read_object
from mixrag_cli.sentences import split_sentences

MAX_CHARACTERS = 900  # of a summary: about the 256 tokens that the bundled embedder reads
REPLY_TOKENS = 300
MIN_WORDS = 3  # less says nothing
_KEY = "summary"
SYSTEM = (
    f"You summarise passages that are about the same, so that a search finds them. {fence_rule('passages')} Say in one "
    "paragraph what they are about together: subjects, names, periods, what is compared. Use the words by which "
    f'somebody would look for them. Reply with one JSON object that has the one part "{_KEY}".'
)
SCHEMA = {
    "type": "object",
    "properties": {_KEY: {"type": "string", "maxLength": MAX_CHARACTERS}},
    "required": [_KEY],
    "additionalProperties": False,
}


def group_request(
    texts: Sequence[str], generator: Generator, context_tokens: int, *, seconds: float = 0.0, seed: int = 0
) -> Request:
    """One call that asks for a group's summary. texts: what it holds, what says most of it first; as many as fit."""
    room = min(context_tokens, generator.context_tokens) - REPLY_TOKENS
    shown: list[str] = []
    for text in map(plain_text, texts):
        if shown and generator.count_prompt_tokens(_messages([*shown, text], KEY_OF_COUNTING)) > room:
            break
        shown.append(text)
    while len(shown[0]) > 1 and generator.count_prompt_tokens(_messages(shown, KEY_OF_COUNTING)) > room:
        shown = [shown[0][: len(shown[0]) // 2]]  # a window for less than one passage
    key = draw_key(shown)
    return Request(_messages(shown, key), SCHEMA, REPLY_TOKENS, seed=seed, seconds=seconds, purpose="group", nonce=key)


def _messages(shown: Sequence[str], key: str) -> tuple[Message, ...]:
    fenced = "\n".join(fence(key, f"p{number}", text) for number, text in enumerate(shown, start=1))
    return Message("system", SYSTEM), Message(
        "user", f"The key is {key}.\n\n{fenced}\n\nReply with the JSON object alone."
    )


def read_group_summary(text: str) -> str:
    """The summary that a reply holds, "" where it holds none."""
    said = (read_object(text, (_KEY,)) or {}).get(_KEY)
    summary = one_line(said)[:MAX_CHARACTERS] if isinstance(said, str) else ""
    return summary if len(summary.split()) >= MIN_WORDS else ""


def extract_summary(texts: Sequence[str]) -> str:
    """The first sentence of each text, in their order, as many as fit.

    texts: what the group holds, what says most of it first. A text's heading counts as its beginning.
    Source: ours; RAPTOR's summaries are a generator's.
    """
    taken, left = list[str](), MAX_CHARACTERS
    for text in texts:
        spans = split_sentences(text)
        sentence = " ".join(text[: spans[0][1]].split())[:left] if spans else ""
        if sentence and sentence not in taken:
            taken.append(sentence)
            left -= len(sentence) + 1
        if left <= 0:
            break
    return " ".join(taken)
