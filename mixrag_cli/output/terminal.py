"""Records -> lines for people: the answer first, then what it rests on.

Each function prints one record on a console from make_console. Foreign strings are cleaned where they become Text.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table as Layout
from rich.text import Text

from mixrag_cli.output.console import file_link, foreign, linked
from mixrag_cli.output.formats import formats_text
from mixrag_cli.output.places import place_of, reference, short_id
from mixrag_cli.output.table_view import table_layout
from mixrag_cli.recap.present import number_text, unit_text
from mixrag_cli.records import Answer, Evidence, Faithfulness, Hit, Locator, Skipped, Source, Table

if TYPE_CHECKING:
    from mixrag_cli.pipeline.inspection import StoreStatus
    from mixrag_cli.pipeline.session import SearchResult
    from mixrag_cli.pipeline.showing import Passage
    from mixrag_cli.retrieval.calibration import Calibration

Locate = Callable[[str], Path | None]  # display path -> the indexed file on this disk

QUOTE_CHARACTERS = 240  # of a cited passage under its reference: two or three lines
HIT_CHARACTERS = 320
NARROWEST_TEXT = 10  # columns; beside a mark on a terminal that is hardly one
MAX_NOTES = 8  # long tables told one by one
SHORTEST_MARKED_WORD = 3  # of a query, in search hits: "of" and "in" would light up everything
WORD = re.compile(r"\w+")
DECIDERS = {"built-in": "the built-in reader", "calculator": "the calculator", "model": "the generator"}
ORIGINS = {
    "shipped": "shipped with the program",
    "collection": "fitted without labels",
    "labels": "fitted to labels",
}
BLANKS = re.compile(r"\s+")


def print_answer(console: Console, answer: Answer, locate: Locate, *, explain: bool = False) -> None:
    """The answer, how it was computed, its sources; for an abstention the reason and what was near."""
    if answer.status == "abstained":
        print_abstention(console, answer, locate)
    else:
        console.print(foreign(answer.text, "bold green", keep_newlines=True))
        if answer.present and answer.present != answer.text:
            console.print(foreign(answer.present, keep_newlines=True))
        if answer.formula or explain:
            _print_steps(console, answer, explain)
        print_sources(console, answer.sources, locate)
        _print_faithfulness(console, answer.faithfulness, explain)
    for warning in (*answer.degraded, *answer.warnings):
        console.print(foreign(f"note: {warning}", "yellow"))


def print_abstention(console: Console, answer: Answer, locate: Locate) -> None:
    """Why there is no answer, and the nearest passages."""
    console.print(foreign(f"No answer: {answer.text}", "bold yellow"))
    if answer.refused:
        console.print()
        console.print("Nearest passages, not good enough to answer from:")
    for hit in answer.refused:
        _print_reference(console, "  - ", hit.path, hit.chunk.locator, locate)
        _print_indented(console, foreign(_clip(hit.chunk.text, QUOTE_CHARACTERS), "dim"), 4)


def _print_steps(console: Console, answer: Answer, explain: bool) -> None:
    console.print()
    if explain:
        _print_step(console, "restate", f"{answer.kind}: {answer.asks}")
    for piece in answer.evidence:
        _print_step(console, piece.id, _evidence_line(piece))
    if answer.formula:
        result = f" = {answer.result:,f}" if answer.result is not None else ""
        _print_step(console, "compute", f"{answer.formula}{result}")
    if explain:
        _print_step(console, "answer", answer.text)
        sureness = f"confidence {answer.confidence:.2f}"
        _print_step(console, "present", f"{sureness} · by {DECIDERS[answer.decided_by]}")
        spent = ", ".join(f"{name} {spent_ms:.0f} ms" for name, spent_ms in answer.timings_ms.items())
        _print_step(console, "time", spent)


def _evidence_line(piece: Evidence) -> str:
    said = number_text(piece.value, piece.unit, piece.scale) if piece.value is not None else f"“{piece.quote}”"
    return f"{said}  {piece.label}  [{piece.source}]"


def _print_step(console: Console, name: str, text: str) -> None:
    _print_hanging(console, foreign(f"{name:>9}  ", "dim"), foreign(_one_line(text)))


def print_sources(console: Console, sources: Sequence[Source], locate: Locate) -> None:
    """The cited passages, each under its reference."""
    if sources:
        console.print()
    for source in sources:
        _print_reference(console, f"[{source.ref}] ", source.hit.path, source.locator, locate)
        _print_indented(console, foreign(_clip(source.text, QUOTE_CHARACTERS), "dim"), 4)


def _print_faithfulness(console: Console, found: Faithfulness | None, explain: bool) -> None:
    """The level in one line, and each check that failed; what was checked where everything is explained."""
    if found is None:
        return
    style = {"high": "dim", "borderline": "dim", "risk": "yellow"}[found.level]
    said = [f"faithfulness {found.level} ({found.score:.2f})"]
    if explain:
        said += [f"{check.checked - len(check.failed)} of {check.checked} {check.name}" for check in found.checks]
    said += [f"{check.name} not borne out: {', '.join(check.failed)}" for check in found.checks if check.failed]
    console.print()
    console.print(foreign(" · ".join(said), style))


def _print_reference(console: Console, mark: str, path: str, locator: Locator, locate: Locate, after: str = "") -> None:
    """One line, never broken: it is meant to be copied into `mixrag show`."""
    target = file_link(locate(path), locator.page) if console.is_terminal else None
    line = Text(mark) + linked(reference(path, locator), target, "cyan") + foreign(after, "dim")
    console.print(line, soft_wrap=True)


def _print_indented(console: Console, content: Text, columns: int) -> None:
    _print_hanging(console, Text(" " * columns), content)


def _print_hanging(console: Console, mark: Text, content: Text) -> None:
    """The text beside its mark, wrapped to the width, with no blanks at the ends of lines."""
    indent = mark.cell_len
    for line in content.wrap(console, max(console.width - indent, NARROWEST_TEXT)):
        line.rstrip()
        console.print(mark + line, soft_wrap=True)
        mark = Text(" " * indent)


def print_search(console: Console, result: SearchResult, locate: Locate) -> None:
    """The ranked passages with their scores, the query's words marked."""
    if not result.hits:
        console.print(foreign("No passages found.", "yellow"))
    words = [word for word in WORD.findall(result.query) if len(word) >= SHORTEST_MARKED_WORD]
    for rank, hit in enumerate(result.hits, 1):
        _print_reference(console, f"{rank:>2}  ", hit.path, hit.chunk.locator, locate, f"  {_scores(hit)}")
        if hit.chunk.context:
            _print_indented(console, foreign(_one_line(hit.chunk.context), "dim"), 4)
        text = foreign(_clip(hit.chunk.text, HIT_CHARACTERS))
        text.highlight_words(words, "bold", case_sensitive=False)
        _print_indented(console, text, 4)
    for warning in (*result.degraded, *result.warnings):
        console.print(foreign(f"note: {warning}", "yellow"))


