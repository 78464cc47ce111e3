"""Lines without a sign between a name and its value, and what they share with those that have one.

directives   name value; indented lines below a line belong to it, and to <Name …> what stands before </Name>, to
             [Name] what stands up to the next
uci          config type 'name', option name 'value', list name 'value': OpenWrt
cron         when to run what: five fields of time and a command
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from mixrag_cli.readers.facts.collecting import FactCollector, unquoted
from mixrag_cli.readers.facts.comments import comment_at

MAX_JOINED_CHARS = 4_000  # of the lines of one value: no more is shown, or looked through for a comment
INI_SECTION = re.compile(r"\s{0,8}\[([^\]]{1,120})\]\s*(?:[#;].*)?$")
INI_COMMENT = re.compile(r"\s*[#;!]")
# "3600 ; seconds", but not "requests ; python_version < '3.9'"
BEHIND_VALUE = re.compile(r"\s(?:;\s+(?P<said>[^\s<>=;][^<>=;]{0,300})|#\s+(?P<told>\S.{0,300}))$")
DIRECTIVE = re.compile(r"\s*(?:</?)?[A-Za-z][\w.\-/]{0,80}(?:\s+[^\s=:]|>)")
ASSIGNED = re.compile(r"\s*[\w.\-]{1,80}\s*=")
NAMES_ITSELF = re.compile(r"\s*name\s+(?P<text>\S[^\n]{0,100}?)\s*$", re.I)
TAG = re.compile(r"\s*<(?P<closes>/)?(?P<text>[A-Za-z][^<>]{0,200})>\s*$")
UCI = re.compile(r"\s*(?P<word>package|config|option|list)\s+(?P<name>'[^']+'|\"[^\"]+\"|\S+)(?P<text>\s+\S.*)?$")
CRON = re.compile(r"(?P<when>@[a-z]{4,8}|[\d*][\d*/,-]{0,40}(?:\s+[\w*/,-]{1,40}){4})\s+(?P<text>[^\s\d].*)$")


def parted(value: str) -> tuple[str, str]:
    """A value and the comment behind it, "" where there is none. Example: "3600 ; seconds" -> "3600", "seconds"."""
    found = BEHIND_VALUE.search(value) if len(value) <= MAX_JOINED_CHARS else None
    if found is None:
        return value, ""
    before = value[: found.start()].rstrip()
    is_inside_quotes = any(before.count(mark) % 2 for mark in "\"'")
    return (value, "") if is_inside_quotes or not before else (before, found["said"] or found["told"])


def is_made_of_directives(lines: Sequence[str]) -> bool:
    """Whether most lines of a file have a name and a value but no sign between, and none has one below a section."""
    whole = _whole_lines(lines)
    told = [whole[number] for number in told_rows(whole)]
    said = [line for line in told if not INI_SECTION.match(line)]
    if len(said) < len(told) and any(map(ASSIGNED.match, said)):
        return False
    return 2 * sum(DIRECTIVE.match(line) is not None for line in said) > len(said)


def collect_directives(collector: FactCollector, lines: Sequence[str]) -> None:
    """name value; a section is opened by a tag, by a name in brackets or by a line with indented lines below it."""
    whole = _whole_lines(lines)
    told = told_rows(whole)
    sections = _sections(whole, told)
    is_tagged = bool(sections) or any(TAG.match(whole[row]) for row in told)
    tags: list[str] = []
    section: tuple[str, ...] = ()
    for number, following in zip(told, [*told[1:], None], strict=True):
        line = whole[number]
        if number in sections:
            tags = sections[number]
            continue
        if found := TAG.match(line):
            tags = tags[:-1] if found["closes"] else [*tags, " ".join(found["text"].split())]
            continue
        if not is_tagged and not line[0].isspace():
            opens = following is not None and whole[following][0].isspace()
            section = (" ".join(line.split()),) if opens else ()
            if opens:
                continue
        value, comment = parted(line.strip())
        words = value.split()
        are_names = words[-1][:1].isdigit() and all(map(_is_name_word, words[:-1]))
        n_key = len(words) - 1 if are_names else 1  # "timeout client 30m" is the client's timeout
        text = " ".join(words[n_key:])
        where = number + 1
        if not comment:
            comment, where = comment_at(lines, number, None)
        path = (*tags, *section, " ".join(words[:n_key]))
        collector.add(path, "setting", ("value", unquoted(text), number + 1), ("help", comment, where))


def _sections(lines: Sequence[str], told: Sequence[int]) -> dict[int, list[str]]:
    """The path of each section by its row: its name, and what it calls itself where several have that name."""
    rows = {row: found[1].strip() for row in told if (found := INI_SECTION.match(lines[row]))}
    counts = Counter(rows.values())
    called: dict[int, str] = {}
    row = -1
    for number in told:
        row = number if number in rows else row
        if row >= 0 and (found := NAMES_ITSELF.match(lines[number])):
            called.setdefault(row, found["text"])
    numbers: Counter[str] = Counter()
    paths: dict[int, list[str]] = {}
    for row, name in rows.items():
        numbers[name] += 1
        paths[row] = [name, called.get(row, str(numbers[name]))] if counts[name] > 1 else [name]
    return paths


def _whole_lines(lines: Sequence[str]) -> list[str]:
    """The lines, each with those that it goes on in behind a backslash; these are left blank."""
    whole: list[str] = []
    first, goes_on = 0, False
    for number, line in enumerate(lines):
        text = line.rstrip().removesuffix("\\")
        if goes_on:
            whole[first] += f" {text.strip()}" if len(whole[first]) < MAX_JOINED_CHARS else ""
        else:
            first = number
        whole.append("" if goes_on else text)
        goes_on = line.rstrip().endswith("\\") and not INI_COMMENT.match(whole[first])
    return whole


def is_uci(line: str) -> bool:
    """Whether a line is one of OpenWrt's configurations."""
    return UCI.match(line) is not None


