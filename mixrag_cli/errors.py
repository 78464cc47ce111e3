"""The error tree and the exit codes.

    MixragError                      1   failed
    ├── WrongUsage                   2   the command cannot mean what was typed
    ├── NoIndex                      10  there is no store to ask
    ├── StoreLocked                  11  another process is writing
    ├── StoreDamaged                 12  the store's files do not match its commit record
    ├── StoreMismatch                13  made by another version or with another model
    ├── ModelUnusable                14  a model file is missing or its checksum is wrong
    │   └── PromptTooLong            14  a prompt and its reply do not fit into the model's window
    └── Interrupted                  130 / 143

    FileUnreadable is apart: it concerns one source file, is reported, and never ends a run.

Foreign exceptions are mapped to these at the border where they arise (``raise … from exc``).
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What the process tells the shell; documented in the README and stable."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    PARTIAL = 3
    NO_ANSWER = 4
    LIKELY = 5
    NO_INDEX = 10
    LOCKED = 11
    DAMAGED = 12
    MISMATCH = 13
    MODEL = 14
    INTERRUPTED = 130
    TERMINATED = 143


class MixragError(Exception):
    """A failure told to the user in one line.

    message: lower case, names the thing and the value, no full stop.
    hint: the next command to type, or "".
    """

    exit_code: ExitCode = ExitCode.FAILED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class WrongUsage(MixragError):
    """An argument or a setting has a value that cannot be meant."""

    exit_code = ExitCode.USAGE


class NoIndex(MixragError):
    """No store where one was looked for."""

    exit_code = ExitCode.NO_INDEX


class StoreLocked(MixragError):
    """Another process holds the store's write lock."""

    exit_code = ExitCode.LOCKED


class StoreDamaged(MixragError):
    """The store's files contradict its commit record."""

    exit_code = ExitCode.DAMAGED


class StoreMismatch(MixragError):
    """The store was made by another version or with another model."""

    exit_code = ExitCode.MISMATCH


class ModelUnusable(MixragError):
    """A model file is missing, damaged or not the pinned one."""

    exit_code = ExitCode.MODEL


class PromptTooLong(ModelUnusable):
    """A prompt and the reply asked for do not fit into the model's window; nothing was generated.

    prompt_tokens, reply_tokens, context_tokens: the three numbers, so that a caller can ask for less.
    """

    def __init__(self, prompt_tokens: int, reply_tokens: int, context_tokens: int) -> None:
        super().__init__(
            f"the prompt has {prompt_tokens:,} tokens; with {reply_tokens:,} for the reply it does not fit into the "
            f"model's window of {context_tokens:,}",
            "mixrag config set context_tokens NUMBER, as far as the model and the memory allow",
        )
        self.prompt_tokens = prompt_tokens
        self.reply_tokens = reply_tokens
        self.context_tokens = context_tokens


class Interrupted(MixragError):
    """A signal ended the run; what was committed is kept."""

    def __init__(self, exit_code: ExitCode = ExitCode.INTERRUPTED) -> None:
        super().__init__("interrupted; what was committed is kept")
        self.exit_code = exit_code


def first_line(error: BaseException) -> str:
    """What a library's exception says, at most 200 characters of its first line; its kind where it says nothing."""
    return str(error).strip().partition("\n")[0][:200] or type(error).__name__


def reason_of(error: BaseException, otherwise: str = "") -> str:
    """The system's own words in lower case: "no space left on device"; where it has none, the other ones.

    Without either, what the exception says, or its kind.
    """
    return (getattr(error, "strerror", None) or otherwise or str(error) or type(error).__name__).lower()


class FileUnreadable(Exception):
    """One source file could not be used; the run goes on.

    code: a stable word for scripts ("password", "damaged", "binary", "too-large", "timeout", …).
    reason: one lower-case line for people.
    """

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