def _scores(hit: Hit) -> str:
    each = " · ".join(f"{name} {score:.2f}" for name, score in hit.scores.items())
    return f"{short_id(hit.chunk.id)}  {hit.score:.2f}" + (f" ({each})" if each else "")


def print_passage(console: Console, passage: Passage, locate: Locate) -> None:
    """The cited place between its neighbours, and its tables with the cited cells marked."""
    _print_reference(console, "", passage.path, passage.locator, locate)
    if passage.title and passage.title != passage.path:
        console.print(foreign(passage.title, "bold"))
    console.print()
    if passage.modality != "sheet" or not passage.tables:  # a sheet's text says what its table shows better
        _print_passage_text(console, passage)
    for table in passage.tables:
        _print_table(console, table, passage.highlight)


def _print_passage_text(console: Console, passage: Passage) -> None:
    for text, style in ((passage.context_before, "dim"), (passage.text, ""), (passage.context_after, "dim")):
        if text:
            console.print(foreign(text, style, keep_newlines=True))
            console.print()


def _print_table(console: Console, table: Table, highlight: Sequence[str] = ()) -> None:
    console.print(foreign(_one_line(table.title) or "(table without a title)", "bold"))
    if told := unit_text(table.unit, table.scale):
        console.print(foreign(f"in {told}", "dim"))
    layout, left_out = table_layout(console, table, highlight)
    console.print(layout)
    for note in (*table.notes, *([left_out] if left_out else [])):
        console.print(foreign(_one_line(note), "dim"))
    console.print()


