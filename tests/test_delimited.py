"""csv and tsv: dialects, encodings, damage, and a million rows in flat memory."""

from __future__ import annotations

import io
import random
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from mixrag_cli.chunking import chunk_document, chunk_row_lines
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.sheets import sampling
from mixrag_cli.readers.sheets.delimited import read_delimited
from mixrag_cli.readers.sheets.sampling import FULL_ROWS, fast_number
from mixrag_cli.readers.source import ReadLimits, ReadSource
from mixrag_cli.records.documents import Document
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table


def read(raw: bytes, name: str = "a.csv") -> Document:
    return read_delimited(ReadSource(name, len(raw), io.BytesIO(raw)))


def rows_of(document: Document) -> list[list[str]]:
    grid = document.grids[0]
    rows = [[""] * grid.n_columns for _ in range(grid.n_rows)]
    for cell in grid.cells:
        rows[cell.row][cell.column] = cell.text
    return rows


def table_of(document: Document) -> Table:
    table = grid_to_table(document.grids[0], document="d", title=document.title)
    assert table is not None
    return table


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (b"a,b\n1,2\n3,4\n", "a.csv"),
        (b"a;b\n1;2\n3;4\n", "a.csv"),
        (b"a\tb\n1\t2\n3\t4\n", "a.tsv"),
        (b"a|b\r\n1|2\r\n3|4\r\n", "a.csv"),
        (b"a,b\r1,2\r3,4", "a.csv"),
        (b'"a","b"\n"1","2"\n\n"3","4"\n', "a.csv"),
        (b"\xef\xbb\xbfa,b\n1,2\n3,4\n", "a.csv"),
        ("\ufeffa,b\n1,2\n3,4\n".encode("utf-16-le"), "a.csv"),
        ("\ufeffa,b\n1,2\n3,4\n".encode("utf-16-be"), "a.csv"),
        ("a,b\n1,2\n3,4\n".encode("utf-16-le"), "a.csv"),
        (b"a,b\n1,2\0\n3,4\n", "a.csv"),
    ],
)
def test_dialects_and_encodings(raw: bytes, name: str) -> None:
    assert rows_of(read(raw, name)) == [["a", "b"], ["1", "2"], ["3", "4"]]


def test_western_text_is_decoded_and_told() -> None:
    document = read("name,city\nJosé,Köln\nZoë,Málaga\n".encode("cp1252"))
    assert rows_of(document)[1:] == [["José", "Köln"], ["Zoë", "Málaga"]]
    assert "cp1252" in document.warnings[0]


def test_a_late_byte_that_is_no_utf8_is_found() -> None:
    raw = b"name,n\n" + b"plain,1\n" * 140_000 + "Müller,2\n".encode("cp1252")
    assert rows_of(read(raw))[-1] == ["Müller", "2"]


def test_semicolons_bring_decimal_commas() -> None:
    table = table_of(read(b"Land;Wert\nA;1.234,56\nB;12,5\n"))
    assert [cell.value for cell in table.cells if cell.column == 1] == [Decimal("1234.56"), Decimal("12.5")]


@pytest.mark.parametrize(
    ("raw", "values"),
    [
        (b"Name;Gehalt\nVogt;48.500\nRoth;41.250\n", ["48500", "41250"]),
        (b"Name;Gehalt\nVogt;48.500\nRoth;41.250\nLee;7.5\n", ["48.500", "41.250", "7.5"]),
        (b"Name,Weight\nVogt,48.500\nRoth,41.250\n", ["48.500", "41.250"]),
        (b"Name;Gehalt\n" + b"Vogt;48.500\n" * 6_000, ["48500"] * 100),
    ],
)
def test_points_before_three_digits_are_thousands_in_a_file_of_semicolons(raw: bytes, values: list[str]) -> None:
    cells = [cell for cell in table_of(read(raw)).cells if cell.column == 1]
    assert [cell.value for cell in cells][: len(values)] == [Decimal(value) for value in values]


