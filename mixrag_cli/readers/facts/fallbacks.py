"""Values that hold where nothing else is given, or by a condition, in an expression.

fallback    env.PORT || 3000, config["a"] ?? 5, os.environ.get("PORT") or 80, url[:wait] ||= 5, limit || 1.hour
choice      1 if local else 2, local ? 1 : 2
annotation  @Parameter(defaultValue = "5") int a
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mixrag_cli.readers.facts.nodes import condition_text, first_field, given_to, is_literal, key_of, value_of
from mixrag_cli.readers.facts.shapes import CALLS, OPTION_COLUMNS
from mixrag_cli.readers.syntax import Node, declared_name, text_of
from mixrag_cli.records.documents import FactSort

FALLBACKS = frozenset(
    ["boolean_operator", "binary_expression", "binary", "operator_assignment", "augmented_assignment_expression"]
)
CHOICES = frozenset(["conditional_expression", "ternary_expression", "conditional"])
ANNOTATIONS = frozenset(["annotation"])
DECIDING = FALLBACKS | CHOICES | ANNOTATIONS
OR_ELSE = frozenset(["||", "??", "or", "||=", "??="])
CONTAINERS = frozenset(["subscript", "subscript_expression", "element_reference"])
MEMBERS = frozenset(["member_expression", "attribute", "field_access"])
DIGIT = re.compile(r"\d")
NAME = re.compile(r"[A-Za-z_][\w.\-]{0,79}$")
STEPS = 12  # of a || b || c …


@dataclass(frozen=True, slots=True)
class Decided:
    """What an expression decides. keys: behind those of what encloses it. owner: the node that it is said of."""

    keys: tuple[str, ...]
    sort: FactSort
    owner: Node
    value: Node


def decided(node: Node, key: tuple[str, ...], *, is_local: bool) -> Iterator[Decided]:
    """What the node decides. key: what it is bound to; is_local: whether in a function, where only figures are told.

    There a name is told that is looked up by it, or that the value is bound to where that is.
    """
    if node.type in FALLBACKS:
        sign, value = node.child_by_field_name("operator"), node.child_by_field_name("right")
        asked, is_looked_up = _asked(node.child_by_field_name("left"))
        if sign is None or sign.type not in OR_ELSE or value is None or not _is_told(value, is_local=is_local):
            return
        keys = key if key and (is_looked_up or not is_local) else (asked,) if is_looked_up else ()
        if keys:
            yield Decided(keys, "default", node, value)
    elif node.type in CHOICES and key:
        parts = [child for child in node.named_children if child.type != "comment"]
        if len(parts) != 3:
            return
        named = [node.child_by_field_name(field) for field in ("consequence", "condition", "alternative")]
        then, condition, otherwise = (named[at] or parts[at] for at in range(3))
        if _is_told(then, is_local=is_local) and _is_told(otherwise, is_local=is_local):
            said = f"if {condition_text(condition)}"
            yield Decided((*key, said), "case", node, then)
            yield Decided((*key, f"else of {said}"), "case", node, otherwise)
    elif node.type in ANNOTATIONS:
        yield from _annotated(node)


def _is_told(value: Node, *, is_local: bool) -> bool:
    """Whether a value is one of a setting: a figure, alone or with its unit (1.hour), or a text; no list, no truth."""
    if value.type in CALLS:
        receiver = value.child_by_field_name("receiver")
        return receiver is not None and receiver.type in ("integer", "float") and not given_to(value)
    text = text_of(value)
    is_text = "string" in value.type and len(text) > 2
    return is_literal(value) and (
        (is_text and not is_local) or ("string" not in value.type and bool(DIGIT.search(text)))
    )


def _asked(left: Node | None) -> tuple[str, bool]:
    """The name that an expression asks for first, and whether it is looked up in something."""
    for _ in range(STEPS):
        inner = left.child_by_field_name("left") if left is not None and left.type in FALLBACKS else None
        if inner is None:
            break
        left = inner
    if left is None:
        return "", False
    if left.type in MEMBERS:
        name = first_field(left, ("property", "attribute", "field"))
        return (text_of(name), True) if name is not None else ("", False)
    inside = given_to(left) if left.type in CALLS else left.named_children[1:] if left.type in CONTAINERS else []
    text = text_of(inside[0]).strip("\"':") if len(inside) == 1 and is_literal(inside[0]) else ""
    return (text, True) if NAME.match(text) else ("", False)


def _annotated(annotation: Node) -> Iterator[Decided]:
    """The default that an annotation gives the member or parameter that it stands before."""
    owner = annotation.parent.parent if annotation.parent is not None else None
    named = first_field(owner, ("declarator", "name")) if owner is not None else None
    if owner is None or named is None:
        return
    for argument in given_to(annotation):
        value = value_of(argument) if argument.type == "element_value_pair" else None
        if value is not None and OPTION_COLUMNS.get(key_of(argument)) == "default" and is_literal(value):
            name = declared_name(named) if named.type.endswith("declarator") else text_of(named)
            yield Decided((name,), "default", owner, value)
