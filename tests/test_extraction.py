"""Reader processes: what they bring back, and that nothing a file does to them reaches the program."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.extraction import ExtractionJob, ExtractionResult, ReaderPool, pool, process_seat
from mixrag_cli.extraction.redaction import redact_document
from mixrag_cli.extraction.transport import (
    Request,
    TransportError,
    chunk_from_plain,
    chunk_to_plain,
    receive_frame,
    send_frame,
)
from mixrag_cli.extraction.worker import Worker
from mixrag_cli.plain import table_from_plain, table_to_plain
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.records.documents import ColumnProfile, Fact, FactValue, Grid, GridCell
from mixrag_cli.records.files import SourceFile, stable_id
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.settings import Settings

TOKEN = "ghp_" + "a1B2" * 9  # the shape of a GitHub token
LONG_TEXT = "".join(f"Sentence number {n} says that the value of item {n} is {n * 7}.\n\n" for n in range(5_000))


def job_of(folder: Path, name: str, content: str | bytes) -> ExtractionJob:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    status = path.stat()
    source = SourceFile(
        os.fsencode(folder), os.fsencode(name), status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino
    )
    return ExtractionJob(source, stable_id("document", name), name)


def extract(
    jobs: list[ExtractionJob], settings: Settings, on_beat: Callable[[ExtractionJob, int, int], None] | None = None
) -> dict[str, ExtractionResult]:
    with ReaderPool(settings) as readers:
        results = {result.job.path: result for result in readers.extract_all(jobs, on_beat)}
    assert len(results) == len(jobs)
    assert child_pids() == []
    return results


def child_pids() -> list[int]:
    """The reader processes of this one; other tests' helpers, such as a fork server, may still be there."""
    found: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the thread ended meanwhile
            found += map(int, (task / "children").read_text().split())
    return [pid for pid in found if _is_reader(pid)]


def _is_reader(pid: int) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return b"mixrag_cli.extraction" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def signal_at_first_beat(number: signal.Signals, name: str) -> Callable[[ExtractionJob, int, int], None]:
    """Hits the reader process once, while it is at work on the named file."""
    hit: list[int] = []

    def on_beat(job: ExtractionJob, done: int, total: int) -> None:
        if job.path == name and not hit:
            hit.extend(child_pids())
            for pid in hit:
                os.kill(pid, number)

    return on_beat


def failure_of(result: ExtractionResult) -> tuple[str, str]:
    assert result.extraction is None and result.failure is not None
    return result.failure.code, result.failure.reason


# --- what comes back


def test_files_of_several_kinds_come_back_as_chunks_and_tables(tmp_path: Path) -> None:
    jobs = [
        job_of(
            tmp_path, "a.md", "# Sales\n\nWe sold much.\n\n| Region | Sum |\n|---|---|\n| North | 5 |\n| South | 7 |\n"
        ),
        job_of(tmp_path, "b.py", '"""Module."""\n\n\ndef add(a, b):\n    """Adds."""\n    return a + b\n'),
        job_of(tmp_path, "empty.txt", " \n"),
        job_of(tmp_path, "ls.txt", Path("/bin/ls").read_bytes()),
    ]
    results = extract(jobs, Settings(workers=1))
    markdown = results["a.md"].extraction
    assert markdown is not None and (markdown.modality, markdown.title) == ("markdown", "Sales")
    (table,) = markdown.tables
    assert [cell.value for cell in table.cells if cell.value is not None] == [Decimal(5), Decimal(7)]
    assert {"table", "row", "prose"} == {chunk.kind for chunk in markdown.chunks}
    assert all(chunk.document == jobs[0].document_id for chunk in markdown.chunks)
    rows = [chunk for chunk in markdown.chunks if chunk.kind == "row"]
    assert rows and all(chunk.parent == table.id for chunk in rows)
    code = results["b.py"].extraction
    assert code is not None and any("def add" in chunk.text and chunk.locator.lines == (4, 6) for chunk in code.chunks)
    empty = results["empty.txt"].extraction
    assert empty is not None and empty.chunks == ()
    assert failure_of(results["ls.txt"]) == ("binary", "looks binary")


