"""Make docs/recording.svg: a real run over the sample documents, as a terminal that shows one command after the other.

    python docs/make_recording.py

tests/test_docs.py fails where a question no longer gets the grade that the recording shows it with.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.segment import Segment
from rich.text import Text

HERE = Path(__file__).parent
DOCUMENTS = HERE.parent / "tests" / "samples" / "northmere"
RECORDING = HERE / "recording.svg"
QUESTIONS = {  # and the grade that each is there to show
    "By what percentage did total revenue increase between the years ended 31 March 2024 and 31 March 2025?": (
        "answered"
    ),
    "How many kilometres of mains are there?": "likely",
    "Who designed the Eiffel Tower?": "abstained",
}
COLUMNS, MOST_LINES = 92, 32
SECONDS_A_SCREEN = 6
LETTER, LINE, EDGE = 7.8, 17.0, 14.0  # pixels: of a letter's width at 13 px, of a line, around
COLORS = {1: "#e06c75", 2: "#98c379", 3: "#e5c07b", 4: "#61afef", 6: "#56c2d6"}  # by the terminal's number
PLAIN, DIM, GROUND = "#d7dae0", "#8b92a0", "#1e2127"


def screens(folder: Path) -> list[str]:
    """What a terminal shows after each command, with its escape sequences. folder: documents without an index."""
    shown = [f"$ mixrag index\n{run(folder, 'index')}"]
    return [*shown, *(f'$ mixrag ask "{question}"\n{run(folder, "ask", question)}' for question in QUESTIONS)]


def run(folder: Path, *arguments: str) -> str:
    """All that a real run prints in the folder."""
    done = subprocess.run(
        [sys.executable, "-m", "mixrag_cli", *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": str(COLUMNS), "CLICOLOR_FORCE": "1", "PYTHONPATH": str(HERE.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def to_svg(shown: list[str]) -> str:
    """The screens as one picture that shows each in turn; the second, an answer, where nothing moves."""
    frames = [to_lines(text) for text in shown]
    width = COLUMNS * LETTER + 2 * EDGE
    height = max(size for size, _ in frames) * LINE + 2 * EDGE
    share = 100 / len(frames)
    style = (
        "text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}"
        ".b{font-weight:bold}.s{opacity:0}.s1{opacity:1}"
        "@media (prefers-reduced-motion:no-preference){"
        f".s{{animation:show {SECONDS_A_SCREEN * len(frames)}s step-end infinite}}"
        + "".join(f".s{n}{{animation-delay:{n * SECONDS_A_SCREEN}s;opacity:0}}" for n in range(len(frames)))
        + "}"
        f"@keyframes show{{0%{{opacity:1}}{share:g}%{{opacity:0}}100%{{opacity:0}}}}"
    )
    drawn = "".join(f'<g class="s s{number}">{"".join(lines)}</g>' for number, (_, lines) in enumerate(frames))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="{width:g}" '
        f'viewBox="0 0 {width:g} {height:g}">'
        f"<title>mixrag: index, an answer, likely places, a refusal</title><style>{style}</style>"
        f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>{drawn}</svg>\n'
    )


def to_lines(text: str) -> tuple[int, list[str]]:
    """How many lines of the terminal there are, at most MOST_LINES, and an SVG element for each that is not blank."""
    console = Console(width=COLUMNS, force_terminal=True, color_system="standard", _environ={})
    lines = console.render_lines(Text.from_ansi(text.rstrip()), pad=False)
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], [Segment("…")]]
    return len(lines), [
        f'<text x="{EDGE:g}" y="{EDGE + (number + 0.75) * LINE:g}">{"".join(to_spans(line))}</text>'
        for number, line in enumerate(lines)
        if any(segment.text.strip() for segment in line)
    ]


def to_spans(line: list[Segment]) -> Iterator[str]:
    """The line's parts of one style, each at its own column, so that no font can shift them."""
    column = 0
    for segment in line:
        if segment.text.strip():
            style = segment.style
            number = style.color.number if style and style.color else None
            fill = COLORS.get((number or 0) % 8, DIM if style and style.dim else PLAIN)
            bold = ' class="b"' if style and style.bold else ""
            at = EDGE + column * LETTER
            yield f'<tspan x="{at:g}" textLength="{segment.cell_length * LETTER:g}" fill="{fill}"{bold}>'
            yield f"{escape(segment.text)}</tspan>"
        column += segment.cell_length


def main() -> None:
    """Index a copy of the sample documents, ask, and draw what was shown."""
    with TemporaryDirectory() as temporary:
        folder = Path(
            shutil.copytree(DOCUMENTS, Path(temporary) / "northmere", ignore=shutil.ignore_patterns(".mixrag"))
        )
        RECORDING.write_text(to_svg(screens(folder)), "utf-8")


if __name__ == "__main__":
    main()
