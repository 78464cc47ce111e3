"""What the user says of a root's files by globs as in a .gitignore: which are wanted, and what their texts are in.

Given once, and kept with the root.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from mixrag_cli.walking.ignores import IgnoreFile, parse_ignore_text


@dataclass(frozen=True, slots=True)
class Selection:
    """include: only files that match one of these, () for all; exclude: no file or folder that matches one of these.

    encodings: pairs of a glob and the encoding of the texts that match it; the last that matches holds.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    encodings: tuple[tuple[str, str], ...] = ()
    _included: IgnoreFile = field(init=False, repr=False, compare=False)
    _excluded: IgnoreFile = field(init=False, repr=False, compare=False)
    _encoded: tuple[tuple[IgnoreFile, str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_included", _compiled(self.include))
        object.__setattr__(self, "_excluded", _compiled(self.exclude))
        encoded = tuple((_compiled([glob]), encoding) for glob, encoding in reversed(self.encodings))
        object.__setattr__(self, "_encoded", encoded)

    def excludes(self, path: bytes, is_folder: bool) -> bool:
        """Whether the path, relative to the root, is one that is left out."""
        return bool(self.exclude) and self._excluded.decide(os.fsdecode(path), is_folder) is True

    def includes(self, path: bytes) -> bool:
        """Whether the file, or a folder that holds it, is one of those wanted."""
        return not self.include or _names(self._included, path)

    def encoding_of(self, path: bytes) -> str:
        """The encoding that the user says the file is in, "" for none."""
        return next((encoding for globs, encoding in self._encoded if _names(globs, path)), "")


def _names(globs: IgnoreFile, path: bytes) -> bool:
    """Whether a glob names the file, or a folder that holds it."""
    text = os.fsdecode(path)
    folders = [text[:at] for at, letter in enumerate(text) if letter == "/"]
    return True in [globs.decide(text, False), *(globs.decide(folder, True) for folder in folders)]


def _compiled(globs: Sequence[str]) -> IgnoreFile:
    return IgnoreFile("", parse_ignore_text(os.fsencode("\n".join(globs))))


EVERYTHING = Selection()
