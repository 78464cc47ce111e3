"""Power cuts over index, remove, rebuild, calibrate and publish: what was never synced may be gone, or half there.

    python tests/benchmarks/siege_power.py [ROUNDS] [SEED]

Needs a C compiler: power_loss.c keeps a copy of each file and each folder's entries as they were when they were last
synced. Each round changes files, runs one command and kills it at a random moment, or when it is done. Then a disk is
laid out as a power cut may leave it: of a file that was written after its last sync the old bytes, the new ones, none,
a part or zeros; of a folder each entry that came or went after its last sync, or not. The store there must open, pass
the deep check, and hold every file that was committed before; indexing once more must lead to what a clean build
makes. What was published must be read whole or refused. Exit code 1 at the first breach.
"""

from __future__ import annotations

import ctypes
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from kill9 import N_FILES, change_files, check_of, clean_digest, digest_of, index, keys_of, write_file
from running import MIXRAG, ends_within

from mixrag_cli.errors import MixragError
from mixrag_cli.store import check_store, find_store

ROUNDS = 20
LONGEST_S = 6.0
STORE = ".mixrag"
COMMANDS = {
    "index": ("index", "--prune", "."),
    "rebuild": ("index", "--rebuild", "."),
    "remove": ("remove", "notes1*", "--yes"),
    "calibrate": ("calibrate",),
    "publish": ("publish", "../published"),
}


class Disk:
    """What of a folder is durable. library: of power_loss.c; shadow: where it keeps what was synced."""

    def __init__(self, scratch: Path) -> None:
        self.shadow = scratch / "shadow"
        self._library = scratch / "power_loss.so"
        source = Path(__file__).with_name("power_loss.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self._library, source, "-ldl"], check=True)
        self._calls = ctypes.CDLL(str(self._library))

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self._library), "POWER_SHADOW": str(self.shadow)}

    def sync_all(self, *folders: Path) -> None:
        """Begin anew: what is there now is durable."""
        shutil.rmtree(self.shadow, ignore_errors=True)
        self.shadow.mkdir()
        os.environ["POWER_SHADOW"] = str(self.shadow)
        ctypes.CDLL(None).setenv(b"POWER_SHADOW", os.fsencode(self.shadow), 1)
        for folder in folders:
            for path in (folder, *folder.rglob("*")):
                self._calls.power_keep(os.fsencode(path))

    def key(self, path: Path) -> str:
        key = ctypes.create_string_buffer(100)
        self._calls.power_key(os.fsencode(path), key)
        return key.value.decode()

    def cut(self, folder: Path, target: Path, dice: random.Random) -> None:
        """Lay out in target what a power cut may leave of the folder."""
        there = {self.key(path): path for path in (folder, *folder.rglob("*"))}
        self._lay_out(self.key(folder), target, there, dice)

    def _lay_out(self, key: str, target: Path, there: dict[str, Path], dice: random.Random) -> None:
        if key.startswith("f"):
            target.write_bytes(self._bytes(key, there, dice))
            target.chmod(0o600)
            return
        target.mkdir(mode=0o700)
        durable = dict(reversed(line.split(" ", 1)) for line in self._kept(key).decode().splitlines())
        now = {path.name: self.key(path) for path in there[key].iterdir()} if key in there else durable
        for name in sorted(durable.keys() | now.keys()):
            chosen = dice.choice([durable.get(name), now.get(name)])
            if chosen is not None and (chosen in there or (self.shadow / chosen).exists()):
                self._lay_out(chosen, target / name, there, dice)

    def _kept(self, key: str) -> bytes:
        path = self.shadow / key
        return path.read_bytes() if path.exists() else b""

    def _bytes(self, key: str, there: dict[str, Path], dice: random.Random) -> bytes:
        """Of a file: as it was when it was synced; what came afterwards, or some of it."""
        is_kept, kept = (self.shadow / key).exists(), self._kept(key)
        new = there[key].read_bytes() if key in there else kept
        if is_kept and new == kept:
            return kept
        part = new[: dice.randrange(len(new) + 1)]
        return dice.choice([kept, new, part, part + bytes(len(new) - len(part))])


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)
    dice = random.Random(seed)
    print(f"{rounds} rounds, seed {seed}", flush=True)
    totals: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        disk = Disk(Path(scratch))
        folder, published = Path(scratch, "folder"), Path(scratch, "published")
        folder.mkdir()
        published.mkdir()
        for number in range(N_FILES):
            write_file(folder, number, dice)
        index(folder)
        for number in range(rounds):
            name = list(COMMANDS)[number % len(COMMANDS)]
            change_files(folder, dice)
            line = strike(disk, folder, published, name, dice)
            print(f"round {number}: {name}, {line}", flush=True)
            totals[f"{name}: {line}"] += 1
            if line.startswith("BREACH"):
                return 1
        index(folder)
        if digest_of(folder) != clean_digest(folder, Path(scratch)):
            print(f"DIFFERS from a clean build (seed {seed})")
            return 1
    for line, count in sorted(totals.items()):
        print(f"{count:4}  {line}")
    print("nothing committed was lost; the finished index equals a clean build")
    return 0


def strike(disk: Disk, folder: Path, published: Path, name: str, dice: random.Random) -> str:
    """One command, killed or done, then the power cut; what was found afterwards."""
    before = keys_of(folder)
    disk.sync_all(folder / STORE, published)
    seconds = dice.uniform(0.3, LONGEST_S) if dice.random() < 0.8 else 600.0
    is_done = ends_within(seconds, [*MIXRAG, *COMMANDS[name]], folder, **disk.environment)
    after_cut, public = folder.parent / "cut", folder.parent / "public"
    for old in (after_cut, public):
        shutil.rmtree(old, ignore_errors=True)
    disk.cut(folder / STORE, after_cut, dice)
    disk.cut(published, public, dice)
    shutil.rmtree(folder / STORE)
    after_cut.rename(folder / STORE)
    shutil.rmtree(published)
    public.rename(published)
    lost = {key for key in before - keys_of(folder) if (folder / key.decode()).exists()}
    if name == "remove":
        lost = {key for key in lost if not key.startswith(b"notes1")}
    findings = check_of(folder)
    if lost or findings:
        return f"BREACH: lost {sorted(lost)}, found {findings}"
    return f"{'done' if is_done else 'killed'}; store sound, {snapshot_of(published)}"


def snapshot_of(published: Path) -> str:
    """What a reader of the published folder meets; the check is deep where it is read."""
    if not any(published.iterdir()):
        return "nothing published"
    try:
        found = check_store(find_store(published, str(published)), deep=True)
    except MixragError as error:
        return f"published: refused with {int(error.exit_code)}"
    return "published: BREACH" if found else "published: whole"


if __name__ == "__main__":
    raise SystemExit(main())
