"""Follow-up questions made self-standing by rule: "and in 2019?" after a question is that question, in 2019.

A question is an opening ("what was the") and phrases: the thing asked for, then one behind each preposition or verb. A
follow-up either names one thing that takes the place of its like among the phrases of the question before, or points
back with a pronoun. Whatever does neither is left as it is. The words that are known here are those of the language's
closed classes. A generator may put it better; what it says is taken only where it invents no number and stays a
question's length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from mixrag_cli.generator import Message, Request
from mixrag_cli.quantities.facets import facets_of, period_spans
from mixrag_cli.words import COMMON_WORDS, stem, words_of

MAX_FRAGMENT_WORDS = 7  # "and the cost of goods sold in Europe?"; longer ones are questions of their own
POINTS_ON = ("and", "or", "but", "what about", "how about", "same for", "same with", "the same")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


JOINS = _words("and or but so then ok okay now what how about same for the with in")
ARTICLES = _words("the a an")
PREPOSITIONS = _words("in on for of at with by from to during between under as per since until")
AUXILIARIES = _words("is are was were do does did has have had can could will would should may")
ASKING = _words("what which who whom whose when where why how list show tell give explain compare")
OWNING = ("of", "for")  # a phrase behind one of them says whose the thing before it is
POSSESSIVES = _words("its their his her")
PRONOUNS = _words("it they them he him she")
POINTING = _words("this that these those")  # pronouns only where no noun follows
TIMES = _words("year quarter month period time date day")
OF_TIMES = PREPOSITIONS | ARTICLES | _words("year years fiscal full fy quarter")
_WORD = re.compile(r"[^\s?,.;:!]+")
_NUMBER = re.compile(r"\d[\d.,]*")

MAX_TURNS = 3  # of the conversation that a generator is shown: what a follow-up leans on was said lately
MAX_REWRITTEN_CHARACTERS = 400
REWRITE_SECONDS = 20.0
REWRITE_TASK = (
    "You are given the latest questions of a conversation and one more. Write that last question so that it can be "
    "understood by itself: put the names, things and times that it leaves out in their places. Change nothing else, "
    "answer nothing, and reply with the one question alone."
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A stretch of a question. lead: the preposition or verb that it begins with, "" of the thing asked for."""

    lead: str
    text: str
    start: int
    end: int

    @property
    def bare(self) -> str:
        """The phrase without its lead."""
        return self.text[len(self.lead) :].strip()

    @property
    def is_time(self) -> bool:
        """Whether it says nothing but when."""
        return is_period(self.text)


# --- with a generator -------------------------------------------------------------------------------------------------


def rewrite_request(follow_up: str, questions: Sequence[str], seed: int = 0) -> Request:
    """What a generator is asked, to make the follow-up self-standing. questions: those before, oldest first."""
    told = "\n".join(f"{number}. {question}" for number, question in enumerate(questions[-MAX_TURNS:], start=1))
    asked = f"The questions before:\n{told}\n\nThe last question:\n{follow_up}"
    messages = (Message("system", REWRITE_TASK), Message("user", asked))
    return Request(messages, max_tokens=96, seed=seed, seconds=REWRITE_SECONDS, purpose="follow-up")


def read_rewrite(reply: str, follow_up: str, questions: Sequence[str]) -> str:
    """The question in a generator's reply; by rule where the reply is none, brings a number that nobody said, or loses
    a word that was typed.
    """
    lines = [line.strip().strip('"') for line in reply.strip().splitlines() if line.strip()]
    said = set(_NUMBER.findall(" ".join((follow_up, *questions))))
    by_rule = make_standalone(follow_up, questions[-1] if questions else "")
    if len(lines) != 1 or len(lines[0]) > MAX_REWRITTEN_CHARACTERS:
        return by_rule
    invents = not set(_NUMBER.findall(lines[0])) <= said
    return by_rule if invents or not keeps_words(follow_up, lines[0]) else lines[0]


def keeps_words(follow_up: str, question: str) -> bool:
    """Whether the question says all that was typed, but for what points back or only joins: "and", "it", "that year".

    Example: keeps_words("And the cost in Kerry?", "What was the cost in Kerry in 2021?") -> True
    """
    pointing = COMMON_WORDS | POSSESSIVES | PRONOUNS | POINTING | JOINS
    if _that_time(follow_up) is not None:
        pointing |= TIMES
    typed = {stem(word) for word in words_of(follow_up) if word not in pointing}
    return typed <= {stem(word) for word in words_of(question)}


# --- by rule ----------------------------------------------------------------------------------------------------------


def leans_on(follow_up: str, previous: str) -> bool:
    """Whether the follow-up seems to need the question before."""
    return bool(previous) and (make_standalone(follow_up, previous) != follow_up.strip() or _points_back(follow_up))


