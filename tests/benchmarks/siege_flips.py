"""Flipped bits and cut files over every kind of file in a store: found by `doctor --index`, refused, or harmless.

    python tests/benchmarks/siege_flips.py [DAMAGES] [SEED]

A store with deleted rows, tables, facts, word lists and sketches is made by the program. Each damage
is one flipped bit or one cut in one file; kinds of files are drawn alike often. A process of its own asks and checks,
since the engine may end it. A damage is a breach where answers differ and the deep check, which is what `mixrag doctor
--index` runs, says nothing. Exit code 1 at the end where there was one.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from mixrag_cli.errors import MixragError
from mixrag_cli.models import load_embedder
from mixrag_cli.settings import Settings
from mixrag_cli.store import check_store, laying_out, open_reader
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.wishes import IndexWishes

DAMAGES = 150
FLIP_SHARE = 0.75
N_FILES = 24
NOT_READ = ("lock", "readers.lock", ".gitignore")
QUERIES = ("river engine orchard", "which harbour has the violin", "glacier turbine 17")
WORDS = ("river", "engine", "orchard", "ledger", "harbour", "violin", "glacier", "revenue", "margin", "turbine")


def main() -> int:
    if sys.argv[1:2] == ["--child"]:
        return damage_and_look(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]))
    damages = int(sys.argv[1]) if len(sys.argv) > 1 else DAMAGES
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)
    print(f"{damages} damages, seed {seed}", flush=True)
    outcomes: Counter[str] = Counter()
    breaches = []
    with tempfile.TemporaryDirectory() as scratch:
        store = make_store(Path(scratch))
        done = 0
        while done < damages:
            command = [sys.executable, __file__, "--child", str(store), str(seed), str(done), str(damages)]
            child = subprocess.run(command, capture_output=True, text=True, check=False)
            told = [line.split("\t") for line in child.stdout.splitlines() if line.count("\t") == 3]
            for _, kind, place, outcome in told:
                outcomes[f"{kind}: {outcome}"] += 1
                if outcome == "WRONG":
                    breaches.append(place)
            done += len(told)
            if child.returncode:  # the engine ended the process; nothing was answered
                print(f"ended by {child.returncode} at damage {done}: {child.stderr.strip()[-200:]}", flush=True)
                outcomes["process ended"] += 1
                done += 1
    for line, count in sorted(outcomes.items()):
        print(f"{count:4}  {line}")
    print(f"breaches: {breaches or 'none'}")
    return int(bool(breaches))


def make_store(scratch: Path) -> Path:
    """A store after changes, large by decree so that it has inverted files."""
    folder, dice = scratch / "folder", random.Random(1)
    folder.mkdir()
    laying_out.FEWEST_ROWS = laying_out.FEWEST_PASSAGES = 10
    for change in range(2):
        for number in range(change * 3, N_FILES - change * 3):
            prose = "\n\n".join(" ".join(dice.choices(WORDS, k=14)) + "." for _ in range(8))
            (folder / f"note{number}.md").write_text(f"# Note {number} {change}\n\n{prose}\n", "utf-8")
        rows = "".join(f"{word},{dice.randrange(999)},{dice.randrange(999)}\n" for word in WORDS)
        (folder / "table.csv").write_text(f"name,2022,2023\n{rows}", "utf-8")
        (folder / "limits.py").write_text(f"LIMIT = {change + 7}\n", "utf-8")
        build_index([folder], Settings(), events=Silent(), wishes=IndexWishes(prune=True))
        (folder / "note1.md").unlink(missing_ok=True)
    return folder / ".mixrag"


def damage_and_look(store: Path, seed: int, first: int, last: int) -> int:
    """Damage, look, mend, from one number to another; a line each, flushed before the next."""
    embedder = load_embedder(Settings())
    vectors = [embedder.embed_query(query) for query in QUERIES]
    clean = answers(store, vectors)
    kinds: dict[str, list[Path]] = {}
    for path in sorted(path for path in store.rglob("*") if path.is_file() and path.name not in NOT_READ):
        kinds.setdefault(kind_of(path.relative_to(store)), []).append(path)
    for number in range(first, last):
        dice = random.Random(f"{seed} {number}")
        kind = dice.choice(sorted(kinds))
        path = dice.choice(kinds[kind])
        raw = path.read_bytes()
        if not raw:
            print(number, kind, path.name, "empty", sep="\t", flush=True)
            continue
        place, damaged = damage(raw, dice)
        path.write_bytes(damaged)
        try:
            outcome = look(lambda: answers(store, vectors) == clean, store)
        finally:
            path.write_bytes(raw)
        print(number, kind, f"{path.relative_to(store)} {place}", outcome, sep="\t", flush=True)
    return 0


def damage(raw: bytes, dice: random.Random) -> tuple[str, bytes]:
    place = dice.randrange(len(raw))
    if dice.random() < FLIP_SHARE:
        bit = 1 << dice.randrange(8)
        return f"bit {bit} at {place}", raw[:place] + bytes([raw[place] ^ bit]) + raw[place + 1 :]
    return f"cut at {place}", raw[:place]


def look(is_as_before: Callable[[], bool], store: Path) -> str:
    """ "found", "refused and found", "refused", "harmless" or "WRONG"."""
    try:
        same = is_as_before()
    except MixragError:
        same = None
    found = bool(look_deep(store))
    if same is None:
        return "refused and found" if found else "refused"
    return "found" if found else ("harmless" if same else "WRONG")


def look_deep(store: Path) -> list[str]:
    try:
        return [finding.message for finding in check_store(store, deep=True)]
    except MixragError as error:
        return [error.message]


def answers(store: Path, vectors: list[np.ndarray]) -> list[tuple[object, ...]]:
    """What questions are answered from: passages with their scores, tables, facts, files."""
    with open_reader(store) as reader:
        hits = [hit for query in QUERIES for hit in reader.search_words(query, 10)]
        hits += [hit for vector in vectors for hit in reader.search_meaning(vector, 10)]
        rows = reader.document_rows()
        tables = [table for row in rows for table in reader.tables_of(row.id)]
        late = reader.token_vectors([hit.chunk.id for hit in hits])
        counted = [reader.count_passages([word]) for word in WORDS]
        return [
            *((hit.chunk.text, round(hit.score, 4)) for hit in hits),
            *sorted((key, codes.tobytes()) for key, codes in late.items()),
            *((table.title, len(table.cells)) for table in tables),
            *((row.path, row.status) for row in rows),
            tuple(counted),
            tuple(sorted(reader.facts([row.id for row in rows]))),
        ]


def kind_of(path: Path) -> str:
    """The path without its numbers and hashes."""
    folders = "/".join(part for part in path.parts[:-1] if not re.fullmatch(r"[0-9a-f-]{8,}", part))
    name = path.name if re.fullmatch(r"[a-z_]+(\.[a-z_]+)*", path.name) else f"*{path.suffix}"
    return f"{folders}/{name}"


if __name__ == "__main__":
    raise SystemExit(main())
