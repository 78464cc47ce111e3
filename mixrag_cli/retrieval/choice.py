"""A language model that reads the candidates: it ranks or grades passages, or picks the document with the answer.

    hits ─► select_top: the best, as many as its window holds (eq. 9)
         ─► recombine: of each document only what was selected, in the order in which it stands there (eq. 10)
         ─► the model names the document

Source: MixRAG, section 4.2, eq. 9-10; grading: "Beyond the Reranker", section 4.4, after CRAG (Yan et al., 2024).
Ranking passages by naming them in order is listwise reranking (Sun et al., "Is ChatGPT good at search?", EMNLP 2023).
What the passages say is fenced: it is data, never an instruction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.fencing import KEY_OF_COUNTING, draw_key, fence, fence_rule, one_line, plain_text
from mixrag_cli.generator import Generator, Message, Request
from mixrag_cli.lenient_json import read_object
from mixrag_cli.records.passages import Hit
from mixrag_cli.settings import Settings

CHOICE_SECONDS = 60.0  # a prompt of 8,000 tokens takes a small model on a CPU about that long
CHOICE_TOKENS = 32
RANK_TOKENS = 8  # of the reply, a passage: its id, quotes and a comma
GRADED = 10  # passages, the best: what is read for an answer's first try
BEST_GRADE = 10
GRADE_CUT = 0.5  # of a grade in [0, 1]: the one threshold that CRAG has; not tuned
JUDGE = "judge"  # what such a grade is called among a hit's scores
MAX_HEAD_CHARS = 200
NONE = "none"
_NAME = re.compile(r"\b[dp]\d{1,3}\b")

_CHOOSE = (
    f"{fence_rule('documents d1, d2, …, each by the passages of it that are nearest to a question')} Name the one "
    'document that holds the answer to the question. Reply with one JSON object: {"document": "d1"}, or '
    f'{{"document": "{NONE}"}} where none of them does.'
)
_RANK = (
    f"{fence_rule('passages p1, p2, …')} Put those that help to answer the question in order, the most helpful first, "
    'and leave out the others. Reply with one JSON object: {"order": ["p2", "p1"]}.'
)


_GRADE = (
    f"{fence_rule('passages p1, p2, …')} Say of each how far it answers the question, from 0 for not at all to "
    f'{BEST_GRADE} for wholly. Reply with one JSON object: {{"grades": {{"p1": 7, "p2": 0}}}}.'
)


@dataclass(frozen=True, slots=True)
class Reading:
    """How the model is asked. context_tokens: prompt and reply; seconds: for one reply."""

    context_tokens: int = 8192
    seconds: float = CHOICE_SECONDS
    seed: int = 0

    @classmethod
    def of(cls, settings: Settings) -> Reading:
        """As the settings wish, and no longer than CHOICE_SECONDS."""
        return cls(settings.context_tokens, min(CHOICE_SECONDS, settings.generator_seconds), settings.seed)


@dataclass(frozen=True, slots=True)
class Reduced:
    """A document reduced to what was selected of it (D' of eq. 10)."""

    document: str
    path: str
    hits: tuple[Hit, ...]


def select_top(hits: Sequence[Hit], cost: Callable[[Hit], int], room: int) -> list[Hit]:
    """The best of the hits, as many as the room holds. Source: MixRAG, eq. 9, whose threshold follows from the room.

    hits: best first; the first that does not fit ends the selection. cost, room: tokens.
    """
    selected: list[Hit] = []
    for hit in hits:
        room -= cost(hit)
        if room < 0:
            break
        selected.append(hit)
    return selected


def recombine(selected: Sequence[Hit]) -> list[Reduced]:
    """A reduced document for each that something was selected of, in the order of its best passage, its passages in
    the order in which they stand in it. Source: MixRAG, eq. 10.
    """
    by_document: dict[str, list[Hit]] = {}
    for hit in selected:
        by_document.setdefault(hit.chunk.document, []).append(hit)
    return [
        Reduced(document, found[0].path, tuple(sorted(found, key=lambda hit: hit.chunk.position)))
        for document, found in by_document.items()
    ]


def choose_document(question: str, hits: Sequence[Hit], generator: Generator, reading: Reading) -> str | None:
    """The id of the document that the model takes for the one with the answer, None where it takes none of them.

    hits: best first. Raises ModelUnusable when the model fails or names no document that it was shown.
    Source: MixRAG, section 4.2, eq. 9-10.
    """
    call = _Call(question, _CHOOSE, generator, reading, CHOICE_TOKENS)
    documents = recombine(call.fitting(hits))
    if len(documents) < 2:
        return documents[0].document if documents else None
    names = {f"d{number}": each for number, each in enumerate(documents, start=1)}
    texts = {name: "\n".join((_head(each.hits[0]), *map(_shown, each.hits))) for name, each in names.items()}
    schema = _schema("document", {"enum": [*names, NONE]})
    reply = call.ask(texts, schema, "choose document")
    found = read_object(reply, ("document",))
    said = str(found["document"]).strip().lower() if found is not None else "".join(_NAME.findall(reply)[:1])
    if said == NONE:
        return None
    if said not in names:
        raise ModelUnusable("the model named none of the documents")
    return names[said].document


@dataclass(frozen=True, slots=True)
class LanguageModelReranker:
    """Scores by the order in which a language model puts the passages that its window holds."""

    open_generator: Callable[[], Generator]
    reading: Reading

    def score(self, question: str, hits: Sequence[Hit]) -> list[float | None]:
        """1 for the first, less for each that follows, 0 for what the model left out; None for what it was not shown.

        Raises ModelUnusable when the model fails or names no passage that it was shown.
        """
        tokens = CHOICE_TOKENS + RANK_TOKENS * len(hits)
        call = _Call(question, _RANK, self.open_generator(), self.reading, tokens)
        shown = call.fitting(hits)
        if not shown:
            raise ModelUnusable("the model's window holds no passage")
        names = {f"p{number}": hit for number, hit in enumerate(shown, start=1)}
        texts = {name: _alone(hit) for name, hit in names.items()}
        schema = _schema("order", {"type": "array", "items": {"enum": list(names)}, "maxItems": len(names)})
        reply = call.ask(texts, schema, "rerank")
        found = read_object(reply, ("order",))
        order = [
            name for name in dict.fromkeys(_NAME.findall(str(found["order"]) if found else reply)) if name in names
        ]
        if not order:
            raise ModelUnusable("the model named none of the passages")
        rank = {names[name].chunk.id: 1 - number / len(names) for number, name in enumerate(order)}
        known = {hit.chunk.id for hit in shown}
        return [rank.get(hit.chunk.id, 0.0) if hit.chunk.id in known else None for hit in hits]


def grade_passages(question: str, hits: Sequence[Hit], generator: Generator, reading: Reading) -> dict[str, float]:
    """How far each of the best GRADED passages answers the question, in [0, 1] by its id; 0 where no grade is given.

    hits: best first. Raises ModelUnusable when the model fails or grades no passage that it was shown.
    Source: "Beyond the Reranker", section 4.4 (CRAG's judge).
    """
    call = _Call(question, _GRADE, generator, reading, CHOICE_TOKENS + RANK_TOKENS * GRADED)
    names = {f"p{number}": hit for number, hit in enumerate(call.fitting(hits[:GRADED]), start=1)}
    grade = {"type": "integer", "minimum": 0, "maximum": BEST_GRADE}
    grades = {
        "type": "object",
        "properties": dict.fromkeys(names, grade),
        "required": list(names),
        "additionalProperties": False,
    }
    texts = {name: _alone(hit) for name, hit in names.items()}
    reply = call.ask(texts, _schema("grades", grades), "judge passages")
    found = read_object(reply, ("grades",)) or {}
    said = found["grades"] if isinstance(found.get("grades"), dict) else found
    known = {name: said[name] for name in names if isinstance(said.get(name), int | float)}
    if not known:
        raise ModelUnusable("the model graded none of the passages")
    return {
        hit.chunk.id: min(max(float(known.get(name, 0)), 0.0), BEST_GRADE) / BEST_GRADE for name, hit in names.items()
    }


def accept_graded(hits: Sequence[Hit], grades: Mapping[str, float]) -> list[Hit]:
    """The hits in their order, each accepted where its grade reaches GRADE_CUT; what was not graded is not.

    Source: "Beyond the Reranker", section 4.4 (CRAG's one threshold).
    """
    return [_graded(hit, grades.get(hit.chunk.id)) for hit in hits]


def _graded(hit: Hit, grade: float | None) -> Hit:
    if grade is None:
        return replace(hit, accepted_by=None, threshold=None, judged_by=None)
    accepted_by = JUDGE if grade >= GRADE_CUT else None
    scores = {**hit.scores, JUDGE: grade}
    return replace(hit, scores=scores, accepted_by=accepted_by, threshold=GRADE_CUT, judged_by=JUDGE)


@dataclass(frozen=True, slots=True)
class _Call:
    """What the model is asked once. system: what to do; reply_tokens: the most that its reply may have."""

    question: str
    system: str
    generator: Generator
    reading: Reading
    reply_tokens: int

    def fitting(self, hits: Sequence[Hit]) -> list[Hit]:
        """The hits that fit the window, each counted as if it were alone in its fence."""
        count = self.generator.count_tokens
        window = min(self.reading.context_tokens, self.generator.context_tokens) - self.reply_tokens
        room = window - self.generator.count_prompt_tokens(self._messages({}, KEY_OF_COUNTING))
        return select_top(hits, lambda hit: count(fence(KEY_OF_COUNTING, "p00", _alone(hit))) + 1, room)

    def ask(self, texts: Mapping[str, str], schema: Mapping[str, Any], purpose: str) -> str:
        """The reply over texts by their names. Raises ModelUnusable, also where it was cut off."""
        key = draw_key(list(texts.values()))
        reply = self.generator.reply(
            Request(
                self._messages(texts, key),
                schema,
                self.reply_tokens,
                seed=self.reading.seed,
                seconds=self.reading.seconds,
                purpose=purpose,
                nonce=key,
            )
        )
        if reply.finish in ("timeout", "cancelled"):
            raise ModelUnusable("the time was over" if reply.finish == "timeout" else "it was stopped")
        return reply.text

    def _messages(self, texts: Mapping[str, str], key: str) -> tuple[Message, ...]:
        shown = "\n".join(fence(key, name, text) for name, text in texts.items())
        asked = f"Question: {plain_text(self.question)}\nReply with the JSON object alone."
        return Message("system", self.system), Message("user", f"The key is {key}.\n\n{shown}\n\n{asked}")


def _schema(part: str, kind: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {part: dict(kind)}, "required": [part], "additionalProperties": False}


def _head(hit: Hit) -> str:
    return one_line(f"from: {hit.path} | {hit.chunk.context}")[:MAX_HEAD_CHARS]


def _shown(hit: Hit) -> str:
    return plain_text(hit.chunk.text)


def _alone(hit: Hit) -> str:
    return f"{_head(hit)}\n{_shown(hit)}"
