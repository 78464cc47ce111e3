"""The built-in reader: RECAP (restate, extract, compute, answer, present) without a language model.

    restate   the kind of question, its operation and operands               restate.py
    extract   cells through their header paths, numbers and sentences        cells.py, columns.py, sentences.py
    compute   a formula over the extracted values, by the calculator         compute.py
    answer    the best supported of the candidates, or none                  this module
    present   with unit, scale and citation, or an honest refusal            present.py

It never states a number that is not quoted from a source or computed from quoted numbers.
Source: MixRAG, section 4.3 (the five steps and the external calculator).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from mixrag_cli.recap.cells import CellMatch, match_cells, unasked_part
from mixrag_cli.recap.columns import match_column
from mixrag_cli.recap.compute import Computed, compute, formula_for
from mixrag_cli.recap.conditions import along_periods, passes
from mixrag_cli.recap.definitions import match_definitions
from mixrag_cli.recap.evidence import EvidenceBase, is_supported
from mixrag_cli.recap.language import SYNONYM_MATCH, date_text, facets_of, match_term, stem, terms_of
from mixrag_cli.recap.present import number_text, rounded, unit_text
from mixrag_cli.recap.restate import Condition, Operand, Restated
from mixrag_cli.recap.sentences import NumberMatch, SentenceMatch, match_numbers, match_sentences
from mixrag_cli.recap.spans import answer_span
from mixrag_cli.recap.tallies import ColumnMatch
from mixrag_cli.records import Answer, Evidence, Header, Source
from mixrag_cli.tables.places import locate_cells

# Acceptance of the first version, in parts of the question's weight that the evidence says; set on the development
# collection. Calibration replaces them by thresholds fitted to each source.
MIN_CELL_COVERAGE = 0.62
MIN_NUMBER_COVERAGE = 0.6
MIN_SENTENCE_COVERAGE = 0.55
MIN_SENTENCE_SIMILARITY = 0.3  # below it a sentence shares words with the question by chance
SURE_COVERAGE = 0.9  # a cell that says this much needs no second opinion from the running text
MIN_TIME = -0.3  # evidence that speaks of another time is no evidence
SAME_TABLE_BONUS = 0.15  # two operands of one formula from one table,
SAME_ROW_BONUS = 0.2  # in rows of one name (another period) or columns of one name (another item)
MAX_ANSWER_CHARS = 500
NOT_FOUND = "not found"
# A cell is quoted as the result of an operation only where it is surely that, else the result is computed.
MIN_RESULT_COVERAGE = 0.8
MAX_UNASKED_OF_RESULT = 0.4
_RESULT_WORDS = {"share": "percent", "average": "average", "change_percent": "change"}
_CHANGE = re.compile(r"\b(?:increase|decrease|change|growth|decline|reduction)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A candidate answer: what it says, what it rests on, and how good it is."""

    text: str
    score: float
    coverage: float
    evidence: tuple[Evidence, ...]
    sources: tuple[Source, ...]
    value: Decimal | None = None
    unit: str = ""
    formula: str = ""


def read_answer(restated: Restated, base: EvidenceBase) -> Answer:
    """Answer the restated question from the evidence, or abstain and say why."""
    candidates = [piece for piece in _candidates(restated, base) if piece is not None]
    best = max(candidates, key=lambda piece: piece.score, default=None)
    if best is None:
        return _abstain(restated, base)
    return Answer(
        question=restated.question,
        status="answered",
        text=best.text,
        kind=restated.kind,
        asks=restated.asks,
        value=best.value,
        unit=best.unit,
        confidence=round(min(max(best.coverage, 0.0), 1.0), 3),
        evidence=best.evidence,
        formula=best.formula,
        result=best.value if best.formula else None,
        sources=best.sources,
    )


def _candidates(restated: Restated, base: EvidenceBase) -> list[_Piece | None]:
    if restated.condition is not None:
        return [_from_condition(restated.condition, restated, base)]
    if restated.operation == "lookup":
        return _tallied_or(_lookups(restated, base), restated, base)
    quoted = _quoted_change(restated, base) or _quoted_result(restated, base)
    if quoted is not None:
        return [quoted]
    if len(restated.operands) >= 2:
        return [_from_operands(restated, base)]
    if restated.operation == "share":
        return [_from_cell(restated, base)]
    if restated.operation in ("average", "sum", "maximum", "minimum", "count"):
        return [_from_column(restated, base)] if restated.kind == "aggregate" else []
    return []


