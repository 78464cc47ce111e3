"""A draft reduced to facts (see choosing), with the answers that its formula and its own words would give.

claims ─► verified ─► formula: names and numbers known? units agree? value ─► the calculator's answer
                  └─► the draft's answer: a quoted number, or words that are quoted ─► the model's answer
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from mixrag_cli.recap.calculator import CalculationError, evaluate, operand_names
from mixrag_cli.recap.evidence import stems_of
from mixrag_cli.recap.generated.choosing import Fact
from mixrag_cli.recap.generated.defanging import defang
from mixrag_cli.recap.generated.drafts import Draft
from mixrag_cli.recap.generated.packing import Passage
from mixrag_cli.recap.generated.units import ResultUnit, UnitsDisagree, result_unit, shared_scale
from mixrag_cli.recap.generated.verifying import Verified, number_said, operand_for, told, verify_claims
from mixrag_cli.recap.present import number_text, rounded
from mixrag_cli.recap.support import unsupported_numbers
from mixrag_cli.records.answers import Evidence
from mixrag_cli.words import match_term, terms_of

# Numbers that a formula may hold without a source: counts of periods, per cent, scales, and lengths of time.
CONSTANTS = frozenset(map(Decimal, (*range(13), 24, 30, 52, 60, 90, 100, 360, 365, 366, 1_000, 10**6, 10**9)))
MIN_QUOTED_WORDS = 0.75  # of a text answer's words; the rest are joints that a fluent sentence needs
MIN_QUOTED_WORDS_PRESENTED = 0.6  # of the sentence around an answer that is itself verified
MAX_TEXT_EVIDENCE = 4  # pieces that a text answer cites
NUDGE = Decimal("1.137")  # by which an operand is changed to see whether the result depends on it
_YES_OR_NO = re.compile(r"^\W*(?:yes|no)\b\W*", re.IGNORECASE)
_NUMERAL = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*[A-Za-z_])")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_EQUATION = re.compile(r"([-+*/^().,%$€£×÷\d\s]*\d[\d.,%\s)]*)=")
_FILE_OR_HOST = re.compile(
    r"\b[\w-]{2,}\.(?:pdf|xlsx?|ods|csv|tsv|md|html?|docx?|pptx?|txt|json|ya?ml|ipynb|py|js|ts|c|h|rs|go|java|sh|exe|zip|"
    r"com|net|org|io|ai|dev|info|example|test)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """An answer that the evidence bears. passages: for each piece of evidence the passage it stands in."""

    text: str
    evidence: tuple[Evidence, ...]
    passages: tuple[Passage, ...]
    present: str = ""
    value: Decimal | None = None
    unit: str = ""
    scale: int = 1
    formula: str = ""


@dataclass(frozen=True, slots=True)
class Examined:
    """The facts of a draft, its two findings, and what was wrong with it, for the next attempt and for people."""

    facts: frozenset[Fact]
    calculator: Finding | None = None
    model: Finding | None = None
    reason: str = ""


class _FormulaRefused(Exception):
    """A formula cannot be used. quoted: whether its values are at least quoted; units: whether units were the cause."""

    def __init__(self, reason: str, *facts: Fact) -> None:
        super().__init__(reason)
        self.facts = facts


def examine(draft: Draft | None, passages: Sequence[Passage], question: str) -> Examined:
    """What of the draft holds. None is a reply in which no draft could be found."""
    if draft is None:
        return Examined(frozenset(), reason="it is no JSON object of the agreed form")
    if draft.refuses:
        return Examined(frozenset({"readable", "refused"}), reason="the model found no answer in the passages")
    facts: set[Fact] = {"readable"}
    verified = verify_claims(draft.claims, passages)
    draft = replace(draft, answer=defang(draft.answer, [piece.quote for piece in verified.evidence.values()]))
    reasons = list(verified.faults.values())
    if _is_numeric(draft.answer):
        facts.add("numeric")
    computed = None
    try:
        computed = _compute(draft, verified, question)
        facts |= {"formula", "quoted", "units"} if computed else set()
    except _FormulaRefused as refused:
        facts |= set(refused.facts)
        reasons.insert(0, str(refused))
    quoted = _quoted_number(draft, verified) or _quoted_text(draft, verified, question)
    if quoted is not None:
        facts.add("supported")
    else:
        reasons.append("the answer is neither quoted nor computed from quoted values")
    return Examined(frozenset(facts), computed, quoted, reasons[0] if reasons else "")


def _is_numeric(answer: str) -> bool:
    return not answer.strip() or any(sign.isdigit() for sign in answer)


# --- the calculator's answer ----------------------------------------------------------------------------------------


def _compute(draft: Draft, verified: Verified, question: str) -> Finding | None:
    """The formula's result; None where there is no formula, or one that names a single value and computes nothing."""
    formula = draft.formula or _formula_in_thoughts(draft, verified)
    if not formula or formula in verified.evidence:
        return None
    formula = _with_operands(formula, verified, question)
    names = _names_in(formula)
    for name in names:
        if name in verified.faults:
            raise _FormulaRefused(verified.faults[name], "formula")
        if name not in verified.evidence or verified.evidence[name].value is None:
            raise _FormulaRefused(f"the formula uses {told(name)}, for which no value was extracted")
    if not names:
        raise _FormulaRefused("the formula uses no extracted value")
    names = tuple(name for name in verified.evidence if name in names)  # in the order of extraction
    pieces = {name: verified.evidence[name] for name in names}
    unit = _unit_of(formula, pieces)
    value = _value_of(formula, pieces)
    scale = shared_scale(unit.unit, ((piece.unit, piece.scale) for piece in pieces.values())) if unit.keeps_scale else 1
    value = rounded(value / scale, unit.unit)
    renamed = {name: f"e{number}" for number, name in enumerate(names, 1)}
    evidence = tuple(replace(pieces[name], id=new) for name, new in renamed.items())
    shown = _NAME.sub(lambda found: renamed.get(found[0], found[0]), formula)
    text = number_text(value, unit.unit, scale)
    finding = Finding(
        text, evidence, tuple(verified.passages[name] for name in names), "", value, unit.unit, scale, shown
    )
    return replace(finding, present=_presentable(draft, finding, question))


