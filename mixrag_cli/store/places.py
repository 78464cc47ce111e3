"""Where a published index lies: a folder, an object store, or, to read only, a plain web server.

Nothing but the address that was given is ever asked: a web server's word that the thing is elsewhere is refused.
"""

from __future__ import annotations

import http.client
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, urlsplit

from mixrag_cli.errors import MixragError, WrongUsage, reason_of
from mixrag_cli.store.commit import sync_folder

OBJECT_STORES = ("s3", "gs", "az")
WEB = ("http", "https")
TIMEOUT_S = 30
ATTEMPTS = 3
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


class Place(Protocol):
    """Files by their path below an address."""

    address: str

    def read(self, path: str) -> bytes:
        """The file's bytes. Raises FileNotFoundError; MixragError where the place cannot be reached."""
        ...

    def write(self, path: str, raw: bytes) -> None:
        """Put the file there, whole or not at all. Raises MixragError."""
        ...

    def holds(self, path: str, size: int) -> bool:
        """Whether a file of this size is there already."""
        ...

    def remove(self, path: str) -> None:
        """Take the file away; no error where it is gone."""
        ...


def place_of(address: str) -> Place:
    """The place of an address. Raises WrongUsage for a scheme that nothing here reads."""
    if not (found := _SCHEME.match(address)):
        return FolderPlace(Path(address).expanduser().absolute())
    scheme = found[1].lower()
    if scheme in WEB:
        return WebPlace(address.rstrip("/"))
    if scheme in OBJECT_STORES:
        return ObjectPlace(address.rstrip("/"))
    raise WrongUsage(f"{scheme}://: not an address of a published index", "a folder, s3://, gs://, az:// or https://")


class FolderPlace:
    """A folder of this machine, or one that it mounts."""

    def __init__(self, folder: Path) -> None:
        self.address = str(folder)
        self._folder = folder

    def read(self, path: str) -> bytes:
        """The file's bytes. Raises FileNotFoundError, MixragError."""
        try:
            return (self._folder / path).read_bytes()
        except FileNotFoundError:
            raise
        except OSError as exc:
            raise _failed(self.address, exc) from exc

    def write(self, path: str, raw: bytes) -> None:
        """Put the file there by a rename; file and name survive a power cut. Raises MixragError."""
        target = self._folder / path
        fresh = target.with_name(f"{target.name}.{os.getpid()}.new")
        try:
            _make_folder(target.parent)
            with fresh.open("wb") as file:
                file.write(raw)
                file.flush()
                os.fsync(file.fileno())
            fresh.rename(target)
            _sync_names(target.parent)
        except OSError as exc:
            fresh.unlink(missing_ok=True)
            raise _failed(self.address, exc) from exc

    def holds(self, path: str, size: int) -> bool:
        """Whether a file of this size is there already."""
        target = self._folder / path
        return target.is_file() and target.stat().st_size == size

    def remove(self, path: str) -> None:
        """Take the file away; no error where it is gone or may not go."""
        try:
            (self._folder / path).unlink(missing_ok=True)
        except OSError:
            return


class ObjectPlace:
    """A bucket or container and a prefix in it, through Arrow; credentials as the cloud's own tools find them.

    The address 169.254.169.254, at which Amazon's machines ask for their role, is left alone unless the environment
    says AWS_EC2_METADATA_DISABLED=false.

    Options of Arrow's may follow the address, such as s3://bucket/index?endpoint_override=127.0.0.1:9000&scheme=http.
    """

    def __init__(self, address: str) -> None:
        import pyarrow as pa
        from pyarrow import fs

        os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")
        self.address = address
        scheme, _, rest = address.partition("://")
        try:
            if scheme.lower() == "az":
                account = os.environ.get("AZURE_STORAGE_ACCOUNT", "")
                self._files: Any = fs.AzureFileSystem(account_name=account)
                self._base = rest
            else:
                self._files, self._base = fs.FileSystem.from_uri(address)
        except (OSError, ValueError, pa.ArrowException) as exc:
            raise MixragError(f"{address}: {_reason(exc)}") from exc

    def read(self, path: str) -> bytes:
        """The file's bytes. Raises FileNotFoundError, MixragError."""
        try:
            with self._files.open_input_stream(f"{self._base}/{path}") as file:
                raw: bytes = file.read()
                return raw
        except FileNotFoundError:
            raise
        except OSError as exc:
            raise _failed(self.address, exc) from exc

    def write(self, path: str, raw: bytes) -> None:
        """Put the object there; object stores show it whole or not at all. Raises MixragError."""
        try:
            with self._files.open_output_stream(f"{self._base}/{path}") as file:
                file.write(raw)
        except OSError as exc:
            raise _failed(self.address, exc) from exc

    def holds(self, path: str, size: int) -> bool:
        """Whether an object of this size is there already."""
        try:
            known = self._files.get_file_info(f"{self._base}/{path}")
        except OSError as exc:
            raise _failed(self.address, exc) from exc
        return bool(known.is_file and known.size == size)

    def remove(self, path: str) -> None:
        """Take the object away; no error where it is gone or may not go."""
        try:
            self._files.delete_file(f"{self._base}/{path}")
        except OSError:
            return


class WebPlace:
    """A folder on a plain web server, to read only."""

    def __init__(self, address: str) -> None:
        self.address = address
        parts = urlsplit(address)
        if not parts.hostname:
            raise WrongUsage(f"{address}: names no server")
        if parts.username or parts.password:
            raise WrongUsage("an address with a password in it is not used: it would be seen by all who list processes")
        self._secure, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        self._base = quote(parts.path.rstrip("/"), safe="/%")

    def read(self, path: str) -> bytes:
        """The file's bytes. Raises FileNotFoundError, MixragError."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._get(path)
            except (http.client.HTTPException, ConnectionError, TimeoutError) as exc:
                if attempt == ATTEMPTS:
                    raise _failed(self.address, exc) from exc
            except OSError as exc:
                if isinstance(exc, FileNotFoundError):
                    raise
                raise _failed(self.address, exc) from exc
        raise AssertionError("unreachable")

    def write(self, path: str, raw: bytes) -> None:
        """Raise WrongUsage: nothing can be written there."""
        raise WrongUsage(f"{self.address}: a web server is only read", "publish to the folder that it serves")

    def holds(self, path: str, size: int) -> bool:
        """Raise WrongUsage, as write does."""
        raise WrongUsage(f"{self.address}: a web server is only read", "publish to the folder that it serves")

    def remove(self, path: str) -> None:
        """Do nothing."""

    def _get(self, path: str) -> bytes:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=TIMEOUT_S)
        try:
            connection.request("GET", f"{self._base}/{path}", headers={"Cache-Control": "no-cache"})
            reply = connection.getresponse()
            raw = reply.read()
        finally:
            connection.close()
        if reply.status in (404, 410):
            raise FileNotFoundError(path)
        if reply.status != 200:
            raise MixragError(f"{self.address}: the server answers {reply.status} {reply.reason}".rstrip())
        return raw


def _make_folder(folder: Path) -> None:
    """Make the folder, and those above it that are not there yet."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync_names(folder.parent)


def _sync_names(folder: Path) -> None:
    with suppress(OSError):  # some mounted file systems refuse it for a folder
        sync_folder(folder)


def _failed(address: str, exc: Exception) -> MixragError:
    return MixragError(f"{address}: {_reason(exc)}")


def _reason(exc: Exception) -> str:
    return reason_of(exc).splitlines()[0][:200]
