"""Which paragraphs of a PDF are headings, of which level, and what the document is called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mixrag_cli.readers.pdf.items import ITEM, MAX_HEADING_CHARS, PART, PageLayout, TextItem
from mixrag_cli.readers.pdf.running import PAGE_NUMBER
from mixrag_cli.records.documents import Grid

MAX_HEADING_LEVEL = 6
LARGER = 1.12  # times the body's type size
NEXT_LARGER = 1.04  # times it: enough for a heading whose number follows that of the last
NOTE = re.compile(r"^(?:Note|NOTE)\s+\d+\b")
NUMBERED = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+[A-Z\u00c0-\u00de]")
MAX_TITLE_LINES = 3
FILE_TITLE = re.compile(r"\.(?:docx?|pdf|tex|indd|xlsx?|qxd)\b|^untitled", re.I)
TITLE_SHARE = 0.6  # of the page's height: a title begins above it, on a cover, too
SAID_SHARE = 0.75  # of the words of a stated title: so many stand together where the page says it
WORD = re.compile(r"[^\W_]+")


def heading_levels(texts: Sequence[TextItem]) -> dict[int, int]:
    """The level of each item that is a heading, by the item's id."""
    if not texts:
        return {}
    body = _body_size(texts)
    lengths = [(sum(map(len, item.texts)), item.bold) for item in texts]
    bold_counts = sum(n for n, is_bold in lengths if is_bold) < 0.5 * sum(n for n, _ in lengths)
    headings = _headings(texts, body, bold_counts)
    large = sorted({round(item.size) for item in headings if item.size > LARGER * body}, reverse=True)
    has_parts = any(PART.match(item.texts[0]) or ITEM.match(item.texts[0]) for item in headings)
    return {id(item): _level_of(item, body, large, has_parts) for item in headings}


def _headings(texts: Sequence[TextItem], body: float, bold_counts: bool) -> list[TextItem]:
    """The items that are headings; pages that are scaled differently set one of a row of numbered headings smaller."""
    found: list[TextItem] = []
    last: tuple[int, ...] = ()
    for item in texts:
        numbered = NUMBERED.match(item.texts[0])
        number = tuple(map(int, numbered.group(1).split("."))) if numbered else ()
        larger = NEXT_LARGER if len(item.texts) == 1 and _follows(number, last) else LARGER
        if _is_heading(item, larger * body, body, bold_counts):
            found.append(item)
            last = number or last
    return found


def _follows(number: tuple[int, ...], last: tuple[int, ...]) -> bool:
    """Whether a section's number is the next on its level. Example: (2,) and (1, 3) follow (1, 2)."""
    depth = len(number)
    return 0 < depth <= len(last) and number == (*last[: depth - 1], last[depth - 1] + 1)


def _is_heading(item: TextItem, large: float, body: float, bold_counts: bool) -> bool:
    """Whether the item is one text set off from the body by size or weight, and short. large: the size that is enough
    alone.
    """
    text = " ".join(item.texts)
    if item.is_parted or not _is_short(item):
        return False
    if item.size > large:
        return True
    if item.size < 0.88 * body:
        return False
    if item.bold and bold_counts:
        return True
    return item.italic and len(item.texts) == 1 and len(text) < 70 and text[-1] not in ".:" and text[0].isupper()


def _is_short(item: TextItem) -> bool:
    """Whether the item is as short as headings are, most of it letters, and ends as they do."""
    text = " ".join(item.texts)
    n_letters = sum(map(str.isalpha, text))
    if len(text) > MAX_HEADING_CHARS or len(item.texts) > 3 or n_letters < 2 or text[0] in "(•●▪☐☒":
        return False
    if n_letters < 0.4 * len(text) or text[-1] in ",;" or (text[-1] in ".:" and len(text) > 60):
        return False
    return not PAGE_NUMBER.match(text)


def _level_of(item: TextItem, body: float, large: Sequence[int], has_parts: bool) -> int:
    text = item.texts[0]
    if PART.match(text):
        return 1
    if ITEM.match(text):
        return 2
    if NOTE.match(text):
        return 3
    if (numbered := NUMBERED.match(text)) is not None and not has_parts:
        return min(MAX_HEADING_LEVEL, numbered.group(1).count(".") + 1)
    base = 3 if has_parts else min(len(large), MAX_HEADING_LEVEL - 2)
    if item.size > LARGER * body:
        return 1 if has_parts else min(large.index(round(item.size)) + 1, MAX_HEADING_LEVEL)
    if item.bold:
        return base if has_parts and item.is_centered else base + 1
    return base + 2


def _body_size(texts: Sequence[TextItem]) -> float:
    """The type size that most characters have, to half a point."""
    sizes: Counter[float] = Counter()
    for item in texts:
        sizes[round(item.size * 2) / 2] += sum(map(len, item.texts))
    return sizes.most_common(1)[0][0]


# --- the document's title ----------------------------------------------------------------------------------------


def pick_title(stated: str, pages: Sequence[PageLayout]) -> str:
    """What the first page with text says large near its top, or the metadata's title where that page says it.

    stated: the metadata's, "" where there is none: files are made from others, and keep the title of those.
    """
    first = next((page for page in pages if page.items), None)
    if first is None:
        return ""
    if len(stated) > 3 and " " in stated and not FILE_TITLE.search(stated) and _says(first, stated):
        return stated
    texts = [item for page in pages for item in page.items if isinstance(item, TextItem) and not page.repeats(item)]
    own = [item for item in first.items if isinstance(item, TextItem)]
    # Where a line that repeats is centered, that is how it is printed on every page.
    own = [replace(item, is_centered=False) if first.repeats(item) else item for item in own]
    top = [item for item in own if item.box[1] < TITLE_SHARE * first.height]
    body = _body_size(texts or own) if own else 0.0
    return _largest(top, body) or _largest(own, body)


def _says(page: PageLayout, title: str) -> bool:
    """Whether neighbouring lines in the upper part of the page hold most words of the title."""
    wanted = set(WORD.findall(title.casefold()))
    lines = [line for item in page.items for line in _lines_of(item, TITLE_SHARE * page.height)]
    for at in range(len(lines)):
        said = set(WORD.findall(" ".join(lines[at : at + MAX_TITLE_LINES]).casefold()))
        if len(wanted & said) >= SAID_SHARE * len(wanted):
            return True
    return False


def _lines_of(item: TextItem | Grid, bottom: float) -> Iterator[str]:
    """The lines, or the cells' texts, that begin above that height."""
    if isinstance(item, Grid):
        yield from (cell.text for cell in item.cells if cell.bbox is not None and cell.bbox[1] < bottom)
    elif item.box[1] < bottom:
        yield from item.texts


def _largest(top: Sequence[TextItem], body: float) -> str:
    """The largest short lines of a page's upper part, which are larger than the body, bold or centered; "" for none.

    Those of one size that follow each other are one title: a cover sets the form and the company in one size.
    """
    fitting = [item for item in top if _is_short(item) and (_is_large(item, body) or _is_set_off(item))]
    largest = max((round(item.size) for item in fitting), default=0)
    lines: list[str] = []
    for item in fitting:
        if round(item.size) == largest and len(lines) < MAX_TITLE_LINES:
            lines.append(" ".join(item.texts))
            if not _is_large(item, body):
                break
    return " · ".join(dict.fromkeys(lines))


def _is_set_off(item: TextItem) -> bool:
    return (item.bold or item.is_centered) and not item.is_parted


def _is_large(item: TextItem, body: float) -> bool:
    return item.size > LARGER * body
