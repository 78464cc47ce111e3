"""Time the walk and the comparison over unchanged files. By hand: python tests/benchmarks/walk_times.py [10000 100000]

Budgets: 0.5 s for 10,000 files, 5 s for 100,000. Files of five kinds lie 50 to a folder, under an
ignore file of 32 lines; all were last changed long ago, so none is opened.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

from mixrag_cli.cleaning import display_path
from mixrag_cli.records.files import DocumentRow, SourceFile, content_key
from mixrag_cli.walking import detect_changes, document_id, hash_file, walk_root

KINDS = ["md", "txt", "py", "csv", "json"]
IGNORED = "*.log\nbuild/\n/dist\n!keep.log\n*.tmp\nfoo/**/bar\n.DS_Store\n" + "\n".join(f"p{n}*.x" for n in range(25))
ROUNDS = 5


def build_tree(root: Path, n_files: int) -> None:
    (root / ".gitignore").write_text(IGNORED)
    for number in range(n_files):
        folder = root / f"d{number // 1000:03d}" / f"e{number // 50 % 20:02d}"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"file_{number}.{KINDS[number % 5]}"
        file.write_text(f"file {number}\n")
        os.utime(file, (1e9, 1e9))


def walk(root: Path) -> list[SourceFile]:
    return [step for step in walk_root(root) if isinstance(step, SourceFile)]


def measure(n_files: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        build_tree(root, n_files)
        started_ns = time.time_ns()
        known = [
            DocumentRow(
                id=document_id(source.root, source.path),
                root=source.root,
                key=source.path,
                path=display_path(source.path),
                status="indexed",
                size=source.size,
                mtime_ns=source.mtime_ns,
                inode=source.inode,
                seen_ns=started_ns,
                content_hash=content_key("00" * 32),
            )
            for source in walk(root)
        ]
        totals = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            found = walk(root)
            walked = time.perf_counter()
            changes = detect_changes(found, known, started_ns, hash_file)
            done = time.perf_counter()
            assert len(changes.unchanged) == n_files
            totals.append((done - start, walked - start, done - walked))
        total, walking, comparing = sorted(totals)[ROUNDS // 2]
        start = time.perf_counter()
        detect_changes(found, [], started_ns, hash_file)
        hashing = time.perf_counter() - start
        print(
            f"{n_files:,} files, median of {ROUNDS}: {total:.2f} s (walk {walking:.2f}, compare {comparing:.2f});"
            f" all new, each hashed: {hashing:.2f} s more"
        )


if __name__ == "__main__":
    for argument in sys.argv[1:] or ["10000", "100000"]:
        measure(int(argument))
