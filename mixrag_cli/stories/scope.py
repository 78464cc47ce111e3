"""Scope: which documents a question is put to."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from fnmatch import fnmatchcase

from mixrag_cli.errors import WrongUsage
from mixrag_cli.records.files import DocumentRow
from mixrag_cli.stories.language_names import LANGUAGES, suffixes_of


@dataclass(frozen=True, slots=True)
class Scope:
    """A restriction to documents and kinds of passages.

    paths: globs or prefixes of display paths; languages: names of programming languages, or suffixes; empty: all.
    since_ns: only files changed at this moment or later, in nanoseconds since the epoch, by their own time.
    """

    paths: tuple[str, ...] = ()
    modalities: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    since_ns: int | None = None

    @property
    def names_files(self) -> bool:
        """Whether it has to be asked of each file if it is meant."""
        return bool(self.paths or self.languages or self.since_ns is not None)

    def suffixes(self) -> frozenset[str]:
        """Those of the languages' files. Raises WrongUsage for a language that is not known."""
        for language in self.languages:
            if not suffixes_of(language):
                close = difflib.get_close_matches(language.casefold(), LANGUAGES, n=1)
                nearest = f" (nearest: {close[0]})" if close else ""
                raise WrongUsage(
                    f"no language {language!r} is known{nearest}", "a name such as python, c++ or sql; or a suffix"
                )
        return frozenset().union(*(suffixes_of(language) for language in self.languages))

    def __str__(self) -> str:
        """What a file has to do to be meant. Example: "matches docs and is in python"."""
        parts = [f"matches {', '.join(self.paths)}"] if self.paths else []
        parts += [f"is in {', '.join(self.languages)}"] if self.languages else []
        return " and ".join([*parts, *(["was changed since then"] if self.since_ns is not None else [])])


def files_meant(scope: Scope, rows: list[DocumentRow], *, anywhere: bool = False) -> list[DocumentRow]:
    """The rows that the scope's paths, languages and moment leave. Raises WrongUsage for an unknown language.

    anywhere: a path may be the end of a file's, or a folder on its way: "q1.pdf", "reports".
    """
    suffixes, matches = scope.suffixes(), _holds_parts if anywhere else path_matches
    return [
        row
        for row in rows
        if (not scope.paths or any(matches(row.path, pattern) for pattern in scope.paths))
        and (not suffixes or row.path.rpartition(".")[2].casefold() in suffixes)
        and (scope.since_ns is None or row.mtime_ns >= scope.since_ns)
    ]


def _holds_parts(path: str, pattern: str) -> bool:
    """Whether the pattern's parts stand in the path, one right behind the other."""
    parts = pattern.removeprefix("./").strip("/")
    return bool(parts) and f"/{parts}/" in f"/{path}/"


def path_matches(path: str, pattern: str) -> bool:
    """Whether a display path is the pattern, lies under it, or matches it as a glob.

    Example: path_matches("docs/a.md", "docs") -> True; path_matches("docs/a.md", "*.md") -> True.
    """
    plain = pattern.rstrip("/")
    return path == plain or path.startswith(f"{plain}/") or fnmatchcase(path, pattern)
