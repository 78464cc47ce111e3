"""What a file whose name says nothing holds, told by its beginning."""

from __future__ import annotations

import re

# "# Change Log" and "## [1.2]", but not "#port 80", "##" and "#######"
ATX = re.compile(r"(?P<marks>#{1,6})[ \t]+[\w\[*_`(\"']")
ITEM_OR_FENCE = re.compile(r"[ \t]{0,8}(?:[-*+]|\d{1,3}[.)])[ \t]+\S|```")
MIN_HEADINGS = 2  # below the first
MAX_SHARE = 0.5  # of headings among the lines: comments of scripts and settings stand closer


def is_markdown(head: bytes) -> bool:
    """Whether a text is Markdown: it opens with a heading, deeper ones follow, with lists or code below them.

    No line may begin with a mark and be no heading, as comments do.
    """
    lines = [line for line in head.decode("utf-8", "ignore").split("\n") if line.strip()]
    marked = [line for line in lines if line.startswith("#")]
    headings = [found for line in marked if (found := ATX.match(line))]
    if not lines or not ATX.match(lines[0]) or len(headings) < len(marked) or len(headings) > MAX_SHARE * len(lines):
        return False
    n_deeper = sum(len(found["marks"]) > len(headings[0]["marks"]) for found in headings)
    n_items = sum(ITEM_OR_FENCE.match(line) is not None for line in lines)
    return n_deeper >= MIN_HEADINGS and 2 * n_items >= n_deeper
