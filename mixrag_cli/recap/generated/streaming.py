"""The answer's words while they come: read out of the half-written JSON, held back where they are not supported.

The answer part is written after the extracts and the formula where a strategy does not put the answer first, so what it
may say is known when it begins. Whole words are told, and none with a number, a link or a tag that the final checks
would refuse; at the first of those the stream falls silent, and the verified answer says the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from json import JSONDecoder

from mixrag_cli.defanging import defang

_BRACKETS = (("[", "])"), ("<", ">"), ("(", ")"), ("【", "】"))  # what opens, and what may close it
Permits = Callable[[str, str], bool]  # (what came before the answer, the answer so far) -> whether it may be shown


class AnswerStream:
    """Takes a reply piece by piece and tells the answer's words."""

    def __init__(self, tell: Callable[[str], None], permits: Permits) -> None:
        self._tell = tell
        self._permits = permits
        self._text = ""
        self._told = ""
        self._silent = False

    @property
    def has_told(self) -> bool:
        """Whether anything was told."""
        return bool(self._told)

    def feed(self, piece: str) -> None:
        """The next piece of the reply."""
        self._text += piece
        before, _, behind = self._text.partition('"answer"')
        colon, quote, raw = behind.partition('"')
        if self._silent or not quote or colon.strip() != ":":
            return
        answer, is_whole = _read_string(raw)
        shown = defang(answer if is_whole else _whole_words(answer))
        if len(shown) > len(self._told):
            if not shown.startswith(self._told) or not self._permits(before, shown):
                self._silent = True
                return
            self._tell(shown[len(self._told) :])
            self._told = shown
        self._silent = is_whole


def _read_string(raw: str) -> tuple[str, bool]:
    """The text of a JSON string whose opening quote is gone, and whether its closing quote has come; "" of one that
    ends within an escape."""
    for closing in ("", '"'):
        try:
            text, _ = JSONDecoder(strict=False).raw_decode(f'"{raw}{closing}')
            return " ".join(text.splitlines()), not closing
        except ValueError:
            continue
    return "", False


def _whole_words(text: str) -> str:
    """The text up to its last blank, and not into a bracket or a tag that is still open."""
    cut = max((place for place, sign in enumerate(text) if sign.isspace()), default=0)
    for opening, closing in _BRACKETS:
        start = text.rfind(opening, 0, cut)
        if start >= 0 and not any(sign in text[start:cut] for sign in closing):
            cut = start
    return text[:cut]
