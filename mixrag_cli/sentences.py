"""Sentences by rule: where one ends, told by its mark, what follows, and the abbreviations people use; and where a
stretch of one ends that is quoted.

Why not spaCy's rule-based sentencizer: it costs 3 s to import and 15 times as much a page, and knows no
abbreviations. On 1 M characters of papers, manuals, code documentation and Wikipedia it agrees on 4,500 ends and adds
1,900 of its own, of which 34 of 40 looked at are wrong ("Chen et al. | , 2017", "typing. | TypeVar", "host ! | = x");
of the 94 that only this rule finds 36 of 40 are right. tests/benchmarks/sentences.py prints both.

Sentences under five words, which the MixRAG paper drops, are kept: in filings and manuals they are the facts
("Total: 35.3 %"), and packed beside their neighbours they cost nothing.
"""

from __future__ import annotations

import re

from mixrag_cli.words import LIST_MARK, STOP_WORDS

_CLOSERS = "\"'”’)\\]»"
_END = re.compile(
    rf"[.!?…]+[{_CLOSERS}]*(?=\s)"  # a mark; what follows decides
    rf"|[。！？।؟]+[{_CLOSERS}」』）]*"  # scripts whose marks need no blank behind them
    r"|\n{2,}"
    r"|\n(?=[^\S\n]*(?:[-*•‣–]|\(?\w{1,3}[.)])\s)"  # an item of a list on the next line
)
_NEXT = re.compile(r"\s*[\"'“‘(\[«¿¡]?(\S)")
_NOT_AN_END = re.compile(
    r"(?:\b(?:Inc|Corp|Ltd|Co|Mr|Mrs|Ms|Dr|Prof|Sr|Jr|St|vs|approx|cf|e\.g|i\.e|al|U\.S|U\.K|U\.N|a\.m|p\.m)"
    r"|(?<![^\W\d_])[^\W\d_a-z]|^\s*\d{1,2})\.$"
)
_NOT_AN_END_BEFORE_A_NUMBER = re.compile(
    r"\b(?:nos?|figs?|eqs?|secs?|arts?|vols?|pp?|chs?|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.$", re.IGNORECASE
)
_LOOK_BACK = 12  # characters; longer than the longest abbreviation
_GOES_ON = re.compile(r"(?<=\w)(?:\s*(?:\*\*?|<<)\s*[\dA-Z]\w*)+")  # a product whose first factor ends here
_CALLED_FOR = re.compile(r"\b[A-Z]\w{0,40}(?:(?:\.|::)\w{1,40}){1,3}\($")  # what a type makes of a number
MAX_CALLED = 200  # characters in front of a number
_SIGN, _LETTER = (rf"[^\W{digits}\u0e00-\U0010ffff]" for digits in ("", r"\d"))  # of scripts that part words by blanks
_INSIDE_WORD = re.compile(  # "Kuber|netes", "--keep|-tags", "COVID-|19", but not "10|-20"
    rf"(?<={_SIGN})(?={_SIGN})|(?<={_SIGN})(?=-{_LETTER})|(?<={_LETTER})(?=-{_SIGN})"
    rf"|(?<={_SIGN}-)(?={_LETTER})|(?<={_LETTER}-)(?={_SIGN})"
)
_CLOSING = tuple(".!?…:;|")  # ends of a sentence, of an item or a cell
_NEXT_LINE = re.compile(r"[^\S\n]*\n[^\S\n]*(?P<first>\S)")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}


def split_sentences(text: str) -> list[tuple[int, int]]:
    """The sentences as [start, end) without the white space between them; together they hold all else.

    Example: "It is so. See No. 5." -> [(0, 9), (10, 20)].
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for found in _END.finditer(text):
        if found.group()[0] in ".!?…" and not _is_end(text, start, found):
            continue
        start = _keep(text, start, found.end(), spans)
    _keep(text, start, len(text), spans)
    return spans


def line_spans(text: str) -> list[tuple[int, int]]:
    """The lines that hold something, as [start, end) with their indentation.

    Example: line_spans("a\n\n  b \n") -> [(0, 1), (3, 6)].
    """
    spans, at = [], 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            spans.append((at, at + len(line.rstrip())))
        at += len(line)
    return spans


def _is_end(text: str, start: int, found: re.Match[str]) -> bool:
    """Whether a mark before white space ends a sentence: a capital, a digit or a script without case follows."""
    following = _NEXT.match(text, found.end())
    if following is None:
        return True
    first = following.group(1)
    if not first.isalnum() or first.islower():
        return False
    mark = found.group().rstrip("\"'”’)]»")
    end = found.start() + len(mark)
    before = text[max(start, end - _LOOK_BACK) : end]
    if mark != ".":
        return True
    if first.isdigit() and _NOT_AN_END_BEFORE_A_NUMBER.search(before):
        return False
    return not _NOT_AN_END.search(before)


def _keep(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> int:
    stretch = text[start:end]
    first = start + len(stretch) - len(stretch.lstrip())
    last = start + len(stretch.rstrip())
    if last > first:
        spans.append((first, last))
    return end


def whole_stretch(text: str, start: int, end: int, limit: int) -> tuple[int, int]:
    """A stretch of a text as it is quoted: its first and last word whole; a product of numbers, as constants of code
    are written, to its end; a number with the call that a type makes something of it by; nothing behind the first
    bracket without a partner.

    limit: where it ends at the latest. Example: of the "20" in "timeout = Duration.ofMillis(20)" the call. Nothing of
    the number of a list's item.
    """
    item = LIST_MARK.match(text, text.rfind("\n", 0, start) + 1)
    if item is not None and end <= item.end():
        return start, start
    while start and _INSIDE_WORD.match(text, start):
        start -= 1
    while end < limit and _INSIDE_WORD.match(text, end):
        end += 1
    called = _CALLED_FOR.search(text, max(start - MAX_CALLED, 0), start)
    if called is not None and text[start:end].isdecimal() and text[end : end + 1] == ")" and end < limit:
        return called.start(), end + 1
    last = found.end() if (found := _GOES_ON.match(text, end, limit)) else end
    return start, start + _closed_until(text[start:last])


def goes_on(text: str, end: int) -> bool:
    """Whether what ends there is a line whose sentence goes on in the next one: "… is brought to\\n$5".

    The next one begins in lower case, or the last word is one that no sentence ends with.
    """
    following = _NEXT_LINE.match(text, end)
    last = text[max(end - _LOOK_BACK, 0) : end].rsplit(maxsplit=1)[-1:]
    if following is None or not last or last[0].endswith(_CLOSING):
        return False
    return following["first"].islower() or last[0].lower() in STOP_WORDS


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
