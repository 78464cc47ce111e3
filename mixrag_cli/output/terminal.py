"""Records -> lines for people: places, tables, and what the store holds.

Each function prints one record on a console from make_console. Foreign strings are cleaned where they become Text.
"""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table as Layout
from rich.text import Text

from mixrag_cli.cleaning import safe_text
from mixrag_cli.output.console import foreign
from mixrag_cli.output.formats import formats_text
from mixrag_cli.output.lines import Locate, one_line, print_reference
from mixrag_cli.output.places import place_of
from mixrag_cli.output.table_view import facts_layout, table_layout
from mixrag_cli.quantities.shown import unit_text
from mixrag_cli.records.files import READ_BY_OLDER, Skipped
from mixrag_cli.records.tables import Table

if TYPE_CHECKING:
    from mixrag_cli.retrieval.calibration import Calibration
    from mixrag_cli.stories.freshness import DiskChanges
    from mixrag_cli.stories.inspection import ListedFile, StoreStatus
    from mixrag_cli.stories.showing import Passage

MAX_NOTES = 8  # long tables told one by one
FACT_INDENT = 11
PATHS = ("store", "folder")  # facts that are one
FILE_STYLES = {"stale": "yellow", "gone": "red", "skipped": "red", "left_out": "dim", "empty": "dim"}
ORIGINS = {
    "shipped": "shipped with the program",
    "collection": "fitted without labels",
    "labels": "fitted to labels",
}


def print_passage(console: Console, passage: Passage, locate: Locate) -> None:
    """The cited place between its neighbours, and its tables with the cited cells marked."""
    print_reference(console, "", passage.path, passage.locator, locate)
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
    console.print(foreign(one_line(table.title) or "(table without a title)", "bold"))
    if told := unit_text(table.unit, table.scale):
        console.print(foreign(f"in {told}", "dim"))
    layout, left_out = table_layout(console, table, highlight)
    console.print(layout)
    for note in (*table.notes, *([left_out] if left_out else [])):
        console.print(foreign(one_line(note), "dim"))
    console.print()


def print_tables(console: Console, path: str, tables: Sequence[Table]) -> None:
    """One line a table found in the file: its place, size, title, unit and how sure its headers are; then the facts."""
    if not tables:
        console.print(foreign(f"No tables found in {path}.", "yellow"))
        return
    layout = Layout(box=None, pad_edge=False, header_style="dim")
    for name in ("place", "size", "sure", "title", "unit"):
        layout.add_column(name, overflow="fold", no_wrap=name in ("size", "sure"))
    for table in tables:
        rows = max(table.total_rows, len(table.rows))
        if table.kind == "table":
            layout.add_row(
                foreign(place_of(table.locator)),
                f"{rows:,}×{len(table.columns)}",
                f"{table.confidence:.2f}",
                foreign(one_line(table.title)),
                foreign(unit_text(table.unit, table.scale)),
            )
    if layout.row_count:
        console.print(layout)
    for table in tables:
        if table.kind == "facts":
            place = f" in {place_of(table.locator)}" if table.locator.cell else ""
            console.print(f"{len(table.rows):,} {'fact' if len(table.rows) == 1 else 'facts'}{place}", style="bold")
            console.print(facts_layout(table))


def print_files(console: Console, files: Sequence[ListedFile]) -> None:
    """One line a file; the path comes last and whole, so that it can be copied. A terminal gets a head."""
    if console.is_terminal and files:
        console.print(Text(f"{'state':<8}  {'kind':<8}  {'passages':>8}  {'size':>8}  path", style="dim"))
    for each in files:
        style = FILE_STYLES.get(each.state, "")
        facts = f"{each.state:<8}  {each.modality or '-':<8}  {each.passages:>8,}  {size_text(each.bytes):>8}  "
        console.print(Text(facts, style=style) + foreign(each.path) + foreign(_why(each), "dim"), soft_wrap=True)


def _why(file: ListedFile) -> str:
    told = "; ".join(filter(None, (file.reason, *file.encodings)))
    return f"  ({told})" if told else ""


def print_status(
    console: Console, status: StoreStatus, *, list_skipped: bool = False, list_changed: bool = False
) -> None:
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
        ("calibrated", origin_text(status.calibration)),
        ("answers", f"as sure as {status.judged_answers:,} judged ones say" if status.judged_answers else ""),
        ("unreadable", f"{len(status.skipped):,}"),
        ("left out", f"{len(status.left_out) - sum(status.no_reader.values()):,} by rule"),
        ("no reader", formats_text(status.no_reader)),
        ("run", _run_text(status)),
        ("on disk", _changes_text(status.changes)),
    ]
    facts += _noted("rows", status.partly, "long tables") + _noted("encoding", status.encodings, "texts")
    if status.stale:
        facts.append(("stale", f"{status.stale:,} could not be read again; their old text is kept"))
    for name, value in facts:
        if value:
            _print_fact(console, name, value)
    if list_changed:
        print_lines(console, (f"{kind:<8} {path}" for kind, paths in _by_kind(status.changes) for path in paths))
    if list_skipped:
        print_skipped(console, (*status.skipped, *status.left_out))
    elif status.skipped or status.left_out:
        console.print(Text("which and why: mixrag status --skipped", style="dim"))


def _noted(name: str, notes: Sequence[str], kind: str) -> list[tuple[str, str]]:
    """The first notes of a kind as facts, and how many more there are."""
    more = f"and {len(notes) - MAX_NOTES:,} more {kind} (all: mixrag status --json)" if len(notes) > MAX_NOTES else ""
    return [*((name, note) for note in notes[:MAX_NOTES]), ("", more)]


def _by_kind(changes: DiskChanges) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (
        ("new", changes.new),
        ("changed", changes.changed),
        ("gone", changes.gone),
        (READ_BY_OLDER, changes.outdated),
        ("stale", changes.stale),
    )


def _run_text(status: StoreStatus) -> str:
    """What is to be known of the last index run; "" where it came to its end."""
    if status.writing_since is not None:
        return f"under way since {time.strftime('%H:%M', time.localtime(status.writing_since))}"
    return "stopped before its end (to go on: mixrag index)" if status.run == "stopped" else ""


def _changes_text(changes: DiskChanges) -> str:
    """How the files differ from the index, and what to do. Example: "3 changed, 1 gone (names: …; to bring in: …)"."""
    if not changes.has_any:
        return "as indexed"
    counts = ", ".join(f"{len(paths):,} {kind}" for kind, paths in _by_kind(changes)[:-1] if paths)
    return f"{counts} (names: mixrag status --changed; to bring in: mixrag index)"


def origin_text(calibration: Calibration) -> str:
    """Where the thresholds come from. Example: "fitted without labels on 61 questions"."""
    on = f" on {calibration.questions:,} questions" if calibration.questions else ""
    return ORIGINS.get(calibration.origin, calibration.origin) + on


def _print_fact(console: Console, name: str, value: str) -> None:
    """One fact, on a terminal with its further lines indented; a path stays whole, so that it can be copied."""
    told = safe_text(value)
    if console.is_terminal and name not in PATHS:
        lines = textwrap.wrap(told, max(20, console.width - FACT_INDENT), break_long_words=False)
        told = ("\n" + " " * FACT_INDENT).join(lines)
    console.print(Text(f"{name:<{FACT_INDENT}}", style="dim") + Text(told), soft_wrap=True)


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
