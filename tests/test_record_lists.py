"""Lists of objects in JSON, YAML and TOML: an object is a row of a table, with its lines; other lists are settings."""

from __future__ import annotations

import json

import pytest
from cited_lines import read_document

from mixrag_cli.readers.facts.settings import GRAMMARS
from mixrag_cli.readers.source import stay_silent
from mixrag_cli.readers.syntax import TEXT_PIECE_BYTES, parse_source
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from tests.bounded import assert_in_line

LEAGUE = """[
  {"team": "Chelsea", "wins": 29, "points": 95},
  {
    "team": "Arsenal",
    "wins": 25,
    "points": 83
  },
  {"team": "Everton", "wins": 18, "points": 61}
]
"""
COMMITTEE = """year: 2025
people:
  - name: Holly P.   # since March
    role: President
    bio: >
      My name is Holly,
      and I have a cat.
    tags: [chair, events]
  # elected in May
  - role: Treasurer
    name: "Matty"
    bio: ''
    tags: [money]
  - name: Adi
    role: Secretary
    bio: Hi!
closed: false
"""
STORES = """{
  "season": "04-05",
  "stores": [
    {"city": "Oslo", "id": 1, "name": "North", "at": {"zip": "0150", "lat": 59.9}, "open": true, "closed": null},
    {"city": "Rome", "id": 2, "name": "South", "at": {"zip": "00184", "lat": 41.9}, "open": false, "closed": null},
    {"city": "Lima", "id": 3, "name": "\\u00d1ata", "at": {"zip": "15001", "lat": -12.0}, "open": true, "closed": 2}
  ],
  "owner": "Ada"
}
"""
CARGO = """[package]
name = "reqwest"

[[test]]
name = "gzip"
features = ["gzip", "stream"]

[[test]]
name = "cookie"
features = ["cookies"]

[[test]]
name = "zstd"
features = ["zstd"]
"""
WORKFLOW = """jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Set up
        uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - name: Test
        run: pytest
"""
PODS = """spec:
  containers:
    - name: web
      env:
        - {name: A, value: "1"}
        - {name: B, value: "2"}
        - {name: C, value: "3"}
"""
ALIASED = """base: &base {port: 80}
hosts:
  - {name: a, at: *base}
  - {name: b, at: *base}
  - {name: c, at: *base}
"""


def tables_of(name: str, text: str) -> dict[str, Table]:
    document = read_document(name, text.encode())
    tables = ((grid.caption, grid_to_table(grid, document="d", title="t")) for grid in document.grids)
    return {caption: table for caption, table in tables if table is not None}


def cells_of(table: Table) -> dict[tuple[str, str], tuple[str, int | None]]:
    rows = {header.index: header.path[0] for header in table.rows}
    columns = {header.index: " ".join(header.path) for header in table.columns}
    return {(rows[cell.row], columns[cell.column]): (cell.text, cell.line) for cell in table.cells}


def facts_of(name: str, text: str) -> dict[str, str]:
    return {" > ".join(fact.path): fact.values[0].text for fact in read_document(name, text.encode()).facts}


def test_objects_are_rows_whose_cells_know_their_line() -> None:
    (table,) = tables_of("league.json", LEAGUE).values()
    cells = cells_of(table)
    assert cells["Chelsea", "points"] == ("95", 2)
    assert cells["Arsenal", "points"] == ("83", 6)
    assert table.locator.lines == (2, 8)
    assert not read_document("league.json", LEAGUE.encode()).facts


def test_the_rest_of_a_file_that_is_mostly_a_list_stays_text_and_settings() -> None:
    document = read_document("stores.json", STORES.encode())
    assert facts_of("stores.json", STORES) == {"season": "04-05", "owner": "Ada"}
    texts = [(block.text, block.locator.lines) for block in document.blocks if block.kind == "code"]
    first, stores, last = (
        ('{\n  "season": "04-05",', (1, 2)),
        ('  "stores": [],', (3, 3)),
        ('  "owner": "Ada"\n}', (8, 9)),
    )
    assert texts == [first, stores, last]


def test_an_object_inside_makes_columns_and_what_names_a_row_comes_first() -> None:
    table = tables_of("stores.json", STORES)["stores"]
    cells = cells_of(table)
    assert cells["1", "at.zip"] == ("0150", 4)
    assert ("3", "closed") in cells and ("1", "closed") not in cells
    assert [cell.text for cell in table.cells if cell.line == 6][2:4] == ["Ñata", "15001"]


def test_a_list_of_one_object_makes_columns_too() -> None:
    parts = [{"pn": f"p{n}", "sources": [{"supplier": "Ora", "price": n}]} for n in range(4)]
    table = tables_of("parts.json", json.dumps(parts))[""]
    assert cells_of(table)["p3", "sources.price"][0] == "3"


