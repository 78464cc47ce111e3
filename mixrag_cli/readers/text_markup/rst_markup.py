"""reStructuredText's marks within a line, taken off, and what its substitutions say where they are named."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

SUBSTITUTION = re.compile(
    r"[ \t]*\.\. \|(?P<name>[^|\s](?:[^|\n]{0,60}[^|\s])?)\|[ \t]+"
    r"(?P<kind>unicode|replace)::[ \t]*(?P<value>\S[^\n]{0,300})"
)
REFERENCE = re.compile(r"(?P<before>\\? )?(?<![|\w])\|(?P<name>[^|\s](?:[^|\n]{0,60}[^|\s])?)\|_{0,2}(?![|\w])(?:\\ )?")
DRAWN = re.compile(r"[ \t]*\| |[ \t]*\S.*? {2}\S")  # a line that may be a table's: its columns stay where they are
# A code point in one of the ways that docutils knows: 0xA0, U+00A0, \u00A0, &#xA0;
CODE_POINT = re.compile(r"(?:0x|x|\\x|U\+|u|\\u|&#x)([0-9a-f]{1,6});?$", re.IGNORECASE)
MAX_CODE_POINT = 0x10FFFF

# A directive with one word behind it or none (a class, a picture, a language) and its options: a page shows neither.
DIRECTIVE_LINE = re.compile(r"[ \t]*\.\. [\w:+.-]{1,40}::(?:[ \t]+\S+)?[ \t]*$")
OPTION_LINE = re.compile(r"[ \t]*:[\w-]{1,40}:(?:[ \t].*)?$")

# A role's text without its target, a literal, a link, and what is strong or stressed: each as a page shows it.
MARKUP = re.compile(
    r":[a-z][\w:+.-]{0,40}:`(?P<role>[^`<]{1,200}?)(?:\s*<[^`>]{0,300}>)?`"
    r"|``(?P<literal>[^`]{1,300})``"
    r"|`(?P<link>[^`<]{1,200}?)(?:\s*<[^`>]{0,300}>)?`_{0,2}"
    r"|(?<![*\w])\*{1,2}(?P<stressed>[^\s*](?:[^*]{0,200}[^\s*])?)\*{1,2}(?![*\w])"
)
# A field with a role or a literal, or between two pairs of stars.
MARKED_FIELD = re.compile(r"(?:[^`\n]{0,200}(?::[a-z][\w:+.-]{0,40}:`[^`\s]|``[^`\s])|\s*\*\*[^\s*][^*\n]{0,200}\*\*)")
ESCAPED = re.compile(r"\\([^\w\s])")


def shown(text: str) -> str:
    """The text as a page shows it, without the marks of roles, links and literals."""
    return MARKUP.sub(lambda found: next(part for part in found.groups() if part is not None), text)


def is_marked(fields: Iterable[str]) -> bool:
    """Whether fields of a csv are written for a page: one holds a role or a literal, or is strong as a whole."""
    return any(MARKED_FIELD.match(field) for field in fields if "`" in field or "*" in field)


def shown_field(field: str) -> str:
    """A field of such a csv as a page shows it; a backslash there says that the sign behind it marks nothing."""
    return ESCAPED.sub(r"\1", shown(field)) if any(sign in field for sign in "`*\\") else field


def without_directives(lines: Sequence[str]) -> list[str]:
    """The lines of a table's cell without those that only say how it is shown; a directive with a text is kept."""
    kept: list[str] = []
    is_inside = False
    for line in lines:
        is_inside = DIRECTIVE_LINE.match(line) is not None or (is_inside and OPTION_LINE.match(line) is not None)
        if not is_inside:
            kept.append(line)
    return kept


def with_substitutions(lines: Sequence[str]) -> Sequence[str]:
    """The lines with what the file itself defines (.. |name| replace:: text) where it is named."""
    known = {
        found["name"]: _character(found["value"]) if found["kind"] == "unicode" else shown(found["value"].strip())
        for line in lines
        if ".. |" in line and (found := SUBSTITUTION.match(line))
    }
    return [_substituted(line, known) if "|" in line else line for line in lines] if known else lines


def _substituted(line: str, known: Mapping[str, str]) -> str:
    if line.lstrip().startswith(".. |"):
        return line
    is_drawn = DRAWN.match(line) is not None

    def told(found: re.Match[str]) -> str:
        value = known.get(found["name"])
        if value is None:
            return found[0]
        if not value.strip():  # a blank of a width or a kind of its own
            text = "" if line.startswith(" ", found.end()) else " "
        else:
            text = " " * (found["before"] == " ") + value
        return text.ljust(len(found[0])) if is_drawn else text

    return REFERENCE.sub(told, line)


def _character(value: str) -> str:
    """What a "unicode" directive stands for: code points and texts behind each other, up to a comment."""
    said = []
    for word in value.partition(" .. ")[0].split():
        code = CODE_POINT.match(word)
        number = int(code[1], 16) if code else 0
        said.append(chr(number) if 0 < number <= MAX_CODE_POINT and not 0xD800 <= number < 0xE000 else word)
    return "".join(said)
