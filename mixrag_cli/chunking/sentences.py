"""Sentences by rule: where one ends, told by its mark, what follows, and the abbreviations people use."""

from __future__ import annotations

import re

_END = re.compile(r"""[.!?…]["'”’)\]]*(?=\s+["'“‘(\[]?[A-Z0-9À-Þ])|\n{2,}|\n(?=\s*(?:[-*•‣–]|\(?\w{1,3}[.)])\s)""")
_NOT_AN_END = re.compile(
    r"(?:\b(?:Inc|Corp|Ltd|Co|Nos?|Mr|Mrs|Ms|Dr|Prof|Sr|Jr|St|vs|approx|cf|e\.g|i\.e|al|Fig|Figs|Eq|Sec|Art|Vol|pp|p|Ch"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|U\.S|U\.K|U\.N|a\.m|p\.m)|(?<![A-Za-z])[A-Z]|^\s*\d{1,2})\.$"
)
_LOOK_BACK = 12  # characters; longer than the longest abbreviation


def split_sentences(text: str) -> list[tuple[int, int]]:
    """The sentences as [start, end) without the white space between them; together they hold all else.

    Example: "It is so. See No. 5." -> [(0, 9), (10, 20)].
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for found in _END.finditer(text):
        mark = found.group().rstrip("\"'”’)]")
        end = found.start() + len(mark)
        if mark == "." and _NOT_AN_END.search(text[max(start, end - _LOOK_BACK) : end]):
            continue
        start = _keep(text, start, found.end(), spans)
    _keep(text, start, len(text), spans)
    return spans


def _keep(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> int:
    first = start + len(text[start:end]) - len(text[start:end].lstrip())
    last = start + len(text[start:end].rstrip())
    if last > first:
        spans.append((first, last))
    return end