def test_the_sums_of_a_long_file_are_of_the_mark_that_its_numbers_have() -> None:
    (grid,) = read(b"Name;Price\n" + b"A;2.50\n" * 6_000).grids
    assert grid.profiles[1].total == Decimal(15_000)


@pytest.mark.parametrize("first", ["sep=;", '"SEP=;"', "sep=|"])
def test_a_first_line_that_says_the_delimiter_is_no_row(first: str) -> None:
    mark = first.strip('"')[-1]
    document = read(f"{first}\nTea{mark}Units\nAssam{mark}120\n".encode())
    assert rows_of(document) == [["Tea", "Units"], ["Assam", "120"]]
    assert document.grids[0].locator.lines == (2, 3)


def test_ragged_rows_keep_all_their_fields_and_are_told_with_their_line() -> None:
    document = read(b"a,b,c\n1,2\n3,4,5,6\n7,8,9\n")
    assert rows_of(document) == [["a", "b", "c", ""], ["1", "2", "", ""], ["3", "4", "5", "6"], ["7", "8", "9", ""]]
    assert document.warnings[0] == "line 2: 2 fields where line 1 has 3"


def test_the_line_that_others_are_counted_by_is_none_of_a_title() -> None:
    document = read(b"Hydro power\n,,2000,2010\nAngola,GWh,1,2\nMalawi,GWh\nGhana\n")
    assert document.warnings == (
        "line 1: 1 field where line 2 has 4",
        "line 4: 2 fields where line 2 has 4",
        "3 rows have another number of fields than line 2",
    )


def test_a_first_row_one_field_short_names_all_columns_but_the_first() -> None:
    document = read(b"mpg\tcyl\nMazda\t21.0\t6\nDatsun\t22.8\t4\n", "cars.tsv")
    assert rows_of(document)[:2] == [["", "mpg", "cyl"], ["Mazda", "21.0", "6"]]
    assert document.warnings == (
        "line 1: names one column fewer than there are; the first is taken for the one without",
    )
    table = table_of(document)
    assert [(row.path, [cell.text for cell in table.cells if cell.row == row.index]) for row in table.rows] == [
        (("Mazda",), ["21.0", "6"]),
        (("Datsun",), ["22.8", "4"]),
    ]
    assert [column.path for column in table.columns] == [("mpg",), ("cyl",)]


@pytest.mark.parametrize(
    "raw", [b"a,b\n1,2,\n3,4,\n", b"Title\nx,1\ny,2\n", b"1,2\n3,4,5\n", b"a,b\n1,2,3\n4,5\n", b"a,b\n"]
)
def test_a_first_row_that_is_short_for_another_reason_stays_where_it_is(raw: bytes) -> None:
    document = read(raw)
    assert rows_of(document)[0][0] == raw.decode().split("\n")[0].split(",")[0]
    assert not any("the one without" in warning for warning in document.warnings)


@pytest.mark.parametrize("title", [b'"Stoneware";"week 24";"9-15 June"', b"Stock;30.05.2025"])
def test_a_first_row_apart_from_wider_ones_is_a_title_and_names_no_column(title: bytes) -> None:
    document = read(title + b"\n\nName;Task;Hours;Job\nAnn;glazing;18;0121\nBob;packing;11,5;0117\nAnn;photos;3;-\n")
    table = table_of(document)
    assert table.title == title.decode().replace('"', "")
    assert [column.leaf for column in table.columns][-3:] == ["Task", "Hours", "Job"]
    assert not document.warnings


ACCOUNT = ("Umsatzanzeige;Datei vom: 05.04.2024", "IBAN;DE12 5001 0517", "Saldo;4.812,07;EUR")
POSTED = "Buchung;Empfänger;Zweck;Saldo;Währung;Betrag\n"
POSTED += "28.03.2024;Stadtwerke;Abschlag;4.812,07;EUR;-129,50\n22.03.2024;Bäckerei;Sommerfest;4.941,57;EUR;-86,40\n"


