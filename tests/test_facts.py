"""Facts: what a file states of its keys, by sort and language, with exact lines; and through the store."""

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from cited_lines import read_document
from stated_facts import stated
from store_samples import make_document, open_reader, writer_of

from mixrag_cli.plain import table_from_plain, table_to_plain
from mixrag_cli.readers.facts.collecting import MAX_FACTS, MAX_PATH, MAX_VALUE_CHARS
from mixrag_cli.records.documents import Fact, FactSort, FactValue
from mixrag_cli.store import check_store
from mixrag_cli.tables.facts import code_number, facts_to_tables
from tests.bounded import patience

ROOT = Path(__file__).parent.parent

PYTHON = """
LIMIT: int = 10 * 1024
class Session(Base):
    # seconds to wait
    timeout = 5.0
    def __init__(self):
        self.retries = 3
    def send(self, url, stream=False, *, verify: bool = True):
        if stream:
            return None
        local = 5
        call(flag=1)
        match url.status:
            case 404 | 410:
                return "gone"
            case _:
                label = "other"
STATES = {"on": 1, "off": {"slow": "x"}}
setup(name="demo")
"""
PYTHON_OPTIONS = """
parser.add_argument("-p", "--port", type=int, default=8080,
                    help="where to listen")
@click.option("--count", default=1, help="how often")
def hello(count): ...
def main(size: Annotated[int, typer.Option("--size", help="how big")] = 7): ...
"""
CASES = {
    "a.py": (
        PYTHON,
        "constant | LIMIT | value=10 * 1024@2 type=int@2",
        "constant | Session > timeout | value=5.0@5 help=seconds to wait@4",
        "constant | Session > retries | value=3@7",
        "default | Session > send > stream | default=False@8",
        "default | Session > send > verify | default=True@8 type=bool@8",
        "return | Session > send > if stream | value=None@10",
        "case | Session > send > url.status > 404 | 410 | value=gone@15",
        "case | Session > send > url.status > default > label | value=other@17",
        "entry | STATES > on | value=1@18",
        "entry | STATES > off > slow | value=x@18",
        "entry | setup > name | value=demo@19",
    ),
    "cli.py": (
        PYTHON_OPTIONS,
        "option | -p, --port | type=int@2 default=8080@2 help=where to listen@3",
        "option | hello > --count | default=1@4 help=how often@4",
        "option | main > --size | help=how big@6 default=7@6",
    ),
    "a.gemspec": (
        'Gem::Specification.new do |gem|\n  gem.required_ruby_version = ">= 3.2.0"\n'
        '  gem.add_dependency "redis-client", ">= 0.29.0"\nend\n',
        "constant | new > gem.required_ruby_version | value=>= 3.2.0@2",
        "entry | new > redis-client | value=>= 0.29.0@3",
    ),
    "Gemfile": ('gem "rails", "~> 7.0" # web\n', "entry | gem > rails | value=~> 7.0@1 help=web@1"),
    "a.jsonc": ('{\n  // where\n  "port": 80\n}\n', "setting | port | value=80@3 help=where@2"),
    "a.ts": (
        "export const MAX: number = 5; // at most\nenum E { A = 1 }\nclass C { static limit = 3;\n"
        " f(a = 1, {c = 2} = {}) { switch (a) { case 1: return 'x'; } }\n}\nconst D = { k: 1, n: { m: 'y' } };",
        "constant | MAX | value=5@1 type=number@1 help=at most@1",
        "constant | E > A | value=1@2",
        "constant | C > limit | value=3@3",
        "default | C > f > a | default=1@4",
        "default | C > f > c | default=2@4",
        "case | C > f > a > 1 | value=x@4",
        "entry | D > k | value=1@6",
        "entry | D > n > m | value=y@6",
    ),
    "a.js": (
        "program\n  .option('-p, --port <n>', 'the port', 3000)\n  .option('--debug', 'print more');\n"
        "yargs.option('name', {default: 'x', describe: 'a name'});",
        "option | --debug | help=print more@3",
        "option | -p, --port | help=the port@2 default=3000@2",
        "option | --name | default=x@4 help=a name@4",
    ),
    "a.go": (
        "package p\nconst Max = 5 // at most\nfunc (s *Store) Get(x int) string {\n\tswitch x {\n\tcase 1, 2:\n"
        '\t\treturn "a"\n\t}\n\tif x > 1 {\n\t\treturn "b"\n\t}\n}\nfunc New() *S { return &S{Port: 80} }\n'
        'var p = flag.Int("port", 8080, "to listen on")\n',
        "constant | Max | value=5@2 help=at most@2",
        "case | Store > Get > x > 1, 2 | value=a@6",
        "return | Store > Get > if x > 1 | value=b@9",
        "entry | New > Port | value=80@12",
        "option | p > --port | type=int@13 default=8080@13 help=to listen on@13",
    ),
    "a.rs": (
        "const A: u32 = 5;\nimpl Default for S { fn default() -> Self { Self { port: 80 } } }\n"
        "fn f(x: u32) -> u32 { match x { 1 | 2 => 10, _ => 20 } }\nfn g() -> u32 { 7 }\n",
        "constant | A | value=5@1 type=u32@1",
        "entry | S > default > port | value=80@2",
        "case | f > x > 1 | 2 | value=10@3",
        "case | f > x > default | value=20@3",
        "return | g | value=7@4",
    ),
    "A.java": (
        "class A {\n  static final int MAX = 5;\n  enum E { X(1) }\n"
        '  String g(int x) { return switch (x) { case 1, 2 -> "a"; default -> "b"; }; }\n}\n',
        "constant | A > MAX | value=5@2",
        "constant | A > E > X | value=1@3",
        "case | A > g > x > 1, 2 | value=a@4",
        "case | A > g > x > default | value=b@4",
    ),
    "a.c": (
        "#define MAX 5\nenum e { A = 1 };\nint f(int a) {\n  switch (a) {\n  case 1:\n  case 2: return 3;\n  }\n}\n",
        "constant | MAX | value=5@1",
        "constant | e > A | value=1@2",
        "case | f > a > 1, 2 | value=3@6",
    ),
    "a.cpp": (
        "class S {\n  int x = 3;\n  int f(int a = 1);\n};\n",
        "constant | S > x | value=3@2 type=int@2",
        "default | S > f > a | default=1@3 type=int@3",
    ),
    "a.cs": (
        "class A {\n  const int Max = 5;\n  public int Limit { get; set; } = 30;\n  int F(int a = 1) => 2;\n"
        '  string G(int x) => x switch { 1 => "a", _ => "b" };\n}\n',
        "constant | A > Max | value=5@2",
        "constant | A > Limit | value=30@3 type=int@3",
        "default | A > F > a | default=1@4 type=int@4",
        "case | A > G > x > 1 | value=a@5",
        "case | A > G > x > default | value=b@5",
    ),
    "a.rb": (
        'class A\n  LIMIT = 30\n  def f(a = 1, b: 2)\n    case a\n    when 1, 2 then "x"\n    end\n  end\n'
        '  D = { k: 1, "n" => 2 }\nend\n',
        "constant | A > LIMIT | value=30@2",
        "default | A > f > a | default=1@3",
        "default | A > f > b | default=2@3",
        "case | A > f > a > 1, 2 | value=x@5",
        "entry | A > D > k | value=1@8",
        "entry | A > D > n | value=2@8",
    ),
    "a.php": (
        "<?php\nclass C {\n  const B = 6;\n  function f($a = 1) "
        "{ return match($a) { 1, 2 => 'a', default => 'b' }; }\n}\n"
        "$d = ['k' => ['m' => 2]];\n",
        "constant | C > B | value=6@3",
        "default | C > f > a | default=1@4",
        "case | C > f > $a > 1, 2 | value=a@4",
        "case | C > f > $a > default | value=b@4",
        "entry | d > k > m | value=2@6",
    ),
    "a.sh": (
        'readonly MAX=5\nPORT="${PORT:-8080}"\n',
        "constant | MAX | value=5@1",
        "default | PORT | default=8080@2",
    ),
    "a.toml": (
        '[tool.ruff]\nline-length = 120  # characters\nselect = ["E", "F"]\n[[package]]\nname = "p"\n',
        "setting | tool > ruff > line-length | value=120@2 help=characters@2",
        "setting | tool > ruff > select | value=E, F@3",
        "setting | package > p > name | value=p@5",
    ),
    "a.yaml": (
        "port: &p 8080\nnested:\n  text: |\n    hello\n    world\njobs:\n  - name: build\n    steps: 3\n  - run: *p\n",
        "setting | port | value=8080@1",
        "setting | nested > text | value=hello world@3",
        "setting | jobs > build > name | value=build@7",
        "setting | jobs > build > steps | value=3@8",
        "setting | jobs > 2 > run | value=8080@1",
    ),
    "a.json": (
        '{"name": "x",\n "deps": {"a": "^1", "b": [1, 2]}}',
        "setting | name | value=x@1",
        "setting | deps > a | value=^1@2",
        "setting | deps > b | value=1, 2@2",
    ),
    "a.ini": (
        "[main]\n; the port\nport = 80\nlist =\n  a\n  b\n",
        "setting | main > port | value=80@3 help=the port@2",
        "setting | main > list | value=a, b@5",
    ),
    "a.md": (
        "---\nauthor: Ann\n---\n\n# Changes\n\n## 4.2.0 (2021-05-01)\n\n- **License**: MIT\n- `--port`: where to\n"
        "  listen\n- fees - what is to be paid\n\n#### v1.2 - May 3, 2020\n\nMail: a@b.org\n\nNote: no label\n\n"
        "Prose that goes on\nfor one: no label\n\n"
        "## v1.0.0\n\n- first\n\n_Released 2020-04-02_\n\n## Why\n\n2 May 2019\n",
        "setting | author | value=Ann@2",
        "version | Changes > 4.2.0 | date=2021-05-01@7",
        "label | Changes > 4.2.0 (2021-05-01) > License | value=MIT@9",
        "option | Changes > 4.2.0 (2021-05-01) > --port | help=where to listen@10",
        "label | Changes > 4.2.0 (2021-05-01) > fees | value=what is to be paid@12",
        "version | Changes > 4.2.0 (2021-05-01) > 1.2 | date=May 3, 2020@14",
        "label | Changes > 4.2.0 (2021-05-01) > v1.2 - May 3, 2020 > Mail | value=a@b.org@16",
        "version | Changes > 1.0.0 | date=2020-04-02@27",
    ),
    "a.html": (
        "<h1>Opt</h1>\n<dl>\n<dt>timeout</dt>\n<dd>Seconds to\n wait.</dd>\n<dt>port<dd><p>Where.</p></dl>\n"
        "<li>Size: 5 kg",
        "definition | Opt > timeout | value=Seconds to wait.@4",
        "definition | Opt > port | value=Where.@6",
        "label | Opt > Size | value=5 kg@7",
    ),
    "a.txt": (
        ":Author: Ann\n\nterm\n    what it means\n\n1.4.0 (12 March 2019)\n",
        "label | Author | value=Ann@1",
        "definition | term | value=what it means@4",
        "version | 1.4.0 | date=12 March 2019@6",
    ),
    "role.md": (
        "# Role\n\n- `dh_size`\n  - Default: `2048`\n  - Type: int\n- **wait**: how long\n  - Default: 30 s\n\n"
        "- What the role does is told above. It has\n  - Author: Ann\n",
        "label | Role > dh_size > Default | value=2048@4",
        "label | Role > dh_size > Type | value=int@5",
        "label | Role > wait | value=how long@6",
        "label | Role > wait > Default | value=30 s@7",
        "label | Role > Author | value=Ann@10",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_states_its_facts_and_no_others(name: str) -> None:
    text, *expected = CASES[name]
    assert stated(name, text) == expected


def test_the_facts_of_a_notebook_know_their_cell() -> None:
    raw = json.dumps(
        {"cells": [{"cell_type": "markdown", "source": "- a: b"}, {"cell_type": "raw", "source": "- c: d"}]}
    )
    facts = read_document("a.ipynb", raw.encode()).facts
    assert [(fact.path, fact.cell) for fact in facts] == [(("a",), 1), (("c",), 2)]
    tables = facts_to_tables(facts, document="d", title="t")
    assert [table.locator.cell for table in tables] == [1, 2]
    assert len({table.id for table in tables}) == 2


def test_the_code_of_a_notebook_states_facts_and_what_it_prints() -> None:
    printed = {"output_type": "stream", "text": "Accuracy: 0.93\n=====\nepoch 1: it took long\nTime taken:  2.4 s\n"}
    cells = [
        {"cell_type": "markdown", "source": "# Train"},
        {"cell_type": "code", "source": "%matplotlib inline\nbatch_size = 32  # a step", "outputs": [printed]},
    ]
    facts = read_document("a.ipynb", json.dumps({"cells": cells, "nbformat": 4}).encode()).facts
    assert [(fact.sort, fact.path, [(value.text, value.line) for value in fact.values]) for fact in facts] == [
        ("constant", ("Train", "batch_size"), [("32", None), ("a step", None)]),
        ("label", ("Train", "Accuracy"), [("0.93", None)]),
        ("label", ("Train", "Time taken"), [("2.4 s", None)]),
    ]
    assert {fact.cell for fact in facts} == {2}


def test_the_code_of_a_notebook_is_read_in_its_language() -> None:
    cells = [{"cell_type": "code", "source": "alpha <- 0.05\nfit <- function(x, folds = 10) {\n}"}]
    metadata = {"language_info": {"name": "R", "file_extension": ".r"}}
    facts = read_document("a.ipynb", json.dumps({"cells": cells, "metadata": metadata}).encode()).facts
    assert [fact.path for fact in facts] == [("alpha",), ("fit", "folds")]


def test_what_a_call_says_of_a_member_is_one_fact() -> None:
    text = (
        "class Model(Base):\n"
        '    temp: float = field(\n        default=0.05,\n        metadata={"help": "Of the softmax."},\n    )\n'
        "    port: int = Field(80, ge=1, description='Where to listen.')\n"
        "    name = models.CharField('Its name', max_length=30, default='a')\n"
        "    size: str = Field(..., description='How big.')\n"
        "    rows: list = field(default_factory=list)\n"
    )
    assert stated("a.py", text) == [
        "default | Model > temp | default=0.05@3 help=Of the softmax.@4 type=float@2",
        "default | Model > port | help=Where to listen.@6 default=80@6 type=int@6",
        "entry | Model > port > ge | value=1@6",
        "default | Model > name | default=a@7",
        "entry | Model > name > max_length | value=30@7",
        "default | Model > size | help=How big.@8 type=str@8",
    ]


def test_headings_of_releases_state_their_dates() -> None:
    text = (
        "Version 1.3.4 Release Notes (2025-July-19)\n==========================================\n\nText.\n\n"
        "1.2 [19-Mar-2024]\n=================\n\nText.\n\n"
        "Support of 3.8 ends soon (2024-01-01)\n=====================================\n\nText.\n"
    )
    assert stated("news.rst", text) == ["version | 1.3.4 | date=2025-July-19@1", "version | 1.2 | date=19-Mar-2024@6"]


def test_a_release_behind_its_date_is_dated_whatever_follows() -> None:
    text = """\
# News

**2026-05-08  -  Pool 1.25.2  -  "Human touch"**

- Fix the parser.

2018-05-18: v7.0.0
  Include the body in results
  Support h2c
"""
    assert stated("news.md", text)[:2] == [
        "version | News > 1.25.2 | date=2026-05-08@3",
        "version | News > 7.0.0 | date=2018-05-18@7",
    ]


def test_every_fact_of_real_files_stands_on_its_line() -> None:
    checked = 0
    for path in [ROOT / "pyproject.toml", *sorted((ROOT / "mixrag_cli").glob("*.py"))]:
        lines = path.read_text().split("\n")
        for fact in read_document(path.name, path.read_bytes()).facts:
            for value in fact.values:
                first = value.text.rstrip("…").split()[0].strip("\"'(,")[:20]  # strings over lines are put together
                assert value.line is not None
                assert first in lines[value.line - 1], (path.name, fact)
                checked += 1
    assert checked > 200


def test_a_fact_becomes_a_row_whose_cells_are_read_as_numbers_with_units() -> None:
    facts = [
        Fact(("send", "timeout_ms"), "default", (FactValue("default", "30", 4), FactValue("type", "int", 4))),
        Fact(("MAX",), "constant", (FactValue("value", "2 * 1024", 9), FactValue("help", "in bytes", 8))),
        Fact(("Price",), "label", (FactValue("value", "$ 1.5 million", 12),)),
    ]
    (table,) = facts_to_tables(facts, document="d", title="a.py")
    assert table.kind == "facts"
    assert [column.path for column in table.columns] == [
        ("default", "default"),
        ("default", "type"),
        ("constant", "value"),
        ("constant", "help"),
        ("label", "value"),
    ]
    assert [row.path for row in table.rows] == [("send", "timeout_ms"), ("MAX",), ("Price",)]
    numbers = [(cell.value, cell.unit, cell.scale, cell.line) for cell in table.cells if cell.value is not None]
    assert numbers == [(30, "ms", 1, 4), (2048, "bytes", 1, 9), (Decimal("1.5"), "USD", 1_000_000, 12)]
    assert table.locator.lines == (4, 12)
    assert table_from_plain(json.loads(json.dumps(table_to_plain(table)))) == table
    assert facts_to_tables([], document="d", title="t") == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1_000", 1000),
        ("0x1F", 31),
        ("-2.5e3", -2500),
        ("24 * 60", 1440),
        ("30f", 30),
        ("30s", None),
        ("a", None),
        ("", None),
    ],
)
def test_numbers_of_programs(text: str, number: float | None) -> None:
    assert code_number(text) == number


