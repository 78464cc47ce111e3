"""The answer's words while they come: read out of the half-written JSON, held back where they are not supported.

The answer part is written after the extracts and the formula where a strategy does not put the answer first, so what it
may say is known when it begins. Whole words are told, and none with a number, a link or a tag that the final checks
would refuse; at the first of those the stream falls silent, and the verified answer says the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from mixrag_cli.recap.generated.defanging import defang

_BEGIN = re.compile(r"[\"']answer[\"']\s*:\s*\"")
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)?", re.DOTALL)
_PLAIN = {"n": " ", "t": " ", "r": " ", "b": "", "f": ""}
Permits = Callable[[str, str], bool]  # (what came before the answer, the answer so far) -> whether it may be shown


class AnswerStream:
    """Takes a reply piece by piece and tells the answer's words."""

    def __init__(self, tell: Callable[[str], None], permits: Permits) -> None:
        self._tell = tell
        self._permits = permits
        self._text = ""
        self._begin: int | None = None
        self._told = ""
        self._silent = False

    @property
    def has_told(self) -> bool:
        """Whether anything was told."""
        return bool(self._told)

    def feed(self, piece: str) -> None:
        """The next piece of the reply."""
        self._text += piece
        if self._silent:
            return
        if self._begin is None:
            found = _BEGIN.search(self._text)
            if found is None:
                return
            self._begin = found.end()
        answer, is_whole = _unescaped(self._text[self._begin :])
        shown = defang(answer if is_whole else _whole_words(answer))
        if len(shown) <= len(self._told):
            self._silent |= is_whole
            return
        if not shown.startswith(self._told) or not self._permits(self._text[: self._begin], shown):
            self._silent = True
            return
        self._tell(shown[len(self._told) :])
        self._told = shown
        self._silent |= is_whole


def _unescaped(raw: str) -> tuple[str, bool]:
    """The text of a JSON string whose opening quote is gone, and whether its closing quote has come."""
    end = re.search(r"(?<!\\)(?:\\\\)*\"", raw)
    body = raw[: end.end() - 1] if end else raw
    return _ESCAPE.sub(_unescape, body), end is not None


def _unescape(found: re.Match[str]) -> str:
    sign = found.group()[1:2]
    if sign == "u" and len(found.group()) == 6:
        return chr(int(found.group()[2:], 16))
    return _PLAIN.get(sign, sign) if sign != "u" else ""


def _whole_words(text: str) -> str:
    """The text up to its last blank, and not into a bracket or a tag that is still open."""
    cut = max((place for place, sign in enumerate(text) if sign.isspace()), default=0)
    for opening, closing in (("[", "])"), ("<", ">"), ("(", ")"), ("【", "】")):
        start = text.rfind(opening, 0, cut)
        if start >= 0 and not any(sign in text[start:cut] for sign in closing):
            cut = start
    return text[:cut]