@pytest.mark.parametrize(("end", "n_lines"), [("\n", 1), ("\n\n", 2), (";;;\n", 1)])
def test_names_with_values_above_wider_rows_are_text_and_name_no_column(end: str, n_lines: int) -> None:
    document = read(("".join(line + end for line in ACCOUNT) + POSTED).encode("cp1252"))
    table = table_of(document)
    assert [column.leaf for column in table.columns][-3:] == ["Saldo", "Währung", "Betrag"]
    assert [(cell.text, cell.line) for cell in table.cells][-1] == ("-86,40", 3 * n_lines + 3)
    assert document.blocks[0].text.splitlines()[1:] == ["IBAN: DE12 5001 0517", "Saldo: 4.812,07 EUR"]
    assert [value.line for fact in document.facts for value in fact.values][:2] == [1, 1 + n_lines]


@pytest.mark.parametrize(
    "raw",
    [
        b"Month,Sales\nJan,10\nFeb,12\nItem,Kind,Size,Price\nA,b,2,3\nC,d,4,5\n",  # another table
        b"Name,Post\nAnn,clerk\nBob,cook,night,Leeds\nEve,mayor,day,York\n",  # columns without names
        b"a,b,c,d\n1,,,\n2,3,4,5\n",
    ],
)
def test_narrow_rows_that_are_no_head_stay_where_they_are(raw: bytes) -> None:
    assert rows_of(read(raw))[0][0] == raw.decode().split(",")[0]


NAMES = "I [A],z [cm],Bx [G],I [A],z [cm],Bx [G]\n1.5,62,0.1,1.5,62,-0.72\n1.5,63,-0.14,1.5,63,-1.29\n"


@pytest.mark.parametrize("head", ["", "Plate test,,,,,\nseparation [in],2.19,,,,\ncenter [cm],67.75,,,,\n"])
def test_groups_above_names_that_are_said_again_part_them(head: str) -> None:
    table = table_of(read(f"{head}Coil 1,,,Coil 2,,\n{NAMES}".encode()))
    assert [column.path for column in table.columns][::3] == [("Coil 1", "I [A]"), ("Coil 2", "I [A]")]
    field = [(cell.text, cell.unit) for cell in table.cells if cell.column in (2, 5)]
    assert field == [("0.1", ""), ("-0.72", ""), ("-0.14", ""), ("-1.29", "")]  # and no cm of what stands above


def test_a_quoted_field_may_hold_lines_and_each_row_knows_its_line() -> None:
    document = read(b'a,b\n"x\ny",1\nz,2\n')
    assert rows_of(document)[1:] == [["x\ny", "1"], ["z", "2"]]
    assert [(cell.text, cell.line) for cell in document.grids[0].cells if cell.column == 1] == [
        ("b", 1),
        ("1", 2),
        ("2", 4),
    ]


@pytest.mark.parametrize("n_lines", [3, 4_000])
def test_a_quote_that_never_closes_loses_no_row(n_lines: int) -> None:
    raw = b'a,b\nok,1\n"open,2\n' + b"".join(b"row%d,3\n" % i for i in range(n_lines))
    document = read(raw)
    texts = [row[0] for row in rows_of(document)]
    assert texts[:4] == ["a", "ok", '"open', "row0"]
    assert texts[-1] == f"row{n_lines - 1}"
    assert document.warnings[0].startswith("line 3: a quote is never closed")


def test_a_field_beyond_the_csv_modules_limit() -> None:
    document = read(b"a,b\n" + b"x" * 300_000 + b",2\n")
    first, second = rows_of(document)[1]
    assert (len(first), second) == (10_000, "2")


@pytest.mark.parametrize("raw", [b"", b"\n\n", b"\xef\xbb\xbf", b" , ,\n"])
def test_nothing_but_blanks_gives_no_blocks(raw: bytes) -> None:
    assert [block for block in read(raw).blocks if block.text.strip()] == []


def test_a_header_alone_is_text_but_no_table() -> None:
    document = read(b"a,b,c\n")
    assert document.text == "a | b | c"
    assert grid_to_table(document.grids[0], document="d", title="") is None


def test_machine_code_is_refused() -> None:
    with pytest.raises(FileUnreadable) as caught:
        read(random.Random(1).randbytes(2_000).replace(b"a", b"\0\0\0") + bytes(2_000))
    assert caught.value.code == "binary"


