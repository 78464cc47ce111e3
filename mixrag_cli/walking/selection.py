"""Which files of a root the user wants at all: globs as in a .gitignore, given once and kept with the root."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from mixrag_cli.walking.ignores import IgnoreFile, parse_ignore_text


@dataclass(frozen=True, slots=True)
class Selection:
    """include: only files that match one of these, () for all; exclude: no file or folder that matches one of these."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    _included: IgnoreFile = field(init=False, repr=False, compare=False)
    _excluded: IgnoreFile = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_included", _compiled(self.include))
        object.__setattr__(self, "_excluded", _compiled(self.exclude))

    def excludes(self, path: bytes, is_folder: bool) -> bool:
        """Whether the path, relative to the root, is one that is left out."""
        return bool(self.exclude) and self._excluded.decide(os.fsdecode(path), is_folder) is True

    def includes(self, path: bytes) -> bool:
        """Whether the file, or a folder that holds it, is one of those wanted."""
        if not self.include:
            return True
        text = os.fsdecode(path)
        folders = [text[:at] for at, letter in enumerate(text) if letter == "/"]
        wanted = [self._included.decide(text, False), *(self._included.decide(folder, True) for folder in folders)]
        return True in wanted


def _compiled(globs: Sequence[str]) -> IgnoreFile:
    return IgnoreFile("", parse_ignore_text(os.fsencode("\n".join(globs))))


EVERYTHING = Selection()
