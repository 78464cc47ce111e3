"""The house keeps its shape: imports run one way, heavy libraries have one door each, the face stays light."""

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

PACKAGE = "mixrag_cli"
SOURCE = Path(__file__).parent.parent / PACKAGE

# Who may import whom, by part of the package. Nothing but this table and the two exceptions below it.
GROUND = {
    "errors",
    "records",
    "plain",
    "children",
    "cleaning",
    "generator",
    "lenient_json",
    "limits",
    "defanging",
    "fencing",
    "line_marks",
    "quotes",
    "reading",
    "sentences",
    "terms",
    "words",
    "quantities",
}
BASE = GROUND | {"settings", PACKAGE}
LOWER = {"readers", "tables", "chunking"}
WORKERS = {"extraction", "walking", "models", "store", "retrieval", "recap", "evaluation"}
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "records": set(),
    "plain": {"records"},
    "line_marks": {"records"},
    "children": set(),
    "cleaning": set(),
    "generator": set(),
    "lenient_json": set(),
    "limits": set(),
    "reading": set(),
    "quotes": set(),
    "sentences": {"words"},
    "terms": {"words"},
    "words": set(),
    "quantities": {"errors", "words"},
    "defanging": {"cleaning"},
    "fencing": {"cleaning"},
    "settings": {"errors"},
    "readers": BASE,
    "tables": BASE,
    "chunking": BASE | {"tables"},  # a row's chunk is the text of the row
    "walking": BASE,
    "models": BASE,
    "store": BASE,
    "retrieval": BASE,
    "recap": BASE | {"tables"},  # numbers are read from prose as they are from cells
    "evaluation": BASE,
    "extraction": BASE | {"walking", "readers"},
    "stories": BASE | WORKERS | LOWER,
    "output": BASE | WORKERS | LOWER,
    "commands": GROUND | {"output"},  # what can be typed; what is done is found by its name
    "actions": BASE | WORKERS | LOWER | {"stories", "output", "client", "commands"},
    "cli": BASE | {"commands", "actions", "output"},
    "client": {PACKAGE},  # in front of everything: it loads nothing else
    "__main__": {"cli", "client"},
    PACKAGE: set(),  # mixrag_cli/__init__.py: the version
}
# Within the two parts that have rooms of their own: who may import whom of the same part.
ROOMS: dict[str, set[str]] = {
    "readers": {
        "readers.facts",
        "readers.pdf",
        "readers.text_markup",
    },  # pages of pictures are read as those of a scanned PDF are
    "readers.facts": {"readers"},
    "readers.office": {"readers"},
    "readers.pdf": {"readers"},
    # Rows of SQL stand below the columns that its facts know; a page's csv is written as the page is.
    "readers.sheets": {"readers", "readers.facts", "readers.text_markup"},
    "readers.text_markup": {"readers"},
    "recap": {"recap.in_rows", "recap.in_tables"},
    "recap.generated": {"recap"},
    "recap.in_rows": {"recap"},
    "recap.in_tables": {"recap"},
}
# The reader process, which puts the stations of a file together; the token counter is the light half of models.
COMPOSER = {f"{PACKAGE}.extraction.child", f"{PACKAGE}.extraction.understanding"}
COMPOSER_ALSO = {"tables", "chunking", "models"}
# For annotations only: the renderer names what the stories return.
TYPES_ONLY = {("output", "stories")}

# Imported in one module each: they are slow to load, native, or both.
HEAVY = {
    "lance",
    "lancedb",
    "torch",
    "sentence_transformers",
    "onnxruntime",
    "onnx",
    "safetensors",
    "spacy",
    "pdfplumber",
    "pypdfium2",
    "openpyxl",
    "python_calamine",
    "tree_sitter",
    "mammoth",
    "striprtf",
    "pptx",
    "bs4",
    "markdown_it",
    "rank_bm25",
    "llama_cpp",
    "huggingface_hub",
    "prompt_toolkit",
    "charset_normalizer",
    "pathspec",
    "mcp",
    "mcp_types",
    "uvicorn",
    "anyio",
    "watchfiles",
    "ray",
}
NOT_IN_THE_FACE = HEAVY | {"numpy", "pyarrow", "rich", "tokenizers"}
NETWORK = {
    "requests",
    "httpx",
    "aiohttp",
    "urllib3",
    "urllib.request",
    "http.client",
    "http.server",
    "ftplib",
    "smtplib",
}
RUNNERS = {"eval", "exec", "yaml.load", "yaml.unsafe_load", "torch.load", "os.system", "os.popen"}
DANGEROUS_FLAGS = {"shell", "allow_pickle"}
RUNS_WHAT_IT_LOADS = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}


