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
}


@pytest.mark.parametrize("case", CASES)
def test_a_file_states_this_and_no_more(case: str) -> None:
    name, text, *expected = CASES[case]
    assert stated(name, text) == expected
