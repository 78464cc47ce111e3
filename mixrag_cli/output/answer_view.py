"""An answer of each grade for people.

answered   the answer; below it the passages that it stands in, the deciding words marked; a passage that answers by
           itself is shown once, whole
likely     no claim: up to three places that probably hold it, each with its probability
abstained  what was looked for and not found, and the nearest passages
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.console import Console

from mixrag_cli.output.console import foreign
from mixrag_cli.output.lines import one_line, print_hanging, print_indented, print_notes, print_reference, print_wrapped
from mixrag_cli.output.marks import source_marks
from mixrag_cli.output.passages import Behind, by_passage, print_cited, print_near
from mixrag_cli.output.slices import Cited
from mixrag_cli.quantities.shown import number_text
from mixrag_cli.records.answers import Answer, Candidate, Evidence, Faithfulness, Source

SHOWN_PASSAGES = 3  # of an answer out of many places the first; of the others the place alone
DECIDERS = {"built-in": "the built-in reader", "calculator": "the calculator", "model": "the generator"}
PROBABLY = "Probably in one of these:"
MADE_HOW = {"computed": "computed from it", "column": "over its rows"}
_OPERAND = re.compile(r"\be\d+\b")


def print_answer(
    console: Console, answer: Answer, behind: Behind, *, explain: bool = False, accept_likely: bool = False
) -> None:
    """The answer in its grade's layout, and what the user should know besides.

    explain: with the five steps. accept_likely: of a likely one its guess comes first, alone.
    """
    if answer.status == "answered":
        _print_stated(console, answer, behind, explain)
    elif answer.status == "likely":
        if accept_likely and answer.guess:
            print_wrapped(console, foreign(answer.guess.text, "bold", keep_newlines=True))
            console.print()
        print_likely(console, answer, behind)
    else:
        print_abstention(console, answer, behind)
    if explain and answer.status != "answered":
        _print_steps(console, answer)
    print_notes(console, (*answer.degraded, *answer.warnings))


def _print_stated(console: Console, answer: Answer, behind: Behind, explain: bool) -> None:
    if _is_passage(answer):
        _print_passage(console, answer, behind)
    else:
        _print_value(console, answer, behind)
    if explain:
        _print_steps(console, answer)
    _print_faithfulness(console, answer, explain)


def _is_passage(answer: Answer) -> bool:
    """Whether a passage answers as it stands, as it does where somebody asks how or why."""
    return bool(answer.candidates) and answer.candidates[0].kind == "passage" and answer.decided_by == "built-in"


def _print_passage(console: Console, answer: Answer, behind: Behind) -> None:
    """The passage that answers, whole, below its place."""
    for source in answer.sources:
        heads = [(f"[{source.ref}] ", "")]
        print_cited(console, [_cited(answer, source)], heads, behind, question=answer.question, is_whole=True)


def _print_value(console: Console, answer: Answer, behind: Behind) -> None:
    print_wrapped(console, foreign(answer.text, "bold green", keep_newlines=True))
    if answer.present and answer.present != answer.text:
        print_wrapped(console, foreign(answer.present, keep_newlines=True))
    if answer.formula:
        print_hanging(console, foreign("computed  ", "dim"), foreign(f"{formula_text(answer)}{_result_text(answer)}"))
    print_sources(console, answer, behind, limit=SHOWN_PASSAGES)


def print_sources(console: Console, answer: Answer, behind: Behind, *, limit: int | None = None) -> None:
    """What an answer rests on: each cited place above its passage; beyond the limit the places alone."""
    cited = [_cited(answer, source) for source in answer.sources]
    for number, group in enumerate(by_passage(cited)):
        if limit is None or number < limit:
            console.print()
            heads = [(f"[{one.source.ref}] ", "") for one in group]
            print_cited(console, group, heads, behind, question=answer.question)
            continue
        if number == limit:
            console.print()
        for one in group:
            print_reference(console, f"[{one.source.ref}] ", one.source.hit.path, one.source.locator, behind.file)


def _cited(answer: Answer, source: Source) -> Cited:
    quotes = tuple(piece.quote for piece in answer.evidence if piece.source == source.ref)
    return Cited(source, source_marks(answer, source), quotes)


def print_likely(console: Console, answer: Answer, behind: Behind) -> None:
    """The places that probably hold the answer, with the probability of each; nothing is claimed.

    Places in one table stand above one slice of it.
    """
    print_wrapped(console, foreign(PROBABLY, "bold yellow"))
    shown = answer.candidates
    cited = [Cited(candidate.source, candidate.marks) for candidate in shown]
    for group in by_passage(cited):
        console.print()
        places = [cited.index(one) for one in group]
        heads = [(f"{place + 1}. ", _head_of(shown[place])) for place in places]
        print_cited(console, group, heads, behind, question=answer.question, is_guess=True)
        for candidate in (shown[place] for place in places):
            if told := MADE_HOW.get(candidate.kind):
                number = f"{shown.index(candidate) + 1}. " if len(places) > 1 else ""
                print_indented(console, foreign(f"{number}{told}: {one_line(candidate.text)}{_made_of(candidate)}"))


def _head_of(candidate: Candidate) -> str:
    """What stands behind a candidate's place: its probability, and the value where it stands nowhere in it."""
    made = f"  {one_line(candidate.text)}" if candidate.kind in MADE_HOW else ""
    return f"  {candidate.probability:.0%}{made}"


