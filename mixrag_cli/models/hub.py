"""Fetching a model file from the Hugging Face hub, or from the mirror that HF_ENDPOINT names.

Only `mixrag models pull` takes this way to the network.

The hub states a file's sha256 before its bytes are sent. They are checked against it, and against the one recorded when
the file was pulled before: a name whose content changed is refused until the old file is removed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Read when the library is imported: its bars, telemetry and second transport, whose progress none can see, stay off.
os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["HF_HUB_VERBOSITY"] = "critical"
os.environ["HF_HUB_DISABLE_XET"] = "1"

import huggingface_hub
from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, RepositoryNotFoundError
from huggingface_hub.utils.tqdm import tqdm

from mixrag_cli.errors import MixragError, ModelUnusable, first_line, reason_of
from mixrag_cli.models.bundled import file_sha256
from mixrag_cli.models.library import PulledModel, library_folder

SHA256_DIGITS = 64


def pull_model(
    name: str, repository: str, file: str, known: PulledModel | None, on_bytes: Callable[[int, int], None]
) -> PulledModel:
    """The file on this machine, whole; one that was begun is gone on with.

    known: the model as it was pulled before, whose file is damaged. on_bytes: told (done, total).
    Raises MixragError when the hub cannot be asked, ModelUnusable when what came is not what the hub or the earlier
    pull said.
    """
    try:
        stated = _state_of(repository, file)
        if known and known.sha256 != stated[0]:
            raise ModelUnusable(
                f"{repository}/{file}: the hub has another file now (sha256 {stated[0][:12]}…, "
                f"recorded {known.sha256[:12]}…)",
                f"mixrag models remove {known.name}, then pull it again if you trust the new one",
            )
        path = _fetch(repository, file, stated[1], known is not None, lambda done: on_bytes(done, stated[2]))
    except MixragError:
        raise
    except (RepositoryNotFoundError, EntryNotFoundError) as error:
        hint = "mixrag models list"
        if isinstance(error, GatedRepoError):
            hint = "accept its licence on the hub's page, then export HF_TOKEN=…"
        raise MixragError(f"{repository}/{file}: not on the hub, or not for you", hint) from error
    except Exception as error:  # of the library, of the client below it, or of the system
        raise MixragError(
            f"{repository}/{file}: cannot be fetched: {_reason(error)}", "the same command again goes on"
        ) from error
    if file_sha256(path) != stated[0]:
        path.unlink()
        raise ModelUnusable(f"{repository}/{file}: what came has another sha256 than the hub states", "pull it again")
    status = path.stat()
    return PulledModel(name, repository, file, stated[1], str(path), stated[0], status.st_size, status.st_mtime_ns)


def _state_of(repository: str, file: str) -> tuple[str, str, int]:
    """sha256, commit and size that the hub states for the file now."""
    found = huggingface_hub.get_hf_file_metadata(huggingface_hub.hf_hub_url(repository, file))
    sha256 = (found.etag or "").lower()
    if len(sha256) != SHA256_DIGITS or not all(each in "0123456789abcdef" for each in sha256) or not found.commit_hash:
        raise ModelUnusable(f"{repository}/{file}: the hub states no sha256 for it", "a .gguf file of the repository")
    return sha256, found.commit_hash, found.size or 0


def _fetch(repository: str, file: str, revision: str, is_damaged: bool, on_bytes: Callable[[int], None]) -> Path:
    folder = library_folder() / repository.replace("/", "--")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Path(
        huggingface_hub.hf_hub_download(
            repository,
            file,
            revision=revision,
            local_dir=folder,
            force_download=is_damaged,  # else the library may take a file of the right size for the right one
            tqdm_class=_reporting_to(on_bytes),
        )
    )


def _reporting_to(on_bytes: Callable[[int], None]) -> type[Any]:
    """The library's progress bar as it wants it, without a bar."""

    class Report(tqdm):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            self._bytes = int(options.get("initial") or 0)
            super().__init__(*arguments, **{**options, "disable": True})  # type: ignore[no-untyped-call]
            on_bytes(self._bytes)

        def update(self, n: float | None = 1) -> bool | None:
            self._bytes += int(n or 0)
            on_bytes(self._bytes)
            return None

    return Report


def _reason(error: Exception) -> str:
    response = getattr(error, "response", None)
    if response is not None:
        return f"the hub answered {response.status_code}"
    return reason_of(error, first_line(error))
