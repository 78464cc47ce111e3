"""Completion scripts for bash, zsh and fish, written out from the command tree.

The scripts are complete in themselves: pressing TAB starts no Python, so it answers at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, get_args

from mixrag_cli.commands.doors import commands_below
from mixrag_cli.settings import SETTING_NAMES

PROGRAM = "mixrag"
SETTING_METAVAR = "SETTING"


@dataclass(frozen=True, slots=True)
class _Option:
    """One option. flags: "--limit", "-n"; choices: of its value, if fixed; takes: "", "value", "file" or "folder"."""

    flags: tuple[str, ...]
    help: str
    takes: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Command:
    """A command or a group of them, with what can follow it."""

    path: tuple[str, ...]
    help: str
    options: tuple[_Option, ...]
    children: tuple[_Command, ...] = ()
    words: tuple[str, ...] = ()  # the choices of its first argument


def completion_script(root: Any, shell: str) -> str:
    """The script for "bash", "zsh" or "fish"; root is the program's own command tree."""
    writers: dict[str, Callable[[_Command], Iterator[str]]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    return "\n".join(writers[shell](_read_tree(root, ()))) + "\n"


def _read_tree(command: Any, path: tuple[str, ...]) -> _Command:
    help_line = (command.help or "").strip().split("\n")[0]
    own = (_read_option(each) for each in command.params if each.param_type_name == "option")
    return _Command(
        path=path,
        help=help_line.removesuffix("."),
        options=(*own, _Option(("--help", "-h"), "Show what it does and its options")),
        children=tuple(_read_tree(child, (*path, name)) for name, child in commands_below(command) if not child.hidden),
        words=next((_choices(each) for each in command.params if each.param_type_name == "argument"), ()),
    )


def _read_option(option: Any) -> _Option:
    takes = "" if option.is_flag else "folder" if option.metavar == "DIR" else "value"
    return _Option(tuple(option.opts), (option.help or "").removesuffix("."), takes, _choices(option))


def _choices(parameter: Any) -> tuple[str, ...]:
    """The fixed values of a parameter: those of its Enum, or the settings' names."""
    if parameter.metavar == SETTING_METAVAR:
        return SETTING_NAMES
    annotation = parameter.type_descriptor.annotation
    for each in (annotation, *get_args(annotation)):
        if isinstance(each, type) and issubclass(each, Enum):
            return tuple(str(member.value) for member in each)
    return ()


def _all(command: _Command) -> Iterator[_Command]:
    yield command
    for child in command.children:
        yield from _all(child)


def _header(shell: str) -> str:
    return f"# {shell} completion for {PROGRAM}, made by: {PROGRAM} completion {shell}"


# --- bash -------------------------------------------------------------------------------------------------------------


def _bash(root: _Command) -> Iterator[str]:
    commands = list(_all(root))
    yield _header("bash")
    yield f"_{PROGRAM}() {{"
    yield "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path= each words= flags="
    yield "    [[ $word == = ]] && word="
    yield "    [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD-2]}"
    yield '    for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do'
    yield "        case $path/$each in"
    yield f"            {'|'.join('/' + '/'.join(each.path) for each in commands if each.path)}) path=$path/$each ;;"
    yield "        esac"
    yield "    done"
    yield "    case $path:$previous in"
    for name, options in _value_options(commands).items():
        yield f"        {name}) {_bash_value(options)} ;;"
    yield "    esac"
    yield "    case $path in"
    for command in commands:
        words = " ".join([*(child.path[-1] for child in command.children), *command.words])
        flags = " ".join(flag for option in command.options for flag in option.flags)
        yield f"        '{''.join('/' + part for part in command.path)}') words='{words}' flags='{flags}' ;;"
    yield "    esac"
    yield "    [[ $word == -* ]] && words=$flags"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$word"))'
    yield "}"
    yield f"complete -o default -F _{PROGRAM} {PROGRAM}"


def _value_options(commands: Sequence[_Command]) -> dict[str, _Option]:
    """Each option that takes a value, by its pattern in "$path:$previous"; a flag means the same in all commands."""
    found: dict[str, _Option] = {}
    for command in commands:
        for option in command.options:
            if option.takes:
                found["|".join(f"*:{flag}" for flag in option.flags)] = option
    return found


def _bash_value(option: _Option) -> str:
    if option.choices:
        return f"COMPREPLY=($(compgen -W '{' '.join(option.choices)}' -- \"$word\")); return"
    if option.takes == "folder":
        return 'COMPREPLY=($(compgen -d -- "$word")); return'
    return "COMPREPLY=(); return"


# --- zsh --------------------------------------------------------------------------------------------------------------


def _zsh(root: _Command) -> Iterator[str]:
    yield f"#compdef {PROGRAM}"
    yield _header("zsh")
    for command in reversed(list(_all(root))):
        yield from _zsh_function(command)
    # The file may be read by compinit, which runs it at the first TAB, or by eval at the shell's start.
    yield f'if [[ $funcstack[1] == _{PROGRAM} ]]; then _{PROGRAM} "$@"; else compdef _{PROGRAM} {PROGRAM}; fi'


def _zsh_function(command: _Command) -> Iterator[str]:
    yield f"_{'_'.join((PROGRAM, *command.path))}() {{"
    specs = [_zsh_option(option) for option in command.options]
    if command.children:
        yield "    local curcontext=$curcontext state line"
        specs += ["'1:command:->command'", "'*::argument:->argument'"]
    elif command.words:
        specs += [f"'1:value:({' '.join(command.words)})'", "'*:value:_default'"]
    else:
        specs += ["'*:argument:_default'"]
    yield "    _arguments -C -S \\"
    yield " \\\n".join(f"        {spec}" for spec in specs)
    if command.children:
        described = " ".join(_zsh_quote(f"{each.path[-1]}:{each.help}") for each in command.children)
        yield "    case $state in"
        yield f"        command) local -a commands=({described}); _describe command commands ;;"
        yield "        argument) case $line[1] in"
        for child in command.children:
            yield f"            {child.path[-1]}) _{'_'.join((PROGRAM, *child.path))} ;;"
        yield "        esac ;;"
        yield "    esac"
    yield "}"


def _zsh_option(option: _Option) -> str:
    told = option.help.replace("[", "(").replace("]", ")").replace(":", " -")
    value = ""
    if option.choices:
        value = f":value:({' '.join(option.choices)})"
    elif option.takes:
        value = ":folder:_files -/" if option.takes == "folder" else ":value: "
    equals = {flag: "=" if option.takes and flag.startswith("--") else "" for flag in option.flags}
    return " ".join(_zsh_quote(f"*{flag}{equals[flag]}[{told}]{value}") for flag in option.flags)


def _zsh_quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# --- fish -------------------------------------------------------------------------------------------------------------


def _fish(root: _Command) -> Iterator[str]:
    yield _header("fish")
    for command in _all(root):
        seen = _fish_condition(command)
        for child in command.children:
            yield f"complete -c {PROGRAM} -n {seen} -f -a {child.path[-1]} -d {_fish_quote(child.help)}"
        if command.words:
            yield f"complete -c {PROGRAM} -n {seen} -f -a '{' '.join(command.words)}'"
        for option in command.options:
            yield f"complete -c {PROGRAM} -n {seen} {_fish_option(option)}"


def _fish_condition(command: _Command) -> str:
    """When the command line has come to this command and no further."""
    if not command.path:
        return "__fish_use_subcommand"
    condition = "; and ".join(f"__fish_seen_subcommand_from {part}" for part in command.path)
    if command.children:
        condition += f"; and not __fish_seen_subcommand_from {' '.join(each.path[-1] for each in command.children)}"
    return _fish_quote(condition)


def _fish_option(option: _Option) -> str:
    flags = " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags)
    if option.choices:
        value = f" -x -a '{' '.join(option.choices)}'"
    elif option.takes == "folder":
        value = " -x -a '(__fish_complete_directories)'"
    else:
        value = " -x" if option.takes else ""
    return f"{flags}{value} -d {_fish_quote(option.help)}"


def _fish_quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
