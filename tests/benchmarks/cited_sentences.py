"""Whether the lines that are cited hold the sentence that is cited, for every sentence of the text files of folders.

    python tests/benchmarks/cited_sentences.py FOLDER_OR_FILE… [--show N]

Files of markdown, HTML, reStructuredText, org, TeX and text are read and cut as an index run does it. Each passage of
running text, and each sentence in it, is looked up in the lines that its place names: the words in order, the first
line with its first, the last with its last, markup aside. Prints a line a kind; --show names the first N that fail.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from corpora import files_below

sys.path.insert(0, str(Path(__file__).parents[1]))
from cited_lines import cited_sentences, is_held

from mixrag_cli.errors import FileUnreadable

KINDS = {"md": "markdown", "markdown": "markdown", "htm": "html", "html": "html", "rst": "rst", "txt": "text"}
KINDS |= {"org": "org", "tex": "tex"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--show", type=int, default=20)
    arguments = parser.parse_args()
    files, cited, missed = Counter[str](), Counter[str](), Counter[str]()
    for path in files_below(arguments.paths):
        kind = KINDS.get(path.suffix[1:].lower())
        if kind is None:
            continue
        count, failed = check_file(path)
        files[kind] += 1
        cited[kind] += count
        missed[kind] += len(failed)
        for lines, text in failed[: max(0, arguments.show - sum(missed.values()) + len(failed))]:
            print(f"{path}:{lines}: {text[:200]!r}")
    for kind in files:
        print(f"{kind:10} {files[kind]:5} files  {cited[kind] - missed[kind]:7} of {cited[kind]:7} held")
    return 1 if sum(missed.values()) else 0


def check_file(path: Path) -> tuple[int, list[tuple[tuple[int, int] | None, str]]]:
    """How many places a file's passages and sentences name, and those whose lines do not hold them."""
    raw = path.read_bytes()
    try:
        lines = raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        found = list(cited_sentences(path.name, raw))
    except (UnicodeDecodeError, FileUnreadable) as reason:
        print(f"{path}: passed over: {reason}")
        return 0, []
    failed = [
        (where.lines, text) for text, where in found if where.lines is None or not is_held(text, lines, where.lines)
    ]
    return len(found), failed


if __name__ == "__main__":
    sys.exit(main())
