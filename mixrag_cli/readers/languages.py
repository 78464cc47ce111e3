"""The programming languages that the code reader knows: which syntax nodes define something, and which enclose.

One entry a language. Everything else about code is in the reader and the same for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _labels(text: str) -> dict[str, str]:
    """Example: "class_declaration:class enum_item:enum" -> {"class_declaration": "class", "enum_item": "enum"}"""
    return dict(pair.split(":") for pair in text.split())


@dataclass(frozen=True, slots=True)
class LanguageShape:
    """The node types of one grammar that matter here.

    module, function: the grammar package and what it calls its language. functions: definitions that stand alone.
    types: definitions without methods, which stand alone when they have several lines. containers: node type to the
    word that a person uses for it; what they hold stands alone. spaces: containers that say nothing but their name.
    wrappers: nodes that a definition may be wrapped in (decorators, export, an assignment). values: functions without
    a name of their own, called after what they are assigned to. transparent: nodes to look into. leading: nodes that
    belong to the definition right after them. unread: what is blanked before parsing, for the grammar takes it for
    something else. comments: the mark that opens a comment's line: "#", "//" (with /* and *), or both.
    """

    module: str
    function: str = "language"
    functions: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    containers: Mapping[str, str] = field(default_factory=dict)
    spaces: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    transparent: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset({"comment"})
    unread: re.Pattern[str] | None = None
    comments: Literal["#", "//", "# //"] = "//"


_JS_WRAPPERS = (
    "export_statement lexical_declaration variable_declaration variable_declarator expression_statement "
    "assignment_expression field_definition public_field_definition ambient_declaration"
)
_JS_VALUES = _set("arrow_function function_expression generator_function")
_JS_FUNCTIONS = "function_declaration generator_function_declaration method_definition"
_TS_CONTAINERS = _labels(
    "class_declaration:class abstract_class_declaration:class internal_module:namespace module:namespace"
)
_TS = {
    "functions": _set(_JS_FUNCTIONS),
    "types": _set("interface_declaration type_alias_declaration enum_declaration"),
    "containers": _TS_CONTAINERS,
    "spaces": _set("internal_module module"),
    "wrappers": _set(_JS_WRAPPERS),
    "values": _JS_VALUES,
    "transparent": _set("class_body statement_block"),
    "leading": _set("comment decorator"),
}
# struct LEVELDB_EXPORT Options { …: a macro that the preprocessor takes away, in front of the type's name
_C_EXPORT_MACRO = re.compile(
    r"\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+"
    r"(?P<unread>[A-Z][A-Z0-9_]{2,80}(?:\([\w\", ]{0,80}\))?)"
    r"(?=\s+[A-Za-z_][\w:]{0,200}(?:<[^<>{};]{0,200}>)?\s*(?:final\s*)?(?::[^:{};][^{};]{0,1000})?\{)"
)
_C_TRANSPARENT = "preproc_ifdef preproc_if preproc_else preproc_elif linkage_specification declaration_list"

PYTHON = LanguageShape(
    "tree_sitter_python",
    functions=_set("function_definition"),
    containers=_labels("class_definition:class"),
    wrappers=_set("decorated_definition"),
    transparent=_set(
        "block if_statement elif_clause else_clause try_statement except_clause finally_clause with_statement"
    ),
    comments="#",
)
JAVASCRIPT = LanguageShape(
    "tree_sitter_javascript",
    functions=_set(_JS_FUNCTIONS),
    containers=_labels("class_declaration:class"),
    wrappers=_set(_JS_WRAPPERS),
    values=_JS_VALUES,
    transparent=_set("class_body statement_block"),
    leading=_set("comment decorator"),
)
TYPESCRIPT = LanguageShape("tree_sitter_typescript", "language_typescript", **_TS)  # type: ignore[arg-type]
TSX = LanguageShape("tree_sitter_typescript", "language_tsx", **_TS)  # type: ignore[arg-type]
GO = LanguageShape(
    "tree_sitter_go",
    functions=_set("function_declaration method_declaration"),
    types=_set("type_declaration"),
)
RUST = LanguageShape(
    "tree_sitter_rust",
    functions=_set("function_item macro_definition"),
    types=_set("struct_item enum_item union_item"),
    containers=_labels("impl_item:impl trait_item:trait mod_item:mod"),
    spaces=_set("mod_item"),
    transparent=_set("declaration_list block"),
    leading=_set("line_comment block_comment attribute_item"),
)
JAVA = LanguageShape(
    "tree_sitter_java",
    functions=_set("method_declaration constructor_declaration compact_constructor_declaration"),
    types=_set("annotation_type_declaration"),
    containers=_labels(
        "class_declaration:class interface_declaration:interface enum_declaration:enum record_declaration:record"
    ),
    transparent=_set("class_body interface_body enum_body enum_body_declarations block"),
    leading=_set("line_comment block_comment"),
)
C = LanguageShape(
    "tree_sitter_c",
    functions=_set("function_definition"),
    types=_set("struct_specifier union_specifier enum_specifier type_definition preproc_function_def"),
    transparent=_set(_C_TRANSPARENT),
    unread=_C_EXPORT_MACRO,
)
CPP = LanguageShape(
    "tree_sitter_cpp",
    functions=_set("function_definition"),
    types=_set("union_specifier enum_specifier type_definition preproc_function_def concept_definition"),
    containers=_labels("class_specifier:class struct_specifier:struct namespace_definition:namespace"),
    spaces=_set("namespace_definition"),
    wrappers=_set("template_declaration"),
    transparent=_set(_C_TRANSPARENT + " field_declaration_list compound_statement"),
    unread=_C_EXPORT_MACRO,
)
CSHARP = LanguageShape(
    "tree_sitter_c_sharp",
    functions=_set(
        "method_declaration constructor_declaration destructor_declaration operator_declaration "
        "conversion_operator_declaration indexer_declaration local_function_statement"
    ),
    types=_set("enum_declaration"),
    containers=_labels(
        "class_declaration:class struct_declaration:struct interface_declaration:interface record_declaration:record "
        "namespace_declaration:namespace"
    ),
    spaces=_set("namespace_declaration"),
    transparent=_set("declaration_list block global_statement preproc_if preproc_region"),
)
RUBY = LanguageShape(
    "tree_sitter_ruby",
    functions=_set("method singleton_method"),
    containers=_labels("class:class module:module singleton_class:class"),
    spaces=_set("module"),
    transparent=_set("body_statement"),
    comments="#",
)
PHP = LanguageShape(
    "tree_sitter_php",
    "language_php",
    functions=_set("function_definition method_declaration"),
    containers=_labels(
        "class_declaration:class interface_declaration:interface trait_declaration:trait enum_declaration:enum "
        "namespace_definition:namespace"
    ),
    spaces=_set("namespace_definition"),
    transparent=_set("declaration_list enum_declaration_list compound_statement if_statement"),
    leading=_set("comment attribute_list"),
    comments="# //",
)
BASH = LanguageShape(
    "tree_sitter_bash",
    functions=_set("function_definition"),
    transparent=_set("if_statement compound_statement else_clause"),
    comments="#",
)

BY_SUFFIX = {
    suffix: shape
    for shape, suffixes in (
        (PYTHON, "py pyi pyw"),
        (JAVASCRIPT, "js mjs cjs jsx"),
        (TYPESCRIPT, "ts mts cts"),
        (TSX, "tsx"),
        (GO, "go"),
        (RUST, "rs"),
        (JAVA, "java"),
        (C, "c h"),
        (CPP, "cc cpp cxx hpp hh hxx"),
        (CSHARP, "cs"),
        (RUBY, "rb"),
        (PHP, "php"),
        (BASH, "sh bash"),
    )
    for suffix in suffixes.split()
}
CPP_ONLY = re.compile(r"^[ \t]{0,8}(?:class|namespace|template|using|public:|private:)\b", re.MULTILINE)


# Interpreters without their version, as scripts without a suffix name them in their first line.
BY_INTERPRETER = {
    name: shape
    for shape, names in (
        (PYTHON, "python pypy"),
        (JAVASCRIPT, "node nodejs bun"),
        (TYPESCRIPT, "ts-node tsx deno"),
        (RUBY, "ruby jruby"),
        (PHP, "php"),
        (BASH, "sh bash dash ash ksh"),
    )
    for name in names.split()
}
# Those of languages without a grammar here, with the suffix of their files.
SUFFIX_BY_INTERPRETER = {
    **{"perl": "pl", "Rscript": "r", "julia": "jl", "pwsh": "ps1", "elixir": "exs"},
    **dict.fromkeys(("lua", "luajit"), "lua"),
    **{name: name for name in ("groovy", "nim", "scala", "swift")},
}
SCRIPT = re.compile(r"#![ \t]{0,8}(?P<command>/[^\n]{1,200})")
VERSION_OF_INTERPRETER = re.compile(r"[\d.]+$")


def language_of(suffix: str, text: str) -> LanguageShape | None:
    """The language of a file with that suffix, or None. A ".h" is C++ when it says what C cannot.

    Where the suffix says nothing a first line such as "#!/usr/bin/env python3.11" does.
    """
    if suffix == "h" and CPP_ONLY.search(text):
        return CPP
    return BY_SUFFIX.get(suffix) or BY_INTERPRETER.get(_interpreter(text))


def is_script(text: str) -> bool:
    """Whether the first line names an interpreter."""
    return SCRIPT.match(text) is not None


def script_suffix(text: str) -> str:
    """The suffix of files in the language, one without a grammar, that the first line names; "" where it names none."""
    return SUFFIX_BY_INTERPRETER.get(_interpreter(text), "")


def _interpreter(text: str) -> str:
    """Example: "#!/usr/bin/env -S python3.11 -u" -> "python"; "" where the first line names none."""
    found = SCRIPT.match(text)
    words = found["command"].split() if found else []
    if words and words[0].endswith("/env"):
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return VERSION_OF_INTERPRETER.sub("", words[0].rpartition("/")[2]) if words else ""
