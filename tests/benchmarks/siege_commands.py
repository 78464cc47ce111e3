"""Random command lines: each must end with a known exit code, in few lines, and without a traceback.

    python tests/benchmarks/siege_commands.py [LINES] [SEED]

Commands and options come from the program itself, values from a list of what people mistype and what attackers try. All
run in this process, in a home and a folder of their own. Left out is what waits for somebody: serve, mcp, --watch. The
first breach is printed with its line and ends the run with 1.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

LINES = 500
WAITING = ("serve", "mcp", "chat")
LEFT_OUT = ("--watch", "--ray", "--debug", "--open", "--help")  # --debug prints a traceback by wish
MOST_LINES = 12  # of stderr, for a command that failed
VALUES = (
    "", " ", "0", "-1", "1", "3", "99999999999999999999", "1e9", "nan", "inf", "-inf", "0x10", "1.5", "true", "none",
    "note.md", "./note.md", "missing.md", "..", "../..", "/", "/dev/null", "/proc/self/mem", "~", "*", "**/*", "[",
    "\x00x", "\x1b[31mred", "\u202eevil", "\udcff", "é", "日本語", "💧" * 50, "a" * 5_000, "' OR '1'='1", "; rm -rf /",
    "{a,b}", "$(touch ran)", "file:///etc/passwd", "http://127.0.0.1:9/x", "s3://nowhere/x", "auto", "-", "--",
    "--json", "\n", "a\nb", "#L1-2", "note.md#L1-9999999", "note.md#page=0", "note.md#L-1",
    "2024-13-45", "7d", "-7d", "pdf", "text", "code",
)  # fmt: skip


def main() -> int:
    n_lines = int(sys.argv[1]) if len(sys.argv) > 1 else LINES
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)
    dice = random.Random(seed)
    print(f"{n_lines} command lines, seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = make_home(Path(scratch))
        os.chdir(folder)
        from typer.testing import CliRunner

        from mixrag_cli.cli import app
        from mixrag_cli.errors import ExitCode

        runner, codes = CliRunner(), Counter[int]()
        shapes = commands_of(app)
        runner.invoke(app, ["index", "--quiet"])
        for number in range(n_lines):
            line = draw_line(shapes, dice)
            done = runner.invoke(app, line, input="")
            codes[done.exit_code] += 1
            said = done.stdout + done.stderr
            left = done.exception is None or isinstance(done.exception, SystemExit)
            known = done.exit_code in set(ExitCode)
            short = done.exit_code in (0, 3, 4, 5) or len(done.stderr.splitlines()) <= MOST_LINES
            if not left or not known or "Traceback" in said or not short or (folder / "ran").exists():
                print(f"line {number} (seed {seed}): mixrag {line!r}")
                print(f"{done.exit_code} {done.exception!r}\n{said[-2_000:]}")
                return 1
            if number % 100 == 99:
                print(f"{number + 1} lines: exit codes {dict(sorted(codes.items()))}", flush=True)
    print(f"no traceback in {n_lines} lines; exit codes {dict(sorted(codes.items()))}")
    return 0


def make_home(scratch: Path) -> Path:
    """A folder to be asked, in a home where nothing else lies."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
        os.environ[name] = str(scratch / "home")
    for name in [name for name in os.environ if name.startswith("MIXRAG_")]:
        del os.environ[name]
    os.environ.update({"HF_HUB_OFFLINE": "1", "MIXRAG_OFFLINE": "on", "EDITOR": "true", "VISUAL": "true"})
    folder = scratch / "home" / "documents"
    folder.mkdir(parents=True)
    (folder / "note.md").write_text("# Gate\n\nThe gate opens at nine and closes at five.\n", "utf-8")
    (folder / "list.csv").write_text("name,count\nriver,3\nengine,8\n", "utf-8")
    return folder


def commands_of(app: Any) -> list[tuple[list[str], list[tuple[str, bool]]]]:
    """Each command's words, with its options: the name, and whether a value follows."""
    import typer.main

    found: list[tuple[list[str], list[tuple[str, bool]]]] = []

    def gather(command: Any, words: list[str]) -> None:
        if hasattr(command, "commands"):
            for name, below in command.commands.items():
                gather(below, [*words, name])
        elif words[0] not in WAITING:
            options = [
                (name, not getattr(parameter, "is_flag", False))
                for parameter in command.params
                for name in (*parameter.opts, *parameter.secondary_opts)
                if name.startswith("-") and name not in LEFT_OUT
            ]
            found.append((words, options))

    gather(typer.main.get_command(app), [])
    return found


def draw_line(shapes: list[tuple[list[str], list[tuple[str, bool]]]], dice: random.Random) -> list[str]:
    words, options = dice.choice(shapes)
    line = list(words)
    for _ in range(dice.choice((0, 1, 1, 2, 3))):
        line.append(dice.choice(VALUES))
    for name, has_value in dice.sample(options, min(len(options), dice.choice((0, 1, 1, 2, 4)))):
        line += [name, dice.choice(VALUES)] if has_value else [name]
    if dice.random() < 0.1:
        dice.shuffle(line)
    # No process can be given a zero byte, nor an index of the whole machine be asked for in a minute.
    outside = ("/", "..", "../..", "~", "/proc/self/mem")
    return [each.replace("\x00", "") for each in line if not (words[0] == "index" and each in outside)]


if __name__ == "__main__":
    raise SystemExit(main())