def test_a_list_inside_an_entry_is_a_table_where_it_is_too_long_for_settings() -> None:
    def read_bus(n_sensors: int) -> tuple[dict[str, Table], dict[str, str]]:
        sensors = "".join(
            f"      - name: Sensor {n}\n        address: {n}\n        every: {'&slow 600' if n == 0 else '*slow'}\n"
            for n in range(n_sensors)
        )
        text = f"bus:\n  - name: First\n    sensors:\n{sensors}  - name: Other\n    port: 7\n"
        return tables_of("bus.yaml", text), facts_of("bus.yaml", text)

    tables, facts = read_bus(60)
    cells = cells_of(tables["bus > First > sensors"])
    assert cells["Sensor 59", "address"][0] == "59" and cells["Sensor 59", "every"][0] == "600"
    assert facts["bus > Other > port"] == "7"
    tables, facts = read_bus(5)
    assert not tables and facts["bus > First > sensors > Sensor 4 > address"] == "4"


def test_a_list_of_yaml_keeps_its_comments_as_text() -> None:
    cells = cells_of(tables_of("committee.yaml", COMMITTEE)["people"])
    assert cells["Matty", "role"] == ("Treasurer", 10)
    assert cells["Holly P.", "bio"] == ("My name is Holly, and I have a cat.", 5)
    assert cells["Holly P.", "tags"] == ("chair, events", 8)
    assert ("Matty", "bio") not in cells
    document = read_document("committee.yaml", COMMITTEE.encode())
    told = "\n".join(block.text for block in document.blocks if block.kind == "code")
    assert "# since March" in told and "# elected in May" in told and "Treasurer" not in told
    assert facts_of("committee.yaml", COMMITTEE) == {"year": "2025", "closed": "false"}


def test_a_file_of_settings_stays_text_whole() -> None:
    text = CARGO.replace("\n\n[[test]]", "\n" + "".join(f'key_{n} = "{n}"\n' for n in range(20)) + "\n[[test]]", 1)
    table = tables_of("Cargo.toml", text)["test"]
    assert cells_of(table)["gzip", "features"][0] == "gzip, stream"
    told = "\n".join(block.text for block in read_document("Cargo.toml", text.encode()).blocks if block.kind == "code")
    assert 'features = ["gzip", "stream"]' in told
    assert "package > name" in facts_of("Cargo.toml", text) and "test > gzip > name" not in facts_of("Cargo.toml", text)


def test_running_text_is_no_column_and_stays_text() -> None:
    long = COMMITTEE.replace("and I have a cat.", "and I have a cat. " + "She is called Ada and sleeps all day. " * 10)
    assert len(tables_of("committee.yaml", long)["people"].columns) == 2
    told = "\n".join(block.text for block in read_document("committee.yaml", long.encode()).blocks)
    assert "and I have a cat." in told
    asked = "".join(f"- question: Who {n}?\n  answer: {'He who comes here. ' * 20}\n" for n in range(4))
    assert not tables_of("faq.yaml", asked)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("two.json", '[{"a": 1, "b": 2}, {"a": 3, "b": 4}]'),
        ("few.json", json.dumps([{f"k{n}": 1, f"l{n}": 2} for n in range(9)])),
        ("cut.json", LEAGUE[:-40]),
        ("numbers.json", "[1, 2, 3, 4]"),
        ("deep.json", json.dumps([{"a": 1, "b": [{"c": 2}, {"c": 3}]}] * 4)),
        ("ci.yml", WORKFLOW),
        ("pods.yaml", PODS),
        ("aliased.yaml", ALIASED),
        ("inner.toml", CARGO + "[test.env]\na = 1\n"),
    ],
    ids=lambda value: value if "." in value and "\n" not in value and "[" not in value else "",
)
def test_other_lists_are_no_tables(name: str, text: str) -> None:
    assert not read_document(name, text.encode()).grids


def test_work_grows_in_line_with_the_list() -> None:
    listed = "".join(f"- name: n{number:04}\n  part: {{b: {number:04}}}\n" for number in range(1_200))
    assert_in_line(lambda text: read_document("a.yaml", text.encode()), listed)


def test_a_text_longer_than_a_piece_is_read_whole() -> None:
    said = "ü" * 2 * TEXT_PIECE_BYTES
    tree = parse_source(GRAMMARS["json"], f'{{"a": "{said}"}}', stay_silent)
    assert tree is not None and (tree.root_node.text or b"").decode() == f'{{"a": "{said}"}}'
