"""Plain text and data files read as text, by what their lines show: blank lines, underlines, top-level keys.

Nothing is ever parsed into objects here: a JSON or YAML file stays text (and a syntax tree, for its settings), so
neither its depth, its size nor its tags can do anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter

from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.code import add_code
from mixrag_cli.readers.decoding import decoding_warnings, read_decoded
from mixrag_cli.readers.facts.build_files import collect_build_facts
from mixrag_cli.readers.facts.comments import comment_begin
from mixrag_cli.readers.facts.line_settings import LINE_SHAPED as SETTINGS_LINES
from mixrag_cli.readers.facts.line_settings import settings_form
from mixrag_cli.readers.facts.markup import is_xml
from mixrag_cli.readers.facts.settings import collect_settings
from mixrag_cli.readers.languages import is_script
from mixrag_cli.readers.lines import MAX_BLOCK_LINES, add_lines, line_runs, trim_blank, without_measured_runs
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.readers.text_markup.asciidoc import SUFFIXES as ASCIIDOC
from mixrag_cli.readers.text_markup.asciidoc import asciidoc_tables, head_attributes, heading_lines, with_attributes
from mixrag_cli.readers.text_markup.man_pages import add_man_page, is_man_page
from mixrag_cli.readers.text_markup.numbered_headings import RELEASE_STYLE, find_numbered_headings
from mixrag_cli.readers.text_markup.rst_markup import with_substitutions
from mixrag_cli.readers.text_markup.rst_tables import directive_tables
from mixrag_cli.readers.text_markup.tex_source import SUFFIXES as TEX
from mixrag_cli.readers.text_markup.tex_source import read_tex, tex_headings
from mixrag_cli.readers.text_markup.text_tables import parted_by_tables
from mixrag_cli.readers.text_markup.wiki import SUFFIXES as WIKI
from mixrag_cli.readers.text_markup.wiki import wiki_headings, wiki_tables
from mixrag_cli.readers.text_markup.written_xml import WrittenXml, read_written_xml
from mixrag_cli.records.documents import BlockKind, Document, FactColumn, Grid

BEAT_BLOCKS = 2000
ATTRIBUTES = re.compile(r"\[(?:[A-Z]{3,9}|[^\]]*[,=][^\]]*)\]$")  # AsciiDoc's, above the edge of a block
UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_<>])\1{2,}[ \t]*$")
LIST_ITEM = re.compile(r"[ \t]{0,8}(?:[-*+•]|\d{1,3}[.)]|#\.)[ \t]+\S")
# reStructuredText that no one reads: link targets, images, lines of badges, rules
UNREAD = re.compile(
    r"\.\. (?:\||_|image::|raw::|contents::|meta::)|(?:\|[^|\n]{1,80}\|[_ \t]{0,4}){1,40}$|([-=*_~])\1{3,}[ \t]*$"
)
RST_DIRECTIVE = re.compile(r"[ \t]*\.\. [\w:+.-]{1,40}::")
RST_CODE = re.compile(r"[ \t]*\.\. (?:code|code-block|sourcecode|parsed-literal|math|highlight|doctest)::")
NO_LITERAL = 1_000_000  # an indentation that no line goes beyond
# A small entry is no section of its own: a translation file of 10,000 one-line keys is not 10,000 sections.
MIN_SECTION_LINES = 4

JSON_KEY = re.compile(r"([ \t]{1,8})\"([^\"\\]{1,200})\"[ \t]{0,4}:")
YAML_KEY = re.compile(r"([\w\"'./][^:#\n]{0,200}):(?:[ \t]|$)")
BRACKET_SECTION = re.compile(r"[ \t]{0,4}\[{1,2}([^\]\n]{1,200})\]")
CSS_RULE = re.compile(r"([^\s{}/;][^{};\n]{0,200})\{")
SQL_STATEMENT = re.compile(
    r"((?:create|alter)[ \t]+(?:or[ \t]+replace[ \t]+)?(?:temp(?:orary)?[ \t]+|unique[ \t]+)?[a-z]{2,20}[ \t]+"
    r"(?:if[ \t]+not[ \t]+exists[ \t]+)?[^\s(;]{1,200}"
    r"|insert[ \t]+into[ \t]+[^\s(;]{1,200}|select|with|update|delete)\b",
    re.IGNORECASE,
)
SECTION_STARTS = {
    **dict.fromkeys(("yaml", "yml"), YAML_KEY),
    **dict.fromkeys(("toml", *SETTINGS_LINES), BRACKET_SECTION),
    **dict.fromkeys(("css", "scss", "less", "sass"), CSS_RULE),
    "sql": SQL_STATEMENT,
}
SECTION_COMMENTS = dict.fromkeys(("css", "scss", "less", "sass"), "//")  # "#menu," is none there
# Formats whose headings are lines of their own: what comes before the title says the level.
ORG_HEADING = re.compile(r"(\*{1,9})[ \t]+(\S[^\n]{0,200})")
DATA = frozenset(("yaml", "yml", "json", "geojson", "toml"))
LINE_SHAPED = frozenset(("log", "jsonl", "ndjson", "json", "geojson", "xml", "svg", "srt", "vtt"))

FORMED = frozenset((*SECTION_STARTS, "org", *TEX, *LINE_SHAPED, *ASCIIDOC, *WIKI, "rst"))  # told by their suffix


def read_text(source: ReadSource) -> Document:
    """The document of a text or data file, or of a script whose first line names its interpreter.

    Above the text limit only the beginning is read, and a warning says so.
    Raises FileUnreadable("binary").
    """
    decoded = read_decoded(source, may_cut=True)
    is_code = is_script(decoded.text)
    builder = DocumentBuilder("code" if is_code else "text")
    builder.warnings += [*decoding_warnings(decoded), *cut_note(source)]
    (add_code if is_code else add_text)(builder, decoded.text, source.suffix, source.beat)
    collect_build_facts(builder.facts, decoded.text.split("\n"), source.name.lower())
    return builder.build()


def read_text_alone(source: ReadSource) -> Document:
    """Any text file by its lines alone, without headings, tables and facts: the second reader.

    Raises FileUnreadable("binary").
    """
    decoded = read_decoded(source, may_cut=True)
    builder = DocumentBuilder("text")
    builder.warnings += [*decoding_warnings(decoded), *cut_note(source)]
    lines = decoded.text.split("\n")
    for span in line_runs(lines, 0, len(lines)):
        add_lines(builder, lines, span, "code")
    return builder.build()


def cut_note(source: ReadSource) -> list[str]:
    """What a person should know of a text above the limit; [] of any other."""
    limit = source.limits.max_text_file_mb
    is_cut = source.size > source.limits.max_text_bytes
    return [f"larger than {limit} MB, only the beginning is indexed, as text"] if is_cut else []


def add_text(
    builder: DocumentBuilder, text: str, suffix: str, beat: Callable[[int, int], None], settings: str | None = None
) -> None:
    """Add the text's blocks in the way of files with that suffix; the builder's title is set by the first heading.

    settings: the text without what is told as a table, where there is such.
    """
    lines: Sequence[str] = text.split("\n")
    suffix = suffix if suffix in FORMED else settings_form(lines, is_named=bool(suffix)) or suffix
    if suffix in ASCIIDOC:
        lines = with_attributes(lines)
        for number, path, value in head_attributes(lines):
            builder.facts.add(path, "label", ("value", value, number))
    elif suffix not in TEX:
        lines = with_substitutions(lines)
    written = read_written_xml(text) if suffix != "svg" and suffix not in SECTION_STARTS and is_xml(text) else None
    if written is None:
        collect_settings(builder.facts, text if settings is None else settings, suffix, beat=beat)
    if written is not None:
        _add_headed(builder, written.lines, written.headings, beat, is_titled=False)
        _add_explained(builder, written)
    elif suffix not in SECTION_STARTS and suffix not in ("org", *TEX) and is_man_page(text):
        add_man_page(builder, lines, beat)
    elif suffix in SECTION_STARTS or suffix in ("json", "geojson"):
        lines = without_measured_runs(text).split("\n") if suffix in DATA else lines
        marks = SECTION_COMMENTS.get(suffix, "")
        _add_sections(
            builder, lines, [(comment_begin(lines, at, marks), name) for at, name in _section_starts(lines, suffix)]
        )
    elif suffix in ASCIIDOC:
        _add_headed(builder, lines, heading_lines(lines), beat)
    elif suffix in WIKI:
        _add_headed(builder, lines, wiki_headings(lines), beat, is_titled=False)  # a page is called as its file is
    elif suffix in TEX:
        tex = read_tex(text)
        builder.title = builder.title or tex.title
        _add_headed(builder, tex.lines, tex_headings(tex.lines), beat, said=tex.shown)
    elif suffix == "org":
        _add_headed(builder, lines, _org_headings(lines), beat)
    elif suffix in LINE_SHAPED or is_xml(text):
        for span in line_runs(lines, 0, len(lines)):
            add_lines(builder, lines, span, "code")
    else:
        _add_prose(builder, lines, (0, len(lines)), beat)


def _add_explained(builder: DocumentBuilder, written: WrittenXml) -> None:
    """The entries of a document's lists of terms as facts, below the headings that enclose them."""
    for entry in written.explained:
        path: list[tuple[int, str]] = []
        for line, level, heading in written.headings:
            if line < entry.line:
                path = [*(above for above in path if above[0] < level), (level, heading)]
        keys = (*(heading for _, heading in path), entry.term)
        is_option = entry.term.startswith("-")
        column: FactColumn = "help" if is_option else "value"
        builder.facts.add(keys, "option" if is_option else "definition", (column, entry.text, entry.line + 1))


