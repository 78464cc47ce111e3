"""Facts of build files: what instructions and variables are set to, and which versions of what are needed.

Dockerfile   ENV and its kin, each name with its value: (ENV, name); EXPOSE and its kin: (EXPOSE,)
Makefile     NAME = value outside of recipes and definitions: (NAME,)
CMake        set(NAME value), option(NAME "help" OFF), cmake_minimum_required(VERSION 3.11); and what a project calls
             as option is called: DEFINE_OPTION(NAME "help" ON)
Kconfig      module kconfig
Meson        option('name', type: 'boolean', value: true, description: 'help')
go.mod       go 1.22, require a.org/b v1.8: (go,), (require, a.org/b)
requirements name==1.2, of Python's: (name,)
Gradle       id("org.plugin") version "1.2", implementation("org:artifact:1.2"): (org.plugin,), (org:artifact,)
sbt          "org" %% "artifact" % "1.2": (org, artifact)
Package      .package(url: "…/swift-nio.git", from: "2.81.0"), .macOS(.v13): (package, swift-nio)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mixrag_cli.readers.facts.collecting import FactCollector, unquoted
from mixrag_cli.readers.facts.comments import comment_at
from mixrag_cli.readers.facts.kconfig import collect_kconfig
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
COMMAND = re.compile(r"\s{0,40}(?P<word>[A-Za-z_]\w{0,60})\s?\(")
ARGUMENTS = re.compile(r"(?P<text>(?:[^()\"]|\"(?:[^\"\\]|\\.)*\"){1,400})\)", re.DOTALL)
MAX_OPTION_LINES = 4
OPTION = re.compile(r"(?P<key>[\w.\-]{1,120})\s+\"(?P<help>(?:[^\"\\]|\\.)*)\"(?:\s+(?P<text>\S.*))?$")
SWITCHED = re.compile(r"(?:ON|OFF|TRUE|FALSE|YES|NO)\b", re.IGNORECASE)
PROJECT_COMMANDS = frozenset(["project", "cmake_minimum_required"])
MESON_OPTIONS = frozenset(["meson_options.txt", "meson.options"])
_MESON_TEXT = r"'(?:[^'\\\n]|\\.){0,1000}'"
MESON_OPTION = re.compile(
    rf"^[ \t]*option\s*\(\s*'(?P<key>[\w.\-]{{1,100}})'(?P<rest>(?:{_MESON_TEXT}|#[^\n]*|[^()'#]){{0,2000}})\)",
    re.MULTILINE,
)
MESON_ARGUMENT = re.compile(
    rf"(?P<name>\w{{1,40}})\s*:\s*(?P<text>{_MESON_TEXT}(?:\s*\+\s*{_MESON_TEXT}){{0,20}}|\[[^\[\]]{{0,1000}}\]|[\w.+\-]{{1,40}})"
)
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
SWIFT_PLATFORM = re.compile(
    r"(?<!\w)\.(?P<key>macOS|iOS|tvOS|watchOS|visionOS|macCatalyst)\((?P<text>\.v\w{1,20}|\"[\d.]{1,20}\")\)"
)
SWIFT_TOOLS = re.compile(r"//\s*(?P<key>swift-tools-version)\s*:\s*(?P<text>\d[\w.]{0,20})$")
SBT_NEED = re.compile(
    r"\"(?P<org>[\w.\-]{1,80})\"\s+%{1,3}\s+\"(?P<key>[\w.\-]{1,80})\"\s+%\s+\"(?P<text>[^\"\n]{1,40})\""
)
GRADLE_PLUGIN = re.compile(
    r"\s*(?:id|kotlin)[\s(]{1,3}[\"'](?P<key>[\w.\-]{1,100})[\"']\)?\s+version\s*\(?[\"'](?P<text>[^\"'\n]{1,60})[\"']"
)
GRADLE_NEED = re.compile(
    r"\s*\w{1,60}[\s(]{1,3}(?:\w{1,30}\()?[\"'](?P<key>[\w.\-]{1,100}:[\w.\-]{1,100}):(?P<text>[^\"'\s:@$]{1,60})(?:[:@][^\"'\n]{0,60})?[\"']"
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
    elif "kconfig" in (base_of(name), suffix):
        collect_kconfig(collector, lines)
    elif name in MESON_OPTIONS:
        _collect_meson_options(collector, "\n".join(lines))
    elif name in GO_MODULES:
        _collect_go_needs(collector, lines)
    elif name == "package.swift":
        _collect_swift_needs(collector, lines)
    elif suffix == "gradle" or name.endswith(".gradle.kts"):
        _collect_gradle_needs(collector, lines)
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
        n_lines = 1 if word == "set" or word in PROJECT_COMMANDS else MAX_OPTION_LINES
        found = ARGUMENTS.match("\n".join(lines[number : number + n_lines])[:MAX_LINE_CHARS], opened.end())
        if found is None:
            continue
        text = found["text"].strip()
        comment, where = comment_at(lines, number, found.end(), "#")
        option = OPTION.match(text)
        if option and (word == "option" or SWITCHED.match(option["text"] or "")):
            default, told = option["text"] or "OFF", option["help"]
            if word != "option":
                default = default.split()[0]  # behind it may stand what it depends on
            collector.add((option["key"],), "option", ("default", default, line_number), ("help", told, line_number))
        elif word == "set" and (pair := SPACED.match(text)):
            value = CACHED.sub("", pair["text"])
            collector.add((pair["key"],), "setting", ("value", unquoted(value), line_number), ("help", comment, where))
        elif word in PROJECT_COMMANDS:
            collector.add((word,), "setting", ("value", text, line_number), ("help", comment, where))


def _collect_meson_options(collector: FactCollector, text: str) -> None:
    """The options of a Meson build, each with its default, its choices or type, and its description."""
    done, line = 0, 1
    for option in MESON_OPTION.finditer(text):
        line += text.count("\n", done, option.start("key"))
        done = option.start("key")
        said: dict[str, tuple[str, int]] = {}
        for found in MESON_ARGUMENT.finditer(option["rest"]):
            parts = [unquoted(part) for part in re.findall(_MESON_TEXT, found["text"])]
            plain = "".join(parts).replace("\\'", "'") if found["text"].startswith("'") else found["text"]
            said[found["name"]] = plain, line + option["rest"].count("\n", 0, found.start())
        kind = said.get("choices") or said.get("type") or ("", line)
        default, told = said.get("value", ("", line)), said.get("description", ("", line))
        collector.add((option["key"],), "option", ("default", *default), ("type", *kind), ("help", *told))


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
        else:
            for found in [*SWIFT_PLATFORM.finditer(line), *SWIFT_TOOLS.finditer(line)]:
                collector.add((found["key"],), "setting", ("value", unquoted(found["text"]), number))


def _collect_gradle_needs(collector: FactCollector, lines: Sequence[str]) -> None:
    """The versions of the plugins and libraries that a build of Gradle needs."""
    for number, line in enumerate(lines, 1):
        if len(line) <= MAX_LINE_CHARS and (found := GRADLE_PLUGIN.match(line) or GRADLE_NEED.match(line)):
            collector.add((found["key"],), "setting", ("value", found["text"], number))


def _collect_sbt_needs(collector: FactCollector, lines: Sequence[str]) -> None:
    """The versions of the libraries that a build of Scala needs."""
    for number, line in enumerate(lines, 1):
        for found in SBT_NEED.finditer(line[:MAX_LINE_CHARS]):
            collector.add((found["org"], found["key"]), "setting", ("value", found["text"], number))
