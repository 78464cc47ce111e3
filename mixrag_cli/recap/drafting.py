"""Drafting: every candidate of every kind as one record with its signs.

structure ─┐
facts ─────┼─► drafts ─► the trained reader scores labels, and the likeliest side by side ─► signs compared among all
passages ──┘
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from operator import attrgetter

from mixrag_cli.cleaning import REDACTED
from mixrag_cli.line_marks import narrow_to
from mixrag_cli.quantities.prose_numbers import find_numbers, respective_number
from mixrag_cli.reading import Reading
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.facts import fact_drafts
from mixrag_cli.recap.in_tables.cells import NO_ROWS, NamedRows
from mixrag_cli.recap.listwise import listed_label, listed_text, read_listwise
from mixrag_cli.recap.passages import ReadPassage, ScoredSpan, read_passages
from mixrag_cli.recap.quoting import with_quotes
from mixrag_cli.recap.restate import Restated, asks_passage
from mixrag_cli.recap.signs import Draft, asked_sign, compare, done_sign, number_sign, retrieval_signs, said_signs
from mixrag_cli.recap.structure import fact_formulas, structural_drafts
from mixrag_cli.recap.wanted import text_wanted
from mixrag_cli.records.answers import DERIVED, LIST_SIGN, Evidence, Source
from mixrag_cli.records.places import LineMarks
from mixrag_cli.sentences import goes_on, is_call

MIN_SPAN_LOG = -6.0  # a span less likely than this is no candidate of its own
NO_READING = -8.0  # logit of what the reader was not asked
READ_ROWS = 3  # of tables: as many as there are places in a likely answer
SHOWN_CHARS = 500  # of a sentence as evidence
OPERATORS = ("*", "/", "+", "^", "<<", ">>")  # behind a number that is only the first of what is to be computed
SENTENCE_CHARS = 200  # of one that is an answer: two lines; what is longer is no answer to "how many" or "when"

_REMOVED = REDACTED.strip("[]")  # no answer: the passage shows that a secret stood there
_Labelled = tuple[str, Draft]  # a candidate with the text that the reader judges it by


def draft_all(restated: Restated, base: EvidenceBase) -> list[Draft]:
    """All that may answer the question, with its signs, in no order."""
    if not base.hits:
        return []
    read, none = read_passages(restated, base)
    holds = {one.hit.chunk.id: one.holds for one in read}
    found = [
        (listed_text(one.hit.chunk.context, one.said), draft)
        for one in read
        for draft in _from_passage(restated, base, one)
    ]
    labelled = _scored(restated, base, labelled_drafts(restated, base, _likeliest_rows(read)), holds)
    found += [(listed_label(label), draft) for label, draft in labelled]
    found = [(text, draft) for text, draft in found if draft.kind == "passage" or _REMOVED not in draft.text]
    found = _without_parts(found)
    drafts = with_quotes(_compared(restated, base, found), read)
    of_all = {"documents": math.log(len({hit.chunk.document for hit in base.hits}))}
    told = {**of_all, "none": none, "held": max(holds.values())}
    drafts = [one.with_signs({**_suits(restated, one), **(of_all if one.kind in DERIVED else told)}) for one in drafts]
    wanted = {"text_asked": text_wanted(restated, [(one.kind, one.signs) for one in drafts])}
    return compare([one.with_signs(wanted) for one in drafts])


def _without_parts(found: Sequence[_Labelled]) -> list[_Labelled]:
    """Those of them that are not one value of a list among them: of what was asked for that is a part."""
    lists = (draft.text for _, draft in found if draft.kind == "cell" and len(draft.evidence) > 1)
    parts = {part for text in lists for part in text.split(LIST_SIGN)}
    return [(text, draft) for text, draft in found if draft.kind == "computed" or draft.text not in parts]


def _compared(restated: Restated, base: EvidenceBase, found: Sequence[_Labelled]) -> list[Draft]:
    """The drafts, those of the likeliest texts with what the reader makes of the texts beside each other."""
    texts = {text: draft.signs["alone_span"] for text, draft in found}
    listed = read_listwise(base.reader, restated.question, texts)
    return [draft.with_signs({"listwise": listed[text]}) if text in listed else draft for text, draft in found]


def labelled_drafts(restated: Restated, base: EvidenceBase, rows: NamedRows = NO_ROWS) -> list[_Labelled]:
    """Cells, computed values, tallies and facts, each with the text that the reader judges it by.

    rows: of tables, whose likeliest cell, and the one that is named, is a candidate whatever else is likelier.
    """
    facts = fact_drafts(restated, base)
    found = (*structural_drafts(restated, base, rows), *fact_formulas(restated, facts), *facts)
    return [(_label_of(draft, base), _described(restated, base, draft)) for draft in found]


def _likeliest_rows(read: Sequence[ReadPassage]) -> NamedRows:
    """The rows of tables that the reader takes for those that answer, best first, and its best words in each."""
    rows = [one for one in sorted(read, key=lambda one: -one.holds) if one.hit.chunk.row is not None][:READ_ROWS]
    return {(one.hit.chunk.parent, one.hit.chunk.row or 0): _best_words(one) for one in rows}


def _best_words(one: ReadPassage) -> str:
    best = max(one.spans, key=attrgetter("log"), default=one.sentence)
    return one.hit.chunk.text[best.start : best.end]


def _suits(restated: Restated, draft: Draft) -> dict[str, float]:
    """How well the draft's form, making and length suit what is asked for."""
    return {
        "asked": asked_sign(draft, restated.reading.expects),
        "done": done_sign(draft, restated.reading.operation),
        "length": math.log1p(len(draft.text)),
    }