# Imports within functions, by module. Elsewhere an import stands at the top.
LATE = {
    "__main__": "Ctrl-C while the program is still loading shows no traceback",
    "cli": "most runs meet no bug, whose log has its place by platformdirs",
    "client": "in front of everything: a person waits",
    "actions.ask": "with --json nothing is drawn",
    "actions.chat": "where a warm server answers, no session is needed",
    "actions.doctor": "only --gpu needs the models' libraries",
    "actions.health": "a broken library must not stop the doctor",
    "actions.mcp": "the extra may be missing",
    "actions.models": "the hub's library reads at import whether it may ask the hub",
    "actions.search": "with --json nothing is drawn",
    "actions.sessions": "most questions need neither --sync nor --file",
    "extraction.child": "a reader process starts in half the time without what topics and mentions need",
    "extraction.opening": "the extra may be missing, and most runs need no cluster",
    "models": "one implementation of several, chosen by the settings",
    "models.onnx_model": "an extra that only cards need may be missing",
    "models.llama_child": "limits come before the library",
    "store.finding": "most stores are no published ones",
    "store.places": "the constructor of what needs the library",
    "store.writing": "the constructor of what needs the library",
    "stories.answering": "most answers need no generator",
    "stories.scanning": "most questions count no rows of a file, and the reader of csv loads a guesser of encodings",
    "stories.session": "a search needs no reader",
    "walking.ignores": "most questions meet no ignore file, and its library takes a twentieth of the start",
}


@dataclass(frozen=True)
class Import:
    """One imported module, by its full name, and where."""

    module: str
    name: str
    line: int
    for_types: bool


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part_of(module: str) -> str:
    """ "mixrag_cli.store.reading" -> "store"."""
    return module.split(".")[1] if "." in module else module


def room_of(module: str) -> str:
    """ "mixrag_cli.recap.in_rows.tallies" -> "recap.in_rows"; a module of no room is its part's own."""
    room = ".".join(module.split(".")[1:3])
    return room if room in ROOMS else part_of(module)


