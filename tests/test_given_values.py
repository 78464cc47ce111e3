"""What code gives to a name: defaults, constants and arms, asked for in words, over small files in four languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from mixrag_cli.pipeline.indexing import build_index
from mixrag_cli.pipeline.scope import Scope
from mixrag_cli.pipeline.session import Session, open_session
from mixrag_cli.recap.in_code.code_values import named_values, plain_text
from mixrag_cli.recap.in_code.file_kinds import kind_of_file
from mixrag_cli.recap.in_code.given_values import asks_default, asks_figure
from mixrag_cli.settings import Settings
from tests.silent import Silent

KILN = '''"""The kiln's timer: how long it burns and when it gives up."""

STALE_AFTER_HOURS = 36
MAX_GLAZE = 4.5


class burn_stepping(Burner):
    """Burn a little hotter after each firing."""

    def __init__(
        self,
        floor: units.Heat = 0,
        step: units.Heat = 75,
        ceiling: units.Heat = MAX_GLAZE,
    ) -> None:
        self.floor = floor

    def check(self, firing: Firing) -> None:
        if firing.age_hours > STALE_AFTER_HOURS:
            raise FiringRefusedError(f"the firing is more than {STALE_AFTER_HOURS} hours old")


class burn_flat(Burner):
    """Burn at one heat."""

    def __init__(self, heat: int = 900, label: str = "flat", rounds: int = 2) -> None:
        self.heat = heat
'''
FERRY = """export default async function callFerry(port, options = {}) {
  options.hails ??= 6;
  options.pause ??= 1500;
  options.signal = options.signal || 'horn';
  if (options.pause < 0) {
    options.pause = 1;
  }
  await send(port, {hails: 99, pause: 3});
}
"""
TIDES = """pub struct Gauge<'a> {
    line: &'a str,
}

impl<'a> Gauge<'a> {
    /// Lengths are in millimetres.
    fn parse_length(&mut self, n: u64) -> Result<u64, Error> {
        match &self.line {
            "inches" | "inch" | "in" => n.mul(25)?,
            "fathoms" | "fathom" => n.mul(1_829)?, // 1.829 m
            "cables" | "cable" => n.mul(185_200)?,
            _ => return Err(Error::UnknownLength),
        }
    }
}
"""
DEPOT = """package depot

import "time"

const (
	defaultIdleLease = 48 * time.Hour
	defaultBatchSize = 250
	defaultShareSize = 12 * 1024
)

// Depot lends wagons.
type Depot struct {
	IdleLease time.Duration
}
"""
FILES = {"kiln.py": KILN, "ferry.js": FERRY, "tides.rs": TIDES, "depot.go": DEPOT}


@pytest.fixture(scope="module")
def session(model_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("given")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    build_index([folder], Settings(), events=Silent())
    return open_session(folder, Settings())


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How many times does callFerry hail if I don't pass a hails option?", "6"),
        ("What is the default pause of callFerry?", "1,500"),
        ("Which signal does callFerry use by default?", "horn"),
        ("What is the default step of burn_stepping?", "75"),
        ("What is the default ceiling of burn_stepping?", "4.5"),
        ("What is the default heat of burn_flat?", "900"),
        ("What label does burn_flat carry if none is given?", "flat"),
        ("By what does burn_stepping grow hotter by default after each firing?", "75"),
        ("What is the default share size of the Go depot?", "12 * 1024"),  # not the default batch size
        ("How many loads does the depot take if defaultBatchSize isn't set?", "250"),
        ("What is the default idle lease of the Go depot?", "48 * time.Hour"),
        ("How many wagons does the depot take as the default batch size?", "250"),
        ("How many millimetres does the Rust gauge count for a fathom?", "1,829"),
        ("After how many hours does the kiln refuse a firing?", "36"),
    ],
)
def test_code_says_what_it_gives(question: str, text: str, session: Session) -> None:
    answer = session.ask(question, Scope())

    assert (answer.status, answer.text) == ("answered", text)


@pytest.mark.parametrize(
    "question",
    [
        "What is the default timeout of callFerry?",
        "What is the default step of burn_flat?",
        "What is the default heat of callFerry?",
        "What is the default rounds of burn_stepping?",  # a parameter, but of another class
        "How many millimetres does the Rust gauge count for a furlong?",
        "After how many weeks does the kiln refuse a firing?",
    ],
)
def test_what_belongs_to_another_is_no_answer(question: str, session: Session) -> None:
    answer = session.ask(question, Scope())

    assert answer.status == "abstained", answer.text


def test_the_quoted_line_is_where_the_value_stands(session: Session) -> None:
    answer = session.ask("What is the default pause of callFerry?", Scope())

    assert answer.evidence[0].quote == "options.pause ??= 1500;"
    assert answer.sources[0].locator.lines == (3, 3)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("def dig(depth: int = 3, name='a, b'): pass", [("depth", "3", "parameter"), ("name", "'a, b'", "parameter")]),
        ("LIMIT = 400  # days", [("LIMIT", "400", "constant")]),
        ("const MaxDepth int = 7", [("MaxDepth", "7", "constant")]),
        ('parser.add_argument("--depth", "-d", type=int, default=5)', [("depth", "5", "fallback")]),
        ("#define SLOTS 16", [("SLOTS", "16", "constant")]),
        ('DEFAULTS = {\n    "depth": 9,\n}', [("depth", "9", "entry")]),
        ('x = settings.get("depth", 4)', [("x", 'settings.get("depth", 4)', "constant"), ("depth", "4", "fallback")]),
        ("if depth == 3 or depth >= 4: dig(depth=2)", []),
        ('"""\ndepth = 3\n"""', []),
        ("fn f() {\n    let depth = 3;\n}", [("depth", "3", "local")]),
    ],
)
def test_named_values(code: str, found: list[tuple[str, str, str]]) -> None:
    values = named_values(code, is_go="MaxDepth" in code)

    assert [(value.names[0], value.value, value.kind) for value in values] == found
    assert all(code[value.start :].startswith(value.line) for value in values)


def test_cases_and_arms_have_all_their_names() -> None:
    code = "switch (unit) {\n  case 'h':\n  case 'hour':\n    return 3600;\n}"
    (value,) = named_values(code)

    assert (value.names, value.value, value.kind) == (("h", "hour"), "3600", "arm")


def test_questions_for_defaults() -> None:
    assert asks_default("How long does it wait if I don't set a limit?")
    assert asks_default("What is used when no key is given?")
    assert not asks_default("What does it return when no label was found?")
    assert asks_figure("What is the longest wait, in seconds?")
    assert plain_text('"wal"') == "wal"
    assert kind_of_file("src/clock.rs") == "Rust"
