"""The comment that goes with a line: behind it, or on lines of its own right above."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_COMMENT_LINES = 3
MAX_LINE_CHARS = 400
# By what opens a comment in the language: what stands behind a value, and what a line of its own begins with. The last
# are the settings', where any may. "#:" and "//!<" are for tools that make manuals, "#!" names an interpreter.
_HASH, _SLASH = r"#(?![\[!])", r"//+|/\*+"
_OPENINGS = {
    "#": (_HASH, _HASH),
    "//": (_SLASH, r"//+!?|/\*+|\*(?!/)"),
    "# //": (f"{_HASH}|{_SLASH}", rf"{_HASH}|//+!?|/\*+|\*(?!/)"),
    "": (rf"{_HASH}|{_SLASH}|--(?=\s)", rf"{_HASH}|//+!?|/\*+|\*(?!/)|;|--(?=\s)"),
}
_BEHIND = {
    marks: re.compile(rf"^[\s,;)\]}}]{{0,12}}(?:{behind})[:!<]{{0,2}}\s*(?P<text>\S.*?)(?:\s*\*+/)?\s*$")
    for marks, (behind, _) in _OPENINGS.items()
}
_ALONE = {
    marks: re.compile(rf"^\s{{0,80}}(?:{alone})+:?\s?(?P<text>.*?)(?:\*+/)?\s*$")
    for marks, (_, alone) in _OPENINGS.items()
}
_HAS_WORDS = re.compile(r"[^\W\d_]{2}")


def comment_at(lines: Sequence[str], row: int, column: int | None, marks: str = "") -> tuple[str, int]:
    """The comment that goes with a row, from 0, and its line, from 1; ("", row + 1) where there is none.

    column: where what is commented ends in the row, in characters; None where it goes on over rows. marks: of the
    language, as in LanguageShape.comments; "" for any.
    """
    if (
        column is not None
        and row < len(lines)
        and (found := _BEHIND[marks].match(lines[row][column : column + MAX_LINE_CHARS]))
    ):
        return found["text"], row + 1
    said: list[str] = []
    above = row - 1
    while (
        above >= 0 and len(said) < MAX_COMMENT_LINES and (found := _ALONE[marks].match(lines[above][:MAX_LINE_CHARS]))
    ):
        if not _HAS_WORDS.search(found["text"]) and said:
            break
        said.insert(0, found["text"].strip())
        above -= 1
    text = " ".join(part for part in said if _HAS_WORDS.search(part))
    return (text, above + 2) if text else ("", row + 1)
