"""Follow-up questions made self-standing by rule: "and in 2019?" after a question is that question, in 2019.

A follow-up either names one thing that takes the place of its like in the question before (a time, a name, the thing
asked for), or points back with a pronoun. Whatever does neither is left as it is. A generator
may put it better; what it says is taken only where it invents no number and stays a question's length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mixrag_cli.generator import Message, Request
from mixrag_cli.quantities.facets import facets_of, period_spans
from mixrag_cli.words import COMMON_WORDS, stem, words_of

MAX_FRAGMENT_WORDS = 7  # "and the cost of goods sold in Europe?"; longer ones are questions of their own

_LEAD = re.compile(
    r"^(?:and|but|or|so|then|ok(?:ay)?|now)?[\s,]*(?:(?:what|how) about|(?:the )?same (?:for|with|in)|and)?[\s,]+",
    re.IGNORECASE,
)
_POINTS_ON = re.compile(r"^(?:and|or|but|(?:what|how) about|(?:the )?same (?:for|with|in))\b", re.IGNORECASE)
_QUESTION_WORD = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|will|"
    r"would|should|may|list|show|tell|give|explain|compare)\b",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"\b(?:its|their|his|her)\b", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\b(?:it|they|them|he|him|she|those|these|this|that)\b(?!\s+(?:\w+\s+)?(?:is|was)\s+called)", re.IGNORECASE
)
_DETERMINER_USE = re.compile(
    r"\b(?:this|that|these|those)\s+(?!(?:is|are|was|were|do|does|did|has|have|had|change|compare)\b)\w"
)
_BARE = re.compile(r"^(?:why|how(?: so| come)?|when|where|who|since when|by whom)$", re.IGNORECASE)
_SMALL_WORDS = frozenset(
    (
        "in",
        "for",
        "of",
        "at",
        "on",
        "during",
        "by",
        "to",
        "from",
        "the",
        "a",
        "year",
        "years",
        "fiscal",
        "full",
        "as",
        "fy",
    )
)
_ASKED = re.compile(
    r"^(?P<lead>.*?\b(?:what|which|how much|how many)\b(?:\s+(?:is|was|were|are|did|does|do|has|have|had))?\s+"
    r"(?:the\s+|a\s+)?)(?P<thing>[^?]+?)(?P<rest>\s+(?:of|in|for|at|from|on|by|per|during|between|as|is|was|were|are)\b.*)?$",
    re.IGNORECASE,
)
_WH_LEAD = re.compile(
    r"^(?:(?:what|which|who|when|where|why|how(?: much| many)?)\b\s*)?"
    r"(?:(?:is|was|were|are|did|does|do|has|have|had)\b\s*)?",
    re.IGNORECASE,
)
_COMPLEMENT = re.compile(
    r"^\s+(?:of|for)\s+(?:the\s+)?([^?]+?)(?=\s+(?:in|during|at|on|from|between|as)\b|$)", re.IGNORECASE
)
_DETERMINER = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_PREPOSITION = re.compile(r"^(?:in|for|of|at|with|by|from)\s+", re.IGNORECASE)
_PREPOSITIONS = "in|on|for|of|at|with|by|from|to|during|between|under|as"
_OPENING = re.compile(r"^(on|with|by|from|to|under|for|of|at)\s+(?!(?:19|20)\d\d)", re.IGNORECASE)
_ASKS_ANEW = re.compile(r"^(?:what|which|how much|how many)\b", re.IGNORECASE)
_PASSIVE = re.compile(
    r"^(?:when|where|why|how|by whom)\s+(?:is|are|was|were)\s+(.+?)\s+\w+(?:ed|en)\b.*$", re.IGNORECASE
)
_THAT_TIME = re.compile(
    r"\b(?P<lead>(?:in|for|of|during|at|on|by|since|until|from|to)\s+)?"
    r"(?:that|the same) (?:year|quarter|month|period|time|date|day)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![.?!]\s)(?<!^)\b[A-Z][\w&.'-]*(?:\s+(?:of\s+|and\s+|the\s+)?[A-Z][\w&.'-]*)*")

MAX_TURNS = 3  # of the conversation that a generator is shown: what a follow-up leans on was said lately
MAX_REWRITTEN_CHARACTERS = 400
REWRITE_SECONDS = 20.0
REWRITE_TASK = (
    "You are given the latest questions of a conversation and one more. Write that last question so that it can be "
    "understood by itself: put the names, things and times that it leaves out in their places. Change nothing else, "
    "answer nothing, and reply with the one question alone."
)
_NUMBER = re.compile(r"\d[\d.,]*")


def leans_on(follow_up: str, previous: str) -> bool:
    """Whether the follow-up seems to need the question before."""
    return bool(previous) and (make_standalone(follow_up, previous) != follow_up.strip() or _points_back(follow_up))


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
    pointing = _PRONOUN.sub(" ", _POSSESSIVE.sub(" ", _THAT_TIME.sub(" ", _LEAD.sub(" ", f" {follow_up}"))))
    typed = {stem(word) for word in words_of(pointing) if word not in COMMON_WORDS}
    return typed <= {stem(word) for word in words_of(question)}


def make_standalone(follow_up: str, previous: str) -> str:
    """The follow-up as a question that needs no other, or as it is where it needs none.

    previous: the question before, itself self-standing; "" for none.

    Examples, after "What was the net revenue of Apple in 2021?":
    "and in 2019?" -> "What was the net revenue of Apple in 2019?"
    "What about Intel?" -> "What was the net revenue of Intel in 2021?"
    "How did it change from 2020?" -> "How did the net revenue of Apple change from 2020?"
    """
    text, before = follow_up.strip(), previous.strip().rstrip("?. ")
    if not before or not text:
        return text
    core = _LEAD.sub("", " " + text).rstrip("?. ").strip()
    if _BARE.match(core):
        return f"{core[0].upper()}{core[1:]}: {before}?"
    if _is_fragment(core, text):
        return f"{_replaced(core, before)}?"
    if _THAT_TIME.search(text) and (spans := period_spans(before)):
        period = _with_article(before[spans[-1][0] : spans[-1][1]])
        return _THAT_TIME.sub(lambda match: (match["lead"] or "in ") + period, text)
    if _POINTS_ON.match(text) and _ASKS_ANEW.match(core) and not _points_back(core):
        return f"{_completed(core, before)}?"
    if _POSSESSIVE.search(text) and (owner := _owner(before)):
        return _POSSESSIVE.sub(lambda _: f"{owner}'s", text, count=1)
    if _points_back(text):
        return _PRONOUN.sub(lambda _: _topic(before, keep_period=not facets_of(text)), text, count=1)
    return text


def _is_fragment(core: str, text: str) -> bool:
    """Whether it names a thing and asks nothing by itself."""
    words = core.split()
    if not words or len(words) > MAX_FRAGMENT_WORDS or _points_back(core) or _QUESTION_WORD.search(core):
        return False
    return bool(_POINTS_ON.match(text)) or text.endswith("?") or _is_period(core)


def _points_back(text: str) -> bool:
    return bool(_PRONOUN.search(_DETERMINER_USE.sub(" ", text)))


def _is_period(core: str) -> bool:
    rest = core
    for start, end in reversed(period_spans(core)):
        rest = rest[:start] + " " + rest[end:]
    return rest != core and all(word.lower() in _SMALL_WORDS for word in rest.split())


def _replaced(core: str, before: str) -> str:
    """The question before with its like exchanged for the core."""
    spans = period_spans(core)
    if _is_period(core):
        period = _with_article(core[spans[0][0] : spans[-1][1]])
        known = period_spans(before)
        return _put(before, known[-1], period).replace("the the ", "the ") if known else f"{before} in {period}"
    bare = _PREPOSITION.sub("", core)
    names = list(_NAME.finditer(before))
    if bare[:1].isupper() and names:
        return _put(before, names[-1].span(), bare)
    if (phrase := _like_phrase(core, before)) is not None:
        return _put(before, phrase, core)
    match = _ASKED.match(before)
    if match is None:
        return f"{before} {core}"
    complement = _COMPLEMENT.match(match["rest"] or "")
    if complement and not _DETERMINER.match(bare):
        return _put(before, (match.start("rest") + complement.start(1), match.start("rest") + complement.end(1)), bare)
    return f"{match['lead']}{_DETERMINER.sub('', bare)}{match['rest'] or ''}"


def _like_phrase(core: str, before: str) -> tuple[int, int] | None:
    """Where the question before has a phrase that begins with the core's own preposition: "on rent" for "on gas"."""
    own = _OPENING.match(core)
    if own is None:
        return None
    found = list(re.finditer(rf"\b{own[1]}\s+[^?]+?(?=\s+(?:{_PREPOSITIONS})\b|$)", before, re.IGNORECASE))
    return found[-1].span() if found else None


