"""JSON Schemas as far as a grammar can bind them, and the grammars that llama.cpp's converter makes of them, mended."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# Rules of the converter that let through what JSON forbids, or what no float holds.
SOUND_RULES = {
    "char": r'[^"\\\x00-\x1F\x7F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F])',
    "number": '("-"? integral-part) ("." decimal-part)? ([eE] [-+]? [0-9] [0-9]?)? space',
}
# A schema with anything else would only seem to be kept.
BOUND_KEYWORDS = {
    *("type", "properties", "required", "additionalProperties", "items", "minItems", "maxItems", "enum", "const"),
    *("minLength", "maxLength", "pattern", "anyOf", "oneOf", "$ref", "$defs", "$schema", "$id", "title"),
    *("description", "default", "examples"),
}
BOUND_PATTERN = re.compile(r"\^[\w\[\](){}|+*?, -]*\$")  # no dot and no negation: they would let a quote through


def bindable_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema within the converter's reach: a list of types becomes alternatives, for it would drop their limits.

    Raises ValueError for a schema that no grammar can bind; that is a fault of this program's.
    """
    if unknown := set(schema) - BOUND_KEYWORDS:
        raise ValueError(f"a grammar cannot bind {', '.join(sorted(unknown))}")
    if "pattern" in schema and not BOUND_PATTERN.fullmatch(schema["pattern"]):
        raise ValueError(f"a grammar cannot bind the pattern {schema['pattern']}")
    if isinstance(schema.get("type"), list):
        return {"anyOf": [bindable_schema({**schema, "type": each}) for each in schema["type"]]}
    bindable = dict(schema)
    for name in ("properties", "$defs"):
        if name in schema:
            bindable[name] = {key: bindable_schema(value) for key, value in schema[name].items()}
    for name in ("anyOf", "oneOf"):
        if name in schema:
            bindable[name] = [bindable_schema(each) for each in schema[name]]
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            bindable[name] = bindable_schema(schema[name])
    return bindable


def sound_grammar(grammar: str) -> str:
    """The converter's grammar with its unsound rules replaced."""
    rules = (line.partition(" ::= ") for line in grammar.splitlines())
    return "\n".join(f"{name} ::= {SOUND_RULES.get(name, rule)}" for name, _, rule in rules)
