"""JSON, YAML and TOML: a list of objects that share their keys is a table; all else is text and settings.

An object is a row and a key a column; an object inside makes columns of its own ("address.city"), as in JSON lines, and
so does a list of one object. A list stays settings where an entry holds more than that, as a workflow's steps and a
manifest's containers do, and where it stands inside an entry of another list and is no longer than settings are. In a
file that is mostly tables they leave the text. A key of running text is no column: its list stays text, too, where
sentences are found.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.decoding import decoding_warnings, read_decoded
from mixrag_cli.readers.facts.build_files import collect_build_facts
from mixrag_cli.readers.facts.collecting import MAX_VALUE_CHARS
from mixrag_cli.readers.facts.setting_nodes import (
    LISTS,
    MAPPINGS,
    MARKS,
    MAX_DEPTH,
    NAMING_KEYS,
    PAIRS,
    WRAPPERS,
    key_path,
    pairs_of,
    record_names,
    said,
    section_path,
    unwrapped,
)
from mixrag_cli.readers.facts.settings import GRAMMARS, MAX_LISTED_RECORDS, SECTIONS, is_deep
from mixrag_cli.readers.sheets.delimited import add_rows
from mixrag_cli.readers.sheets.grids import MAX_CELL_CHARS, MAX_GRID_COLUMNS
from mixrag_cli.readers.sheets.sampling import RowSampler, SourceRow
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.readers.syntax import Node, end_line, first_line, parse_source
from mixrag_cli.readers.text import add_text, cut_note
from mixrag_cli.records.documents import Document

MAX_PARSED_CHARS = 5_000_000  # a tree takes some 50 times the memory of its text
MIN_RECORDS = 3
MIN_SHARED = 0.8  # of all cells stated: settings of one kind say little that is the same for all
MIN_SHARED_LONG = 0.5  # of a list that is too long to be told as settings
BEAT_RECORDS = 500
EMPTY = ("", '""', "''", "null", "~")
REFERENCES = frozenset(("anchor", "alias"))  # of YAML: what stands elsewhere, or is read there
HOLDING = PAIRS | MAPPINGS | LISTS | WRAPPERS | {"table"}  # nodes inside which there may be lists and comments
MAX_COMMENTS = 50  # above the first entry of a list
ANCHORED = re.compile(r"(?<=[ \t])&([\w-]{1,60})[ \t]+([^\s#&*\[{|>][^\n#]{0,200}?)[ \t]*(?:#|$)", re.MULTILINE)
BRACKETED = frozenset(("array", "flow_sequence"))
CLOSING = b" \t\r\n,]}"

Fields = dict[str, tuple[str, tuple[int, int]]]  # of a record: each text by its column, with its first and last line


@dataclass(frozen=True, slots=True)
class RecordList:
    """A list that is a table.

    path: of keys; nodes: the list, or each of TOML's [[name]]; records: their mappings; fields: of each, those that
    hold no running text; holds_prose: whether there are others.
    """

    path: tuple[str, ...]
    nodes: Sequence[Node]
    records: Sequence[Node]
    fields: Sequence[Fields]
    holds_prose: bool


def read_records(source: ReadSource) -> Document:
    """The settings and the text of such a file, and the tables of its lists.

    Above the text limit only the beginning is read, and a warning says so. Raises FileUnreadable("binary").
    """
    decoded = read_decoded(source, may_cut=True)
    builder = DocumentBuilder("text")
    builder.warnings += [*decoding_warnings(decoded), *cut_note(source)]
    lists = find_record_lists(decoded.text, source)
    settings = _without(decoded.text, lists)
    data = [each for each in lists if not each.holds_prose]
    text = _without(decoded.text, data) if _are_most(data, decoded.text) else decoded.text
    add_text(builder, text, source.suffix, source.beat, settings)
    for each in lists:
        _add_table(builder, each)
    collect_build_facts(builder.facts, decoded.text.split("\n"), source.name.lower())
    return builder.build()


def find_record_lists(text: str, source: ReadSource) -> list[RecordList]:
    """The lists that are tables, in the order of the file."""
    if len(text) > MAX_PARSED_CHARS or is_deep(text):
        return []
    tree = parse_source(GRAMMARS[source.suffix], text, source.beat)
    if tree is None or tree.root_node.is_error:
        return []
    return list(_ListFinder(source, dict(ANCHORED.findall(text))).find(tree.root_node, (), 0))


def _are_most(lists: Sequence[RecordList], text: str) -> bool:
    """Whether a file is mostly these lists, so that only its rest is text; a file of settings stays text whole."""
    n_bytes = sum(node.end_byte - node.start_byte for each in lists for node in each.nodes)
    return 2 * n_bytes > len(text.encode("utf-8", "replace"))


class _ListFinder:
    """Finds the lists of one file that are tables. anchored: the plain values that YAML's anchors stand for."""

    def __init__(self, source: ReadSource, anchored: Mapping[str, str]) -> None:
        self._source = source
        self._anchored = anchored

    def find(self, node: Node, path: tuple[str, ...], depth: int, least: int = MIN_RECORDS) -> Iterator[RecordList]:
        """The tables of so many records, at least, below a node that holds values."""
        if node.type in LISTS:
            yield from self._listed(node, path, depth, least)
            return
        inner = [child for child in node.named_children if child.type in HOLDING] if depth < MAX_DEPTH else []
        if node.type in PAIRS and inner:
            self._source.beat(node.start_byte, self._source.size)
            path = (*path, *key_path(node.named_children[0]))
        for child in inner:
            yield from self.find(child, section_path(child) if child.type == "table" else path, depth + 1, least)
        if node.type == "document":
            yield from self._section_lists(node)

    def _listed(self, node: Node, path: tuple[str, ...], depth: int, least: int) -> Iterator[RecordList]:
        """The list where it is a table, else the long lists inside its entries."""
        firsts = (node.named_child(place) for place in range(min(node.named_child_count, MAX_COMMENTS)))
        first = next((child for child in firsts if child and child.type not in MARKS), None)
        if first is None or unwrapped(first, REFERENCES).type not in MAPPINGS:  # numbers may be a million
            return
        items = [item for item in node.named_children if item.type not in MARKS]
        told = [unwrapped(item, REFERENCES) for item in items]
        if len(items) >= least and (found := self._table(path, [node], told)):
            yield found
        elif depth < MAX_DEPTH:
            names = record_names(told)
            for number, item in enumerate(told, 1):
                inside = (*path, names[number - 1] or str(number))
                yield from self.find(item, inside, depth + 1, MAX_LISTED_RECORDS + 1)

    def _section_lists(self, document: Node) -> Iterator[RecordList]:
        """TOML's lists of tables: those without a table inside, and in no list themselves."""
        sections: dict[tuple[str, ...], list[Node]] = {}
        for child in document.named_children:
            if child.type in SECTIONS:
                sections.setdefault(section_path(child), []).append(child)
        for keys, nodes in sections.items():
            if len(nodes) < MIN_RECORDS:
                continue
            parts = [keys[:length] for length in range(1, len(keys))]
            is_inside = any(part in sections and len(sections[part]) > 1 for part in parts)
            is_flat = not any(len(each) > len(keys) and each[: len(keys)] == keys for each in sections)
            if is_flat and not is_inside and (found := self._table(keys, nodes, nodes)):
                yield found

    def _table(self, path: tuple[str, ...], nodes: Sequence[Node], records: Sequence[Node]) -> RecordList | None:
        """The list where it is a table: of several objects that state nearly the same keys and nothing deeper."""
        is_mapping = all(each.type in MAPPINGS or each.type == "table_array_element" for each in records)
        if len(records) < MIN_RECORDS or not is_mapping or any(node.has_error for node in nodes):
            return None
        is_long = len(records) > MAX_LISTED_RECORDS
        told: list[Fields] = []
        for number, record in enumerate(records):
            if number % BEAT_RECORDS == 0:
                self._source.beat(record.start_byte, self._source.size)
            fields = _fields(record, self._anchored if is_long else None)
            if fields is None:
                return None
            told.append(fields)
        names = {name for fields in told for name in fields}
        prose = {name for fields in told for name, (text, _) in fields.items() if len(text) > MAX_VALUE_CHARS}
        n_columns = len(names - prose)
        least = (MIN_SHARED_LONG if is_long else MIN_SHARED) * len(names) * len(told)
        if sum(map(len, told)) < least or not 1 < n_columns <= MAX_GRID_COLUMNS:
            return None
        if prose:
            told = [{name: field for name, field in fields.items() if name not in prose} for fields in told]
        return RecordList(path, nodes, records, told, bool(prose))


