"""The built-in reader: RECAP (restate, extract, compute, answer, present) without a language model, as one funnel.

    restate   the kind of question, its operation and operands               restate.py
    extract   cells, formulas and tallies by structure; facts; passages      structure.py, facts.py, passages.py
    compute   formulas over the extracted values, by the calculator          compute.py
    answer    signs of every candidate, one probability, one of three grades signs.py, grading.py
    present   stated, shown as likely in its place, or refused by name       this module

It never states a number that is not quoted from a source or computed from quoted numbers.
Source: MixRAG, section 4.3 (the five steps and the external calculator).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter

from mixrag_cli.recap.drafting import draft_all
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.grading import Grading, as_answer, shipped_grading
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.signs import Draft
from mixrag_cli.records.answers import N_LIKELY, Answer, Candidate, Grade
from mixrag_cli.tables.text import cell_mark
from mixrag_cli.words import terms_of

UNSURE = "no answer is sure enough to state"
N_NEAREST = 3
NOTHING_SEARCHED = "what is searched holds no passage"
MAX_NAMED = 3


def read_answer(restated: Restated, base: EvidenceBase, grading: Grading | None = None) -> Answer:
    """Answer the restated question from the evidence, show what probably holds the answer, or say what is missing."""
    grading = grading or shipped_grading()
    drafts = grading.compared(draft_all(restated, base))
    graded = sorted(((grading.probability(draft), draft) for draft in drafts), key=itemgetter(0), reverse=True)
    if graded:
        chance, best = max(graded, key=lambda each: as_answer(each[1].kind, each[1].signs, each[0]))
        if (sure := grading.sure_of(best, chance)) >= grading.stated:
            return _state(restated, sure, best, _shown([(sure, best), *graded]))
    shown = _shown(graded)
    if grading.shows(_by_table(shown)):
        guess = best.as_candidate(round(sure, 3))
        return replace(refusal(restated, base, UNSURE), status="likely", candidates=tuple(shown), best=guess)
    return refusal(restated, base, what_is_missing(restated, base))


def _shown(graded: Sequence[tuple[float, Draft]]) -> list[Candidate]:
    """The best candidates of different places."""
    kept: list[tuple[float, Draft]] = []
    for chance, draft in graded:
        if len(kept) < N_LIKELY and not any(draft.spot.is_beside(other.spot) for _, other in kept):
            kept.append((chance, draft))
    return [_with_cell(draft, graded).as_candidate(round(chance, 3)) for chance, draft in kept]


def _with_cell(draft: Draft, graded: Sequence[tuple[float, Draft]]) -> Draft:
    """The passage of a table's row with its likeliest cell marked: a row says many values."""
    if draft.kind != "passage" or draft.source.hit.chunk.row is None:
        return draft
    cells = (other for _, other in graded if other.kind == "cell" and other.spot.is_beside(draft.spot))
    marks = (cell_mark(cell.evidence[0].label, cell.evidence[0].quote, draft.source.text) for cell in cells)
    return next((replace(draft, marks=(mark,)) for mark in marks if mark), draft)


def _by_table(best_first: Sequence[Candidate]) -> list[float]:
    """The probability of each table's best row and of each other passage: a table's rows are one piece of evidence."""
    return [*{one.source.hit.chunk.belongs_to: one.probability for one in reversed(best_first)}.values()]


def _state(restated: Restated, chance: float, draft: Draft, shown: Sequence[Candidate]) -> Answer:
    return replace(
        answer_to(restated.meant_as(draft.operation), "answered", draft.text),
        value=draft.value,
        unit=draft.unit,
        confidence=round(chance, 3),
        evidence=draft.evidence,
        formula=draft.formula,
        sources=draft.sources,
        candidates=tuple(shown),
    )


def answer_to(restated: Restated, status: Grade, text: str) -> Answer:
    """An answer of that text to the question, with nothing yet that it rests on."""
    return Answer(restated.question, status, text, restated.kind, restated.asks)


def refusal(restated: Restated, base: EvidenceBase, reason: str) -> Answer:
    """The answer that states nothing, and for what reason, with the passages that come nearest."""
    return replace(answer_to(restated, "abstained", reason), refused=base.hits[:N_NEAREST])


def what_is_missing(restated: Restated, base: EvidenceBase) -> str:
    """What the question speaks of and no document found does, else that nothing found answers it.

    Example: 'no passage found says "Contoso"' where the name stands in none of the documents found.
    """
    if not base.hits:
        return NOTHING_SEARCHED
    known = frozenset().union(*base.knows.values())
    asked = [(word, stems[0]) for word in re.findall(r"\w+", restated.question) if (stems := terms_of(word))]
    years = {str(year) for operand in (restated.whole, *restated.operands) for year in operand.facets.years}
    unknown = [word for word, term in asked if term not in known and (term in restated.whole.terms or word in years)]
    if unknown:
        longest = sorted(dict.fromkeys(unknown), key=len, reverse=True)  # of any language those that say most
        return f"no passage found says {_listed(longest[:MAX_NAMED])}"
    return "the passages found speak of it, but none says surely what was asked"


def _listed(words: list[str]) -> str:
    *first, last = [f'"{word}"' for word in words]
    return f"{', '.join(first)} or {last}" if first else last
