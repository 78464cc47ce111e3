"""Defaults that a file of settings shows commented out, as sshd_config and postgresql.conf do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

from mixrag_cli.readers.facts.collecting import FactCollector, unquoted
from mixrag_cli.readers.facts.comments import comment_at
from mixrag_cli.readers.facts.directives import INI_COMMENT, INI_SECTION, parted

# "#port 1883" and ";port = 1883"; a blank behind the mark begins a sentence
COMMENTED_OUT = re.compile(r"[#;](?P<key>[A-Za-z][\w.\-]{0,80})(?P<sign>\s*=\s*|\s+|$)(?P<text>.*)$")
TELLS_DEFAULTS = re.compile(r"\bdefaults?\b", re.I)
MAX_VALUE_WORDS = 4  # of a setting that is commented out, where no sign tells it from a sentence
MOST = 0.9  # of the lines with a comment's mark right before a word, that they are settings


def commented_out_in(lines: Sequence[str]) -> dict[int, re.Match[str]]:
    """The settings that are commented out, by row, where nearly all such lines are and the file says that these hold.

    It does so above the first of them; elsewhere they are examples.
    """
    head = takewhile(
        lambda line: not line.strip() or (INI_COMMENT.match(line) and not COMMENTED_OUT.match(line)), lines
    )
    if not any(map(TELLS_DEFAULTS.search, head)):
        return {}
    found = {row: match for row, line in enumerate(lines) if (match := COMMENTED_OUT.match(line))}
    signed = {row: match for row, match in found.items() if "=" in match["sign"]}
    if 2 * len(signed) > len(found):
        return signed
    is_short = sum(len(match["text"].split()) <= MAX_VALUE_WORDS for match in found.values()) >= MOST * len(found)
    return found if is_short else {}


def collect_commented_out(
    collector: FactCollector, lines: Sequence[str], commented_out: Mapping[int, re.Match[str]]
) -> None:
    """The values that hold without a line of their own; a placeholder ("<name>") is none."""
    section: tuple[str, ...] = ()
    for row, line in enumerate(lines):
        if header := INI_SECTION.match(line.lstrip("#;")):
            section = (header[1].strip(),)
        elif row in commented_out and (text := commented_out[row]["text"].strip()) and not text.startswith("<"):
            value, comment = parted(text)
            said, where = (comment, row + 1) if comment else comment_at(lines, row, None)
            path = (*section, commented_out[row]["key"])
            collector.add(path, "default", ("default", unquoted(value), row + 1), ("help", said, where))