def collect_uci(collector: FactCollector, lines: Sequence[str]) -> None:
    """config type 'name', and below it option name 'value' and list name 'value'; lists are told as one."""
    section: tuple[str, ...] = ()
    counts: Counter[str] = Counter()
    lists: dict[tuple[str, ...], list[str]] = {}
    places: dict[tuple[str, ...], int] = {}
    for row in told_rows(lines):
        line, comment = parted(lines[row].rstrip())
        if (found := UCI.match(line)) is None:
            continue
        name, text = unquoted(found["name"]), unquoted((found["text"] or "").strip())
        if found["word"] == "config":
            counts[name] += not text
            section = (name, text or str(counts[name]))
        elif found["word"] == "option":
            comment, where = (comment, row + 1) if comment else comment_at(lines, row, None, "#")
            collector.add((*section, name), "setting", ("value", text, row + 1), ("help", comment, where))
        elif found["word"] == "list":
            lists.setdefault((*section, name), []).append(text)
            places.setdefault((*section, name), row + 1)
    for path, said in lists.items():
        collector.add(path, "setting", ("value", ", ".join(said), places[path]))


def is_cron(line: str) -> bool:
    """Whether a line says when to run what."""
    return CRON.match(line) is not None


def collect_cron(collector: FactCollector, lines: Sequence[str]) -> None:
    """Five fields of time, or @daily and its kin, then a command: the command is the key, its time the value."""
    for row in told_rows(lines):
        if found := CRON.match(lines[row]):
            comment, where = comment_at(lines, row, None, "#")
            collector.add((found["text"],), "setting", ("value", found["when"], row + 1), ("help", comment, where))
        elif "=" in lines[row]:
            name, _, text = lines[row].partition("=")
            collector.add((name,), "setting", ("value", unquoted(text.strip()), row + 1))


def told_rows(lines: Sequence[str]) -> list[int]:
    """The rows that say something, comments left out."""
    return [number for number, line in enumerate(lines) if line.strip() and not INI_COMMENT.match(line)]


def _is_name_word(word: str) -> bool:
    """Whether a word is of ASCII letters and, behind the first, hyphens."""
    return word.isascii() and word[:1].isalpha() and word.replace("-", "").isalpha()
