"""Put a real answer into README.md: the sample documents are indexed and asked, and what is printed is copied.

    python docs/make_answer.py

tests/test_docs.py fails where README shows something else than the program prints.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
DOCUMENTS = HERE.parent / "tests" / "samples" / "northmere"
QUESTION = "By what percentage did total revenue increase between the years ended 31 March 2024 and 31 March 2025?"
COLUMNS = 100
BLOCK = re.compile(
    r"(?<=<!-- answer: made by docs/make_answer.py from a real run -->\n```console\n).*?(?=```)", re.DOTALL
)


def answer_block(folder: Path) -> str:
    """What a terminal shows when the documents in the folder, which are indexed, are asked the question."""
    return f'$ mixrag ask "{QUESTION}"\n{run_mixrag("ask", QUESTION, folder=folder).rstrip()}\n'


def run_mixrag(*arguments: str, folder: Path) -> str:
    """The stdout of a real run in the folder. Raises CalledProcessError where it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "mixrag_cli", *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": str(COLUMNS), "PYTHONPATH": str(HERE.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def main() -> None:
    """Index a copy of the sample documents, ask, and write the answer into README."""
    with TemporaryDirectory() as temporary:
        folder = Path(
            shutil.copytree(DOCUMENTS, Path(temporary) / "northmere", ignore=shutil.ignore_patterns(".mixrag"))
        )
        run_mixrag("index", folder=folder)
        text = answer_block(folder)
    README.write_text(BLOCK.sub(lambda _: text, README.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
