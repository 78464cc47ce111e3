"""What counts as quoted: what stands in its source letter by letter, but for blanks, table bars and kinds of signs; and
how far a stretch of a text goes that is quoted.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SAME_SIGN = {ord(sign): "-" for sign in "‐‑‒–—―−"} | {ord(sign): "'" for sign in "‘’‚`´"}
_SAME_SIGN |= {ord(sign): '"' for sign in "“”„«»"} | {ord("|"): " "}
_GOES_ON = re.compile(r"(?<=\w)(?:\s*(?:\*\*?|<<)\s*[\dA-Z]\w*)+")  # a product whose first factor ends here
_CALLED_FOR = re.compile(r"\b[A-Z]\w{0,40}(?:(?:\.|::)\w{1,40}){1,3}\($")  # what a type makes of a number
MAX_CALLED = 200  # characters in front of a number
_BRACKETS = {"(": ")", "[": "]", "{": "}"}


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Where the quote stands in the text, [start, end); None where it does not, or only inside a word or a number.

    Example: find_quote("net  income", "The net\\nincome fell") -> (4, 14); find_quote("41", "412") -> None.
    """
    wanted, _ = _flat(quote.strip().strip("…").strip())
    flat, places = _flat(text)
    wanted = wanted.strip()
    if not wanted:
        return None
    start = flat.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (_is_joined(flat, start) or _is_joined(flat, end)):
            return places[start], places[end - 1] + 1
        start = flat.find(wanted, start + 1)
    return None


@lru_cache(maxsize=256)
def _flat(text: str) -> tuple[str, list[int]]:
    """The text with one kind of each sign and single blanks, and for each character its place in the text."""
    letters: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text):
        for each in unicodedata.normalize("NFKC", sign).translate(_SAME_SIGN):
            blank = each.isspace()
            if blank and letters and letters[-1] == " ":
                continue
            letters.append(" " if blank else each)
            places.append(place)
    return "".join(letters), places


def _is_joined(flat: str, at: int) -> bool:
    """Whether a cut at this place would go through a word or a number."""
    before, after = flat[at - 1 : at] if at else "", flat[at : at + 1]
    if not before or not after:
        return False
    if before.isalnum() and after.isalnum():
        return before.isascii() and after.isascii()  # scripts without blanks between words are cut anywhere
    in_number = ".,"
    return (before in in_number and after.isdigit() and flat[at - 2 : at - 1].isdigit()) or (
        before.isdigit() and after in in_number and flat[at + 1 : at + 2].isdigit()
    )


def whole_stretch(text: str, start: int, end: int, limit: int) -> tuple[int, int]:
    """A stretch of a text as it is quoted: a product of numbers, as constants of code are written, to its end; a number
    with the call that a type makes something of it by; nothing behind the first bracket without a partner.

    limit: where it ends at the latest. Example: of the "20" in "timeout = Duration.ofMillis(20)" the call.
    """
    called = _CALLED_FOR.search(text, max(start - MAX_CALLED, 0), start)
    if called is not None and text[start:end].isdecimal() and text[end : end + 1] == ")" and end < limit:
        return called.start(), end + 1
    last = found.end() if (found := _GOES_ON.match(text, end, limit)) else end
    return start, start + _closed_until(text[start:last])


def is_call(text: str) -> bool:
    """Whether the text is a type's call with a number, and nothing else."""
    name, opened, rest = text.partition("(")
    return rest[-1:] == ")" and rest[:-1].isdecimal() and _CALLED_FOR.fullmatch(name + opened) is not None


def _closed_until(text: str) -> int:
    """How many characters stand before the first bracket without a partner, and before the blanks in front of it."""
    opened: list[tuple[int, str]] = []
    for at, sign in enumerate(text):
        if sign in _BRACKETS:
            opened.append((at, _BRACKETS[sign]))
        elif opened and opened[-1][1] == sign:
            opened.pop()
        elif sign in _BRACKETS.values():
            opened.append((at, sign))
            break
    return len(text[: opened[0][0]].rstrip()) if opened else len(text)