def print_tables(console: Console, path: str, tables: Sequence[Table]) -> None:
    """One line a table found in the file: its place, size, title, unit and how sure its headers are."""
    if not tables:
        console.print(foreign(f"No tables found in {path}.", "yellow"))
        return
    layout = Layout(box=None, pad_edge=False, header_style="dim")
    for name in ("place", "size", "sure", "title", "unit"):
        layout.add_column(name, overflow="fold", no_wrap=name in ("size", "sure"))
    for table in tables:
        rows = max(table.total_rows, len(table.rows))
        layout.add_row(
            foreign(place_of(table.locator)),
            f"{rows:,}×{len(table.columns)}",
            f"{table.confidence:.2f}",
            foreign(_one_line(table.title)),
            foreign(unit_text(table.unit, table.scale)),
        )
    console.print(layout)


def print_status(console: Console, status: StoreStatus, *, list_skipped: bool = False) -> None:
    """What the store holds, how old it is, and how much is not in it."""
    kinds = ", ".join(f"{count} {modality}" for modality, count in status.by_modality.items())
    facts = [
        ("store", str(status.store)),
        *(("folder", root) for root in status.roots),
        ("files", f"{status.documents:,}" + (f" ({kinds})" if kinds else "")),
        ("passages", f"{status.chunks:,}"),
        ("size", size_text(status.bytes)),
        ("updated", f"{_age(status.updated)} by mixrag {status.program}"),
        *((f"{role}", name) for role, name in status.models.items()),
        ("thresholds", ", ".join(f"{name} {value:g}" for name, value in status.thresholds.items())),
        ("calibrated", origin_text(status.calibration)),
        ("unreadable", f"{len(status.skipped):,}"),
        ("left out", f"{len(status.left_out) - sum(status.no_reader.values()):,} by rule"),
        ("no reader", formats_text(status.no_reader)),
    ]
    facts += [("rows", note) for note in status.partly[:MAX_NOTES]]
    if len(status.partly) > MAX_NOTES:
        facts.append(("", f"and {len(status.partly) - MAX_NOTES:,} more long tables (all: mixrag status --json)"))
    if status.stale:
        facts.append(("stale", f"{status.stale:,} could not be read again; their old text is kept"))
    for name, value in facts:
        if value:
            _print_fact(console, name, value)
    if list_skipped:
        print_skipped(console, (*status.skipped, *status.left_out))
    elif status.skipped or status.left_out:
        console.print(Text("which and why: mixrag status --skipped", style="dim"))


def origin_text(calibration: Calibration) -> str:
    """Where the thresholds come from. Example: "fitted without labels on 61 questions"."""
    on = f" on {calibration.questions:,} questions" if calibration.questions else ""
    return ORIGINS.get(calibration.origin, calibration.origin) + on


def _print_fact(console: Console, name: str, value: str) -> None:
    console.print(Text(f"{name:<11}", style="dim") + foreign(value), soft_wrap=True)


def print_skipped(console: Console, skipped: Iterable[Skipped]) -> None:
    """One line a file that is not in the index: path, stable word, reason."""
    for each in skipped:
        console.print(foreign(f"{each.path}: {each.reason}") + foreign(f"  [{each.code}]", "dim"), soft_wrap=True)


def print_lines(console: Console, lines: Iterable[str]) -> None:
    """Foreign strings, cleaned, one a line."""
    for line in lines:
        console.print(foreign(line), soft_wrap=True)


def print_findings(console: Console, findings: Iterable[tuple[str, str, str, str]]) -> None:
    """Rows of (state, name, detail, remedy) with state "ok", "warn" or "fail"."""
    marks = {"ok": ("ok  ", "green"), "warn": ("warn", "yellow"), "fail": ("FAIL", "bold red")}
    for state, name, detail, remedy in findings:
        mark, style = marks[state]
        console.print(Text(mark, style=style) + foreign(f"  {name}: {detail}"), soft_wrap=True)
        if remedy:
            console.print(foreign(f"      try: {remedy}"), soft_wrap=True)


def size_text(size_bytes: int) -> str:
    """Bytes for people. Example: size_text(34_200_000) -> "34.2 MB"."""
    size = float(size_bytes)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


def _age(updated: float) -> str:
    """The moment in local time, and how long ago. A clock that went back gives no negative age."""
    seconds = max(0.0, time.time() - updated)
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            count = int(seconds // length)
            ago = f"{count} {unit}{'' if count == 1 else 's'} ago"
            break
    else:
        ago = "just now"
    return f"{time.strftime('%Y-%m-%d %H:%M', time.localtime(updated))} ({ago})"


def _one_line(text: str) -> str:
    return BLANKS.sub(" ", text).strip()


def _clip(text: str, length: int) -> str:
    flat = _one_line(text)
    return flat if len(flat) <= length else flat[: length - 1].rstrip() + "…"
