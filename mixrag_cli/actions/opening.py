"""search --open: the file of a passage in the user's editor, at its line; what is no text in the desktop's program."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from mixrag_cli.errors import MixragError, WrongUsage, reason_of
from mixrag_cli.records.passages import Hit

EDITOR_VARIABLES = ("VISUAL", "EDITOR")
DESKTOP_OPENERS = ("xdg-open", "open")
TEXTS = frozenset({"markdown", "code", "html", "text", "notebook", "mail"})
# How an editor is told the line, by its program's name; {file} and {line} are filled in. From their manuals.
LINE_BEFORE, LINE_BEHIND, GOTO = ("+{line}", "{file}"), ("{file}:{line}",), ("--goto", "{file}:{line}")
LINE_FORMS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("vi", "vim", "nvim", "gvim", "view", "nano", "pico", "micro", "joe", "jed", "kak"), LINE_BEFORE),
    **dict.fromkeys(("emacs", "emacsclient", "ne", "mg", "gedit", "geany", "mousepad"), LINE_BEFORE),
    **dict.fromkeys(("hx", "helix", "subl", "zed", "zeditor"), LINE_BEHIND),
    **dict.fromkeys(("code", "code-insiders", "codium", "cursor", "windsurf"), GOTO),
    **dict.fromkeys(("kate", "idea", "pycharm", "webstorm", "goland", "clion"), ("--line", "{line}", "{file}")),
}


def open_place(hit: Hit, file: Path | None) -> None:
    """Show the passage's file to the user and wait until the program that shows it ends.

    Raises WrongUsage where no program is set, MixragError where the file is gone or the program fails.
    """
    if file is None or not file.is_file():
        raise MixragError(f"{hit.path}: is not there any more", "mixrag index")
    line = hit.chunk.locator.lines[0] if hit.chunk.locator.lines else None
    is_text = line is not None or hit.chunk.modality in TEXTS
    command = _editor_command(file.absolute(), line) if is_text else _desktop_command(file.absolute(), hit.path)
    try:
        done = subprocess.run(command, stdin=0, stdout=_own(sys.stdout), stderr=_own(sys.stderr), check=False)
    except OSError as error:
        raise MixragError(f"{command[0]}: {reason_of(error)}", "export EDITOR=nano") from error
    if done.returncode:
        raise MixragError(f"{command[0]} ended with {done.returncode}")


def _editor_command(file: Path, line: int | None) -> list[str]:
    editor = next((value for name in EDITOR_VARIABLES if (value := os.environ.get(name, "").strip())), "")
    if not editor:
        raise WrongUsage("no editor is set", "export EDITOR=nano, or another that you like")
    try:
        program = shlex.split(editor)
    except ValueError as error:
        raise WrongUsage(f"the editor {editor!r} is no command: {str(error).lower()}", "export EDITOR=nano") from error
    form = LINE_FORMS.get(Path(program[0]).name) if line is not None else None
    return [*program, *(part.format(file=file, line=line) for part in form or ("{file}",))]


def _desktop_command(file: Path, shown: str) -> list[str]:
    opener = next((found for name in DESKTOP_OPENERS if (found := shutil.which(name))), None)
    if opener is None:
        raise MixragError(f"{shown}: is no text, and xdg-open is not there to show it", f"mixrag show {shown}")
    return [opener, str(file)]


def _own(stream: object) -> int | None:
    """The stream's descriptor, which is the terminal's; None, to inherit, where it has none."""
    try:
        return stream.fileno()  # type: ignore[attr-defined, no-any-return]
    except (OSError, AttributeError):
        return None
