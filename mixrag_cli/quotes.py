"""What counts as quoted: what stands in its source letter by letter, but for blanks, table bars and kinds of signs."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_SAME_SIGN = {ord(sign): "-" for sign in "‐‑‒–—―−"} | {ord(sign): "'" for sign in "‘’‚`´"}
_SAME_SIGN |= {ord(sign): '"' for sign in "“”„«»"} | {ord("|"): " "}


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
