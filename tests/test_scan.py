"""Whole-column questions over a csv file: every row counts, exactly, and as the profiles count it."""

import io
from decimal import Decimal
from pathlib import Path

import pytest

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.sheets.delimited import find_dialect, read_delimited
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.tables.scan import Dialect, Filter, ScanResult, scan_column

TIPS = "day,smoker,total_bill,tip\nSun,No,16.99,1.01\nSat,Yes,38.01,3.00\nSun,yes ,10.34,1.66\nFri,No,38.01,2\n"
ODD_CELLS = (
    *("1", "-2.5", "+3", ".5", "5.", "1,234.50", "0", "0.1", "007", "-08", "1e3", "2.5E-2", "n/a", "", " 12 ", "-"),
    *("123456789012345", "12345678901234", "1_000", "3 apples", "2020-01-01", "0.1234567890123456789012345678901234"),
)


def scan(text: str, *arguments, **options) -> ScanResult:
    return scan_column(io.BytesIO(text.encode()), *arguments, **options)


@pytest.mark.parametrize(
    ("operation", "value"),
    [("sum", "103.35"), ("average", "25.8375"), ("maximum", "38.01"), ("minimum", "10.34"), ("count", "4")],
)
def test_each_operation_over_all_rows(operation, value):
    found = scan(TIPS, 2, operation)
    assert (found.value, found.n_records, found.n_rows) == (Decimal(value), 4, 4)


def test_a_filter_on_text_knows_no_case_and_no_blanks():
    found = scan(TIPS, 2, "average", [Filter(1, "=", "YES")])
    assert (found.value, found.n_rows) == (Decimal("24.175"), 2)
    assert scan(TIPS, 2, "sum", [Filter(1, "!=", "yes")]).value == Decimal(55)
    assert scan(TIPS, 2, "count", [Filter(0, "matches", "s")]).value == 3


@pytest.mark.parametrize(("comparison", "n_rows"), [("=", 2), ("!=", 2), ("<", 2), ("<=", 4), (">", 0), (">=", 2)])
def test_a_filter_on_numbers_compares_values_and_not_texts(comparison, n_rows):
    assert scan(TIPS, 3, "sum", [Filter(2, comparison, Decimal("38.010"))]).n_rows == n_rows


def test_filters_hold_together_and_no_row_gives_no_value():
    found = scan(TIPS, 2, "average", [Filter(0, "=", "sun"), Filter(3, ">", Decimal("1.5"))])
    assert (found.value, found.n_rows) == (Decimal("10.34"), 1)
    nothing = scan(TIPS, 2, "sum", [Filter(0, "=", "monday")])
    assert (nothing.value, nothing.n_rows, nothing.n_records) == (None, 0, 4)


def test_the_best_row_comes_whole_and_of_equal_ones_the_first():
    best = scan(TIPS, 2, "maximum").row
    assert (best.record, best.value, best.cells) == (2, Decimal("38.01"), ("Sat", "Yes", "38.01", "3.00"))
    assert scan(TIPS, 3, "minimum").row.value == Decimal("1.01")
    assert scan(TIPS, 3, "sum").row is None


def test_numbers_are_the_ones_that_the_profile_of_a_large_sheet_counts(tmp_path):
    lines = [f'{number};"{cell}"' for number, cell in enumerate(ODD_CELLS * 300)]
    path = tmp_path / "odd.csv"
    path.write_text("\n".join(["id,amount", *(line.replace(";", ",", 1) for line in lines)]) + "\n")
    with path.open("rb") as file:
        document = read_delimited(ReadSource(path.name, path.stat().st_size, file))
    profile = document.grids[0].profiles[1]
    total = scan_column(path, 1, "sum")
    assert total.n_records == len(lines) == document.grids[0].total_rows - 1
    assert (total.n_numbers, total.n_numbers > 3_000) == (profile.numbers, True)
    assert abs(total.value - profile.total) < Decimal("1e-20")
    assert scan_column(path, 1, "maximum").value == profile.high
    assert scan_column(path, 1, "minimum").value == profile.low


def test_a_sum_of_many_amounts_is_exact_over_many_batches(tmp_path):
    path = tmp_path / "amounts.csv"
    path.write_text("name,amount\n" + "".join(f"{'x' * 100}{n},0.1\n" for n in range(30_000)))
    found = scan_column(path, 1, "sum")
    assert (found.value, found.n_numbers) == (Decimal(3_000), 30_000)
    assert scan_column(path, 1, "maximum").row.record == scan_column(path, 1, "minimum").row.record == 1


def test_other_ways_to_write_a_csv():
    german = "Stra\xdfe;Betrag\nA\xdf;1.234,50\nB;2,5\n".encode("latin-1")
    way = Dialect("latin-1", ";", ",")
    assert scan_column(io.BytesIO(german), 1, "sum", [Filter(0, "=", "a\xdf")], dialect=way).value == Decimal("1234.5")
    titled = "Tips\nname,tip\na,1\nb,2\n"
    assert scan(titled, 1, "sum", dialect=Dialect(lines_above=2)).n_records == 2
    assert scan('name,tip\n"two\nlines",4\n\nb,2\n', 1, "sum").value == 6


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_the_way_a_file_is_written_is_found_by_its_reader(encoding):
    lines = ["Stra\xdfe;Betrag", *(f"A\xdf{n};1.0{n % 10}0,5" for n in range(50))]
    file = io.BytesIO("\n".join(lines).encode(encoding))
    found = find_dialect(file, "csv")
    file.seek(0)
    total = scan_column(file, 1, "sum", [Filter(0, "matches", "\xdf")], dialect=Dialect(*found))
    assert (found[1:], total.value, total.n_rows) == ((";", ","), Decimal(50 * 1000 + 5 * 450 + 25), 50)


@pytest.mark.parametrize("above", ["tip,bill\n", "Tips of a week\n\nday,tip,bill\n", 'day,"tip\nin USD",bill\n\n'])
def test_what_stands_above_the_data_may_be_narrower_and_parted(above):
    way = Dialect(lines_above=above.count("\n"))
    found = scan(above + "Sun,1,10\n\nSat,2,20\n", 2, "sum", dialect=way)
    assert (found.value, found.n_records, found.n_skipped) == (Decimal(30), 2, 0)


def test_ragged_rows_are_counted_apart():
    found = scan("a,b\n1,2\n3\n4,5,6\n7,8\n", 1, "sum")
    assert (found.value, found.n_records, found.n_skipped) == (Decimal(10), 2, 2)


def test_what_cannot_be_scanned_says_so(tmp_path):
    with pytest.raises(ValueError, match="columns 0 to 3"):
        scan(TIPS, 4, "sum")
    with pytest.raises(ValueError, match="takes a number"):
        scan(TIPS, 2, "sum", [Filter(0, "<", "sun")])
    with pytest.raises(ValueError, match="takes a text"):
        scan(TIPS, 2, "sum", [Filter(2, "matches", Decimal(1))])
    with pytest.raises(FileUnreadable):
        scan("", 0, "sum")
    with pytest.raises(FileUnreadable):
        scan_column(io.BytesIO(b"a,b\n\xff\xfe,1\n"), 1, "sum")
    with pytest.raises(FileUnreadable):
        scan_column(Path(tmp_path / "gone.csv"), 0, "sum")


def test_a_filter_takes_one_of_several_texts():
    assert scan(TIPS, 2, "sum", [Filter(0, "in", ("sun", " FRI "))]).value == Decimal("65.34")
    with pytest.raises(ValueError, match="several texts"):
        scan(TIPS, 2, "sum", [Filter(0, "in", "sun")])