def test_how_tables_are_told_is_a_setting(tmp_path: Path) -> None:
    text = "| Region | Sum |\n|---|---|\n| North | 5 |\n| South | 7 |\n"
    found = extract([job_of(tmp_path, "a.md", text)], Settings(table_representation="rcl"))["a.md"].extraction
    assert found is not None
    texts = [chunk.text for chunk in found.chunks]
    assert "Region North: Sum 5" in texts and "Sum: North 5; South 7" in texts
    alone = extract([job_of(tmp_path, "a.md", text)], Settings(table_representation="table"))["a.md"].extraction
    assert alone is not None and "row" not in {chunk.kind for chunk in alone.chunks}


def test_many_files_through_several_processes_that_are_renewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "FILES_PER_WORKER", 4)
    monkeypatch.setattr(process_seat, "MAX_FILES_PER_WORKER", 3)
    jobs = [job_of(tmp_path, f"{number}.txt", f"Note {number}.") for number in range(8)]
    pids: set[int] = set()
    results = extract(jobs, Settings(workers=2), lambda job, done, total: pids.update(child_pids()))
    for number in range(8):
        extraction = results[f"{number}.txt"].extraction
        assert extraction is not None and extraction.chunks[0].text == f"Note {number}."
    assert len(pids) > 2


def test_no_process_is_started_before_there_is_a_file(tmp_path: Path) -> None:
    with ReaderPool(Settings()) as readers:
        assert list(readers.extract_all([])) == [] and child_pids() == []
        assert next(readers.extract_all([job_of(tmp_path, "a.txt", "One.")])).extraction is not None


def test_the_processes_are_bounded_and_leave_with_the_caller(tmp_path: Path) -> None:
    seen: list[tuple[str, str]] = []

    def look(job: ExtractionJob, done: int, total: int) -> None:
        for pid in child_pids() if not seen else []:
            seen.append((Path(f"/proc/{pid}/limits").read_text(), Path(f"/proc/{pid}/status").read_text()))

    jobs = [job_of(tmp_path, "big.txt", LONG_TEXT), job_of(tmp_path, "b.txt", LONG_TEXT)]
    with ReaderPool(Settings(workers=1, worker_memory_mb=1000)) as readers:
        running = readers.extract_all(jobs, look)
        next(running)
    assert child_pids() == []
    limits, status = seen[0]
    values = {line[:26].strip(): line[26:47].strip() for line in limits.splitlines()}
    assert values["Max address space"] == "1000000000"
    assert (values["Max core file size"], values["Max open files"]) == ("0", "64")
    assert values["Max cpu time"] != "unlimited"
    assert "NoNewPrivs:\t1" in status


def test_modules_in_the_current_folder_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("json.py", "socket.py", "mixrag_cli.py"):
        (tmp_path / name).write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    assert extract([job_of(tmp_path, "a.txt", "Fine.")], Settings())["a.txt"].extraction is not None
    assert not (tmp_path / "ran").exists()


# --- what goes wrong


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (signal.SIGSTOP, ("timeout", "gave up after 2 s without progress")),
        (signal.SIGABRT, ("crashed", "the reader crashed")),
        (signal.SIGKILL, ("crashed", "the reader was killed; the machine may be short of memory")),
    ],
)
def test_a_process_that_hangs_or_dies_costs_its_file_only(
    tmp_path: Path, number: signal.Signals, expected: tuple[str, str]
) -> None:
    jobs = [job_of(tmp_path, "big.html", LONG_TEXT), job_of(tmp_path, "good.txt", "Still here.")]
    settings = Settings(workers=1, worker_silence_s=2 if number == signal.SIGSTOP else 30)
    results = extract(jobs, settings, signal_at_first_beat(number, "big.html"))
    assert failure_of(results["big.html"]) == expected
    good = results["good.txt"].extraction
    assert good is not None and good.chunks[0].text == "Still here."


