"""Code through its syntax tree: what every language's definitions become, and that no text breaks the reader."""

from __future__ import annotations

import io
import random

import pytest

from mixrag_cli.readers import ReadSource, reader_for
from mixrag_cli.records.documents import Document
from tests.bounded import assert_in_line

Shape = tuple[str, str, tuple[str, ...], tuple[int, int]]  # kind, name, scopes, lines


def read(name: str, content: str | bytes) -> Document:
    raw = content.encode() if isinstance(content, str) else content
    document = reader_for(name)(ReadSource(name, len(raw), io.BytesIO(raw)))
    for block in document.blocks:
        assert document.text[slice(*block.locator.chars)] == block.text
    return document


def shapes(document: Document) -> list[Shape]:
    return [(block.kind, block.name, block.heading_path, block.locator.lines or (0, 0)) for block in document.blocks]


PYTHON = '''"""Sessions and such.

More.
"""
import os

LIMIT = 3


# Opens it.
@cache
async def open_it(path):
    def inner():
        pass
    return inner


class Session(Base):
    """A session."""

    timeout = 3

    def __init__(self):
        self.x = 1

    class Inner:
        def deep(self): return 1

    after = 2


if os.name == "nt":
    def only_there():
        pass
'''

GOLDEN: dict[str, tuple[str, list[Shape]]] = {
    "a.py": (
        PYTHON,
        [
            ("code", "", (), (1, 7)),
            ("definition", "open_it", (), (10, 15)),
            ("definition", "Session", (), (18, 21)),
            ("definition", "Session.__init__", ("class Session",), (23, 24)),
            ("definition", "Session.Inner", ("class Session",), (26, 26)),
            ("definition", "Session.Inner.deep", ("class Session", "class Inner"), (27, 27)),
            ("code", "", ("class Session",), (29, 29)),
            ("code", "", (), (32, 32)),
            ("definition", "only_there", (), (33, 34)),
        ],
    ),
    "a.js": (
        """import a from "a";

/** Adds. */
export function add(a, b) {
  return a + b;
}
export const twice = (x) => {
  return x * 2;
};
class Box {
  size = 1;
  open() {
    return 1;
  }
}
exports.shut = function () {};
""",
        [
            ("code", "", (), (1, 1)),
            ("definition", "add", (), (3, 6)),
            ("definition", "twice", (), (7, 9)),
            ("definition", "Box", (), (10, 11)),
            ("definition", "Box.open", ("class Box",), (12, 14)),
            ("definition", "exports.shut", (), (16, 16)),
        ],
    ),
    "a.jsx": (
        "export default function App() {\n  return <div>hi</div>;\n}\n",
        [("definition", "App", (), (1, 3))],
    ),
    "a.ts": (
        """interface Point {
  x: number;
}
namespace Geo {
  export function area(p: Point): number {
    return p.x;
  }
}
@Injectable()
export abstract class Base<T> {
  handler = (a: number): void => {
  };
  async load(): Promise<T> {
  }
}
""",
        [
            ("definition", "Point", (), (1, 3)),
            ("definition", "Geo.area", ("namespace Geo",), (5, 7)),
            ("definition", "Base", (), (9, 10)),
            ("definition", "Base.handler", ("class Base",), (11, 12)),
            ("definition", "Base.load", ("class Base",), (13, 14)),
        ],
    ),
    "a.tsx": (
        "const View = (p: Props) => {\n  return <b>{p.x}</b>;\n};\n",
        [("definition", "View", (), (1, 3))],
    ),
    "a.go": (
        """// Package p does.
package p

// Store keeps.
type Store struct {
\tsize int
}

// Get gets.
func (s *Store) Get(k string) error {
\treturn nil
}
func New[T any]() {}
""",
        [
            ("code", "", (), (1, 2)),
            ("definition", "Store", (), (4, 7)),
            ("definition", "Store.Get", ("type Store",), (9, 12)),
            ("definition", "New", (), (13, 13)),
        ],
    ),
    "a.rs": (
        """use std::fmt;
/// A point.
#[derive(Debug)]
pub struct Point<T> {
    x: T,
}
impl<T> Show for Point<T> {
    const N: u8 = 1;
    /// Shows.
    #[inline]
    pub fn show(&self) -> u8 {
        1
    }
}
mod inner {
    pub fn go() {}
}
macro_rules! q { () => {} }
""",
        [
            ("code", "", (), (1, 1)),
            ("definition", "Point", (), (2, 6)),
            ("definition", "Point", (), (7, 8)),
            ("definition", "Point.show", ("impl Show for Point<T>",), (9, 13)),
            ("definition", "inner.go", ("mod inner",), (16, 16)),
            ("definition", "q", (), (18, 18)),
        ],
    ),
    "a.java": (
        """package a.b;
/** Doc. */
@Entity
public class Shop extends Base {
  int size;
  /** Opens. */
  @Override
  public int open() { return 1; }
  Shop() {
  }
  enum Kind {
    A, B;
    int n() { return 1; }
  }
}
""",
        [
            ("code", "", (), (1, 1)),
            ("definition", "Shop", (), (2, 5)),
            ("definition", "Shop.open", ("class Shop",), (6, 8)),
            ("definition", "Shop.Shop", ("class Shop",), (9, 10)),
            ("definition", "Shop.Kind", ("class Shop",), (11, 12)),
            ("definition", "Shop.Kind.n", ("class Shop", "enum Kind"), (13, 13)),
        ],
    ),
    "a.c": (
        """#include <stdio.h>
#ifdef FAST
/* Finds. */
static char *find(const char *s) {
  return 0;
}
#endif
struct node {
  int v;
};
int (*pick(void))(int) { return 0; }
""",
        [
            ("code", "", (), (1, 2)),
            ("definition", "find", (), (3, 6)),
            ("code", "", (), (7, 7)),
            ("definition", "node", (), (8, 10)),
            ("definition", "pick", (), (11, 11)),
        ],
    ),
    "a.cpp": (
        """namespace a { namespace b {
// A vector.
template <typename T>
class Vec {
 public:
  Vec();
  int size() const { return n; }
  int n;
};
int Vec::grow() {
  return 1;
}
} }
extern "C" {
void plain() {
}
}
""",
        [
            ("definition", "a.Vec", ("namespace a",), (2, 6)),
            ("definition", "a.Vec.size", ("namespace a", "class Vec"), (7, 7)),
            ("code", "", ("namespace a", "class Vec"), (8, 9)),
            ("definition", "a.Vec.grow", ("namespace a",), (10, 12)),
            ("code", "", (), (14, 14)),
            ("definition", "plain", (), (15, 16)),
        ],
    ),
    "a.cs": (
        """using System;
namespace Shop.Core
{
    /// <summary>Doc</summary>
    [Serializable]
    public class Cart<T> : Base
    {
        public int Size { get; set; }
        public Cart() { }
        public int Total(int a) => a;
    }
}
""",
        [
            ("code", "", (), (1, 1)),
            ("definition", "Shop.Core.Cart", ("namespace Shop.Core",), (4, 8)),
            ("definition", "Shop.Core.Cart.Cart", ("namespace Shop.Core", "class Cart"), (9, 9)),
            ("definition", "Shop.Core.Cart.Total", ("namespace Shop.Core", "class Cart"), (10, 10)),
        ],
    ),
    "a.rb": (
        """# Doc.
module Shop
  class Cart < Base
    attr_reader :x

    # Sums.
    def sum(a)
      a
    end

    def self.make; 1; end
  end
end
""",
        [
            ("code", "", ("module Shop",), (1, 2)),
            ("definition", "Shop.Cart", ("module Shop",), (3, 4)),
            ("definition", "Shop.Cart.sum", ("module Shop", "class Cart"), (6, 9)),
            ("definition", "Shop.Cart.make", ("module Shop", "class Cart"), (11, 11)),
        ],
    ),
    "a.php": (
        """<?php
namespace App;
/** Doc. */
class Cart extends Base {
  const C = 1;
  public function sum() { return 1; }
}
function loose() {}
""",
        [
            ("code", "", (), (1, 2)),
            ("definition", "Cart", (), (3, 5)),
            ("definition", "Cart.sum", ("class Cart",), (6, 6)),
            ("definition", "loose", (), (8, 8)),
        ],
    ),
    "a.sh": (
        """set -e

# Builds.
build() {
  make
}
function clean { rm x; }
build
""",
        [
            ("code", "", (), (1, 1)),
            ("definition", "build", (), (3, 6)),
            ("definition", "clean", (), (7, 7)),
            ("code", "", (), (8, 8)),
        ],
    ),
    "a.kt": (  # no grammar: by its outline
        """package a

fun open(x: Int): Int {
    val y = 1

    return y
}

val z = 3
""",
        [
            ("code", "", (), (1, 1)),
            ("definition", "open", (), (3, 7)),
            ("code", "", (), (9, 9)),
        ],
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_each_language_gives_its_definitions_with_scopes_and_lines(name: str) -> None:
    source, expected = GOLDEN[name]
    document = read(name, source)
    assert shapes(document) == expected


@pytest.mark.parametrize("name", GOLDEN)
def test_a_block_is_its_source_lines_and_no_word_is_lost(name: str) -> None:
    source, _ = GOLDEN[name]
    document = read(name, source)
    lines, covered = source.split("\n"), set()
    for block in document.blocks:
        first, last = block.locator.lines or (0, 0)
        assert block.text == "\n".join(lines[first - 1 : last])
        covered |= set(range(first, last + 1))
    left_out = [line for number, line in enumerate(lines, 1) if number not in covered and line.strip(" {}()")]
    # only the line that opens a namespace, or closes one, whose name stands in the scopes
    assert all(line.split()[0] in ("namespace", "mod", "module", "end", "#") for line in left_out)


def test_a_header_that_only_cpp_understands_is_cpp() -> None:
    document = read("a.h", "class Box {\n public:\n  int open() { return 1; }\n};\n")
    assert [block.name for block in document.blocks] == ["Box", "Box.open"]
    assert [block.name for block in read("b.h", "struct s {\n  int class_;\n};\n").blocks] == ["s"]


def test_the_title_is_the_first_line_of_the_module_docstring() -> None:
    assert read("a.py", PYTHON).title == "Sessions and such."
    assert read("a.py", "import os\n").title == ""


def test_a_module_wrapped_in_one_call_is_looked_into() -> None:
    inner = "".join(f"  function f{n}() {{\n    return {n};\n  }}\n" for n in range(100))
    document = read("a.js", f"(function () {{\n{inner}}})();\n")
    assert [block.name for block in document.blocks if block.kind == "definition"] == [f"f{n}" for n in range(100)]


def test_syntax_errors_cost_no_more_than_their_lines() -> None:
    source = "def good():\n    return 1\n\n\nx = ]] 3\n\n\nclass Also:\n    def fine(self):\n        pass\n"
    document = read("a.py", source)
    assert [block.name for block in document.blocks] == ["good", "", "Also", "Also.fine"]
    broken = read("a.py", source.replace("x = ]]", "def bad(:"))
    assert "good" in {block.name for block in broken.blocks}
    assert "def fine(self):" in broken.text


def test_form_feeds_and_tabs_move_no_line() -> None:
    document = read("a.py", "x = 1\n\x0c\ndef f():\n\treturn 1\n")
    assert shapes(document)[-1] == ("definition", "f", (), (3, 4))


def test_a_minified_file_is_cut_by_size() -> None:
    document = read("a.js", b"function(a){return a};" * 230_000)
    assert len(document.text) > 5_000_000
    assert all(len(block.text) <= 100_000 for block in document.blocks)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["py", "js", "ts", "go", "rs", "java", "c", "cpp", "cs", "rb", "php", "sh"])
def test_100_000_open_brackets_take_time_in_line_with_their_number(suffix: str) -> None:
    for raw in (b"(" * 100_000, b"word (\n" * 20_000):
        assert_in_line(lambda part: read(f"a.{suffix}", part), raw)
        document = read(f"a.{suffix}", raw)
        assert raw.startswith(b"((") or "word (" in document.text


def test_classes_nested_1000_deep_do_not_exhaust_the_stack() -> None:
    source = "".join(" " * depth + f"class A{depth}:\n" for depth in range(1000))
    document = read("a.py", source)
    assert "class A999:" in document.text


def test_noise_is_read_as_something() -> None:
    rng = random.Random(3)
    for suffix in ("py", "js", "go", "rs", "java", "cpp", "cs", "rb", "php", "sh", "tsx"):
        raw = bytes(rng.choice(b"(){}[];,ab \n\"'`/*#=<>") for _ in range(20_000))
        assert read(f"a.{suffix}", raw).blocks
