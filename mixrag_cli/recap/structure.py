"""The built-in reader: RECAP (restate, extract, compute, answer, present) without a language model.

    restate   the kind of question, its operation and operands               restate.py
    extract   cells through their header paths, tallies over rows            in_tables/, in_rows/
              sentences, their numbers, what code gives                      in_text/, in_code/
    compute   a formula over the extracted values, by the calculator         compute.py
    answer    the best supported of the candidates, or none                  this module
    present   with unit, scale and citation, or an honest refusal            present.py

It never states a number that is not quoted from a source or computed from quoted numbers.
Source: MixRAG, section 4.3 (the five steps and the external calculator).
"""

from __future__ import annotations

import re
from decimal import Decimal

from mixrag_cli.recap.evidence import EvidenceBase, is_supported
from mixrag_cli.recap.in_code.definitions import match_definitions
from mixrag_cli.recap.in_code.file_kinds import kind_stems
from mixrag_cli.recap.in_code.given_values import asks_default, match_default, match_figure
from mixrag_cli.recap.in_code.identifiers import asked_form
from mixrag_cli.recap.in_code.returns import asks_return, match_return, says_return
from mixrag_cli.recap.in_rows.columns import match_column
from mixrag_cli.recap.in_rows.tally_pairs import match_tally_pair
from mixrag_cli.recap.in_tables.acceptance import MIN_PROBABILITY, SURE_PROBABILITY
from mixrag_cli.recap.in_tables.conditions import along_periods, passes
from mixrag_cli.recap.in_tables.fitting import fitting_cells
from mixrag_cli.recap.in_tables.header_lists import match_header_list
from mixrag_cli.recap.in_tables.operands import (
    MIN_OPERAND_COVERAGE,
    choose_together,
    from_operands,
    is_accepted,
    operand_cells,
)
from mixrag_cli.recap.in_tables.results import described_cell, says_as_asked, says_part, stated_result
from mixrag_cli.recap.in_tables.rivals import is_outsaid
from mixrag_cli.recap.in_text.fields import match_fields
from mixrag_cli.recap.in_text.reasons import asks_why
from mixrag_cli.recap.in_text.releases import asks_release
from mixrag_cli.recap.in_text.told import (
    MIN_SENTENCE_COVERAGE,
    from_number,
    from_release,
    from_release_day,
    from_sentence,
)
from mixrag_cli.recap.language import terms_of
from mixrag_cli.recap.pieces import (
    Piece,
    cell_evidence,
    cell_piece,
    cell_source,
    column_piece,
    definition_piece,
    field_piece,
    given_piece,
    header_list_piece,
    label_of,
    list_piece,
    pair_piece,
    period_text,
    return_piece,
)
from mixrag_cli.recap.restate import Condition, Restated
from mixrag_cli.recap.splitting import split_texts
from mixrag_cli.records import Answer

# In parts of the question's weight that the evidence says; set on the development collection.
SURE_COVERAGE = 0.9  # a cell that says this much needs no second opinion from the running text
SAYS_MORE = 0.1  # of the question's weight: a word that the cell before leaves unsaid
NOT_FOUND = "not found"


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
        confidence=round(best.confidence, 3),
        evidence=best.evidence,
        formula=best.formula,
        result=best.value if best.formula else None,
        sources=best.sources,
    )


def _candidates(restated: Restated, base: EvidenceBase) -> list[Piece | None]:
    if restated.condition is not None:
        return [_from_condition(restated.condition, restated, base)]
    if asks_default(restated.question) and (given := _from_default(restated, base)):
        return [given]
    if restated.operation == "lookup":
        return _tallied_or(_lookups(restated, base), restated, base)
    field = _from_field(restated, base) if restated.operation == "count" else None
    if field is not None:
        return [field]
    if split_texts(restated.question, restated.operation):  # one cell is hardly of several things
        return [_computed(restated, base)]
    names_label = restated.expects == "label"
    cells = [] if names_label else fitting_cells(restated.whole, restated, base, restated.expects)
    stated, computed = stated_result(restated, cells), _computed(restated, base)
    if computed is None:
        return [stated or described_cell(restated, cells)]
    is_stated = stated is not None and _is_surer(stated, computed, restated)
    return [stated if is_stated else computed]


def _is_surer(stated: Piece, computed: Piece, restated: Restated) -> bool:
    """Whether a result that a cell states goes before one computed: one that is likely and says what is asked does."""
    label, is_likely = stated.evidence[0].label, stated.confidence >= SURE_PROBABILITY
    is_said = says_part(label, restated) if restated.operation == "share" else says_as_asked(label, restated)
    return (is_likely and is_said) or stated.coverage > computed.coverage


def _computed(restated: Restated, base: EvidenceBase) -> Piece | None:
    """The operation over what the evidence quotes."""
    if (of_pair := _from_pair(restated, base)) is not None:
        return of_pair
    if len(restated.operands) >= 2:
        return _sum_of_records(restated, base) or from_operands(restated, base)
    if restated.kind == "aggregate":
        return _from_column(restated, base)
    return None


