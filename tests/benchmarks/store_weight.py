"""What a store weighs, part by part, beside the files that it is of.

    python tests/benchmarks/store_weight.py STORE …

Columns are bytes on disk of the chunks table; "versions" is what older versions of the tables still take; × is the
whole store over the bytes of the files that are indexed.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import lance

from mixrag_cli.store import open_reader
from mixrag_cli.store.layout import files_below, size_of_store, table_path

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
    parts["tables and facts"] = bytes_below(table_path(store, "tables", generation))
    parts["list of files"] = bytes_below(table_path(store, "documents", generation))
    parts["cache"] = bytes_below(store / "cache")
    parts["versions, quarantine, rest"] = size_of_store(store) - sum(parts.values())
    return parts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stores", type=Path, nargs="+")
    for store in parser.parse_args().stores:
        with open_reader(store) as reader:
            rows = reader.document_rows(["indexed"])
            text = sum(len(row.chunk.text.encode()) for row in reader.chunk_rows())
        files, parts = sum(row.size for row in rows), weigh(store)
        total = sum(parts.values())
        print(f"{store}: {len(rows)} files of {files / 1e6:.2f} MB, {text / 1e6:.2f} MB of passages")
        for label, size in parts.items():
            print(f"  {label:28}{size / 1e6:9.2f} MB{size / files:8.2f} ×")
        print(f"  {'together':28}{total / 1e6:9.2f} MB{total / files:8.2f} × files {total / text:8.2f} × passages")


if __name__ == "__main__":
    main()
