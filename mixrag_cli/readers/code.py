"""Source code, by its syntax tree: one block for each function, method and type, and the rest in between.

    1. parse; the tree tolerates errors
    2. walk the scopes: module, then containers (classes, impls, namespaces), outermost first
    3. in each scope, definitions claim their lines, with the comments and decorators right above them
    4. lines that no definition claims are the scope's own: a class's header, docstring and fields; a module's
       imports, constants and statements

A block's text is always its source lines as they are. Languages without a grammar, minified files and files too
large to parse are read by their outline: blank lines and indentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.decoding import decoding_warnings, read_decoded
from mixrag_cli.readers.facts.build_files import collect_build_facts
from mixrag_cli.readers.facts.code import collect_code_facts
from mixrag_cli.readers.facts.line_settings import collect_block_settings
from mixrag_cli.readers.facts.outline import COMMENT, MARKS_OF, collect_outline_facts, opening_of
from mixrag_cli.readers.languages import LanguageShape, language_of, script_suffix
from mixrag_cli.readers.lines import add_lines, line_runs, trim_blank
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.readers.syntax import (
    Node,
    assigned_name,
    end_line,
    first_line,
    n_lines,
    name_of,
    parse_source,
    plain_name,
    receiver_name,
    text_of,
)
from mixrag_cli.records.documents import Document

MAX_DEPTH = 200
MAX_PARSED_CHARS = 5_000_000  # a tree takes some 50 times the memory of its text
MINIFIED_MEAN_LINE = 400  # characters; people's code has 30 to 45, minified code thousands
# A statement or function above this is looked into for definitions: a module wrapped in one call, a factory.
LARGE_LINES = 150
SMALL_CHARS = 400  # of loose lines: less than half a passage, as of a section of running text

BLOCKWISE = ("tf", "hcl")  # code that is made of blocks of settings

HAS_WORD = re.compile(r"\w")
OUTLINE_CLOSES = re.compile(r"[ \t]|[})\]]|end\b|else\b|fi\b|done\b")


def read_code(source: ReadSource) -> Document:
    """The document of a source file.

    Raises FileUnreadable("binary") and ("too-large").
    """
    decoded = read_decoded(source)
    builder = DocumentBuilder("code")
    builder.warnings += decoding_warnings(decoded)
    add_code(builder, decoded.text, source.suffix, source.beat)
    collect_build_facts(builder.facts, decoded.text.split("\n"), source.name.lower())
    return builder.build()


def add_code(builder: DocumentBuilder, text: str, suffix: str, beat: Callable[[int, int], None]) -> None:
    """Add the code's blocks; the builder's title becomes the first line of the module's docstring."""
    lines = text.split("\n")
    shape = language_of(suffix, text)
    tree = None
    if shape is not None and len(text) <= MAX_PARSED_CHARS and len(text) <= MINIFIED_MEAN_LINE * len(lines):
        tree = parse_source(shape, text, beat)
    if shape is None or tree is None:
        suffix = suffix if suffix in BLOCKWISE or suffix in MARKS_OF else script_suffix(text)
        if suffix in BLOCKWISE:
            collect_block_settings(builder.facts, lines)
        elif suffix in MARKS_OF:
            collect_outline_facts(builder.facts, lines, suffix)
        return _add_outline(builder, lines)
    builder.title = builder.title or _docstring_title(tree.root_node)
    _ScopeReader(builder, lines, shape).add_module(tree.root_node)
    collect_code_facts(builder.facts, tree.root_node, lines, shape, beat)
    return None