def _fields(record: Node, anchored: Mapping[str, str] | None, above: str = "") -> Fields | None:
    """The record's fields; None where one holds more than texts, lists of texts and, once, an object of such.

    anchored: as of _ListFinder, None where what is anchored or refers to an anchor is no text.
    """
    fields: Fields = {}
    references = REFERENCES if anchored is None else ()
    for pair in pairs_of(record):
        parts = [child for child in pair.named_children if child.type not in MARKS]
        name = above + ".".join(key_path(parts[0]))
        value = _alone(unwrapped(parts[-1], references), references) if len(parts) > 1 else None
        if value is not None and value.type in MAPPINGS and not above:
            inner = _fields(value, anchored, f"{name}.")
            if inner is None:
                return None
            fields |= inner
            continue
        text = "" if value is None else _cell_text(value, anchored or {})
        if text is None:
            return None
        place = pair if value is None else value
        fields[name] = text, (first_line(place) + 1, end_line(place))
    return fields


def _alone(value: Node, references: Collection[str]) -> Node:
    """The object that is alone in a list, any other value itself."""
    if value.type not in LISTS or value.named_child_count > MAX_COMMENTS:
        return value
    items = [unwrapped(item, references) for item in value.named_children if item.type not in MARKS]
    return items[0] if len(items) == 1 and items[0].type in MAPPINGS else value