@pytest.mark.slow
def test_a_process_that_starts_slowly_costs_no_file(tmp_path: Path) -> None:
    """On a busy machine a start may take longer than what a file is allowed to be silent for."""
    (tmp_path / "a.txt").write_text("Still here.")
    descriptor = os.open(tmp_path / "a.txt", os.O_RDONLY)
    request = Request("a.txt", "a.txt", "d", Settings().embedder, window=256, max_file_mb=1, max_text_file_mb=1)
    with Worker(Settings(worker_silence_s=1)) as worker:
        os.kill(worker.pid, signal.SIGSTOP)
        threading.Timer(2.5, os.kill, (worker.pid, signal.SIGCONT)).start()
        assert worker.read(request, descriptor).chunks[0].text == "Still here."
    os.close(descriptor)


def test_a_pdf_whose_reader_died_is_read_by_the_second_one(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"))
    for subject in (
        "Rivers carry the rain to the sea.",
        "Bridges are closed in winter.",
        "The revenue was 12 million.",
    ):
        canvas.drawString(72, 700, subject)
        canvas.showPage()
    canvas.save()
    jobs = [job_of(tmp_path, "a.pdf", (tmp_path / "a.pdf").read_bytes())]
    extraction = extract(jobs, Settings(), signal_at_first_beat(signal.SIGABRT, "a.pdf"))["a.pdf"].extraction
    assert extraction is not None
    assert "read by the second reader: the reader crashed" in extraction.warnings
    assert any("revenue was 12 million" in chunk.text and chunk.locator.page == 3 for chunk in extraction.chunks)


def test_a_program_whose_reader_died_is_read_by_its_lines(tmp_path: Path) -> None:
    jobs = [job_of(tmp_path, "a.py", "WAIT = 5\n\ndef rivers():\n    return 'the sea'\n")]
    extraction = extract(jobs, Settings(), signal_at_first_beat(signal.SIGABRT, "a.py"))["a.py"].extraction
    assert extraction is not None and not extraction.tables
    assert "read by the second reader: the reader crashed" in extraction.warnings
    assert any("the sea" in chunk.text and chunk.locator.lines == (1, 4) for chunk in extraction.chunks)


@pytest.mark.slow
def test_a_file_that_eats_the_memory_is_reported(tmp_path: Path) -> None:
    jobs = [
        job_of(tmp_path, "fat.ipynb", b'{"cells":[' + b"[]," * 3_000_000 + b"0]}"),
        job_of(tmp_path, "b.txt", "Hi."),
    ]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    results = extract(jobs, Settings(workers=1, worker_memory_mb=256))
    assert failure_of(results["fat.ipynb"]) == ("memory", "the reader ran out of memory")
    assert results["b.txt"].extraction is not None
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


@pytest.mark.slow
def test_too_much_computing_and_too_long_in_all_are_reported(tmp_path: Path) -> None:
    slow = LONG_TEXT * 40
    computed = extract([job_of(tmp_path, "slow.txt", slow)], Settings(worker_cpu_s=1))
    assert failure_of(computed["slow.txt"]) == ("timeout", "gave up after 1 s of computing")
    in_all = extract([job_of(tmp_path, "slow.txt", slow)], Settings(worker_total_s=1))
    assert failure_of(in_all["slow.txt"]) == ("timeout", "gave up after 1 s")


def test_a_file_that_changes_while_it_is_read_is_not_taken(tmp_path: Path) -> None:
    def touch(job: ExtractionJob, done: int, total: int) -> None:
        with (tmp_path / "log.html").open("a") as file:
            file.write("<p>more</p>\n")

    jobs = [job_of(tmp_path, "log.html", "<p>a line of the log</p>\n" * 20_000)]
    results = extract(jobs, Settings(), touch)
    assert failure_of(results["log.html"]) == ("changed", "changed while being read; will be read next time")


def test_a_file_that_vanished_or_became_a_link_is_reported(tmp_path: Path) -> None:
    jobs = [job_of(tmp_path, name, "x") for name in ("gone.txt", "link.txt", "good.txt")]
    (tmp_path / "gone.txt").unlink()
    (tmp_path / "link.txt").unlink()
    (tmp_path / "link.txt").symlink_to("/etc/passwd")
    results = extract(jobs, Settings())
    assert failure_of(results["gone.txt"])[0] == "vanished"
    assert failure_of(results["link.txt"])[0] == "changed"
    assert results["good.txt"].extraction is not None


def test_files_above_the_limits_are_reported(tmp_path: Path) -> None:
    jobs = [job_of(tmp_path, "big.py", b"x = 1\n" * 200_000), job_of(tmp_path, "huge.ipynb", b" " * 2_100_000)]
    results = extract(jobs, Settings(max_text_file_mb=1, max_file_mb=2))
    assert failure_of(results["big.py"]) == ("too-large", "larger than 1 MB")
    assert failure_of(results["huge.ipynb"]) == ("too-large", "larger than 2 MB")


@pytest.mark.slow
def test_a_process_ends_with_the_program_even_when_that_is_killed(tmp_path: Path) -> None:
    script = f"""
        import os, sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        from test_extraction import LONG_TEXT, child_pids, job_of
        from mixrag_cli.extraction import ReaderPool
        from mixrag_cli.settings import Settings

        def tell(job, done, total):
            print(*child_pids(), flush=True)

        with ReaderPool(Settings(workers=1)) as readers:
            list(readers.extract_all([job_of(Path({str(tmp_path)!r}), "big.txt", LONG_TEXT * 50)], tell))
    """
    program = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    pid = int(program.stdout.readline().split()[0])
    assert Path(f"/proc/{pid}").exists()
    program.kill()
    program.wait()
    program.stdout.close()
    ends = time.monotonic() + 5
    while is_running(pid) and time.monotonic() < ends:
        time.sleep(0.02)
    assert not is_running(pid)


def test_a_process_ends_with_the_program_while_it_still_imports(tmp_path: Path) -> None:
    """Which takes seconds on a busy machine: it was bound to its parent only after that."""
    (tmp_path / "slow_child.py").write_text("import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(60)\n")
    script = f"""
        import subprocess, sys
        from mixrag_cli.children import child_command
        subprocess.run(child_command("slow_child", []), env={{"PYTHONPATH": ":".join({[*sys.path, str(tmp_path)]!r})}})
    """
    program = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    pid = int(program.stdout.readline())
    assert is_running(pid)
    program.kill()
    program.wait()
    program.stdout.close()
    ends = time.monotonic() + 5
    while is_running(pid) and time.monotonic() < ends:
        time.sleep(0.02)
    assert not is_running(pid)


def test_a_process_whose_program_is_gone_does_not_begin() -> None:
    orphan = [sys.executable, "-P", "-m", "mixrag_cli.limits", "1", "mixrag_cli.extraction.child", "9", "1", "99", "9"]
    done = subprocess.run(orphan, capture_output=True, timeout=30, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


def test_readers_are_bound_from_their_first_line() -> None:
    with Worker(Settings()) as worker:
        ends = time.monotonic() + 5
        while (command := Path(f"/proc/{worker.pid}/cmdline").read_bytes().split(b"\0")) == [b""]:
            assert time.monotonic() < ends  # until the process has its program
    assert b"mixrag_cli.limits" in command and str(os.getpid()).encode() in command


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


# --- secrets


def test_secrets_are_taken_out_and_places_still_fit(tmp_path: Path) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEowIBAAKCAQEAr0\n" * 3 + "-----END RSA PRIVATE KEY-----"
    results = extract(
        [job_of(tmp_path, "notes.txt", f"Before.\n\ntoken = {TOKEN}\n\n{key}\n\nAfter the key.\n")], Settings()
    )
    extraction = results["notes.txt"].extraction
    assert extraction is not None
    everything = repr(extraction)
    assert TOKEN not in everything and "MIIEow" not in everything
    assert everything.count("[secret removed]") >= 2 and "After the key." in everything


def test_secrets_of_any_reader_are_taken_out_of_text_and_cells() -> None:
    builder = DocumentBuilder("pdf", f"Title {TOKEN}")
    builder.add_heading(f"About {TOKEN}", 1, page=1)
    grid = Grid(1, 1, (GridCell(0, 0, TOKEN),), Locator((0, 0)), caption=TOKEN)
    builder.add(f"a {TOKEN} b", "table", grid=grid, page=2, bbox=(1.0, 2.0, 3.0, 4.0))
    builder.add("plain", "paragraph", page=3)
    document = redact_document(builder.build())
    assert TOKEN not in repr(document)
    assert [block.locator.page for block in document.blocks] == [1, 2, 3]
    assert document.blocks[1].locator.bbox == (1.0, 2.0, 3.0, 4.0)
    for block in document.blocks:
        assert document.text[slice(*block.locator.chars)] == block.text
    assert "secrets removed" in document.warnings[0]


def test_a_secret_beside_its_name_in_a_table_is_taken_out_everywhere() -> None:
    secret, other, digest = (
        "e77989ed2175" + "8e78331b20e477fc5582",
        "9f86d081884c" + "7d659a2feaa0c55ad015",
        "ab12" * 10,
    )
    rows = [("setting", "value", "token"), ("APP_SECRET", secret, other), ("checksum", digest, "")]
    cells = tuple(GridCell(r, c, text) for r, row in enumerate(rows) for c, text in enumerate(row) if text)
    builder = DocumentBuilder("sheet", "Settings")
    builder.add("\n".join("\t".join(row) for row in rows), "table", grid=Grid(3, 3, cells, Locator((0, 0))), sheet="S")
    builder.add(f"Ask for {other}", "paragraph", sheet="S")
    found = Fact(("APP_SECRET",), "entry", (FactValue("value", secret),))
    document = redact_document(replace(builder.build(), facts=(found,)))
    assert secret not in repr(document) and other not in repr(document)
    assert digest in document.text and document.facts[0].values[0].text == "[secret removed]"


# --- the wire


def test_records_survive_the_wire_digit_by_digit() -> None:
    place = Locator((3, 9), page=2, bbox=(1.0, 2.5, 3.0, 4.0), lines=(4, 5), sheet="S", cells="B4:C4")
    chunk = Chunk("id", "doc", "row", "sheet", "té\u0000xt", "context", "words", place, 7, "parent", 3)
    profile = ColumnProfile(1, 9, 8, Decimal("12.30"), Decimal("-0.10"), Decimal("1E+40"), 2, 5, ("a", "b"))
    cell = Cell(5, 1, "(1,234.50)", Decimal("-1234.50"), "USD", 1000, "B6", (0.0, 1.0, 2.0, 3.0), 6, 2, 3, 4)
    table = Table(
        "t", "Title", (Header(1, ("Year", "2022")),), (Header(5, ("All",), True),), (cell, Cell(6, 1, "x")),
        place, "USD", 1000, ("note",), 0.5, 9, (profile,),
    )  # fmt: skip
    ours, theirs = socket.socketpair()
    with ours, theirs:
        send_frame(ours, {"chunk": chunk_to_plain(chunk), "table": table_to_plain(table)})
        frame = receive_frame(theirs)
    assert frame is not None
    assert chunk_from_plain(frame["chunk"]) == chunk
    arrived = table_from_plain(frame["table"])
    assert arrived == table and str(arrived.cells[0].value) == "-1234.50"


@pytest.mark.parametrize(
    "sent", [b"\x00", b"\xff\xff\xff\xff", b"\x00\x00\x00\x03{}", b"\x00\x00\x00\x02[]", b"\x00\x00\x00\x02}}"]
)
def test_what_is_no_frame_is_refused(sent: bytes) -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        ours.sendall(sent)
        ours.close()
        with pytest.raises(TransportError):
            receive_frame(theirs)


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    before = set(child_pids())
    yield
    assert set(child_pids()) == before


def test_the_failure_of_our_own_code_reaches_the_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(source: SourceFile) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(process_seat, "open_source", broken)
    with ReaderPool(Settings()) as readers, pytest.raises(ZeroDivisionError):
        list(readers.extract_all([job_of(tmp_path, "a.txt", "x")]))
