"""An answer, with what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from mixrag_cli.records.passages import Hit
from mixrag_cli.records.places import Locator

FaithfulnessLevel = Literal["high", "borderline", "risk"]
Decider = Literal["built-in", "calculator", "model"]
Grade = Literal["answered", "likely", "abstained"]
CandidateKind = Literal["cell", "fact", "span", "sentence", "passage", "column", "computed"]

STRETCHES: tuple[CandidateKind, ...] = ("passage", "sentence")  # of text that hold an answer, and are none word by word
PASSAGES: tuple[CandidateKind, ...] = (*STRETCHES, "span")
DERIVED: tuple[CandidateKind, ...] = ("computed", "column")  # from several cells: the value may stand in no passage
LIST_SIGN = "; "  # between the values of a list
N_LIKELY = 3  # candidates that are shown, from different places


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quoted piece that an answer rests on.

    id: "e1", "e2", …, as formulas name it. source: index into Answer.sources, from 1. quote: verbatim from
    the source. value: the number in it, as written; scale: its multiplier to base units.
    """

    id: str
    source: int
    quote: str
    label: str
    value: Decimal | None = None
    unit: str = ""
    scale: int = 1
    locator: Locator | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A cited passage: the hit and the narrower place in it that the answer uses."""

    ref: int
    hit: Hit
    locator: Locator
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may be the answer, in the passage that it stands in.

    text: what it would answer; of a passage the sentence that decides. probability: calibrated, of being right. source:
    its text is the passage as it is shown. marks: [start, end) of the deciding words in source.text. evidence, formula:
    what it rests on.
    """

    kind: CandidateKind
    text: str
    probability: float
    source: Source
    value: Decimal | None = None
    unit: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    evidence: tuple[Evidence, ...] = ()
    formula: str = ""


@dataclass(frozen=True, slots=True)
class Spot:
    """A candidate's kind, the ids of its passage, of that one's table ("" for none) and document, and its place.

    said: what it answers, apart from how it is written.
    """

    kind: CandidateKind
    chunk: str
    table: str
    document: str
    place: Locator
    said: str = ""

    def is_beside(self, other: Spot) -> bool:
        """Whether who looks at the one sees the other: the same answer, of one passage, or a cell and its table, but
        not another row; what is derived is seen in no passage."""
        if self.said and self.said == other.said:
            return True
        if self.kind in DERIVED or other.kind in DERIVED:
            return False
        if self.kind not in PASSAGES and other.kind not in PASSAGES:
            return self.document == other.document and self.place == other.place
        if self.chunk == other.chunk:
            return True
        return self.table == other.table != "" and not self.place.is_apart(other.place)


@dataclass(frozen=True, slots=True)
class Check:
    """One exact check of an answer. name: "numbers", "citations" or "quotes"; failed: those that did not hold."""

    name: str
    checked: int
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """How far an answer rests on what it cites. score: cosine of answer and context, in [-1, 1]."""

    score: float
    level: FaithfulnessLevel
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its RECAP steps; or, where none is sure enough to state, what probably holds it; or neither.

    text: the answer; else the reason for not stating one. value, unit: of a numeric answer. present: the answer as a
    sentence, "" where text is all there is to say. decided_by: whose answer it is. confidence: the calibrated
    probability that the answer is right. candidates: likeliest first, from different places; of a stated answer the
    first is what it says. best: of a likely one what it would state, at that confidence; a passage that shows where the
    answer stands may be likelier.
    """

    question: str
    status: Grade
    text: str
    kind: str
    asks: str
    value: Decimal | None = None
    unit: str = ""
    confidence: float = 0.0
    evidence: tuple[Evidence, ...] = ()
    formula: str = ""
    sources: tuple[Source, ...] = ()
    refused: tuple[Hit, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    best: Candidate | None = None
    present: str = ""
    decided_by: Decider = "built-in"
    faithfulness: Faithfulness | None = None
    degraded: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    models: Mapping[str, str] = field(default_factory=dict)
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    tokens: Mapping[str, int] = field(default_factory=dict)

    @property
    def guess(self) -> Candidate | None:
        """Of a likely answer what a script that wants guesses is given; None of any other."""
        return (self.best or next(iter(self.candidates), None)) if self.status == "likely" else None

    @property
    def result(self) -> Decimal | None:
        """What the formula comes to; None where nothing was computed."""
        return self.value if self.formula else None
