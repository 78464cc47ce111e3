"""Sections of settings and of code without a grammar: each key with its comment, statements that belong together."""

from __future__ import annotations

import pytest

from mixrag_cli.readers.lines import without_measured_runs
from tests.bounded import assert_in_line
from tests.test_readers_text import read

REDUCTION = """\
#####
#
#  TIME DOMAIN REDUCTION SETTINGS
#
#  Organises how the full series is divided into clusters.
#
#####

  #   - ScalingMethod
  #   Either 'N' or 'S', this directs the module to normalize
  #   or standardize the input data.
ScalingMethod: "S"

  #   - MaxPeriods
  #   The maximum number of periods that
  #   may be used to represent the input data.
MaxPeriods: 11

  #   - MinPeriods
  #   The minimum number of periods
  #   used to represent the input data.
MinPeriods: 8
"""
BELOW = """\
server:
  port: 80
  host: a
  # tls: on
client:
  retries: 3
  # seconds

  # of the first try
  wait: 4
"""
BEHIND = """\
seed: auto              # default global seed, can be one of:
                        #  `auto`: a seed will be generated.
                        #  `none`: no seed will be provided.
separator: x
# of what is kept
# after a run
archive:
  - logs
"""
BRACKETS = """\
[old]
a = 1
b = 2
c = 3
# d = 4
[new]
e = 5
f = 6
g = 7

; Only for
; the brave
[brave]
h = 8
i = 9
"""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.yml", REDUCTION, {(): (1, 7), "ScalingMethod": (9, 12), "MaxPeriods": (14, 17), "MinPeriods": (19, 22)}),
        ("a.yaml", BELOW, {"server": (1, 4), "client": (5, 10)}),
        ("a.yaml", BEHIND, {(): (1, 4), "archive": (5, 8)}),
        ("a.ini", BRACKETS, {"old": (1, 5), "new": (6, 9), "brave": (11, 15)}),
        ("a.sql", "-- Who pays\nCREATE TABLE payers (\n  id int,\n  name text\n);\n", {"CREATE TABLE payers": (1, 5)}),
    ],
)
def test_a_comment_right_above_a_key_belongs_to_its_section(
    name: str, text: str, expected: dict[str | tuple[()], tuple[int, int]]
) -> None:
    found = [(block.heading_path, block.locator.lines) for block in read(name, text).blocks]
    assert found == [((key,) if isinstance(key, str) else key, lines) for key, lines in expected.items()]


def test_what_goes_on_with_a_comment_behind_a_value_documents_no_other_key() -> None:
    facts = {fact.path[-1]: [value.text for value in fact.values] for fact in read("a.yaml", BEHIND).facts}
    assert facts["separator"] == ["x"]
    assert facts["seed"][1] == (
        "default global seed, can be one of: `auto`: a seed will be generated. `none`: no seed will be provided."
    )


EPIDEMIC = """\
# Spread among people who meet at random.

using Agents

function rate(r, t)
    1 - exp(-r * t)
end


nsteps = 400
t = 0:0.1:40


N = 1000
I0 = 10


model = init_model(N, I0)

# What is drawn
plot(t, model)

for step in 1:N
    run!(model)
end
"""


def test_plain_statements_go_on_with_a_few_above_and_a_comment_or_a_block_begins_anew() -> None:
    found = [(block.kind, block.locator.lines) for block in read("epidemic.jl", EPIDEMIC).blocks]
    assert found == [
        ("code", (1, 3)),
        ("definition", (5, 7)),
        ("code", (10, 18)),
        ("code", (20, 21)),
        ("code", (23, 25)),
    ]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "a.yaml",
            f"chord:\n  grid: [{', '.join(f'{n / 7:.4f}' for n in range(90))}]\n  end: 2\n  side: suction\n",
            "chord:\n  grid: [0.0000, 0.1429, 0.2857 … 12.7143]\n  end: 2\n  side: suction",
        ),
        (
            "a.json",
            f'{{\n  "loss": [\n{("," + chr(10)).join(f"    {n}.5e-3" for n in range(60))}\n  ],\n  "k": 1\n}}\n',
            '{\n  "loss": [\n    0.5e-3,\n    1.5e-3,\n    2.5e-3 …' + 57 * "\n" + ' 59.5e-3\n  ],\n  "k": 1\n}',
        ),
        ("a.yaml", f"ids: [{', '.join(map(str, range(1000, 1090)))}]\n", None),
        ("a.yaml", f"days:\n{''.join(f'- 2024-01-{n}{chr(10)}' for n in range(10, 40))}", None),
        ("a.yaml", f"pi: 3.{'1' * 400}\n", None),
        ("a.yaml", f"blank:{' ' * 400}1\n", None),
        ("a.yaml", f"few: [{', '.join(f'{n}.5' for n in range(40))}]\n", None),
    ],
)
def test_long_runs_of_measured_numbers_are_cut_and_lines_keep_their_places(
    name: str, text: str, expected: str | None
) -> None:
    blocks = read(name, text).blocks
    assert "\n".join(block.text for block in blocks) == (text.rstrip("\n") if expected is None else expected)
    assert blocks[-1].locator.lines is not None
    assert blocks[-1].locator.lines[1] == text.count("\n")


def test_runs_of_numbers_cost_no_more_than_their_length() -> None:
    assert_in_line(without_measured_runs, ("a " + "1.5 " * 70) * 4_000)
    assert_in_line(without_measured_runs, "1.5 " * 200_000)