def numbered_sources(answer: Answer) -> dict[int, Source]:
    """The sources by the numbers that they are shown with: of a likely answer those of its candidates."""
    if answer.status == "likely":
        return {number: candidate.source for number, candidate in enumerate(answer.candidates, start=1)}
    return {source.ref: source for source in answer.sources}


def print_abstention(console: Console, answer: Answer, behind: Behind) -> None:
    """Why there is no answer, and the nearest passages."""
    print_wrapped(console, foreign(f"No answer: {answer.text}", "bold yellow"))
    if answer.refused:
        console.print()
        print_wrapped(console, foreign("Nearest passages, not good enough to answer from:"))
    for hit in answer.refused:
        print_near(console, hit, answer.question, behind.file)


def formula_text(made: Answer | Candidate) -> str:
    """The formula with what it was computed from. Example: "(e2 - e1) / e1" -> "(112,400 - 107,000) / 107,000"."""
    said = {piece.id: _operand_text(piece, made.evidence) for piece in made.evidence}
    return _OPERAND.sub(lambda found: said.get(found.group(), found.group()), made.formula)


def _made_of(candidate: Candidate) -> str:
    """What a value that stands nowhere was computed of: each operand with its name, else the column and its rows."""
    if len(candidate.evidence) < 2:
        told = "".join(map(_basis_text, candidate.evidence))
        return f" ({told.removeprefix('(').removesuffix(')') if told.startswith('(') else told})" if told else ""
    named = ((_operand_text(piece, candidate.evidence), one_line(piece.label)) for piece in candidate.evidence)
    return f" = {formula_text(candidate)} ({'; '.join(': '.join(filter(None, each)) for each in named)})"


def _basis_text(piece: Evidence) -> str:
    """What a value over rows rests on, each part once: a column's label may begin with what is quoted of it."""
    label, quote = one_line(piece.label), one_line(piece.quote)
    if label in quote or label.startswith(quote):
        return max(label, quote, key=len)
    return f"{label}: {quote}"


def _operand_text(piece: Evidence, others: Sequence[Evidence]) -> str:
    """A value as it was computed with; its scale where not all have the same."""
    if piece.value is None:
        return piece.quote
    scales = {other.scale for other in others if other.value is not None}
    text = number_text(piece.value, "", piece.scale if len(scales) > 1 else 1)
    return f"({text})" if text.startswith("-") else text


def _result_text(answer: Answer) -> str:
    return f" = {answer.result:,f}" if answer.result is not None else ""


def _print_steps(console: Console, answer: Answer) -> None:
    """The five steps, who decided, and the time that each part took."""
    console.print()
    _print_step(console, "restate", f"{answer.kind}: {answer.asks}")
    for piece in answer.evidence:
        _print_step(console, piece.id, _evidence_line(piece))
    if answer.formula:
        _print_step(console, "compute", f"{answer.formula}{_result_text(answer)}")
    _print_step(console, "answer", answer.text)
    if answer.status == "answered":
        sureness = f"confidence {answer.confidence:.2f}"
        _print_step(console, "present", f"{sureness} · by {DECIDERS[answer.decided_by]}")
    spent = ", ".join(f"{name} {spent_ms:.0f} ms" for name, spent_ms in answer.timings_ms.items())
    _print_step(console, "time", spent)


def _evidence_line(piece: Evidence) -> str:
    quote = f"“{piece.quote}”" if piece.quote else ""
    said = number_text(piece.value, piece.unit, piece.scale) if piece.value is not None else quote
    return "  ".join(filter(None, (said, piece.label.strip(), f"[{piece.source}]")))


def _print_step(console: Console, name: str, text: str) -> None:
    print_hanging(console, foreign(f"{name:>9}  ", "dim"), foreign(one_line(text)))


def _print_faithfulness(console: Console, answer: Answer, explain: bool) -> None:
    """The level in one line where words were generated; each check that failed; all checks where all is explained.

    What the built-in reader quotes or computes is always near its passage: there the level says nothing.
    """
    if (found := answer.faithfulness) is None:
        return
    said = [] if answer.decided_by == "built-in" else [f"faithfulness {found.level} ({found.score:.2f})"]
    if explain:
        said += [f"{check.checked - len(check.failed)} of {check.checked} {check.name}" for check in found.checks]
    said += [f"{check.name} not borne out: {', '.join(check.failed)}" for check in found.checks if check.failed]
    if said:
        console.print()
        print_wrapped(console, foreign(" · ".join(said), _faithfulness_style(found)))


def _faithfulness_style(found: Faithfulness) -> str:
    return "yellow" if found.level == "risk" else "dim"
