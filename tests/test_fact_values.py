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
        "#ifndef LIMIT\n#define LIMIT 64\n#endif\n#pragma once\n#define DEPTH 5 // of trees\n"
        "#undef X\n// a sign\n#define X 9\n",
        "constant | LIMIT | value=64@2",
        "constant | DEPTH | value=5@5 help=of trees@5",
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
    "strings-python": (
        "a.py",
        'A = "hello " + "world"\nB = (\n    "first "\n    "second"\n)\nC = "a" * 2\nD = """\\\nlate\n"""\n'
        'E = "it\\"s"\n'
        'F = ["a", "b"]\nG = "a" + str(1) + "b"\n',
        "constant | A | value=hello world@1",
        "constant | B | value=first second@3",
        'constant | C | value="a" * 2@6',
        "constant | D | value=late@8",
        'constant | E | value=it\\"s@10',
        'constant | F | value=["a", "b"]@11',
        'constant | G | value="a" + str(1) + "b"@12',
    ),
    "names-python": (
        "a.py",
        'A, B = "left", "right"\nX = Y = 5\nC, D = f()\nE, F = 1, g()\nclass S:\n    mode: Mode = Mode.FAST\n'
        "    wait: float = seconds(5)\n    other = Mode.SLOW\n",
        "constant | A | value=left@1",
        "constant | B | value=right@1",
        "constant | X | value=5@2",
        "constant | Y | value=5@2",
        "constant | E | value=1@4",
        "constant | F | value=g()@4",
        "constant | S > mode | value=Mode.FAST@6 type=Mode@6",
        "constant | S > wait | value=seconds(5)@7 type=float@7",
    ),
    "names-go": (
        "a.go",
        'package p\n\nconst Name, Ver = "probe", "1.9"\n',
        "constant | Name | value=probe@3",
        "constant | Ver | value=1.9@3",
    ),
    "names-ruby": (
        "a.rb",
        'A, B = 1, "x"\nC = D = "8.0.2".freeze\n',
        "constant | A | value=1@1",
        "constant | B | value=x@1",
        'constant | C | value="8.0.2".freeze@2',
        'constant | D | value="8.0.2".freeze@2',
    ),
    "members-cpp": (
        "a.hpp",
        "struct S {\n  int a, b = 2;\n  Mode mode = kFast;\n  int depth{7};\n  virtual int f() = 0;\n"
        "  void (*done)(int) = nullptr;\n};\n",
        "constant | S > b | value=2@2 type=int@2",
        "constant | S > mode | value=kFast@3 type=Mode@3",
        "constant | S > depth | value=7@4 type=int@4",
        "constant | S > done | value=nullptr@6 type=void@6",
    ),
    "members-csharp": (
        "a.cs",
        "class A {\n  public TimeSpan Delay { get; init; } = TimeSpan.FromSeconds(5);\n  Kind kind = Kind.Small;\n"
        "  List<int> held = new List<int>();\n  Log log = Log.For(kind);\n}\n",
        "constant | A > Delay | value=TimeSpan.FromSeconds(5)@2 type=TimeSpan@2",
        "constant | A > kind | value=Kind.Small@3",
    ),
    "members-java": (
        "A.java",
        'class A {\n  private Mode mode = Mode.FAST;\n  long wait = MINUTES.toMillis(30);\n  String name = "a" + "b";\n'
        "  Map<A, B> held = new HashMap<>();\n}\n",
        "constant | A > mode | value=Mode.FAST@2",
        "constant | A > wait | value=MINUTES.toMillis(30)@3",
        "constant | A > name | value=ab@4",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_file_states_this_and_no_more(case: str) -> None:
    name, text, *expected = CASES[case]
    assert stated(name, text) == expected
