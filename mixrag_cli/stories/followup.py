"""Follow-up questions made self-standing by rule: "and in 2019?" after a question is that question, in 2019.

A question is an opening ("what was the") and phrases: the thing asked for, then one behind each preposition or verb.

    a fragment ("and Intel in 2019?")     each part takes the place of its like: time, phrase of the same preposition,
                                          name, thing
    what points back ("its", "that year") is exchanged for what it points to
    a question after "and"                gets the phrases of the one before that it leaves out

Whatever is none of these is left as it is. The words that are known here are those of the language's closed classes. A
generator may put it better; what it says is taken only where it invents no number and stays a question's length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from mixrag_cli.generator import Message, Request
from mixrag_cli.quantities.facets import facets_of, period_spans
from mixrag_cli.quantities.said_numbers import numbers_in
from mixrag_cli.words import COMMON_WORDS, stem, words_of

MAX_FRAGMENT_WORDS = 7  # "and the cost of goods sold in Europe?"; longer ones are questions of their own
POINTS_ON = ("and", "or", "but", "what about", "how about", "same for", "same with", "the same")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ARTICLES = _words("the a an")
PREPOSITIONS = _words("in on for of at with by from to during between under as per since until")
AUXILIARIES = _words("is are was were do does did has have had can could will would should may")
ASKING = _words("what which who whom whose when where why how list show tell give explain compare")
OPENING = ASKING | AUXILIARIES | ARTICLES | {"much", "many"}
OWNING = ("of", "for")  # a phrase behind one of them says whose the thing before it is
POSSESSIVES = _words("its their his her")
PRONOUNS = _words("it they them he him she")
POINTING = _words("this that these those")  # pronouns only where no noun follows
TIMES = _words("year quarter month period time date day")
OF_TIMES = PREPOSITIONS | ARTICLES | _words("year years fiscal full fy quarter")
UNSAID = COMMON_WORDS | POSSESSIVES | PRONOUNS | POINTING | _words("about same ok okay now")
_WORD = re.compile(r"[^\s?,.;:!]+")

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
    if len(lines) == 1 and len(lines[0]) <= MAX_REWRITTEN_CHARACTERS and keeps_words(follow_up, lines[0]):
        said = numbers_in(" ".join((follow_up, *questions)))
        if all(number in said for number in numbers_in(lines[0])):
            return lines[0]
    return make_standalone(follow_up, questions[-1] if questions else "")


def keeps_words(follow_up: str, question: str) -> bool:
    """Whether the question says all that was typed, but for what points back or only joins: "and", "it", "that year".

    Example: keeps_words("And the cost in Kerry?", "What was the cost in Kerry in 2021?") -> True
    """
    unsaid = UNSAID | TIMES if "time" in _pointers(follow_up) else UNSAID
    typed = {stem(word) for word in words_of(follow_up) if word not in unsaid}
    return typed <= {stem(word) for word in words_of(question)}


# --- by rule ----------------------------------------------------------------------------------------------------------


def leans_on(follow_up: str, previous: str) -> bool:
    """Whether the follow-up seems to need the question before."""
    return bool(previous) and (
        make_standalone(follow_up, previous) != follow_up.strip() or "topic" in _pointers(follow_up)
    )


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
    core, points_on = _core(text)
    words = _lower(core)
    if not before or not words:
        return text
    if len(words) == 1 and words[0] in ASKING:
        return f"{core[0].upper()}{core[1:]}: {before}?"
    points_back = "topic" in _pointers(core)
    is_fragment = len(words) <= MAX_FRAGMENT_WORDS and not (ASKING | AUXILIARIES) & set(words) and not points_back
    if is_fragment and (points_on or text.endswith("?") or is_period(core)):
        return f"{_with_replaced(core, before)}?"
    pointed = _with_pointed(text, before)
    is_open = points_on and words[0] in ASKING and not points_back
    return f"{_completed(core, before)}?" if is_open and pointed == text else pointed


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
    opening = next((n for n, word in enumerate(words) if word.group().lower() not in OPENING), len(words))
    cuts = [
        n
        for n, word in enumerate(words)
        if n > opening
        and word.group().lower() in PREPOSITIONS | AUXILIARIES
        and not any(start < word.start() < end for start, end in times)
    ]
    found = []
    for first, last in pairwise([opening, *cuts, len(words)]):
        if first < last:
            start, end, word = words[first].start(), words[last - 1].end(), words[first].group()
            lead = word if word.lower() in PREPOSITIONS | AUXILIARIES else ""
            found.append(Phrase(lead, question[start:end], start, end))
    return found


def is_period(text: str) -> bool:
    """Whether a text says a time and nothing else."""
    spans = period_spans(text)
    for start, end in reversed(spans):
        text = text[:start] + " " + text[end:]
    return bool(spans) and set(_lower(text)) <= OF_TIMES


def _put(text: str, place: Phrase | None, new: str) -> str:
    """The text with the phrase exchanged for another, or with that behind it where there is none of its like."""
    return text[: place.start] + new.strip() + text[place.end :] if place else f"{text} {new.strip()}"


def _lower(text: str) -> list[str]:
    return [word.group().lower() for word in _WORD.finditer(text)]


# --- a fragment takes the place of its like ---------------------------------------------------------------------------


def _with_replaced(core: str, before: str) -> str:
    """The question before with the times of the core, then the rest of it, in the places of their likes."""
    rest = core
    for time in [each for each in phrases_of(core) if each.is_time]:
        rest = rest.replace(time.text, "").strip()
        place = next((each for each in reversed(phrases_of(before)) if each.is_time), None)
        lead = (place.lead if place else "") or time.lead or "in"
        before = _put(before, place, f"{lead} {time.bare}")
    phrases = phrases_of(before)
    first, _, thing = rest.partition(" ")
    if not rest or first.lower() in PREPOSITIONS:
        same = (each for each in reversed(phrases) if each.lead.lower() == first.lower())
        return _put(before, next(same, None), rest) if rest else before
    is_owned = first.lower() in POSSESSIVES
    if is_owned and not any(each.lead.lower() in OWNING for each in phrases[1:2]):
        asked = _with_pointed(core, before)  # the thing before is nobody's, so what its owner has is another question
        return f"What is {asked}" if asked != core else core
    place = _place_of(rest, phrases)
    if place is not None and place is phrases[0]:
        return _put(before, place, thing if is_owned or first.lower() in ARTICLES else rest)
    return _put(before, place, f"{place.lead} {rest}" if place else rest)


def _place_of(core: str, phrases: Sequence[Phrase]) -> Phrase | None:
    """A name takes the place of a name, another thing that of the thing asked for where this one is of a name or the
    other has its article or owner, else of what it is of.
    """
    rest = [each for each in phrases if not each.is_time]
    names = [each for each in rest if each.bare[:1].isupper()]
    of = [each for each in rest if each.lead.lower() in OWNING]
    if core[:1].isupper() and names:
        return names[-1]
    is_thing = core.split()[0].lower() in ARTICLES | POSSESSIVES or any(each.bare[:1].isupper() for each in of[:1])
    return next(iter(rest if is_thing else of or rest), None)


def _completed(core: str, before: str) -> str:
    """A question that leaves out what the one before has said, with its phrases: of whom, and when."""
    own = {each.lead.lower() for each in phrases_of(core)}
    says_when = bool(facets_of(core))
    if own & PREPOSITIONS and says_when:
        return core
    if AUXILIARIES & set(_lower(core)):
        own |= AUXILIARIES
    left = [
        each for each in phrases_of(before)[1:] if each.lead.lower() not in own and not (each.is_time and says_when)
    ]
    return " ".join([core, *(each.text for each in left)])


# --- what points back is exchanged for what it points to --------------------------------------------------------------


def _with_pointed(text: str, before: str) -> str:
    """The follow-up with each of its pointers exchanged for what it points to, where that is known."""
    phrases, pointers = phrases_of(before), _pointers(text)
    says_when = bool(facets_of(text)) or "time" in pointers
    times = [each.text for each in phrases if each.is_time]
    owner = _owner([each for each in phrases if not each.is_time])
    told = {
        "time": times[-1] if times else "",
        "owner": f"{owner}'s" if owner else "",
        "topic": _topic(before, [each for each in phrases if not (each.is_time and says_when)]),
    }
    for kind, (start, end) in sorted(pointers.items(), key=lambda pointer: pointer[1], reverse=True):
        text = text[:start] + (told[kind] or text[start:end]) + text[end:]
    return text


def _pointers(text: str) -> dict[str, tuple[int, int]]:
    """Where a text first points back, [start, end), by what to: "time" ("in that year"), "owner" ("its"), "topic"
    ("it", "those"); "this module" points nowhere.
    """
    found: dict[str, tuple[int, int]] = {}
    words = list(_WORD.finditer(text))
    lower = [word.group().lower() for word in words]
    for n, (word, behind) in enumerate(zip(lower, [*lower[1:], ""], strict=True)):
        if word in POSSESSIVES:
            found.setdefault("owner", words[n].span())
        elif word in POINTING | {"same"} and behind in TIMES:
            first = n
            while first and lower[first - 1] in PREPOSITIONS | ARTICLES:
                first -= 1
            found.setdefault("time", (words[first].start(), words[n + 1].end()))
        elif word in PRONOUNS or (word in POINTING and behind in AUXILIARIES | PREPOSITIONS | {""}):
            found.setdefault("topic", words[n].span())
    return found


def _owner(phrases: Sequence[Phrase]) -> str:
    """Whose things "its" and "their" speak of: the last name in the question before, else whom it says a thing is of,
    else what it says something of ("how old is the bridge"); "" where it says none.
    """
    names = [" ".join(word for word in each.bare.split() if word[0].isupper()) for each in phrases]
    of = [each.bare for each in phrases if each.lead.lower() in OWNING]
    subjects = [each.bare for each in phrases if each.lead and set(_lower(each.bare)[:1]) & ARTICLES]
    return next((found[-1] for found in (list(filter(None, names)), of, subjects) if found), "")


def _topic(before: str, phrases: Sequence[Phrase]) -> str:
    """What the question before was about: its phrases, behind the article of the opening."""
    if not phrases:
        return before
    opening, thing = _lower(before[: phrases[0].start]), phrases[0].text.split()
    if opening and opening[0] not in ("what", "which") and len(thing) > 1 and thing[-1].endswith(("ed", "en")):
        thing = thing[:-1]  # "when are the locks checked": the locks
    article = [word for word in opening[-1:] if word in ARTICLES]
    return " ".join([*article, *thing, *(each.text for each in phrases[1:])])
