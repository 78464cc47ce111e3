"""Query expansion: other texts by whose meaning to search, written by a generator.

A passage is near a question in meaning where both use the same words; a generator knows the words that an answer would
use. What it writes only finds: every candidate is judged by the question itself, and the word search keeps the
question's own words, so that nothing a model invents can make a passage acceptable.

    hyde               a made-up passage that answers, in the question's place        "Beyond the Reranker", 4.1
    step-back          the more general question, beside the question                 "Beyond the Reranker", 4.1
    modality-hyde      a made-up passage, table and piece of code, each in its place  "Beyond the Reranker", 4.1
    rephrase           the question told more fully, behind the question (QR)         FinanceRAG study, section 3
    query-to-document  a made-up paragraph, behind the question (Q2D)                 FinanceRAG study, section 3

The prompts are our own.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from mixrag_cli.errors import MixragError
from mixrag_cli.fencing import one_line, plain_text
from mixrag_cli.generator import Generator, Message, Reply, Request
from mixrag_cli.lenient_json import read_object, strip_stray_quotes

Method = Literal["hyde", "step-back", "modality-hyde", "rephrase", "query-to-document"]
Place = Literal["instead", "beside", "behind"]  # of the question

EXPANSION_SECONDS = 30.0  # for all texts of a question together; waiting longer than that is no search any more
REPLY_TOKENS = 200
MIN_WORDS = 2
_KEY = "text"

_RULES = (
    'Reply with one JSON object that has the one part "text". Write no introduction. Keep every name, date and unit of '
    "the question."
)
_FOUND_BY = (
    "It is only used to search with and nobody reads it, so invent plausible wording and figures where you do not know "
    "them."
)


@dataclass(frozen=True, slots=True)
class Wish:
    """One text to be written. name: for people, where it had to be left out."""

    name: str
    task: str


_PROSE = Wish("a passage", f"Write three to five sentences of a document that would answer the question. {_FOUND_BY}")
_TABLE = Wish(
    "a table",
    "Write the title, the line of column names and three rows of a table that would answer the question, cells "
    f"separated by |. {_FOUND_BY}",
)
_CODE = Wish(
    "a piece of code",
    "Write up to ten lines of source code with a docstring, or of a configuration file, that would answer the "
    f"question. {_FOUND_BY}",
)
_GENERAL = Wish(
    "a more general question",
    "Write the more general question behind the question: the topic, rule or quantity that one would look up first. "
    "One sentence.",
)
_FULLER = Wish(
    "a fuller wording",
    "Rephrase the question so that it says more: use synonyms, spell out acronyms and say what is meant by them, and "
    "explain the notion that is asked about. Two sentences at most.\n"
    'Example: "What was the YoY change of SG&A?" becomes "By how much did selling, general and administrative expenses '
    '(SG&A), the overhead of running the business, change compared with the year before (year over year)?"',
)
_DOCUMENT = Wish(
    "a paragraph",
    "Write one paragraph that answers the question. Spell out acronyms, and explain special notions briefly. "
    f"{_FOUND_BY}\n"
    'Example: "What was the YoY change of SG&A?" becomes "Selling, general and administrative expenses (SG&A), the '
    "overhead of running the business, rose year over year, mostly through higher wages and marketing; as a share of "
    'net sales they stayed about level."',
)
_REWRITE = Wish(
    "another wording",
    "A search for the question found nothing. Write the question in other words: those that a document would use. "
    "One sentence, nothing that the question does not say.",
)
_METHODS: Mapping[Method, tuple[Place, tuple[Wish, ...]]] = {
    "hyde": ("instead", (_PROSE,)),
    "step-back": ("beside", (_GENERAL,)),
    "modality-hyde": ("instead", (_PROSE, _TABLE, _CODE)),
    "rephrase": ("behind", (_FULLER,)),
    "query-to-document": ("behind", (_DOCUMENT,)),
}


@dataclass(frozen=True, slots=True)
class Expansion:
    """texts: by whose vectors to search, none for the question's own. left_out: what could not be had, and why."""

    texts: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def expand_question(
    question: str, method: Method, generator: Generator, *, seconds: float = EXPANSION_SECONDS, seed: int = 0
) -> Expansion:
    """The texts to search by. Where none could be had, the question is searched for as it is.

    seconds: for all of the method's texts together. KeyboardInterrupt passes through.
    Source: "Beyond the Reranker", section 4.1 (HyDE, step-back, by modality); FinanceRAG study, section 3 (QR, Q2D).
    """
    place, wishes = _METHODS[method]
    texts, left_out = _write_all(question, wishes, generator, seconds, seed)
    if not texts:
        return Expansion((), left_out)
    if place == "beside":
        texts = [question, *texts]
    elif place == "behind":
        texts = [f"{question} {text}" for text in texts]
    return Expansion(tuple(texts), left_out)


def rewrite_question(
    question: str, generator: Generator, *, seconds: float = EXPANSION_SECONDS, seed: int = 0
) -> Expansion:
    """The question in other words, for one more try. Source: CRAG, as "Beyond the Reranker" has it in section 4.4."""
    texts, left_out = _write_all(question, (_REWRITE,), generator, seconds, seed)
    return Expansion(tuple(texts), left_out)


def _write_all(
    question: str, wishes: tuple[Wish, ...], generator: Generator, seconds: float, seed: int
) -> tuple[list[str], tuple[str, ...]]:
    """The texts that came in time, and why the others did not."""
    deadline = time.monotonic() + seconds
    texts: list[str] = []
    left_out: list[str] = []
    for number, wish in enumerate(wishes):
        left = deadline - time.monotonic()
        if left <= 0:
            left_out.append(f"{', '.join(each.name for each in wishes[number:])}: the time was over")
            break
        try:
            reply = generator.reply(_request(question, wish, left, seed))
        except MixragError as error:
            left_out.append(f"{', '.join(each.name for each in wishes[number:])}: {error.message}")
            break
        text = _read_text(reply)
        if text and text.casefold() != question.casefold():
            texts.append(text)
        else:
            reason = "the time was over" if reply.finish == "timeout" else "the model wrote none"
            left_out.append(f"{wish.name}: {reason}")
    return texts, tuple(left_out)


def _request(question: str, wish: Wish, seconds: float, seed: int) -> Request:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {_KEY: {"type": "string", "maxLength": 4 * REPLY_TOKENS}},
        "required": [_KEY],
        "additionalProperties": False,
    }
    messages = (Message("system", f"{wish.task}\n{_RULES}"), Message("user", f"Question: {plain_text(question)}"))
    return Request(messages, schema, REPLY_TOKENS, seed=seed, seconds=seconds, purpose=wish.name)


def _read_text(reply: Reply) -> str:
    """What the reply says, "" for one that was cut off by time or by hand, or says nothing."""
    if reply.finish in ("cancelled", "timeout"):
        return ""
    found = read_object(reply.text, (_KEY,))
    text = str(found[_KEY]) if found is not None else "" if reply.text.lstrip().startswith("{") else reply.text
    text = one_line(strip_stray_quotes(text))
    return text if len(text.split()) >= MIN_WORDS and any(sign.isalpha() for sign in text) else ""
