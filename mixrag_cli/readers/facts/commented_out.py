"""Settings that a file shows commented out: values that hold without a line of their own, or that one may give.

#port 1883              where a file says above the first of them that these are defaults, as sshd_config does
# SMTP_PORT=587         where most of a file's settings stand so, each below its help: templates and examples
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from mixrag_cli.readers.facts.collecting import FactCollector, unquoted
from mixrag_cli.readers.facts.comments import comment_at
from mixrag_cli.readers.facts.directives import INI_COMMENT, INI_SECTION, parted

# "#port 1883" and ";port = 1883"; a blank behind the mark begins a sentence
COMMENTED_OUT = re.compile(r"[#;](?P<key>[A-Za-z][\w.\-]{0,80})(?P<sign>\s*=\s*|\s+|$)(?P<text>.*)$")
TELLS_DEFAULTS = re.compile(r"\bdefaults?\b", re.I)
LABELLED = re.compile(r"\bdefaults?\s?[:=]\s*(?P<text>\"[^\"]*\"|[^\s,;()]+)", re.I)  # "Default: false"
MAX_VALUE_WORDS = 4  # of a setting that is commented out, where no sign tells it from a sentence
MOST = 0.9  # of the lines with a comment's mark right before a word, that they are settings
# "# SMTP_PORT=587", "\t# verbosity: 1"; what stands deeper behind the mark is an example within a comment
SIGNED = re.compile(
    r"(?P<indent>[ \t]{0,16})(?P<mark>[#;] ?)(?P<key>[A-Za-z_][\w.\-]{0,80})(?:[ \t]*(?P<sign>=)(?![=>])|:(?=[ \t]))"
    r"[ \t]*(?P<text>.*)$"
)
SECTION = re.compile(r"\s{0,8}\[{1,2}([^\[\]]{1,120})\]{1,2}\s*(?:[#;].*)?$")
ACTIVE = re.compile(r"(?P<indent>[ \t]*)(?:export\s+)?(?P<key>[A-Za-z_][\w.\-]{0,80})\s*(?P<sign>[=:])(?P<text>.*)$")
QUOTED_VALUE = re.compile(r"\"[^\"]*\"|'[^']*'|\[[^\[\]]*\]|\{[^{}]*\}|\([^()]*\)")
GOES_ON = re.compile(r"[\[{(,:\\]$|\S\s.*\.$")  # below; or it is a sentence
# Chosen by reading some fifteen example files of servers and systems: fewer are a person's notes.
MIN_SHOWN = 5  # keys
MIN_RUNS = 3  # of lines one below the other: a single one may be the head of a file, "author: …" and its kin
SHOWN_SHARE = 0.5  # of the settings that are not commented out, at least
MAX_WORDS = {"=": 4, ":": 2}  # of a value, a quoted one being a word: more are a sentence


@dataclass(frozen=True, slots=True)
class CommentedOut:
    """One setting. text: its value, "" where none is told; is_default: whether the file says that it holds."""

    path: tuple[str, ...]
    text: str
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class _Shown:
    """One that may be a setting. mark: of the comment, with the blank behind it."""

    row: int
    mark: str
    sign: str
    path: tuple[str, ...]
    text: str

    @property
    def case(self) -> str:
        """How its key is written."""
        return _case_of(self.path[-1])


def commented_out_in(lines: Sequence[str]) -> dict[int, CommentedOut]:
    """The settings that are commented out, by row."""
    return dict(sorted((_shown_in(lines) | _told_in(lines)).items()))


def part_commented_out(lines: Sequence[str]) -> tuple[dict[int, CommentedOut], list[str]]:
    """The settings that are commented out, by row, and the lines with these left blank."""
    found = commented_out_in(lines)
    return found, ["" if row in found else line for row, line in enumerate(lines)]


def collect_commented_out(
    collector: FactCollector, lines: Sequence[str], commented_out: Mapping[int, CommentedOut]
) -> None:
    """The values, as defaults where the file or what stands above says that they are; "<name>" is no value."""
    for row, setting in commented_out.items():
        if not (text := setting.text) or text.startswith("<"):
            continue
        value, comment = parted(text)
        value = unquoted(value)
        said, where = (comment, row + 1) if comment else comment_at(lines, row, None)
        label = LABELLED.search(said)
        if setting.is_default or (value in said and TELLS_DEFAULTS.search(said)):
            collector.add(setting.path, "default", ("default", value, row + 1), ("help", said, where))
        elif label is None or unquoted(label["text"]).rstrip(".") == value:  # else an example of another value
            collector.add(setting.path, "setting", ("value", value, row + 1), ("help", said, where))


def _told_in(lines: Sequence[str]) -> dict[int, CommentedOut]:
    """Those right behind a comment's mark, where nearly all such lines are and the file says that these hold.

    It does so above the first of them; elsewhere they are examples.
    """
    head = takewhile(
        lambda line: not line.strip() or (INI_COMMENT.match(line) and not COMMENTED_OUT.match(line)), lines
    )
    if not any(map(TELLS_DEFAULTS.search, head)):
        return {}
    found = {row: match for row, line in enumerate(lines) if (match := COMMENTED_OUT.match(line))}
    signed = {row: match for row, match in found.items() if "=" in match["sign"]}
    is_short = sum(len(match["text"].split()) <= MAX_VALUE_WORDS for match in found.values()) >= MOST * len(found)
    kept = signed if 2 * len(signed) > len(found) else found if is_short else {}
    section: tuple[str, ...] = ()
    settings: dict[int, CommentedOut] = {}
    for row, line in enumerate(lines):
        if header := INI_SECTION.match(line.lstrip("#;")):
            section = (header[1].strip(),)
        elif row in kept:
            settings[row] = CommentedOut((*section, kept[row]["key"]), kept[row]["text"].strip(), is_default=True)
    return settings


def _shown_in(lines: Sequence[str]) -> dict[int, CommentedOut]:
    """Those behind a comment's mark and perhaps a blank, with the sign and the case of most keys of the file.

    A label in a comment ("Default: 5") comes again and again, or the comment goes on below it.
    """
    shown, active = _candidates(lines)
    forms = Counter((sign, case) for sign, case, _ in {(each.sign, each.case, each.path[-1]) for each in shown})
    forms.update((sign, _case_of(path[-1])) for sign, path in active)
    if not forms:
        return {}
    (sign, case), _ = forms.most_common(1)[0]
    if sign == ":" and case != "small":  # "Note: …"
        return {}
    runs = _runs(lines, [each for each in shown if (each.sign, each.case) == (sign, case)])
    times = Counter(each.path for run in runs for each in run)
    held = {path for _, path in active}
    # One that stands more often, or is set as well, is an example; it is here so that it is no help of another.
    settings = {
        each.row: CommentedOut(each.path, each.text if times[each.path] == 1 and each.path not in held else "")
        for run in runs
        for each in run
    }
    n_keys = sum(each.text != "" for each in settings.values())
    is_few = n_keys < MIN_SHOWN or len(runs) < MIN_RUNS or n_keys < SHOWN_SHARE * len(held)
    return {} if is_few else settings


def _candidates(lines: Sequence[str]) -> tuple[list[_Shown], set[tuple[str, tuple[str, ...]]]]:
    """What may be a setting that is commented out, and the signs and paths of those that are not."""
    shown: list[_Shown] = []
    active: set[tuple[str, tuple[str, ...]]] = set()
    section: tuple[str, ...] = ()
    clauses: list[tuple[int, str]] = []  # by their indents: "server:" and what is indented below
    depth = 0  # of blocks in braces: within them it takes more than a line to say what a setting belongs to
    for row, line in enumerate(lines):
        if header := SECTION.match(line.lstrip("#;")):
            section, clauses = (header[1].strip(),), []
            continue
        found = SIGNED.match(line) or (None if INI_COMMENT.match(line) else ACTIVE.match(line))
        if found is None:
            depth += 0 if INI_COMMENT.match(line) else line.count("{") - line.count("}")
            continue
        indent = len(found["indent"].expandtabs())
        while clauses and clauses[-1][0] >= indent:
            clauses.pop()
        path = (*section, *(name for _, name in clauses), found["key"])
        if found.re is SIGNED:
            text, sign = found["text"].rstrip(" \t;"), found["sign"] or ":"
            if depth == 0 and _is_value(text, sign):
                shown.append(_Shown(row, found["mark"], sign, path, text))
            continue
        depth += line.count("{") - line.count("}")
        if found["sign"] == ":" and not found["text"].strip():
            clauses.append((indent, found["key"]))
        elif depth == 0:
            active.add((found["sign"], path))
    return shown, active


def _runs(lines: Sequence[str], shown: Sequence[_Shown]) -> list[list[_Shown]]:
    """Those that stand one below the other, each such run as one; none where the comment goes on below it."""
    runs: list[list[_Shown]] = []
    for each in shown:
        if runs and runs[-1][-1].row == each.row - 1:
            runs[-1].append(each)
        else:
            runs.append([each])
    return [run for run in runs if not _goes_on(lines, run[-1])]


def _goes_on(lines: Sequence[str], last: _Shown) -> bool:
    """Whether the line below is more of the same comment."""
    below = lines[last.row + 1].lstrip() if last.row + 1 < len(lines) else ""
    return below.startswith(last.mark) and below[len(last.mark) :][:1].isalnum()


def _is_value(text: str, sign: str) -> bool:
    """Whether a text is a value as a whole, and no sentence."""
    value = QUOTED_VALUE.sub("x", parted(text)[0])
    if not value:
        return sign == "="
    return len(value.split()) <= MAX_WORDS[sign] and not GOES_ON.search(value)


def _case_of(key: str) -> str:
    """How a key is written: all of it "upper", or its first letter "small" or "title"."""
    return "upper" if key.isupper() else "title" if key[0].isupper() else "small"
