"""What retrieval and evaluation compute says where it is from: a paper and the place in it, or that it is ours."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "mixrag_cli"
PARTS = ("retrieval", "evaluation")
# They read, write, name and hand over; nothing in them is a method.
PLUMBING = {
    "evaluation/contexts",
    "evaluation/dataset_lines",
    "evaluation/dataset_parts",
    "evaluation/datasets",
    "evaluation/judged",
    "evaluation/loading",
    "retrieval/sources/__init__",
    "retrieval/sources/base",
    "retrieval/sources/passages",
    "retrieval/sources/row",
}
PAPERS = ("MixRAG", "Beyond the Reranker", "FinanceRAG study", "Mix-of-Granularity", "Enhanced RAG")
PLACE = re.compile(r"section|eq\.|table|figure|appendix|abstract")


def uncited(source: str) -> Iterator[str]:
    """The public functions and methods that neither they, their class nor their module gives a source."""
    module = ast.parse(source)
    yield from _uncited_in(module.body, [_docstring(module)])


def vague(source: str) -> Iterator[str]:
    """The sources that name one of the papers and no place in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            said = _docstring(node).partition("Source:")[2]
            yield from (said for name in PAPERS if name in said and not PLACE.search(said.partition(name)[2]))


def _uncited_in(body: list[ast.stmt], above: list[str]) -> Iterator[str]:
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        known = [*above, _docstring(node)]
        if isinstance(node, ast.ClassDef):
            yield from _uncited_in(node.body, known)
        elif not any("Source:" in each for each in known):
            yield node.name


def _docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> str:
    return ast.get_docstring(node) or ""


def modules() -> dict[str, str]:
    files = [path for part in PARTS for path in sorted((PACKAGE / part).rglob("*.py"))]
    return {str(path.relative_to(PACKAGE).with_suffix("")): path.read_text("utf-8") for path in files}


def test_each_public_function_says_where_it_is_from() -> None:
    assert set(modules()) >= PLUMBING
    missing = {name: list(uncited(source)) for name, source in modules().items() if name not in PLUMBING}
    assert {name: functions for name, functions in missing.items() if functions} == {}


def test_a_paper_is_cited_with_the_place_in_it() -> None:
    assert {name: said for name, source in modules().items() if (said := list(vague(source)))} == {}


@pytest.mark.parametrize("code", ["def f():\n    'What.'", "class A:\n    def f(self):\n        'What.'"])
def test_what_gives_no_source_would_be_seen(code: str) -> None:
    assert list(uncited(f"'Module.'\n{code}")) == ["f"]
    assert list(uncited(f"'Module. Source: MixRAG, eq. 9.'\n{code}")) == []


def test_a_paper_without_a_place_would_be_seen() -> None:
    assert list(vague("def f():\n    'What. Source: MixRAG.'")) and not list(vague("'Source: MixRAG, eq. 9.'"))
