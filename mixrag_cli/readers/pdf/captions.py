"""Captions above a table and marked footnotes below it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mixrag_cli.readers.building import IN_BRACKETS
from mixrag_cli.readers.pdf.items import ITEM, MAX_HEADING_CHARS, PART, TextItem
from mixrag_cli.readers.pdf.running import CAPTION
from mixrag_cli.records.documents import Grid

CAPTION_GAP = 3.5  # of the type size: farther above, a title is not the table's
TITLE_GAP = 9.0  # of it: how far below the page's title a table may begin where nothing else stands between
MAX_CAPTION_CHARS = 400
TITLE_LINES = 2  # of a title that is longer than a heading: a questionnaire's question
MAX_NOTES = 12
NOTE_MARK = re.compile(r"^(?:\(\d{1,2}\)|\([a-z]\)|[*†‡]+|\d{1,2}[.)]?)\s")
INTRODUCES = re.compile(r":$|\b(?:table|tables|follows|following|below|summarized)\b[^.]*[.:]?$", re.I)


def caption_of(items: Sequence[TextItem | Grid], index: int, last: TextItem | None) -> str:
    """The titles right above the table at index, or the sentence that introduces it; below them a long headnote.

    last: the paragraph before the table, which may stand on the page before.
    """
    found: list[str] = []
    headnotes: list[str] = []
    edge = _top_of(items[index])
    heads_page = all(isinstance(item, TextItem) and item.is_centered for item in items[:index])
    reach = TITLE_GAP if heads_page else CAPTION_GAP
    for item in reversed(items[:index]):
        if isinstance(item, Grid):
            break
        gap = edge - item.box[3]
        text = " ".join(item.texts)
        if headnotes and not found and text.endswith(":"):
            return ""  # it introduces the text in brackets, which is none of the table's
        if not -2.0 <= gap <= reach * item.size or len(found) > 3 or PART.match(text) or ITEM.match(text):
            break
        is_set_off = item.bold or item.is_centered
        if not ((is_set_off and _is_title(item)) or IN_BRACKETS.match(text) or INTRODUCES.search(text)):
            break
        is_headnote = IN_BRACKETS.match(text) and len(text) >= MAX_HEADING_CHARS
        (headnotes if is_headnote else found).append(text if is_headnote else _last_sentence(text))
        edge = item.box[1]
        if not (item.is_centered or IN_BRACKETS.match(text)):
            break
    if not found and last is not None and not any(isinstance(item, TextItem) for item in items[:index]):
        text = " ".join(last.texts)
        if INTRODUCES.search(text):
            found.append(_last_sentence(text))
    lines = (" ".join(reversed(texts))[:MAX_CAPTION_CHARS] for texts in (found, headnotes) if texts)
    return "\n".join(lines)


def _is_title(item: TextItem) -> bool:
    """Whether a text is as short as titles are, or numbered as one: a bold paragraph above a table names nothing."""
    n_chars = sum(map(len, item.texts))
    return n_chars < MAX_HEADING_CHARS or len(item.texts) <= TITLE_LINES or CAPTION.match(item.texts[0]) is not None


def _top_of(item: TextItem | Grid) -> float:
    box = item.locator.bbox if isinstance(item, Grid) else item.box
    return box[1] if box else 0.0


def _last_sentence(text: str) -> str:
    """The text's last sentence, when the text is longer than a title."""
    if len(text) < MAX_HEADING_CHARS:
        return text
    parts = re.split(r"(?<=[a-z)]\.)\s+(?=[A-Z])", text)
    return parts[-1]


def notes_below(items: Sequence[TextItem | Grid], index: int) -> tuple[str, ...]:
    """The marked footnotes that follow the table at once; a bold one is a numbered heading."""
    notes: list[str] = []
    for item in items[index + 1 : index + 1 + MAX_NOTES]:
        if isinstance(item, Grid) or item.bold or not NOTE_MARK.match(item.texts[0] + " "):
            break
        notes.append(" ".join(item.texts))
    return tuple(notes)