def _add_headed(
    builder: DocumentBuilder,
    lines: Sequence[str],
    headings: Iterable[tuple[int, int, str]],
    beat: Callable[[int, int], None],
    *,
    is_titled: bool = True,
    said: Sequence[str] | None = None,
) -> None:
    """Sections below headings, each given with its line, from 0, and its level; what is between is read as prose.

    is_titled: whether the first heading is the title of the whole, on whatever level; one on the first always is.
    said: what the lines say to a reader, where that is not how they are written.
    """
    start = 0
    for number, level, title in headings:
        _add_prose(builder, lines, (start, number), beat, is_plain=False, said=said)
        if is_titled or level == 1:
            builder.entitle(title)
        builder.add_heading(title, level, lines=(number + 1, number + 1))
        start = number + 1
    _add_prose(builder, lines, (start, len(lines)), beat, is_plain=False, said=said)


def _org_headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    for number, line in enumerate(lines):
        if found := ORG_HEADING.match(line):
            yield number, len(found.group(1)), found.group(2).strip()


def _section_starts(lines: Sequence[str], suffix: str) -> Iterator[tuple[int, str]]:
    """The lines, from 0, that begin a top-level entry, each with the entry's name."""
    if suffix in ("json", "geojson"):
        indent = ""
        for number, line in enumerate(lines):
            found = JSON_KEY.match(line)
            if found and (not indent or found.group(1) == indent):
                indent = indent or found.group(1)
                yield number, found.group(2)
        return
    pattern = SECTION_STARTS[suffix]
    for number, line in enumerate(lines):
        if found := pattern.match(line):
            yield number, " ".join(found.group(1).strip(" \t\"'").split())


