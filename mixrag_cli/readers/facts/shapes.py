"""Which syntax nodes state a fact: one entry a grammar, data only.

Node types by what they do; how a node's name and value are found is the same for all (fields first, then places).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _arms(text: str) -> dict[str, str]:
    """Example: "switch_case=.value default_case=" -> {"switch_case": ".value", "default_case": ""}"""
    return dict(pair.split("=") for pair in text.split())


@dataclass(frozen=True, slots=True)
class FactShape:
    """The node types of one grammar that state facts.

    bindings: name = value, where a scope's own (constants, attributes, members). pairs: key and value of a mapping,
    record or call. parameters: those with a default. returns, branches (an if), switches: as they say. arms: of a
    switch, to where their pattern stands: ".field", a child's type, "#0" for the first child, "" for the arm of all
    else. attributes: what decorates a field (Rust). calls: with arguments, of which options are told by name.
    members: bindings that stand for a member's type and default, where the type is not beside the name. constants:
    bindings that no one can change, whatever they are called.
    """

    bindings: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()
    parameters: frozenset[str] = frozenset()
    returns: frozenset[str] = frozenset()
    branches: frozenset[str] = frozenset()
    switches: frozenset[str] = frozenset()
    arms: Mapping[str, str] = field(default_factory=dict)
    calls: frozenset[str] = frozenset()
    attributed: frozenset[str] = frozenset()
    tails: frozenset[str] = frozenset()
    members: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()


_C = FactShape(
    bindings=_set("init_declarator preproc_def enumerator field_declaration"),
    pairs=_set("initializer_pair"),
    parameters=_set("optional_parameter_declaration"),
    returns=_set("return_statement"),
    branches=_set("if_statement"),
    switches=_set("switch_statement"),
    arms=_arms("case_statement=.value"),
    calls=_set("call_expression"),
    members=_set("field_declaration"),
)
_TYPESCRIPT = FactShape(
    bindings=_set("variable_declarator public_field_definition field_definition enum_assignment assignment_expression"),
    pairs=_set("pair"),
    parameters=_set("assignment_pattern object_assignment_pattern required_parameter optional_parameter"),
    returns=_set("return_statement"),
    branches=_set("if_statement"),
    switches=_set("switch_statement"),
    arms=_arms("switch_case=.value switch_default="),
    calls=_set("call_expression"),
    members=_set("public_field_definition field_definition"),
)

SHAPES = {
    "tree_sitter_python": FactShape(
        bindings=_set("assignment"),
        pairs=_set("pair keyword_argument"),
        parameters=_set("default_parameter typed_default_parameter"),
        returns=_set("return_statement"),
        branches=_set("if_statement elif_clause"),
        switches=_set("match_statement"),
        arms=_arms("case_clause=case_pattern"),
        calls=_set("call"),
    ),
    "tree_sitter_javascript": _TYPESCRIPT,
    "tree_sitter_typescript": _TYPESCRIPT,
    "tree_sitter_go": FactShape(
        bindings=_set("const_spec var_spec"),
        constants=_set("const_spec"),
        pairs=_set("keyed_element"),
        returns=_set("return_statement"),
        branches=_set("if_statement"),
        switches=_set("expression_switch_statement"),
        arms=_arms("expression_case=.value default_case="),
        calls=_set("call_expression"),
    ),
    "tree_sitter_rust": FactShape(
        bindings=_set("const_item static_item enum_variant"),
        pairs=_set("field_initializer"),
        returns=_set("return_expression"),
        branches=_set("if_expression"),
        switches=_set("match_expression"),
        arms=_arms("match_arm=.pattern"),
        attributed=_set("field_declaration_list"),
        tails=_set("block"),
    ),
    "tree_sitter_java": FactShape(
        bindings=_set("variable_declarator enum_constant annotation_type_element_declaration"),
        pairs=_set("element_value_pair"),
        returns=_set("return_statement"),
        branches=_set("if_statement"),
        switches=_set("switch_expression switch_statement"),
        arms=_arms("switch_block_statement_group=switch_label switch_rule=switch_label"),
        members=_set("variable_declarator"),
    ),
    "tree_sitter_c": _C,
    "tree_sitter_cpp": _C,
    "tree_sitter_c_sharp": FactShape(
        bindings=_set("variable_declarator property_declaration enum_member_declaration"),
        pairs=_set("assignment_expression"),
        parameters=_set("parameter"),
        returns=_set("return_statement"),
        branches=_set("if_statement"),
        switches=_set("switch_statement switch_expression"),
        arms=_arms("switch_section=constant_pattern switch_expression_arm=#0"),
        members=_set("variable_declarator property_declaration"),
    ),
    "tree_sitter_ruby": FactShape(
        bindings=_set("assignment"),
        pairs=_set("pair"),
        parameters=_set("optional_parameter keyword_parameter"),
        returns=_set("return"),
        branches=_set("if elsif unless if_modifier unless_modifier"),
        switches=_set("case"),
        arms=_arms("when=.pattern else="),
        calls=_set("call"),
        tails=_set("body_statement"),
    ),
    "tree_sitter_php": FactShape(
        bindings=_set("const_element property_element enum_case assignment_expression"),
        members=_set("property_element"),
        pairs=_set("array_element_initializer"),
        parameters=_set("simple_parameter property_promotion_parameter"),
        returns=_set("return_statement"),
        branches=_set("if_statement else_if_clause"),
        switches=_set("switch_statement match_expression"),
        arms=_arms(
            "case_statement=.value default_statement= match_conditional_expression=.conditional_expressions "
            "match_default_expression="
        ),
        calls=_set("function_call_expression member_call_expression scoped_call_expression"),
    ),
    "tree_sitter_bash": FactShape(
        bindings=_set("variable_assignment"),
        parameters=_set("expansion"),
        branches=_set("if_statement elif_clause"),
        switches=_set("case_statement"),
        arms=_arms("case_item=.value"),
    ),
}

# Where a node keeps its name and its value, in the order of trial. No grammar means another thing by them.
NAME_FIELDS = ("name", "left", "pattern", "declarator", "property", "key", "field", "designator")
VALUE_FIELDS = ("value", "right", "default_value", "arguments")
CONDITION_FIELDS = ("condition", "subject", "value")
# The last child is the value of these: their grammars name no field.
VALUE_IS_LAST = _set("variable_declarator const_element parameter array_element_initializer expansion")

# Literals, and what is one when all that it holds is: signs, sums and products, lists.
LITERALS = _set(
    "integer float string true false none null nil undefined number regex template_string symbol simple_symbol "
    "int_literal float_literal rune_literal interpreted_string_literal raw_string_literal integer_literal "
    "string_literal char_literal boolean_literal decimal_integer_literal hex_integer_literal octal_integer_literal "
    "binary_integer_literal decimal_floating_point_literal character_literal null_literal number_literal preproc_arg "
    "real_literal verbatim_string_literal encapsed_string boolean word raw_string nullptr"
)
HOLDING_LITERALS = _set(
    "unary_operator unary_expression negative_literal prefix_unary_expression unary_op_expression unary "
    "binary_operator binary_expression binary parenthesized_expression concatenated_string expression_list "
    "list tuple set array array_expression tuple_expression reference_expression literal_element expression_statement "
    "as_expression satisfies_expression"
)
INTERPOLATIONS = _set(
    "interpolation template_substitution string_interpolation expansion simple_expansion command_substitution "
    "variable_name dynamic_variable_name subscript_expression member_access_expression"
)
# Several names bound to several values at once; a value that is bound once more; strings that make up one.
SEVERAL_NAMES = _set("pattern_list tuple_pattern left_assignment_list")
SEVERAL_VALUES = _set("expression_list tuple list right_assignment_list array")
CHAINS = _set("assignment assignment_expression")
JOINED_STRINGS = _set(
    "concatenated_string chained_string binary_operator binary_expression binary parenthesized_expression"
)
# What a member of a class may begin with, besides literals: a name, and what is made of literals by a call.
NAMED_VALUES = _set(
    "identifier qualified_identifier scoped_identifier attribute member_expression member_access_expression "
    "field_access class_constant_access_expression selector_expression constant"
)
BINARY = _set("binary_expression binary_operator binary")
ARITHMETIC = _set("+ - * / % << ** //")
CALLS = _set(
    "call call_expression member_call_expression method_invocation invocation_expression object_creation_expression"
)
ARGUMENT_LISTS = _set("arguments argument_list")
DEFAULT_METHODS = _set("default defaultTo defaultsTo default_value withDefault")  # of zod, yup, knex and their kin
FUNCTION_VALUES = _set(
    "lambda arrow_function function_expression generator_function func_literal closure_expression class "
    "lambda_expression anonymous_function anonymous_method_expression"
)
NOT_LOOKED_INTO = _set("comment line_comment block_comment import_statement import_from_statement type")

# Command-line options, by the last name of what is called. Which argument is what: keywords by their name; without
# keywords the second text is the help and the next literal the default (commander, clap's and optparse's kin).
OPTION_CALLS = _set("add_argument add_option option requiredOption Option Argument argument addOption opt on")
OPTION_COLUMNS = {
    "default": "default",
    "default_value": "default",
    "default_value_t": "default",
    "defaultValue": "default",
    "help": "help",
    "help_text": "help",
    "description": "help",
    "describe": "help",
    "desc": "help",
    "about": "help",
    "type": "type",
    "choices": "type",
}
# Go's flag and pflag: flag.Int("port", 8080, "help"), flags.StringVarP(&x, "name", "n", "", "help")
GO_FLAG = (
    r"(?:^|\.)(?P<type>String|Int|Int64|Uint|Uint64|Bool|Duration|Float64|StringSlice|StringArray|Count)"
    r"(?P<var>Var)?(?P<short>P)?$"
)
GO_FLAG_OWNER = r"(?i)flag|\bfs\b"
