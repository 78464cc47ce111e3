"""The lines that a citation names are lines of the file, and hold what is cited."""

import json
from pathlib import Path

import pytest
from cited_lines import cited_sentences, is_held, read_document
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mixrag_cli.chunking import chunk_document
from mixrag_cli.line_marks import lines_between, narrow_to
from mixrag_cli.readers.lined_text import LINE_END, LinedText, join_lined
from mixrag_cli.records.places import LineMarks, Locator

ROOT = Path(__file__).parent.parent
NORTHMERE = ROOT / "tests" / "samples" / "northmere"
REAL = [
    *sorted(path for path in NORTHMERE.rglob("*") if path.suffix in (".md", ".html", ".txt", ".py")),
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "mixrag_cli" / "models" / "bundled" / "CARD.md",
    ROOT / "tests" / "samples" / "README.md",
    ROOT / "mixrag_cli" / "settings.py",
]

# Each word occurs once in a file, so that no other line can hold it.
MARKDOWN_PARTS = (
    "---\ntitle: {0}\nkind: {1}\n---",
    "# {0} {1}",
    "{0}\n{1}\n=====",
    "{0} *{1}*\nand `{2}\n{3}` go on. {4}",
    "- {0}\n\n  {1}\n\n\n- {2}\n  goes {3}\n    - {4}",
    "3. {0}\n4. {1}",
    "<!-- {0}\n{1} -->",
    "<div>\n\n{0}\n\n<p>{1}\n<b>{2}</b></p>\n</div>",
    "[{0}]: http://{1}.org\n   '{2}'",
    "> {0}\n> {1}\n\nlazy {2}",
    "```py\n{0} = 1\n\n{1} = 2\n```",
    "![{0}](a.png)\n{1} [{2}](b.html\n'{3}') {4}",
    "<img\nalt=x\n> {0}\n{1}",
    "    {0}\n\n    {1}",
    "{0} ends. {1} begins\nand &amp; {2} ends. {3}",
    "{0}<sup>2</sup>\n{1}<sup>\n3</sup> {2}",
)
HTML_PARTS = (
    "<p>{0}\n {1}. {2}\n</p>",
    "<h2\n class='x'>{0}\n{1}</h2>",
    "<!-- {0}\n\n{1} -->",
    "<ul>\n<li>{0}\n<li><p>{1}\n{2}</p>\n</ul>",
    "<script>\n{0}\n</script>\n<div>{1}<br>{2}\n\n\n{3}</div>",
    "<pre>\n{0}\n\n {1}\n</pre>",
    "<table><tr><td>\n{0}</table>",
    "<p>{0}. <!-- \n -->{1} &lt; {2}.\n<i>{3}\n</i></p>",
    "<dl><dt>{0}\n<dd>\n{1}\n{2}</dl>",
    "<p>{0}<sup>2</sup>\n{1}<sup>\n3</sup> {2}</p>",
)
TEXT_PARTS = (
    "{0} {1}.\n{2}",
    "{0}\n=======",
    "=======\n{0}\n=======\n\n{1}",
    "  - {0}\n    {1}\n  - {2}",
    "{0}::\n\n    {1}\n\n    {2}",
    ".. image:: x\n   :alt: y\n\n{0}",
    "\t{0}\n\n\n\n{1}",
)
RST_PARTS = (
    "{0} {1}\n{2}" + "-" * 30,
    "=" * 40 + "\n {0} {1}\n" + "=" * 40 + "\n\n{2}",
    "{0} ``{1}`` *{2}*\n:ref:`{3} <x>`. {4}",
    ".. note:: {0}\n   {1}\n\n   {2}",
    ".. code-block:: py\n   :name: a\n\n   {0} = 1\n\n   {1} = 2\n\n{2}",
    ".. _{0}:\n\n{1}\n{2}",
    "{0}\n    {1}\n    {2}\n\n{3}\n    {4}",
    ":{0}: {1}\n:{2}:\n    {3}",
    "#. {0}\n#. {1}\n\n   {2}\n* {3}",
    "| {0}\n| {1}\n  {2}",
    "{0} [1]_\n\n.. [1] {1}\n   {2}",
    "+------------+------------+\n| {0:<10} | {1:<10} |\n+============+============+\n| {2:<10} | {3:<10} |\n"
    "+------------+------------+",
    "============  ============\n{0:<12}  {1}\n============  ============\n{2:<12}  {3}\n============  ============",
    ".. csv-table:: {0}\n   :header: {1}, {2}\n\n   {3}, {4}",
    ".. {0}\n   {1}",
    "-v, --{0}  {1}\n           {2}\n--{3}     {4}",
    "{0}::\n\n  {1}\n\n\n  {2}\n\n{3}",
    ">>> {0}\n{1}\n\n{2}",
    ".. |{0}| replace:: {1}\n\n----------\n\n{2}",
)
ORG_PARTS = (
    "* {0} {1}\n** TODO {2}",
    "{0} *{1}* /{2}/\n=({3})= goes on. {4}",
    "- {0}\n  {1}\n- [ ] {2}\n  1. {3}",
    "#+TITLE: {0}\n#+BEGIN_SRC py\n{1} = 1\n\n{2} = 2\n#+END_SRC",
    "| {0} | {1} |\n|---+---|\n| {2} | {3} |",
    ":PROPERTIES:\n:{0}: {1}\n:END:",
    "[[http://{0}.org][{1}\n{2}]] {3}",
    "#+BEGIN_QUOTE\n{0}\n{1}\n#+END_QUOTE",
)
TEX_PARTS = (
    "\\section{{{0} {1}}}",
    "\\subsection*{{{0}\n{1}}}",
    "{0} \\emph{{{1}}}\n\\textbf{{{2}}} ends. {3}",
    "\\begin{{itemize}}\n\\item {0}\n  {1}\n\\item {2}\n\\end{{itemize}}",
    "% {0}\n{1}~\\cite{{{2}}}\n{3}",
    "\\begin{{tabular}}{{ll}}\n{0} & {1} \\\\\n{2} & {3} \\\\\n\\end{{tabular}}",
    "$ {0} = {1} $\n\\[ {2} \\]\n{3}",
    "\\footnote{{{0}\n{1}}} {2}",
)


