"""The models that `mixrag models pull` brought to this machine: where each lies and the checksum it must have."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mixrag_cli.errors import MixragError, ModelUnusable, reason_of
from mixrag_cli.models.bundled import file_sha256
from mixrag_cli.models.cache import write_whole
from mixrag_cli.settings import data_folder

LIBRARY_FILE = "library.json"


@dataclass(frozen=True, slots=True)
class PulledModel:
    """One model file of ours. file: its path in the repository; sha256: what the hub said when it was pulled, checked
    then; mtime_ns: of the file when its bytes were last seen to have that checksum."""

    name: str
    repository: str
    file: str
    revision: str
    path: str
    sha256: str
    size_bytes: int
    mtime_ns: int


def library_folder() -> Path:
    """Where pulled models lie: in the user's data folder."""
    return data_folder() / "models"


def pulled_models() -> tuple[PulledModel, ...]:
    """All that was pulled and not removed, by name. Raises ModelUnusable when the list cannot be read."""
    path = library_folder() / LIBRARY_FILE
    try:
        return tuple(
            sorted((PulledModel(**each) for each in json.loads(path.read_text("utf-8"))), key=lambda m: m.name)
        )
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except (OSError, ValueError, TypeError) as error:
        raise ModelUnusable(
            f"{path}: the list of models cannot be read", "mixrag models pull NAME, after removing it"
        ) from error


def find_pulled(name: str) -> PulledModel | None:
    """The pulled model of that name."""
    return next((each for each in pulled_models() if each.name == name), None)


def remember_pulled(model: PulledModel) -> None:
    """Add the model to the list, in place of one of the same name."""
    _write([*(each for each in pulled_models() if each.name != model.name), model])


def forget_pulled(model: PulledModel) -> None:
    """Delete the model's file and take it off the list."""
    Path(model.path).unlink(missing_ok=True)
    _write([each for each in pulled_models() if each.name != model.name])


def check_pulled(model: PulledModel, *, thoroughly: bool = False) -> Path:
    """The model's file, whole. Its bytes are read where size or time changed, or thoroughly.

    Raises ModelUnusable when it is missing or has another sha256.
    """
    path = Path(model.path)
    again = f"mixrag models pull {model.name}"
    try:
        status = path.stat()
        unchanged = (status.st_size, status.st_mtime_ns) == (model.size_bytes, model.mtime_ns)
        if unchanged and not thoroughly:
            return path
        found = file_sha256(path) if status.st_size == model.size_bytes else ""
    except OSError as error:
        raise ModelUnusable(f"model file {path}: {reason_of(error, 'unreadable')}", again) from error
    if found != model.sha256:
        raise ModelUnusable(f"model file {path}: sha256 differs from the pinned one; not loaded", again)
    return path


def _write(models: Sequence[PulledModel]) -> None:
    folder = library_folder()
    try:
        write_whole(folder / LIBRARY_FILE, [asdict(each) for each in models], indent=1)
    except OSError as error:
        raise MixragError(f"{folder}: {reason_of(error, 'cannot be written')}") from error
