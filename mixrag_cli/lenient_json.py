"""Read JSON as models write it: for servers that cannot bind a reply to a schema.

A small recursive reader that takes what strict JSON refuses: text and code fences around the object, single or missing
quotes, trailing or missing commas, raw line breaks in texts, Python's None and True, an end that never came. It repairs
by position, never by rewriting text, so what it returns stands in the reply letter by letter. This module imports
nothing of the project.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

MAX_CHARACTERS = 200_000
MAX_DEPTH = 32
MAX_STARTS = 50  # braces tried as the beginning of the object; prose with more of them is no reply

_BLANKS = re.compile(r"(?:\s|//[^\n]*(?=\n))*")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,3})?(?=\s*(?:[,\]}\n]|$))")
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?=\s*(?:,\s*[\"'“]|[}\n]|$))")
_BARE = re.compile(r"[^,\[\]{}\n]*")
_BARE_KEY = re.compile(r"[\w $.-]{1,60}?(?=\s*:)")
_WORDS = {"null": None, "none": None, "true": True, "false": False}
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\n", "b": "", "f": "", "/": "/", "\\": "\\"}
_LIST_JOINT = re.compile(r",\s*['\"“‘]|['\"”’]\s*,\s*")
_STRAY = " \t\r\n'\"“”‘’`,;[]{}"


def read_object(text: str, keys: Collection[str] = ()) -> dict[str, Any] | None:
    """The object that the reply holds, None where it holds none.

    Example: read_object("Sure!\\n```json\\n{'answer': 'four', \\"n\\": 4,}\\n```") -> {"answer": "four", "n": 4}.
    keys: at least one of them must be in the object; of several objects the one with most of them is taken.
    """
    text = text[:MAX_CHARACTERS]
    starts = [found.start() for found in re.finditer(r"\{", text)][:MAX_STARTS]
    best: dict[str, Any] | None = None
    most, reached = 0, 0
    for start in starts:
        if start < reached:
            continue
        value, end = _read_at(text, start)
        if not isinstance(value, dict) or not value:
            continue
        reached = end
        known = sum(key in value for key in keys) if keys else 1
        if known > most:
            best, most = value, known
    return best


def read_list(text: str) -> list[str]:
    """The items of a list whose brackets and quotes may be broken, without repeats.

    Example: read_list("net revenue,  'price per unit,  'volume'") -> ["net revenue", "price per unit", "volume"].
    """
    joint = _LIST_JOINT if _LIST_JOINT.search(text) else re.compile(r"[,\n]")
    items = (" ".join(item.replace("\\'", "'").split()).strip(_STRAY).rstrip("\\") for item in joint.split(text))
    return list(dict.fromkeys(item for item in items if item))


def strip_stray_quotes(text: str) -> str:
    """The text without quotes, braces and fences that belong to no pair inside it.

    Example: strip_stray_quotes("'The net change is small.'\\n}") -> "The net change is small."
    """
    plain = re.sub(r"```\w*", "", text).strip().rstrip("}").rstrip()
    while plain and plain[0] in "'\"“`" and (plain[-1] in "'\"”`" or plain.count(plain[0]) % 2):
        plain = plain[1:-1] if plain[-1] in "'\"”`" and len(plain) > 1 else plain[1:]
        plain = plain.strip()
    if plain and plain[-1] in "\"'`" and plain.count(plain[-1]) % 2:
        plain = plain[:-1].rstrip()
    return plain


def _read_at(text: str, start: int) -> tuple[Any, int]:
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        reader = _Reader(text, start)
        return reader.read_value(0), reader.at


class _Reader:
    """One pass over the text; at: the next character. It always moves on, so it ends."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at

    def read_value(self, depth: int) -> Any:
        self._skip_blanks()
        sign = self._peek()
        if depth > MAX_DEPTH:
            self.at = len(self._text)
            return None
        if sign == "{":
            return self._read_object(depth)
        if sign == "[":
            return self._read_array(depth)
        if sign in _QUOTES:
            return self._read_text()
        return self._read_bare()

    def _peek(self) -> str:
        return self._text[self.at : self.at + 1]

    def _skip_blanks(self) -> None:
        found = _BLANKS.match(self._text, self.at)
        self.at = found.end() if found else self.at

    def _skip_joint(self) -> None:
        """Blanks and commas, however many."""
        self._skip_blanks()
        while self._peek() == ",":
            self.at += 1
            self._skip_blanks()

    def _read_object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self.at += 1
        while True:
            self._skip_joint()
            sign = self._peek()
            if sign == "}":
                self.at += 1
                return found
            key = self._read_key() if sign not in ("", "]") else None
            if key is None:  # the end, a bracket that closes something else, or no key: what came so far stands
                return found
            value = self.read_value(depth + 1)
            found.setdefault(key, value)

    def _read_key(self) -> str | None:
        if self._peek() in _QUOTES:
            key = self._read_text(is_key=True)
        elif bare := _BARE_KEY.match(self._text, self.at):
            key, self.at = bare.group(), bare.end()
        else:
            return None
        self._skip_blanks()
        if self._peek() != ":":
            return None
        self.at += 1
        return key.strip().lower()

    def _read_array(self, depth: int) -> list[Any]:
        found: list[Any] = []
        self.at += 1
        while True:
            self._skip_joint()
            sign = self._peek()
            if sign == "]":
                self.at += 1
                return found
            before = self.at
            if sign in ("", "}") or _is_key_ahead(self._text, self.at):  # a bracket is missing
                return found
            found.append(self.read_value(depth + 1))
            if self.at == before:
                self.at += 1

    def _read_text(self, *, is_key: bool = False) -> str:
        """A quoted text. A quote sign ends it only where JSON goes on behind it; else it is part of the text."""
        closing = _QUOTES[self._peek()]
        self.at += 1
        letters: list[str] = []
        while self.at < len(self._text):
            sign = self._text[self.at]
            if sign == "\\" and self.at + 1 < len(self._text):
                self._read_escape(letters)
                continue
            if sign == closing and (_ends_text(self._text, self.at + 1, is_key=is_key)):
                self.at += 1
                return "".join(letters)
            letters.append(sign)
            self.at += 1
        return "".join(letters).rstrip("}]\n ")

    def _read_escape(self, letters: list[str]) -> None:
        sign = self._text[self.at + 1]
        point = self._text[self.at + 2 : self.at + 6]
        if sign == "u" and len(point) == 4 and all(each in "0123456789abcdefABCDEF" for each in point):
            letters.append(chr(int(point, 16)))
            self.at += 6
        else:
            letters.append(_ESCAPES.get(sign, sign))
            self.at += 2

    def _read_bare(self) -> Any:
        """A number, a word such as null, or a text that nobody quoted."""
        if grouped := _THOUSANDS.match(self._text, self.at):
            self.at = grouped.end()
            return grouped.group()
        if number := _NUMBER.match(self._text, self.at):
            self.at = number.end()
            return json.loads(re.sub(r"^(-?)0+(?=\d)", r"\1", number.group().removeprefix("+")))
        found = _BARE.match(self._text, self.at)
        word = found.group().strip() if found else ""
        self.at = found.end() if found else self.at
        return _WORDS.get(word.lower(), word)


_AFTER_KEY = re.compile(r"\s*:")
_AFTER_TEXT = re.compile(
    r"\s*(?:[}\]]|$|```|,\s*(?:[\"'“‘`{\[}\]]|-?\d|null|none|true|false|$|\w+\s*:)|[\"'“]\w+[\"'”]\s*:)", re.IGNORECASE
)
_KEY = re.compile(r"[\"'“]\w[\w ]{0,40}[\"'”]\s*:")


def _ends_text(text: str, at: int, *, is_key: bool) -> bool:
    return (_AFTER_KEY if is_key else _AFTER_TEXT).match(text, at) is not None


def _is_key_ahead(text: str, at: int) -> bool:
    return _KEY.match(text, at) is not None
