"""An index of a group: who belongs to it reads and writes, whoever made what, and nobody else does."""

from __future__ import annotations

import grp
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mixrag_cli.errors import MixragError, StoreDamaged
from mixrag_cli.store import check_store, open_reader
from tests.store_samples import make_document, write_store

ALICE, BOB, CAROL = 12_345, 12_346, 12_347

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be several people")


@contextmanager
def person(user: int, *groups: int) -> Iterator[None]:
    """Inside, the process is this person, of a group of their own and of these."""
    before = os.getgroups()
    os.setgroups(groups)
    os.setegid(user)
    os.seteuid(user)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(before)


def write(store: Path, name: str) -> None:
    write_store(store, [make_document(name, 3)])


@pytest.fixture(scope="module", autouse=True)
def _loaded(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Import what is imported late: the interpreter may lie where other people cannot read it."""
    folder = tmp_path_factory.mktemp("loaded") / ".mixrag"
    write(folder, "any")
    assert check_store(folder, deep=True) == []


@pytest.fixture
def team() -> grp.struct_group:
    return next(group for group in grp.getgrall() if group.gr_gid not in (0, ALICE, BOB, CAROL))


@pytest.fixture
def store(team: grp.struct_group, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that a team owns, and in it an index that Alice has begun."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        monkeypatch.setenv("MIXRAG_CONFIG_DIR", folder)
        monkeypatch.setenv("MIXRAG_GROUP", team.gr_name)
        store = Path(folder, ".mixrag")
        store.mkdir()
        os.chown(store, ALICE, team.gr_gid)
        store.chmod(0o2770)
        with person(ALICE, team.gr_gid):
            write(store, "first")
        yield store


def test_all_that_an_index_holds_is_for_its_group(store: Path, team: grp.struct_group) -> None:
    for path in [store, *store.rglob("*")]:
        known = path.stat()
        assert stat.S_IMODE(known.st_mode) == (0o2770 if path.is_dir() else 0o660), path
        assert known.st_gid == team.gr_gid, path


def test_members_read_and_write_what_others_made(store: Path, team: grp.struct_group) -> None:
    with person(BOB, team.gr_gid):
        with open_reader(store) as reader:
            assert len(reader.document_rows()) == 1
        write(store, "second")
        assert check_store(store, deep=True) == []
    with person(ALICE, team.gr_gid):
        write(store, "third")
        with open_reader(store) as reader:
            assert [row.path for row in reader.document_rows()] == ["first", "second", "third"]
        assert check_store(store, deep=True) == []


def test_who_does_not_name_the_group_does_not_trust_it(
    store: Path, team: grp.struct_group, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MIXRAG_GROUP")
    with person(BOB, team.gr_gid), pytest.raises(StoreDamaged, match="index belongs to another user"):
        open_reader(store)
    with person(ALICE, team.gr_gid), pytest.raises(StoreDamaged, match="index is writable by others"):
        open_reader(store)
    monkeypatch.setenv("MIXRAG_GROUP", "no-such-group")
    with person(BOB, team.gr_gid), pytest.raises(StoreDamaged, match="index belongs to another user"):
        open_reader(store)


def test_nobody_else_reads_it(store: Path) -> None:
    with person(CAROL), pytest.raises(MixragError):
        open_reader(store)


def test_what_all_can_write_is_trusted_by_nobody(store: Path, team: grp.struct_group) -> None:
    (store / "state.json").chmod(0o666)
    with person(BOB, team.gr_gid), pytest.raises(StoreDamaged):
        open_reader(store)
