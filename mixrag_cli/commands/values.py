"""Values from the command line, read without pydantic wherever they are plainly right.

Typer builds a pydantic adapter for each option of the command that runs: 0.1 s of every command, for reading a few
texts and numbers. What is plainly right is read here; whatever is not goes to Typer, so that its messages stay.
"""

from __future__ import annotations

import os
import re
from enum import Enum
from pathlib import Path
from typing import Any, get_args

from typer.core import TyperArgument, TyperOption

WHOLE = re.compile(r"-?[0-9]{1,9}", re.ASCII)
DECIMAL = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,9})?", re.ASCII)
BY_TYPER = {kind: kind.get_runtime_param for kind in (TyperArgument, TyperOption)}


class _Doubtful(Exception):
    """The value is not plainly right."""


class PlainValue:
    """Reads the values of one parameter, in place of what Typer makes for it."""

    def __init__(self, parameter: Any) -> None:
        self._parameter = parameter
        self._kind = parameter.type_descriptor.annotation
        self._wishes = parameter.type_descriptor.parameter_info

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value as the command takes it. Raises what Typer raises for one that it cannot take."""
        try:
            if value is None:
                return () if param.multiple or param.nargs == -1 else None
            kinds: tuple[Any, ...] = get_args(self._kind)
            if not kinds:
                return self._read(value, self._kind)
            if isinstance(value, str):
                raise _Doubtful
            return [self._read(item, kinds[0]) for item in value]  # of the items of a list
        except _Doubtful:
            return BY_TYPER[type(self._parameter)](self._parameter).coerce(value, param=param, ctx=ctx)

    def _read(self, value: Any, kind: Any) -> Any:
        if self._wishes.parser is not None or not isinstance(kind, type):
            raise _Doubtful
        if kind is str and isinstance(value, str):
            return value
        if issubclass(kind, Enum):
            return _read_choice(value, kind)
        if kind is bool and isinstance(value, bool):
            return value
        if kind is int and WHOLE.fullmatch(str(value)):
            return self._within(int(value))
        if kind is float and DECIMAL.fullmatch(str(value)):
            return self._within(float(value))
        if kind is Path and isinstance(value, str):
            return self._read_path(value)
        raise _Doubtful

    def _within(self, number: float) -> float:
        low, high = self._wishes.min, self._wishes.max
        if (low is not None and number < low) or (high is not None and number > high):
            raise _Doubtful
        return number

    def _read_path(self, value: str) -> Path:
        """A path that Typer would pass on as it is: one that is not there, or that can be read."""
        wishes = self._wishes
        is_plain = wishes.path_type is None and wishes.file_okay and wishes.dir_okay
        if not is_plain or wishes.exists or wishes.writable or wishes.resolve_path or wishes.allow_dash:
            raise _Doubtful
        path = Path(value)
        if "\0" in value or (path.exists() and not os.access(path, os.R_OK)):
            raise _Doubtful
        return path


def _read_choice(value: Any, kind: type[Enum]) -> Enum:
    for member in kind:
        if value is member or value == member.value:
            return member
    raise _Doubtful


def _plain_value(parameter: Any) -> PlainValue:
    return PlainValue(parameter)


def read_plainly() -> None:
    """Let every parameter read its values so, the help options that Typer makes on the way among them."""
    for kind in BY_TYPER:
        kind.get_runtime_param = _plain_value  # type: ignore[method-assign,assignment]
