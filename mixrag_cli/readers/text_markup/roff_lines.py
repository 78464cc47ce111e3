r"""What a line of a manual page's source says: its escapes as signs, and mdoc's macros as they are shown.

\fB\-\-port\fR=\fIport\fR  ->  --port=port          .Op Fl p Ar port  ->  [-p port]
"""

from __future__ import annotations

import re
from collections.abc import Sequence

SIGNS = {
    "lq": "“", "rq": "”", "oq": "‘", "cq": "’", "aq": "'", "dq": '"', "bu": "•", "em": "—", "en": "–", "hy": "-",
    "mi": "−", "co": "©", "rg": "®", "tm": "™", "ha": "^", "ti": "~", "rs": "\\", "sl": "/", "ga": "`", "la": "⟨",
    "ra": "⟩", "Bq": "„", "Fo": "«", "Fc": "»", "->": "→", "<-": "←", ">=": "≥", "<=": "≤", "!=": "≠", "+-": "±",
    "mu": "×", "de": "°", "sc": "§", "ss": "ß", "at": "@", "sh": "#", "Eu": "€", "Po": "£", "Do": "$", "bv": "|",
}  # fmt: skip
LETTERS = {"e": "\\", "-": "-", " ": " ", "~": " ", "0": " ", "t": "\t", "'": "´", "`": "`", ".": "."}
ESCAPE = re.compile(
    r"\\(?:f(?:\[[^\]]{0,20}\]|\(..|.)|s(?:[+-]?\d{1,2}|\([+-]?..)|\*(?:\[[^\]]{0,40}\]|\(..|.)"
    r"|\[(?P<named>[^\]]{1,40})\]|\((?P<two>..)|[hvwlLDbo]'[^']{0,80}'|(?P<one>.))"
)
WORD = re.compile(r'"((?:[^"]|"")*)"?|((?:[^\s\\]|\\.)+)')
ENCLOSING = {
    "Dq": "“”", "Sq": "‘’", "Qq": '""', "Ql": "''", "Op": "[]", "Pq": "()", "Bq": "[]", "Brq": "{}", "Aq": "<>",
}  # fmt: skip
EDGES = {
    "Oo": "[", "Oc": "]", "Po": "(", "Pc": ")", "Bo": "[", "Bc": "]", "Bro": "{", "Brc": "}", "Ao": "<", "Ac": ">",
    "Do": "“", "Dc": "”", "So": "‘", "Sc": "’", "Qo": '"', "Qc": '"',
}  # fmt: skip
_PLAIN = """
    Ad An Ar Cd Cm Dv Em Er Ev Fa Fd Fl Fn Ft Ic In Li Lk Ms Mt Nd Nm No Ns Pa St Sx Sy Tn Va Vt Xr Ux Bx Fx Nx Ox
    D1 Dl Fo Fc Rv Ex Lb Ap
"""
PLAIN = frozenset(_PLAIN.split())
SYSTEMS = {"Ux": "UNIX", "Bx": "BSD", "Fx": "FreeBSD", "Nx": "NetBSD", "Ox": "OpenBSD"}
CLOSING, OPENING = frozenset(".,;:?!)]"), frozenset("([")


def inline(text: str) -> str:
    """The text with its escapes as the signs that they stand for, and without changes of font."""
    return ESCAPE.sub(_sign, text) if "\\" in text else text


def _sign(found: re.Match[str]) -> str:
    if name := found["named"] or found["two"]:
        return chr(int(name[1:], 16)) if re.fullmatch("u[0-9A-F]{4,5}", name) else SIGNS.get(name, "")
    return LETTERS.get(found["one"] or "", "")


def words_of(text: str) -> list[str]:
    """A request's arguments, those in quotes as one each."""
    return [inline(word) for word in _raw_words(text)]


def _raw_words(text: str) -> list[str]:
    return [found[2] or found[1].replace('""', '"') for found in WORD.finditer(text)]


def mdoc_line(name: str, rest: str, page: str) -> str:
    """What an mdoc macro with these arguments shows; "" for a request that shows nothing. page: its name, for Nm."""
    if name not in PLAIN and name not in ENCLOSING and name not in EDGES:
        return ""
    words = [name, *_raw_words(rest)]  # what is escaped, such as ":\\&", is no punctuation
    tail: list[str] = []
    while len(words) > 1 and words[-1] in CLOSING:
        tail.insert(0, words.pop())
    line = _Line(page)
    for at, word in enumerate(words):
        line.take(word, following=words[at + 1 : at + 3])
    line.close()
    return line.text + "".join(tail)


class _Line:
    """The text of a macro line while its words come in."""

    def __init__(self, page: str) -> None:
        self.text = ""
        self._page = page
        self._macro = ""
        self._is_glued = True
        self._closers: list[str] = []

    def take(self, word: str, following: Sequence[str]) -> None:
        """Take a macro or a word of one."""
        if word in ENCLOSING:
            self._say(ENCLOSING[word][0])
            self._closers.append(ENCLOSING[word][1])
            self._is_glued = True
        elif word in EDGES:
            is_opening = word.endswith("o")
            self._is_glued = self._is_glued or not is_opening
            self._say(EDGES[word])
            self._is_glued = is_opening
        elif word in PLAIN:
            self._open(word, has_words=bool(following) and not _is_macro(following[0]) and following[0] not in CLOSING)
        else:
            self._word(word)

    def close(self) -> None:
        """Close what the line has opened."""
        self.text += "".join(reversed(self._closers))

    def _open(self, macro: str, *, has_words: bool) -> None:
        self._macro = macro
        if macro == "Ns":
            self._is_glued = True
        elif macro == "Ap":
            self.text += "'"
            self._is_glued = True
        elif macro in SYSTEMS:
            self._say(SYSTEMS[macro])
        elif macro == "Nd":
            self._say("–")
        elif macro == "Nm" and not has_words:
            self._say(self._page)
        elif macro == "Fl" and not has_words:
            self._say("-")
        elif macro == "Ar" and not has_words:
            self._say("file ...")

    def _word(self, word: str) -> None:
        self._is_glued = self._is_glued or word in CLOSING
        is_opening, is_closing, word = word in OPENING, word in CLOSING, inline(word)
        if self._macro == "Xr" and word.isalnum() and len(word) <= 2:
            self.text += f"({word})"
            self._macro = ""
        elif self._macro == "Fl" and not is_closing:
            self._say(f"-{word}")
        else:
            self._say(word)
        self._is_glued = is_opening

    def _say(self, text: str) -> None:
        self.text += text if self._is_glued or not self.text else f" {text}"
        self._is_glued = False


def _is_macro(word: str) -> bool:
    return word in PLAIN or word in ENCLOSING or word in EDGES