@dataclass(frozen=True, slots=True)
class _Definition:
    """A definition and the lines it claims, [first, last) from 0. inner: the node that bears the name."""

    node: Node
    inner: Node
    first: int
    last: int
    name: str


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where a definition stands: the scopes as shown and the qualified name so far."""

    path: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def qualify(self, name: str) -> str:
        """The name with those of the enclosing scopes in front."""
        return ".".join((*self.names, name))

    def enter(self, label: str, name: str) -> _Scope:
        """The scope inside the named thing."""
        return _Scope((*self.path, f"{label} {name}"), (*self.names, plain_name(name)))


class _ScopeReader:
    """Walks the scopes of one tree and adds their blocks."""

    def __init__(self, builder: DocumentBuilder, lines: Sequence[str], shape: LanguageShape) -> None:
        self._builder = builder
        self._lines = lines
        self._shape = shape

    def add_module(self, root: Node) -> None:
        """Add all blocks of the file."""
        done = 0
        for found in self._definitions(root, 0, len(self._lines)):
            add_lines(self._builder, self._lines, (done, found.first), "code", ())
            self._add_definition(found, _Scope(), 0)
            done = found.last
        if self._says_something((done, len(self._lines))):
            add_lines(self._builder, self._lines, (done, len(self._lines)), "code", ())

    def _add_definition(self, found: _Definition, scope: _Scope, depth: int) -> None:
        label = self._label(found)
        inside = self._definitions(found.inner, found.first + 1, found.last) if label and depth < MAX_DEPTH else []
        if found.inner.type in self._shape.functions:
            receiver = found.inner.child_by_field_name("receiver")
            scope = scope.enter("type", receiver_name(receiver)) if receiver is not None else scope
        if not inside and found.inner.type not in self._shape.spaces:
            self._add_named((found.first, found.last), scope.path, scope.qualify(plain_name(found.name)))
            return
        self._add_container(found, inside, scope, scope.enter(label, found.name), depth)

    def _add_container(
        self, found: _Definition, inside: list[_Definition], outer: _Scope, scope: _Scope, depth: int
    ) -> None:
        head_end = inside[0].first if inside else found.last
        if found.inner.type not in self._shape.spaces:
            self._add_named((found.first, head_end), outer.path, ".".join(scope.names))
        elif sum(map(_has_word, self._lines[found.first : head_end])) > 1:  # else it opens the namespace, no more
            self._add_rest((found.first, head_end), scope)
        done = head_end
        for child in inside:
            self._add_rest((done, child.first), scope)
            self._add_definition(child, scope, depth + 1)
            done = child.last
        self._add_rest((done, found.last), scope)

    def _add_named(self, span: tuple[int, int], path: tuple[str, ...], name: str) -> None:
        first, last = trim_blank(self._lines, span)
        text = "\n".join(self._lines[first:last])
        self._builder.add(text, "definition", heading_path=path, name=name, lines=(first + 1, last))

    def _add_rest(self, span: tuple[int, int], scope: _Scope) -> None:
        if self._says_something(span):
            add_lines(self._builder, self._lines, span, "code", scope.path)

    def _says_something(self, span: tuple[int, int]) -> bool:
        """Whether there is more than brackets in the lines."""
        return any(_has_word(line) for line in self._lines[span[0] : span[1]])

    def _label(self, found: _Definition) -> str:
        """What a person calls this scope; "" for what is not looked into."""
        label = self._shape.containers.get(found.inner.type, "")
        return label or ("function" if found.last - found.first > LARGE_LINES else "")

    def _definitions(self, scope: Node, first: int, last: int) -> list[_Definition]:
        """The definitions right inside a scope, in order, with lines of their own in [first, last)."""
        found: list[_Definition] = []
        self._collect(scope, found, 0)
        kept: list[_Definition] = []
        for each in found:
            start = max(each.first, kept[-1].last if kept else first)
            # a line that several share stays with the scope, or with the first of them
            shares_end = each.last > last or (each.last == last and each.node.end_byte != scope.end_byte and first > 0)
            if start <= first_line(each.node) and not shares_end:
                kept.append(_Definition(each.node, each.inner, start, each.last, each.name))
        return kept

    def _collect(self, scope: Node, found: list[_Definition], depth: int) -> None:
        children = scope.named_children  # once: asking a node for its sibling walks all of them each time
        for place, child in enumerate(children):
            if child.type in self._shape.spaces and scope.parent and first_line(child) == first_line(scope):
                self._collect(child, found, depth + 1)  # namespace a { namespace b {
                continue
            unwrapped = self._unwrap(child, "", 0)
            if unwrapped is not None:
                inner, name = unwrapped
                found.append(
                    _Definition(child, inner, self._first_with_leading(children, place), end_line(child), name)
                )
            elif depth < MAX_DEPTH and self._is_looked_into(child):
                self._collect(child, found, depth + 1)

    def _is_looked_into(self, node: Node) -> bool:
        if node.type in self._shape.transparent or node.type == "ERROR":
            return True
        return node.child_count > 0 and end_line(node) - first_line(node) > LARGE_LINES

    def _unwrap(self, node: Node, name: str, depth: int) -> tuple[Node, str] | None:
        """The definition that the node is or wraps, with its name."""
        shape = self._shape
        if node.type in shape.functions or (node.type in shape.containers and n_lines(node) > 1):
            return node, name_of(node) or name
        if node.type in shape.types and n_lines(node) > 1:
            return node, name_of(node) or name
        if node.type in shape.values and name:
            return node, name
        if node.type not in shape.wrappers or depth > 4:
            return None
        for child in node.named_children:
            if (unwrapped := self._unwrap(child, assigned_name(node) or name, depth + 1)) is not None:
                return unwrapped
        return None

    def _first_with_leading(self, children: Sequence[Node], place: int) -> int:
        """The first line of the comments, attributes and decorators that stand right above, or the node's own."""
        first = first_line(children[place])
        for before in range(place - 1, -1, -1):
            node = children[before]
            if node.type not in self._shape.leading or end_line(node) < first:
                break
            above = children[before - 1] if before else None
            if above is not None and above.type not in self._shape.leading and end_line(above) > first_line(node):
                break  # a comment at the end of another statement's line
            first = first_line(node)
        return first


