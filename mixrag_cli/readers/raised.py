"""Raised signs, written as the characters that Unicode has for them: a power stays one, a footnote's mark no digit.

Read plainly, "10<sup>6</sup>" would be 106, and a cell of 1,234 with the mark of its second footnote 12,342.
"""

from __future__ import annotations

import re

_RAISED = str.maketrans("0123456789+-−–abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
# One letter is a mark or a power; several are a word ("4th", "TM"), which is as well read plainly, as "(1)" is.
_MARK = re.compile(r"\s*(?:[+−–-]?\d[\d,;\s]*(?:[−–-]\d+)?|[a-pr-z](?:\s?,\s?[a-pr-z])*,?)\s*")


def raise_text(text: str) -> str:
    """The text in raised characters, one for one, where it is a number, a few of them, or a letter; else as it is.

    Example: raise_text("6, 7") -> "⁶, ⁷"; raise_text("th") -> "th"
    """
    return text.translate(_RAISED) if _MARK.fullmatch(text) else text