def _cell_text(value: Node, anchored: Mapping[str, str]) -> str | None:
    written = (value.text or b"").decode("utf-8", "replace")
    if value.type == "alias":
        return anchored.get(written[1:])
    if value.type in REFERENCES or value.type in MAPPINGS:
        return None
    if value.type in LISTS:
        inner = [unwrapped(item, REFERENCES) for item in value.named_children if item.type not in MARKS]
        texts = [None if item.type in LISTS else _cell_text(item, anchored) for item in inner]
        plain = [text for text in texts if text is not None]
        return ", ".join(plain)[:MAX_CELL_CHARS] if len(plain) == len(texts) else None
    if value.type == "block_scalar":
        return " ".join(written.lstrip("|>+-").split())[:MAX_CELL_CHARS]
    return "" if written in EMPTY else said(written)[:MAX_CELL_CHARS]


def _add_table(builder: DocumentBuilder, found: RecordList) -> None:
    told = list(dict.fromkeys(name for fields in found.fields for name in fields))
    naming = [name for name in told if name in NAMING_KEYS][:1]  # in front: the keys of an object may be in any order
    names = list(dict.fromkeys((*naming, *told)))
    sampler = RowSampler()
    sampler.add(SourceRow(0, names))
    for number, (record, fields) in enumerate(zip(found.records, found.fields, strict=True), 1):
        lines = (first_line(record) + 1, end_line(record))
        cells = [fields.get(name, ("", lines)) for name in names]
        sampler.add(SourceRow(number, [text for text, _ in cells], lines, [place for _, place in cells]))
    add_rows(builder, sampler, caption=" > ".join(found.path))


def _without(text: str, lists: Sequence[RecordList]) -> str:
    """The text with the comments and line breaks alone of these lists; below a key "[]" is left of one in brackets.

    What closes below it goes up to its line, so that no bracket stands alone.
    """
    raw = text.encode("utf-8", "replace")
    parts: list[bytes] = []
    done = 0
    paths = {node.id: each.path for each in lists for node in each.nodes}
    for node in sorted((node for each in lists for node in each.nodes), key=lambda node: node.start_byte):
        parts.append(raw[done : node.start_byte])
        end = node.end_byte
        if node.type in BRACKETED and paths[node.id]:
            rest = raw[end:]
            closing = rest[: len(rest) - len(rest.lstrip(CLOSING))].rstrip(b" \t") if node.type == "array" else b""
            end += len(closing)
            parts.append(b"[]" + b"".join(closing.split()))
        parts.append(b"".join(_kept(raw, node, end)))
        done = end
    return b"".join([*parts, raw[done:]]).decode("utf-8", "replace")


def _kept(raw: bytes, node: Node, end: int) -> Iterator[bytes]:
    """Of the bytes of a list up to the end the line breaks, and the comments at their places."""
    done = node.start_byte
    for comment in _comments(node):
        yield b"\n" * raw.count(b"\n", done, comment.start_byte)
        yield raw[comment.start_byte : comment.end_byte]
        done = comment.end_byte
    yield b"\n" * raw.count(b"\n", done, end)


def _comments(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type == "comment":
            yield child
        elif child.type in HOLDING:
            yield from _comments(child)
