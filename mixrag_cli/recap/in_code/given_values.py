"""Answer from code which value it gives to a thing: a default, a constant, the arm of a choice.

"What is the default timeout of connect?" names a parameter and whose it is; "how many seconds has an hour" names an
arm; "after how many days is a reading refused" describes a constant by what is done with it. A value answers where its
own name is asked for, and where what it belongs to is the one that the question names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.evidence import EvidenceBase, stems_of
from mixrag_cli.recap.in_code.code_places import PlacedValue, coverage_of, own_coverage, placed_values, resolved
from mixrag_cli.recap.in_code.code_values import plain_text
from mixrag_cli.recap.in_code.file_kinds import LANGUAGE_STEMS
from mixrag_cli.recap.in_text.sentences import SentenceMatch
from mixrag_cli.recap.language import is_joined_in, match_term, stem, words_of
from mixrag_cli.recap.likeness import PREFIX_MATCH, match_like
from mixrag_cli.tables.numerals import Value
from mixrag_cli.tables.prose_numbers import find_numbers

# In parts of a name or of the question's weight; set on questions about the code of a dozen projects.
MIN_NAMED = 0.6  # of a value's own name
MIN_COVERAGE = 0.55  # where the question does not name what the value belongs to
MIN_COVERAGE_WITHIN = 0.3  # where it does
MIN_FIGURE_COVERAGE = 0.6  # of a number that is described and not named
NAMED_PART = 0.35  # of a score, beside coverage: as for the names of definitions
OWN_PART = 0.2  # of two names that are asked for, the one that says more of the question
WORD_PART = 0.05  # for each word of a name said in full: "part size" is not "size"
ARGUMENT_PENALTY = 0.1  # what one place gives is less a default than what all get
TOO_NEAR = 0.03  # of a rival with another value: neither is the answer
MIN_JOINED_LETTERS = 5  # "keep-alive" for "keepalive"
MIN_SCOPE_LETTERS = 3
TRIVIAL = frozenset(("0", "1"))  # numbers that an arm needs beside its own

_ASKS_DEFAULT = re.compile(
    r"\bdefaults?\b"
    r"|(?:\b(?:not?|nothing|none|without|unless)|n['’]t)\b[^?]{0,40}?\b(?:pass|giv|set|specif|provid|suppl|configur"
    r"|choos|chos|stat|mention)\w*"
    r"|\b(?:omit\w*|unset|unspecified|le(?:ft|ave|aving) (?:it |them )?out)\b",
    re.IGNORECASE,
)
_SAYS_DEFAULT = re.compile(r"\bdefaults?(?: value)?(?: to\b| is\b|:| ?=)|\bby default\b|\(default\b", re.IGNORECASE)
_ASKS_FIGURE = re.compile(
    r"\bhow (?:many|much|long|often|large|big|high)\b|\bnumber of\b|\bin (?:\w*seconds|minutes|hours|days|bytes)\b",
    re.IGNORECASE,
)
_COUNT_ENDS = (
    "are is was were do does did has have had can may must will would should a an the in of on with without for per "
    "after before between until since from to by at if when that"
)
_HOW_MANY = re.compile(
    rf"\bhow many ((?:[\w-]+ ){{0,3}}?[\w-]+)(?= (?:{'|'.join(_COUNT_ENDS.split())})\b|\W*$)", re.IGNORECASE
)
_HOW_OFTEN = re.compile(r"\bhow many times\b", re.IGNORECASE)
_CALLED = re.compile(r"\b(\w+)\(|\b(?:function|method|class) (\w+)|\b(\w+) (?:function|method|class)\b|`(\w+)`")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_NUMBER = re.compile(r"(?<![\w.])\d[\d_]*(?:\.\d+)?(?!\w)")
_LIMITLESS = re.compile(r"(?<![a-z])inf(?:inity)?\b", re.IGNORECASE)
_LOST = frozenset(map(stem, ("part", "portion", "ratio", "mean", "average", "least", "most", "sum", "share")))
_DEFAULT_STEMS = frozenset(("default",))
_GENERIC_WORDS = """
    default option parameter argument setting function method class value keyword flag field variable constant pass
    passed given giving set specify specified provide provided omit omitted none nothing without unless