def _add_sections(builder: DocumentBuilder, lines: Sequence[str], starts: Iterable[tuple[int, str]]) -> None:
    """Sections from each start, with the comment right above it, to the next."""
    pending = 0  # lines from here on belong to entries too small to stand alone
    for (first, name), (last, _) in pairwise([*starts, (len(lines), "")]):
        if last - first < MIN_SECTION_LINES:
            continue
        add_lines(builder, lines, (pending, first), "code", ())
        add_lines(builder, lines, (first, last), "code", (name,))
        pending = last
    add_lines(builder, lines, (pending, len(lines)), "code", ())


def _add_prose(
    builder: DocumentBuilder,
    lines: Sequence[str],
    span: tuple[int, int],
    beat: Callable[[int, int], None],
    *,
    is_plain: bool = True,
    said: Sequence[str] | None = None,
) -> None:
    """Add lines as prose. is_plain: no markup says what its headings are: numbers may, and "::" opens a literal.

    said: as for _add_headed.
    """
    said = lines if said is None else said
    styles: list[str] = []  # heading styles in the order of their first use: that is their level
    numbered = find_numbered_headings(lines, *span) if is_plain else {}
    literal = NO_LITERAL
    for count, (first, last, grid) in enumerate(_runs_and_tables(lines, span)):
        if count % BEAT_BLOCKS == 0:
            beat(first, len(lines))
        if grid is not None:
            first, last = trim_blank(said, (first, last))
            builder.add("\n".join(said[first:last]), "table", grid=grid, lines=(first + 1, last))
            continue
        at = first
        first, text, style = _take_heading(lines, first, last)
        if not style and at in numbered:
            (text, style), first = numbered[at], at + 1
        if style:
            if style not in styles:
                styles.append(style)
            if style != RELEASE_STYLE:
                builder.entitle(text)
            line = first if at in numbered and first == at + 1 else first - 1
            builder.add_heading(text, styles.index(style) + 1, lines=(line, line))
        if first == last or (UNREAD.match(lines[first]) and _all_unread(lines, first, last)):
            continue
        indent = len(lines[first]) - len(lines[first].lstrip())
        literal = literal if indent > literal else NO_LITERAL
        opens_code = RST_CODE.match(lines[first]) is not None
        kind = "code" if opens_code or literal < NO_LITERAL else _kind_of(lines[first], last - first)
        if not (opens_code and last - first == 1):
            add_lines(builder, said, (first, last), kind)
        if literal == NO_LITERAL and (opens_code or (is_plain and _opens_literal(lines[last - 1]))):
            literal = indent