def _completed(core: str, before: str) -> str:
    """A question that leaves out what the one before has said: of whom, and when."""
    match = _ASKED.match(before)
    rest = (match["rest"] or "") if match else ""
    has_verb = re.search(r"\b(?:is|was|were|are|did|does|do|has|have|had)\b", core, re.IGNORECASE)
    if has_verb:
        rest = re.sub(r"^\s+(?:is|was|were|are)\b[^?]*?(?=\s+(?:in|during|at|on)\b|$)", "", rest)
    own = _ASKED.match(core)
    said = own["rest"] if own and own["rest"] else ""
    if not said:
        return core + rest
    if facets_of(core):
        return core
    spans = period_spans(before)
    return f"{core} in {_with_article(before[spans[-1][0] : spans[-1][1]])}" if spans else core


def _with_article(period: str) -> str:
    return f"the {period}" if re.match(r"(?:first|second|third|fourth|last)\b", period, re.IGNORECASE) else period


def _put(text: str, span: tuple[int, int], new: str) -> str:
    return text[: span[0]] + new + text[span[1] :]


def _owner(before: str) -> str:
    """Whose things "its" and "their" speak of: the last name in the question before."""
    names = _NAME.findall(before)
    return names[-1] if names else ""


def _topic(before: str, *, keep_period: bool) -> str:
    """What the question before was about: the question without its question word and verb."""
    passive = _PASSIVE.match(before)
    topic = passive[1] if passive else _WH_LEAD.sub("", before)
    if not keep_period:
        for start, end in reversed(period_spans(topic)):
            topic = re.sub(r"\s+(?:in|for|during|at|on|of)(?:\s+the)?\s*$", "", topic[:start]) + topic[end:]
    return topic.strip()