@pytest.mark.parametrize(
    ("sort", "text", "number"),
    [
        ("setting", "1m", None),
        ("setting", "0x1F", 31),
        ("constant", "1m", 1),
        ("label", "30m", None),
        ("label", "32k", None),
        ("label", "$5m", 5),
        ("label", "1.2 million", Decimal("1.2")),
    ],
)
def test_a_letter_behind_a_number_may_be_a_unit(sort: FactSort, text: str, number: float | None) -> None:
    (table,) = facts_to_tables([Fact(("wait",), sort, (FactValue("value", text, 1),))], document="d", title="a")
    assert table.cells[0].value == number


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "\n".join(f"C{number} = {number}" for number in range(5_000))),
        ("a.json", "[" * 5_000 + "1" + "]" * 5_000),
        ("a.json", '{"a":' * 5_000 + "1" + "}" * 5_000),
        ("a.py", "D = " + '{"a":' * 2_000 + "1" + "}" * 2_000),
        ("a.js", "x" + ".option('-a', 'b')" * 5_000),
        ("a.yaml", "a: &a [1]\n" + "\n".join(f"b{number}: [*a, *a, *a]" for number in range(5_000))),
        ("a.md", "- a: " + "b " * 100_000),
        ("a.md", "\n\n".join(f"- k{number}: v" for number in range(5_000))),
        ("a.ini", "a" * 100_000 + "\n" + "k = v\n" * 50_000),
        ("a.txt", ("a " * 50 + "\n") * 5_000),
    ],
    ids=range(10),
)
def test_facts_of_hostile_files_are_bounded(name: str, text: str) -> None:
    with patience():
        facts = read_document(name, text.encode()).facts
    assert len(facts) <= MAX_FACTS
    assert all(len(fact.path) <= MAX_PATH for fact in facts)
    assert all(len(value.text) <= MAX_VALUE_CHARS for fact in facts for value in fact.values)


