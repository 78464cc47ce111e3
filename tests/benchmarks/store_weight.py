"""What a store weighs, part by part, beside the files that it is of.

    python tests/benchmarks/store_weight.py STORE …
    python tests/benchmarks/store_weight.py --index FOLDER …

With --index each folder is indexed first, into a store that is thrown away: its seconds, tokens and peak memory (of the
program or its largest reader, whichever is more) are printed above its parts.

Columns are bytes on disk of the chunks table; "versions" is what older versions of the tables still take; × is the
whole store over the bytes of the files that are indexed.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import lance
from running import run_mixrag

from mixrag_cli.store import open_reader
from mixrag_cli.store.layout import files_below, size_of_store, sketches_path, table_path, words_path

PARTS = {"vector": "passages' vectors", "late": "token vectors", "text": "text", "search": "search terms"}


def bytes_below(folder: Path) -> int:
    return sum(each.stat().st_size for each in files_below(folder) if each.is_file())


def weigh(store: Path) -> dict[str, int]:
    """Bytes on disk by part."""
    with open_reader(store) as reader:
        version, generation = reader.record.tables["chunks"].version, reader.record.generation
    chunks = lance.dataset(str(table_path(store, "chunks", generation)), version=version)
    names = {field.id(): field.name() for field in chunks.lance_schema.fields()}
    columns = {names.get(each.id, "vector"): each.bytes_on_disk for each in chunks.stats.data_stats().fields}
    parts = {label: columns.pop(name, 0) for name, label in PARTS.items()}
    parts["places, ids, hashes"] = sum(columns.values())
    parts["word index"] = bytes_below(table_path(store, "chunks", generation) / "_indices")
    lists = (words_path(store, generation), sketches_path(store, generation))
    parts["word lists, sketches"] = sum(path.stat().st_size for path in lists if path.exists())
    parts["tables and facts"] = bytes_below(table_path(store, "tables", generation))
    parts["list of files"] = bytes_below(table_path(store, "documents", generation))
    parts["cache"] = bytes_below(store / "cache")
    parts["versions, quarantine, rest"] = size_of_store(store) - sum(parts.values())
    return parts


def print_weight(store: Path, name: str) -> None:
    with open_reader(store) as reader:
        rows = reader.document_rows(["indexed"])
        text = sum(len(row.chunk.text.encode()) for row in reader.chunk_rows())
    files, parts = sum(row.size for row in rows), weigh(store)
    total = sum(parts.values())
    print(f"{name}: {len(rows)} files of {files / 1e6:.2f} MB, {text / 1e6:.2f} MB of passages")
    for label, size in parts.items():
        print(f"  {label:28}{size / 1e6:9.2f} MB{size / files:8.2f} ×")
    print(f"  {'together':28}{total / 1e6:9.2f} MB{total / files:8.2f} × files {total / text:8.2f} × passages")


def index_and_weigh(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch) / "store"
        done = run_mixrag("index", str(folder), "--store", str(store), "--json")
        said = done.payload
        print(f"{folder}: exit {done.exit_code}, {done.seconds:.1f} s, {said['tokens']:,} tokens, ", end="")
        print(f"{said['chunks']:,} passages, peak {done.peak_mb:.0f} MB")
        print_weight(store, str(folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", type=Path, nargs="+", metavar="STORE")
    parser.add_argument("--index", action="store_true", help="the places are folders; index each first")
    arguments = parser.parse_args()
    for place in arguments.places:
        if arguments.index:
            index_and_weigh(place)
        else:
            print_weight(place, str(place))


if __name__ == "__main__":
    main()
