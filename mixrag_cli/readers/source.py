"""What a reader is given: an open file, its name, its limits and a way to say that work goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

MEGABYTE = 1_000_000
# Behind the name of a file that is to be made of this one: the suffix before says what it holds ("nginx.conf.j2").
TEMPLATE_SUFFIXES = frozenset(
    ["example", "sample", "dist", "template", "tmpl", "tpl", "j2", "jinja2", "in", "default", "tt"]
)
RUBY_NAMES = ("gemfile", "rakefile", "guardfile", "vagrantfile", "podfile", "brewfile", "fastfile", "capfile")
SUFFIX_OF_NAME = {"sshd_config": "conf", "ssh_config": "conf", **dict.fromkeys(RUBY_NAMES, "rb")}
# What is written as files of another suffix are.
SAME_AS = {
    **dict.fromkeys(("gemspec", "podspec", "rake", "ru"), "rb"),
    **dict.fromkeys(("sbt", "sc"), "scala"),
    **dict.fromkeys(("jsonc", "json5", "code-workspace", "webmanifest"), "json"),
}


def suffix_of(name: str) -> str:
    """The suffix that says what a file of this name holds, in lower case without its dot; "" where none does."""
    if name.lower().startswith(".env."):  # whatever follows: ".env.example", ".env.example.complete"
        return "env"
    stem, dot, suffix = name.lower().rpartition(".")
    if not dot or not stem:
        return SUFFIX_OF_NAME.get(name.lower(), "")
    if suffix in TEMPLATE_SUFFIXES and (held := suffix_of(stem)):
        return held
    return SAME_AS.get(suffix, suffix)


def base_of(name: str) -> str:
    """What stands before a name's first dot or hyphen, in lower case. Example: "Dockerfile-dev" -> "dockerfile"."""
    return name.lower().replace("-", ".").partition(".")[0]


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """How large a file may be: any file, and one that is read as text or code. ocr: whether pictures may be read."""

    max_file_mb: int = 512
    max_text_file_mb: int = 20
    ocr: bool = True

    @property
    def max_text_bytes(self) -> int:
        """The limit for text and code, in bytes."""
        return self.max_text_file_mb * MEGABYTE


def stay_silent(done: int, total: int) -> None:
    """A beat that nobody hears."""


def keep_all(text: str) -> str:
    """A redaction that takes nothing out."""
    return text


@dataclass(frozen=True, slots=True)
class ReadSource:
    """One file to read.

    name: the file name, cleaned for display. size: bytes. file: opened for reading, seekable, at its start.
    beat: call with (done, total), in the reader's own units, at each page or every few thousand rows; it also
    tells the parent process that this one lives. redact: takes secrets out of the decoded text of a text file,
    where a secret is still in one piece; it keeps the number of lines. encoding: that the user says the text is in,
    "" where the reader has to find it out.
    """

    name: str
    size: int
    file: BinaryIO
    beat: Callable[[int, int], None] = stay_silent
    limits: ReadLimits = ReadLimits()
    redact: Callable[[str], str] = keep_all
    encoding: str = ""

    @property
    def suffix(self) -> str:
        """The suffix that says what the file holds, as suffix_of."""
        return suffix_of(self.name)