"""
_NOTHING = frozenset(("none", "null", "nil", "undefined", "..."))
_AMOUNTS_TO = frozenset(("count", "equal", "contain", "return", "hold"))  # said of any number
_GENERIC = frozenset(stem(word) for word in _GENERIC_WORDS.split())


@dataclass(frozen=True, slots=True)
class GivenValue:
    """A value that code gives, and its line. label: its name. text: as an answer. figure: its number, if it is one."""

    line: SentenceMatch
    label: str
    text: str
    figure: Value | None


def asks_default(question: str) -> bool:
    """Whether a question asks what holds where nothing is said. Example: "How long does it wait if I pass none?"."""
    return _ASKS_DEFAULT.search(question) is not None


def called_names(question: str) -> frozenset[str]:
    """The words that a question writes as names of code: with capitals, with "_", with "()", after "function" …"""
    called = (name for found in _CALLED.findall(question) for name in found if name)
    words = (word for word in _WORD.findall(question) if len(word) >= MIN_SCOPE_LETTERS)
    return frozenset((*called, *(word for word in words if "_" in word or not word.islower())))


def says_default(text: str) -> bool:
    """Whether a text says what holds where nothing is said. Example: "retries: Defaults to 3."."""
    return _SAYS_DEFAULT.search(text) is not None


def asks_figure(question: str) -> bool:
    """Whether only a number answers. Example: "How many times does it try by default?"."""
    return _ASKS_FIGURE.search(question) is not None


def match_default(operand: Operand, base: EvidenceBase, names: frozenset[str]) -> GivenValue | None:
    """The default that the question asks for, None where none or several fit it."""
    everything = placed_values(base)
    placed = resolved([each for each in everything if each.value.kind not in ("arm", "local")])
    placed = [each for each in placed if each.value.kind != "constant" or not each.value.refers_to]  # "self.a = a"
    placed = [each for each in placed if each.value.value.strip().lower() not in _NOTHING]  # what it stands for is told
    if asks_figure(operand.text):
        placed = [each for each in placed if _figure_of(each.value.value) or _LIMITLESS.search(each.value.value)]
    asked = called_names(operand.text) & {scope for each in placed for scope in each.scopes}
    if asked:
        placed = [each for each in placed if each.scopes & asked]
    told = _told(operand)
    of_scope = {term for scope in asked for term in stems_of(scope)}
    outside = tuple(term for term in told if term not in of_scope)
    named = _named(placed, outside, operand.text)
    if not named and asked and not _named(everything, outside, "", least=1.0):  # "the step of count_by": its "by"
        named = _named(placed, told, operand.text)
    is_within = asked or any(set(each.value.names) & called_names(operand.text) for each, _ in named)
    return _best(named, told, base, names, MIN_COVERAGE_WITHIN if is_within else MIN_COVERAGE)


def match_figure(operand: Operand, base: EvidenceBase, names: frozenset[str]) -> GivenValue | None:
    """The number in an arm that the question names, or of a constant that it describes; None where it asks another."""
    counted, told = _counted(operand.text), tuple(term for term in _told(operand) if term not in _AMOUNTS_TO)
    keys = tuple(term for term in told if term not in counted)
    found: list[tuple[PlacedValue, float]] = []
    for each in placed_values(base):
        if each.value.kind == "arm" and _named([each], keys, "", least=1.0):
            figure = _own_figure(each.value.value)
            found += [(each.with_value(figure), 1.0)] if figure else []
        elif each.value.kind == "constant" and counted and _figure_of(each.value.value):
            own = stems_of(each.value.names[0])
            found += [(each, 0.0)] if match_term(counted[-1], own) else []
    return _best(found, told, base, names, MIN_FIGURE_COVERAGE)


def _told(operand: Operand) -> tuple[str, ...]:
    """The terms of a question that tell one value from others."""
    frame = _GENERIC | LANGUAGE_STEMS | ({"time"} if _HOW_OFTEN.search(operand.text) else frozenset())
    return tuple(term for term in operand.terms if term not in frame)


def _counted(question: str) -> tuple[str, ...]:
    """The stems of what is counted, the thing itself last. Example: "how many days without rain" -> ("day",)."""
    found = _HOW_MANY.search(question)
    return tuple(stem(word) for word in words_of(found[1])) if found else ()


def _named(
    placed: Iterable[PlacedValue], terms: Sequence[str], question: str, least: float = MIN_NAMED
) -> list[tuple[PlacedValue, float]]:
    """The values whose names the terms say, with the part of the name that they say."""
    words = words_of(question)
    letters, lost = "".join(words), frozenset(map(stem, words)) & _LOST
    parts = ((each, max(_part_said(name, terms, letters, lost) for name in each.value.names)) for each in placed)
    return [(each, part) for each, part in parts if part >= least and each.value.kind != "local"]


def _part_said(name: str, terms: Sequence[str], letters: str, lost: frozenset[str]) -> float:
    """The part of a name that is said. lost: words of the question that stand for a calculation elsewhere."""
    own = [word for word in stems_of(name) if word not in _DEFAULT_STEMS]
    said = sum(_is_said(word, terms) or (len(word) >= MIN_JOINED_LETTERS and word in letters) for word in own)
    return (said + sum(word in lost and not _is_said(word, terms) for word in own)) / len(own) if said else 0.0


def _is_said(word: str, terms: Sequence[str]) -> bool:
    return any(match_like(term, word) >= PREFIX_MATCH or is_joined_in(term, word) for term in terms)


def _best(
    named: Sequence[tuple[PlacedValue, float]],
    terms: tuple[str, ...],
    base: EvidenceBase,
    names: frozenset[str],
    threshold: float,
) -> GivenValue | None:
    """The one value that fits best, None where it says too little or where another fits as well."""
    if not terms:
        return None
    scored: list[tuple[float, float, PlacedValue]] = []
    for each, part in named:
        coverage = coverage_of(each, terms, base, names)
        if coverage >= threshold:
            score = coverage + NAMED_PART * part + OWN_PART * own_coverage(each, terms, base)
            score += WORD_PART * len(stems_of(each.value.names[0])) * (part == 1.0)
            score -= ARGUMENT_PENALTY if each.value.kind == "argument" else 0.0
            scored.append((score + (part == 1.0), coverage, each))  # one named in full goes before one named in part
    if not scored:
        return None
    score, coverage, best = max(scored, key=lambda found: found[0])
    rivals = (each for other, _, each in scored if other > score - TOO_NEAR)
    if any(rival.value.value != best.value.value for rival in rivals):
        return None
    line = SentenceMatch(best.hit, best.value.line, best.value.start, score, coverage, 0.0, 0.0)
    value = best.value.value
    return GivenValue(line, best.value.names[0], plain_text(value), _figure_of(value))


def _figure_of(value: str) -> Value | None:
    """The number that a value is or begins with, None where it is a text or a program."""
    plain = plain_text(value).replace("_", "")
    if not re.match(r"[-+]?\.?\d", plain):
        return None
    found = next((figure for start, _, figure in find_numbers(plain) if start <= 1), None)
    return found if found is not None and found.value is not None else None


def _own_figure(value: str) -> str:
    """The one telling number of an arm, "" where it has none or several."""
    telling = [number for number in dict.fromkeys(_NUMBER.findall(value)) if number not in TRIVIAL]
    return telling[0] if len(telling) == 1 and "*" not in value else ""
