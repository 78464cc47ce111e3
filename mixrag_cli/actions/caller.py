"""What an action knows of its caller: the settings of the run, what is searched, and how to tell or ask something."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import typer

from mixrag_cli.actions.moments import moment_ns
from mixrag_cli.actions.named import only_one, store_named
from mixrag_cli.commands.options import Face, Search
from mixrag_cli.errors import MixragError, WrongUsage
from mixrag_cli.output.streams import error_to_json, write_error, write_json
from mixrag_cli.settings import MAX_QUESTION_CHARACTERS, Settings, load_settings
from mixrag_cli.stories.questions import checked_question
from mixrag_cli.stories.scope import Scope

EXAMPLES = {"question": "mixrag ask How many days of leave are there?", "query": "mixrag search days of leave"}


def settings_of(face: Face, *, may_be_new: bool = False, may_be_several: bool = False, **flags: Any) -> Settings:
    """The settings of this run; a flag may be a text or a name out of a fixed list.

    may_be_new: a collection that is not known gets a store. may_be_several: of several collections none is the
    store. Raises WrongUsage, NoIndex for a collection that is not known.
    """
    plain = {name: flag.value if isinstance(flag, StrEnum) else flag for name, flag in flags.items()}
    store: Path | str | None = face.store
    if face.names:
        if store is not None:
            raise WrongUsage("--store and --collection both name an index", "one of the two")
        if not may_be_several or len(face.names) == 1:
            store = store_named(only_one(face.names), may_be_new=may_be_new)
    elif face.collection:
        raise WrongUsage("--collection needs a name", "mixrag collections")
    return load_settings({"store": store, **plain})


def scope_of(search: Search) -> Scope:
    """The restriction that the filters mean together. Raises WrongUsage for a moment that is none."""
    return Scope(
        paths=tuple(search.path or ()),
        modalities=tuple(each.value for each in search.modality or ()),
        kinds=tuple(each.value for each in search.kind or ()),
        languages=tuple(search.language or ()),
        since_ns=moment_ns(search.since) if search.since is not None else None,
    )


def tell(face: Face, error: MixragError) -> None:
    """An error on stderr, and with --json as an object too, for a run that goes on after it."""
    write_error(error.message, error.hint)
    if face.json:
        write_json(error_to_json(error))


def read_question(words: Sequence[str], what: Literal["question", "query"]) -> str:
    """The words joined; a lone "-" reads stdin. Cleaned, as it is printed again. what: to a person.

    Raises WrongUsage when it is empty or longer than MAX_QUESTION_CHARACTERS.
    """
    text = _read_stdin(MAX_QUESTION_CHARACTERS) if list(words) == ["-"] else " ".join(words)
    return checked_question(text, what, EXAMPLES[what])


def _read_stdin(characters: int) -> str:
    """What stdin holds, as far as a question can use it: a little beyond the limit, so that too long is noticed."""
    buffer = getattr(sys.stdin, "buffer", None)
    if buffer is None:
        return ""
    raw: bytes = buffer.read(4 * characters + 4)
    return raw.decode("utf-8", "replace")


def ensure_folders(*files: Path | None) -> None:
    """Raise WrongUsage for a file to write whose folder is not there: before the work, not after it."""
    for file in files:
        if file is not None and not file.absolute().parent.is_dir():
            raise WrongUsage(f"{file}: no such folder")


def confirm(what: str, *, yes: bool) -> None:
    """Ask before something is removed. Raises WrongUsage where nobody can be asked, typer.Exit(1) on a no."""
    if yes:
        return
    if not (_is_terminal(sys.stdin) and _is_terminal(sys.stderr)):
        raise WrongUsage(f"{what}: not done without being asked to", "the same command with --yes")
    print(f"mixrag: {what}; go on? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise typer.Exit(1)


def _is_terminal(stream: Any) -> bool:
    try:
        return bool(stream and stream.isatty())
    except ValueError:
        return False
