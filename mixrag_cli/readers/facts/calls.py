"""Calls that set something by name: define("NAME", 5), config.set("a.port", 80), getenv("PORT", 80)."""

from __future__ import annotations

import re

from mixrag_cli.readers.facts.collecting import unquoted
from mixrag_cli.readers.facts.nodes import first_field, given_to, is_literal
from mixrag_cli.readers.facts.shapes import CALLS, FUNCTION_VALUES
from mixrag_cli.readers.syntax import Node, text_of

MEMBERS = frozenset(["member_expression", "selector_expression", "field_expression", "attribute"])
STATEMENTS = frozenset(["expression_statement", "body_statement", "block_body", "program"])  # Ruby's calls are bare
VARIABLE_NAME = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+$|[A-Z]{4,}$")  # of the environment
SET_NAME = re.compile(r"[A-Za-z_][\w.\-]{0,79}$")  # by which a call sets something


def called_name(node: Node) -> str:
    """What a call calls, as it is written; "" where the node is none."""
    called = first_field(node, ("function", "method", "name"))
    return text_of(called) if called is not None else ""


def set_by(node: Node, *, is_setting: bool) -> tuple[str, Node] | None:
    """The name and the literal that a call is given, and nothing else; None for other calls.

    is_setting: whether the call stands where it sets something. A name in capital letters is one of the environment,
    for which the literal is the default wherever the call stands.
    """
    given = given_to(node)
    if len(given) != 2 or not all(is_literal(each) for each in given) or "string" not in given[0].type:
        return None
    name = unquoted(text_of(given[0]))
    is_set = SET_NAME.match(name) and (is_setting or VARIABLE_NAME.match(name))
    return (name, given[1]) if is_set else None


def sets_on_object(node: Node) -> bool:
    """Whether a call is one of an object's, and nothing but others in a chain made of it: t.string("a", 50).unique().

    A function of its own may do anything with a name and a number.
    """
    called = node.child_by_field_name("function")
    is_of_object = first_field(node, ("object", "receiver")) is not None or (called and called.type in MEMBERS)
    above = node.parent
    while above is not None and (above.type in MEMBERS or above.type in CALLS):
        above = above.parent
    return bool(is_of_object) and above is not None and above.type in STATEMENTS


def block_name(node: Node) -> str:
    """What a call names that is given a function for its parts: create("users", function (table) { … }); "" else."""
    given = given_to(node)
    if len(given) < 2 or "string" not in given[0].type or not any(each.type in FUNCTION_VALUES for each in given[1:]):
        return ""
    name = unquoted(text_of(given[0]))
    return name if is_literal(given[0]) and SET_NAME.match(name) else ""
