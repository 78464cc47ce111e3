"""Raised signs, written as the characters that Unicode has for them: a power stays one, a footnote's mark no digit.

Read plainly, "10<sup>6</sup>" would be 106, and a cell of 1,234 with the mark of its second footnote 12,342.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_RAISED = str.maketrans("0123456789+-−–abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
# One letter is a mark or a power; several are a word ("4th", "TM"), which is as well read plainly, as "(1)" is.
_MARK = re.compile(r"\s*(?:[+−–-]?\d[\d,;\s]*(?:[−–-]\d+)?|[a-pr-z](?:\s?,\s?[a-pr-z])*,?)\s*")
_RAISING = re.compile(r"super|[1-9]\d?%")  # of a text position: by name or by how much


def raise_text(text: str) -> str:
    """The text in raised characters, one for one, where it is a number, a few of them, or a letter; else as it is.

    Example: raise_text("6, 7") -> "⁶, ⁷"; raise_text("th") -> "th"
    """
    return text.translate(_RAISED) if _MARK.fullmatch(text) else text


class RaisedSpans:
    """Whether what OpenDocument XML says at the moment is raised: the open spans, by the styles that raise."""

    def __init__(self) -> None:
        self._style = ""
        self._raising: set[str] = set()
        self._open: list[bool] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins; names are without their prefixes."""
        if name == "style":
            self._style = attributes.get("name", "")
        elif name == "text-properties" and _RAISING.match(attributes.get("text-position", "")):
            self._raising.add(self._style)
        elif name == "span":
            self._open.append(attributes.get("style-name", "") in self._raising)

    def end(self, name: str) -> None:
        """An element ends."""
        if name == "span" and self._open:
            self._open.pop()

    def shown(self, text: str) -> str:
        """The characters as they are shown here."""
        return raise_text(text) if any(self._open) else text