def _tallied_or(found: list[_Piece | None], restated: Restated, base: EvidenceBase) -> list[_Piece | None]:
    """What a lookup found, or a tally over records where that says all of the question and no other table says as much.

    One row of a table of records is no answer to "how many orders" or "the total quantity".
    """
    tallied = _from_column(restated, base)
    if tallied is None or (tallied.formula and tallied.coverage < SURE_COVERAGE):
        return found
    document = tallied.sources[0].hit.chunk.document
    others = [piece for piece in found if piece is not None and piece.sources[0].hit.chunk.document != document]
    return [tallied] if all(piece.coverage < tallied.coverage for piece in others) else found


def _lookups(restated: Restated, base: EvidenceBase) -> list[_Piece | None]:
    if len(restated.operands) > 1:  # one number for several periods would be right for one of them at most
        return [_from_each(restated, base) or _from_sentence(restated, base)]
    if restated.expects in ("number", "percent"):
        return [_from_cell(restated, base), _from_number(restated, base)]
    if restated.expects == "any":
        cell = _from_cell(restated, base)
        return [cell] if cell is not None and cell.coverage >= SURE_COVERAGE else [cell, _from_sentence(restated, base)]
    if restated.expects == "code":
        return [_from_definition(restated, base)]
    return [_from_definition(restated, base), _from_sentence(restated, base)]


# --- the candidates -----------------------------------------------------------------------------------------------


def _from_cell(restated: Restated, base: EvidenceBase) -> _Piece | None:
    for match in match_cells(restated.whole, base, restated.names, restated.expects):
        if _is_accepted(match.coverage, match.time, MIN_CELL_COVERAGE):
            return _cell_piece(match)
    return None


def _cell_piece(match: CellMatch) -> _Piece:
    value, unit, scale = match.cell.value, match.cell.unit, match.cell.scale
    text = number_text(value, unit, scale) if value is not None else match.cell.text
    evidence = _cell_evidence("e1", 1, match)
    source = _cell_source(1, match)
    return _Piece(text, match.score, match.coverage, (evidence,), (source,), value, unit_text(unit, scale))


def _from_each(restated: Restated, base: EvidenceBase) -> _Piece | None:
    """One cell for each period asked for, of like kind, as a list that names the periods without any."""
    choices = [_operand_cells(operand, restated, base) for operand in restated.operands]
    found = [options for options in choices if options]
    if not found:
        return None
    chosen = _choose_together(found)
    if len({(match.table.id, match.cell.row, match.cell.column) for match in chosen}) < len(chosen):
        return None
    pieces = [_cell_piece(match) for match in chosen]
    texts = iter(pieces)
    said = (next(texts).text if options else NOT_FOUND for options in choices)
    whens = (_period_text(operand) for operand in restated.operands)
    return _Piece(
        "; ".join(f"{when}: {text}" for when, text in zip(whens, said, strict=True)),
        min(piece.score for piece in pieces),
        min(piece.coverage for piece in pieces),
        tuple(_cell_evidence(f"e{n}", n, match) for n, match in enumerate(chosen, start=1)),
        tuple(_cell_source(n, match) for n, match in enumerate(chosen, start=1)),
        unit=pieces[0].unit if len({piece.unit for piece in pieces}) == 1 else "",
    )


def _period_text(operand: Operand) -> str:
    full = [date for date in sorted(operand.facets.dates) if date[2]]
    return date_text(full[0]) if full else " ".join(map(str, sorted(operand.facets.years)))


def _from_condition(condition: Condition, restated: Restated, base: EvidenceBase) -> _Piece | None:
    """The periods whose values pass the limit: their number, or their labels."""
    matches = match_cells(condition.operand, base, restated.names & set(condition.operand.terms), "number", limit=1)
    if not matches or not _is_accepted(matches[0].coverage, matches[0].time, MIN_CELL_COVERAGE):
        return None
    passing = [match for match in along_periods(matches[0], condition.years) if passes(match.cell, condition)]
    if not passing:
        return None
    evidence = tuple(_cell_evidence(f"e{n}", n, match) for n, match in enumerate(passing, start=1))
    sources = tuple(_cell_source(n, match) for n, match in enumerate(passing, start=1))
    score, coverage = matches[0].score, matches[0].coverage
    if restated.expects == "label":
        labels = [_label_of(match.column, match.table.columns, restated) for match in passing]
        return _Piece("; ".join(labels), score, coverage, evidence, sources)
    formula = f"count({', '.join(piece.id for piece in evidence)})"
    return _Piece(str(len(passing)), score, coverage, evidence, sources, Decimal(len(passing)), "", formula)


