"""What an index run tells of itself: bytes that only grow, the phase that runs, a time left that falls."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from rich.progress import Progress

from mixrag_cli.output.estimate_view import estimate_lines, estimate_to_json
from mixrag_cli.output.progress import Bars, Silence, _TimeLeft, rate_text
from mixrag_cli.settings import Settings
from mixrag_cli.stories.estimating import Estimate, estimate_index
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.wishes import IndexWishes
from mixrag_cli.stories.work import Work


class Recorder:
    """IndexEvents that remembers all that it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int | None, str]] = []
        self.name, self.total = "", None

    def phase(self, name: str, total: int | None) -> None:
        self.name, self.total = name, total

    def advance(self, done: int, detail: str = "") -> None:
        self.told.append((self.name, done, detail))

    def note(self, message: str) -> None: ...


@pytest.mark.slow
def test_progress_counts_bytes_up_to_all_of_them_and_moves_inside_a_large_file(
    model_cache: Path, tmp_path: Path
) -> None:
    lines = [f"{number},pump {number % 17},{number * 37 % 1009},open" for number in range(1_500)]
    (tmp_path / "pumps.csv").write_text("number,name,litres,state\n" + "\n".join(lines) + "\n", "utf-8")
    (tmp_path / "empty.txt").write_text("", "utf-8")
    (tmp_path / "note.md").write_text("# Note\n\nThe gate opens at nine.\n", "utf-8")
    seen = Recorder()
    build_index([tmp_path], Settings(calibration="off"), events=seen)
    work = [(name, done) for name, done, _ in seen.told if name in ("read", "embed", "write")]
    counts = [done for _, done in work]
    assert counts == sorted(counts)
    assert counts[-1] == sum(path.stat().st_size for path in tmp_path.iterdir() if path.is_file())
    assert {"read", "embed"} <= {name for name, _ in work}
    assert len({done for name, done in work if name == "embed"}) > 20  # of which the csv has all but one
    assert re.search(r"pumps\.csv · [\d,]+ tokens", seen.told[-1][2])


def test_bytes_pass_as_time_does_where_one_file_is_a_large_csv() -> None:
    """Of a csv most rows are not embedded, so its bytes hardly take time."""
    seen = Recorder()
    work = Work(seen, {"handbook.md": 400_000, "orders.csv": 40_000_000})
    work.took("1", 400_000, "handbook.md", has_text=True)
    work.embedding({"handbook.md": 50}, {"handbook.md": 400_000})(50)
    _, done, _ = seen.told[-1]
    assert 0.3 < done / 40_400_000 < 0.6
    work.took("2", 40_000_000, "orders.csv", has_text=True)
    work.embedding({"orders.csv": 20}, {"orders.csv": 40_000_000})(20)
    assert seen.told[-1][1] == 40_400_000


def test_bytes_pass_as_time_does_where_a_few_of_them_are_a_packed_workbook() -> None:
    """A workbook of 1 MB has as many texts to embed as PDFs of 40 MB have."""
    seen = Recorder()
    sizes = {"report.pdf": 40_000_000, "sales.xlsx": 1_000_000}
    work = Work(seen, sizes)
    for path, size in sizes.items():
        work.took(path, size, path, has_text=True)
    work.embedding({"report.pdf": 50}, {"report.pdf": 40_000_000})(50)
    assert 0.5 < seen.told[-1][1] / 41_000_000 < 0.7  # a quarter is for reading, and all is read
    work.embedding({"sales.xlsx": 50}, {"sales.xlsx": 1_000_000})(50)
    assert seen.told[-1][1] == 41_000_000


def test_the_file_that_most_of_the_embedded_texts_are_of_is_named() -> None:
    seen = Recorder()
    sizes = {"manual.pdf": 2_000_000, "pump.csv": 10_000}
    Work(seen, sizes).embedding({"manual.pdf": 900, "pump.csv": 4}, sizes)(32)
    assert seen.told[-1][2].startswith("manual.pdf · ")


