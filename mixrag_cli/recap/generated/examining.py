"""A draft reduced to facts (see choosing), with the answers that its formula and its own words would give.

claims ─► verified ─► formula: names and numbers known? units agree? value ─► the calculator's answer
                  └─► the draft's answer: a quoted number, or words that are quoted ─► the model's answer
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from mixrag_cli.defanging import defang
from mixrag_cli.quantities.calculator import (
    CalculationError,
    evaluate,
    operand_names,
    parse_formula,
    plain_formula,
    replace_operands,
)
from mixrag_cli.quantities.formula_units import UnitsDisagree, result_unit
from mixrag_cli.quantities.said_numbers import is_rounding_of, numbers_in, says_number, unsupported_numbers
from mixrag_cli.quantities.shown import number_text, rounded
from mixrag_cli.recap.faithfulness import texts_of
from mixrag_cli.recap.generated.choosing import Fact, those_that_hold
from mixrag_cli.recap.generated.drafts import Draft
from mixrag_cli.recap.generated.packing import Passage
from mixrag_cli.recap.generated.verifying import Verified, told, verify_claims, written_forms
from mixrag_cli.records.answers import Evidence
from mixrag_cli.words import match_term, stems_of, terms_of

# Numbers that a formula may hold without a source: counts of periods, per cent, scales, and lengths of time.
CONSTANTS = frozenset(map(Decimal, (*range(13), 24, 30, 52, 60, 90, 100, 360, 365, 366, 1_000, 10**6, 10**9)))
MIN_QUOTED_WORDS = 0.75  # of a text answer's words; the rest are joints that a fluent sentence needs
MIN_QUOTED_WORDS_PRESENTED = 0.6  # of the sentence around an answer that is itself verified
MAX_TEXT_EVIDENCE = 4  # pieces that a text answer cites
NUDGE = Decimal("1.137")  # by which an operand is changed to see whether the result depends on it
ARITHMETIC = "0123456789.,%()[]+-*/^×·÷−–$€£ \n"  # the signs of a calculation that a text writes out


@dataclass(frozen=True, slots=True)
class Finding:
    """An answer that the evidence bears. passages: for each piece of evidence the passage it stands in."""

    text: str
    evidence: tuple[Evidence, ...] = ()
    passages: tuple[Passage, ...] = ()
    present: str = ""
    value: Decimal | None = None
    unit: str = ""
    scale: int = 1
    formula: str = ""


@dataclass(frozen=True, slots=True)
class Examined:
    """The facts of a draft, its two findings, and what was wrong with it, for the next attempt and for people.

    asks: what the question asks in the model's words, as it says it.
    """

    facts: frozenset[Fact] = frozenset()
    calculator: Finding | None = None
    model: Finding | None = None
    reason: str = ""
    asks: str = ""


class _FormulaRefused(Exception):
    """A formula cannot be used."""


def examine(draft: Draft | None, passages: Sequence[Passage], question: str) -> Examined:
    """What of the draft holds. None is a reply in which no draft could be found."""
    if draft is None:
        return Examined(reason="it is no JSON object of the agreed form")
    if draft.refuses:
        return Examined(frozenset({"refused"}), reason="the model found no answer in the passages")
    verified = verify_claims(draft.claims, passages)
    draft = replace(draft, answer=defang(draft.answer, [piece.quote for piece in verified.evidence.values()]))
    examiner = _Examiner(draft, verified, question)
    reasons = list(verified.faults.values())
    computed = None
    try:
        computed = examiner.computed()
    except UnitsDisagree:
        reasons.insert(0, "the formula adds values of different units")
    except (CalculationError, InvalidOperation) as error:
        reasons.insert(0, f"the formula cannot be calculated: {error}")
    except _FormulaRefused as refused:
        reasons.insert(0, str(refused))
    own = examiner.quoted_number() or examiner.quoted_text()
    if own is None:
        reasons.append("the answer is neither quoted nor computed from quoted values")
    is_numeric = not draft.answer or any(sign.isdigit() for sign in draft.answer)
    facts = those_that_hold({"computed": computed is not None and is_numeric, "supported": own is not None})
    return Examined(facts, computed, own, next(iter(reasons), ""), draft.asks)


@dataclass(frozen=True, slots=True)
class _Examiner:
    """One draft beside what of its claims holds."""

    draft: Draft
    verified: Verified
    question: str

    def computed(self) -> Finding | None:
        """The formula's result; None where there is no formula, or one that names a single value and computes nothing.

        Raises _FormulaRefused, UnitsDisagree, CalculationError, and InvalidOperation of a result too long to show.
        """
        formula = self.draft.formula or self._formula_in_thoughts()
        known = self.verified.evidence
        if not formula or formula in known:
            return None
        formula = replace_operands(formula, self._operand)
        named = operand_names(formula)
        for name in named:
            if name in self.verified.faults:
                raise _FormulaRefused(self.verified.faults[name])
            if name not in known or known[name].value is None:
                raise _FormulaRefused(f"the formula uses {told(name)}, for which no value was extracted")
        if not named:
            raise _FormulaRefused("the formula uses no extracted value")
        names = [name for name in known if name in named]  # in the order of extraction
        result = result_unit(formula, {name: known[name].unit for name in names})
        # Shown in the finest scale among the operands of its own or of no stated unit.
        scales = [known[name].scale for name in names if known[name].unit in (result.unit, "")]
        scale = min(scales, default=1) if result.keeps_scale else 1
        value = rounded(self._value_of(formula, names) / scale, result.unit)
        ids = {name: f"e{number}" for number, name in enumerate(names, 1)}
        shown = replace_operands(formula, lambda part: ids.get(part, part))
        text = number_text(value, result.unit, scale)
        return self._cited(names, Finding(text, value=value, unit=result.unit, scale=scale, formula=shown))

    def quoted_number(self) -> Finding | None:
        """The extracted number that the answer says, or that the formula names alone, as the document writes it."""
        for name, piece in self.verified.evidence.items():
            is_named = self.draft.formula == name and not self.draft.answer
            if piece.value is not None and (is_named or says_number(self.draft.answer, written_forms(piece))):
                text = number_text(piece.value, piece.unit, piece.scale)
                return self._cited([name], Finding(text, value=piece.value, unit=piece.unit, scale=piece.scale))
        return None

    def quoted_text(self) -> Finding | None:
        """The answer in the model's words, where its numbers and nearly all its words are quoted or asked."""
        finding = self._cited([*self.verified.evidence][:MAX_TEXT_EVIDENCE], Finding(self.draft.answer))
        is_said = is_borne(finding.text, (*texts_of(finding.evidence), self.question), MIN_QUOTED_WORDS)
        return finding if finding.text and finding.evidence and is_said else None

    def _cited(self, names: Sequence[str], finding: Finding) -> Finding:
        """The finding with the pieces of these names as its evidence, and the draft's sentence about it."""
        evidence = tuple(replace(self.verified.evidence[name], id=f"e{number}") for number, name in enumerate(names, 1))
        passages = tuple(self.verified.passages[name] for name in names)
        present = self._presented(evidence, finding.text, finding.value)
        return replace(finding, evidence=evidence, passages=passages, present=present)

    def _presented(self, evidence: Sequence[Evidence], answer: str, value: Decimal | None) -> str:
        """The draft's sentence, where it says the verified answer and nothing that the evidence does not; "" else."""
        text = defang(self.draft.present, [piece.quote for piece in evidence])
        computed = () if value is None else (value,)
        says_value = value is None or any(is_rounding_of(number, abs(value)) for number in numbers_in(text))
        said = (*texts_of(evidence), self.question, answer)
        return text if says_value and is_borne(text, said, MIN_QUOTED_WORDS_PRESENTED, computed) else ""

    def _operand(self, part: str) -> str:
        """A formula's number as the id of the one piece that says it. Raises _FormulaRefused for one from nowhere."""
        if part[0].isalpha() or (number := Decimal(part)) in CONSTANTS:
            return part
        saying = [name for name, piece in self.verified.evidence.items() if number in map(abs, written_forms(piece))]
        if len(saying) == 1:
            return saying[0]
        if number in numbers_in(self.question):
            return part
        raise _FormulaRefused(f"the formula holds {part}, which was not extracted")

    def _value_of(self, formula: str, names: Sequence[str]) -> Decimal:
        """The result in base units. Raises _FormulaRefused where no operand has a part in it."""
        values = {name: written_forms(self.verified.evidence[name])[1] for name in names}
        result = evaluate(formula, values)
        nudged = (evaluate(formula, {**values, name: values[name] * NUDGE + 1}) for name in values)
        if "count" not in formula and all(other == result for other in nudged):
            raise _FormulaRefused("the formula's result does not depend on the extracted values")
        return result

    def _formula_in_thoughts(self) -> str:
        """The calculation that the thoughts write out in numbers, where its result is the answer's; "" else."""
        found = ""
        for left in self.draft.thoughts.split("=")[:-1]:
            formula = plain_formula(left[len(left.rstrip(ARITHMETIC)) :]).strip(" .,%")
            try:
                results = [evaluate(formula, {}) * factor for factor in (1, 100)]
                is_calculation = parse_formula(formula).kind == "operation"
            except CalculationError:
                continue
            if is_calculation and says_number(self.draft.answer, results):
                found = formula
        return found


def is_borne(text: str, said: Sequence[str], least: float, computed: Sequence[Decimal] = ()) -> bool:
    """Whether the texts say every number and file name of this one, and at least this part of its words."""
    whole = " ".join(said)
    if unsupported_numbers(text, said, computed) or any(name not in whole for name in _dotted(text)):
        return False
    words = [word for word in terms_of(text) if word != "yes" and not word.replace(".", "").isdigit()]
    known = stems_of(whole)
    return sum(match_term(word, known) > 0 for word in words) >= least * len(words)


def _dotted(text: str) -> list[str]:
    """The names of files and hosts. Example: "see audit.pdf, i.e. page 2.5" -> ["audit.pdf"]."""
    found = []
    for word in text.split():
        head, _, tail = word.strip(".,;:!?'\"()").rpartition(".")
        if len(head) > 1 and tail[:1].isalpha():
            found.append(f"{head}.{tail}")
    return found
