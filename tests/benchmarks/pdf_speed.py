"""Seconds a page and tables a file: our PDF reader beside pdfplumber alone (extract_text and extract_tables a page).

    python tests/benchmarks/pdf_speed.py ../shared/data/collection/files/reports/*.pdf [--pages 12]

pdfplumber reads only the first --pages pages of each file (it needs half a second for one); ours reads all.
Times are processor time of this process, the better of two runs for ours.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import pdfplumber

from mixrag_cli.readers.pdf.reader import read_pdf
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.documents import Document


def read_ours(path: Path) -> tuple[float, Document]:
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        with path.open("rb") as file:
            document = read_pdf(ReadSource(path.name, path.stat().st_size, file))
        best = min(best, time.process_time() - start)
    return best, document


def read_with_pdfplumber(path: Path, n_pages: int) -> tuple[float, int, int, int]:
    """Seconds, pages read, pages in the file, tables found."""
    start = time.process_time()
    n_tables = 0
    with pdfplumber.open(path) as document:
        total = len(document.pages)
        for page in document.pages[:n_pages]:
            page.extract_text()
            n_tables += len(page.extract_tables())
            page.close()
    return time.process_time() - start, min(n_pages, total), total, n_tables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--pages", type=int, default=12)
    arguments = parser.parse_args()
    ours_ms, theirs_ms = [], []
    for path in arguments.files:
        seconds, document = read_ours(path)
        slow, n_read, n_pages, n_tables = read_with_pdfplumber(path, arguments.pages)
        ours_ms.append(seconds / n_pages * 1000)
        theirs_ms.append(slow / n_read * 1000)
        near = sum((grid.locator.page or 0) <= n_read for grid in document.grids)
        print(
            f"{path.name:20} {n_pages:4} pages   mixrag {ours_ms[-1]:6.1f} ms/page, {len(document.grids)} tables"
            f" ({near} on the first {n_read} pages)   pdfplumber {theirs_ms[-1]:6.1f} ms/page, {n_tables} tables"
            f"   {theirs_ms[-1] / ours_ms[-1]:.1f} times"
        )
    mean_ours, mean_theirs = sum(ours_ms) / len(ours_ms), sum(theirs_ms) / len(theirs_ms)
    print(
        f"mean: mixrag {mean_ours:.1f} ms/page, pdfplumber {mean_theirs:.1f} ms/page: "
        f"{mean_theirs / mean_ours:.1f} times"
    )


if __name__ == "__main__":
    main()
