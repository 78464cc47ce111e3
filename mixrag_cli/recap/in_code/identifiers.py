"""Extract signs that have a form of their own: the flags of a command, the variables of an environment.

"Which flag …" and "which environment variable …" are answered by a sentence or a line that has such a sign and by
nothing else: a function beside it is no variable.
"""

from __future__ import annotations

import re

from mixrag_cli.recap.language import stem

# What the form of a sign says already: a sentence that has one need not call it so.
KIND_STEMS = frozenset(stem(word) for word in ("flag", "option", "switch", "environment", "variable"))
_FORMS = (
    (
        re.compile(r"\b(?:which|what) (?:[\w-]+ )?(?:flag|option|switch)\b", re.IGNORECASE),
        re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*"),
    ),
    (
        re.compile(r"\b(?:which|what) environment variable\b", re.IGNORECASE),
        re.compile(r"(?<![A-Za-z0-9_])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![a-z])"),
    ),
)


def asked_form(question: str) -> re.Pattern[str] | None:
    """The form of the sign that the question asks for, None where it asks for none.

    Example: asked_form("Which flag shows hidden files?") finds "--hidden".
    """
    return next((form for asks, form in _FORMS if asks.search(question)), None)


def says_sign(text: str, form: re.Pattern[str], question: str) -> bool:
    """Whether the text has a sign of the form that the question does not name itself."""
    return any(found.group() not in question for found in form.finditer(text))
