"""generate_answer(): the story of one answer by a generator.

1. pack: the likeliest passages into the window, what the built-in reader cites before all
2. ask: one turn, schema-bound where the backend binds
3. verify: claims, formula, answer
4. choose: by the written rule; at most once more, with the reason
5. cite: only what was verified
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from mixrag_cli.errors import MixragError
from mixrag_cli.fencing import draw_key, plain_text
from mixrag_cli.generator import Generator, Message, Reply, Request
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.generated.choosing import Fact, Way, choose
from mixrag_cli.recap.generated.defanging import defang
from mixrag_cli.recap.generated.disputing import dispute_of, finding_of
from mixrag_cli.recap.generated.drafts import Draft, repeats_itself, text_to_draft
from mixrag_cli.recap.generated.examining import MIN_QUOTED_WORDS, Examined, Finding, examine, is_borne
from mixrag_cli.recap.generated.packing import Passage, pack_evidence, passages_text, rank_of
from mixrag_cli.recap.generated.strategies import STRATEGIES, Limits, Strategy, limits_for, user_text
from mixrag_cli.recap.generated.streaming import AnswerStream
from mixrag_cli.recap.generated.verifying import verify_claims
from mixrag_cli.recap.grading import N_LIKELY
from mixrag_cli.recap.present import unit_text
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.support import unsupported_numbers
from mixrag_cli.records.answers import Answer, Candidate, Decider, Evidence, Source

RETRY_TOKENS = 120  # kept free for the reason of a second attempt
MAX_REASON_CHARS = 240
SURE_CONFIDENCE = 0.9  # of the built-in reader's answer, which then needs no second opinion
MAX_ASKS_CHARS = 300
REFUSED_TEXT = "the generator finds no answer in the passages"
DISPUTED = "the generator and the built-in reader differ"
UNCONFIRMED = 0.5  # of a verified answer in another unit than is asked for: nothing else is known of it


@dataclass(frozen=True, slots=True)
class Asking:
    """How a generator is asked. limits: None for those that suit answer_tokens."""

    strategy: str = "recap"
    context_tokens: int = 8192
    answer_tokens: int = 512
    seconds: float = 120.0
    seed: int = 0
    limits: Limits | None = None


@dataclass(slots=True)
class _Spent:
    prompt: int = 0
    reply: int = 0

    def add(self, reply: Reply) -> None:
        self.prompt += reply.prompt_tokens
        self.reply += reply.reply_tokens


def generate_answer(
    restated: Restated,
    base: EvidenceBase,
    built_in: Answer,
    generator: Generator,
    asking: Asking,
    on_text: Callable[[str], None] | None = None,
) -> Answer:
    """The answer that the rule picks; degraded says where it is not the generator's.

    built_in: what the built-in reader says. on_text: told the answer's words as they come; provisional until the
    returned answer, which alone carries citations. KeyboardInterrupt passes through.
    """
    strategy = STRATEGIES[asking.strategy]
    spent = _Spent()
    try:
        passages = _pack(restated, base, built_in, generator, asking, strategy)
        if not passages:
            return _degrade(built_in, _too_small(generator, asking))
        examined, way, draft = _ask(restated, passages, built_in, generator, asking, strategy, spent, on_text)
    except MixragError as error:
        return _with_tokens(_degrade(built_in, error.message), spent)
    return _with_tokens(_answer(restated, base, built_in, examined, way, draft), spent)


def _too_small(generator: Generator, asking: Asking) -> str:
    """Why no passage went into the prompt: the setting's window, or the model's own."""
    window = min(generator.context_tokens, asking.context_tokens)
    return (
        f"its window of {window:,} tokens is too small for a passage beside the instructions and a reply of "
        f"{asking.answer_tokens:,} (context_tokens, answer_tokens)"
    )


def _pack(
    restated: Restated, base: EvidenceBase, built_in: Answer, generator: Generator, asking: Asking, strategy: Strategy
) -> tuple[Passage, ...]:
    """The passages that fit, counted once more with all that the template adds."""
    window = min(generator.context_tokens, asking.context_tokens)
    room = window - asking.answer_tokens - RETRY_TOKENS
    bare = _messages(strategy, (), restated.question)
    cited = [source.hit.chunk.id for source in built_in.sources]
    free = room - generator.count_prompt_tokens(bare)
    passages = pack_evidence(base, restated.whole.terms, cited, generator.count_tokens, free)
    while passages and generator.count_prompt_tokens(_messages(strategy, passages, restated.question)) > room:
        passages = passages[:-1]
    return passages


def _messages(
    strategy: Strategy, passages: Sequence[Passage], question: str, key: str = "0" * 16, reason: str = ""
) -> tuple[Message, ...]:
    shown = passages_text(passages, key)
    text = user_text(key, shown, plain_text(question), plain_text(reason, keep_newlines=False))
    return Message("system", strategy.system), Message("user", text)


def _ask(
    restated: Restated,
    passages: Sequence[Passage],
    built_in: Answer,
    generator: Generator,
    asking: Asking,
    strategy: Strategy,
    spent: _Spent,
    on_text: Callable[[str], None] | None,
) -> tuple[Examined, Way, Draft | None]:
    """Ask, examine and choose, at most twice."""
    limits = asking.limits or limits_for(asking.answer_tokens)
    schema = strategy.schema([passage.id for passage in passages], limits)
    reason = ""
    # One for both attempts, so that a model's work on the passages is kept.
    key = draw_key([text for each in passages for text in (each.text, each.head)])
    for is_last in (False, True):
        request = Request(
            _messages(strategy, passages, restated.question, key, reason),
            schema,
            asking.answer_tokens,
            seed=asking.seed,
            seconds=asking.seconds,
            purpose=strategy.name,
            nonce=key,
        )
        stream = AnswerStream(on_text, _permits(passages, restated.question)) if on_text else None
        reply = generator.reply(request, stream.feed if stream else None)
        spent.add(reply)
        draft, examined = _examined(reply, passages, restated.question)
        dispute = dispute_of(restated, examined, built_in)
        facts = examined.facts | _outer_facts(reply, built_in, is_last=is_last)
        way = choose(facts | {"disputed"} if dispute else facts)
        if way != "retry":
            break
        reason = (examined.reason or dispute)[:MAX_REASON_CHARS]
        if on_text and stream and stream.has_told:
            on_text("\n")  # what was told is void; the second attempt begins on a line of its own
    return examined, way, draft


def _examined(reply: Reply, passages: Sequence[Passage], question: str) -> tuple[Draft | None, Examined]:
    if reply.finish == "cancelled":
        return None, Examined(frozenset(), reason="it was stopped")
    draft = text_to_draft(reply.text)
    examined = examine(draft, passages, question)
    if draft is None and repeats_itself(reply.text):
        return None, replace(examined, reason="it repeats itself without end")
    if reply.finish == "timeout":
        return draft, replace(examined, reason="it was cut off when its time was over")
    return draft, examined


def _outer_facts(reply: Reply, built_in: Answer, *, is_last: bool) -> frozenset[Fact]:
    facts: set[Fact] = set()
    if not is_last and reply.finish not in ("cancelled", "timeout"):
        facts.add("retry")
    if built_in.status == "answered":
        facts.add("built-in")
        if built_in.confidence >= SURE_CONFIDENCE:
            facts.add("sure")
    return frozenset(facts)


def _permits(passages: Sequence[Passage], question: str) -> Callable[[str, str], bool]:
    """Whether the words of an answer may be shown before the whole is verified: only what the extracts bear."""

    @lru_cache(maxsize=2)  # what comes before the answer is the same for each of its words
    def known(before: str) -> tuple[tuple[str, ...], tuple[Decimal, ...]]:
        draft = text_to_draft(before.rsplit('"answer"', 1)[0].rstrip().rstrip(","))
        if draft is None:
            return (question,), ()
        pieces = verify_claims(draft.claims, passages).evidence.values()
        computed = examine(replace(draft, answer=""), passages, question).calculator
        values = [piece.value for piece in pieces if piece.value is not None]
        values += [computed.value] if computed and computed.value is not None else []
        return (question, *(text for piece in pieces for text in (piece.quote, piece.label))), tuple(values)

    def permits(before: str, answer: str) -> bool:
        said, computed = known(before)
        return is_borne(answer, said, MIN_QUOTED_WORDS, computed)

    return permits


# --- the answer -----------------------------------------------------------------------------------------------------


def _answer(
    restated: Restated, base: EvidenceBase, built_in: Answer, examined: Examined, way: Way, draft: Draft | None
) -> Answer:
    if way == "calculator" and examined.calculator is not None:
        return _found(restated, examined.calculator, "calculator", draft)
    if way == "model" and examined.model is not None:
        return _found(restated, examined.model, "model", draft)
    if way == "likely":
        return _disputed(restated, built_in, examined)
    if way == "built-in":
        return _degrade(built_in, examined.reason)
    if "refused" in examined.facts:  # an honest answer, and the generator's own
        reason = built_in.text if built_in.status == "abstained" else REFUSED_TEXT
        return _abstain(restated, base, reason)
    return _degrade(_abstain(restated, base, built_in.text), examined.reason)


def _found(restated: Restated, finding: Finding, decider: Decider, draft: Draft | None) -> Answer:
    sources, evidence = _cite(finding)
    # What the question asks is the model's to say in its own words, as long as they say no number of its own.
    asks = defang(draft.asks)[:MAX_ASKS_CHARS] if draft else ""
    if not asks or unsupported_numbers(asks, (restated.question,)):
        asks = restated.asks
    return Answer(
        question=restated.question,
        status="answered",
        text=finding.text,
        kind=restated.kind,
        asks=asks,
        value=finding.value,
        unit=unit_text(finding.unit, finding.scale),
        confidence=round(max(0.0, min(1.0, min(rank_of(passage.hit) for passage in finding.passages))), 3),
        evidence=evidence,
        formula=finding.formula,
        result=finding.value if finding.formula else None,
        sources=sources,
        present=finding.present,
        decided_by=decider,
    )


def _disputed(restated: Restated, built_in: Answer, examined: Examined) -> Answer:
    """What the built-in reader and the generator say, each where it stands; neither is stated."""
    finding = finding_of(examined)
    assert finding is not None
    sources, _ = _cite(finding)
    chance = round(1 - built_in.confidence, 3) if built_in.status == "answered" else UNCONFIRMED
    other = Candidate(
        "computed" if finding.formula else "span",
        finding.text,
        chance,
        sources[0],
        finding.value,
        unit_text(finding.unit, finding.scale),
    )
    shown = (*built_in.candidates[: N_LIKELY - 1], other)
    ordered = tuple(sorted(shown, key=lambda candidate: -candidate.probability))
    return Answer(restated.question, "likely", DISPUTED, restated.kind, restated.asks, candidates=ordered)


def _cite(finding: Finding) -> tuple[tuple[Source, ...], tuple[Evidence, ...]]:
    """One source a place, and the evidence with its source's number."""
    sources: list[Source] = []
    cited: list[Evidence] = []
    for piece, passage in zip(finding.evidence, finding.passages, strict=True):
        where = piece.locator or passage.hit.chunk.locator
        text = f"{piece.label}: {piece.quote}" if passage.table is not None else piece.quote
        known = next(
            (s for s in sources if (s.hit.chunk.id, s.locator, s.text) == (passage.hit.chunk.id, where, text)), None
        )
        if known is None:
            known = Source(len(sources) + 1, passage.hit, where, text)
            sources.append(known)
        cited.append(replace(piece, source=known.ref))
    return tuple(sources), tuple(cited)


def _abstain(restated: Restated, base: EvidenceBase, reason: str) -> Answer:
    return Answer(restated.question, "abstained", reason, restated.kind, restated.asks, refused=base.hits[:3])


def _degrade(answer: Answer, reason: str) -> Answer:
    said = "the built-in reader answered" if answer.status == "answered" else "nothing else answered"
    return replace(answer, degraded=(*answer.degraded, f"generator: {defang(reason)[:MAX_REASON_CHARS]}; {said}"))


def _with_tokens(answer: Answer, spent: _Spent) -> Answer:
    return replace(answer, tokens={**answer.tokens, "prompt": spent.prompt, "reply": spent.reply})
