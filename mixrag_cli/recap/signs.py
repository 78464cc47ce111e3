"""Signs: what tells whether a candidate is right, the same few for every kind of candidate.

None of them is a rule. Each is a number, 0 where it says nothing; what it is worth, for each kind of candidate, is
fitted on questions that the trained reader never saw (grading.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import get_args

import numpy as np
import numpy.typing as npt

from mixrag_cli.quantities.facets import facets_of
from mixrag_cli.quantities.shown import number_text, unit_text
from mixrag_cli.reading import log_odds
from mixrag_cli.recap.evidence import EvidenceBase, surroundings_of
from mixrag_cli.recap.restate import Operation, Restated
from mixrag_cli.recap.wording import PERCENT_UNITS
from mixrag_cli.records.answers import STRETCHES, Candidate, CandidateKind, Evidence, Source, Spot
from mixrag_cli.words import match_term, stems_of

KINDS: tuple[CandidateKind, ...] = get_args(CandidateKind)

# holds, pair, span, sentence: what the trained reader says of the passage, of the cell or fact, of the words; _lead:
# how far that is above the best of another place. alone, alone_span: what the reader says of the deciding sentence, or
# of the label, by itself: that it answers, and that some span of it does, in log odds. listwise: the log probability
# that the answer stands in it, of the likeliest ones read in one window. words: of the sentence or label. around: with
# headings, title and path. unsaid: the weight of the heaviest term said nowhere. names_, years_, numbers_unsaid: of
# those asked for. promise, near, match, rank: of the passage in retrieval: what is promised, by meaning, by words as a
# part of all that they can reach, its place. coverage, cell: of a table's own reading. number: a number where one is
# asked for (1), or the opposite (-1). asked, done: how likely an answer of this form is asked for, and what was done to
# get it. none: log probability that no passage holds an answer; held: the most that any of them holds. quoted: of a
# cell or fact, the log probability of the spans that read the same in its place; of a span, how surely a cell or fact
# that reads the same is meant. length: of the answer, as a logarithm. agreement: how many other places say the same.
# accepted: whether the passage passes retrieval's threshold. terms: how much the question says. text_asked: how likely
# a passage answers it, not one value. documents: of how many documents passages were found, as a logarithm: of one that
# a person names, the best cell is meant more often than of fifty. worded: of a formula, whether words name its
# operands; tried: how many were likelier.
SIGNS = (
    "holds", "holds_lead", "alone", "alone_lead", "alone_span", "alone_span_lead", "pair", "pair_lead", "span",
    "span_lead", "sentence", "sentence_lead", "words", "around", "unsaid", "names_unsaid",
    "years_unsaid", "numbers_unsaid", "promise", "promise_lead", "near", "near_lead", "match", "match_lead", "rank",
    "coverage", "cell", "number", "asked", "done", "none", "held", "quoted", "length", "agreement", "accepted",
    "terms", "text_asked", "documents", "listwise", "listwise_lead", "worded", "tried",
)  # fmt: skip
OF_ANSWERS = ("pair", "span")  # signs that tell answers apart; the others tell passages apart
LEADS = (*OF_ANSWERS, "listwise", "holds", "alone", "alone_span", "sentence", "promise", "near", "match")
# What restating calls an operation, as the trained reader calls it.
DOES: Mapping[Operation, tuple[str, ...]] = {
    "lookup": ("lookup", "list"),
    "count": ("count",),
    "sum": ("sum",),
    "average": ("average",),
    "difference": ("difference",),
    "change_percent": ("percent_change",),
    "ratio": ("ratio",),
    "share": ("ratio",),
    "maximum": ("argmax", "max"),
    "minimum": ("argmin", "min"),
}
MAX_LEAD = 6.0  # logits; a candidate without a rival has it
MAX_AGREEING = 3
SAID = 0.5  # of a match, from which on a term counts as said
MOST_TERMS = 12


@dataclass(frozen=True, slots=True)
class Draft:
    """A candidate before it has a probability. evidence, formula: what a stated answer rests on. operation: what was
    done to get it."""

    kind: CandidateKind
    text: str
    source: Source
    signs: Mapping[str, float]
    value: Decimal | None = None
    unit: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    evidence: tuple[Evidence, ...] = ()
    sources: tuple[Source, ...] = ()
    formula: str = ""
    operation: Operation = "lookup"

    @property
    def chunk(self) -> str:
        """The id of the passage that it stands in."""
        return self.source.hit.chunk.id

    @property
    def spot(self) -> Spot:
        """Where it stands."""
        chunk = self.source.hit.chunk
        return Spot(self.kind, chunk.id, chunk.parent, chunk.document, self.source.locator, self.said)

    @property
    def said(self) -> str:
        """What it answers, apart from how it is written."""
        return f"{self.value.normalize():f}" if self.value is not None else " ".join(self.text.casefold().split())

    def with_signs(self, more: Mapping[str, float]) -> Draft:
        """The draft with further signs, or others in place of those of the same name."""
        return replace(self, signs={**self.signs, **more})

    def with_value(self, value: Decimal, unit: str, scale: int) -> Draft:
        """The draft, of one piece of evidence, as a number: what it says and what it rests on."""
        proof = replace(self.evidence[0], value=value, unit=unit, scale=scale)
        text, unit = number_text(value, unit, scale, self.text), unit_text(unit, scale)
        return replace(self, text=text, value=value, unit=unit, evidence=(proof,))

    def as_candidate(self, probability: float) -> Candidate:
        """The record that people and scripts see."""
        shown = (self.kind, self.text, probability, self.source, self.value, self.unit, self.marks)
        return Candidate(*shown, self.evidence, self.formula)


def said_signs(restated: Restated, base: EvidenceBase, source: Source, text: str) -> dict[str, float]:
    """What of the question a text says by itself and with what stands around it."""
    hit = source.hit
    terms, names = restated.whole.terms, restated.names
    years = frozenset().union(*(operand.facets.years for operand in (restated.whole, *restated.operands)))
    around, around_facets = surroundings_of(hit, base.tables.get(hit.chunk.parent))
    own = stems_of(text)
    near = (*own, *stems_of(hit.chunk.text), *around)
    said_near = [match_term(term, near) for term in terms]
    lost = [term for term, said in zip(terms, said_near, strict=True) if said < SAID]
    total = sum(base.weight(term) for term in terms) or 1.0
    return {
        "words": base.part_said(terms, [match_term(term, own) for term in terms]),
        "around": base.part_said(terms, said_near),
        "unsaid": max(map(base.weight, lost), default=0.0) / total,
        "names_unsaid": float(len(names.intersection(lost))),
        "years_unsaid": float(len(years - facets_of(f"{text} {hit.chunk.text}").years - around_facets.years)),
        "numbers_unsaid": float(sum(any(map(str.isdecimal, term)) for term in lost)),
        "terms": min(len(terms), MOST_TERMS) / MOST_TERMS,
    }


def retrieval_signs(base: EvidenceBase, source: Source) -> dict[str, float]:
    """What retrieval thinks of the passage."""
    hit = source.hit
    rank = next((n for n, other in enumerate(base.hits) if other.chunk.id == hit.chunk.id), len(base.hits))
    return {
        "promise": log_odds(hit.promise),
        "near": hit.scores.get("meaning", 0.0),
        "match": hit.scores.get("words", 0.0) / hit.ceiling if hit.ceiling else 0.0,
        "rank": math.log1p(rank),
        "accepted": float(hit.accepted_by is not None),
    }


def number_sign(restated: Restated, value: Decimal | None, unit: str = "") -> float:
    """1 for a number where one is asked for, -1 for one where none is or for none where one is, else 0.

    Where a percentage is asked for, a number without a unit is half of one, and one with another unit the opposite.
    """
    if restated.expects == "percent" and value is not None and unit not in PERCENT_UNITS:
        return -1.0 if unit else 0.5
    if restated.expects in ("number", "percent"):
        return 1.0 if value is not None else -1.0
    return -1.0 if value is not None and restated.expects in ("text", "code", "label") else 0.0


def asked_sign(draft: Draft, wanted: Mapping[str, float]) -> float:
    """How likely an answer of the draft's form is asked for. wanted: a trained reader's probability of each form."""
    if draft.kind == "passage":
        forms: tuple[str, ...] = ("passage", "yes-no", "code")
    elif draft.kind == "sentence":
        forms = ("number", "name", "date", "yes-no")
    else:
        forms = ("number",) if draft.value is not None else ("name", "date", "code")
    return sum(wanted.get(form, 0.0) for form in forms)


def done_sign(draft: Draft, wanted: Mapping[str, float]) -> float:
    """How likely what was done is asked for. wanted: a trained reader's probability of each operation."""
    return sum(wanted.get(name, 0.0) for name in DOES[draft.operation])


def compare(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts with what only shows among all of them: leads over other places, and who else says the same."""
    answers, chunks = _numbered(draft.said for draft in drafts), _numbered(draft.chunk for draft in drafts)
    are_apart, differ = chunks[:, None] != chunks, answers[:, None] != answers
    is_value = np.array([draft.kind not in STRETCHES for draft in drafts], bool)
    differ_in_value = np.where(is_value[:, None], differ & is_value, are_apart)
    found = [{"agreement": float(min(len(set(chunks[same])), MAX_AGREEING))} for same in are_apart & ~differ]
    for name in LEADS:
        rivals = differ_in_value if name in OF_ANSWERS else are_apart
        values = np.array([draft.signs.get(name, -np.inf) for draft in drafts])
        for n in np.flatnonzero(values > -np.inf):
            lead = float(values[n] - values[rivals[n]].max(initial=-np.inf))  # endless without a rival
            found[n][f"{name}_lead"] = max(min(lead, MAX_LEAD), -MAX_LEAD)
    return [draft.with_signs(signs) for draft, signs in zip(drafts, found, strict=True)]


def _numbered(names: Iterable[str]) -> npt.NDArray[np.intp]:
    """Numbers for names, the same for the same name."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], np.intp)