def _names_in(formula: str) -> tuple[str, ...]:
    try:
        return operand_names(formula)
    except CalculationError as error:
        raise _FormulaRefused(f"the formula cannot be calculated: {error.message}") from error


def _with_operands(formula: str, verified: Verified, question: str) -> str:
    """The formula with numbers that were extracted replaced by their ids. Raises _FormulaRefused for other numbers."""
    asked = {Decimal(found) for found in _NUMERAL.findall(question)}

    def operand(found: re.Match[str]) -> str:
        number = Decimal(found.group())
        if number in CONSTANTS:
            return found.group()
        if name := operand_for(number, verified.evidence):
            return name
        if number in asked:
            return found.group()
        raise _FormulaRefused(f"the formula holds {found.group()}, which was not extracted")

    return _NUMERAL.sub(operand, formula)


def _unit_of(formula: str, pieces: Mapping[str, Evidence]) -> ResultUnit:
    try:
        return result_unit(formula, {name: piece.unit for name, piece in pieces.items()})
    except UnitsDisagree as error:
        raise _FormulaRefused("the formula adds values of different units", "formula", "quoted") from error


def _value_of(formula: str, pieces: Mapping[str, Evidence]) -> Decimal:
    """The result in base units. Raises _FormulaRefused where there is none or no operand has a part in it."""
    values = {name: (piece.value or Decimal(0)) * piece.scale for name, piece in pieces.items()}
    try:
        result = evaluate(formula, values)
        nudged = (evaluate(formula, {**values, name: values[name] * NUDGE + 1}) for name in values)
        depends = "count" in formula or any(other != result for other in nudged)
    except (CalculationError, InvalidOperation) as error:
        raise _FormulaRefused(f"the formula cannot be calculated: {error}", "quoted") from error
    if not depends:
        raise _FormulaRefused("the formula's result does not depend on the extracted values", "quoted")
    return result


