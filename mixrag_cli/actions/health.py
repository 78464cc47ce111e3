"""The checks behind `mixrag doctor`. Each says what it found and, where something is wrong, what to do.

Nothing is changed. No heavy library is imported but in the check that needs it: a broken one must not stop the doctor.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import locale
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mixrag_cli.actions.caller import settings_of
from mixrag_cli.commands.options import Face
from mixrag_cli.errors import MixragError, NoIndex
from mixrag_cli.models.bundled import BUNDLED, model_file, tokenizer_file
from mixrag_cli.models.bundled_reader import reader_file
from mixrag_cli.models.devices import Card, find_cards
from mixrag_cli.models.local import model_folder
from mixrag_cli.settings import Settings, config_file

OLDEST_PYTHON = (3, 11)
NEEDED_DISK_BYTES = 500_000_000  # an index of some ten thousand passages
LLM_PACKAGE = "llama-cpp-python"
REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*([^;]*)(;.*)?$")
# The same module under another name: a build for a card, which takes the place of the one that mixrag names.
STAND_INS = {"onnxruntime": ("onnxruntime-gpu", "onnxruntime-rocm")}
VERSION_BOUND = re.compile(r"(>=|<=|==|<|>)\s*([0-9][0-9A-Za-z.]*)")

# Where a distribution's import name is not its own name with "_" for "-".
IMPORT_NAMES = {
    "markdown-it-py": "markdown_it",
    "pylance": "lance",
    "python-pptx": "pptx",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. state: "fail" stops some command, "warn" makes it worse; remedy: what to type or do."""

    state: Literal["ok", "warn", "fail"]
    name: str
    detail: str
    remedy: str = ""


def examine(start: Path, face: Face, *, read_index: bool = False) -> list[Finding]:
    """All findings, in a fixed order; a check that breaks is a finding too. read_index: verify all that it holds."""
    checks: list[tuple[str, Callable[[], Iterator[Finding]]]] = [
        ("python", _check_python),
        ("packages", _check_packages),
        ("settings", lambda: _check_settings(face)),
        ("embedder", lambda: _check_embedder(face)),
        ("reader model", _check_reader),
        ("disk", lambda: _check_disk(start)),
        ("index", lambda: _check_index(start, face, read_index=read_index)),
        ("terminal", _check_terminal),
        ("generator", _check_generator),
    ]
    return [finding for name, check in checks for finding in run_check(name, check)]


def run_check(name: str, check: Callable[[], Iterator[Finding]]) -> list[Finding]:
    """What a check found; that it broke is a finding, too."""
    try:
        return list(check())
    except MixragError as error:
        return [Finding("fail", name, error.message, error.hint)]
    except Exception as error:
        return [Finding("fail", name, f"could not be checked: {type(error).__name__}: {error}")]


def _check_python() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < OLDEST_PYTHON:
        yield Finding("fail", "python", version, f"install Python {'.'.join(map(str, OLDEST_PYTHON))} or newer")
    else:
        yield Finding("ok", "python", f"{version} at {sys.executable}")


def _check_packages() -> Iterator[Finding]:
    try:
        needed = importlib.metadata.requires("mixrag") or []
    except importlib.metadata.PackageNotFoundError:
        yield Finding("warn", "packages", "mixrag runs from a folder, not installed", "pip install mixrag")
        return
    found = 0
    for requirement in needed:
        match = REQUIREMENT.match(requirement)
        if match is None or "extra ==" in (match[3] or ""):
            continue
        problem = _package_problem(match[1], match[2])
        if problem:
            yield Finding("fail", match[1], problem, f'pip install "{match[1]}{match[2].strip()}"')
        else:
            found += 1
    yield Finding("ok", "packages", f"{found} present in fitting versions")