def test_the_file_limit_holds() -> None:
    with pytest.raises(FileUnreadable) as caught:
        read_delimited(ReadSource("a.csv", 2_000_000, io.BytesIO(b""), limits=ReadLimits(max_file_mb=1)))
    assert caught.value.code == "too-large"


def test_wide_tables_become_several_grids_with_the_first_column_in_front() -> None:
    header = ",".join(f"c{i}" for i in range(1_000))
    line = ",".join(["key", *map(str, range(1, 1_000))])
    document = read(f"{header}\n{line}\n".encode())
    assert len(document.grids) == 8
    assert all(grid.n_columns <= 128 for grid in document.grids)
    assert {grid.cells[0].text for grid in document.grids} == {"c0"}
    assert {cell.text for grid in document.grids for cell in grid.cells} >= {f"c{i}" for i in range(1_000)}


def test_cells_of_a_long_file_that_its_lines_cut_are_counted() -> None:
    rows = b"1,short\n" * 6_000 + b"2," + b"The boiler leaks. " * 100 + b"\n"
    assert read(b"n,note\n" + rows).warnings[-1].endswith("; cells by their first 1,000 characters (1 are longer)")


def test_the_rest_of_a_text_too_long_for_a_table_stands_behind_it() -> None:
    note = "The boiler was seen to. " * 500 + "It leaks at the third valve."
    document = read(f'n,note\n1,short\n2,"{note}"\n'.encode())
    assert document.blocks[-1].text.endswith("It leaks at the third valve.")
    assert document.blocks[-1].locator.lines == (3, 3)
    assert document.warnings == ()


def test_cells_that_look_like_formulas_stay_as_they_are() -> None:
    assert rows_of(read(b"a,b\n=1+2,@x\n+3,-x\n"))[1:] == [["=1+2", "@x"], ["+3", "-x"]]


def test_long_files_are_sampled_and_profiled_over_all_rows() -> None:
    n = 4 * FULL_ROWS
    lines = ["name,amount,kind"] + [f"n{i},{i}.5,{'ab'[i % 2]}" for i in range(n)]
    lines[7_001] = "highest,1000000,b"
    document = read("\n".join(lines).encode())
    grid = document.grids[0]
    amounts = grid.profiles[1]
    assert (grid.total_rows, amounts.count, amounts.numbers) == (n + 1, n, n)
    assert grid.n_rows < 2_000
    assert amounts.total == sum((Decimal(i) + Decimal("0.5") for i in range(n) if i != 7_000), Decimal(1_000_000))
    assert (amounts.low, amounts.high) == (Decimal("0.5"), Decimal(1_000_000))
    assert rows_of(document)[amounts.high_row or 0][0] == "highest"
    assert grid.profiles[2].distinct == ("a", "b")
    table = table_of(document)
    assert table.total_rows == n
    assert table.rows[0].path == ("n0",)


def test_every_row_of_a_long_file_is_searched_by_words_with_its_lines() -> None:
    n = FULL_ROWS + 1_500
    raw = "\n".join(["town,heads"] + [f"town{i},{i}" for i in range(n)]).encode()
    document = read(raw)
    assert document.warnings == (
        f"{n + 1:,} rows searchable by words, {document.grids[0].n_rows:,} of them also by meaning",
    )
    tables = [(0, table_of(document))]
    count = lambda text: len(text.split())  # noqa: E731
    options = {"document_id": "d", "path": "long.csv", "count_tokens": count, "window": 256}
    chunks = chunk_document(document, tables, **options)
    lines = chunk_row_lines(document, tables, first=len(chunks), **options)
    told = [line for chunk in lines for line in chunk.text.split("\n")[1:]]
    assert told == [f"town{i} | {i}" for i in range(n)]
    assert all(chunk.text.startswith("town | heads\n") and count(chunk.text) <= 256 for chunk in lines)
    assert [chunk.position for chunk in (*chunks, *lines)] == list(range(len(chunks) + len(lines)))
    for chunk in lines:
        first, last = chunk.locator.lines
        assert raw.decode().split("\n")[first - 1 : last] == [
            row.replace(" | ", ",") for row in chunk.text.split("\n")[1:]
        ]
    assert {chunk.parent for chunk in lines} == {tables[0][1].id}
    assert all(chunk.is_words_only for chunk in lines)
    assert not any(chunk.is_words_only for chunk in chunks)


