"""What is asked of a node in the tree of toml, yaml or json: its pairs, a key's parts, a value's text, a name."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from mixrag_cli.cleaning import safe_text
from mixrag_cli.readers.facts.collecting import inside_quotes
from mixrag_cli.readers.syntax import Node, text_of

MAX_DEPTH = 60  # of nested values
PAIRS = frozenset(("pair", "block_mapping_pair", "flow_pair"))
MAPPINGS = frozenset(("object", "inline_table", "block_mapping", "flow_mapping"))
LISTS = frozenset(("array", "block_sequence", "flow_sequence"))
COMPOUND = MAPPINGS | LISTS | {"alias"}  # of an alias that is left, what it stands for is compound, or not known
WRAPPERS = frozenset(("flow_node", "block_node", "block_sequence_item", "document", "stream"))
MARKS = frozenset(("anchor", "tag", "comment", "yaml_directive"))
KEYS = frozenset(("bare_key", "quoted_key", "dotted_key"))  # of TOML's sections
NAMING_KEYS = ("name", "id", "key", "title")  # by which a record in a list is called
RECORD_NAME = re.compile(r"(?=[^\W\d]).{1,80}$")  # no number, no long text
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
ESCAPED = {"n": "\n", "t": "\t", "r": "\n", "b": " ", "f": " ", "\n": ""}  # a line's end is no part of the text
MAX_CODE_POINT = 0x10FFFF


def key_path(key: Node) -> tuple[str, ...]:
    """The parts of a key, the first MAX_DEPTH of them. Example: "a.'b c'" of toml -> ("a", "b c")."""
    parts: list[str] = []
    waiting = [key]  # not by recursion: the grammar nests a key as deep as it has parts
    while waiting and len(parts) < MAX_DEPTH:
        node = waiting.pop()
        if node.type == "dotted_key":
            waiting += reversed(node.named_children)
        else:
            parts.append(said(text_of(node)))
    return tuple(parts)


def section_path(section: Node) -> tuple[str, ...]:
    """The key path that a section of TOML says."""
    return tuple(part for key in section.named_children if key.type in KEYS for part in key_path(key))


def unwrapped(node: Node, told: Collection[str] = ()) -> Node:
    """The value inside YAML's wrappers, its anchor and tag apart. told: kinds of nodes that stand for it where one is
    there."""
    while node.type in WRAPPERS:
        found = next((child for child in node.named_children if child.type in told), None) if told else None
        if found is not None:
            return found
        inner = [child for child in node.named_children if child.type not in MARKS]
        if len(inner) != 1:
            break
        node = inner[0]
    return node


def pairs_of(mapping: Node | None) -> list[Node]:
    """The pairs of a mapping that have a key."""
    inside = mapping.named_children if mapping is not None else []
    return [pair for pair in inside if pair.type in PAIRS and pair.named_child_count]


def record_names(records: Sequence[Node]) -> list[str]:
    """What the records of a list call themselves; "" for one that does not.

    Where none does, the first key of all of them does it if its texts are all different: "scenario" of a benchmark.
    """
    names = [record_name(record) for record in records]
    first = {key_path(pairs[0].named_children[0]) if len(pairs := pairs_of(each)) > 1 else () for each in records}
    if any(names) or first == {()} or len(first) != 1 or len(records) < 2:
        return names
    (key,) = first
    told = [record_name(record, key) for record in records]
    is_name = len(set(told)) == len(told) and all(RECORD_NAME.match(text) for text in told)
    return told if is_name else names


def record_name(record: Node, keys: Sequence[str] = NAMING_KEYS) -> str:
    """What a record in a list calls itself by the first of these keys that it has, or ""."""
    for pair in pairs_of(record):
        if pair.named_child_count > 1 and key_path(pair.named_children[0])[-1] in keys:
            value = unwrapped(pair.named_children[-1])
            name = "" if value.type in MAPPINGS or value.type in LISTS else said(text_of(value))
            return "" if name.startswith("((") and name.endswith("))") else name  # a template's: no name yet
    return ""


def said(text: str) -> str:
    """What a value says without its quotes: what its backslashes and doubled quotes stand for, made safe."""
    inside = inside_quotes(text, is_one=True)
    if not inside.strip():
        return text
    if text.startswith("'") and not text.startswith("'''"):
        return inside.replace("''", "'")
    if not text.startswith('"') or "\\" not in inside:
        return inside
    plain = ESCAPE.sub(_escaped, inside).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return safe_text(plain)


def _escaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if not code:
        return ESCAPED.get(found[4], found[4])
    return chr(int(code, 16)) if int(code, 16) <= MAX_CODE_POINT else found[0]
