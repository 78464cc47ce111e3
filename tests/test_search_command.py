"""search as a person uses it: file by file, filters that reach the store, a file by its name, an editor at the line."""

from __future__ import annotations

import json
import os
import stat
import time
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

from mixrag_cli.actions.moments import moment_ns
from mixrag_cli.actions.opening import LINE_FORMS
from mixrag_cli.cli import app
from mixrag_cli.errors import WrongUsage
from mixrag_cli.readers import FORMATS
from mixrag_cli.store import build_filter
from mixrag_cli.store.filters import check_filter
from mixrag_cli.stories.language_names import suffixes_of
from tests.cli_fixtures import copy_indexed, environment_of, run_here

DAY_NS = 86_400 * 10**9


@pytest.fixture(scope="module")
def folder(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample folder with files of other languages and times, and one that could take every candidate."""
    own = tmp_path_factory.mktemp("searched") / "own"
    copy_indexed(indexed, own)
    (own / "tax.rs").write_text("/// The price with tax.\nfn price_with_tax(net: f64) -> f64 {\n    net * 1.23\n}\n")
    (own / "ledger.csv").write_text(
        "piece,price\n" + "".join(f"price of stool {number},{number + 10}\n" for number in range(150))
    )
    (own / "deep").mkdir()
    (own / "deep" / "Stock-Taking.txt").write_text("Once a year all that is there is counted by two people.\n")
    old = time.time() - 30 * 86_400
    os.utime(own / "handbook.md", (old, old))
    env = environment_of(own.parent, HOME=os.environ["HOME"])
    assert run_here("index", cwd=own, env=env).returncode == 3
    return own


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == code, done.stderr
    return done.stdout


def found(*arguments: str) -> dict:
    payload = json.loads(run("search", *arguments, "--json"))
    schema = json.loads(resources.files("mixrag_cli").joinpath("schemas", "search-1.json").read_text("utf-8"))
    jsonschema.validate(payload, schema, cls=jsonschema.Draft202012Validator)
    return payload


def paths(*arguments: str) -> set[str]:
    return {hit["path"] for hit in found(*arguments)["hits"]}


def test_the_passages_of_a_file_stand_together_under_its_name() -> None:
    lines = run("search", "price with tax", "--limit", "8").splitlines()
    heads = [line.split("  ")[0] for line in lines if line and not line.startswith(" ")]
    assert len(heads) == len(set(heads)) > 1
    best = found("price with tax", "--limit", "8")
    assert heads == best["files"]
    ranks = [int(line.split()[0]) for line in lines if line[:4].strip().isdigit() and not line.startswith("    ")]
    assert sorted(ranks) == list(range(1, len(best["hits"]) + 1))
    one = next(line for line in lines if "prices.py" in line)
    place = lines[lines.index(one) + 1].split()[1]
    assert run("show", f"prices.py#{place}")


def test_files_alone_one_a_line_and_as_many_as_are_wanted() -> None:
    listed = run("search", "price of a stool", "--files", "--limit", "6").splitlines()
    assert listed[0] == "ledger.csv"
    assert len(listed) == len(set(listed)) == 6  # although the ledger alone could take every candidate
    assert set(listed) <= {each["path"] for each in json.loads(run("ls", "--json"))["files"]}
    in_json = found("price of a stool", "--files", "--limit", "6")
    assert in_json["files"] == listed
    assert in_json["hits"] == []
    assert run("search", "price", "--files", "--path", "deep").splitlines() == ["deep/Stock-Taking.txt"]


def test_context_is_what_stands_beside_a_passage() -> None:
    (hit,) = found("fire extinguishers", "--limit", "1", "--path", "ledger.csv", "--context", "2")["hits"]
    assert 1 <= len(hit["before"]) + len(hit["after"]) <= 4
    lines = [each["locator"]["lines"][0] for each in (*hit["before"], hit, *hit["after"])]
    assert lines == list(range(lines[0], lines[0] + len(lines)))
    assert "before" not in found("fire extinguishers", "--limit", "1")["hits"][0]
    printed = run("search", "fire extinguishers", "--limit", "1", "--path", "ledger.csv", "-C", "2")
    assert all(each["text"].splitlines()[0][:40] in printed for each in (*hit["before"], *hit["after"]))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--language", "python"], {"prices.py"}),
        (["--language", "RS"], {"tax.rs"}),
        (["--language", "python", "--language", ".rs"], {"prices.py", "tax.rs"}),
        (["--language", "python", "--path", "*.py"], {"prices.py"}),
    ],
)
def test_filters_reach_the_store(arguments: list[str], expected: set[str]) -> None:
    assert paths("price with tax", *arguments) == expected


def test_a_filter_finds_what_the_best_of_all_would_not_hold() -> None:
    assert "deep/Stock-Taking.txt" not in paths("price of stool 17", "--limit", "100")
    assert paths("price of stool 17", "--path", "deep") == {"deep/Stock-Taking.txt"}


@pytest.mark.slow
def test_since_asks_for_the_time_of_the_file() -> None:
    assert "handbook.md" in paths("paid leave")
    assert "handbook.md" not in paths("paid leave", "--since", "7d")
    assert "handbook.md" in paths("paid leave", "--modified", "5w")
    assert "handbook.md" in asked("--since", "5w")
    assert asked("--since", "7d")
    assert "handbook.md" not in asked("--since", "7d")


def asked(*arguments: str) -> set[str]:
    """The files that an answer rests on or names, whatever its grade."""
    done = CliRunner().invoke(app, ["ask", "How many days of paid leave does a member have?", "--json", *arguments])
    answer = json.loads(done.stdout)
    named = [*answer["sources"], *(each["source"] for each in answer["candidates"]), *answer["refused"]]
    return {each["path"] for each in named}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--since", "soon"], "'soon' is no moment"),
        (["--since", "2025-13-01"], "'2025-13-01' is no moment"),
        (["--since", ""], "'' is no moment"),
        (["--since", "2199-01-01"], "no indexed file was changed since then"),
        (["--language", "pyton"], "no language 'pyton' is known (nearest: python)"),
        (["--language", "kotlin"], "no indexed file is in kotlin"),
        (["--language", "rust", "--path", "deep"], "no indexed file matches deep and is in rust"),
        (["--open", "--files"], "--open shows the best place itself"),
        (["--context", "-1"], "invalid value for '--context'"),
    ],
)
def test_what_cannot_be_meant_is_one_line(arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["search", "price", *arguments])
    assert done.exit_code == 2
    assert done.stderr.startswith(f"mixrag: {said}")
    assert done.stdout == ""


def test_moments() -> None:
    now = time.time_ns()
    assert abs(now - 7 * DAY_NS - moment_ns("7d")) < 10**9
    assert abs(now - 14 * DAY_NS - moment_ns(" 2W ")) < 10**9
    assert moment_ns("1970-01-03") == 2 * DAY_NS  # the time zone of the tests is UTC
    assert moment_ns("1970-01-03T12:00+12:00") == 2 * DAY_NS
    with pytest.raises(WrongUsage):
        moment_ns("7")


def test_every_suffix_of_code_has_a_language() -> None:
    suffixes = {suffix for each in FORMATS if each.modality == "code" for suffix in each.suffixes.split()}
    assert {suffix for suffix in suffixes if suffix not in suffixes_of(suffix)} == set()
    assert suffixes_of("C++") > {"cpp", "hpp"}
    assert suffixes_of("klingon") == frozenset()


@pytest.mark.parametrize("query", ["stock-taking.txt", "deep/Stock-Taking.txt", "Stock-Taking"])
def test_a_query_that_is_a_files_name_finds_that_file_first(query: str) -> None:
    best = found(query, "--limit", "4")
    assert best["hits"][0]["path"] == "deep/Stock-Taking.txt"
    assert len({hit["id"] for hit in best["hits"]}) == len(best["hits"])
    assert found(query, "--files")["files"][0] == "deep/Stock-Taking.txt"


def test_a_files_name_does_not_undo_a_filter() -> None:
    assert "deep/Stock-Taking.txt" not in paths("Stock-Taking.txt", "--modality", "code")
    assert found("prices.py of the workshop", "--limit", "1")["hits"][0]["path"] != "deep/Stock-Taking.txt"


def test_documents_can_be_left_out_by_their_ids_alone() -> None:
    where = build_filter(not_documents=["ab" * 16], kinds=["row"])
    assert where == f"document NOT IN ('{'ab' * 16}') AND kind IN ('row')"
    check_filter(where)
    with pytest.raises(ValueError):
        build_filter(not_documents=["x') OR ('1'='1"])


# --- --open -----------------------------------------------------------------------------------------------------------


def editor(folder: Path, name: str) -> tuple[Path, Path]:
    """A program of this name that writes its arguments down, and where it writes them."""
    folder.mkdir(exist_ok=True)
    told, program = folder / f"{name}.told", folder / name
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{told}"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program, told


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nano", ["+4", "{file}"]),
        ("code", ["--goto", "{file}:4"]),
        ("hx", ["{file}:4"]),
        ("kate", ["--line", "4", "{file}"]),
        ("unheard-of", ["{file}"]),
    ],
)
def test_open_calls_the_editor_at_the_line(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, expected: list[str]
) -> None:
    program, told = editor(tmp_path / "bin", name)
    monkeypatch.setenv("EDITOR", "/nonexistent/editor")
    monkeypatch.setenv("VISUAL", f"'{program}' -w")
    done = CliRunner().invoke(app, ["search", "price_with_tax", "--path", "prices.py", "--open"])
    assert done.exit_code == 0, done.stderr
    assert done.stdout == ""
    assert "opening prices.py#L4" in done.stderr
    assert told.read_text().splitlines() == ["-w", *(part.format(file=folder / "prices.py") for part in expected)]


def test_open_of_what_is_no_text_takes_the_desktops_program(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mixrag_cli.actions.opening import open_place
    from mixrag_cli.errors import MixragError
    from tests.northmere import FOLDER, near

    hit = near("annual-report.pdf", "Total revenue")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MixragError, match="is no text"):
        open_place(hit, FOLDER / "annual-report.pdf")
    _, told = editor(tmp_path, "xdg-open")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    open_place(hit, FOLDER / "annual-report.pdf")
    assert told.read_text().splitlines() == [str(FOLDER / "annual-report.pdf")]
    with pytest.raises(MixragError, match="is not there any more"):
        open_place(hit, tmp_path / "gone.pdf")


def test_open_without_an_editor_or_with_one_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    arguments = ["search", "price_with_tax", "--path", "prices.py", "--open"]
    assert "no editor is set" in CliRunner().invoke(app, arguments).stderr
    monkeypatch.setenv("EDITOR", "false")
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, "false ended with 1" in done.stderr) == (1, True)
    monkeypatch.setenv("EDITOR", "'unclosed")
    assert CliRunner().invoke(app, arguments).exit_code == 2


def test_every_form_of_a_line_names_the_file() -> None:
    assert all(any("{file}" in part for part in form) and any("{line}" in part for part in form)
               for form in LINE_FORMS.values())  # fmt: skip