def files_of(parts: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Files put together from the parts, blank lines between them, every word another."""

    def fill(chosen: list[tuple[str, int]]) -> str:
        words = (f"word{number}x" for number in range(10_000))
        return "".join(part.format(*(next(words) for _ in range(5))) + "\n" * gap for part, gap in chosen)

    return st.lists(st.tuples(st.sampled_from(parts), st.integers(2, 4)), min_size=1, max_size=9).map(fill)


def check_every_citation(name: str, raw: bytes) -> int:
    lines = raw.decode().split("\n")
    count = 0
    for text, where in cited_sentences(name, raw):
        assert where.lines is not None, text
        assert is_held(text, lines, where.lines), (where.lines, text)
        count += 1
    return count


PROPERTY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@PROPERTY
@given(files_of(MARKDOWN_PARTS))
def test_a_markdown_citation_holds_its_sentence(text: str) -> None:
    check_every_citation("a.md", text.encode())


@PROPERTY
@given(files_of(HTML_PARTS))
def test_an_html_citation_holds_its_sentence(text: str) -> None:
    check_every_citation("a.html", text.encode())


@PROPERTY
@given(files_of(TEXT_PARTS))
def test_a_text_citation_holds_its_sentence(text: str) -> None:
    check_every_citation("a.txt", text.encode())


@PROPERTY
@given(files_of(RST_PARTS))
def test_a_citation_of_restructured_text_holds_its_sentence(text: str) -> None:
    check_every_citation("a.rst", text.encode())


@PROPERTY
@given(files_of(ORG_PARTS))
def test_a_citation_of_org_text_holds_its_sentence(text: str) -> None:
    check_every_citation("a.org", text.encode())


@PROPERTY
@given(files_of(TEX_PARTS))
def test_a_citation_of_tex_holds_its_sentence(text: str) -> None:
    check_every_citation("a.tex", text.encode())


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_real_files_hold_what_is_cited(path: Path) -> None:
    assert check_every_citation(path.name, path.read_bytes()) > 3


def test_a_row_of_an_html_table_is_cited_by_the_lines_of_its_texts() -> None:
    page = "<table>\n<tr><th>a<th>b</tr>\n<tr>\n<td>\nx\n</td>\n<td>1\n2</td></tr>\n</table>"
    (grid,) = read_document("a.html", page.encode()).grids
    assert [(cell.text, cell.line, cell.last_line) for cell in grid.cells] == [
        ("a", 2, None),
        ("b", 2, None),
        ("x", 5, None),
        ("1 2", 7, 8),
    ]


def test_a_cell_of_a_notebook_is_cited_by_its_number() -> None:
    cells = [{"cell_type": "markdown", "source": "# Title\n\nSome words."}, {"cell_type": "code", "source": "x = 1"}]
    document = read_document("a.ipynb", json.dumps({"cells": cells}).encode())
    assert [(block.text, block.locator.cell, block.locator.lines) for block in document.blocks] == [
        ("Title", 1, None),
        ("Some words.", 1, None),
        ("x = 1", 2, None),
    ]
    chunks = chunk_document(
        document, [], document_id="d", path="a.ipynb", count_tokens=lambda text: len(text.split()), window=200
    )
    assert [(chunk.locator.cell, chunk.locator.last_cell) for chunk in chunks] == [(1, 2)]


def test_text_keeps_its_lines_through_cutting_joining_and_replacing() -> None:
    text = LinedText.from_lines("a\nb\n\nc", 7)
    assert text.sub(LINE_END, " ") == LinedText("a b  c", ((0, 7), (2, 8), (4, 9), (5, 10)))
    assert text.cut(2, 4) == LinedText("b\n", ((0, 8),))
    assert text.without_blank_lines() == LinedText("a\nb\nc", ((0, 7), (2, 8), (4, 10)))
    assert join_lined([text.cut(5, 6), text.cut(0, 1)], "|") == LinedText("c|a", ((0, 10), (2, 7)))
    assert text.after("- ").marks[:2] == ((0, 7), (4, 8))


def test_a_place_is_narrowed_by_its_marks_or_by_counting_where_it_has_none() -> None:
    marked = Locator((0, 6), lines=(3, 9), marks=LineMarks((0, 4), (3, 9)))
    assert narrow_to(marked, "a b c d", 4, 5).lines == (9, 9)
    assert narrow_to(Locator((0, 3), lines=(3, 5)), "a\nb\nc", 2, 3).lines == (4, 4)
    assert lines_between(LineMarks(), 0, 5) is None
    assert Locator.from_json(marked.to_plain()) == marked
    assert "marks" not in marked.to_json()
