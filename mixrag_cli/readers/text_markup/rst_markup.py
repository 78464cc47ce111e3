"""reStructuredText's marks within a line, taken off."""

from __future__ import annotations

import re

# A role's text without its target, a literal, a link, and what is strong or stressed: each as a page shows it.
MARKUP = re.compile(
    r":[a-z][\w:+.-]{0,40}:`(?P<role>[^`<]{1,200}?)(?:\s*<[^`>]{0,300}>)?`"
    r"|``(?P<literal>[^`]{1,300})``"
    r"|`(?P<link>[^`<]{1,200}?)(?:\s*<[^`>]{0,300}>)?`_{0,2}"
    r"|(?<![*\w])\*{1,2}(?P<stressed>[^\s*](?:[^*]{0,200}[^\s*])?)\*{1,2}(?![*\w])"
)


def shown(text: str) -> str:
    """The text as a page shows it, without the marks of roles, links and literals."""
    return MARKUP.sub(lambda found: next(part for part in found.groups() if part is not None), text)