def _formula_in_thoughts(draft: Draft, verified: Verified) -> str:
    """The calculation that the thoughts write out in numbers, where its result is the answer's; "" else."""
    found = ""
    for match in _EQUATION.finditer(draft.thoughts):
        plain = re.sub(r"[$€£]|(?<=\d),(?=\d{3})", "", match[1]).replace("×", "*").replace("÷", "/").strip(" .,%")
        try:
            if not re.search(r"\d\s*[-+*/^(]", plain):
                continue
            result = evaluate(plain, {})
        except CalculationError:
            continue
        if number_said(draft.answer, (result, result * 100)):
            found = plain
    return found


# --- the model's own answer -----------------------------------------------------------------------------------------


def _quoted_number(draft: Draft, verified: Verified) -> Finding | None:
    """The extracted number that the answer says, or that the formula names alone, as the document writes it."""
    for name, piece in verified.evidence.items():
        if piece.value is None:
            continue
        values = (piece.value, piece.value * piece.scale)
        if (draft.formula == name and not draft.answer) or number_said(draft.answer, values):
            text = number_text(piece.value, piece.unit, piece.scale)
            finding = Finding(
                text, (replace(piece, id="e1"),), (verified.passages[name],), "", piece.value, piece.unit, piece.scale
            )
            return replace(finding, present=_presentable(draft, finding, ""))
    return None


def _quoted_text(draft: Draft, verified: Verified, question: str) -> Finding | None:
    """The answer in the model's words, where its numbers and nearly all its words are quoted or asked."""
    names = list(verified.evidence)[:MAX_TEXT_EVIDENCE]
    evidence = tuple(replace(verified.evidence[name], id=f"e{number}") for number, name in enumerate(names, 1))
    text = draft.answer
    said = [*(piece.quote for piece in evidence), *(piece.label for piece in evidence), question]
    if not text or not evidence or not is_borne(text, said, MIN_QUOTED_WORDS):
        return None
    finding = Finding(text, evidence, tuple(verified.passages[name] for name in names))
    return replace(finding, present=_presentable(draft, finding, question))


def is_borne(text: str, said: Sequence[str], least: float, computed: Sequence[Decimal] = ()) -> bool:
    """Whether the texts say every number and file name of this one, and at least this part of its words."""
    if unsupported_numbers(text, said, computed):
        return False
    if any(name not in " ".join(said) for name in _FILE_OR_HOST.findall(text) or _names_of_files(text)):
        return False
    words = terms_of(_YES_OR_NO.sub("", text))
    words = tuple(word for word in words if not word.replace(".", "").isdigit())
    known = stems_of(" ".join(said))
    return sum(match_term(word, known) > 0 for word in words) >= least * len(words)


def _names_of_files(text: str) -> list[str]:
    return [found.group() for found in _FILE_OR_HOST.finditer(text)]


def _presentable(draft: Draft, finding: Finding, question: str) -> str:
    """The draft's sentence, where it says the verified answer and nothing that the evidence does not; "" else."""
    quotes = [piece.quote for piece in finding.evidence]
    text = defang(draft.present, quotes)
    said = [*quotes, *(piece.label for piece in finding.evidence), question, finding.text]
    computed = [value for value in (finding.value,) if value is not None]
    if not text or not is_borne(text, said, MIN_QUOTED_WORDS_PRESENTED, computed):
        return ""
    if finding.value is not None:
        says_value = any(not unsupported_numbers(str(number), (), computed) for number in _numbers(text))
        return text if says_value else ""
    return text


def _numbers(text: str) -> list[str]:
    return [found.replace(",", "") for found in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]
