"""Options of Kconfig files: of kernels and firmware, each with its type, its default, its prompt and help."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mixrag_cli.readers.facts.collecting import FactCollector, unquoted

MAX_HELP_LINES = 12
OPENS = re.compile(
    r"\s*(?:(?P<word>config|menuconfig|choice)(?:\s+(?P<name>\w+))?|(?:end)?(?:menu|choice|if)\b.*|source\b.*)\s*$"
)
TYPE = re.compile(
    r"\s+(?P<sets>def_)?(?P<type>bool|tristate|int|hex|string|prompt)\b\s*(?P<text>\"(?:[^\"\\]|\\.)*\"|[^\"\s]\S*)?"
)
DEFAULT = re.compile(r"\s+default\s+(?P<text>\"(?:[^\"\\]|\\.)*\"|\S+)(?:\s+if\s+(?P<condition>\S.*))?")
HELP = re.compile(r"\s*-*help-*\s*$")


def collect_kconfig(collector: FactCollector, lines: Sequence[str]) -> None:
    """Collect what such a file states: (NAME,), and (NAME, "if A") for a default that holds under a condition."""
    starts = [(row, found) for row, line in enumerate(lines) if (found := OPENS.match(line))]
    for place, (row, found) in enumerate(starts):
        end = starts[place + 1][0] if place + 1 < len(starts) else len(lines)
        if found["word"]:
            _option(collector, lines, row, end, found["name"] or "")


def _option(collector: FactCollector, lines: Sequence[str], first: int, end: int, name: str) -> None:
    kind, prompt = ("", first + 1), ("", first + 1)
    defaults: list[tuple[str, str, int]] = []  # condition, value, line
    told = ""
    for row in range(first + 1, end):
        if found := TYPE.match(lines[row]):
            text = found["text"] or ""
            kind = kind if found["type"] == "prompt" else (found["type"], row + 1)
            prompt = prompt if found["sets"] or not text else (unquoted(text), row + 1)
            defaults += [("", text, row + 1)] if found["sets"] else []
        elif found := DEFAULT.match(lines[row]):
            defaults.append((found["condition"] or "", unquoted(found["text"]), row + 1))
        elif HELP.match(lines[row]):
            told = _help_below(lines[row + 1 : end])
            break
    said = " ".join(filter(None, (prompt[0], told)))
    for condition, value, line in defaults or [("", "", first + 1)]:
        path = (name or prompt[0], *([f"if {condition}"] if condition else []))
        collector.add(path, "option", ("default", value, line), ("type", *kind), ("help", said, prompt[1]))


def _help_below(lines: Sequence[str]) -> str:
    """The first paragraph of a help text."""
    said: list[str] = []
    for line in lines[:MAX_HELP_LINES]:
        if not line.strip():
            if said:
                break
            continue
        said.append(line.strip())
    return " ".join(said)