def make_standalone(follow_up: str, previous: str) -> str:
    """The follow-up as a question that needs no other, or as it is where it needs none.

    previous: the question before, itself self-standing; "" for none.

    Examples, after "What was the net revenue of Apple in 2021?":
    "and in 2019?" -> "What was the net revenue of Apple in 2019?"
    "What about Intel?" -> "What was the net revenue of Intel in 2021?"
    "How did it change from 2020?" -> "How did the net revenue of Apple change from 2020?"
    "and its tax rate?" -> "What was the tax rate of Apple in 2021?"
    """
    text, before = follow_up.strip(), previous.strip().rstrip("?. ")
    if not before or not text:
        return text
    core, points_on = _core(text)
    words = _lower(core)
    if len(words) == 1 and words[0] in ASKING:
        return f"{core[0].upper()}{core[1:]}: {before}?"
    is_fragment = 0 < len(words) <= MAX_FRAGMENT_WORDS and not ASKING & set(words) and not AUXILIARIES & set(words)
    if is_fragment and not _points_back(core) and (points_on or text.endswith("?") or is_period(core)):
        return f"{_with_replaced(core, before)}?"
    if (place := _that_time(text)) is not None and (times := [each for each in phrases_of(before) if each.is_time]):
        return text[: place[0]] + times[-1].text + text[place[1] :]
    if points_on and words and words[0] in ASKING and not _points_back(core):
        return f"{_completed(core, before)}?"
    return _with_pronoun(text, before)


def _core(text: str) -> tuple[str, bool]:
    """The follow-up without what only joins it to the question before, and whether there is such."""
    rest = text.rstrip("?. ")
    points_on = False
    while lead := next((each for each in POINTS_ON if f"{rest.lower()} ".startswith(f"{each} ")), ""):
        points_on = True
        rest = rest[len(lead) :].lstrip(" ,")
    return rest, points_on


def phrases_of(question: str) -> list[Phrase]:
    """The phrases behind a question's opening, each to the next preposition or verb; times are phrases of their own."""
    words = list(_WORD.finditer(question))
    times = period_spans(question)
    cuts = [n for n, word in enumerate(words) if word.group().lower() in PREPOSITIONS | AUXILIARIES]
    opening = 0
    while opening < len(words) and words[opening].group().lower() in ASKING | AUXILIARIES | ARTICLES | {"much", "many"}:
        opening += 1
    inside = {n for n in cuts if any(start < words[n].start() < end for start, end in times)}
    starts = [opening, *(n for n in cuts if n > opening and n not in inside)]
    found = []
    for first, last in zip(starts, [*starts[1:], len(words)], strict=True):
        if first < last:
            start, end = words[first].start(), words[last - 1].end()
            word = words[first].group()
            lead = word if word.lower() in PREPOSITIONS | AUXILIARIES else ""
            found.append(Phrase(lead, question[start:end], start, end))
    return found


def is_period(text: str) -> bool:
    """Whether a text says a time and nothing else."""
    spans = period_spans(text)
    for start, end in reversed(spans):
        text = text[:start] + " " + text[end:]
    return bool(spans) and set(_lower(text)) <= OF_TIMES


def _with_replaced(core: str, before: str) -> str:
    """The question before with the phrase that is like the core exchanged for it."""
    phrases = phrases_of(before)
    first = core.split()[0].lower()
    if is_period(core):
        times = [each for each in phrases if each.is_time]
        said = core if first in PREPOSITIONS else f"in {core}"
        return _put(before, times[-1], _like(said, times[-1].lead)) if times else f"{before} {said}"
    if first in PREPOSITIONS:
        same = [each for each in phrases if each.lead.lower() == first]
        return _put(before, same[-1], core) if same else f"{before} {core}"
    if first in POSSESSIVES:
        return _with_owned(core, before, phrases)
    place = _place_of(core, phrases)
    if place is None:
        return f"{before} {core}"
    is_thing = place is phrases[0]
    own = core.split(" ", 1)[1] if is_thing and first in ARTICLES and " " in core else core
    return _put(before, place, own if is_thing else f"{place.lead} {core}")


def _with_owned(core: str, before: str, phrases: Sequence[Phrase]) -> str:
    """The question before, asked of another thing of the same owner; as it is where nobody is named.

    The energy in "its energy", after "the population of Osby", takes the place of the population.
    """
    thing = core.split(" ", 1)[-1]
    if len(phrases) > 1 and phrases[1].lead.lower() in OWNING:
        for time in [each.text for each in phrases_of(thing) if each.is_time]:
            thing, before = thing.replace(time, "").strip(), _with_replaced(time, before)
        return _put(before, phrases[0], thing)
    owner = _owner(before)
    return f"What is {owner}'s {thing}" if owner else core


