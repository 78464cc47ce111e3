"""Files read on a Ray cluster: the same store as one process makes, whatever is killed meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mixrag_cli.cli import app
from mixrag_cli.errors import WrongUsage
from mixrag_cli.extraction import ExtractionJob, open_readers
from mixrag_cli.extraction.pool import ReaderPool
from mixrag_cli.settings import Settings
from mixrag_cli.store import check_store
from mixrag_cli.store.failpoints import VARIABLE
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.wishes import IndexWishes
from tests.store_contents import contents_of
from tests.test_extraction import LONG_TEXT, job_of

pytestmark = pytest.mark.slow

SAMPLES = Path(__file__).parent / "samples" / "northmere"
NEEDS_RAY = "needs the extra ray: pip install 'mixrag[ray]'"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a cluster of two processors of this machine, which this process has joined."""
    ray = pytest.importorskip("ray", reason=NEEDS_RAY)
    from mixrag_cli.extraction.cluster import Cluster

    with Cluster("auto", Settings(workers=2, offline="on"), 256):
        yield ray.get_runtime_context().gcs_address


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sheets, PDF, code and notes, and one long text."""
    folder = tmp_path_factory.mktemp("folder")
    for path in SAMPLES.iterdir():
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    for number in range(8):
        (folder / f"note{number}.md").write_text(f"# Note {number}\n\nGate {number} opens at nine.\n", "utf-8")
    (folder / "damaged.pdf").write_bytes(b"%PDF-1.7 no more")
    return folder


@pytest.fixture(scope="module")
def alone(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What one process makes of the folder."""
    store = tmp_path_factory.mktemp("alone") / "store"
    build_index([folder], Settings(store=store, workers=1), events=Silent())
    return contents_of(store)


def node_processes() -> list[int]:
    """The processes in which the nodes of this test's cluster read, whoever they read for."""
    above, readers = {}, []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal():
                above[int(entry.name)] = int(entry.joinpath("stat").read_text().rpartition(")")[2].split()[1])
                if entry.joinpath("cmdline").read_bytes().startswith(b"ray::NodeReader"):
                    readers.append(int(entry.name))
        except OSError:
            continue
    return [reader for reader in readers if os.getpid() in parents_of(reader, above)]


def parents_of(process: int, above: dict[int, int]) -> Iterator[int]:
    while process := above.get(process, 0):
        yield process


def wait_until_no_node_reads() -> None:
    deadline = time.monotonic() + 60
    while node_processes() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert node_processes() == []


def test_a_cluster_makes_the_store_that_one_process_makes(
    cluster: str, folder: Path, alone: dict[str, object], tmp_path: Path
) -> None:
    store = tmp_path / "store"
    report = build_index([folder], Settings(store=store), events=Silent(), wishes=IndexWishes(cluster="auto"))
    assert contents_of(store) == alone
    assert [Path(each.path).name for each in report.skipped] == ["damaged.pdf"]
    wait_until_no_node_reads()


def test_a_file_whose_node_is_killed_is_read_again_and_said_so(cluster: str, tmp_path: Path) -> None:
    jobs = [job_of(tmp_path, f"{number}.txt", LONG_TEXT) for number in range(3)]
    killed: list[int] = []
    told = threading.Lock()  # each reading thread tells of its own file, and two may tell at once

    def kill_once(job: ExtractionJob, done: int, total: int) -> None:
        with told:
            if not killed and done:
                killed.append(node_processes()[0])
                os.kill(killed[0], signal.SIGKILL)

    notes: list[str] = []
    with open_readers(Settings(), 256, "auto", notes.append) as readers:
        results = {result.job.path: result.extraction for result in readers.extract_all(jobs, kill_once)}
    with ReaderPool(Settings()) as readers:
        (expected,) = (result.extraction for result in readers.extract_all(jobs[:1]))
    assert len(killed) == 1 and expected is not None
    assert notes == ["the cluster lost 1 reader processes (ActorDiedError); their files were read again"]
    found = [each for each in results.values() if each is not None]
    assert [[chunk.text for chunk in each.chunks] for each in found] == [[chunk.text for chunk in expected.chunks]] * 3


def test_a_file_that_no_node_sees_as_the_walk_did_is_judged_here(cluster: str, tmp_path: Path) -> None:
    job = job_of(tmp_path, "a.txt", "The gate opens at nine.")
    (tmp_path / "a.txt").write_text("The gate opens at ten, but for Sundays.", "utf-8")
    notes: list[str] = []
    with open_readers(Settings(), 256, "auto", notes.append) as readers:
        (result,) = readers.extract_all([job])
    assert result.failure is not None and result.failure.code == "changed"
    assert notes == ["1 files could not be read in the cluster as they stand here, and were read here"]


@pytest.fixture(scope="module")
def killed(cluster: str, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The store of a run that was killed in the middle of a commit, and the folder from which it was started.

    That folder holds modules that tell in a file of their name when they are loaded.
    """
    strange, store = tmp_path_factory.mktemp("strange"), tmp_path_factory.mktemp("killed") / "store"
    for name in ("json", "mixrag_cli", "numpy"):
        (strange / f"{name}.py").write_text(f"open({str(strange / 'told')!r}, 'a').write({name!r})\n")
    command = [sys.executable, "-P", "-m", "mixrag_cli", "index", str(folder), "--store", str(store), "--ray", cluster]
    environment = {**os.environ, VARIABLE: "after_chunks", "PYTHONPATH": str(Path(__file__).parent.parent)}
    done = subprocess.run(
        command, cwd=strange, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    return store, strange


def test_a_killed_driver_leaves_a_store_that_the_next_run_completes(
    killed: tuple[Path, Path], folder: Path, alone: dict[str, object]
) -> None:
    store, _ = killed
    assert check_store(store, deep=True) == []
    wait_until_no_node_reads()
    build_index([folder], Settings(store=store), events=Silent())
    assert contents_of(store) == alone


def test_the_current_folder_lends_no_module_to_the_cluster(killed: tuple[Path, Path]) -> None:
    _, strange = killed
    assert not (strange / "told").exists()


def test_without_the_extra_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "mixrag_cli.extraction.cluster", raising=False)
    (tmp_path / "a.txt").write_text("The gate opens at nine.", "utf-8")
    result = CliRunner().invoke(app, ["index", str(tmp_path), "--ray", "auto"])
    assert result.exit_code == 1
    assert "mixrag[ray]" in result.stderr and len(result.stderr.splitlines()) == 2


@pytest.mark.parametrize("address", ["ray://head:10001", "http://head:8265"])
def test_an_address_that_cannot_be_meant_is_refused(address: str) -> None:
    pytest.importorskip("ray", reason=NEEDS_RAY)
    with pytest.raises(WrongUsage, match="HOST:PORT"), open_readers(Settings(), 256, address):
        pass


def test_offline_joins_no_cluster_elsewhere() -> None:
    pytest.importorskip("ray", reason=NEEDS_RAY)
    with pytest.raises(WrongUsage, match="offline"), open_readers(Settings(offline="on"), 256, "head:6379"):
        pass
