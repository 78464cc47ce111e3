"""generate_answer(): the story of one answer by a generator.

1. pack: the likeliest passages into the window, what the built-in reader cites before all
2. ask: one turn, schema-bound where the backend binds
3. verify: claims, formula, answer
4. choose: by the written rule; at most once more, with the reason
5. cite: only what was verified
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache

from mixrag_cli.defanging import defang
from mixrag_cli.errors import MixragError
from mixrag_cli.fencing import KEY_OF_COUNTING, draw_key, plain_text
from mixrag_cli.generator import Generator, Message, Reply, Request
from mixrag_cli.quantities.said_numbers import is_rounding_of, unsupported_numbers
from mixrag_cli.quantities.shown import unit_text
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.faithfulness import texts_of
from mixrag_cli.recap.generated.choosing import Fact, Way, choose, those_that_hold
from mixrag_cli.recap.generated.drafts import repeats_itself, text_to_draft
from mixrag_cli.recap.generated.examining import MIN_QUOTED_WORDS, Examined, Finding, examine, is_borne
from mixrag_cli.recap.generated.packing import Passage, pack_evidence, passages_text
from mixrag_cli.recap.generated.strategies import STRATEGIES, Limits, limits_for, user_text
from mixrag_cli.recap.generated.streaming import AnswerStream
from mixrag_cli.recap.generated.verifying import verify_claims
from mixrag_cli.recap.reader import answer_to, refusal
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.wording import PERCENT_UNITS
from mixrag_cli.records.answers import N_LIKELY, Answer, Candidate, CandidateKind, Decider, Evidence, Source
from mixrag_cli.records.places import Locator

RETRY_TOKENS = 120  # kept free for the reason of a second attempt
MAX_REASON_CHARS = 240
SURE_CONFIDENCE = 0.9  # of the built-in reader's answer, which then needs no second opinion
MAX_ASKS_CHARS = 300
REFUSED_TEXT = "the generator finds no answer in the passages"
DISPUTED = "the generator and the built-in reader differ"
UNCONFIRMED = 0.5  # of a verified answer in another unit than is asked for: nothing else is known of it
CUT_OFF = {"cancelled": "it was stopped", "timeout": "it was cut off when its time was over"}


@dataclass(frozen=True, slots=True)
class Asking:
    """How a generator is asked. limits: None for those that suit answer_tokens."""

    strategy: str = "recap"
    context_tokens: int = 8192
    answer_tokens: int = 512
    seconds: float = 120.0
    seed: int = 0
    limits: Limits | None = None


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
    dialogue = _Dialogue(restated, base, built_in, generator, asking, on_text)
    try:
        answer = dialogue.answer()
    except MixragError as error:
        answer = _degrade(built_in, error.message)
    prompt = sum(each.prompt_tokens for each in dialogue.replies)
    reply = sum(each.reply_tokens for each in dialogue.replies)
    return replace(answer, tokens={**answer.tokens, "prompt": prompt, "reply": reply})


@dataclass(frozen=True, slots=True)
class _Dialogue:
    """One question put to one generator. replies: its own so far, also where the last ended in an error."""

    restated: Restated
    base: EvidenceBase
    built_in: Answer
    generator: Generator
    asking: Asking
    on_text: Callable[[str], None] | None
    replies: list[Reply] = field(default_factory=list)

    def answer(self) -> Answer:
        """The answer that the rule picks. Raises MixragError where the generator fails."""
        passages = self._packed()
        if not passages:
            return _degrade(self.built_in, self._too_small())
        examined, way = self._ask(passages)
        if way == "calculator" and examined.calculator is not None:
            return self._found(examined.calculator, "calculator", examined.asks)
        if way == "model" and examined.model is not None:
            return self._found(examined.model, "model", examined.asks)
        if way == "likely" and (finding := examined.calculator or examined.model) is not None:
            return self._disputed(finding)
        if way == "built-in":
            return _degrade(self.built_in, examined.reason)
        if "refused" in examined.facts:  # an honest answer, and the generator's own
            reason = self.built_in.text if self.built_in.status == "abstained" else REFUSED_TEXT
            return refusal(self.restated, self.base, reason)
        return _degrade(refusal(self.restated, self.base, self.built_in.text), examined.reason)

    # --- asking -----------------------------------------------------------------------------------------------------

    def _window(self) -> int:
        """Tokens of prompt and reply: the setting's, or the model's own."""
        return min(self.generator.context_tokens, self.asking.context_tokens)

    def _too_small(self) -> str:
        return (
            f"its window of {self._window():,} tokens is too small for a passage beside the instructions and a reply "
            f"of {self.asking.answer_tokens:,} (context_tokens, answer_tokens)"
        )

    def _packed(self) -> tuple[Passage, ...]:
        """The passages that fit, counted once more with all that the template adds."""
        room = self._window() - self.asking.answer_tokens - RETRY_TOKENS
        cited = [source.hit.chunk.id for source in self.built_in.sources]
        free = room - self.generator.count_prompt_tokens(self._messages(()))
        passages = pack_evidence(self.base, self.restated.whole.terms, cited, self.generator.count_tokens, free)
        while passages and self.generator.count_prompt_tokens(self._messages(passages)) > room:
            passages = passages[:-1]
        return passages

    def _messages(
        self, passages: Sequence[Passage], key: str = KEY_OF_COUNTING, reason: str = ""
    ) -> tuple[Message, ...]:
        question, reason = plain_text(self.restated.question), plain_text(reason, keep_newlines=False)
        text = user_text(key, passages_text(passages, key), question, reason)
        return Message("system", STRATEGIES[self.asking.strategy].system), Message("user", text)

    def _ask(self, passages: Sequence[Passage]) -> tuple[Examined, Way]:
        """Ask, examine and choose, at most twice."""
        asking, question = self.asking, self.restated.question
        limits = asking.limits or limits_for(asking.answer_tokens)
        schema = STRATEGIES[asking.strategy].schema([passage.id for passage in passages], limits)
        reason = ""
        # One for both attempts, so that a model's work on the passages is kept.
        key = draw_key([text for each in passages for text in (each.text, each.head)])
        for is_last in (False, True):
            request = Request(
                self._messages(passages, key, reason),
                schema,
                asking.answer_tokens,
                seed=asking.seed,
                seconds=asking.seconds,
                purpose=asking.strategy,
                nonce=key,
            )
            stream = AnswerStream(self.on_text, _permits(passages, question)) if self.on_text else None
            reply = self.generator.reply(request, stream.feed if stream else None)
            self.replies.append(reply)
            examined = _examined(reply, passages, question)
            dispute = self._dispute(examined.calculator or examined.model)
            can_retry = not is_last and reply.finish not in CUT_OFF
            way = choose(examined.facts | self._facts(is_disputed=bool(dispute), can_retry=can_retry))
            if way != "retry":
                break
            reason = (examined.reason or dispute)[:MAX_REASON_CHARS]
            if self.on_text and stream and stream.has_told:
                self.on_text("\n")  # what was told is void; the second attempt begins on a line of its own
        return examined, way

    def _dispute(self, finding: Finding | None) -> str:
        """What speaks against the reply's answer, in words for the next attempt; "" where nothing does.

        Another number than the built-in reader states, or a number without the unit that is asked for.
        """
        if finding is None or finding.value is None:
            return ""
        if self.restated.expects == "percent" and finding.unit not in PERCENT_UNITS:
            return "the question asks for a percentage"
        one, other = finding.value, self.built_in.value
        if self.built_in.status != "answered" or other is None:
            return ""
        is_same = is_rounding_of(one, other) or is_rounding_of(other, one)
        return "" if is_same else f"another reading of the tables gives {self.built_in.text}"

    def _facts(self, *, is_disputed: bool, can_retry: bool) -> frozenset[Fact]:
        is_answered = self.built_in.status == "answered"
        is_sure = is_answered and self.built_in.confidence >= SURE_CONFIDENCE
        return those_that_hold({"disputed": is_disputed, "retry": can_retry, "built-in": is_answered, "sure": is_sure})

    # --- the answer -------------------------------------------------------------------------------------------------

    def _found(self, finding: Finding, decider: Decider, asks: str) -> Answer:
        sources, evidence = _cite(finding)
        # What the question asks is the model's to say in its own words, as long as they say no number of its own.
        asks = defang(asks)[:MAX_ASKS_CHARS]
        is_own = bool(asks) and not unsupported_numbers(asks, (self.restated.question,))
        return replace(
            answer_to(self.restated, "answered", finding.text),
            asks=asks if is_own else self.restated.asks,
            value=finding.value,
            unit=unit_text(finding.unit, finding.scale),
            confidence=round(max(0.0, min(1.0, *(passage.hit.promise for passage in finding.passages))), 3),
            evidence=evidence,
            formula=finding.formula,
            sources=sources,
            present=finding.present,
            decided_by=decider,
        )

    def _disputed(self, finding: Finding) -> Answer:
        """What the built-in reader and the generator say, each where it stands; neither is stated."""
        sources, _ = _cite(finding)
        kind: CandidateKind = "computed" if finding.formula else "span"
        chance = round(1 - self.built_in.confidence, 3) if self.built_in.status == "answered" else UNCONFIRMED
        unit = unit_text(finding.unit, finding.scale)
        other = Candidate(kind, finding.text, chance, sources[0], finding.value, unit)
        shown = (*self.built_in.candidates[: N_LIKELY - 1], other)
        ordered = tuple(sorted(shown, key=lambda candidate: -candidate.probability))
        return replace(answer_to(self.restated, "likely", DISPUTED), candidates=ordered)


def _examined(reply: Reply, passages: Sequence[Passage], question: str) -> Examined:
    """What of the reply holds; of one that was cut off or does not end, that it was or does not."""
    if reply.finish == "cancelled":
        return Examined(reason=CUT_OFF[reply.finish])
    draft = text_to_draft(reply.text)
    examined = examine(draft, passages, question)
    if draft is None and repeats_itself(reply.text):
        return replace(examined, reason="it repeats itself without end")
    return replace(examined, reason=CUT_OFF.get(reply.finish, examined.reason))


def _permits(passages: Sequence[Passage], question: str) -> Callable[[str, str], bool]:
    """Whether the words of an answer may be shown before the whole is verified: only what the extracts bear."""

    @lru_cache(maxsize=2)  # what comes before the answer is the same for each of its words
    def known(before: str) -> tuple[tuple[str, ...], tuple[Decimal, ...]]:
        draft = text_to_draft(before)
        if draft is None:
            return (question,), ()
        pieces = verify_claims(draft.claims, passages).evidence.values()
        computed = examine(replace(draft, answer=""), passages, question).calculator
        values = (*(piece.value for piece in pieces), computed.value if computed else None)
        return (question, *texts_of(pieces)), tuple(value for value in values if value is not None)

    def permits(before: str, answer: str) -> bool:
        said, computed = known(before)
        return is_borne(answer, said, MIN_QUOTED_WORDS, computed)

    return permits


def _cite(finding: Finding) -> tuple[tuple[Source, ...], tuple[Evidence, ...]]:
    """One source a place, and the evidence with its source's number."""
    sources: dict[tuple[str, Locator, str], Source] = {}
    cited: list[Evidence] = []
    for piece, passage in zip(finding.evidence, finding.passages, strict=True):
        where = piece.locator or passage.hit.chunk.locator
        text = f"{piece.label}: {piece.quote}" if passage.table is not None else piece.quote
        source = Source(len(sources) + 1, passage.hit, where, text)
        source = sources.setdefault((passage.hit.chunk.id, where, text), source)
        cited.append(replace(piece, source=source.ref))
    return tuple(sources.values()), tuple(cited)


def _degrade(answer: Answer, reason: str) -> Answer:
    said = "the built-in reader answered" if answer.status == "answered" else "nothing else answered"
    return replace(answer, degraded=(*answer.degraded, f"generator: {defang(reason)[:MAX_REASON_CHARS]}; {said}"))
