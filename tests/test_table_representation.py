"""table_representation and prose_chunks after indexing: an index holds one form; another asks for a rebuild."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_fixtures import SHEET, environment_of, run_here


@pytest.mark.slow
def test_another_representation_asks_for_a_rebuild(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "stock.csv").write_text(SHEET, "utf-8")

    def run(*arguments: str, form: str = "h-rcl-rows") -> tuple[int, dict[str, object]]:
        env = environment_of(tmp_path, MIXRAG_TABLE_REPRESENTATION=form)
        done = run_here(*arguments, "--json", cwd=folder, env=env)
        return done.returncode, json.loads(done.stdout)

    def kinds() -> set[str]:
        found = run("search", "stool ash", form="table")[1]["hits"]
        assert isinstance(found, list)
        return {hit["kind"] for hit in found}

    assert run("index")[0] == 0
    assert "row" in kinds()  # asking reads what is there, whatever the setting
    code, said = run("index", form="table")
    assert code == 13
    assert "table_representation h-rcl-rows, not table" in json.dumps(said)
    assert "--rebuild" in json.dumps(said)
    assert run("index")[0] == 0
    assert run("index", "--rebuild", "--yes", form="table")[0] == 0
    assert "row" not in kinds()
    assert run("index", form="table")[1]["unchanged"] == 1


def test_an_index_without_tables_takes_any_representation(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n\nThe kiln is fired on Mondays.\n", "utf-8")
    for form in ("h-rcl-rows", "table"):
        env = environment_of(tmp_path, MIXRAG_TABLE_REPRESENTATION=form)
        assert run_here("index", cwd=tmp_path, env=env).returncode == 0


@pytest.mark.slow
def test_another_way_of_cutting_prose_asks_for_a_rebuild(tmp_path: Path) -> None:
    baking = "Flour is weighed. The dough is kneaded. The dough rests for an hour. The bread is baked until brown. "
    harbour = (
        "The harbour opens at dawn. Ships moor at the quay. Cargo is unloaded by crane. The pilot leaves the ship."
    )
    (tmp_path / "notes.md").write_text(f"# Notes\n\n{baking}{harbour}\n", "utf-8")

    def run(*arguments: str, form: str) -> tuple[int, dict[str, object]]:
        done = run_here(*arguments, "--json", cwd=tmp_path, env=environment_of(tmp_path, MIXRAG_PROSE_CHUNKS=form))
        return done.returncode, json.loads(done.stdout)

    code, packed = run("index", form="packed")
    assert (code, packed["chunks"]) == (0, 1)
    code, said = run("index", form="topics")
    assert code == 13 and "prose_chunks packed, not topics" in json.dumps(said)
    code, cut = run("index", "--rebuild", "--yes", form="topics")
    assert code == 0 and int(str(cut["chunks"])) > 1
    hits = run("search", "harbour dawn", "--limit", "1", form="topics")[1]["hits"]
    assert isinstance(hits, list) and hits[0]["text"].startswith("The harbour opens")
    assert run("index", form="topics")[1]["unchanged"] == 1
