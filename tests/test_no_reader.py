"""Files whose format has no reader are named: by index, by status and in JSON; one that the user names fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_cli import ask, check_json

from mixrag_cli.output.formats import MAX_FORMATS, formats_text, no_reader_text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "documents"
    (place / "node_modules").mkdir(parents=True)
    (place / "minutes.md").write_text("# Minutes\n\nThe board met in Leeds.\n")
    for name in ("old.doc", "OLDER.DOC", "a.heic", "b.heic", "c.HEIC", "d.heic"):
        (place / name).write_bytes(b"\xd0\xcf\x11\xe0" + bytes(100))
    (place / "package-lock.json").write_text("{}")
    (place / "node_modules" / "picture.heic").write_bytes(b"x")
    return place


def test_index_and_status_name_what_has_no_reader(folder: Path) -> None:
    done = ask(folder, "index", "--json")
    told = done.stderr.decode()
    assert done.returncode == 0
    assert "6 files have no reader: 4 .heic, 2 .doc" in told
    assert "2 left out by rule" in told  # the lock file and the folder of a tool
    found = check_json(done.stdout, "index")
    assert found["no_reader"] == {".heic": 4, ".doc": 2}
    assert found["skipped"] == []

    again = ask(folder, "index", "--json")  # nothing has changed, and it is still said
    assert "6 files have no reader" in again.stderr.decode()
    status = check_json(ask(folder, "status", "--json").stdout, "status")
    assert status["no_reader"] == {".heic": 4, ".doc": 2}
    assert "no reader  4 .heic, 2 .doc" in ask(folder, "status").stdout.decode()


def test_a_file_without_a_reader_that_the_user_names_has_failed(folder: Path) -> None:
    assert ask(folder, "index").returncode == 0
    named = ask(folder, "index", "old.doc", "--json")
    assert named.returncode == 3
    assert "old.doc: no reader for this format; skipped" in named.stderr.decode()
    assert [each["code"] for each in check_json(named.stdout, "index")["skipped"]] == ["unsupported"]
    assert ask(folder, "index").returncode == 0  # of the whole folder it is one among others again


def test_a_refusal_says_that_files_could_not_be_read(folder: Path) -> None:
    (folder / "torn.pdf").write_bytes(b"%PDF-1.7\n" + bytes(200))
    assert ask(folder, "index").returncode == 3
    refused = ask(folder, "ask", "Which crane was hired for the Thursby quarry?")
    told = "1 file could not be read and may hold the answer (mixrag status --skipped)"
    assert refused.returncode == 4 and told in " ".join(refused.stdout.decode().split())
    found = check_json(ask(folder, "ask", "Where did the board meet?", "--json").stdout, "answer")
    assert found["status"] != "abstained" and not found["warnings"]


def test_many_formats_are_told_in_one_line() -> None:
    formats = {f".{number}": 20 - number for number in range(MAX_FORMATS + 2)}
    assert formats_text(formats).endswith(", 13 .7, 23 of 2 other formats")
    assert formats_text({}) == ""
    assert no_reader_text({".doc": 1}) == "1 file has no reader: 1 .doc"
