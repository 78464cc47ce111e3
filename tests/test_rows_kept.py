"""Every row of sheets and csv files can be found: first rows below long headings, corners, feet, comments, units."""

from __future__ import annotations

import io
from collections.abc import Sequence

import openpyxl

from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.tables import Table
from tests.evidence_samples import read_bytes
from tests.table_samples import lefts, to_table, tops

Row = Sequence[str | float | None]
WINDOW = 160
QUESTIONS = [
    "#12: Shall the lower mill be let to the guild of coopers for three years, with the option of a further two",
    "#14: Shall the toll for carts with more than two axles be raised to the one that the neighbouring parish asks",
    "#15: Shall the bell be recast before the feast, as the warden proposes, from the bequest of the late miller",
]
BALLOT = "\n".join(
    [
        ",".join(["house", *(f'"{question}"' for question in QUESTIONS)]),
        *(f"{house},yes,yes,{vote}" for house, vote in zip("ABCDEF", ("no", "yes") * 3, strict=True)),
    ]
)


def read_csv(text: str) -> tuple[list[Chunk], list[Table]]:
    chunks, tables, _ = read_bytes("rows.csv", text.encode(), WINDOW)
    return list(chunks), list(tables.values())


def read_rows(rows: Sequence[Row]) -> tuple[list[Chunk], list[Table]]:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(list(row))
    raw = io.BytesIO()
    book.save(raw)
    chunks, tables, _ = read_bytes("rows.xlsx", raw.getvalue(), WINDOW)
    return list(chunks), list(tables.values())


def test_the_first_row_below_headings_as_long_as_sentences_is_a_row() -> None:
    chunks, (table,) = read_csv(BALLOT)
    assert tops(table)[-3:] == [(question,) for question in QUESTIONS]
    assert lefts(table) == [(house,) for house in "ABCDEF"]
    assert {chunk.locator.lines for chunk in chunks if chunk.text.startswith("house A")} == {(2, 2)}


def test_long_texts_above_texts_that_do_not_repeat_are_no_headings() -> None:
    words = [f"{at} {'word ' * 14}" for at in range(16)]
    rows = [[words[4 * row + at] for at in range(4)] for row in range(4)]
    assert to_table([*rows, ["port", "river", "weir", "lock"], ["Hull", "Rye", "Deal", "Ely"]]).rows


def test_the_corner_of_a_header_is_searched_with_the_table() -> None:
    chunks, _ = read_csv("Appropriations within caps,2012,2013\nClerk,120,130\nMayor,90,95\n")
    (whole,) = [chunk for chunk in chunks if chunk.kind == "table"]
    assert "Appropriations within caps" in f"{whole.text} {whole.words}"


def test_a_foot_of_a_date_alone_is_found() -> None:
    chunks, _ = read_rows(
        [["Port", "2022", "2023"], ["Hull", 5, 6], ["Rye", 8, 9], ["Deal", 4, 2], [None, "07/17/13", None, "SHEET 4"]]
    )
    assert any("07/17/13" in chunk.text and chunk.locator.cells for chunk in chunks)


def test_a_note_below_a_sheets_table_does_not_say_the_table_again() -> None:
    rows: list[Row] = [["Catches of the harbour"], [], ["Port", "2022", "2023"], ["Hull", 512, 613], ["Rye", 84, 95]]
    chunks, _ = read_rows([*rows, [], [], ["The catches of strangers are not counted."]])
    prose = [chunk.text for chunk in chunks if chunk.kind == "prose"]
    assert any("strangers" in text for text in prose) and any("Catches of the harbour" in text for text in prose)
    assert not any("512" in text for text in prose)


def test_comments_above_the_header_of_a_csv_are_text_and_its_caption() -> None:
    chunks, (table,) = read_csv(
        "# Warming potentials, in tonnes,,\n#  Sources: the fifth report,,\nSpecies,SAR,TAR\nCH4,21,23\nN2O,310,296\n"
    )
    assert (table.title, tops(table), lefts(table)) == (
        "Warming potentials, in tonnes",
        [("Species",), ("SAR",), ("TAR",)],
        [("CH4",), ("N2O",)],
    )
    (told,) = [chunk for chunk in chunks if chunk.kind == "prose"]
    assert (told.text, told.locator.lines) == ("Warming potentials, in tonnes\nSources: the fifth report", (1, 2))
    assert [chunk.locator.lines for chunk in chunks if chunk.kind == "row"] == [(4, 4), (5, 5)]


def test_a_header_that_begins_with_the_sign_of_comments_is_the_header() -> None:
    _, (table,) = read_csv("## made by hand\n#name,start,end\nAda,10,12\nBob,7,9\n")
    assert [path[-1] for path in tops(table)][-2:] == ["start", "end"]
    assert lefts(table) == [("Ada",), ("Bob",)]


def test_a_file_of_comments_alone_is_text() -> None:
    chunks, _ = read_csv("# nothing, here\n# and nothing, there\n")
    assert any("and nothing" in chunk.text for chunk in chunks)


def test_a_list_below_a_line_of_texts_is_no_table() -> None:
    chunks, tables = read_rows([["Select quarter", "Q2"], [], ["Q1"], ["Q2"], ["Q3"]])
    assert tables == []
    assert any("Select quarter | Q2" in chunk.text for chunk in chunks)


def test_a_unit_above_headings_that_stand_apart_is_kept() -> None:
    rows: list[Row] = [[None, None, None, "$ million"], [None, "Notes", "2022", "2023"], [], []]
    chunks, (table,) = read_rows([*rows, ["Profit", "a", 120, 131], ["Tax", None, 30, 34], ["Dividend", "b", 11, 12]])
    assert tops(table) == [("Notes",), ("2022",), ("2023",)]
    assert (table.unit, table.scale) == ("USD", 10**6)
    assert any("$ million" in chunk.text for chunk in chunks)


def test_headings_over_five_staggered_lines_name_the_rows_below_a_blank_one() -> None:
    rows: list[Row] = [
        [None, None, "Europe", None, "North", None],
        [None, None, None, None, "America", None],
        [None, None, None, None, None, "Rest of"],
        [None, None, None, "Rest of", None, "North"],
        [None, None, "UK", "Europe", "US", "America"],
        [],
        ["Land", None, 12, 13, 14, 15],
        ["Wells", None, 22, 23, 24, 25],
        ["Total", None, 34, 36, 38, 40],
    ]
    _, (table,) = read_rows(rows)
    assert [path[-1] for path in tops(table)] == ["UK", "Europe", "US", "America"]
    assert lefts(table) == [("Land",), ("Wells",), ("Total",)]


def test_a_short_corner_is_not_taken_for_a_part_of_another_word() -> None:
    chunks, _ = read_csv("or,Words,Orders\nHull,12,13\nRye,14,15\n")
    (whole,) = [chunk for chunk in chunks if chunk.kind == "table"]
    assert "or" in f"{whole.text} {whole.words}".split()


def test_texts_of_a_sheet_that_share_a_passage_name_their_cells() -> None:
    rows: list[Row] = [["Port", "2022", "2023"], ["Hull", 512, 613], ["Rye", 84, 95], [], [], []]
    chunks, _ = read_rows([*rows, ["Strangers are not counted."], [], [], [None, 20180118.5]])
    (told,) = [chunk for chunk in chunks if chunk.kind == "prose" and "Strangers" in chunk.text]
    assert ("20180118.5" in told.text, told.locator.cells) == (True, "A7:B10")
