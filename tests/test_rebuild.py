"""An index of another layout, or one whose record is lost, is made anew from the folders it was of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mixrag_cli.errors import StoreMismatch
from mixrag_cli.pipeline.indexing import build_index
from mixrag_cli.settings import Settings
from mixrag_cli.store import find_store, read_record, read_roots
from mixrag_cli.store.commit import write_record
from tests.silent import Silent


@pytest.mark.parametrize("named", [True, False])
def test_an_index_of_another_layout_is_made_anew(
    named: bool, model_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nThe gate opens at nine.\n", "utf-8")
    roots = [tmp_path] if named else []
    monkeypatch.chdir(tmp_path)
    build_index([tmp_path], Settings(), events=Silent())
    store = find_store(tmp_path, None)
    write_record(store, replace(read_record(store), schema_version=1))
    assert read_roots(store) == (".",)
    with pytest.raises(StoreMismatch, match="index layout 1"):
        build_index(roots, Settings(), events=Silent())
    report = build_index(roots, Settings(), events=Silent(), rebuild=True)
    assert (report.added, read_record(store).roots) == (1, (".",))
