"""The program: the commands under one name, and the one place where errors become lines and exit codes.

answer, JSON            stdout
errors, notes, progress stderr
anything that goes wrong -> one line (and with --json a mixrag.error/1 object on stdout) and an exit code
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from mixrag_cli import __version__
from mixrag_cli.actions.offline import keep_libraries_offline
from mixrag_cli.actions.signals import interruption_code, watch_for_signals
from mixrag_cli.commands.doors import MENU, Door
from mixrag_cli.commands.values import read_plainly
from mixrag_cli.errors import ExitCode, Interrupted, MixragError, WrongUsage
from mixrag_cli.output.streams import (
    ReaderGone,
    describe_os_error,
    error_to_json,
    fill_standard_descriptors,
    native_noise,
    take_over_streams,
    write_error,
    write_json,
    write_traceback,
)

LONGEST_MESSAGE = 300  # of an unexpected exception; the log has all of it


@contextmanager
def _interruption_told_apart() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as error:
        raise Interrupted(interruption_code()) from error


class MixragGroup(TyperGroup):
    """The commands behind their doors; ends every run, however it fails, with a line and an exit code."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for row in MENU:
            self.add_command(Door(row))

    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> Any:
        """Run one command line and leave with its exit code."""
        arguments = list(sys.argv[1:] if args is None else args) or ["--help"]
        raise SystemExit(self._exit_code(arguments))

    def _exit_code(self, arguments: list[str]) -> int:
        options = _before_separator(arguments)
        try:
            code = run_guarded(lambda: self._run(arguments))
            sys.stdout.flush()
            return code
        except ReaderGone:
            return ExitCode.DONE
        except SystemExit:
            raise
        except BaseException as error:  # a panic in a native library is no Exception
            if "--debug" in options:
                write_traceback(error)
            return _report(error if isinstance(error, MixragError) else _as_bug(error), "--json" in options)

    # Typer would make a silent 130 of every KeyboardInterrupt, so it is told apart before Typer sees it.

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Parse the command line."""
        with _interruption_told_apart():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _interruption_told_apart():
            return super().invoke(ctx)

    def _run(self, arguments: list[str]) -> int:
        return super().main(arguments, prog_name="mixrag", standalone_mode=False) or ExitCode.DONE


def run_guarded(run: Callable[[], int]) -> int:
    """The exit code of run; foreign errors that are no bugs become MixragErrors.

    Raises MixragError, ReaderGone; whatever else is a bug.
    """
    try:
        return run()
    except (KeyboardInterrupt, typer.Abort) as error:
        raise Interrupted(interruption_code()) from error
    except typer.TyperException as error:
        raise _as_usage_error(error) from error
    except BrokenPipeError as error:
        raise ReaderGone from error
    except OSError as error:
        if error.errno is None:
            raise
        if error.errno == errno.ENOENT and error.filename is None:  # os.getcwd() names no file
            raise MixragError("the current folder does not exist any more", "cd somewhere else") from error
        place = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
        hint = "free some space and run the same command again" if error.errno == errno.ENOSPC else ""
        raise MixragError(f"{place}{describe_os_error(error)}", hint) from error
    except MemoryError as error:
        raise MixragError("out of memory") from error


def _before_separator(arguments: Sequence[str]) -> Sequence[str]:
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def _as_usage_error(error: typer.TyperException) -> MixragError:
    """A usage error in our own form: one line, and the help that explains it."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "mixrag"
    first = error.format_message().strip().split("\n", 1)[0].removesuffix(".").replace("Value error, ", "", 1)
    misplaced = getattr(error, "option_name", "") if context is not None and context.parent is None else ""
    hint = f"mixrag COMMAND {misplaced} (options follow the command)" if misplaced else f"{path} --help"
    return WrongUsage(first[:1].lower() + first[1:], hint)


def _as_bug(error: BaseException) -> MixragError:
    """An exception that nobody expected: its first line for the user, the rest for the log."""
    from mixrag_cli.output.bug_log import write_bug_log

    log = write_bug_log(error, native_noise())
    lines = str(error).strip().splitlines() or [""]
    # The messages of the storage engine name source files on its makers' machines; they help nobody here.
    told = "" if ".rs:" in lines[0] else f": {lines[0][:LONGEST_MESSAGE]}"
    details = f"; details in {log}" if log else ""
    return MixragError(f"internal error (bug): {type(error).__name__}{told}{details}", "the same command with --debug")


def _report(error: MixragError, wants_json: bool) -> int:
    write_error(error.message, error.hint)
    if wants_json:
        try:
            write_json(error_to_json(error))
        except (ReaderGone, MixragError):
            return int(error.exit_code)
    return int(error.exit_code)


read_plainly()
app = typer.Typer(
    cls=MixragGroup,
    name="mixrag",
    help="Ask a folder of mixed documents a question: cited, calculated answers, all on your own machine.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mixrag {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Ask a folder of mixed documents a question: cited, calculated answers, all on your own machine."""


def main() -> None:
    """The entry point of the installed program."""
    stdout_was_open = fill_standard_descriptors()
    take_over_streams(stdout_was_open=stdout_was_open, keep_native_noise="--debug" in sys.argv)
    keep_libraries_offline()
    watch_for_signals()
    try:
        app()
    except KeyboardInterrupt:  # once more, while the first was being told
        os._exit(interruption_code())
