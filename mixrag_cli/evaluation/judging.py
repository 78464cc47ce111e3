"""The measures of Enhanced RAG judged by a language model that reads, where nearness.py compares vectors.

    CP-judged  share of the passages that help to answer the question
    AF-judged  share of the answer's claims that a passage says: support, claim by claim
    AR-judged  whether the answer answers the question
    CR-judged  share of the right answer's claims that a passage says

One request a question, bound to a schema; replies are cached as all of an evaluation's are. The judge should be another
model than the one that answers. What the passages and answers say is fenced: it is data, never an instruction.

Source: Enhanced RAG, section IV-C, eq. 8 to 11; support by atomic claims: "Beyond the Reranker", section 5, after
Min et al., FActScore, EMNLP 2023.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mixrag_cli.evaluation.nearness import PASSAGES
from mixrag_cli.fencing import draw_key, fence, fence_rule, plain_text
from mixrag_cli.generator import Generator, Message, Request
from mixrag_cli.lenient_json import read_object

MAX_CHARS = 2_000  # of a passage or an answer that the judge reads
MAX_CLAIMS = 8  # of an answer: beyond them a small model repeats itself
REPLY_TOKENS = 700
SECONDS = 120.0
HELPS, CLAIMS, ANSWERS, EXPECTED = "helps", "claims", "answers", "expected"
SYSTEM = (
    f"{fence_rule('passages p1, p2, …, an answer and perhaps a right answer')} You judge the answer to a question by "
    f'the passages alone. Reply with one JSON object. "{HELPS}": the names of the passages that help to answer the '
    f'question. "{CLAIMS}": the answer cut into single claims, each with "supported", true where a passage says so. '
    f'"{ANSWERS}": whether the answer answers the question, right or wrong. "{EXPECTED}": the right answer cut into '
    'single claims, each with "supported", true where a passage says so; an empty list where none is shown.'
)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge said of one question, each in [0, 1]; None for what was not to be judged, or not readable."""

    cp: float | None = None
    af: float | None = None
    ar: float | None = None
    cr: float | None = None


def judge_answer(
    question: str, answer: str | None, gold: str | None, passages: Sequence[str], generator: Generator, seed: int = 0
) -> Judged:
    """The four measures of one question by one request; nothing where the reply cannot be read.

    answer: None for an abstention; gold: None where no right answer is known; passages: the best first.
    Raises what Generator.reply raises.
    Source: Enhanced RAG, section IV-C, eq. 8 to 11; "Beyond the Reranker", section 5 (support by claims).
    """
    shown = {f"p{number}": text for number, text in enumerate(passages[:PASSAGES], start=1)}
    texts = shown | ({"answer": answer} if answer else {}) | ({"right answer": gold} if gold else {})
    plain = {name: plain_text(text)[:MAX_CHARS] for name, text in texts.items()}
    key = draw_key(list(plain.values()))
    fenced = "\n".join(fence(key, name, text) for name, text in plain.items())
    asked = f"The key is {key}.\n\n{fenced}\n\nQuestion: {plain_text(question)}\nReply with the JSON object alone."
    messages = (Message("system", SYSTEM), Message("user", asked))
    request = Request(
        messages, _schema(list(shown)), REPLY_TOKENS, seed=seed, seconds=SECONDS, purpose="judge", nonce=key
    )
    said = read_object(generator.reply(request).text, (HELPS, CLAIMS, ANSWERS, EXPECTED))
    return _read(said, list(shown), has_answer=bool(answer), has_gold=bool(gold)) if said is not None else Judged()


def _read(said: Mapping[str, Any], shown: Sequence[str], *, has_answer: bool, has_gold: bool) -> Judged:
    helps = said.get(HELPS)
    named = {str(name).strip().lower() for name in helps} if isinstance(helps, list) else None
    answers = said.get(ANSWERS)
    return Judged(
        cp=None if named is None else sum(name in named for name in shown) / len(shown) if shown else 0.0,
        af=_supported(said.get(CLAIMS)) if has_answer else None,
        ar=float(answers) if has_answer and isinstance(answers, bool) else None,
        cr=_supported(said.get(EXPECTED)) if has_gold else None,
    )


def _supported(claims: Any) -> float | None:
    """The share of the claims that are supported; None where there is none that can be read.

    Example: [{"claim": "a", "supported": true}, {"claim": "b", "supported": false}] -> 0.5
    """
    if not isinstance(claims, list):
        return None
    known = [each["supported"] for each in claims if isinstance(each, dict) and isinstance(each.get("supported"), bool)]
    return sum(known) / len(known) if known else None


def _schema(names: Sequence[str]) -> dict[str, Any]:
    claim = {
        "type": "object",
        "properties": {"claim": {"type": "string", "maxLength": 300}, "supported": {"type": "boolean"}},
        "required": ["claim", "supported"],
        "additionalProperties": False,
    }
    claims = {"type": "array", "maxItems": MAX_CLAIMS, "items": claim}
    helps = {"type": "array", "maxItems": max(len(names), 1), "items": {"enum": list(names) or ["none"]}}
    return {
        "type": "object",
        "properties": {HELPS: helps, CLAIMS: claims, ANSWERS: {"type": "boolean"}, EXPECTED: claims},
        "required": [HELPS, CLAIMS, ANSWERS, EXPECTED],
        "additionalProperties": False,
    }