# --- passages -------------------------------------------------------------------------------------------------------


def _from_passage(restated: Restated, base: EvidenceBase, one: ReadPassage) -> Iterable[Draft]:
    """A passage with its deciding sentence marked, and the span in it where the reader names one."""
    text, sentence = one.hit.chunk.text, one.said
    where = narrow_to(one.hit.chunk.locator, text, one.sentence.start, one.sentence.end)
    source = Source(1, one.hit, where, text)
    signs = {
        "holds": one.holds,
        "sentence": one.score,
        "span": max(one.sentence.log, NO_READING),
        **retrieval_signs(base, source),
        **said_signs(restated, base, source, sentence),
        **_alone(one.alone),
    }
    mark = (one.sentence.start, one.sentence.end)
    shown = _shortened(sentence)
    proof = Evidence("e1", 1, shown, one.hit.chunk.context, locator=where)
    cited = (Source(1, one.hit, where, shown),)
    # What a passage answers stands in the whole of it; its evidence says which sentence of it decides.
    whole = replace(source, locator=replace(one.hit.chunk.locator, marks=LineMarks()))
    yield Draft("passage", text.strip(), whole, signs, marks=(mark,), evidence=(proof,), sources=(whole,))
    is_prose = one.hit.chunk.kind in ("prose", "code")  # a table's row says many values, of which a cell is one
    is_whole = len(sentence.strip()) <= SENTENCE_CHARS and not goes_on(text, one.sentence.end)
    if is_prose and not asks_passage(restated) and is_whole:
        says_number = 1.0 if next(iter(find_numbers(sentence)), None) is not None else -1.0
        own = {**signs, "number": says_number if restated.expects in ("number", "percent") else 0.0}
        yield Draft("sentence", sentence.strip(), source, own, marks=(mark,), evidence=(proof,), sources=cited)
    if is_prose and one.span is not None and one.span.log >= MIN_SPAN_LOG:
        start, end = _respective(restated, one, one.span)
        own, said = {**signs, "span": one.span.log}, text[start:end]
        draft = Draft("span", said.strip(), source, own, marks=((start, end),), evidence=(proof,), sources=cited)
        yield _as_number(restated, draft, said)


