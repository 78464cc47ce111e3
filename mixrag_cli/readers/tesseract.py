"""Tesseract, where it is installed: whether it is, and the words and rules that it sees on a page.

It runs as a child process of the reader process, under the same limits of memory and computing, one page at a time.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache

from mixrag_cli.cleaning import safe_text
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.archive import local_names, parse_xml

NEEDS_OCR = ("needs-ocr", "needs OCR: apt install tesseract-ocr")
# By the clock. A page takes 1.5 s of computing, and one took 60 s on a machine of two cores with 18 processes waiting.
PAGE_SECONDS = 120.0  # by the clock: a page takes 1.5 s of computing, 19 s where 18 processes share two cores
WAIT_SECONDS = 0.5  # between two beats
MAX_LANGUAGES = 3  # each costs about as much time again
# Words below are mostly specks and rulings: on clean pages words have 89 and more, misread ones of a table 10 to 33.
MIN_CONFIDENCE = 40
# One thread: four take 16 times the computing for less than twice the speed (22.7 s against 1.4 a page).
ENVIRONMENT = {"OMP_THREAD_LIMIT": "1"}
BOX = re.compile(r"bbox (-?\d{1,6}) (-?\d{1,6}) (-?\d{1,6}) (-?\d{1,6})")
BASELINE = re.compile(r"baseline (-?[\d.]{1,12}) (-?[\d.]{1,12})")
X_SIZE = re.compile(r"x_size ([\d.]{1,12})")
LANGUAGE = re.compile(r"^[a-z]{3}(?:_\w+)?$", re.MULTILINE)
CONFIDENCE = re.compile(r"x_wconf (\d{1,3})")

PixelBox = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class SeenWord:
    """A word, in pixels of its image. baseline: where its line stands; size: the line's height of type."""

    text: str
    box: PixelBox
    baseline: float
    size: float


@dataclass(slots=True)
class SeenPage:
    """What is on one image: its size, its words in reading order, its rules as thin boxes."""

    width: int
    height: int
    words: list[SeenWord] = field(default_factory=list)
    rules: list[PixelBox] = field(default_factory=list)


def is_installed() -> bool:
    """Whether tesseract can be called."""
    return shutil.which("tesseract") is not None


def recognise(image: bytes, beat: Callable[[int, int], None]) -> list[SeenPage]:
    """The pages of an image file (a TIFF may hold several), or of a bitmap in a PNM frame.

    Raises FileUnreadable: "needs-ocr" where tesseract is not installed, "damaged" for no image that it can read,
    "timeout" for a page that takes too long.
    """
    program = shutil.which("tesseract")
    if program is None:
        raise FileUnreadable(*NEEDS_OCR)
    command = [program, "stdin", "stdout", "-l", _languages(program), "-c", "tessedit_create_hocr=1"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **ENVIRONMENT},
    ) as process:
        output = _await(process, image, beat)
    if process.returncode != 0 or not output:
        raise FileUnreadable("damaged", "not a readable image")
    page = _HocrPass()
    parse_xml(iter((output,)), page.start, page.end, page.text)
    return page.pages


def _await(process: subprocess.Popen[bytes], image: bytes, beat: Callable[[int, int], None]) -> bytes:
    """What the process writes. A thread feeds it, since communicate() forgets its input after a timeout."""
    told: list[bytes] = []
    feeder = threading.Thread(target=lambda: told.append(process.communicate(image)[0]), daemon=True)
    feeder.start()
    ends = time.monotonic() + PAGE_SECONDS
    while feeder.is_alive():
        beat(0, 1)
        feeder.join(WAIT_SECONDS)
        if time.monotonic() > ends:
            process.kill()
            feeder.join()
            raise FileUnreadable("timeout", f"OCR gave up after {PAGE_SECONDS:.0f} s")
    return told[0] if told else b""


@cache
def _languages(program: str) -> str:
    """English first, then what else is installed, as tesseract wants them named."""
    listed = subprocess.run(
        [program, "--list-langs"], stdin=subprocess.DEVNULL, capture_output=True, timeout=PAGE_SECONDS, check=False
    )
    found = LANGUAGE.findall(listed.stdout.decode("ascii", "replace"))
    names = sorted((name for name in found if name != "osd"), key=lambda name: (name != "eng", name))
    return "+".join(names[:MAX_LANGUAGES]) or "eng"


class _HocrPass:
    """One pass over tesseract's hOCR."""

    def __init__(self) -> None:
        self.pages: list[SeenPage] = []
        self._line: tuple[PixelBox, float, float, float] | None = None  # box, slope, offset, size
        self._word: tuple[PixelBox, int] | None = None  # box, confidence
        self._text = ""

    def start(self, name: str, raw: dict[str, str]) -> None:
        """An element begins."""
        attributes = local_names(raw)
        kind, title = attributes.get("class", ""), attributes.get("title", "")
        found = BOX.search(title)
        if found is None:
            return
        box = (int(found[1]), int(found[2]), int(found[3]), int(found[4]))
        if kind == "ocr_page":
            self.pages.append(SeenPage(box[2], box[3]))
        elif kind == "ocr_separator" and self.pages:
            self.pages[-1].rules.append(box)
        elif kind == "ocrx_word":
            sure = CONFIDENCE.search(title)
            self._word, self._text = (box, int(sure[1]) if sure else 0), ""
        elif name == "span":
            baseline, size = BASELINE.search(title), X_SIZE.search(title)
            slope, offset = (_decimal(baseline[1]), _decimal(baseline[2])) if baseline else (0.0, 0.0)
            self._line = (box, slope, offset, _decimal(size[1]) if size else float(box[3] - box[1]))

    def end(self, name: str) -> None:
        """An element ends."""
        if self._word is None or name != "span" or not self.pages:
            return
        (box, sure), self._word = self._word, None
        text = "".join(safe_text(self._text, keep_newlines=False).split()).strip("|")  # a ruling beside the word
        if text and sure >= MIN_CONFIDENCE and self._line is not None:
            line, slope, offset, size = self._line
            baseline = line[3] + offset + slope * (box[0] - line[0])
            self.pages[-1].words.append(SeenWord(text, box, baseline, size))
        elif not text:
            self.pages[-1].rules.append(box)  # what has a place and no text is a ruling

    def text(self, data: str) -> None:
        """Characters."""
        if self._word is not None:
            self._text += data


def _decimal(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def words_of(pages: list[SeenPage]) -> Iterator[SeenWord]:
    """All words of all pages."""
    for page in pages:
        yield from page.words