def _from_number(restated: Restated, base: EvidenceBase) -> _Piece | None:
    sentences = match_sentences(restated.whole, base, restated.names)
    in_time = [match for match in sentences if match.time > MIN_TIME]
    wants_percent = restated.expects == "percent"
    numbers = match_numbers(restated.whole, in_time, wants_percent=wants_percent, min_coverage=MIN_NUMBER_COVERAGE)
    return _number_piece(numbers[0]) if numbers else None


def _number_piece(match: NumberMatch) -> _Piece:
    value = match.value
    assert value.value is not None
    sentence = match.sentence
    evidence = Evidence(
        "e1", 1, _shorten(sentence.text), match.quote, value.value, value.unit, value.scale, sentence.locator
    )
    source = Source(1, sentence.hit, sentence.locator, _shorten(sentence.text))
    text = number_text(value.value, value.unit, value.scale)
    unit = unit_text(value.unit, value.scale)
    return _Piece(text, match.score, sentence.coverage, (evidence,), (source,), value.value, unit)


def _from_sentence(restated: Restated, base: EvidenceBase) -> _Piece | None:
    """The best sentence; where the question asks several things, the best for each of them."""
    found = [(part, match) for part in restated.parts if (match := _best_sentence(part, restated, base)) is not None]
    if not found:
        return None
    chosen = {(match.hit.chunk.id, match.start): (part, match) for part, match in found}
    pieces = [_sentence_piece(part, match) for part, match in chosen.values()]
    if len(pieces) == 1:
        return pieces[0]
    evidence = tuple(replace(piece.evidence[0], id=f"e{n}", source=n) for n, piece in enumerate(pieces, start=1))
    sources = tuple(replace(piece.sources[0], ref=n) for n, piece in enumerate(pieces, start=1))
    text = " ".join(piece.text for piece in pieces)
    score = max(piece.score for piece in pieces)
    return _Piece(text, score, min(piece.coverage for piece in pieces), evidence, sources)


def _best_sentence(part: Operand, restated: Restated, base: EvidenceBase) -> SentenceMatch | None:
    for match in match_sentences(part, base, restated.names & set(part.terms), prefers_prose=True):
        is_near = match.time > MIN_TIME and match.similarity >= MIN_SENTENCE_SIMILARITY
        if is_near and is_supported(match.coverage, match.similarity, MIN_SENTENCE_COVERAGE):
            return match
    return None


def _sentence_piece(asked: Operand, match: SentenceMatch) -> _Piece:
    text = _shorten(match.text)
    evidence = Evidence("e1", 1, text, match.hit.chunk.context, locator=match.locator)
    span = answer_span(asked.text, text)
    return _Piece(span, match.score, match.coverage, (evidence,), (Source(1, match.hit, match.locator, text),))


def _from_definition(restated: Restated, base: EvidenceBase) -> _Piece | None:
    for match in match_definitions(restated.whole, base, restated.names):
        if match.coverage >= MIN_SENTENCE_COVERAGE:
            text = f"{match.name}: {match.summary}" if match.summary else match.name
            where = match.hit.chunk.locator
            evidence = Evidence("e1", 1, match.signature, match.name, locator=where)
            source = Source(1, match.hit, where, match.hit.chunk.text)
            return _Piece(text, match.score, match.coverage, (evidence,), (source,))
    return None


def _quoted_change(restated: Restated, base: EvidenceBase) -> _Piece | None:
    """The cell of a row that is itself the change ("Net decrease in cash"), where one period of it is asked for."""
    asked = _CHANGE.search(restated.question)
    if restated.operation != "difference" or asked is None or len(restated.whole.facets.years) != 1:
        return None
    for match in match_cells(restated.whole, base, restated.names, "number"):
        said = _CHANGE.search(match.row.leaf)
        is_asked = said is not None and unasked_part(
            match.row.leaf, (*restated.whole.terms, stem(said.group().lower()))
        )
        if said and not is_asked and _is_accepted(match.coverage, match.time, MIN_RESULT_COVERAGE):
            return _cell_piece(match)
    return None