def _respective(restated: Restated, one: ReadPassage, span: ScoredSpan) -> tuple[int, int]:
    """The span, or of a list of numbers the one that belongs to the year asked for."""
    first, last = one.sentence.start, one.sentence.end
    sentence, years = one.hit.chunk.text[first:last], restated.whole.facets.years
    start, end = respective_number(sentence, span.start - first, span.end - first, years)
    return start + first, end + first


def _as_number(restated: Restated, draft: Draft, said: str) -> Draft:
    """The draft as the number that its words begin with, where one may be asked for; else as it is.

    What holds a further number, or goes on to compute, stays in its own words: "10 to 20 years", "64 * KB",
    "Duration.ofMillis(20)".
    """
    if is_call(said):
        return draft.with_signs({"number": number_sign(restated, Decimal(0))})
    numbers = [(start, end, value) for start, end, value in find_numbers(said) if value.value is not None]
    start, end, first = numbers[0] if numbers else (len(said), 0, None)
    if first is None or first.value is None or start > 1 or restated.expects not in ("number", "percent", "any"):
        return draft.with_signs({"number": number_sign(restated, None)})
    draft = draft.with_signs({"number": number_sign(restated, first.value, first.unit)})
    is_whole = len(numbers) == 1 and not said[end:].lstrip().startswith(OPERATORS)
    return draft.with_value(first.value, first.unit, first.scale) if is_whole else draft


def _shortened(text: str) -> str:
    """The text on one line, cut at a word where it is too long."""
    plain = " ".join(text.split())
    return plain if len(plain) <= SHOWN_CHARS else plain[:SHOWN_CHARS].rsplit(" ", 1)[0] + " …"


# --- cells, computed values, tallies, facts ---------------------------------------------------------------------------


def _label_of(draft: Draft, base: EvidenceBase) -> str:
    """What the evidence is called: the table's title, the two header paths or the key path, the value."""
    table = base.tables.get(draft.source.hit.chunk.parent) if draft.kind != "fact" else None
    title = f"{table.title} › " if table is not None and table.title else ""
    return "; ".join(f"{title}{one.label}: {one.quote}" for one in draft.evidence)


def _described(restated: Restated, base: EvidenceBase, draft: Draft) -> Draft:
    """The draft with what its form, its passage and its own words say of it."""
    own = " ".join(f"{one.label} {one.quote}" for one in draft.evidence)
    return draft.with_signs(
        {
            "number": number_sign(restated, draft.value, draft.unit),
            **retrieval_signs(base, draft.source),
            **said_signs(restated, base, draft.source, own),
        }
    )


def _scored(
    restated: Restated, base: EvidenceBase, labelled: Sequence[_Labelled], holds: Mapping[str, float]
) -> list[_Labelled]:
    """The drafts with what the reader says of their labels, and of the passages that they stand in."""
    readings = base.reader.read(restated.question, [label for label, _ in labelled]) if labelled else ()
    return [
        (label, draft.with_signs({"pair": reading.pair, **_alone(reading), **_holds(draft, holds)}))
        for (label, draft), reading in zip(labelled, readings, strict=True)
    ]


def _alone(reading: Reading) -> dict[str, float]:
    """What the reader says of a sentence or label that it read by itself."""
    return {"alone": reading.holds, "alone_span": reading.bounded_total}


def _holds(draft: Draft, holds: Mapping[str, float]) -> dict[str, float]:
    """Whether its passage answers; what is derived stands in no passage, and no passage speaks against it.

    The passage of another row of its table says nothing of it.
    """
    found = holds.get(draft.chunk)
    is_there = not draft.source.hit.chunk.locator.is_apart(draft.source.locator)
    return {"holds": found} if found is not None and is_there and draft.kind not in DERIVED else {}
