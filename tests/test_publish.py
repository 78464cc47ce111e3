"""A published index: written once, read by anybody, whole and verified, whatever happens at the other end."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyarrow import fs
from store_processes import start
from store_samples import digest_of, make_document, read_published, writer_of

from mixrag_cli.errors import MixragError, NoIndex, StoreDamaged, WrongUsage
from mixrag_cli.settings import load_settings
from mixrag_cli.store import find_store, open_reader, publish
from mixrag_cli.store.location import POINTER_FILE, is_published
from mixrag_cli.store.places import FolderPlace
from mixrag_cli.store.publishing import read_pointer
from mixrag_cli.stories.sharing import publish_index
from tests.store_samples import build_store
from tests.web_server import web_server

N_READERS = 3
OPENS = 1_000


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MIXRAG_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "published"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    build_store(tmp_path / "folder" / ".mixrag", ["a.md", "b.md"])
    return tmp_path / "folder" / ".mixrag"


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    """The address of a plain web server over tmp_path/shared."""
    with web_server(tmp_path / "shared") as address:
        yield address


def paths_at(address: Path | str) -> list[str]:
    with open_reader(find_store(Path("/"), address)) as reader:
        assert reader.search_words("river engine orchard ledger harbour violin glacier satellite", 5)
        return [row.path for row in reader.document_rows()]


def test_a_folder_and_its_web_server_give_what_was_committed(store: Path, tmp_path: Path, web: str) -> None:
    shared = tmp_path / "shared"
    first = publish(store, str(shared))
    assert 0 < first.sent_files == len(list((shared / "objects").iterdir())) <= first.files  # alike ones are sent once
    with open_reader(store) as reader:
        committed = digest_of(reader)
    for address in (shared, web):
        with open_reader(find_store(tmp_path, address)) as reader:
            assert digest_of(reader) == committed
            assert reader.store.is_relative_to(tmp_path / "cache")
    again = publish(store, str(shared))
    assert (again.snapshot, again.sent_files) == (first.snapshot, 0)


def test_a_new_commit_is_seen_at_the_next_question_and_only_its_new_files_are_sent(
    store: Path, tmp_path: Path, web: str, cache: Path
) -> None:
    shared = str(tmp_path / "shared")
    publish(store, shared)
    assert paths_at(web) == ["a.md", "b.md"]
    for number in range(5):
        with writer_of(store) as writer:
            writer.write_batch([make_document(f"c{number}.md")])
            writer.finish()
        done = publish(store, shared)
        assert 0 < done.sent_files < done.files
        assert paths_at(web) == ["a.md", "b.md", *(f"c{n}.md" for n in range(number + 1))]
    mirrors = [folder for folder in cache.glob("*/*") if is_published(folder)]
    assert len(mirrors) == 1  # those that nobody reads are gone, and so are their files
    assert len(list((tmp_path / "shared" / "manifests").iterdir())) == 3
    named = {path.stem for path in (tmp_path / "shared" / "objects").iterdir()}
    manifests = (json.loads(path.read_text()) for path in (tmp_path / "shared" / "manifests").iterdir())
    assert named == {row["sha256"] for manifest in manifests for row in manifest["files"]}


@pytest.mark.slow
def test_readers_open_a_thousand_times_while_it_is_published_anew_and_see_only_what_was_committed(
    store: Path, tmp_path: Path, web: str
) -> None:
    """Real processes, half of them by the web server, each with a cache of its own."""
    shared = tmp_path / "shared"
    states = {publish_next(store, shared, 0)}
    outcomes = [tmp_path / f"reader{number}" for number in range(N_READERS)]
    readers = [
        start(read_published, web if number % 2 else str(shared), OPENS // N_READERS + 1, outcome)
        for number, outcome in enumerate(outcomes)
    ]
    number = 0
    while any(reader.is_alive() for reader in readers):
        number += 1
        states.add(publish_next(store, shared, number))
    told = [json.loads(outcome.read_text()) for outcome in outcomes]
    assert [each.get("error") for each in told] == [None] * N_READERS
    assert sum(each["opens"] for each in told) >= OPENS
    seen = {state for each in told for state in each["states"]}
    assert len(seen) > 1
    assert seen <= states


def publish_next(store: Path, shared: Path, number: int) -> str:
    with writer_of(store) as writer:
        writer.write_batch([make_document("a.md", 3, revision=number)])
        writer.finish()
    publish(store, str(shared))
    with open_reader(store) as reader:
        return digest_of(reader)


@pytest.mark.parametrize("part", ["objects", "manifests", POINTER_FILE])
def test_a_flipped_byte_is_found_and_named_and_mended_by_publishing_again(
    part: str, store: Path, tmp_path: Path, web: str
) -> None:
    shared = tmp_path / "shared"
    publish(store, str(shared))
    place = shared / part
    victim = max(place.iterdir(), key=lambda path: path.stat().st_size) if place.is_dir() else place
    raw = bytearray(victim.read_bytes())
    raw[len(raw) // 2] ^= 0x01
    victim.write_bytes(raw)
    for address in (str(shared), web):
        with pytest.raises(StoreDamaged, match="not as it was published") as caught:
            paths_at(address)
        assert victim.name in caught.value.message
        assert caught.value.exit_code == 12
    victim.unlink()
    publish(store, str(shared))
    assert paths_at(web) == ["a.md", "b.md"]


class CutPlace(FolderPlace):
    """A folder whose first reads end too soon, as a longer object that came between asking for its size and it."""

    def __init__(self, folder: Path, cut_reads: int) -> None:
        super().__init__(folder)
        self.left = cut_reads

    def read(self, path: str) -> bytes:
        raw, self.left = super().read(path), self.left - 1
        return raw[: -70 if self.left >= 0 else None]


def test_a_pointer_that_grew_while_it_was_read_is_read_again(store: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    for number in range(2):
        publish_next(store, shared, number)
    assert len(read_pointer(FolderPlace(shared))) == 2
    assert read_pointer(CutPlace(shared, 2)) == read_pointer(FolderPlace(shared))
    with pytest.raises(StoreDamaged, match="not as it was published"):
        read_pointer(CutPlace(shared, 3))


def test_a_published_index_is_read_without_write_rights_and_never_written(store: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    publish(store, str(shared))
    for path in [shared, *shared.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = sorted(path.name for path in shared.rglob("*"))
    assert paths_at(shared) == ["a.md", "b.md"]
    mirror = find_store(tmp_path, str(shared))
    for place in (shared, mirror):
        with pytest.raises(WrongUsage, match="a published index is only read"):
            writer_of(place)
    assert sorted(path.name for path in shared.rglob("*")) == before


def test_what_cannot_be_published_or_read_is_told_in_one_line(store: Path, tmp_path: Path, web: str) -> None:
    settings = load_settings({"store": str(store)})
    for address in ("ftp://host/x", "s3:/bucket", "file:///srv"):
        with pytest.raises(WrongUsage, match="cannot be published to"):
            publish_index(tmp_path, address, settings)
    (tmp_path / "shared").mkdir()
    with pytest.raises(WrongUsage, match="a web server is only read"):
        publish_index(tmp_path, web, settings)
    with pytest.raises(NoIndex, match="no published index at"):
        find_store(tmp_path, web)
    with pytest.raises(MixragError, match=r"http://127.0.0.1:1/x: "):
        find_store(tmp_path, "http://127.0.0.1:1/x")
    with pytest.raises(WrongUsage, match="password"):
        find_store(tmp_path, "http://me:secret@127.0.0.1/x")
    publish(store, str(tmp_path / "shared"))
    with pytest.raises(WrongUsage, match="published one itself"):
        publish_index(tmp_path, str(tmp_path / "other"), load_settings({"store": web}))
    assert not (tmp_path / "other").exists()


def test_a_manifest_cannot_write_outside_of_the_cache(store: Path, tmp_path: Path) -> None:
    from hashlib import sha256

    from mixrag_cli.store.publishing import pointer_bytes

    shared = tmp_path / "shared"
    done = publish(store, str(shared))
    manifest = json.loads((shared / "manifests" / f"{done.snapshot}.json").read_text())
    for path in ("../../escaped", "/tmp/escaped", "a/../../escaped"):
        evil = json.dumps({**manifest, "files": [{**manifest["files"][0], "path": path}]}).encode()
        digest = sha256(evil).hexdigest()
        (shared / "manifests" / f"{digest}.json").write_bytes(evil)
        (shared / POINTER_FILE).write_bytes(pointer_bytes([digest]))
        with pytest.raises(StoreDamaged, match="names a place outside"):
            find_store(tmp_path, str(shared))
    assert not list(tmp_path.rglob("escaped"))


def test_an_object_store_serves_as_a_folder_does(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moto = pytest.importorskip("moto.server", reason="needs moto[server]")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        _, port = server.get_host_and_port()
        options = f"endpoint_override=127.0.0.1:{port}&scheme=http&region=us-east-1&allow_bucket_creation=true"
        fs.FileSystem.from_uri(f"s3://shelf?{options}")[0].create_dir("shelf")
        address = f"s3://shelf/index?{options}"
        done = publish(store, address)
        assert 0 < done.sent_files <= done.files
        assert publish(store, address).sent_files == 0
        assert paths_at(address) == ["a.md", "b.md"]
        with writer_of(store) as writer:
            writer.write_batch([make_document("c.md")])
            writer.finish()
        publish(store, address)
        assert paths_at(address) == ["a.md", "b.md", "c.md"]
        with pytest.raises(NoIndex, match="no published index"):
            find_store(tmp_path, f"s3://shelf/empty?{options}")
    finally:
        server.stop()
    assert os.environ["AWS_ACCESS_KEY_ID"] == "testing"