def _package_problem(name: str, bounds: str) -> str:
    """What is wrong with an installed package, "" where nothing is."""
    version = next(filter(None, map(_version, (name, *STAND_INS.get(name, ())))), "")
    if not version:
        return "not installed"
    for operator, bound in VERSION_BOUND.findall(bounds):
        if not _holds(_release(version), operator, _release(bound)):
            return f"version {version} does not fit {bounds.strip()}"
    module = IMPORT_NAMES.get(name.lower(), name.lower().replace("-", "_"))
    if module and importlib.util.find_spec(module) is None:
        return f"version {version} is installed but {module} cannot be imported"
    return ""


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a version, without trailing zeros. Example: _release("2.10.0+cpu") -> (2, 10)."""
    numbers = [int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:4]]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _holds(version: tuple[int, ...], operator: str, bound: tuple[int, ...]) -> bool:
    return {
        ">=": version >= bound,
        "<=": version <= bound,
        "==": version == bound,
        "<": version < bound,
        ">": version > bound,
    }[operator]


def _check_settings(face: Face) -> Iterator[Finding]:
    settings_of(face)
    path = config_file()
    yield Finding("ok", "settings", str(path) if path.exists() else f"defaults ({path} does not exist)")


def _check_embedder(face: Face) -> Iterator[Finding]:
    wanted = _settings_or_default(face).embedder
    if wanted != BUNDLED:
        yield from _check_other_embedder(wanted)
        return
    size = sum(find(thoroughly=True).stat().st_size for find in (model_file, tokenizer_file))
    yield Finding("ok", "embedder", f"the bundled model is the pinned one ({size / 1e6:.0f} MB)")


def _check_reader() -> Iterator[Finding]:
    size = reader_file(thoroughly=True).stat().st_size
    yield Finding("ok", "reader model", f"it is the pinned one ({size / 1e6:.0f} MB)")


def _check_other_embedder(name: str) -> Iterator[Finding]:
    yield Finding("ok", "embedder", f"{name} in {model_folder(name)}")


def _settings_or_default(face: Face) -> Settings:
    """The settings; the defaults where they are broken, which is a finding of its own."""
    try:
        return settings_of(face)
    except MixragError:
        return Settings()


def _check_disk(start: Path) -> Iterator[Finding]:
    for name, folder in (("disk here", start), ("disk of your files", _existing(Path.home()))):
        free = shutil.disk_usage(folder).free
        told = f"{free / 1e9:.1f} GB free at {folder}"
        if free < NEEDED_DISK_BYTES:
            yield Finding("warn", name, told, f"free at least {NEEDED_DISK_BYTES / 1e6:.0f} MB")
        else:
            yield Finding("ok", name, told)
        if not os.access(folder, os.W_OK):
            yield Finding("warn", name, f"{folder} cannot be written", "choose another place with --store")


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(each for each in (folder, *folder.parents) if each.exists())


def _check_index(start: Path, face: Face, *, read_index: bool) -> Iterator[Finding]:
    from mixrag_cli.stories.inspection import read_status

    try:
        status = read_status(start, _settings_or_default(face))
    except NoIndex as error:
        yield Finding("ok", "index", error.message, error.hint)
        return
    told = f"{status.documents:,} files, {status.chunks:,} passages in {status.store}"
    yield Finding("ok", "index", told)
    for root in status.roots:
        if not Path(root).is_dir():
            yield Finding("warn", "index", f"the indexed folder {root} is not there", "mount it, or mixrag remove")
    if status.stale:
        yield Finding("warn", "index", f"{status.stale} files could not be read again", "mixrag status --skipped")
    if read_index:
        yield from _read_index(status.store)


def _read_index(store: Path) -> Iterator[Finding]:
    from mixrag_cli.store import check_store

    damage = check_store(store, deep=True)
    for each in damage:
        yield Finding("fail", "index", each.message, each.remedy)
    if not damage:
        yield Finding("ok", "index", "all passages, tables and vectors are as they were written")


def _check_terminal() -> Iterator[Finding]:
    encoding = (getattr(sys.stdout, "encoding", None) or locale.getpreferredencoding(False)).lower()
    if encoding.replace("-", "").startswith("utf"):
        yield Finding("ok", "terminal", f"{encoding}, TERM={os.environ.get('TERM', '')}")
    else:
        yield Finding("warn", "terminal", f"{encoding} cannot show all characters", "export LC_ALL=C.UTF-8")


def _check_generator() -> Iterator[Finding]:
    try:
        version = importlib.metadata.version(LLM_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        remedy = 'pip install "mixrag[llm]" if you want a local model to word the answers'
        yield Finding("ok", "generator", "none; the built-in reader answers", remedy)
        return
    yield Finding("ok", "generator", f"{LLM_PACKAGE} {version}")
    if cards := find_cards():
        yield from tell_build(cards)


def tell_build(cards: list[Card]) -> Iterator[Finding]:
    """Which devices the installed llama.cpp offers; a build for the processor beside a card comes with its remedy."""
    try:
        from mixrag_cli.models.llama_native import offered_devices
    except ImportError:
        yield Finding("ok", "llama.cpp", "not installed", "pip install 'mixrag[llm]'")
        return
    devices = offered_devices()
    for device in devices:
        memory = f"{device.free_bytes / 1e9:.1f} of {device.total_bytes / 1e9:.1f} GB free"
        kind = "its own memory" if device.kind == "gpu" else "the machine's memory"
        yield Finding("ok", "llama.cpp", f"{device}: {memory}, {kind}")
    usable = [card for card in cards if card.is_open]
    if devices or not usable:
        if not devices:
            yield Finding("ok", "llama.cpp", "computes on the processor")
    elif usable[0].is_integrated:  # worth little more than the processor that it is a part of
        yield Finding("ok", "llama.cpp", f"computes on the processor, not on {usable[0]}", usable[0].build_command)
    else:
        yield Finding(
            "warn", "llama.cpp", f"is built for the processor alone beside {usable[0]}", usable[0].build_command
        )
