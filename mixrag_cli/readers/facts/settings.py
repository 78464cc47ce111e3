"""Facts of configuration files: each key of toml, yaml, json and ini with its value, its line and its comment.

The first three are read from a syntax tree: nothing becomes an object, no alias is followed, no tag is obeyed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from mixrag_cli.readers.facts.collecting import FactCollector, unquoted
from mixrag_cli.readers.facts.comments import comment_at
from mixrag_cli.readers.languages import LanguageShape
from mixrag_cli.readers.source import stay_silent
from mixrag_cli.readers.syntax import Node, parse_source, text_of

MAX_SETTINGS_CHARS = 1_000_000  # what is larger is data: a person keeps no such configuration
MAX_DEPTH = 60  # of nested values
MAX_LISTED_RECORDS = 50  # of one list: a longer one is data
MAX_LIST_CHARS = 300  # of a list of plain values, told as one
GRAMMARS = {
    "json": LanguageShape("tree_sitter_json"),
    "toml": LanguageShape("tree_sitter_toml"),
    **dict.fromkeys(("yaml", "yml"), LanguageShape("tree_sitter_yaml")),
}
LINE_SHAPED = frozenset(["ini", "cfg", "conf", "properties", "editorconfig", "env", "desktop", "service"])

PAIRS = frozenset(("pair", "block_mapping_pair", "flow_pair"))
SECTIONS = frozenset(("table", "table_array_element"))
KEYS = frozenset(("bare_key", "quoted_key", "dotted_key"))
MAPPINGS = frozenset(("object", "inline_table", "block_mapping", "flow_mapping"))
LISTS = frozenset(("array", "block_sequence", "flow_sequence"))
WRAPPERS = frozenset(("flow_node", "block_node", "block_sequence_item", "document", "stream"))
MARKS = frozenset(("anchor", "tag", "comment", "yaml_directive"))
NAMING_KEYS = ("name", "id", "key", "title")  # by which a record in a list is called
BRACKETS = re.compile(r"[\[\]{}]")
MAX_NESTING = 200  # as of all nested text; the YAML and JSON grammars recurse in C, where nothing catches them
DEEP_INDENT = re.compile(rf"^[ \t-]{{{2 * MAX_NESTING}}}", re.MULTILINE)
INI_SECTION = re.compile(r"\s{0,8}\[([^\]]{1,120})\]\s*(?:[#;].*)?$")
INI_SETTING = re.compile(r"\s{0,8}(?:export\s+)?([\w.\-/\[\]*%$ ]{1,120}?)\s*[=:]\s*(.*)$")
INI_COMMENT = re.compile(r"\s*[#;!]")


def collect_settings(
    collector: FactCollector,
    text: str,
    suffix: str,
    *,
    lines_above: int = 0,
    beat: Callable[[int, int], None] = stay_silent,
) -> None:
    """Collect the settings of a file of that suffix; nothing for other suffixes. lines_above: the text's first line."""
    if len(text) > MAX_SETTINGS_CHARS:
        return
    lines = text.split("\n")
    if suffix in LINE_SHAPED:
        _collect_lines(collector, lines)
    elif not is_deep(text) and (grammar := GRAMMARS.get(suffix)) and (tree := parse_source(grammar, text, beat)):
        _SettingsWalk(collector, lines, lines_above).visit(tree.root_node, (), 0)


def is_deep(text: str) -> bool:
    """Whether brackets, indents or list marks are nested so deep that a parser may overflow its stack.

    Brackets in strings count, too: no setting of a person's file comes near the bound.
    """
    depth = 0
    for sign in BRACKETS.findall(text):
        depth += 1 if sign in "[{" else -1
        if depth > MAX_NESTING:
            return True
    return DEEP_INDENT.search(text) is not None


