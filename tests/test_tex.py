"""TeX sources: what commands, units and macros show, and tables whose cells hold more than text."""

from __future__ import annotations

import pytest

from mixrag_cli.readers.text_markup.tex_text import shown
from tests.bounded import assert_in_line
from tests.test_readers_text import read

SHIFTS = r"""\documentclass{article}
\newcommand{\Sr}[1]{${}^{#1}$Sr}
\newcommand{\line}[2][blue]{the #1 \SI{#2}{\nm} line}
\begin{document}
\section{Shifts of the \SI{461}{\nm} ``Blue'' Line}
\begin{table}
\caption{Isotope shifts of \line{461}.}
\label{tab:shifts}
\begin{tabular}{lc}
\toprule
Isotope & $\nu - \nu_{88}$ [\si{\MHz}] \\
\midrule
\Sr{88} & \num{0} \\
\Sr{84} & \num{-270.9} \\
\bottomrule
\end{tabular}
\end{table}
The oven of \Sr{88} is at \SIrange{450}{750}{\celsius}. % of 2014
\begin{verbatim}
make \SI{1}{\nm}
\end{verbatim}
\end{document}
"""
COUNTS = r"""
\begin{tabular}{lcc}
\textbf{Method} & \textbf{\bigcell{c}{True \\ Positives}} & \makecell[l]{False \\ Positives} \\
\hline
Swarm & 237705 & \begin{tabular}{@{}c@{}}53 \\ 56\end{tabular} \\
Furthest \& nearest & \multicolumn{2}{p{2cm}}{\cmark} \\
\end{tabular}
"""


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"\SI{481}{\nano\metre} and \qty{1.5}{\kg\per\metre\cubed}", "481 nm and 1.5 kg/m³"),
        (r"\si{\per\cm}, \unit{\us}, \ang{30}, \num{44.0+-1.7e3}", "1/cm, µs, 30°, 44.0 ± 1.7e3"),
        (r"$^{88}$Sr, CO$_2$, \ce{H2O}, $10^{-3}$ m$^2$, $t_{\text{max}}$", "⁸⁸Sr, CO2, H2O, 10⁻³ m², t_max"),
        (r"$\alpha \approx \frac{1}{2}$, $\frac{a+b}{c}$, $\sin x \leq 1$", "α ≈ 1/2, (a+b)/c, sin x ≤ 1"),
        (r"M\"uller, Bront\"{e}, \v{S}koda, stra\ss e", "Müller, Brontë, Škoda, straße"),
        (r"\Rb{87} by \ours{} \textcolor{red}{in \textbf{bold}}~\cite{Lee2020}", "Rb 87 by ours in bold Lee2020"),
        (r"\href{http://a.b/c_d}{the site}, \url{http://a.b/c_d}, \verb|x_y|", "the site, http://a.b/c_d, x_y"),
        (r"\title{} \author{Ann Lee} \keywords{", "author: Ann Lee keywords:"),
        (r"open {brace and \textbf{bold", "open brace and bold"),
        (r"closed} brace, 5\,\% of \$3 --- a_b", "closed brace, 5 % of $3 — a_b"),
    ],
)
def test_what_tex_shows(source: str, text: str) -> None:
    assert shown(source) == text


def test_a_tex_document_is_read_as_it_is_shown_on_its_lines() -> None:
    document = read("a.tex", SHIFTS)
    assert [(block.kind, block.text.split("\n"), block.locator.lines) for block in document.blocks] == [
        ("heading", ['Shifts of the 461 nm "Blue" Line'], (5, 5)),
        ("paragraph", ["Isotope shifts of the blue 461 nm line."], (7, 7)),
        ("table", ["Isotope | ν - ν88 [MHz]", "", "⁸⁸Sr | 0", "⁸⁴Sr | -270.9"], (11, 14)),
        ("paragraph", ["The oven of ⁸⁸Sr is at 450 – 750 °C.", "", "make \\SI{1}{\\nm}"], (18, 20)),
    ]
    (grid,) = document.grids
    assert grid.caption == "Isotope shifts of the blue 461 nm line."


def test_a_cell_ends_at_no_line_end_within_its_braces() -> None:
    (grid,) = read("a.tex", COUNTS).grids
    rows: dict[int, list[str]] = {}
    for cell in grid.cells:
        rows.setdefault(cell.row, []).append(cell.text)
    assert rows == {
        0: ["Method", "True Positives", "False Positives"],
        1: ["Swarm", "237705", "53 56"],
        2: ["Furthest & nearest", "cmark"],
    }
    assert {cell.text for cell in grid.cells if cell.is_header} == {"Method", "True Positives", "False Positives"}


def test_a_tabu_is_a_table_whose_blank_lines_part_nothing() -> None:
    begin = "\\begin{tabu} to \\linewidth {|X[0.5]|X[3,l]|}"
    text = f"{begin}\n\\hline\nPart & Cost \\\\\\hline\nPump & \\$12 \\\\\\hline\n\nValve & \\$3 \\\\\n\\end{{tabu}}\n"
    (grid,) = read("a.tex", text).grids
    assert [(cell.text, cell.line) for cell in grid.cells] == [
        ("Part", 3),
        ("Cost", 3),
        ("Pump", 4),
        ("$12", 4),
        ("Valve", 6),
        ("$3", 6),
    ]


def test_a_brace_that_is_never_closed_joins_no_rows() -> None:
    text = "\\begin{tabular}{ll}\nPort & \\textbf{Ships \\\\\n\\hline\nBrook & 12 \\\\\nHull & 7 \\\\\n\\end{tabular}\n"
    (grid,) = read("a.tex", text).grids
    assert [cell.text for cell in grid.cells] == ["Port", "Ships", "Brook", "12", "Hull", "7"]


@pytest.mark.parametrize(
    "text",
    [
        "\\'" * 9_000,
        "{" * 19_000,
        "\\num{" + " " * 19_000 + "}",
        "\\begin{tabular}{l}\n" * 8_000,
        "\\newcommand{\\a}{\\b\\b}\\newcommand{\\b}{\\a\\a}\n" + "\\a\n" * 8_000,
    ],
)
def test_no_tex_costs_more_than_its_length(text: str) -> None:
    assert_in_line(lambda part: read("a.tex", part), text)
