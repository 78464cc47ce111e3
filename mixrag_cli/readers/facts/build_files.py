"""Facts of build files: what a Dockerfile's instructions and a Makefile's variables are set to.

Dockerfile   ENV and its kin, each name with its value: (ENV, name); EXPOSE and its kin: (EXPOSE,)
Makefile     NAME = value outside of recipes and definitions: (NAME,)
CMake        set(NAME value), option(NAME "help" OFF), cmake_minimum_required(VERSION 3.11)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mixrag_cli.readers.facts.collecting import FactCollector, unquoted
from mixrag_cli.readers.facts.comments import comment_at

DOCKERFILES = frozenset(["dockerfile", "containerfile"])
MAKEFILES = frozenset(["makefile", "gnumakefile"])
CMAKE_NAMES = frozenset(["cmakelists.txt"])
NAMING = frozenset(["ENV", "ARG", "LABEL"])
MAX_JOINED_CHARS = 4_000  # of the lines of one value
MAX_LINE_CHARS = 10_000
INSTRUCTION = re.compile(
    r"\s{0,8}(?P<word>ENV|ARG|LABEL|EXPOSE|FROM|WORKDIR|USER|STOPSIGNAL)\s+(?P<text>\S.*)$", re.IGNORECASE
)
ASSIGNED = re.compile(r"(?P<key>[\w.\-]{1,120})=(?P<text>\"(?:[^\"\\]|\\.)*\"|'[^']*'|(?:[^\s\\]|\\.)+)")
SPACED = re.compile(r"(?P<key>[\w.\-]{1,120})\s+(?P<text>[^\s\\].*)$")
VARIABLE = re.compile(r" {0,8}(?:export\s+|override\s+)?(?P<key>[\w.\-]{1,120})\s*(?:\?|:{1,3}|\+)?=\s*(?P<text>.*)$")
COMMAND = re.compile(r"\s{0,40}(?P<word>set|option|project|cmake_minimum_required)\s?\(", re.IGNORECASE)
ARGUMENTS = re.compile(r"(?P<text>(?:[^()\"]|\"(?:[^\"\\]|\\.)*\"){1,400})\)", re.DOTALL)
MAX_OPTION_LINES = 4
OPTION = re.compile(r"(?P<key>[\w.\-]{1,120})\s+\"(?P<help>(?:[^\"\\]|\\.)*)\"(?:\s+(?P<text>\S.*))?$")
CACHED = re.compile(r"\s+CACHE\s.*$")
COMMENT_BEHIND = re.compile(r"\s+#.*$")


def collect_build_facts(collector: FactCollector, lines: Sequence[str], name: str) -> None:
    """Collect what a file of that name, in lower case, states; nothing for other names."""
    if name in DOCKERFILES:
        _collect_instructions(collector, lines)
    elif name in MAKEFILES:
        _collect_variables(collector, lines)
    elif name in CMAKE_NAMES or name.endswith(".cmake"):
        _collect_commands(collector, lines)


def _collect_instructions(collector: FactCollector, lines: Sequence[str]) -> None:
    word, first, goes_on = "", 0, False  # of the instruction that the line belongs to; "" for RUN and its kin
    for number, line in enumerate(lines):
        if line.lstrip().startswith("#") or len(line) > MAX_LINE_CHARS:
            continue
        if not goes_on:
            opened = INSTRUCTION.match(line)
            word, first = (opened["word"].upper(), number) if opened else ("", number)
            line = opened["text"] if opened else line
        goes_on = line.rstrip().endswith("\\")
        text = line.rstrip().removesuffix("\\").rstrip()
        if word == "ARG" and not any(mark in text for mark in "\"'"):
            text = COMMENT_BEHIND.sub("", text)
        comment, where = comment_at(lines, first, None, "#")
        for key, value in _set_by(word, text) if word else []:
            path = (word, key) if key else (word,)
            collector.add(path, "setting", ("value", unquoted(value), number + 1), ("help", comment, where))


def _set_by(word: str, text: str) -> list[tuple[str, str]]:
    """The names that a line of an instruction sets, with their values; the name is "" where the word is the key."""
    if word not in NAMING:
        return [("", text)]
    pairs = [(found["key"], found["text"]) for found in ASSIGNED.finditer(text)]
    spaced = SPACED.match(text) if word == "ENV" and not pairs else None
    return [(spaced["key"], spaced["text"])] if spaced else pairs


def _collect_variables(collector: FactCollector, lines: Sequence[str]) -> None:
    number, is_definition = 0, False
    while number < len(lines) and not collector.is_full:
        first, line = number, lines[number][:MAX_LINE_CHARS]
        number += 1
        is_definition = (is_definition or line.startswith("define ")) and not line.startswith("endef")
        found = None if is_definition else VARIABLE.match(line)
        if line.rstrip().endswith("\\"):
            line = line.rstrip()[:-1]
            while number < len(lines):
                more = lines[number].strip()
                number += 1
                line = f"{line.rstrip()} {more.removesuffix(chr(92))}" if len(line) < MAX_JOINED_CHARS else line
                if not more.endswith("\\"):
                    break
            found = VARIABLE.match(line) if found else None
        if found and (text := COMMENT_BEHIND.sub("", found["text"]).rstrip()):
            is_one_line = number == first + 1
            comment, where = comment_at(lines, first, found.start("text") + len(text) if is_one_line else None, "#")
            collector.add((found["key"],), "setting", ("value", text, first + 1), ("help", comment, where))


def _collect_commands(collector: FactCollector, lines: Sequence[str]) -> None:
    """What CMake's commands set: names on one line, options over several, and what the project is and needs."""
    for number, line in enumerate(lines):
        if len(line) > MAX_LINE_CHARS or not (opened := COMMAND.match(line)):
            continue
        word, line_number = opened["word"].lower(), number + 1
        n_lines = MAX_OPTION_LINES if word == "option" else 1
        found = ARGUMENTS.match("\n".join(lines[number : number + n_lines])[:MAX_LINE_CHARS], opened.end())
        if found is None:
            continue
        text = found["text"].strip()
        comment, where = comment_at(lines, number, found.end(), "#")
        if word == "option" and (option := OPTION.match(text)):
            default, told = option["text"] or "OFF", option["help"]
            collector.add((option["key"],), "option", ("default", default, line_number), ("help", told, line_number))
        elif word == "set" and (pair := SPACED.match(text)):
            value = CACHED.sub("", pair["text"])
            collector.add((pair["key"],), "setting", ("value", unquoted(value), line_number), ("help", comment, where))
        elif word not in ("set", "option"):
            collector.add((word,), "setting", ("value", text, line_number), ("help", comment, where))