class _SettingsWalk:
    """One pass over a tree of keys and values."""

    def __init__(self, collector: FactCollector, lines: Sequence[str], lines_above: int) -> None:
        self._collector = collector
        self._lines = lines
        self._above = lines_above

    def visit(self, node: Node, path: tuple[str, ...], depth: int) -> None:
        """Collect the settings below the node."""
        if depth > MAX_DEPTH or self._collector.is_full:
            return
        if node.type in PAIRS:
            self._pair(node, path, depth)
        elif node.type in SECTIONS:
            keys = [child for child in node.named_children if child.type in KEYS]
            inner = (*path, *(part for key in keys for part in _key_path(key)))
            for child in node.named_children[len(keys) :]:
                self.visit(child, inner, depth + 1)
        elif node.type in LISTS:
            self._records(node, path, depth)
        elif not node.is_error:
            for child in node.named_children:
                self.visit(child, path, depth + 1)

    def _pair(self, node: Node, path: tuple[str, ...], depth: int) -> None:
        parts = [child for child in node.named_children if child.type not in MARKS]
        if len(parts) < 2:
            return
        key, value = parts[0], parts[-1]
        path = (*path, *_key_path(key))
        inner = _unwrapped(value)
        if inner.type in MAPPINGS:
            self.visit(inner, path, depth + 1)
        elif inner.type in LISTS:
            self._list(inner, path, depth)
        else:
            self._add(path, inner, unquoted(_whole_text(inner)))

    def _list(self, node: Node, path: tuple[str, ...], depth: int) -> None:
        items = [_unwrapped(item) for item in node.named_children if item.type not in MARKS]
        if any(item.type in MAPPINGS or item.type in LISTS for item in items):
            self._records(node, path, depth)
        elif items:
            self._add(path, items[0], ", ".join(unquoted(_whole_text(item)) for item in items)[: 2 * MAX_LIST_CHARS])

    def _records(self, node: Node, path: tuple[str, ...], depth: int) -> None:
        items = [_unwrapped(item) for item in node.named_children if item.type not in MARKS]
        if len(items) > MAX_LISTED_RECORDS:
            return
        for number, item in enumerate(items, 1):
            if item.type in MAPPINGS or item.type in LISTS:
                self.visit(item, (*path, _record_name(item) or str(number)), depth + 1)

    def _add(self, path: tuple[str, ...], value: Node, text: str) -> None:
        row, column = value.end_point
        line = self._lines[row] if row < len(self._lines) else ""
        is_one_line = row == value.start_point.row
        ends = len(line.encode()[:column].decode("utf-8", "ignore")) if is_one_line else None
        comment, where = comment_at(self._lines, value.start_point.row, ends)
        text = text.lstrip("|>+-").strip() if value.type == "block_scalar" else text
        place = value.start_point.row + 1 + self._above
        self._collector.add(path, "setting", ("value", text, place), ("help", comment, where + self._above))


def _collect_lines(collector: FactCollector, lines: Sequence[str]) -> None:
    """[section], key = value; a value goes on in the indented lines below it."""
    section: tuple[str, ...] = ()
    number = 0
    while number < len(lines) and not collector.is_full:
        line = lines[number]
        first = number
        number += 1
        if INI_COMMENT.match(line) or not line.strip():
            continue
        if found := INI_SECTION.match(line):
            section = (found[1].strip(),)
        elif found := INI_SETTING.match(line):
            values = [found[2].strip()]
            while number < len(lines) and lines[number][:1] in (" ", "\t") and lines[number].strip():
                values.append(lines[number].strip())
                number += 1
            comment, where = comment_at(lines, first, None)
            shift = 1 if not values[0] and len(values) > 1 else 0
            text = ", ".join(filter(None, values)) if shift else " ".join(values)
            collector.add(
                (*section, found[1].strip()),
                "setting",
                ("value", unquoted(text), first + 1 + shift),
                ("help", comment, where),
            )


def _key_path(key: Node) -> tuple[str, ...]:
    """The parts of a key, the first MAX_DEPTH of them. Example: "a.'b c'" of toml -> ("a", "b c")."""
    parts: list[str] = []
    waiting = [key]  # not by recursion: the grammar nests a key as deep as it has parts
    while waiting and len(parts) < MAX_DEPTH:
        node = waiting.pop()
        if node.type == "dotted_key":
            waiting += reversed(node.named_children)
        else:
            parts.append(unquoted(text_of(node)))
    return tuple(parts)


def _unwrapped(node: Node) -> Node:
    """The value inside YAML's wrappers, its anchor and tag apart."""
    while node.type in WRAPPERS:
        inner = [child for child in node.named_children if child.type not in MARKS]
        if len(inner) != 1:
            break
        node = inner[0]
    return node


def _record_name(record: Node) -> str:
    """What a record in a list calls itself, or ""."""
    for pair in record.named_children:
        if pair.type in PAIRS and pair.named_child_count > 1 and _key_path(pair.named_children[0])[-1] in NAMING_KEYS:
            value = _unwrapped(pair.named_children[-1])
            return "" if value.type in MAPPINGS or value.type in LISTS else unquoted(text_of(value))
    return ""


def _whole_text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
