"""How far an answer rests on what it cites: a cosine that tells how near, and checks that tell whether.

    level       the cosine of answer and context says
    high        above 0.7
    borderline  0.4 to 0.7
    risk        below 0.4; or an exact check failed: then the answer says something that its sources do not

Source: Enhanced RAG, section III-E, eq. 7, for score and levels; the exact checks are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mixrag_cli.fencing import plain_text
from mixrag_cli.quantities.calculator import CalculationError, operand_names
from mixrag_cli.quantities.said_numbers import numbers_in, unsupported_numbers
from mixrag_cli.quotes import find_quote
from mixrag_cli.records.answers import Answer, Check, Evidence, Faithfulness, FaithfulnessLevel
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.lines import row_lines, shown_columns

HIGH = 0.7
BORDERLINE = 0.4


def judge_faithfulness(
    answer: Answer, cosine: float, retrieved: frozenset[str], tables: Mapping[str, Table]
) -> Faithfulness:
    """Score, level and checks of an answered question.

    cosine: of answer and context (see faithfulness_texts). retrieved: ids of the chunks that the search gave.
    tables: by id, behind the cited chunks.
    """
    checks = (
        _check_numbers(answer),
        _check_citations(answer, retrieved),
        _check_quotes(answer, tables),
    )
    level = level_of(cosine) if not any(check.failed for check in checks) else "risk"
    return Faithfulness(round(cosine, 3), level, checks)


def level_of(score: float) -> FaithfulnessLevel:
    """The level of a cosine. Example: level_of(0.7) -> "borderline"."""
    return "high" if score > HIGH else "borderline" if score >= BORDERLINE else "risk"


def faithfulness_texts(answer: Answer) -> tuple[str, str]:
    """What is compared: the answer with what it answers, and all cited passages together."""
    return f"{answer.asks}: {answer.text}", " ".join(source.text for source in answer.sources)


def texts_of(evidence: Iterable[Evidence]) -> list[str]:
    """What pieces of evidence say: their quotes, and what these stand under."""
    return [text for piece in evidence for text in (piece.quote, piece.label)]


def _check_numbers(answer: Answer) -> Check:
    said = [answer.question, answer.asks, *texts_of(answer.evidence)]
    for source in answer.sources:
        whole = source.hit.chunk.text
        said += [source.text, whole if answer.text in whole else ""]  # an answer may be a quotation
    values = [value for value in (*(piece.value for piece in answer.evidence), answer.result) if value is not None]
    shown = f"{answer.text} {answer.present}"
    return Check("numbers", len(numbers_in(shown)), unsupported_numbers(shown, said, values))


def _check_citations(answer: Answer, retrieved: frozenset[str]) -> Check:
    refs = {source.ref for source in answer.sources}
    wrong = [source.hit.path for source in answer.sources if source.hit.chunk.id not in retrieved]
    wrong += [piece.id for piece in answer.evidence if piece.source not in refs]
    return Check("citations", len(answer.sources), tuple(wrong))


def _check_quotes(answer: Answer, tables: Mapping[str, Table]) -> Check:
    texts = {source.ref: tuple(_texts_behind(source.hit, tables)) for source in answer.sources}
    pieces = [piece for piece in answer.evidence if piece.source in texts and not _is_scanned(piece, answer.formula)]
    wrong = (piece.id for piece in pieces if not any(find_quote(piece.quote, text) for text in texts[piece.source]))
    return Check("quotes", len(pieces), tuple(wrong))


def _is_scanned(piece: Evidence, formula: str) -> bool:
    """Whether the piece stands for a whole column that was computed over: it names the column and quotes no cell."""
    try:
        return piece.value is None and piece.id in operand_names(formula)
    except CalculationError:
        return False


def _texts_behind(hit: Hit, tables: Mapping[str, Table]) -> Iterator[str]:
    yield hit.chunk.text
    yield hit.chunk.context
    yield plain_text(hit.chunk.text)
    if table := tables.get(hit.chunk.parent):
        yield from (cell.text for cell in table.cells)
        yield " ".join((table.title, *table.notes))
        yield "\n".join(row_lines(table, shown_columns(table)).values())
