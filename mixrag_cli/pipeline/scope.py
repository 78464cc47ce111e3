"""Scope: which documents a question is put to."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Scope:
    """A restriction to documents and kinds of passages. paths: globs or prefixes of display paths; empty: all."""

    paths: tuple[str, ...] = ()
    modalities: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


def path_matches(path: str, pattern: str) -> bool:
    """Whether a display path is the pattern, lies under it, or matches it as a glob.

    Example: path_matches("docs/a.md", "docs") -> True; path_matches("docs/a.md", "*.md") -> True.
    """
    plain = pattern.rstrip("/")
    return path == plain or path.startswith(f"{plain}/") or fnmatchcase(path, pattern)