def test_facts_are_kept_by_document_and_apart_from_tables(tmp_path: Path) -> None:
    entry = make_document("a.md", 2)
    facts = facts_to_tables(
        [Fact(("port",), "setting", (FactValue("value", "80", 1),))], document=entry.row.id, title="a.md"
    )
    store = tmp_path / ".mixrag"
    with writer_of(store) as writer:
        writer.write_batch([replace(entry, tables=[*entry.tables, *facts]), make_document("b.md", 1)])
        writer.finish()
    with open_reader(store) as reader:
        assert reader.facts([entry.row.id, "0" * 32]) == {entry.row.id: tuple(facts)}
        assert reader.tables_of(entry.row.id) == list(entry.tables)
        assert reader.tables([facts[0].id]) == {facts[0].id: facts[0]}
        assert facts[0].id not in {table for table, _ in reader.table_places()}
        with pytest.raises(ValueError, match="not an id"):
            reader.facts(["x' OR '1'='1"])
    assert check_store(store, deep=True) == []
    with writer_of(store) as writer:
        writer.write_batch([entry])
        writer.finish()
    with open_reader(store) as reader:
        assert reader.facts([entry.row.id]) == {}


def test_a_key_of_very_many_parts_is_read_as_text() -> None:
    text = "[deep]\na" + ".a" * 20_000 + " = 1\nport = 80\n"
    document = read_document("a.toml", text.encode())
    assert "a.a.a" in document.text
    assert [fact.path for fact in document.facts][-1] == ("deep", "port")