def _runs_and_tables(lines: Sequence[str], span: tuple[int, int]) -> Iterator[tuple[int, int, Grid | None]]:
    """The runs of lines in the span, [first, last) from 0; a table is a run of its own, with its grid."""
    first, last = span
    found = (*directive_tables(lines, *span), *asciidoc_tables(lines, *span), *wiki_tables(lines, *span))
    for table in sorted(found, key=attrgetter("first")):
        yield from _runs_and_drawn_tables(lines, (first, table.first))
        yield table.first, table.last, table.grid
        first = table.last
    yield from _runs_and_drawn_tables(lines, (first, last))


def _runs_and_drawn_tables(lines: Sequence[str], span: tuple[int, int]) -> Iterator[tuple[int, int, Grid | None]]:
    for first, last in line_runs(lines, *span):
        yield from parted_by_tables(lines, first, last)


def _opens_literal(line: str) -> bool:
    """Whether what is indented below the line stands as it is; what stands below a note's ".. note::" is text."""
    return line.rstrip().endswith("::") and RST_DIRECTIVE.match(line) is None


def _all_unread(lines: Sequence[str], first: int, last: int) -> bool:
    return all(UNREAD.match(line) or line[:1] in (" ", "\t") for line in lines[first:last])


def _kind_of(first_line: str, n_lines: int) -> BlockKind:
    if LIST_ITEM.match(first_line):
        return "list"
    return "code" if n_lines > MAX_BLOCK_LINES else "paragraph"  # no one writes such a paragraph: a log


def _take_heading(lines: Sequence[str], first: int, last: int) -> tuple[int, str, str]:
    """The line after a heading at the start of a run, the heading's text and style; first and "" if there is none."""
    over = UNDERLINE.match(lines[first])
    title = first + 1 if over else first
    if title + 1 >= last:
        return first, "", ""
    text = lines[title].strip()
    under = UNDERLINE.match(lines[title + 1])
    # docutils asks for an underline as long as its title; people are off by one or two
    is_heading = under is not None and len(text) <= 200 and len(lines[title + 1].rstrip()) >= len(text) - 2
    is_heading = is_heading and any(map(str.isalnum, text)) and not ATTRIBUTES.match(text)
    if not is_heading or under is None or (over and over.group(1) != under.group(1)) or UNDERLINE.match(text):
        return first, "", ""
    return title + 2, text, under.group(1) * (2 if over else 1)