def type_checking_lines(tree: ast.AST) -> set[int]:
    blocks = (node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
    return {
        inner.lineno for block in blocks for node in block.body for inner in ast.walk(node) if hasattr(inner, "lineno")
    }


@cache
def parsed(source: str) -> ast.Module:
    return ast.parse(source)


def imports_in(source: str, module: str) -> Iterator[Import]:
    tree = parsed(source)
    for_types = type_checking_lines(tree)
    for node in ast.walk(tree):
        for name in imported_names(node):
            yield Import(module, name, node.lineno, node.lineno in for_types)  # type: ignore[attr-defined]


def imported_names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports name the whole path"
        # "from mixrag_cli import records" names a part; "from urllib import request" a module
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        return [name for name in names if name and name != PACKAGE]
    is_dynamic = isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__"))
    if is_dynamic and node.args and isinstance(node.args[0], ast.Constant):
        return [str(node.args[0].value)]
    return []


@cache
def all_imports() -> list[Import]:
    return [found for path in sorted(SOURCE.rglob("*.py")) for found in imports_in(path.read_text(), module_name(path))]


def is_upward(found: Import) -> bool:
    """Whether an import of the project's own goes where the table has no arrow."""
    if found.name.split(".")[0] != PACKAGE:
        return False
    importer, imported = part_of(found.module), part_of(found.name)
    if imported not in ALLOWED:  # a name out of mixrag_cli/__init__.py, such as __version__
        imported = PACKAGE
    if importer == imported or imported in ALLOWED[importer]:
        return False
    if found.module in COMPOSER and imported in COMPOSER_ALSO:
        return False
    return not (found.for_types and (importer, imported) in TYPES_ONLY)


def is_between_rooms(found: Import) -> bool:
    """Whether an import goes from one room of a part to another where the table has no arrow."""
    here, there = room_of(found.module), room_of(found.name)
    is_same_part = here.split(".")[0] == there.split(".")[0] and found.name.split(".")[0] == PACKAGE
    return is_same_part and here in ROOMS and here != there and there not in ROOMS[here]


def importers(imports: list[Import], libraries: set[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for one in imports:
        if (library := one.name.split(".")[0]) in libraries:
            found[library].add(one.module)
    return found


def has_late_imports(source: str) -> bool:
    """Whether a function of the source imports something when it runs."""
    functions = (node for node in ast.walk(parsed(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return any(isinstance(inner, ast.Import | ast.ImportFrom) for each in functions for inner in ast.walk(each))


def dangers_in(source: str) -> list[str]:
    """Each place where the source could run what it was given: code, a shell line, a pickle, an unsafe file."""
    return [f"{node.lineno}: {ast.unparse(node)}" for node in ast.walk(parsed(source)) if is_danger(node)]  # type: ignore[attr-defined]


def is_danger(node: ast.AST) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return any(name.split(".")[0] in RUNS_WHAT_IT_LOADS for name in imported_names(node))
    if not isinstance(node, ast.Call):
        return False
    if ast.unparse(node.func) in RUNNERS:
        return True
    return any(each.arg in DANGEROUS_FLAGS and ast.unparse(each.value) != "False" for each in node.keywords)


def test_every_part_of_the_package_has_its_place() -> None:
    parts = {
        path.name.removesuffix(".py")
        for path in SOURCE.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert parts - {"__init__"} <= set(ALLOWED)


def test_imports_run_one_way() -> None:
    imports = all_imports()
    assert len(imports) > 200
    assert [f"{found.module}:{found.line} imports {found.name}" for found in imports if is_upward(found)] == []


def test_rooms_import_each_other_as_the_table_says() -> None:
    rooms = {
        f"{part}.{path.parent.name}" for part in ("readers", "recap") for path in (SOURCE / part).glob("*/__init__.py")
    }
    assert rooms == {room for room in ROOMS if "." in room}
    wrong = [found for found in all_imports() if is_between_rooms(found)]
    assert [f"{found.module}:{found.line} imports {found.name}" for found in wrong] == []


@pytest.mark.parametrize(
    ("module", "source", "wrong"),
    [
        ("mixrag_cli.readers.pdf.page", "from mixrag_cli.readers.sheets.reader import read", True),
        ("mixrag_cli.recap.reader", "from mixrag_cli.recap.generated.reader import generate_answer", True),
        ("mixrag_cli.recap.generated.reader", "from mixrag_cli.recap.in_tables import cells", True),
        ("mixrag_cli.recap.generated.reader", "from mixrag_cli.recap.restate import restate", False),
        ("mixrag_cli.recap.in_rows.tallies", "from mixrag_cli.recap.in_rows import conditions", False),
        ("mixrag_cli.stories.answering", "from mixrag_cli.recap.generated.reader import Asking", False),
    ],
)
def test_a_wrong_door_between_rooms_would_be_seen(module: str, source: str, wrong: bool) -> None:
    assert any(is_between_rooms(found) for found in imports_in(source, module)) is wrong


@pytest.mark.parametrize(
    ("module", "source", "upward"),
    [
        ("mixrag_cli.records", "from mixrag_cli.errors import MixragError", True),
        ("mixrag_cli.readers.text", "from mixrag_cli import store", True),
        ("mixrag_cli.readers.text", "def f():\n    import mixrag_cli.stories.indexing", True),
        ("mixrag_cli.store.reading", "from mixrag_cli.models import load_embedder", True),
        ("mixrag_cli.retrieval.fusion", "import importlib\nimportlib.import_module('mixrag_cli.store.reading')", True),
        ("mixrag_cli.output.terminal", "from mixrag_cli.stories.session import SearchResult", True),
        ("mixrag_cli.extraction.pool", "from mixrag_cli.chunking import chunk_document", True),
        (
            "mixrag_cli.output.terminal",
            "if TYPE_CHECKING:\n    from mixrag_cli.stories.session import SearchResult",
            False,
        ),
        ("mixrag_cli.extraction.child", "from mixrag_cli.chunking import chunk_document", False),
        ("mixrag_cli.actions.ask", "from mixrag_cli.stories.session import open_session", False),
        ("mixrag_cli.commands.ask", "from mixrag_cli.stories.session import open_session", True),
        ("mixrag_cli.cli", "from mixrag_cli import __version__", False),
        ("mixrag_cli.recap.passages", "from mixrag_cli.quantities.values import Value", False),
    ],
)
def test_an_upward_arrow_would_be_seen(module: str, source: str, upward: bool) -> None:
    assert any(is_upward(found) for found in imports_in(source, module)) is upward


def circles(imports: list[Import]) -> list[list[str]]:
    """The groups of modules that import each other, in function bodies too; what is for annotations does not count."""
    arrows: dict[str, set[str]] = defaultdict(set)
    modules = {found.module for found in imports}
    for found in imports:
        if found.name in modules and found.name != found.module and not found.for_types:
            arrows[found.module].add(found.name)
    reached = {module: {module} for module in modules}
    grew = True
    while grew:
        grew = False
        for module, targets in arrows.items():
            beyond = set().union(*(reached[target] for target in targets)) - reached[module]
            reached[module] |= beyond
            grew = grew or bool(beyond)
    groups = {frozenset(other for other in reached[module] if module in reached[other]) for module in modules}
    return sorted(sorted(group) for group in groups if len(group) > 1)


def test_no_modules_import_each_other() -> None:
    assert circles(all_imports()) == []


def test_a_circle_would_be_seen() -> None:
    sources = {
        "mixrag_cli.a": "from mixrag_cli.b import name",
        "mixrag_cli.b": "def f():\n    from mixrag_cli.c import name",
        "mixrag_cli.c": "import mixrag_cli.a",
        "mixrag_cli.d": "import mixrag_cli.a\nif TYPE_CHECKING:\n    import mixrag_cli.e",
        "mixrag_cli.e": "import mixrag_cli.d",
    }
    found = [one for module, source in sources.items() for one in imports_in(source, module)]
    assert circles(found) == [["mixrag_cli.a", "mixrag_cli.b", "mixrag_cli.c"]]


def test_a_heavy_library_has_one_door() -> None:
    found = importers(all_imports(), HEAVY)
    assert {"lance", "lancedb"} <= set(found)
    assert {library: modules for library, modules in found.items() if len(modules) > 1} == {}


def test_the_package_imports_nothing_of_its_training() -> None:
    assert [found.module for found in all_imports() if found.name.split(".")[0] == "training"] == []


def test_imports_stand_at_the_top() -> None:
    late = {module_name(path) for path in SOURCE.rglob("*.py") if has_late_imports(path.read_text())}
    assert late == {f"{PACKAGE}.{module}" for module in LATE}


def test_a_late_import_would_be_seen() -> None:
    assert has_late_imports("class A:\n    def f(self):\n        from mixrag_cli.store import find_store")
    assert not has_late_imports("from mixrag_cli.store import find_store")


def test_only_the_output_imports_rich() -> None:
    modules = importers(all_imports(), {"rich"})["rich"]
    assert modules
    assert {part_of(module) for module in modules} == {"output"}


def test_only_the_generator_on_a_server_and_the_published_index_import_a_network_client() -> None:
    clients = {
        (found.module, client)
        for found in all_imports()
        for client in NETWORK
        if found.name == client or found.name.startswith(client + ".")
    }
    doors = ("models.server", "store.places")
    assert clients == {(f"{PACKAGE}.{door}", "http.client") for door in doors}


def test_nothing_runs_what_it_was_given() -> None:
    found = {str(path): dangers for path in SOURCE.rglob("*.py") if (dangers := dangers_in(path.read_text()))}
    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from joblib import load",
        "eval('1')",
        "exec(code)",
        "yaml.load(text)",
        "torch.load(path)",
        "subprocess.run(line, shell=True)",
        "np.load(path, allow_pickle=True)",
        "os.system(line)",
    ],
)
def test_a_danger_would_be_seen(source: str) -> None:
    assert len(dangers_in(source)) == 1


def loaded_by(program: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after the program, which may exit."""
    report = f"""
import sys
try:
    {program}
except SystemExit as left:
    assert not left.code, left.code
print("|".join(sorted(name for name in sys.modules if "." not in name)), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", report], cwd=SOURCE.parent, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.strip().splitlines()[-1].split("|"))


# By cli.main, since the way in around it ends the process without a last word.
HELP = "sys.argv[1:] = ['--help']; from mixrag_cli.cli import main; main()"


@pytest.mark.parametrize("program", ["import mixrag_cli.cli", HELP], ids=["import", "--help"])
def test_the_face_loads_nothing_heavy(program: str) -> None:
    loaded = loaded_by(program)
    assert "typer" in loaded
    assert loaded & NOT_IN_THE_FACE == set()


def test_a_question_loads_neither_a_guesser_of_encodings_nor_ignore_patterns() -> None:
    loaded = loaded_by("import mixrag_cli.actions.ask, mixrag_cli.actions.search, mixrag_cli.stories.answering")
    assert "lance" in loaded
    assert loaded & {"charset_normalizer", "pathspec"} == set()


def test_a_heavy_import_would_be_seen() -> None:
    assert "numpy" in loaded_by("import numpy")
