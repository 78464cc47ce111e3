"""The address of a server, as a person types it."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from mixrag_cli.errors import ModelUnusable

KEY_VARIABLE = "MIXRAG_API_KEY"


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server is: the parts of its address, the path without a slash at its end; and how it was typed."""

    is_https: bool
    host: str
    port: int | None
    path: str
    typed: str

    @property
    def is_loopback(self) -> bool:
        """Whether it is this machine."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        return self.typed

    def name_of(self, model: str) -> str:
        """How a model there is called: "http://localhost:11434/tiny"; without a name the address."""
        return f"{self.typed.rstrip('/')}/{model}" if model else self.typed


def parse_address(text: str) -> Address:
    """The address of a server's API; "/v1" is its path where none is given. It is shown as it was typed.

    Example: "http://localhost:11434" -> path "/v1". Raises ModelUnusable.
    """
    try:
        parts: SplitResult = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ModelUnusable(f"{text}: not the address of a server", "http://localhost:11434, for example") from error
    if parts.username or parts.password:
        raise ModelUnusable("a key does not belong into the server's address", f"export {KEY_VARIABLE}=…")
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise ModelUnusable(f"{text}: not the address of a server", "http://localhost:11434, for example")
    return Address(parts.scheme == "https", host, port, parts.path.rstrip("/") or "/v1", text.strip())