def test_reading_and_embedding_share_one_bar_whose_label_says_which(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    with Bars("always") as bars:
        bars.phase("read", 4_000_000)
        bars.advance(1_000_000, "a.md")
        bars.phase("embed", 4_000_000)
        bars.advance(2_000_000, "a.md")
        bars._progress.refresh()
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", capsys.readouterr().err)
    assert "embedding" in shown
    assert "2.0/4.0 MB" in shown


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_bar_and_its_detail_stay_on_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    with Bars("always") as bars:
        bars.phase("read", 500_000_000)
        bars.phase("embed", 500_000_000)
        bars.advance(123_456_789, "reports/2024/water/annual-report-of-the-board.pdf · 1,234,567 tokens")
        bars._progress.refresh()
        shown = bars._progress.console.render_lines(bars._progress.get_renderable(), pad=False)
    capsys.readouterr()
    lines = ["".join(part.text for part in line) for line in shown]
    assert len(lines) == 1 and len(lines[0]) <= columns
    assert "123.5/500.0 MB" in lines[0]
    assert columns < 80 or lines[0].rstrip().endswith("1,234,567 tokens")


def test_the_time_left_falls_with_the_clock_and_rises_only_where_it_was_far_too_low() -> None:
    clock = [0.0]
    progress = Progress(get_time=lambda: clock[0])
    progress.add_task("", total=100)
    task = progress.tasks[0]
    column, shown = _TimeLeft(), []
    for second in range(1, 60):
        clock[0] = float(second)
        pace = second if second % 10 < 7 else second - 1  # uneven by a little
        progress.update(task.id, completed=pace)
        minutes, seconds = column.render(task).plain.split(":")
        shown.append(60 * int(minutes) + int(seconds))
    assert shown == sorted(shown, reverse=True)
    clock[0] = 200.0  # nothing came for 140 seconds
    assert int(column.render(task).plain.split(":")[0]) >= 2


@pytest.mark.slow
def test_an_estimate_comes_near_to_what_the_run_takes_and_writes_nothing(model_cache: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(12):
        text = f"The pump of station {number} was serviced in May and delivers {number * 31} litres a minute. " * 20
        (folder / f"note{number}.md").write_text(f"# Station {number}\n\n{text}\n", "utf-8")
    rows = "\n".join(f"{number},pump {number % 7},{number * 37 % 1009}" for number in range(300))
    (folder / "pumps.csv").write_text(f"number,name,litres\n{rows}\n", "utf-8")
    settings = Settings(calibration="off")
    found = estimate_index([folder], settings, Recorder(), IndexWishes())
    assert not (folder / ".mixrag").exists()
    report = build_index([folder], settings, events=Recorder())
    assert (found.files, found.bytes) == (13, sum(p.stat().st_size for p in folder.iterdir() if p.is_file()))
    assert found.tokens == pytest.approx(report.tokens, rel=0.1)
    assert 0 < found.sampled_files < found.files
    assert found.seconds > 0
    schema = json.loads(resources.files("mixrag_cli").joinpath("schemas", "estimate-1.json").read_text("utf-8"))
    jsonschema.validate(estimate_to_json(found), schema)
    assert any(f"{found.tokens:,}" in line for line in estimate_lines(found))
    assert estimate_index([folder], settings, Recorder(), IndexWishes()) == Estimate(0, 0, 0, 0.0, 0, 0)
    assert estimate_index([folder], settings, Recorder(), IndexWishes(rebuild=True)).files == 13


@pytest.mark.parametrize(("rate", "text"), [(2_340_000, "2.3 MB/s"), (41_000, "41 kB/s"), (700, "1 kB/s"), (3, "")])
def test_a_slow_rate_is_no_zero(rate: float, text: str) -> None:
    assert rate_text(rate) == text


def test_a_file_that_takes_long_is_named_where_nothing_moves(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    view = Silence(quiet=False, clock=lambda: now[0])
    for second in range(100):
        now[0] = float(second)
        view.advance(second, "funding 2023.xlsx · 0 tokens")
        view.advance(second, f"note {second}.md · 12 tokens")
    assert capsys.readouterr().err.splitlines() == [
        f"mixrag: still at funding 2023.xlsx after {time}" for time in ("20 s", "40 s", "1 min 20 s")
    ]
    quiet = Silence(quiet=True, clock=lambda: now[0])
    quiet.advance(0, "funding 2023.xlsx · 0 tokens")
    now[0] += 60
    quiet.advance(1, "funding 2023.xlsx · 0 tokens")
    assert not capsys.readouterr().err


def test_a_file_that_waits_for_others_is_not_named(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    view = Silence(quiet=False, clock=lambda: now[0])
    for second in (0, 1, 2, 190, 191):  # read in three seconds, and taken when there was time for it
        now[0] = float(second)
        view.advance(second, "rota.csv · 0 tokens")
    assert not capsys.readouterr().err