def _quoted_result(restated: Restated, base: EvidenceBase) -> _Piece | None:
    """A cell that already holds what was asked: a percentage under the asked headers, an "average" row."""
    wanted = _RESULT_WORDS.get(restated.operation)
    if wanted is None:
        return None
    asked = (*restated.whole.terms, *terms_of(wanted))
    first, last = restated.operands[0], restated.operands[-1]
    part = set(first.terms) - set(last.terms) or set(first.terms) - restated.names
    for match in match_cells(restated.whole, base, restated.names, restated.expects):
        said = terms_of(f"{match.label} {match.table.title}") + (("percent",) if match.cell.unit == "%" else ())
        is_of_kind = restated.expects != "percent" or match.cell.unit in ("", "%", "pp", "bp")
        says_result = is_of_kind and match_term(stem(wanted), said) >= SYNONYM_MATCH
        says_part = all(match_term(term, said) for term in part)
        is_asked = unasked_part(match.label, asked) <= MAX_UNASKED_OF_RESULT and not unasked_part(
            match.column.leaf, asked
        )
        if says_result and says_part and is_asked and _is_accepted(match.coverage, match.time, MIN_RESULT_COVERAGE):
            return _cell_piece(match)
    return None


def _from_operands(restated: Restated, base: EvidenceBase) -> _Piece | None:
    """The formula over one cell for each operand, chosen together so that like is compared with like."""
    if formula_for(restated.operation, len(restated.operands)) is None:
        return None
    choices = [_operand_cells(operand, restated, base) for operand in restated.operands]
    if not all(choices):
        return None
    chosen = _choose_together(choices)
    evidence = tuple(_cell_evidence(f"e{n}", n, match) for n, match in enumerate(chosen, start=1))
    computed = compute(restated.operation, evidence)
    if computed is None:
        return None
    sources = tuple(_cell_source(n, match) for n, match in enumerate(chosen, start=1))
    return _computed_piece(restated, computed, chosen, evidence, sources)


def _operand_cells(operand: Operand, restated: Restated, base: EvidenceBase) -> list[CellMatch]:
    matches = match_cells(operand, base, restated.names & set(operand.terms), "number", limit=8)
    return [match for match in matches if _is_accepted(match.coverage, match.time, MIN_CELL_COVERAGE)]


def _choose_together(choices: Sequence[Sequence[CellMatch]]) -> list[CellMatch]:
    chosen = [choices[0][0]]
    best = float("-inf")
    for first in choices[0]:
        others = [max(options, key=lambda match: match.score + _likeness(first, match)) for options in choices[1:]]
        total = first.score + sum(match.score + _likeness(first, match) for match in others)
        if total > best:
            best, chosen = total, [first, *others]
    return chosen


def _likeness(one: CellMatch, other: CellMatch) -> float:
    if one.cell is other.cell:
        return -1.0
    same_table = SAME_TABLE_BONUS if one.table.id == other.table.id else 0.0
    same_row = one.row.path[-1:] == other.row.path[-1:]
    same_column = one.column.path == other.column.path
    return same_table + (SAME_ROW_BONUS if same_row or same_column else 0.0)


def _computed_piece(
    restated: Restated,
    computed: Computed,
    chosen: Sequence[CellMatch],
    evidence: tuple[Evidence, ...],
    sources: tuple[Source, ...],
) -> _Piece:
    value = computed.value
    if restated.asks_distance:
        value = abs(value)
    value = rounded(value, computed.unit)
    text = number_text(value, computed.unit, computed.scale)
    score = min(match.score for match in chosen)
    coverage = min(match.coverage for match in chosen)
    formula = f"abs({computed.formula})" if value != rounded(computed.value, computed.unit) else computed.formula
    return _Piece(text, score, coverage, evidence, sources, value, unit_text(computed.unit, computed.scale), formula)


def _from_column(restated: Restated, base: EvidenceBase) -> _Piece | None:
    match = match_column(restated, base)
    if match is None or not is_supported(match.coverage, match.hit.scores.get("meaning", 0.0), MIN_CELL_COVERAGE):
        return None
    return _list_piece(restated, match) if len(match.best) > 1 or match.groups else _column_piece(restated, match)


def _column_piece(restated: Restated, match: ColumnMatch) -> _Piece:
    unit, scale = _unit_of(match)
    value = rounded(match.value, unit)
    text = number_text(value, unit, scale)
    if match.best and restated.expects == "label":
        text = _label_of_best(match, match.best[0][0], restated)
    evidence = _column_evidence(match, value)
    source = Source(
        1, match.hit, evidence.locator or match.locator, f"{match.table.title}: {evidence.label}".strip(": ")
    )
    formula = "" if match.best else f"{match.operation}(e1)"
    return _Piece(text, match.score, match.coverage, (evidence,), (source,), value, unit_text(unit, scale), formula)


