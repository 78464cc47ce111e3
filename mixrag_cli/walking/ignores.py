"""Nested .gitignore and .mixragignore files with git's meaning; pathspec turns each line into an expression.

Deeper files come before shallower ones, later lines before earlier ones, and .mixragignore before the .gitignore
beside it. A folder that is left out is not entered, so nothing under it can be taken back, as in git.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

IGNORE_FILES = (b".gitignore", b".mixragignore")  # the later one wins
MAX_IGNORE_BYTES = 1_000_000
# An ignore file may come from a stranger: bounds on what one look at a path can cost. git's own is under 100 lines.
MAX_PATTERNS = 5_000
MAX_WILDCARDS = 4  # a pattern with k open ends costs up to length**k steps; 3 are the most seen in github/gitignore
CHARACTER_CLASSES = {  # of git's, which pathspec does not know
    "[:alpha:]": "A-Za-z",
    "[:digit:]": "0-9",
    "[:alnum:]": "A-Za-z0-9",
    "[:upper:]": "A-Z",
    "[:lower:]": "a-z",
    "[:xdigit:]": "0-9A-Fa-f",
}
FOLDER_MARK = "(?P<ps_d>/)"  # how pathspec's expressions mark the slash that closes a folder


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of an ignore file. folders_only: it ended in a slash, so it is tried on "name/" only."""

    expression: str
    ignores: bool
    folders_only: bool
    matcher: re.Pattern[str]


class IgnoreFile:
    """The patterns of one folder's ignore files.

    A single joined expression says fast whether any pattern could decide; only then each is tried, last first.
    """

    def __init__(self, folder: str, patterns: Iterable[Pattern]) -> None:
        self.skip = len(folder) + 1 if folder else 0  # characters to cut so that paths are relative to the folder
        self.patterns = tuple(reversed(tuple(patterns)))
        self._any = join_expressions(pattern.expression for pattern in self.patterns if not pattern.folders_only)
        self._any_folder = join_expressions(pattern.expression for pattern in self.patterns if pattern.folders_only)

    def decide(self, path: str, is_folder: bool) -> bool | None:
        """True: ignored; False: taken back by a "!" line; None: no line speaks of it. path: relative to the root."""
        relative = path[self.skip :]
        closed = relative + "/"
        if not self._any.fullmatch(relative) and not (is_folder and self._any_folder.fullmatch(closed)):
            return None
        for pattern in self.patterns:
            if pattern.folders_only and not is_folder:
                continue
            if pattern.matcher.fullmatch(closed if pattern.folders_only else relative):
                return pattern.ignores
        return None


def join_expressions(expressions: Iterable[str]) -> re.Pattern[str]:
    """One expression that matches where any of them does; with none of them, one that never matches."""
    with warnings.catch_warnings(category=FutureWarning, action="ignore"):
        return re.compile("|".join(f"(?:{one})" for one in expressions) or "(?!)", re.DOTALL)


def parse_ignore_text(raw: bytes) -> list[Pattern]:
    """The patterns of an ignore file, in order. Lines that are no pattern, or are too costly, are passed over."""
    text = os.fsdecode(raw.removeprefix(b"\xef\xbb\xbf"))
    for name, members in CHARACTER_CLASSES.items():
        text = text.replace(name, members)
    with warnings.catch_warnings(category=FutureWarning, action="ignore"):  # "[[]" is plain to git, odd to re
        found = (parse_pattern(line.removesuffix("\r")) for line in text.split("\n"))
        return list(islice((pattern for pattern in found if pattern is not None), MAX_PATTERNS))


def parse_pattern(line: str) -> Pattern | None:
    """One line as a pattern whose expression covers exactly the paths that git's rule names, or None."""
    if not line:  # all that a selection of everything consists of: it needs no library
        return None
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    folders_only = line.rstrip(" ").endswith("/")
    if folders_only and line.rstrip(" ").endswith("**/"):
        line = line.rstrip(" ")[:-1]  # to git "a/**/" is "a/**" for folders; pathspec takes it for "a/"
    try:
        parsed = GitIgnoreSpecPattern(line)
        if parsed.regex is None or parsed.include is None:
            return None
        expression = str(parsed.regex.pattern)
        # pathspec leaves the rest of a path open where git's rule is for all of it
        if expression in (".", FOLDER_MARK):
            expression = ".+" if expression == "." else ".+/"
        elif expression.endswith("/"):
            expression += ".+"
        expression = expression.replace(FOLDER_MARK, "/")
        if expression.count("[^/]*") + expression.count(".+") > MAX_WILDCARDS:
            return None
        return Pattern(expression, bool(parsed.include), folders_only, re.compile(expression, re.DOTALL))
    except (ValueError, re.error, OverflowError, RecursionError):
        return None


def is_ignored(path: bytes, is_folder: bool, ignores: tuple[IgnoreFile, ...]) -> bool:
    """Whether the ignore files of the enclosing folders, outermost first, leave this path out."""
    if not ignores:
        return False
    text = os.fsdecode(path)
    for ignore in reversed(ignores):
        if (verdict := ignore.decide(text, is_folder)) is not None:
            return verdict
    return False