def _like(said: str, lead: str) -> str:
    """A time with the preposition of the one whose place it takes ("in", where "for" was typed)."""
    return f"{lead} {said.split(' ', 1)[1]}" if lead else said


def _place_of(core: str, phrases: Sequence[Phrase]) -> Phrase | None:
    """A name takes the place of a name, another thing that of the thing asked for where this one is of a name or the
    other has its article, else of what it is of.
    """
    rest = [each for each in phrases if not each.is_time]
    names = [each for each in rest if each.bare[:1].isupper()]
    if core[:1].isupper() and names:
        return names[-1]
    of = [each for each in rest if each.lead.lower() in OWNING]
    is_thing = core.split()[0].lower() in ARTICLES or (bool(of) and of[0].bare[:1].isupper())
    return of[0] if of and not is_thing else rest[0] if rest else None


def _completed(core: str, before: str) -> str:
    """A question that leaves out what the one before has said, with its phrases: of whom, and when."""
    own = {each.lead.lower() for each in phrases_of(core)}
    has_verb = bool(AUXILIARIES & set(_lower(core)))
    says_when = bool(facets_of(core))
    left = [
        each.text
        for each in phrases_of(before)[1:]
        if each.lead.lower() not in own
        and not (each.is_time and says_when)
        and not (has_verb and each.lead.lower() in AUXILIARIES)
    ]
    return " ".join([core, *left]) if not (own & PREPOSITIONS and says_when) else core


def _with_pronoun(text: str, before: str) -> str:
    """The follow-up with its pronoun exchanged for what the question before was about."""
    for word in _WORD.finditer(text):
        if word.group().lower() in POSSESSIVES and (owner := _owner(before)):
            return f"{text[: word.start()]}{owner}'s{text[word.end() :]}"
    for start, end in _pronouns(text):
        return text[:start] + _topic(before, keep_period=not facets_of(text)) + text[end:]
    return text


def _points_back(text: str) -> bool:
    return any(True for _ in _pronouns(text))


def _pronouns(text: str) -> Iterator[tuple[int, int]]:
    """Where the text has a pronoun; "that year" and "this module" are none."""
    words = list(_WORD.finditer(text))
    for n, word in enumerate(words):
        behind = words[n + 1].group().lower() if n + 1 < len(words) else ""
        is_alone = not behind or behind in AUXILIARIES | PREPOSITIONS
        if word.group().lower() in PRONOUNS or (word.group().lower() in POINTING and is_alone):
            yield word.span()


def _that_time(text: str) -> tuple[int, int] | None:
    """Where the text says "that year" or the like, with the preposition before it."""
    words = list(_WORD.finditer(text))
    for n in range(1, len(words)):
        if words[n].group().lower() in TIMES and words[n - 1].group().lower() in POINTING | {"same"}:
            first = n - 1
            while first and words[first - 1].group().lower() in PREPOSITIONS | {"the"}:
                first -= 1
            return words[first].start(), words[n].end()
    return None


def _owner(before: str) -> str:
    """Whose things "its" and "their" speak of: the last name in the question before, else whom it says a thing is of,
    else what it says something of ("how old is the bridge"); "" where it says none.
    """
    phrases = [each for each in phrases_of(before) if not each.is_time]
    names = [name for each in phrases if (name := _name_in(each.bare))]
    of = [each.bare for each in phrases if each.lead.lower() in OWNING]
    subjects = [
        each.bare for each in phrases if each.lead and _lower(each.bare)[:1] and _lower(each.bare)[0] in ARTICLES
    ]
    return next((found[-1] for found in (names, of, subjects) if found), "")


def _name_in(text: str) -> str:
    """The last words in a row that are written as names."""
    rows = [
        list(row) for is_name, row in groupby(_WORD.finditer(text), lambda word: word.group()[0].isupper()) if is_name
    ]
    return text[rows[-1][0].start() : rows[-1][-1].end()] if rows else ""


def _topic(before: str, *, keep_period: bool) -> str:
    """What the question before was about: its phrases, behind the article of the opening."""
    phrases = [each for each in phrases_of(before) if keep_period or not each.is_time]
    if not phrases:
        return before
    thing = phrases[0].text
    opening = _lower(before[: phrases[0].start])
    if opening and opening[-1] in ARTICLES:
        thing = f"{opening[-1]} {thing}"
    words = thing.split()
    if opening and opening[0] not in ("what", "which") and len(words) > 1 and words[-1].endswith(("ed", "en")):
        thing = " ".join(words[:-1])  # "when are the locks checked": the locks
    return " ".join([thing, *(each.text for each in phrases[1:])])


def _put(text: str, place: Phrase, new: str) -> str:
    return text[: place.start] + new.strip() + text[place.end :]


def _lower(text: str) -> list[str]:
    return [word.group().lower() for word in _WORD.finditer(text)]