def _list_piece(restated: Restated, match: ColumnMatch) -> _Piece:
    """Several greatest rows, or the value of each group; one group alone is its name, with its value."""
    unit, scale = _unit_of(match)
    rows = [(_label_of_best(match, header, restated), cell.value or match.value) for header, cell in match.best]
    named = [(name, rounded(value, unit)) for name, value in match.groups or rows]
    text = "; ".join(f"{name}: {number_text(value, unit, scale)}" for name, value in named)
    if len(named) == 1 and restated.expects == "label":
        text = named[0][0]
    evidence = _column_evidence(match, named[0][1])
    if match.groups:
        quote = "; ".join(f"{name}: {value:f}" for name, value in named)
        evidence = replace(evidence, quote=_shorten(quote), locator=match.locator)
    source = Source(
        1, match.hit, evidence.locator or match.locator, f"{match.table.title}: {evidence.label}".strip(": ")
    )
    value = named[0][1] if len(named) == 1 else None
    return _Piece(text, match.score, match.coverage, (evidence,), (source,), value, unit_text(unit, scale))


def _unit_of(match: ColumnMatch) -> tuple[str, int]:
    """The unit and scale of the column's first figure; a count has none."""
    if match.operation == "count":
        return "", 1
    of_column = (cell for cell in match.table.cells if cell.column == match.column.index and cell.value is not None)
    cell = match.best[0][1] if match.best else next(iter(match.cells), None) or next(of_column, None)
    return (cell.unit, cell.scale) if cell else ("", 1)


def _label_of_best(match: ColumnMatch, header: Header, restated: Restated) -> str:
    """The label of a row of the table, or of one that only its file holds."""
    rows = match.table.rows
    return _label_of(header, rows if header in rows else (*rows, header), restated)


def _label_of(header: Header, others: Sequence[Header], restated: Restated) -> str:
    """What people call a row: the year where a year is asked for, else the longest name in its path that only it has.

    Example: path ("PS-015", "Drovers Way", "Saltmarsh") -> "Drovers Way": unique as the number is, and a name.
    """
    years = facets_of(" ".join(header.path)).years
    if restated.asks_year and len(years) == 1:
        return str(next(iter(years)))
    own = [
        part
        for level, part in enumerate(header.path)
        if sum(other.path[level : level + 1] == (part,) for other in others) == 1
    ]
    named = [part for part in own if not any(sign.isdigit() for sign in part)]
    return max(named, key=len) if named else next(iter(own), " > ".join(header.path))


def _column_evidence(match: ColumnMatch, value: Decimal) -> Evidence:
    """What the value rests on: the column's heading as it stands there, the number of rows, the conditions on them."""
    if not match.best:
        return Evidence("e1", 1, match.column.leaf, match.basis, locator=match.locator)
    header, cell = match.best[0]
    label = f"{' > '.join(header.path)} | {match.basis}"
    return Evidence("e1", 1, cell.text, label, value, locator=locate_cells(match.table.locator, [cell]))


# --- shared -------------------------------------------------------------------------------------------------------


def _cell_evidence(name: str, ref: int, match: CellMatch) -> Evidence:
    cell = match.cell
    where = locate_cells(match.table.locator, [cell])
    return Evidence(name, ref, cell.text, match.label, cell.value, cell.unit, cell.scale, where)


def _cell_source(ref: int, match: CellMatch) -> Source:
    where = locate_cells(match.table.locator, [match.cell])
    return Source(ref, match.hit, where, f"{match.label}: {match.cell.text}")


def _is_accepted(coverage: float, time: float, threshold: float) -> bool:
    return coverage >= threshold and time > MIN_TIME


def _shorten(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= MAX_ANSWER_CHARS else plain[:MAX_ANSWER_CHARS].rsplit(" ", 1)[0] + " …"


def _abstain(restated: Restated, base: EvidenceBase) -> Answer:
    reason = "the documents hold no answer that passes the thresholds"
    unknown = _unknown_names(restated, base)
    if unknown:
        reason = f"the documents say nothing of {', '.join(unknown)}"
    return Answer(restated.question, "abstained", reason, restated.kind, restated.asks, refused=base.hits[:3])


def _unknown_names(restated: Restated, base: EvidenceBase) -> list[str]:
    known = frozenset().union(*base.knows.values()) if base.knows else frozenset()
    words = re.findall(r"\w+", restated.question)
    return [
        word for word in words if (stems := terms_of(word)) and stems[0] in restated.names and stems[0] not in known
    ]
