"""What a syntax node names and states: the same questions for all languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mixrag_cli.readers.facts.collecting import inside_quotes, unquoted
from mixrag_cli.readers.facts.shapes import (
    ARGUMENT_LISTS,
    ARITHMETIC,
    BINARY,
    CALLS,
    CHAINS,
    DEFAULT_METHODS,
    HOLDING_LITERALS,
    INTERPOLATIONS,
    JOINED_STRINGS,
    LITERALS,
    NAME_FIELDS,
    NAMED_VALUES,
    SEVERAL_NAMES,
    SEVERAL_VALUES,
    VALUE_FIELDS,
    VALUE_IS_LAST,
    FactShape,
)
from mixrag_cli.readers.syntax import Node, declared_name, text_of

MAX_LITERAL_DEPTH = 8  # of lists in lists, signs, sums
MAX_CONDITION_CHARS = 100
NAME = re.compile(r"[\w$@.\-:>/ ]{1,80}$")
OUTER_PARENTHESES = re.compile(r"^\((.*)\)$")
CALLED_NAME = re.compile(rb"[\w.:<>?]{1,80}$")
COMMENT_AFTER_DEFINED = re.compile(r"(?<=\s)(?://.*|/\*.*)$", re.DOTALL)
BEFORE_TEXT = re.compile(r"(?:\s|\\\n)*")
WRAPPERS_OF_ONE = (
    "expression_list",
    "literal_element",
    "hash_key_symbol",
    "initializer_list",
    "arrow_expression_clause",
)
STEPS = 12  # of a = b = c …, of C's declarators: no one goes further


def first_field(node: Node, fields: Sequence[str]) -> Node | None:
    """The child in the first of the fields that the node has."""
    return next((child for field in fields if (child := node.child_by_field_name(field)) is not None), None)


def value_of(node: Node) -> Node | None:
    """What the node gives its name; None where it gives nothing."""
    value = first_field(node, VALUE_FIELDS)
    if value is None and node.type in VALUE_IS_LAST and node.named_child_count > 1:
        value = node.named_children[-1]
        return None if value == first_field(node, ("name", "type")) else value
    return _inside_one(value) if value is not None else None


def key_of(node: Node) -> str:
    """The name that a binding, parameter or pair is for; "" where it is no plain name."""
    named = first_field(node, NAME_FIELDS)
    if named is None:
        named = node.named_children[0] if node.named_child_count else None
    if named is None:
        return ""
    named = _inside_one(named)
    return _name_in(named)


def _name_in(named: Node) -> str:
    name = declared_name(named) if named.type.endswith("declarator") else text_of(named)
    name = unquoted(name.strip("[] ")).strip(":").removeprefix("$").removeprefix(".")
    return name if NAME.match(name) else ""


def bindings_of(node: Node) -> list[tuple[str, Node]]:
    """The names that a node binds, each with its value; [] where it binds no plain name.

    Example: A, B = 1, 2 and X = Y = 3 bind two each, int a, b = 2 of C only b.
    """
    if node.type == "field_declaration":
        return _declared_members(node)
    value = value_of(node)
    if value is None:
        return []
    names = [child for child in node.children_by_field_name("name") if child.is_named]
    if len(names) < 2 and (target := first_field(node, NAME_FIELDS)) is not None and target.type in SEVERAL_NAMES:
        names = target.named_children
    if len(names) > 1:
        values = value.named_children if value.type in SEVERAL_VALUES else []
        pairs = list(zip(names, values, strict=True)) if len(names) == len(values) else []
        return [(name, each) for named, each in pairs if (name := _name_in(named))]
    chain = [key_of(node)]
    for _ in range(STEPS):
        inner = value_of(value) if value.type in CHAINS else None
        if inner is None:
            break
        chain.append(key_of(value))
        value = inner
    return [(name, value) for name in chain if name] if chain[0] else []


def _declared_members(node: Node) -> list[tuple[str, Node]]:
    """The members of a struct or class in C that one declaration gives a value."""
    found: list[tuple[str, Node]] = []
    declarator: Node | None = None
    for number, child in enumerate(node.children):
        field = node.field_name_for_child(number)
        if field == "declarator":
            declarator = child
        elif field == "default_value" and declarator is not None and not _is_method(declarator):
            found.append((declared_name(declarator), _inside_one(child)))
    return [(name, value) for name, value in found if name]


def _is_method(declarator: Node) -> bool:
    """Whether a method is declared, of which "= 0" says only that it is abstract; a pointer to a function is none."""
    node: Node | None = declarator
    for _ in range(STEPS):
        if node is None or node.type == "function_declarator":
            break
        node = node.child_by_field_name("declarator") or next(iter(node.named_children), None)
    named = node.child_by_field_name("declarator") if node is not None and node.type == "function_declarator" else None
    return named is not None and named.type != "parenthesized_declarator"


def stated_text(node: Node) -> tuple[str, int]:
    """What the node says without its quotes, and the line, from 1, on which that begins; strings in a row are one."""
    parts = _strings_in(node)
    if not parts:
        text = unquoted(_whole_text(node))
        return text, _line_of_text(node, text)
    written = [inside_quotes(_whole_text(part), is_one=True) for part in parts]
    text = "".join(written).replace("\\\n", "")
    return (text if text.strip() else _whole_text(node)), _line_of_text(parts[0], written[0])


def _line_of_text(node: Node, written: str) -> int:
    """The line, from 1, on which what is written in the node begins: below its first line where blanks open it."""
    begin = BEFORE_TEXT.match(written)
    return node.start_point.row + 1 + (begin[0].count("\n") if begin else 0)


def _strings_in(node: Node, depth: int = 0) -> list[Node]:
    """The strings that a node puts together, and nothing else; [] where it does something else, too."""
    if "string" in node.type and node.type not in JOINED_STRINGS:
        return [node] if node.type in LITERALS and (not depth or is_literal(node)) else []
    sign = node.child_by_field_name("operator")
    if depth > MAX_LITERAL_DEPTH or node.type not in JOINED_STRINGS or (sign and sign.type not in ("+", ".")):
        return []
    found = [_strings_in(child, depth + 1) for child in node.named_children if child.type != "comment"]
    return [part for each in found for part in each] if all(found) else []


def comment_inside(node: Node) -> str:
    """The comment that the grammar counts to the node: what stands behind the value of a #define."""
    found = COMMENT_AFTER_DEFINED.search(text) if (text := _node_text(node)) and node.type == "preproc_arg" else None
    return found[0] if found else ""


