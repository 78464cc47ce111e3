"""README and docs say what is so: commands run, pages made from the program are fresh, links lead somewhere."""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import typer

from mixrag_cli.cli import app
from mixrag_cli.errors import ExitCode
from mixrag_cli.recap.grading import shipped_grading
from tests.cli_fixtures import run_here

ROOT = Path(__file__).parent.parent
README, DOCS = ROOT / "README.md", ROOT / "docs"
PAGES = [README, *sorted(ROOT.glob("[CR]*.md")), *sorted(DOCS.glob("*.md"))]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
RUN_BLOCK = re.compile(r"<!-- run by tests/test_docs.py -->\n```sh\n(.*?)```", re.DOTALL)
SHELL_BLOCK = re.compile(r"^ *```(?:sh|console)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
MARK = re.compile(r"<!-- (?:run by tests/test_docs\.py|not run by a test[^:]*: .+) -->\n$")
SHELL_SIGNS = re.compile(r"[|&;<>$`*~]")
LONGEST_README = 100  # lines
LARGEST_RECORDING = 100_000  # bytes
HOME = "home"  # in the clone: where a person's own folders are
GRADES = (ExitCode.DONE, ExitCode.NO_ANSWER, ExitCode.LIKELY)


def script(name: str) -> dict[str, Any]:
    """What a script of docs/ defines, without running its main."""
    return runpy.run_path(str(DOCS / name))


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the sample documents where a clone has them, as new as a clone's, indexed."""
    root = tmp_path_factory.mktemp("clone")
    folder = root / "tests" / "samples" / "northmere"
    samples, ignore = ROOT / folder.relative_to(root), shutil.ignore_patterns(".mixrag")
    shutil.copytree(samples, folder, ignore=ignore, copy_function=shutil.copy)
    for name, file in (("papers", "handbook.md"), ("more", "meter_readings.py"), ("notes", "pumping-stations.csv")):
        (root / HOME / name).mkdir(parents=True)
        shutil.copy(samples / file, root / HOME / name)
    done = run_line("mixrag index && mixrag status", folder, root / HOME)
    assert done.returncode == ExitCode.DONE, done.stderr
    return root


def run_line(line: str, folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """One line of a shell block, with the program of this tree as mixrag; a plain command without a shell."""
    own = {"COLUMNS": "100", "HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home)}
    words = shlex.split(line, comments=True)
    if words[0] == "mixrag" and not SHELL_SIGNS.search(line):
        done = run_here(*words[1:], cwd=folder, env=own)
        return subprocess.CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())
    program = f'mixrag() {{ {shlex.quote(sys.executable)} -m mixrag_cli "$@"; }}; {line}'
    env = {**os.environ, "PYTHONPATH": str(ROOT), **own}
    return subprocess.run(["bash", "-c", program], cwd=folder, env=env, capture_output=True, text=True, timeout=300)


def blocks_to_run() -> list[tuple[str, str]]:
    return [(page.name, block) for page in PAGES for block in RUN_BLOCK.findall(page.read_text("utf-8"))]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "block"), blocks_to_run(), ids=lambda text: text[:20])
def test_shell_blocks_run(clone: Path, page: str, block: str) -> None:
    folder = clone
    for line in block.splitlines():
        if line.startswith("cd "):
            folder = clone / line.removeprefix("cd ").replace("~", HOME)
            continue
        done = run_line(line, folder, clone / HOME)
        allowed = GRADES if line.startswith("mixrag ask") else (ExitCode.DONE,)
        assert done.returncode in allowed, f"{page}: {line}\n{done.stderr}"
        assert done.stdout or "ask" not in line


def test_each_shell_block_is_run_or_says_why_not() -> None:
    for page in (README, *DOCS.glob("*.md")):
        text = page.read_text("utf-8")
        for block in re.finditer(r"^```sh$", text, re.MULTILINE):
            assert MARK.search(text[: block.start()]), f"{page.name}: {text[block.start() :][:80]}"


def shown_commands() -> Iterator[tuple[str, list[str]]]:
    """The words of each call of mixrag in a shell block, after its name, with the page."""
    for page in PAGES:
        for block in SHELL_BLOCK.findall(page.read_text("utf-8")):
            for line in block.splitlines():
                words = shlex.split(line.strip().removeprefix("$ "), comments=True)
                for is_joint, part in groupby(words, lambda word: word in ("&&", "|")):
                    called, *rest = part
                    if not is_joint and called.rpartition("/")[2] == "mixrag":
                        yield page.name, rest


def parse(words: Sequence[str]) -> None:
    """Read a command line as the program does, without doing it. Raises typer.TyperException."""
    command, name, context = typer.main.get_command(app), "mixrag", None
    while words:
        context = command.make_context(name, list(words), parent=context)
        if not hasattr(context.command, "resolve_command"):  # behind a door it is another than was asked
            return
        name, command, words = context.command.resolve_command(context, [*context._protected_args, *context.args])