def _tallied_or(found: list[Piece | None], restated: Restated, base: EvidenceBase) -> list[Piece | None]:
    """What a lookup found, or a tally over records where that says all of the question and no other table says as much.

    One row of a table of records is no answer to "how many orders" or "the total quantity".
    """
    tallied = _from_column(restated, base)
    if tallied is None:
        return found
    if tallied.formula and tallied.coverage < SURE_COVERAGE:
        is_sum = tallied.formula.startswith("sum(")
        return [piece for piece in found if piece is not None and not (is_sum and _is_one_of(piece, tallied))]
    document = tallied.sources[0].hit.chunk.document
    others = [piece for piece in found if piece is not None and piece.sources[0].hit.chunk.document != document]
    return [tallied] if all(piece.coverage < tallied.coverage for piece in others) else found


def _is_one_of(piece: Piece, tallied: Piece) -> bool:
    """Whether a looked-up cell is one of those that a sum adds up, so that it is no answer beside the sum."""
    one, whole = piece.evidence[0], tallied.evidence[0]
    is_same_file = piece.sources[0].hit.chunk.document == tallied.sources[0].hit.chunk.document
    return is_same_file and not piece.formula and one.label.rpartition(" | ")[2] == whole.label.partition(" (")[0]


def _lookups(restated: Restated, base: EvidenceBase) -> list[Piece | None]:
    if len(restated.operands) > 1:  # one number for several periods would be right for one of them at most
        return [_from_each(restated, base) or from_sentence(restated, base)]
    of_form = _of_form(restated, base)
    if of_form is not None:
        return of_form
    if restated.expects in ("number", "percent"):
        cell, field = _from_cell(restated, base), _from_field(restated, base)
        return [field] if field and not _is_sure(cell) else _numbers(cell, restated, base)
    if restated.expects == "any":
        cell, field = _from_cell(restated, base), _from_field(restated, base)
        if _is_sure(cell) or field:
            return [cell if _is_sure(cell) else field]
        return _fuller(cell, from_sentence(restated, base))
    if field := _from_field(restated, base):
        return [field]
    said = [_from_definition(restated, base), from_sentence(restated, base)]
    return said if any(said) else [_from_cell(restated, base, SURE_PROBABILITY)]


def _fuller(cell: Piece | None, said: Piece | None) -> list[Piece | None]:
    """Both, but the running text alone where the cell leaves a word of the question unsaid that a sentence says."""
    if cell is None or said is None or "|" in said.evidence[0].quote:  # a sheet's rows as text are no sentence
        return [cell, said]
    return [said] if said.coverage >= cell.coverage + SAYS_MORE else [cell, said]


def _of_form(restated: Restated, base: EvidenceBase) -> list[Piece | None] | None:
    """What answers a question whose wording leaves one kind of answer; None where it leaves several."""
    question = restated.question
    if asks_why(question):
        return [from_sentence(restated, base)]
    form = asked_form(question)
    if form is not None and (found := from_sentence(restated, base, form)):
        return [found]
    if (listed := match_header_list(question, base)) is not None:
        return [header_list_piece(listed)]
    if asks_return(question):
        return [_from_return(restated, base)]
    if restated.expects == "code":
        return [_from_definition(restated, base)]
    if day := from_release_day(restated, base):
        return [day]
    return [from_release(restated, base)] if asks_release(question) else None


def _from_return(restated: Restated, base: EvidenceBase) -> Piece | None:
    """What a definition gives back, by its code or by what is written of it."""
    if given := match_return(restated.whole, base):
        return return_piece(given)
    said = from_sentence(restated, base)
    return said if said is not None and says_return(said.sources[0].text) else None


def _numbers(cell: Piece | None, restated: Restated, base: EvidenceBase) -> list[Piece | None]:
    """A cell, a number of the text, or one that code gives where that says no less of the question."""
    found = _fuller(cell, from_number(restated, base))
    given = match_figure(restated.whole, base, restated.names) if restated.expects == "number" else None
    if given is None or any(piece is not None and piece.coverage > given.line.coverage for piece in found):
        return found
    return [given_piece(given)]


def _from_default(restated: Restated, base: EvidenceBase) -> Piece | None:
    """What code takes where it is told nothing."""
    match = match_default(restated.whole, base, restated.names)
    return given_piece(match) if match is not None else None


def _is_sure(cell: Piece | None) -> bool:
    """Whether a cell says so much of the question that it needs no second opinion from the running text."""
    return cell is not None and cell.coverage >= SURE_COVERAGE


def _from_field(restated: Restated, base: EvidenceBase) -> Piece | None:
    """What stands behind the asked name in a line of its own."""
    for match in match_fields(restated.whole, base, restated.names):
        if match.line.coverage >= MIN_SENTENCE_COVERAGE:
            piece = field_piece(match, as_number=restated.expects in ("number", "percent"))
            if piece is not None:
                return piece
    return None