@pytest.mark.parametrize("title", ['"Heads by town, 2024"', "Heads by town,,", "Heads by town,,\n2024,,"])
def test_titles_above_a_long_table_are_its_caption(title: str) -> None:
    n = FULL_ROWS + 10
    document = read("\n".join([title, "town,heads,kind", *(f"town{i},{i},a" for i in range(n))]).encode())
    grid = document.grids[0]
    assert grid.caption.startswith("Heads by town")
    assert (grid.total_rows, rows_of(document)[0]) == (n + 1, ["town", "heads", "kind"])
    assert grid.row_lines[0].text == "town | heads | kind"
    assert grid.profiles[1].total == sum(range(n))
    table = table_of(document)
    assert [header.leaf for header in table.columns] == ["town", "heads", "kind"]
    assert table.total_rows == n
    assert document.warnings[-1] == f"{n + 1:,} rows searchable by words, {grid.n_rows:,} of them also by meaning"


def test_rows_beyond_the_limit_are_a_sample_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "MAX_WORD_ROWS", 6_000)
    document = read("\n".join(["a,b"] + [f"x{i},{i}" for i in range(7_000)]).encode())
    assert document.grids[0].row_lines == ()
    assert "of 7,001 rows searchable by words and meaning; all rows are counted" in document.warnings[0]


@pytest.mark.slow
def test_a_million_cells_do_not_raise_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    line = "{i},2020-01-01,region {r},12.5,{i}.25,text number {i},x,y,1,2\n"
    with path.open("w") as file:
        file.write("a,b,c,d,e,f,g,h,i,j\n")
        file.writelines(line.format(i=i, r=i % 7) for i in range(100_000))
    script = (
        "import sys, resource; from pathlib import Path; from mixrag_cli.readers.source import ReadSource\n"
        "from mixrag_cli.readers.sheets.delimited import read_delimited\n"
        "path = Path(sys.argv[1]); before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "with path.open('rb') as file: document = read_delimited(ReadSource(path.name, path.stat().st_size, file))\n"
        "print(document.grids[0].total_rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    command = [sys.executable, "-c", script, str(path)]
    run = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    rows, grown_kb = map(int, run.stdout.split())
    assert rows == 100_001
    assert grown_kb < 60_000


@pytest.mark.parametrize(
    ("text", "mark", "number"),
    [
        ("12", ".", "12"), ("-1.5", ".", "-1.5"), ("1,234", ".", "1234"), ("1.234,5", ",", "1234.5"),
        (".5", ".", "0.5"),
        ("1e-3", ".", "0.001"), ("00501", ".", None), ("123456789012345", ".", None), ("9" * 400, ".", None),
        ("1_000", ".", None), ("NaN", ".", None), ("2020-01-01", ".", None), ("abc", ".", None), ("", ".", None),
    ],
)  # fmt: skip
def test_machine_numbers_are_read_fast(text: str, mark: str, number: str | None) -> None:
    assert fast_number(text, mark) == (None if number is None else Decimal(number))


def test_what_marks_the_fields_of_a_pages_csv_is_taken_off() -> None:
    written = b"**Pin**;Signal;Note\n1;``SPI1``;\\-\n2;:ref:`the clock <clk>`;*to be added*\n"
    assert rows_of(read(written)) == [["Pin", "Signal", "Note"], ["1", "SPI1", "-"], ["2", "the clock", "to be added"]]
    plain = b"size;note\n2*3*4;a\\-b\n5 * 6;it's `x` and *y*\n"
    assert rows_of(read(plain)) == [["size", "note"], ["2*3*4", "a\\-b"], ["5 * 6", "it's `x` and *y*"]]
