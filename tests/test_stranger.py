"""A folder from a stranger, an index and modules of theirs inside: nothing of it is obeyed, run, or a way out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mixrag_cli.settings import load_settings
from tests.cli_fixtures import environment_of, run_here

SECRET = "The password of the vault is gooseberry."
MODULES = ("json", "numpy", "mixrag_cli", "sitecustomize", "usercustomize", "lance", "typer")
SETTINGS = 'generator = "http://198.51.100.7/v1"\nsummaries = "short"\nembedder = "evil/model"\noffline = "off"\n'


def run(home: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program as it is installed: the current folder is no place for modules."""
    env = environment_of(home, PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
    command = [sys.executable, "-P", "-m", "mixrag_cli", *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False)


def run_in_here(home: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The same in this process, where nothing depends on how the program was started."""
    done = run_here(*arguments, cwd=folder, env=environment_of(home))
    return subprocess.CompletedProcess(arguments, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A home with a secret, and in it a downloaded folder with everything that a stranger may think of; indexed."""
    home = tmp_path_factory.mktemp("home")
    (home / "secret.md").write_text(f"# Vault\n\n{SECRET}\n", "utf-8")
    folder = home / "download"
    (folder / ".mixrag" / "cache").mkdir(parents=True)
    (folder / "note.md").write_text("# Gate\n\nThe gate opens at nine.\n", "utf-8")
    for place in (folder, folder / ".mixrag"):
        for name in ("config.toml", "mixrag.toml", ".mixrag.toml", "pyproject.toml"):
            (place / name).write_text(SETTINGS, "utf-8")
        for name in MODULES:
            (place / f"{name}.py").write_text(f"open({str(home / 'ran')!r}, 'a').write({name!r})\n", "utf-8")
    (folder / ".mixrag" / "cache" / "embeddings.2.sqlite").write_bytes(b"not a database")
    (folder / "link.md").symlink_to(home / "secret.md")
    (folder / "way").symlink_to(home)
    done = run(home, folder, "index")
    assert done.returncode == 0, done.stderr
    return home, folder


def test_no_module_of_the_folder_is_run(strange: tuple[Path, Path]) -> None:
    home, folder = strange
    assert run(home, folder, "search", "When does the gate open?").returncode == 0
    assert not (home / "ran").exists()


def test_no_setting_of_the_folder_is_obeyed(strange: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    home, folder = strange
    monkeypatch.chdir(folder)
    listed = run(home, folder, "config", "list", "--json").stdout
    assert "198.51.100.7" not in listed and "evil/model" not in listed
    assert load_settings() == load_settings()
    assert "198.51.100.7" not in repr(load_settings())


def test_what_a_link_points_to_is_not_indexed(strange: tuple[Path, Path]) -> None:
    home, folder = strange
    for flags in ([], ["--follow"]):
        assert run_in_here(home, folder, "index", *flags).returncode == 0
        found = run_in_here(home, folder, "search", "the password of the vault", "--json")
        assert "gooseberry" not in found.stdout


@pytest.mark.parametrize(
    "ref",
    [
        "../secret.md",
        "link.md",
        "way/secret.md",
        "/etc/passwd",
        "file:///etc/passwd",
        "note.md/../../secret.md",
        "~/secret.md",
    ],
)
def test_show_shows_what_is_in_the_index_and_nothing_else(strange: tuple[Path, Path], ref: str) -> None:
    home, folder = strange
    done = run_in_here(home, folder, "show", ref)
    assert done.returncode == 2
    assert "gooseberry" not in done.stdout + done.stderr and "root:" not in done.stdout


@pytest.mark.parametrize(
    "name", ["../evil", "/tmp/evil", "file:///etc/passwd", "..", "a/../../b", "https://198.51.100.7/x"]
)
def test_models_pull_takes_names_and_no_places(strange: tuple[Path, Path], name: str) -> None:
    home, folder = strange
    before = sorted(home.rglob("*"))
    done = run_in_here(home, folder, "models", "pull", name)
    assert done.returncode in (1, 2, 14) and len(done.stderr.splitlines()) <= 2
    assert [path for path in sorted(home.rglob("*")) if path not in before and "cache" not in str(path)] == []


@pytest.mark.parametrize("address", ["file:///etc/mixrag", "file://host/x", "ftp://host/x"])
def test_publish_and_store_take_no_address_of_another_kind(strange: tuple[Path, Path], address: str) -> None:
    home, folder = strange
    for arguments in (["publish", address], ["search", "gate", "--store", address]):
        done = run_in_here(home, folder, *arguments)
        assert done.returncode in (1, 2, 10), done
        assert len(done.stderr.splitlines()) <= 2
    assert not (folder / address.partition(":")[0]).exists()


def test_an_index_that_came_with_the_folder_is_named_until_it_is_made_anew(tmp_path: Path) -> None:
    home, made, given = tmp_path / "home", tmp_path / "made", tmp_path / "given"
    made.mkdir()
    home.mkdir()
    (made / "note.md").write_text("# Gate\n\nThe gate opens at nine.\n", "utf-8")
    assert run_in_here(home, made, "index").returncode == 0
    shutil.copytree(made, given)
    (given / "note.md").write_text("# Gate\n\nThe gate opens at four.\n", "utf-8")
    for command in (("search", "gate"), ("ask", "When does the gate open?"), ("show", "note.md")):
        assert "was copied here or came with the folder" not in run_in_here(home, made, *command).stderr
        assert "mixrag index --rebuild" in run_in_here(home, given, *command).stderr
        named = run_in_here(home, given, *command, "--store", str(given / ".mixrag"))
        assert "was copied here" not in named.stderr
    told = json.loads(run_in_here(home, given, "search", "gate", "--json").stdout)["warnings"]
    assert any("came with the folder" in warning for warning in told)
    assert run_in_here(home, given, "index", "--rebuild", "--yes").returncode == 0
    assert "was copied here" not in run_in_here(home, given, "search", "gate").stderr
    made.rename(tmp_path / "moved")  # the same folder under another name is no copy
    assert "was copied here" not in run_in_here(home, tmp_path / "moved", "search", "gate").stderr
