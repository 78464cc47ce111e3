"""Facts of configuration files: each key of toml, yaml, json, ini and XML with its value, its line and its comment.

The first three are read from a syntax tree: nothing becomes an object, no tag is obeyed. YAML's aliases and merge keys
stand for what their anchors hold, within bounds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from mixrag_cli.readers.facts.collecting import FactCollector
from mixrag_cli.readers.facts.commented_out import CommentedOut, collect_commented_out, part_commented_out
from mixrag_cli.readers.facts.comments import comment_at
from mixrag_cli.readers.facts.line_settings import LINE_SHAPED, collect_line_settings
from mixrag_cli.readers.facts.markup import collect_markup, is_xml
from mixrag_cli.readers.facts.setting_nodes import (
    COMPOUND,
    KEYS,
    LISTS,
    MAPPINGS,
    MARKS,
    MAX_DEPTH,
    NAMING_KEYS,
    PAIRS,
    WRAPPERS,
    key_path,
    pairs_of,
    record_name,
    record_names,
    said,
    section_path,
    unwrapped,
)
from mixrag_cli.readers.facts.sql import collect_sql
from mixrag_cli.readers.languages import LanguageShape
from mixrag_cli.readers.source import stay_silent
from mixrag_cli.readers.syntax import Node, blanked, parse_source, text_of

MAX_SETTINGS_CHARS = 1_000_000  # what is larger is data: a person keeps no such configuration
MAX_LISTED_RECORDS = 50  # of one list: a longer one is data
MAX_LIST_CHARS = 300  # of a list of plain values, told as one
MAX_ALIASES = 200  # of mappings and lists that are read again where an alias stands for them
# Of Jinja, Go and their kin: a statement or comment, or what stands alone on its line; and an expression, which is
# read as text.
TEMPLATE_STATEMENT = re.compile(
    r"(?P<unread>\{%[^%]{0,1000}%\}|\{#[^#]{0,1000}#\}|\{\{-?\s*/\*(?:[^*]|\*(?!/)){0,2000}\*/\s*-?\}\}|"
    r"^[ \t]*\{\{[^{}\n]{0,300}\}\}[ \t]*$)",
    re.MULTILINE,
)
TEMPLATE_EXPRESSION = re.compile(r"\{\{([^{}\n]{0,300})\}\}")
GRAMMARS = {
    "json": LanguageShape("tree_sitter_json"),
    "toml": LanguageShape("tree_sitter_toml"),
    **dict.fromkeys(("yaml", "yml"), LanguageShape("tree_sitter_yaml", unread=TEMPLATE_STATEMENT)),
}

SECTIONS = frozenset(("table", "table_array_element"))
DOCUMENT_KEYS = (*NAMING_KEYS, "kind")  # and one of several documents in a file
MERGE_KEY = "<<"
ASSIGNMENT = re.compile(r"(?P<key>-{0,2}[A-Za-z_][\w.\-]{0,120})=(?P<text>[^=].*|)$", re.DOTALL)
BRACKETS = re.compile(r"[\[\]{}]")
MAX_NESTING = 200  # as of all nested text; the YAML and JSON grammars recurse in C, where nothing catches them
DEEP_INDENT = re.compile(rf"^[ \t-]{{{2 * MAX_NESTING}}}", re.MULTILINE)
OPENING = re.compile(r"(?:\"\"\"|''')(?:\s|\\\n)*")  # of a TOML text over lines


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
        collect_line_settings(collector, lines, suffix)
    elif suffix == "sql":
        collect_sql(collector, text, lines)
    elif suffix != "svg" and is_xml(text):
        collect_markup(collector, text, lines)
    elif not is_deep(text) and (grammar := GRAMMARS.get(suffix)):
        commented_out: dict[int, CommentedOut] = {}
        if suffix != "json" and not lines_above:
            commented_out, lines = part_commented_out(lines)
            text = "\n".join(lines)
        # Statements are blanked before expressions lose their braces.
        plain = text if grammar.unread is None else grammar.unread.sub(blanked, text)
        parsed = plain if grammar.unread is None else TEMPLATE_EXPRESSION.sub(r"((\1))", plain)
        if tree := parse_source(grammar, parsed, beat):
            _SettingsWalk(collector, text, lines_above, is_template=parsed != plain).visit(tree.root_node, (), 0)
        collect_commented_out(collector, lines, commented_out)


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


@dataclass(frozen=True, slots=True)
class _Record:
    """A table in a TOML list. keys: of the list; path: with the names or numbers of records; above: around it."""

    keys: tuple[str, ...]
    path: tuple[str, ...]
    above: _Record | None


class _SettingsWalk:
    """One pass over a tree of keys and values."""

    def __init__(self, collector: FactCollector, text: str, lines_above: int, *, is_template: bool) -> None:
        """text: as it is written. is_template: whether the tree is of one with "((" for "{{"."""
        self._collector = collector
        self._lines = text.split("\n")
        self._bytes = text.encode("utf-8", "replace")
        self._above = lines_above
        self._is_template = is_template
        self._listed: Counter[tuple[str, ...]] = Counter()  # TOML's [[name]], how often each was met
        self._last: dict[tuple[str, ...], _Record] = {}  # and the last of it: [name.part] belongs to that
        self._anchored: dict[str, Node] = {}  # YAML's anchors, each with what it last stood before
        self._n_aliases = 0
        self._is_at_alias = False  # within what an alias stands for, no other is followed to a mapping or list

    def visit(self, node: Node, path: tuple[str, ...], depth: int) -> None:
        """Collect the settings below the node."""
        if depth > MAX_DEPTH or self._collector.is_full:
            return
        if node.type in PAIRS:
            self._pair(node, path, depth)
        elif node.type in SECTIONS:
            inner = self._section((*path, *section_path(node)), node)
            for child in node.named_children:
                if child.type not in KEYS:
                    self.visit(child, inner, depth + 1)
        elif node.type in LISTS:
            self._records(node, path, depth)
        elif node.type == "stream" and not path:
            self._documents(node)
        elif node.type == "alias":
            self._follow(node, lambda value: self.visit(value, path, depth + 1))
        elif not node.is_error:
            for child in node.named_children:
                self.visit(child, path, depth + 1)

    def _section(self, keys: tuple[str, ...], node: Node) -> tuple[str, ...]:
        """The path of a TOML table: with the name or number of each record in a list that it is in, or is."""
        is_table = node.type == "table"
        lists = (keys[:length] for length in range(len(keys) if is_table else len(keys) - 1, 0, -1))
        above = next((self._last[known] for known in lists if self._is_open(known)), None)
        path = (*above.path, *keys[len(above.keys) :]) if above else keys
        if is_table:
            return path
        self._listed[path] += 1
        self._last[keys] = _Record(keys, (*path, record_name(node) or str(self._listed[path])), above)
        return self._last[keys].path

    def _is_open(self, keys: tuple[str, ...]) -> bool:
        """Whether a TOML list of that key has a record in the last record of the list around it."""
        record = self._last.get(keys)
        return record is not None and (record.above is None or self._last[record.above.keys] is record.above)

    def _documents(self, stream: Node) -> None:
        """YAML's documents; each of several, and one of Kubernetes, is named as a record in a list, or by its kind."""
        documents = [child for child in stream.named_children if _holds_text(child)]
        counts: Counter[str] = Counter()
        for number, document in enumerate(documents, 1):
            name = _document_name(unwrapped(document)) or str(number)
            counts[name] += 1
            name = f"{name} {counts[name]}" if counts[name] > 1 else name
            self._anchored.clear()  # an anchor holds within its document
            is_named = len(documents) > 1 or _is_manifest(unwrapped(document))
            self.visit(document, (name,) if is_named else (), 1)

    def _pair(self, node: Node, path: tuple[str, ...], depth: int) -> None:
        parts = [child for child in node.named_children if child.type not in MARKS]
        if len(parts) < 2:
            return
        key, value = parts[0], parts[-1]
        inner = self._value(value)
        if (name := key_path(key)) == (MERGE_KEY,):
            self._merge(node, inner, path, depth)
            return
        self._state((*path, *name), inner, depth)

    def _state(self, path: tuple[str, ...], value: Node, depth: int) -> None:
        """Collect what the value of a key says."""
        if value.type in MAPPINGS:
            self.visit(value, path, depth + 1)
        elif value.type in LISTS:
            self._list(value, path, depth)
        elif value.type == "alias":
            self._follow(value, lambda held: self._state(path, held, depth + 1))
        else:
            self._add(path, value, said(self._text_of(value)))

    def _value(self, node: Node) -> Node:
        """The value inside YAML's wrappers, its anchor noted; of an alias the plain value that it stands for."""
        name = ""
        while node.type in WRAPPERS:
            name = next((text_of(child)[1:] for child in node.named_children if child.type == "anchor"), name)
            inner = [child for child in node.named_children if child.type not in MARKS]
            if len(inner) != 1:
                break
            node = inner[0]
        if name:
            self._anchored[name] = node
        held = self._anchored.get(text_of(node)[1:]) if node.type == "alias" else None
        return node if held is None or held.type in MAPPINGS or held.type in LISTS else held

    def _follow(self, alias: Node, read: Callable[[Node], None]) -> None:
        """Read the mapping or list that an alias stands for, unless there were too many of them."""
        held = self._anchored.get(text_of(alias)[1:])
        if held is None or self._is_at_alias or self._n_aliases >= MAX_ALIASES:
            return
        self._n_aliases += 1
        self._is_at_alias = True
        read(held)
        self._is_at_alias = False

    def _merge(self, node: Node, value: Node, path: tuple[str, ...], depth: int) -> None:
        """Collect what a merge key brings into its mapping: the pairs whose keys nothing before them states."""
        stated = {key_path(pair.named_children[0]) for pair in pairs_of(node.parent)}

        def bring(held: Node) -> None:
            for pair in pairs_of(held):
                key = key_path(pair.named_children[0])
                if key not in stated:
                    stated.add(key)
                    self._pair(pair, path, depth + 1)

        for base in value.named_children if value.type in LISTS else [value]:
            inner = self._value(base)
            if inner.type == "alias":
                self._follow(inner, bring)
            else:
                bring(inner)

    def _list(self, node: Node, path: tuple[str, ...], depth: int) -> None:
        """Collect a list: its records one by one, assignments by their names, other plain values as one."""
        items = [self._value(item) for item in node.named_children if item.type not in MARKS]
        plain = [item for item in items if item.type not in COMPOUND]
        if len(plain) < len(items):
            self._records(node, path, depth)
        texts = [said(self._text_of(item)) for item in plain]
        assigned = [ASSIGNMENT.match(text) for text in texts]
        if all(assigned):
            for item, found in zip(plain, assigned, strict=True):
                if found:
                    self._add((*path, found["key"]), item, found["text"])
        elif plain:
            self._add(path, plain[0], ", ".join(texts)[: 2 * MAX_LIST_CHARS])

    def _records(self, node: Node, path: tuple[str, ...], depth: int) -> None:
        items = [self._value(item) for item in node.named_children if item.type not in MARKS]
        if len(items) > MAX_LISTED_RECORDS:
            return
        names = record_names(items)
        for number, item in enumerate(items, 1):
            if item.type in COMPOUND:
                self.visit(item, (*path, names[number - 1] or str(number)), depth + 1)

    def _add(self, path: tuple[str, ...], value: Node, text: str) -> None:
        if self._is_template:
            path = tuple(part.replace("((", "{{").replace("))", "}}") for part in path)
        row, column = value.end_point
        line = self._lines[row] if row < len(self._lines) else ""
        is_one_line = row == value.start_point.row
        ends = len(line.encode()[:column].decode("utf-8", "ignore")) if is_one_line else None
        comment, where = comment_at(self._lines, value.start_point.row, ends)
        text = text.lstrip("|>+-").strip() if value.type == "block_scalar" else text
        place = value.start_point.row + 1 + self._above
        if opening := OPENING.match(self._text_of(value)):  # the text begins below its quotes
            place += opening[0].count("\n")
        self._collector.add(path, "setting", ("value", text, place), ("help", comment, where + self._above))

    def _text_of(self, node: Node) -> str:
        return self._bytes[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _holds_text(document: Node) -> bool:
    """Whether a YAML document holds more than comments and its marks."""
    return any(part.type not in MARKS for part in document.named_children)


def _document_name(document: Node) -> str:
    """What one of several YAML documents calls itself; Kubernetes' say their name below their kind, in "metadata"."""
    below = (
        record_name(unwrapped(pair.named_children[-1]))
        for pair in pairs_of(document)
        if key_path(pair.named_children[0]) == ("metadata",)
    )
    return " ".join(filter(None, (record_name(document, DOCUMENT_KEYS), *below)))


def _is_manifest(document: Node) -> bool:
    """Whether a YAML document describes one thing of Kubernetes: of its many files few keys tell which."""
    keys = {key_path(pair.named_children[0]) for pair in pairs_of(document)}
    return keys >= {("apiVersion",), ("kind",), ("metadata",)}
