"""A cited passage as people see it: running text round the deciding words, lines of code, or a slice of a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console

from mixrag_cli.output.console import foreign
from mixrag_cli.output.lines import (
    Locate,
    indent_of,
    marked_text,
    one_line,
    print_indented,
    print_layout,
    print_reference,
)
from mixrag_cli.output.marks import merged
from mixrag_cli.output.places import reference
from mixrag_cli.output.slices import Cited, deciding_cells, shortened
from mixrag_cli.output.snippets import Marked, cleaned, marked_words, snippet, whole
from mixrag_cli.output.table_view import Place, table_slice
from mixrag_cli.quantities.shown import unit_text
from mixrag_cli.quotes import find_quote
from mixrag_cli.records.answers import Source
from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.records.tables import Table

ANSWER_CHARACTERS = 480  # of the passage of an answer: a paragraph, six lines of a terminal
HIT_CHARACTERS = 320  # of a passage among others
OWN_KINDS = ("code", "table")  # chunks whose lines and indentation are kept, as are those of any text but these
FLOWING = frozenset(
    ["txt", "text", "rst", "adoc", "asciidoc", "org", "tex", "latex", "ltx", "textile", "wiki", "mediawiki", "wikitext"]
)
FLOWING_NAME = re.compile(r"README|LICEN[CS]E|COPYING|NOTICE|AUTHORS|CHANGES|CHANGELOG|NEWS|INSTALL|TODO")


@dataclass(frozen=True, slots=True)
class Behind:
    """What lies behind a citation. file: the indexed file of a display path. table: the table of an id."""

    file: Locate
    table: Callable[[str], Table | None]


def print_cited(
    console: Console,
    cited: Sequence[Cited],
    heads: Sequence[tuple[str, str]],
    behind: Behind,
    *,
    question: str = "",
    is_guess: bool = False,
    is_whole: bool = False,
) -> None:
    """Sources of one passage or table: their places, then the passage once, with the deciding words of all marked.

    heads: what stands before and after the place of each. question: what is asked of them, which decides on what of a
    table is shown. is_guess: the marked words may not be what is asked for, so that a long passage is shown where it
    speaks of that, too. is_whole: nothing of a passage is left out.
    """
    named: dict[tuple[str, str], list[tuple[Source, str]]] = {}
    for one, (before, told) in zip(cited, heads, strict=True):
        after = told + in_collection(one.source.hit)
        named.setdefault((reference(one.source.hit.path, one.source.locator), after), []).append((one.source, before))
    for (_, after), sources in named.items():
        first, before = sources[0][0], "".join(before for _, before in sources)
        print_reference(console, before, first.hit.path, first.locator, behind.file, after)
    chunk = cited[0].source.hit.chunk
    table = behind.table(chunk.parent) if chunk.parent else None
    parts = [deciding_cells(one, table, question, is_guess=is_guess) for one in cited] if table else []
    if table and (rows := {row for some, _ in parts for row in some}):
        _print_heading(console, chunk, "")
        cells = {cell for _, some in parts for cell in some}
        words = [word for one in cited for word in one.words]
        short = shortened(table, cells, words, question, console.width - indent_of(console))
        _print_slice(console, short, rows, cells, question)
        return
    keep_lines = keeps_lines(cited[0].source.hit)
    passages = [whole_passage(one) for one in cited]
    for number, text in enumerate(dict.fromkeys(passage.text for passage in passages)):
        marked = Marked(text, merged([mark for passage in passages if passage.text == text for mark in passage.marks]))
        if is_whole:
            shown = whole(marked, keep_lines=keep_lines)
        else:
            asked = marked_words(text, question).marks if is_guess else ()
            shown = snippet(marked, ANSWER_CHARACTERS, keep_lines=keep_lines, asked=asked)
        if not number:
            _print_heading(console, chunk, shown.text)
        print_indented(console, marked_text(shown))


def print_near(console: Console, hit: Hit, query: str, locate: Locate) -> None:
    """A hit's place, and the hit round the sentence that holds most of the query's words, these marked."""
    print_reference(console, "  - ", hit.path, hit.chunk.locator, locate, in_collection(hit))
    print_near_text(console, hit, query)


def print_near_text(console: Console, hit: Hit, query: str, *, whole: bool = False) -> None:
    """A hit round the sentence that holds most of the query's words, or whole; these words marked."""
    marked = marked_words(hit.chunk.text.rstrip(), query)
    shown = marked if whole else snippet(marked, HIT_CHARACTERS, keep_lines=keeps_lines(hit))
    _print_heading(console, hit.chunk, shown.text)
    print_indented(console, marked_text(shown))


def keeps_lines(hit: Hit) -> bool:
    """Whether a passage is shown in its own lines: code, a table's overview with a line a column, and settings, where
    the indentation says whose a key is."""
    if hit.chunk.kind in OWN_KINDS:
        return True
    name = hit.path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    flows = suffix.lower() in FLOWING if dot and stem else FLOWING_NAME.match(name.upper()) is not None
    return hit.chunk.kind == "prose" and hit.chunk.modality == "text" and not flows


def in_collection(hit: Hit) -> str:
    """Which collection the hit is of, where several were asked. Example: "  in papers"."""
    return f"  in {hit.collection}" if hit.collection else ""


def by_passage(cited: Sequence[Cited]) -> list[list[Cited]]:
    """Sources of the same table, or of the same passage, together; in the order of their first."""
    groups: dict[tuple[str, str], list[Cited]] = {}
    for one in cited:
        hit = one.source.hit
        groups.setdefault((hit.collection + hit.path, hit.chunk.belongs_to), []).append(one)
    return list(groups.values())


def whole_passage(cited: Cited) -> Marked:
    """The passage that a source is quoted from, the deciding words marked in it; the quote itself where it has none.

    A quote that does not stand in its passage, such as a cell's path and value, is shown as it is.
    """
    source = cited.source
    text = source.hit.chunk.text
    at = None if source.text == text else find_quote(source.text, text)
    if at is None:
        return cleaned(source.text, cited.marks)
    start, end = at
    found = [mark for word in cited.words if (mark := find_quote(word, text[start:end]))]
    return cleaned(text, [(start + left, start + right) for left, right in found] or [at])


def _print_heading(console: Console, chunk: Chunk, shown: str) -> None:
    """The headings above a passage, unless what is shown of it begins with them itself."""
    context = one_line(chunk.context)
    if context and context != one_line(shown.partition("\n")[0]):
        print_indented(console, foreign(context, "dim"))


def _print_slice(console: Console, table: Table, rows: set[int], cells: set[Place], question: str) -> None:
    indent = indent_of(console)
    layout, left_out = table_slice(console, table, rows, cells, indent, question)
    if told := unit_text(table.unit, table.scale):
        print_indented(console, foreign(f"in {told}", "dim"))
    print_layout(console, layout, indent)
    if left_out:
        print_indented(console, foreign(left_out, "dim"))