def _has_word(line: str) -> bool:
    return HAS_WORD.search(line) is not None and line.strip() != "end"


def _add_outline(builder: DocumentBuilder, lines: Sequence[str]) -> None:
    """Blocks by blank lines; a run that begins indented or with a closing bracket goes on with the one before.

    Plain statements without a comment of their own go on with a few above, too.
    """
    groups: list[tuple[int, int]] = []
    for first, last in line_runs(lines, 0, len(lines)):
        if groups and OUTLINE_CLOSES.match(lines[first]):
            groups[-1] = (groups[-1][0], last)
        else:
            groups.append((first, last))
    loose = (0, 0)  # lines that wait for what goes on with them
    for first, last in groups:
        code = next((line for line in lines[first:last] if not COMMENT.match(line) and not line.startswith("@")), "")
        named = opening_of(code)
        if named and last - first <= LARGE_LINES:
            add_lines(builder, lines, loose, "code", ())
            loose = (last, last)
            text = "\n".join(lines[first:last])
            builder.add(text, "definition", heading_path=(), name=named[0], lines=(first + 1, last))
        elif named or not _goes_on(lines, loose, (first, last)):
            add_lines(builder, lines, loose, "code", ())
            loose = (first, last)
        else:
            loose = (loose[0], last)
    add_lines(builder, lines, loose, "code", ())


def _goes_on(lines: Sequence[str], above: tuple[int, int], run: tuple[int, int]) -> bool:
    """Whether a run of statements stays with those above: they are few, none is a block, and no comment parts them."""
    said = [line for line in lines[slice(*above)] if line.strip()]
    is_headed = COMMENT.match(lines[run[0]]) is not None
    is_flat = not any(line[:1] in (" ", "\t") for line in (*said, *lines[slice(*run)]))
    return sum(map(len, said)) < SMALL_CHARS and is_flat and not is_headed


def _docstring_title(root: Node) -> str:
    """The first line of the string that opens the module, or ""."""
    first = next((child for child in root.named_children if child.type != "comment"), None)
    if first is not None and first.type == "expression_statement" and first.named_children:
        first = first.named_children[0]
    if first is None or first.type != "string":
        return ""
    content = text_of(first).strip("rRbBuUfF").strip("\"'")
    raw = (first.text or b"").decode("utf-8", "replace").strip("rRbBuUfF").strip("\"'").strip()
    return raw.split("\n", 1)[0].strip() if content else ""