def test_every_command_that_a_page_shows_is_understood() -> None:
    shown = list(shown_commands())
    assert len(shown) > 50
    for page, words in shown:
        try:
            parse(words)
        except typer.TyperException as error:
            pytest.fail(f"{page}: mixrag {shlex.join(words)}: {error.format_message()}")


@pytest.mark.parametrize("line", ["serach x", "search x --limits 3", "config sett ocr off", "index --watch=3"])
def test_a_command_that_is_none_would_be_seen(line: str) -> None:
    with pytest.raises(typer.TyperException):
        parse(shlex.split(line))


def test_readme_has_blocks_to_run() -> None:
    assert "README.md" in {page for page, _ in blocks_to_run()}


def test_readme_shows_what_the_program_prints(clone: Path) -> None:
    made = script("make_answer.py")
    shown = made["BLOCK"].search(README.read_text("utf-8"))
    assert shown is not None
    assert shown.group() == made["answer_block"](clone / "tests" / "samples" / "northmere"), "docs/make_answer.py"


def test_the_recording_shows_the_grades_that_its_questions_get(clone: Path) -> None:
    made = script("make_recording.py")
    recorded = made["RECORDING"].read_text("utf-8")
    assert len(recorded.encode()) <= LARGEST_RECORDING
    assert f"]({made['RECORDING'].relative_to(ROOT)})" in README.read_text("utf-8")
    assert not re.search(r"<script|<image|href|url\(", recorded)
    folder = clone / "tests" / "samples" / "northmere"
    for question, grade in made["QUESTIONS"].items():
        done = run_line(f"mixrag ask --json {shlex.quote(question)}", folder, clone / HOME)
        assert json.loads(done.stdout)["status"] == grade, "docs/make_recording.py"
        assert escape(question[:40]) in recorded


def test_readme_is_short() -> None:
    assert len(README.read_text("utf-8").splitlines()) <= LONGEST_README


def test_readme_names_each_exit_code() -> None:
    told = README.read_text("utf-8")
    assert [code.name for code in ExitCode if not re.search(rf"\b{code.value}\b", told)] == []


def test_commands_page_is_what_the_program_says() -> None:
    made = script("make_commands.py")
    assert (DOCS / "commands.md").read_text("utf-8") == made["commands_page"](), "docs/make_commands.py"


def test_architecture_page_names_every_package_folder() -> None:
    page = (DOCS / "architecture.md").read_text("utf-8")
    folders = [found.parent.relative_to(ROOT) for found in (ROOT / "mixrag_cli").glob("*/**/__init__.py")]
    assert len(folders) > 10
    assert [str(folder) for folder in folders if f"`{folder}/`" not in page] == []


def figures_in(text: str) -> set[str]:
    return {found.lstrip("0") for found in re.findall(r"\d[\d,]*(?:\.\d+)?|\.\d+", text)}


def test_readme_quotes_figures_that_the_measurements_hold() -> None:
    table = README.read_text("utf-8").partition("## Measured")[2].partition("\n## ")[0]
    quoted = [line.strip("| ").split(" | ")[1] for line in table.splitlines() if line.startswith("| ")][1:]
    known = figures_in((DOCS / "measurements.md").read_text("utf-8"))
    assert len(quoted) >= 5
    assert [figures_in(cell) - known for cell in quoted if not figures_in(cell) <= known] == []
    assert figures_in("99.123 %") - known


def test_the_guide_tells_from_which_probability_an_answer_is_stated() -> None:
    told = re.search(r"`confidence` is at least (\.\d+)", (DOCS / "guide.md").read_text("utf-8"))
    assert told is not None and float(told[1]) == shipped_grading().stated


def test_the_picture_of_growth_is_of_the_table() -> None:
    assert (DOCS / "growth.svg").read_text("utf-8") == script("make_growth.py")["growth"](), "docs/make_growth.py"


def test_architecture_page_prints_the_table_of_imports() -> None:
    made = script("make_imports.py")
    shown = made["TABLE"].search((DOCS / "architecture.md").read_text("utf-8"))
    assert shown is not None
    assert shown.group() == made["imports_table"](), "docs/make_imports.py"


def links() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for target in LINK.findall(FENCED.sub("", page.read_text("utf-8"))):
            if "://" not in target and not target.startswith("mailto:"):
                yield str(page.relative_to(ROOT)), target


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings make, as GitHub writes them."""
    titles = HEADING.findall(FENCED.sub("", page.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def leads_nowhere(page: str, target: str) -> bool:
    path, _, anchor = target.partition("#")
    file = (ROOT / page).parent / path if path else ROOT / page
    return not file.exists() or (bool(anchor) and anchor not in anchors(file))


def test_relative_links_lead_somewhere() -> None:
    found = list(links())
    assert len(found) > 10
    assert [link for link in found if leads_nowhere(*link)] == []


@pytest.mark.parametrize("target", ["docs/nothing.md", "docs/guide.md#no-such-heading"])
def test_a_dead_link_would_be_seen(target: str) -> None:
    assert leads_nowhere("README.md", target)
