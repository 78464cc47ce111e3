"""Every command has its row in the menu, its declaration and its action, and the three agree."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest
from typer.main import get_command

from mixrag_cli import actions, commands
from mixrag_cli.cli import app
from mixrag_cli.commands.doors import MENU, Door, Row, commands_below, opened

HELPERS = {"doors", "options", "values"}  # modules of commands that declare none


def declarations() -> Iterator[tuple[str, str, Callable[..., Any]]]:
    """Module, name and declaration of each command, groups' own included."""
    for row in MENU:
        module = import_module(f"{commands.__name__}.{row.name}")
        for name, value in vars(module).items():
            if inspect.isfunction(value) and hasattr(value, "__wrapped__") and value.__module__ == module.__name__:
                yield row.name, name, value.__wrapped__


def plain(annotation: Any) -> Any:
    """The type that stands behind the options' descriptions."""
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def parameters(function: Callable[..., Any]) -> dict[str, Any]:
    hints = get_type_hints(function, include_extras=True)
    return {name: plain(hints[name]) for name in inspect.signature(function).parameters}


@pytest.mark.parametrize(
    ("module", "name", "declared"), [pytest.param(*each, id=".".join(each[:2])) for each in declarations()]
)
def test_a_command_and_its_action_have_the_same_parameters(
    module: str, name: str, declared: Callable[..., Any]
) -> None:
    action = getattr(import_module(f"{actions.__name__}.{module}"), name)
    assert parameters(action) == parameters(declared)
    assert set(get_type_hints(action)) - {"return"} == set(parameters(action))


def test_each_command_is_declared() -> None:
    found = {(module, name) for module, name, _ in declarations()}
    assert len(found) >= 30
    assert {module for module, _ in found} == {row.name for row in MENU}
    assert {module.name for module in pkgutil.iter_modules(commands.__path__)} == {row.name for row in MENU} | HELPERS


@pytest.mark.parametrize("row", MENU, ids=lambda row: row.name)
def test_the_menu_says_what_the_command_says_of_itself(row: Row) -> None:
    door = get_command(app).commands[row.name]  # type: ignore[attr-defined]
    command = opened(door)
    assert isinstance(door, Door) and command is not door
    assert (command.name or row.name) == row.name
    assert command.get_short_help_str(200) == door.get_short_help_str(200)
    assert not command.hidden


def test_a_group_that_is_opened_has_its_commands() -> None:
    below = dict(commands_below(get_command(app)))
    assert [name for name, _ in commands_below(below["models"])] == ["list", "pull", "verify", "use", "path", "remove"]
    assert list(commands_below(below["ask"])) == []
    assert not isinstance(below["ask"], Door)
