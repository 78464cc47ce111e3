"""Syntax trees: the one door to tree-sitter, and what is asked of a node."""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Callable
from functools import cache

from tree_sitter import Language, Node, Parser, Tree

from mixrag_cli.readers.languages import LanguageShape

__all__ = [
    "Node",
    "Tree",
    "assigned_name",
    "declared_name",
    "end_line",
    "first_line",
    "n_lines",
    "name_of",
    "parse_source",
    "plain_name",
    "receiver_name",
    "text_of",
]

MAX_PARSE_SECONDS = 10.0  # below the silence that the parent process bears
PARSE_PIECE_BYTES = 65_536
TEXT_PIECE_BYTES = 512  # once parsed: a node's text is made of whole pieces, and most are names and values
MAX_NAME_CHARS = 200
DECLARATOR_STEPS = 12  # pointer to function returning pointer …: no one goes further
GENERIC = re.compile(r"<.{0,400}$", re.DOTALL)
SPACES = re.compile(r"\s+")


@cache
def _language(shape_module: str, shape_function: str) -> Language:
    return Language(getattr(importlib.import_module(shape_module), shape_function)())


def parse_source(shape: LanguageShape, text: str, beat: Callable[[int, int], None]) -> Tree | None:
    """The tree, or None when parsing takes too long. What the shape leaves unread is blank in it, at its place."""
    if shape.unread is not None:
        text = shape.unread.sub(blanked, text)
    raw = memoryview(text.encode("utf-8", "replace"))
    ends = time.monotonic() + MAX_PARSE_SECONDS

    def is_over(offset: int, has_error: bool) -> bool:
        beat(offset, len(raw))
        return time.monotonic() > ends

    piece_bytes = PARSE_PIECE_BYTES

    def piece(offset: int, point: object) -> bytes:
        return bytes(raw[offset : offset + piece_bytes])

    try:
        tree: Tree = Parser(_language(shape.module, shape.function)).parse(piece, progress_callback=is_over)
        piece_bytes = TEXT_PIECE_BYTES
        return tree
    except ValueError:  # stopped
        return None


def blanked(found: re.Match[str]) -> str:
    """The match with a blank in place of each byte of its group "unread"; lines and bytes keep their places."""
    start, end = found.start("unread") - found.start(), found.end("unread") - found.start()
    blank = "".join(sign if sign == "\n" else " " * len(sign.encode("utf-8", "replace")) for sign in found["unread"])
    return found[0][:start] + blank + found[0][end:]


def first_line(node: Node) -> int:
    """The node's first line, from 0."""
    return node.start_point.row


def end_line(node: Node) -> int:
    """The line after the node's last, from 0. Some grammars count a line's end to the node: that is no line more."""
    row, column = node.end_point
    return row if column == 0 and row > node.start_point.row else row + 1


def n_lines(node: Node) -> int:
    """How many lines the node is on."""
    return end_line(node) - first_line(node)


def text_of(node: Node) -> str:
    """The node's beginning as one line of at most MAX_NAME_CHARS."""
    return SPACES.sub(" ", (node.text or b"").decode("utf-8", "replace"))[:MAX_NAME_CHARS]


def name_of(node: Node) -> str:
    """What the definition is called, as written; "" if nothing says so."""
    if (trait := node.child_by_field_name("trait")) is not None:
        return f"{text_of(trait)} for {text_of(node.child_by_field_name('type') or trait)}"
    for field in ("name", "type", "operator"):
        if field == "type" and node.child_by_field_name("declarator") is not None:
            return declared_name(node)
        if (named := node.child_by_field_name(field)) is not None:
            return text_of(named)
    for child in node.named_children:  # Go: type (A …; B …)
        if (named := child.child_by_field_name("name")) is not None:
            return text_of(named)
    return ""


def declared_name(node: Node) -> str:
    """The name inside C's declarators. Example: "*argv[]" -> "argv"."""
    for _ in range(DECLARATOR_STEPS):
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type == "parenthesized_declarator" and node.named_children:
            inner = node.named_children[0]
        if inner is None:
            break
        node = inner
    return text_of(node)


def assigned_name(node: Node) -> str:
    """What is assigned to, "" where nothing is."""
    for field in ("name", "left", "property"):
        if (target := node.child_by_field_name(field)) is not None:
            return text_of(target)
    return ""


def plain_name(name: str) -> str:
    """Example: "Show for Point<T>" -> "Point"; "Point::draw" -> "Point.draw"."""
    return GENERIC.sub("", name.rpartition(" for ")[2]).replace("::", ".").strip() or name


def receiver_name(receiver: Node) -> str:
    """The type that a Go method belongs to. Example: "(s *Store)" -> "Store"."""
    words = re.findall(r"\w+", text_of(receiver).partition("[")[0])
    return str(words[-1]) if words else text_of(receiver)