def _from_cell(restated: Restated, base: EvidenceBase, threshold: float = MIN_PROBABILITY) -> Piece | None:
    found = fitting_cells(restated.whole, restated, base, restated.expects)
    believed = [match for match in found if match.is_believed(threshold) and not is_outsaid(match, found)]
    for match in believed[1:]:  # of another table: as surely meant, and it says a word of the question more
        if match.is_believed(SURE_PROBABILITY) and match.coverage >= believed[0].coverage + SAYS_MORE:
            return cell_piece(match)
    return cell_piece(believed[0]) if believed else None


def _from_each(restated: Restated, base: EvidenceBase) -> Piece | None:
    """One cell for each period asked for, of like kind, as a list that names the periods without any."""
    choices = [operand_cells(operand, restated, base) for operand in restated.operands]
    found = [options for options in choices if options]
    if not found:
        return None
    chosen = choose_together(found)
    if len({(match.table.id, match.cell.row, match.cell.column) for match in chosen}) < len(chosen):
        return None
    pieces = [cell_piece(match) for match in chosen]
    texts = iter(pieces)
    said = (next(texts).text if options else NOT_FOUND for options in choices)
    whens = (period_text(operand) for operand in restated.operands)
    return Piece(
        "; ".join(f"{when}: {text}" for when, text in zip(whens, said, strict=True)),
        min(piece.score for piece in pieces),
        min(piece.coverage for piece in pieces),
        tuple(cell_evidence(f"e{n}", n, match) for n, match in enumerate(chosen, start=1)),
        tuple(cell_source(n, match) for n, match in enumerate(chosen, start=1)),
        unit=pieces[0].unit if len({piece.unit for piece in pieces}) == 1 else "",
    )


def _from_condition(condition: Condition, restated: Restated, base: EvidenceBase) -> Piece | None:
    """The periods whose values pass the limit: their number, or their labels."""
    matches = fitting_cells(condition.operand, restated, base, "number", limit=1)
    if not matches or not is_accepted(matches[0].coverage, matches[0].time, MIN_OPERAND_COVERAGE):
        return None
    passing = [match for match in along_periods(matches[0], condition.years) if passes(match.cell, condition)]
    if not passing:
        return None
    evidence = tuple(cell_evidence(f"e{n}", n, match) for n, match in enumerate(passing, start=1))
    sources = tuple(cell_source(n, match) for n, match in enumerate(passing, start=1))
    score, coverage = matches[0].score, matches[0].coverage
    if restated.expects == "label":
        labels = [label_of(match.column, match.table.columns, restated) for match in passing]
        return Piece("; ".join(labels), score, coverage, evidence, sources)
    formula = f"count({', '.join(piece.id for piece in evidence)})"
    return Piece(str(len(passing)), score, coverage, evidence, sources, Decimal(len(passing)), "", formula)


def _from_definition(restated: Restated, base: EvidenceBase) -> Piece | None:
    for match in match_definitions(restated.whole, base, restated.names):
        if match.coverage >= MIN_SENTENCE_COVERAGE:
            return definition_piece(match)
    return None


def _from_column(restated: Restated, base: EvidenceBase) -> Piece | None:
    match = match_column(restated, base)
    if match is None or not is_supported(match.coverage, match.hit.scores.get("meaning", 0.0), MIN_OPERAND_COVERAGE):
        return None
    return list_piece(restated, match) if len(match.best) > 1 or match.groups else column_piece(restated, match)


def _sum_of_records(restated: Restated, base: EvidenceBase) -> Piece | None:
    """The sum over the records of several names, which no cell of one record of each is."""
    if restated.operation != "sum" or len(restated.whole.facets.years) > 1:
        return None
    match = match_column(restated, base)
    return column_piece(restated, match) if match and match.filters and match.coverage >= SURE_COVERAGE else None


def _from_pair(restated: Restated, base: EvidenceBase) -> Piece | None:
    pair = match_tally_pair(restated, base)
    return pair_piece(restated, pair) if pair is not None and pair.coverage >= MIN_OPERAND_COVERAGE else None


def _abstain(restated: Restated, base: EvidenceBase) -> Answer:
    reason = "the documents hold no answer that passes the thresholds"
    unknown = _unknown_names(restated, base)
    if unknown:
        reason = f"the documents say nothing of {', '.join(unknown)}"
    return Answer(restated.question, "abstained", reason, restated.kind, restated.asks, refused=base.hits[:3])


def _unknown_names(restated: Restated, base: EvidenceBase) -> list[str]:
    known = frozenset().union(*base.knows.values(), *(kind_stems(hit.path) for hit in base.hits))
    words = re.findall(r"\w+", restated.question)
    return [
        word for word in words if (stems := terms_of(word)) and stems[0] in restated.names and stems[0] not in known
    ]
