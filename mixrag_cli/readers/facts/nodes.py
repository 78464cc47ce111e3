"""What a syntax node names and states: the same questions for all languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mixrag_cli.readers.facts.collecting import unquoted
from mixrag_cli.readers.facts.shapes import (
    HOLDING_LITERALS,
    INTERPOLATIONS,
    LITERALS,
    NAME_FIELDS,
    VALUE_FIELDS,
    VALUE_IS_LAST,
    FactShape,
)
from mixrag_cli.readers.syntax import Node, declared_name, text_of

MAX_LITERAL_DEPTH = 8  # of lists in lists, signs, sums
MAX_CONDITION_CHARS = 100
NAME = re.compile(r"[\w$@.\-:>/ ]{1,80}$")
OUTER_PARENTHESES = re.compile(r"^\((.*)\)$")


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
    name = declared_name(named) if named.type.endswith("declarator") else text_of(named)
    name = unquoted(name.strip("[] ")).strip(":").removeprefix("$").removeprefix(".")
    return name if NAME.match(name) else ""


def stated_text(node: Node) -> tuple[str, int]:
    """What the node says without its quotes, and the line, from 1, on which that begins."""
    text = unquoted((node.text or b"").decode("utf-8", "replace").strip())
    return text, node.start_point.row + 1 + text[: len(text) - len(text.lstrip())].count("\n")


def is_literal(node: Node, depth: int = 0) -> bool:
    """Whether the node is a value as written: a number, a text, a list of them, a sum of them."""
    if node.type in LITERALS:
        return not any(child.type in INTERPOLATIONS for child in node.named_children)
    if node.type not in HOLDING_LITERALS or depth > MAX_LITERAL_DEPTH:
        return False
    return all(is_literal(child, depth + 1) for child in node.named_children if child.type != "comment")


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
    """What a wrapper around one node holds (Go's expression_list and literal_element)."""
    while node.type in ("expression_list", "literal_element", "hash_key_symbol") and node.named_child_count == 1:
        node = node.named_children[0]
    return node