def _whole_text(node: Node) -> str:
    return _node_text(node).removesuffix(comment_inside(node)).strip()


def _node_text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def assigned_alone(part: Node) -> tuple[Node, Node] | None:
    """The assignment that a statement is, and the literal that it gives; None where it is more or gives none."""
    node = part
    while node.named_child_count == 1 and node.type not in CHAINS:
        node = node.named_children[0]
    value = value_of(node) if node.type in CHAINS else None
    return (node, value) if value is not None and is_literal(value) else None


def end_column(node: Node, lines: Sequence[str]) -> int | None:
    """Where the node ends in its line, in characters; None where it goes on over lines."""
    row, column = node.end_point
    if row != node.start_point.row:
        return None
    column -= len(comment_inside(node).encode())
    line = lines[row]
    return column if line.isascii() else len(line.encode()[:column].decode("utf-8", "ignore"))


def is_literal(node: Node, depth: int = 0) -> bool:
    """Whether the node is a value as written: a number, a text, a list of them, a sum of them."""
    if node.type in LITERALS:
        return not any(child.type in INTERPOLATIONS for child in node.named_children)
    if node.type not in HOLDING_LITERALS or depth > MAX_LITERAL_DEPTH:
        return False
    return all(is_literal(child, depth + 1) for child in node.named_children if child.type != "comment")


def is_reckoned(node: Node) -> bool:
    """Whether the node is an arithmetic of numbers and names. Example: 10 * time.Minute, 2 * MINUTE + 5."""
    kinds = _operands(node, 0)
    return "literal" in kinds and "name" in kinds and "other" not in kinds


def _operands(node: Node, depth: int) -> set[str]:
    sign = node.child_by_field_name("operator")
    if node.type in BINARY and sign is not None and sign.type in ARITHMETIC and depth < MAX_LITERAL_DEPTH:
        parts = [child for child in node.named_children if child.type != "comment"]
        return {kind for part in parts for kind in _operands(part, depth + 1)}
    if node.type == "parenthesized_expression" and node.named_child_count == 1 and depth < MAX_LITERAL_DEPTH:
        return _operands(node.named_children[0], depth + 1)
    is_number = node.type in LITERALS and "string" not in node.type
    return {"literal" if is_number else "name" if node.type in NAMED_VALUES else "other"}


