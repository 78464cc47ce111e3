"""Tables of contents: names with numbers of pages behind them, told from names with values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

PAGE = re.compile(r"(?:[A-Z]{0,2}[-–.])?(\d{1,4})(?:[-–.](\d{1,3}))?|[ivxlc]+|[IVXLC]+")  # "12", "A-5", "3-1", "iv"
PAGE_SHARE = 0.8  # of the steps from one number to the next never fall: a table of contents may have a slip


def point_to_pages(values: Sequence[str]) -> bool:
    """Whether the values are numbers of pages that hardly ever fall."""
    found = [PAGE.fullmatch(value.strip()) for value in values]
    pages = [(int(page[1]), int(page[2] or 0)) for page in found if page and page[1]]
    n_kept = sum(before <= after for before, after in pairwise(pages))
    return all(found) and n_kept >= PAGE_SHARE * (len(pages) - 1)
