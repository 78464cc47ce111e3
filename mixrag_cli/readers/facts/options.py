"""Options of a command line, where they are declared: argparse, click, typer, commander, yargs, optparse, Go's flag,
and the attributes of clap.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mixrag_cli.readers.facts.collecting import unquoted
from mixrag_cli.readers.facts.nodes import first_field, is_literal, key_of, stated_text, value_of
from mixrag_cli.readers.facts.shapes import GO_FLAG, GO_FLAG_OWNER, OPTION_CALLS, OPTION_COLUMNS
from mixrag_cli.readers.syntax import Node, text_of
from mixrag_cli.records.documents import FactColumn

MAX_TYPE_DEPTH = 6  # Annotated[list[int], typer.Option("--x")]
MAX_ATTRIBUTE_CHARS = 2_000
MAX_CALLED_BYTES = 100  # the end of what is called: the last of a chain
LAST_NAME = re.compile(r"(\w+)\s*$")
GO_FLAG_CALL = re.compile(GO_FLAG)
GO_FLAG_PACKAGE = re.compile(GO_FLAG_OWNER)
# clap's and structopt's: #[arg(short = 'p', long, default_value = "80")] before a member of a struct
ATTRIBUTE = re.compile(r"#\[\s*(?:arg|clap|structopt)\s*\((?P<text>.*)\)\s*\]$", re.DOTALL)
ATTRIBUTE_PART = re.compile(
    r"\b(?P<key>short|long|default_value(?:_t)?|default_missing_value|help|value_name)\b"
    r"(?:\s*=\s*(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)'|[^\s,()]+(?:\([^()]*\))?))?"
)
NO_DEFAULT = ("...", "None", "required")


@dataclass(slots=True)
class Option:
    """names: as typed, without what stands for a value. values: (column, text, line from 1)."""

    names: list[str] = field(default_factory=list)
    values: list[tuple[FactColumn, str, int]] = field(default_factory=list)

    def say(self, column: FactColumn, node: Node) -> None:
        """Note what the node says, unless something was said before."""
        text, line = stated_text(node)
        if text not in NO_DEFAULT and all(column != known for known, _, _ in self.values):
            self.values.append((column, text, line))


def read_option(node: Node, depth: int = 0) -> Option | None:
    """The option that a call declares, or one inside a type (typer's Annotated); None for all else."""
    called = first_field(node, ("function", "method"))
    arguments = node.child_by_field_name("arguments")
    if called is None or arguments is None:
        if depth < MAX_TYPE_DEPTH and node.type in ("type", "generic_type", "type_parameter", "subscript"):
            inner = (read_option(child, depth + 1) for child in node.named_children)
            return next((found for found in inner if found is not None), None)
        return None
    said = (called.text or b"")[-MAX_CALLED_BYTES:].decode("utf-8", "replace")
    name = LAST_NAME.search(said)
    if name is None:
        return None
    if (flag := GO_FLAG_CALL.search(said)) and GO_FLAG_PACKAGE.search(said[: flag.start() + 1]):
        return _go_flag(flag, arguments)
    return _option(name.group(1), arguments) if name.group(1) in OPTION_CALLS else None


def _option(called: str, arguments: Node) -> Option | None:
    option = Option()
    plain: list[Node] = []
    for argument in arguments.named_children:
        child = argument.named_children[0] if argument.type == "argument" and argument.named_child_count else argument
        text = unquoted(text_of(child))
        if child.type in ("keyword_argument", "pair"):
            _say_keyword(option, child)
        elif child.type in ("object", "hash"):
            for pair in child.named_children:
                _say_keyword(option, pair)
        elif is_literal(child) and text.startswith("-") and len(text) > 1 and not text[1].isdigit():
            option.names += [part.split()[0].split("=")[0] for part in re.split(r",\s*|\s*\|\s*", text) if part.split()]
        else:
            plain.append(child)
    return _with_plain(option, called, plain)


def described_member(node: Node) -> tuple[Option, list[Node]] | None:
    """What a call says of the member that it is bound to, and its other arguments; None where it says nothing of it.

    Example: Field(5, description="…"), field(default=5, metadata={"help": "…"}), CharField("name", default="a").
    """
    arguments = node.child_by_field_name("arguments")
    given = [each for each in arguments.named_children if each.type != "comment"] if arguments is not None else []
    option = Option()
    others: list[Node] = []
    for argument in given:
        value = value_of(argument) if argument.type == "keyword_argument" else None
        column = OPTION_COLUMNS.get(key_of(argument)) if value is not None else None
        told = [pair for pair in value.named_children if _is_help(pair)] if value and value.type == "dictionary" else []
        if told:
            _say_keyword(option, told[0])
        elif value is not None and column in ("default", "help") and is_literal(value):
            _say_keyword(option, argument)
        else:
            others.append(argument)
    if any(column == "help" for column, _, _ in option.values) and others and is_literal(others[0]):
        option.say("default", others.pop(0))
    return (option, others) if option.values else None


def _is_help(pair: Node) -> bool:
    value = value_of(pair)
    return OPTION_COLUMNS.get(key_of(pair)) == "help" and value is not None and is_literal(value)


def _with_plain(option: Option, called: str, plain: list[Node]) -> Option | None:
    """The option with what its arguments without a keyword say, by their order."""
    texts = [node for node in plain if "string" in node.type and is_literal(node)]
    if called in ("Option", "Argument"):
        if plain and is_literal(plain[0]):
            option.say("default", plain[0])
        return option
    if not option.names:
        is_named = called in ("add_argument", "argument") or any(column == "help" for column, _, _ in option.values)
        if not texts or not is_named:
            return None
        name = unquoted(text_of(texts.pop(0)))
        option.names = [name if called in ("add_argument", "argument") else f"--{name}"]
        return option
    if texts:
        option.say("help", texts[0])
        behind = [node for node in plain if node.start_byte > texts[0].start_byte and is_literal(node)]
        if behind:
            option.say("default", behind[-1])
    return option


def _say_keyword(option: Option, node: Node) -> None:
    column = OPTION_COLUMNS.get(key_of(node))
    value = value_of(node)
    if column is not None and value is not None:
        option.say(column, value)  # type: ignore[arg-type]


def _go_flag(flag: re.Match[str], arguments: Node) -> Option | None:
    """flag.Int("port", 8080, "help"); …Var takes a pointer first, …P a short name after the name."""
    given = [child for child in arguments.named_children if "comment" not in child.type]
    given = given[1:] if flag["var"] else given
    if len(given) < 2 or "string" not in given[0].type:
        return None
    option = Option(
        [f"--{unquoted(text_of(given[0]))}"], [("type", flag["type"].lower(), given[0].start_point.row + 1)]
    )
    rest = given[2:] if flag["short"] else given[1:]
    if len(rest) > 1:
        option.say("default", rest[0])
    option.say("help", rest[-1])
    return option


def attributed_option(name: str, attributes: Sequence[Node]) -> Option | None:
    """The option that a member's attributes declare; None where they declare none, or an argument without a default."""
    option, default = Option(), ""
    for node in attributes:
        found = ATTRIBUTE.match(_without_lines(node))
        for part in ATTRIBUTE_PART.finditer(found["text"][:MAX_ATTRIBUTE_CHARS]) if found else ():
            text, line = unquoted(part["text"] or ""), node.start_point.row + 1
            if part["key"] in ("short", "long"):
                dashes = "-" if part["key"] == "short" else "--"
                option.names.append(dashes + (text or _spelled(name, part["key"])))
            elif part["key"].startswith("default_value"):
                default = text
                option.values.append(("default", text, line))
            elif part["key"] == "help":
                option.values.append(("help", text, line))
    if not option.names and default:
        option.names = [name]
    return option if option.names else None


def _without_lines(node: Node) -> str:
    return " ".join((node.text or b"").decode("utf-8", "replace").split())


def _spelled(name: str, key: str) -> str:
    """The name that an option has where its member gives it: its first letter, or the whole with dashes."""
    return name[:1] if key == "short" else name.strip("_").replace("_", "-")
