"""Facts whose keys, values and comments are easily cut wrong: what is stated of each, and what is not."""

import pytest
from stated_facts import stated

CASES = {
    "macro": (
        "a.h",
        "namespace db {\nstruct DB_EXPORT Options : Base {\n  size_t buffer = 4 * 1024;\n};\n"
        "class DB_API(1) Plain final {\n  int depth = 3;\n};\nstruct FILE_T held;\n"
        "struct Simple { int width = 80; };\n}\n",
        "constant | db > Options > buffer | value=4 * 1024@3 type=size_t@3",
        "constant | db > Plain > depth | value=3@6 type=int@6",
        "constant | db > Simple > width | value=80@9 type=int@9",
    ),
    "comments-c": (
        "a.c",
        "#ifndef LIMIT\n#define LIMIT 64\n#endif\n#pragma once\n#define DEPTH 5\n#undef X\n// a sign\n#define X 9\n",
        "constant | LIMIT | value=64@2",
        "constant | DEPTH | value=5@5",
        "constant | X | value=9@8 help=a sign@7",
    ),
    "comments-python": (
        "a.py",
        '#: tries\nMAX = 5\nMIN = 1  #: at least\n# else it waits\nWAIT = 2\nLOG = {"id": "#5"}\n',
        "constant | MAX | value=5@2 help=tries@1",
        "constant | MIN | value=1@3 help=at least@3",
        "constant | WAIT | value=2@5 help=else it waits@4",
        "entry | LOG > id | value=#5@6",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_file_states_this_and_no_more(case: str) -> None:
    name, text, *expected = CASES[case]
    assert stated(name, text) == expected
