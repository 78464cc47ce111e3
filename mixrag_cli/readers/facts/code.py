"""Facts of source code, from the syntax tree that the code reader made.

    binding     NAME = 5; an attribute, a member of an enumeration      (scope …, name)
    parameter   def send(timeout=30)                                    (scope …, function, parameter)
    pair        {"k": 1}, Settings(port=80), Self { port: 80 }          (… what it is bound to, key)
    arm         case 404: return "not found"                            (scope …, subject, pattern)
    return      if not found: return None                               (scope …, function, "if not found")
    option      parser.add_argument("--port", default=80, help="…")     (scope …, "--port")
    entry       config.set("a.port", 80); getenv("PORT", 80)            (scope …, what is called, name)

What is computed is no fact, except where a person named it a constant or made it a default: then it is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mixrag_cli.readers.facts.calls import block_name, called_name, set_by, sets_on_object
from mixrag_cli.readers.facts.collecting import FactCollector
from mixrag_cli.readers.facts.comments import comment_at
from mixrag_cli.readers.facts.fallbacks import DECIDING, decided
from mixrag_cli.readers.facts.nodes import (
    arms_of,
    assigned_alone,
    bindings_of,
    chained_default,
    condition_text,
    end_column,
    first_field,
    holds_keys,
    is_literal,
    is_named_by_type,
    is_named_value,
    is_reckoned,
    key_of,
    split_arm,
    stated_text,
    value_of,
)
from mixrag_cli.readers.facts.options import Option, attributed_option, described_member, read_option
from mixrag_cli.readers.facts.parameter_docs import CONSTRUCTORS, ParameterDocs
from mixrag_cli.readers.facts.shapes import CONDITION_FIELDS, FUNCTION_VALUES, NOT_LOOKED_INTO, SHAPES, FactShape
from mixrag_cli.readers.languages import LanguageShape
from mixrag_cli.readers.syntax import Node, declared_name, name_of, plain_name, receiver_name, text_of
from mixrag_cli.records.documents import FactColumn, FactSort

MAX_DEPTH = 180  # of nodes: two or three frames of Python's thousand each
MAX_EXPRESSION_CHARS = 120  # of a computed constant or default that is quoted
MAX_CONDITIONS = 3  # of a return: the innermost
DECLARATIONS = ("declaration", "field_declaration")  # of C's functions, without a body
MAX_ASSIGNING_PARTS = 2  # of an arm: the assignment and its break
BEAT_NODES = 5_000
CONSTANT_NAME = re.compile(r"_{0,2}[A-Z][A-Z0-9_]*$")
INSTANCE_ATTRIBUTE = re.compile(r"(?:self|this)(?:\.|->)(\w+)$|@(\w+)$")
ANNOTATED = re.compile(r"(?:\w+\.)?Annotated\[ ?(?P<type>[^,]{1,100}),")
DOC = re.compile(r"Doc\(\s{0,99}[rR]?(?P<mark>\"{3}|[\"'])(?P<text>.{1,2000}?)(?P=mark)", re.DOTALL)
EXPANSION_WITH_DEFAULT = re.compile(r"\$\{\w+:?[-=]")
POSITION = re.compile(r"[\"']?\$\{?[\d@*]\}?[\"']?$")  # the argument of a script, which states nothing


@dataclass(frozen=True, slots=True)
class _Context:
    """Where the walk is. scope: names of what encloses. conditions: of ifs and arms inside the function.

    key: what the value that is being looked into is bound to. is_local: inside a function. is_arm: inside an arm.
    is_argument: inside of what a function hands to another, which states nothing about itself.
    """

    scope: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    is_local: bool = False
    is_arm: bool = False
    is_argument: bool = False


def collect_code_facts(
    collector: FactCollector,
    root: Node,
    lines: Sequence[str],
    language: LanguageShape,
    beat: Callable[[int, int], None],
) -> None:
    """Collect the facts of a source file. lines: of the file, for the comments beside what is found."""
    if (shape := SHAPES.get(language.module)) is not None:
        _Walk(collector, lines, language, shape, beat).visit(root, _Context(), 0)


class _Walk:
    """One pass over a tree."""

    def __init__(
        self,
        collector: FactCollector,
        lines: Sequence[str],
        language: LanguageShape,
        shape: FactShape,
        beat: Callable[[int, int], None],
    ) -> None:
        self._collector = collector
        self._lines = lines
        self._language = language
        self._shape = shape
        self._beat = beat
        self._seen = 0
        self._docs = ParameterDocs(lines, language.comments)

    def visit(self, node: Node, context: _Context, depth: int) -> None:
        """Collect what the node and all below it state."""
        self._seen += 1
        if self._seen % BEAT_NODES == 0:
            self._beat(node.start_point.row, len(self._lines))
        if depth > MAX_DEPTH or self._collector.is_full or node.type in NOT_LOOKED_INTO:
            return
        shape, kind = self._shape, node.type
        is_told = context.key or (context.is_local and not context.is_argument)
        if kind in shape.pairs and is_told and self._pair(node, context, depth):
            return
        if kind in shape.bindings and self._binding(node, context, depth):
            return
        if kind in shape.parameters and self._parameter(node, context):
            return
        if kind in shape.returns or (kind == "export_statement" and node.child_by_field_name("value") is not None):
            self._return(node, context, depth)
        elif kind in shape.switches:
            self._switch(node, context, depth)
        elif kind in shape.branches:
            self._branch(node, context, depth)
        elif kind in shape.calls:
            self._call(node, context, depth)
        elif kind in shape.attributed:
            self._attributed(node, context, depth)
        elif kind in DECIDING and (found := list(decided(node, context.key, is_local=context.is_local))):
            for each in found:
                self._add((*context.scope, *each.keys), each.sort, each.owner, each.value)
        else:
            self._children(node, self._inside(node, context), depth)

    def _children(self, node: Node, context: _Context, depth: int) -> None:
        for child in node.named_children:
            self.visit(child, context, depth + 1)

    def _inside(self, node: Node, context: _Context) -> _Context:
        """The context for what the node holds: another scope where it defines something."""
        language = self._language
        if node.type == "decorated_definition":  # so that a command's options are told under its name
            inner = node.child_by_field_name("definition")
            return replace(context, key=(name_of(inner),)) if inner is not None else context
        if node.type in language.containers or node.type in language.types:
            context = _Context((*context.scope, plain_name(name_of(node))))
            self._docs.enter(context.scope, node)
            return context
        if node.type in language.functions:
            receiver = node.child_by_field_name("receiver")
            owner = (receiver_name(receiver),) if receiver is not None else ()
            context = _Context((*context.scope, *owner, plain_name(name_of(node))), is_local=True)
        elif node.type in DECLARATIONS and (declarator := node.child_by_field_name("declarator")) is not None:
            is_function = declarator.type == "function_declarator"
            return _Context((*context.scope, declared_name(declarator))) if is_function else context
        elif self._is_function(node):
            local = _Context((*context.scope, *context.key), is_local=True)
            if not context.key:
                return local  # without a name it answers for no one
            context = local
        else:
            return context
        self._docs.enter(context.scope, node)
        self._tail(node, context)
        return context

    def _tail(self, function: Node, context: _Context) -> None:
        """Take the literal that a function's body is, or ends with where that is its answer."""
        body = function.child_by_field_name("body")
        if body is not None and body.type in self._shape.tails and body.named_child_count:
            body = body.named_children[-1]
        if body is not None and (is_literal(body) or is_named_by_type(body)):
            self._add(context.scope, "return", function, body)

    # -- what is bound to a name

    def _binding(self, node: Node, context: _Context, depth: int) -> bool:
        """Take name = value, each of them; False where the node is none."""
        seen: list[Node] = []
        for name, value in bindings_of(node):
            self._bound(name, value, node, context, depth, is_seen=value in seen)
            seen.append(value)
        return bool(seen)

    def _bound(self, name: str, value: Node, node: Node, context: _Context, depth: int, *, is_seen: bool) -> None:
        """Take what a node binds to a name. is_seen: whether another name of the same value was looked into."""
        is_member = bool(context.scope) and not context.is_local and self._is_member(node)
        if context.is_local and (attribute := INSTANCE_ATTRIBUTE.match(name)):
            name = attribute.group(1) or attribute.group(2)
            if context.scope[-1:] and context.scope[-1] in CONSTRUCTORS:
                context = replace(context, scope=context.scope[:-1], is_local=False)
        inner = replace(context, key=(*context.key, name))
        is_called = value.type == "call" and bool(context.scope) and not context.is_local and not context.key
        described = described_member(value) if is_called else None
        if described is not None:
            return self._described(name, node, described, context, depth)
        is_named = (is_member or node.type in self._shape.constants) and is_named_value(value)
        if self._is_stated(name, value, context) or (is_named and not context.is_local and self._is_quoted(value)):
            self._add((*context.scope, *inner.key), "constant", node, value)
        elif not is_seen:
            self.visit(value, inner, depth + 1)
        return None

    def _described(
        self, name: str, node: Node, described: tuple[Option, list[Node]], context: _Context, depth: int
    ) -> None:
        """Take a member's default and what it is for, which a call says, and the call's other keywords."""
        option, others = described
        declared = node.child_by_field_name("type")
        if declared is not None:
            option.say("type", declared)
        self._collector.add((*context.scope, name), "default", *option.values)
        for argument in others:
            self.visit(argument, replace(context, key=(name,)), depth + 1)

    def _is_member(self, node: Node) -> bool:
        """Whether what is bound is a member of its class with a type of its own: its value is then a default."""
        return node.type in self._shape.members or node.child_by_field_name("type") is not None

    def _is_stated(self, name: str, value: Node, context: _Context) -> bool:
        """Whether the binding states its value: a literal, or the short expression of a named constant."""
        is_constant = CONSTANT_NAME.match(name) is not None
        if context.is_local and not is_constant:
            return False
        return is_literal(value) or ((is_constant or is_reckoned(value)) and self._is_quoted(value))

    def _is_quoted(self, value: Node) -> bool:
        """Whether what is computed is short enough to be quoted, and nothing to look into."""
        is_short = value.end_byte - value.start_byte <= MAX_EXPRESSION_CHARS
        text = text_of(value)
        is_default = value.type == "expansion" and EXPANSION_WITH_DEFAULT.match(text) is not None
        is_told = not POSITION.match(text) and not is_default and not holds_keys(value, self._shape)
        return is_short and is_told and not self._is_function(value)

    def _is_function(self, node: Node) -> bool:
        return node.type in FUNCTION_VALUES or node.type in self._language.values

    def _parameter(self, node: Node, context: _Context) -> bool:
        name, value = key_of(node), value_of(node)
        if node.type == "expansion" and not EXPANSION_WITH_DEFAULT.match(text_of(node)):
            return False
        if not name or value is None or self._is_function(value):
            return False
        declared = node.child_by_field_name("type")
        option = read_option(value) or (read_option(declared) if declared is not None else None)
        if option is not None:
            option.names = option.names or [f"--{name.strip('_').replace('_', '-')}"]
            if read_option(value) is None:
                option.say("default", value)
            self._add_option(option, node, context)
        elif value.end_byte - value.start_byte <= MAX_EXPRESSION_CHARS:
            is_variable = node.type == "expansion" and not name.isdigit()
            path = (*context.key, *(() if name.isdigit() and context.key else (name,)))
            self._add((*context.scope, *((name,) if is_variable else path)), "default", node, value)
        return True

    def _pair(self, node: Node, context: _Context, depth: int) -> bool:
        name, value = key_of(node), value_of(node)
        if not name or value is None:
            return False
        inner = replace(context, key=(*context.key, name))
        path = (*context.scope, *context.conditions[-MAX_CONDITIONS:], *inner.key)
        if is_literal(value) or is_reckoned(value) or is_named_by_type(value):
            self._add(path, "entry", node, value)
        elif (default := chained_default(value)) is not None:
            self._add(path, "default", node, default)
        else:
            self.visit(value, inner, depth + 1)
        return True

    # -- what a function answers

    def _return(self, node: Node, context: _Context, depth: int) -> None:
        values = node.named_children
        if len(values) == 1 and context.is_local and (is_literal(values[0]) or is_named_by_type(values[0])):
            sort: FactSort = "case" if context.is_arm else "return"
            self._add((*context.scope, *context.conditions[-MAX_CONDITIONS:]), sort, node, values[0])
        elif not context.is_local and len(values) == 1 and holds_keys(values[0], self._shape):
            given = values[0].child_by_field_name("arguments")  # of defineConfig({…})
            handed = given if given is not None and holds_keys(given, self._shape) else node
            self._children(handed, replace(context, is_local=True), depth)  # what the module hands out
        else:
            self._children(node, context, depth)

    def _branch(self, node: Node, context: _Context, depth: int) -> None:
        condition = first_field(node, CONDITION_FIELDS)
        word = "unless" if node.type.startswith("unless") else "if"
        said = f"{word} {condition_text(condition)}" if condition is not None else word
        if not context.is_local:  # what a module does under a condition is still the module's
            return self._children(node, context, depth)
        for number, child in enumerate(node.children):
            if not child.is_named or child == condition:
                continue
            is_else = node.field_name_for_child(number) == "alternative" or child.type in ("else_clause", "else")
            if is_else and child.type in self._shape.branches:  # else if: has a condition of its own
                self.visit(child, context, depth + 1)
                continue
            conditions = (*context.conditions, f"else of {said}" if is_else else said)
            self.visit(child, replace(context, conditions=conditions), depth + 1)
        return None

    def _switch(self, node: Node, context: _Context, depth: int) -> None:
        subject = first_field(node, CONDITION_FIELDS) or (node.named_children[0] if node.named_child_count else None)
        about = condition_text(subject) if subject is not None else ""
        above: list[str] = []  # patterns of the arms that fall through
        for arm in arms_of(node, self._shape):
            pattern, body = split_arm(arm, self._shape.arms[arm.type])
            above.append(pattern)
            if body:
                conditions = (*context.conditions, about, ", ".join(above))
                above = []
                for part in body:
                    self._arm_part(part, replace(context, conditions=conditions, is_arm=True), depth)
                    self._arm_assignment(part, len(body), replace(context, conditions=conditions))

    def _arm_assignment(self, part: Node, n_parts: int, context: _Context) -> None:
        """Take the literal that an arm gives to a name, where that is all it does but to break."""
        if n_parts <= MAX_ASSIGNING_PARTS and (assigned := assigned_alone(part)):
            path = (*context.scope, *context.conditions[-MAX_CONDITIONS:], key_of(assigned[0]))
            self._add(path, "case", *assigned)

    def _arm_part(self, part: Node, context: _Context, depth: int) -> None:
        is_wrapper = part.type in ("then", "expression_statement") and part.named_child_count == 1
        inner = part.named_children[0] if is_wrapper else part
        if is_literal(inner) or is_named_by_type(inner):
            self._add((*context.scope, *context.key, *context.conditions[-MAX_CONDITIONS:]), "case", part, inner)
        else:
            self.visit(part, context, depth + 1)

    # -- calls

    def _call(self, node: Node, context: _Context, depth: int) -> None:
        """An option of the command line, or what is set by name; of other calls of a module what their keywords say."""
        option = read_option(node)
        if option is not None and option.names:
            self._add_option(option, node, context)
            if (chain := node.child_by_field_name("function")) is not None:
                self.visit(chain, context, depth + 1)
            return
        called = called_name(node)
        is_setting = sets_on_object(node) if context.is_local or context.key else True
        if (pair := set_by(node, is_setting=is_setting)) is not None:
            self._add((*context.scope, *(context.key or (called,)), pair[0]), "entry", node, pair[1])
            return
        if name := block_name(node):
            context = replace(context, scope=(*context.scope, name))
        if context.is_local:
            context = replace(context, key=(), is_argument=True)
        elif not context.key and called:
            context = replace(context, key=(called,))
        self._children(node, context, depth)

    def _attributed(self, node: Node, context: _Context, depth: int) -> None:
        """Take the options that attributes make of a struct's members."""
        attributes: list[Node] = []
        for child in node.named_children:
            if child.type == "attribute_item":
                attributes.append(child)
            elif "comment" not in child.type:
                option = attributed_option(name_of(child), attributes) if attributes else None
                if option is not None:
                    told, where = comment_at(self._lines, attributes[0].start_point.row, None, "//")
                    if all(column != "help" for column, _, _ in option.values):
                        option.values.append(("help", told, where))
                    self._add_option(option, child, context)
                attributes = []
                self.visit(child, context, depth + 1)

    def _add_option(self, option: Option, node: Node, context: _Context) -> None:
        scope = context.scope if context.is_local else (*context.scope, *context.key)
        name = ", ".join(option.names)
        values = option.values or [("value", name, node.start_point.row + 1)]
        self._collector.add((*scope, name), "option", *values)

    def _add(self, path: tuple[str, ...], sort: FactSort, node: Node, value: Node) -> None:
        """Take what a node says: its value, its type where it declares one, its comment where it has one."""
        row = value.start_point.row
        column: FactColumn = "default" if sort == "default" else "value"
        text, line = stated_text(value)
        if value.type in ("arguments", "argument_list"):
            text = text[1:-1]
        declared = node.child_by_field_name("type") if sort in ("constant", "default") else None
        type_text = text_of(declared).lstrip(": ") if declared is not None else ""
        comment, where = comment_at(self._lines, row, end_column(value, self._lines), self._language.comments)
        if not comment and (begin := node.start_point.row) < row:
            comment, where = comment_at(self._lines, begin, None, self._language.comments)
        if sort in ("constant", "default") and not (comment and where == row + 1):
            comment, where = self._docs.said_of(path) or (comment, where)
        if declared is not None and (annotated := ANNOTATED.match(type_text)):
            type_text = annotated["type"]
            told = DOC.search((declared.text or b"").decode("utf-8", "replace"))
            comment, where = (told["text"], declared.start_point.row + 1) if told else (comment, where)
        self._collector.add(path, sort, (column, text, line), ("type", type_text, row + 1), ("help", comment, where))
