"""Facts of build files: what instructions and variables are set to, and which versions of what are needed.

Dockerfile   ENV and its kin, each name with its value: (ENV, name); EXPOSE and its kin: (EXPOSE,)
Makefile     NAME = value outside of recipes and definitions: (NAME,)
CMake        set(NAME value), option(NAME "help" OFF), cmake_minimum_required(VERSION 3.11)
go.mod       go 1.22, require a.org/b v1.8: (go,), (require, a.org/b)
requirements name==1.2, of Python's: (name,)
sbt          "org" %% "artifact" % "1.2": (org, artifact)
Package      .package(url: "…/swift-nio.git", from: "2.81.0"), .macOS(.v13): (package, swift-nio)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mixrag_cli.readers.facts.collecting import FactCollector, unquoted
from mixrag_cli.readers.facts.comments import comment_at
from mixrag_cli.readers.source import base_of

DOCKERFILES = frozenset(["dockerfile", "containerfile"])
MAKEFILES = frozenset(["makefile", "gnumakefile"])
CMAKE_NAMES = frozenset(["cmakelists.txt"])
GO_MODULES = frozenset(["go.mod", "go.work"])
REQUIREMENTS = re.compile(r"(?:[\w.\-]*[_\-])?(?:requirements|constraints)(?:[_.\-][\w.\-]*)?\.(?:txt|in)$")
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
_SPECIFIER = r"(?:===?|~=|[<>!]=?)\s?[\w.*+!\-]{1,60}"
REQUIREMENT = re.compile(
    r"(?P<key>[A-Za-z0-9][\w.\-]{0,100}(?:\[[\w, .\-]{0,100}\])?)\s?"
    rf"(?P<text>{_SPECIFIER}(?:\s?,\s?{_SPECIFIER}){{0,9}})\s*(?:[;#\\].*)?$"
)
GO_NEED = re.compile(
    r"\s*(?:(?P<word>module|go|toolchain|require)\s+)?(?P<text>[^\s()=]{1,200})(?:\s+(?P<version>v\d\S{0,80}))?\s*(?://.*)?$"
)
SWIFT_NEED = re.compile(
    r"\.package\((?:[^()\n]{0,100}[\s,(])?url:\s*\"(?P<url>[^\"\n]{1,200})\"\s*,\s*(?P<text>[^\n]{1,200}?)\)*,?\s*(?://.*)?$"
)
SWIFT_VERSION = re.compile(
    r"(?:from|exact|branch|revision|upToNextMinor|upToNextMajor)[(:\s]{1,3}(?:from:\s*)?\"([^\"]{1,60})\""
)
SWIFT_PLATFORM = re.compile(r"\s*\.(?P<key>macOS|iOS|tvOS|watchOS|visionOS|macCatalyst)\((?P<text>[\w.\"]{1,20})\),?$")
SWIFT_TOOLS = re.compile(r"//\s*(?P<key>swift-tools-version)\s*:\s*(?P<text>\d[\w.]{0,20})$")
SBT_NEED = re.compile(
    r"\"(?P<org>[\w.\-]{1,80})\"\s+%{1,3}\s+\"(?P<key>[\w.\-]{1,80})\"\s+%\s+\"(?P<text>[^\"\n]{1,40})\""
)
GO_BLOCK = re.compile(r"(?P<word>\w+)\s*\($")
COMMENT_BEHIND = re.compile(r"\s+#.*$")


def collect_build_facts(collector: FactCollector, lines: Sequence[str], name: str) -> None:
    """Collect what a file of that name, in lower case, states; nothing for other names."""
    stem, _, suffix = name.rpartition(".")
    if DOCKERFILES & {base_of(name), suffix}:
        _collect_instructions(collector, lines)
    elif MAKEFILES & {base_of(name), base_of(stem)} or suffix == "mk":
        _collect_variables(collector, lines)
    elif name in CMAKE_NAMES or suffix == "cmake":
        _collect_commands(collector, lines)
    elif name in GO_MODULES:
        _collect_go_needs(collector, lines)
    elif name == "package.swift":
        _collect_swift_needs(collector, lines)
    elif suffix in ("sbt", "scala", "sc"):
        _collect_sbt_needs(collector, lines)
    elif REQUIREMENTS.match(name):
        _collect_requirements(collector, lines)


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


def _collect_go_needs(collector: FactCollector, lines: Sequence[str]) -> None:
    """The version of Go, and those of the modules that are required, alone or in a block."""
    block = ""
    for number, line in enumerate(lines, 1):
        if opened := GO_BLOCK.match(line):
            block = opened["word"]
        elif line.startswith(")"):
            block = ""
        elif len(line) <= MAX_LINE_CHARS and (found := GO_NEED.match(line)):
            word = found["word"] or block
            if word == "require" and found["version"]:
                collector.add((word, found["text"]), "setting", ("value", found["version"], number))
            elif found["word"] in ("module", "go", "toolchain"):
                collector.add((word,), "setting", ("value", found["text"], number))


def _collect_requirements(collector: FactCollector, lines: Sequence[str]) -> None:
    """The version of each package; of one that is pinned without the signs before it."""
    for number, line in enumerate(lines, 1):
        if len(line) <= MAX_LINE_CHARS and (found := REQUIREMENT.match(line.strip())):
            value = found["text"].removeprefix("==") if "," not in found["text"] else found["text"]
            collector.add((found["key"],), "setting", ("value", value, number))


def _collect_swift_needs(collector: FactCollector, lines: Sequence[str]) -> None:
    """The versions of the packages, of the systems and of the tools that a Swift package needs."""
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE_CHARS:
            continue
        if need := SWIFT_NEED.search(line):
            name = need["url"].rstrip("/").rpartition("/")[2].removesuffix(".git")
            version = SWIFT_VERSION.search(need["text"])
            collector.add(("package", name), "setting", ("value", version[1] if version else need["text"], number))
        elif found := SWIFT_PLATFORM.match(line) or SWIFT_TOOLS.match(line):
            collector.add((found["key"],), "setting", ("value", unquoted(found["text"]), number))


def _collect_sbt_needs(collector: FactCollector, lines: Sequence[str]) -> None:
    """The versions of the libraries that a build of Scala needs."""
    for number, line in enumerate(lines, 1):
        for found in SBT_NEED.finditer(line[:MAX_LINE_CHARS]):
            collector.add((found["org"], found["key"]), "setting", ("value", found["text"], number))