def is_made_by_type(node: Node) -> bool:
    """Whether a type makes the value of literals. Example: Duration::from_secs(5), but not translate("Port")."""
    return node.type in CALLS and is_named_value(node) and text_of(node).removeprefix("new ")[:1].isupper()


def is_named_by_type(node: Node) -> bool:
    """Whether a type names the value, or makes it of literals. Example: Mode.FAST, Duration::from_secs(5)."""
    is_member = node.type in NAMED_VALUES and node.type != "identifier"
    return (is_member and text_of(node)[:1].isupper() and is_named_value(node)) or is_made_by_type(node)


def given_to(node: Node) -> list[Node]:
    """The arguments of a call, without what the grammar wraps around them."""
    arguments = node.child_by_field_name("arguments")
    parts = arguments.named_children if arguments is not None else []
    return [part.named_children[0] if part.type == "argument" and part.named_children else part for part in parts]


def chained_default(node: Node) -> Node | None:
    """The literal that a chain of calls makes the default: 5 of z.number().min(1).default(5); None where none does."""
    for _ in range(STEPS):
        called = first_field(node, ("function", "method")) if node.type in CALLS else None
        named = first_field(called, ("property", "field", "name")) if called is not None else None
        if called is None or named is None:
            return None
        given = given_to(node)
        if text_of(named) in DEFAULT_METHODS and len(given) == 1 and is_literal(given[0]):
            return given[0]
        inner = first_field(called, ("object", "value", "operand"))
        if inner is None:
            return None
        node = inner
    return None


def is_named_value(node: Node) -> bool:
    """Whether the node names a value, or makes one of literals alone. Example: Mode.FAST, TimeSpan.FromSeconds(5).

    What a property is short for (x => _y) is named only by a type: Mode.FAST.
    """
    if node.type in NAMED_VALUES:
        is_short = node.parent is not None and node.parent.type == "arrow_expression_clause"
        return not is_short or (node.type != "identifier" and text_of(node)[:1].isupper())
    arguments = node.child_by_field_name("arguments") if node.type in CALLS else None
    if arguments is None or arguments.type not in ARGUMENT_LISTS or not arguments.named_child_count:
        return False
    called = (node.text or b"")[: arguments.start_byte - node.start_byte].removeprefix(b"new ").strip()
    return CALLED_NAME.match(called) is not None and all(is_literal(each) for each in given_to(node))


def holds_keys(node: Node, shape: FactShape, depth: int = 0) -> bool:
    """Whether keys are given values right in the node: it is looked into instead of quoted."""
    if depth > MAX_LITERAL_DEPTH:
        return False
    return any(
        child.type in shape.pairs or child.type in shape.parameters or holds_keys(child, shape, depth + 1)
        for child in node.named_children
    )


def condition_text(node: Node) -> str:
    """A condition or subject in one line, without the parentheses around it."""
    text = text_of(node)
    text = OUTER_PARENTHESES.sub(r"\1", text).strip()
    return text if len(text) <= MAX_CONDITION_CHARS else text[: MAX_CONDITION_CHARS - 1] + "…"


def arms_of(node: Node, shape: FactShape) -> Iterator[Node]:
    """The arms of a switch in order: its children, or those of its body."""
    body = node.child_by_field_name("body") or node
    return (child for child in body.named_children if child.type in shape.arms)


def split_arm(arm: Node, where: str) -> tuple[str, list[Node]]:
    """An arm's pattern, "default" where it has none, and the rest of it. where: as in FactShape.arms."""
    patterns: list[Node] = []
    body: list[Node] = []
    for number, child in enumerate(arm.children):
        if not child.is_named or "comment" in child.type:
            continue
        field = arm.field_name_for_child(number)
        is_pattern = where != "" and where in (f".{field}", child.type, f"#{number}")
        (patterns if is_pattern else body).append(child)
    said = ", ".join(unquoted(text_of(pattern)) for pattern in patterns).removeprefix("case ")
    return ("default" if said in ("", "_") else said), body


def _inside_one(node: Node) -> Node:
    """What a wrapper around one node holds (Go's expression_list and literal_element, C's {5})."""
    while node.type in WRAPPERS_OF_ONE and node.named_child_count == 1:
        node = node.named_children[0]
    return node
