"""Manual pages in roff, with the macros of man and of mdoc: what a reader of the page sees, with its lines."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from mixrag_cli.readers import ReadSource, reader_for
from mixrag_cli.readers.text_markup.roff_lines import inline, mdoc_line
from mixrag_cli.records.documents import Document
from tests.bounded import assert_in_line
from tests.cli_fixtures import run_here

MAN = r""".\" A licence.
.TH "PUMP" "8" "May 2025" "Mill 2" "Manual"
.de XX
not text
..
.SH NAME
pump \- move water
.SH "OPTIONS AND KEYS"
The options are
.BR stop (1)
and:
.TP 8n
\fB\-p\fR \fIport\fR, \fB\-\-port\fR=\fIport\fR
The port to listen on.
The default is 8080. \" a remark
.IP \(bu
A bullet.
.SS Examples
.nf
pump \-p 1

pump
.fi
.TS
tab(;);
l l.
Key;Meaning
_
<;T{
half the
speed
T}
>;double the speed
.TE
"""
MDOC = r""".Dd May 1, 2025
.Dt PUMP 8
.Sh NAME
.Nm pump
.Nd move water
.Sh SYNOPSIS
.Nm
.Op Fl p Ar port
.Op Oo Fl f Oc Ar file
.Sh DESCRIPTION
.Nm
reads
.Pa /etc/pump.conf .
See
.Xr stop 1 ,
and
.Dq a note .
.Bl -tag -width 4n
.It Fl p , Fl -port Ns = Ns Ar port
A port
.Pq Ql :\&
number.
.El
"""


def read(text: str, name: str) -> Document:
    return reader_for(name)(ReadSource(name, len(text.encode()), io.BytesIO(text.encode())))


def test_a_page_is_read_as_it_is_shown() -> None:
    document = read(MAN, "pump.8")
    assert document.title == "pump(8)"
    assert [(block.kind, block.text, block.heading_path, block.locator.lines) for block in document.blocks[:-1]] == [
        ("heading", "NAME", (), (6, 6)),
        ("paragraph", "pump - move water", ("NAME",), (7, 7)),
        ("heading", "OPTIONS AND KEYS", (), (8, 8)),
        ("paragraph", "The options are stop(1) and:", ("OPTIONS AND KEYS",), (9, 11)),
        (
            "list",
            "-p port, --port=port: The port to listen on. The default is 8080.",
            ("OPTIONS AND KEYS",),
            (13, 15),
        ),
        ("list", "- A bullet.", ("OPTIONS AND KEYS",), (17, 17)),
        ("heading", "Examples", ("OPTIONS AND KEYS",), (18, 18)),
        ("code", "pump -p 1\n\npump", ("OPTIONS AND KEYS", "Examples"), (20, 22)),
    ]
    (grid,) = document.grids
    assert [(cell.row, cell.text, cell.is_header, cell.line) for cell in grid.cells] == [
        (0, "Key", True, 27),
        (0, "Meaning", True, 27),
        (1, "<", False, 29),
        (1, "half the speed", False, 29),
        (2, ">", False, 33),
        (2, "double the speed", False, 33),
    ]
    assert ("OPTIONS AND KEYS", "-p port, --port=port") in [fact.path for fact in document.facts]


def test_the_macros_of_mdoc_are_read_as_they_are_shown() -> None:
    assert [(block.text, block.locator.lines) for block in read(MDOC, "pump.8").blocks if block.kind != "heading"] == [
        ("pump – move water", (4, 5)),
        ("pump [-p port] [[-f] file]", (7, 9)),
        ("pump reads /etc/pump.conf. See stop(1), and “a note”.", (11, 17)),
        ("-p, --port=port: A port (':') number.", (19, 22)),
    ]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"\fBa\fR\-b \(lqc\(rq \[bu] \e \~d\&.", "a-b “c” • \\  d."),
        (r"\f[B]a\f(CW\s-1b\s0\*(XX\[u2014]", "ab—"),
        ("plain", "plain"),
    ],
)
def test_escapes_are_the_signs_that_they_stand_for(source: str, shown: str) -> None:
    assert inline(source) == shown


def test_a_request_that_neither_package_has_shows_nothing() -> None:
    assert mdoc_line("zz", "words", "pump") == ""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("notes.txt", ".SH is a macro of roff.\n.TH is another.\n"),
        ("a.1", "TH pump\nSH none\n"),
        ("x.log", ".TH alone\n"),
    ],
)
def test_what_names_no_page_before_its_sections_is_plain_text(name: str, text: str) -> None:
    assert read(text, name).text.strip().startswith(text[:3])


@pytest.mark.slow
@pytest.mark.parametrize("line", [".TP\n\\fBa\\fR\nb\n", ".It Fl a\n", ".TS\n", "\\(lq" * 8 + "\n", '."' * 9 + "\n"])
def test_a_long_page_takes_time_in_line_with_its_size(line: str) -> None:
    assert_in_line(lambda lines: read(f".TH A 1\n.SH B\n{lines}", "a.1"), line * 2_000)


def test_a_key_of_a_page_is_explained(tmp_path: Path) -> None:
    (tmp_path / "pump.8").write_text(MAN)
    assert run_here("index", cwd=tmp_path).returncode == 0
    asked = run_here("ask", "What is the default port that pump listens on?", cwd=tmp_path)
    assert b"8080" in asked.stdout, asked.stdout
