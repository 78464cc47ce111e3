"""What a sentence must have to answer a question of a certain form, beside sharing its words.

"which formats does it read"     several names       "who may lift it"       somebody who does it
"the size of the large crate"    the crate itself    "what is it called"     is answered with the rest
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.evidence import EvidenceBase, stems_of, surroundings_of
from mixrag_cli.recap.in_text.sentences import SentenceMatch
from mixrag_cli.recap.in_text.wholes import extended, following, joined, preceding
from mixrag_cli.recap.language import match_term, stem, terms_of, words_of
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.wording import WHOLE_WORDS

AGENT_BONUS = 0.1  # of a score, for a sentence that says who does something
PAIR_BONUS = 0.1  # for each of the thing and the deed that are asked for
PAIR_COVERAGE = 0.45  # of a sentence that says both
MAX_BEHIND = 2  # sentences in which a list is sought behind one that only speaks of it
MIN_LISTED = 3  # names that the question has not
_AUXILIARY = "do|does|did|are|were|is|was|can|could|may|might|must|will|would|should|have|has|had"
_ASKS_LIST = re.compile(
    rf"\b(?:which|what) (?:other |different )?(?:[\w-]+ ){{0,3}}?[\w-]{{3,}}(?<![sui])s (?:{_AUXILIARY})\b",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"[\w.*`'\"+-]+(?: [\w.*`'\"+-]+){0,4}(?:, [\w.*`'\"+-]+(?: [\w.*`'\"+-]+){0,4})+,? (?:and|or) [\w.*`'\"+-]+"
)
_ASKS_PAIR = re.compile(
    r"\b(?:what|which) (?:(?:kind|type|sort|form)s? of )?(?P<thing>(?:[\w-]+ ){0,2}?[\w-]+) "
    r"(?:do|does|did|can|may|must|will) (?P<rest>[^?]+?)\W*$",
    re.IGNORECASE,
)
_PARTICLES = re.compile(
    r"\b(?:through|out|up|down|off|on|in|over|away|back|along|into|with|by|from|to|for|of)\b", re.IGNORECASE
)
_SAYS_AGAIN = re.compile(r"^\W*(?:in other words|that is|i\.e\.|this means)\b", re.IGNORECASE)
_ASKS_WHO = re.compile(r"^\s*(?:by )?(?:who|whom)\b", re.IGNORECASE)
_NAME_LIKE = re.compile(r"[A-Z0-9_`.]")
_TO_READER = re.compile(r"\byou\b", re.IGNORECASE)  # what the reader may do, nobody has done
_ASKS_DIFFERENCE = re.compile(r"^\s*(?:how|in (?:what|which) \w+) (?:do|does|did)\b[^?]*\bdiffer", re.IGNORECASE)
_SAYS_DIFFERENCE = re.compile(
    r"\b(?:differ\w*|unlike|whereas|in contrast|contrary|instead|rather than|not the same|while|but)\b",
    re.IGNORECASE,
)
_WHO_DOES = re.compile(
    r"^\s*who (?:may |can |must |has |had |will |would )?(?P<deed>[a-z]{4,}(?:ed|s|te))\b", re.IGNORECASE
)
_AGENT = re.compile(r"\bby (?!default\b|hand\b|\w+ing\b|means\b|itself\b|\d)(?:the |an? |our |its |their )?[A-Za-z]+")
_NAMED = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][\w’'-]+ (?:[A-Z]\. )?[A-Z][\w’'-]+")
_ASKS_OF = re.compile(
    r"^\s*(?:what|who|which) (?:is|are|was|were) the (?:[\w-]+ ){1,5}?(?:of|for) (?P<of>[^?]+?)\W*$", re.IGNORECASE
)
_ASKS_CALLED = re.compile(
    r"^\s*(?:and )?what (?:is|are|was|were) (?:it|they|this|that|the [\w ]+?) (?:called|named)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class AskedPair:
    """What "which THING does the press MAKE" asks: the stems of the thing and of the deed."""

    thing: str
    deed: str

    def said_by(self, text: str) -> int:
        """How many of the two a text says."""
        own = stems_of(text)
        return sum(match_term(word, own) > 0 for word in (self.thing, self.deed))


def asked_pair(question: str) -> AskedPair | None:
    """The thing and the deed of a question that has both, else None.

    Example: asked_pair("What kind of paper does the mill produce?") -> AskedPair("paper", "produc").
    """
    found = _ASKS_PAIR.search(question)
    if found is None:
        return None
    thing, deeds = terms_of(found["thing"]), terms_of(_PARTICLES.sub(" ", found["rest"]))
    return AskedPair(thing[-1], deeds[-1]) if thing and len(deeds) > 1 else None


def form_bonus(match: SentenceMatch, question: str) -> float:
    """What a sentence's form adds to its score."""
    pair = asked_pair(question)
    if pair is not None:
        return PAIR_BONUS * pair.said_by(match.text)
    if _ASKS_WHO.search(question) is None:
        return 0.0
    named = (found.group() for found in _NAMED.finditer(match.text))
    is_new = any(not set(words_of(name)) & set(words_of(question)) for name in named)
    return AGENT_BONUS if is_new or _AGENT.search(match.text) else 0.0


def has_form(match: SentenceMatch, question: str) -> bool:
    """Whether a sentence can answer by its form: it says the thing or the deed, who does it, or a difference."""
    if _ASKS_DIFFERENCE.search(question) is not None and _SAYS_DIFFERENCE.search(match.text) is None:
        return False
    deed = _WHO_DOES.match(question)
    if deed is not None and not form_bonus(match, question):
        return not _TO_READER.search(match.text) and match_term(stem(deed["deed"].lower()), stems_of(match.text)) > 0
    pair = asked_pair(question)
    if pair is None or pair.said_by(match.text):
        return True
    before = preceding(match)
    return before is not None and pair.said_by(before.text) > 0


def least_coverage(match: SentenceMatch, question: str, usual: float) -> float:
    """How much of the question a sentence must say: less where it says both the thing and the deed."""
    pair = asked_pair(question)
    return PAIR_COVERAGE if pair is not None and pair.said_by(match.text) == 2 else usual


def says_subject(match: SentenceMatch, part: Operand, restated: Restated, base: EvidenceBase) -> bool:
    """Whether the sentence, the one before or what is around says of what the question asks something.

    That a document holds a name or a word somewhere makes no sentence of it an answer.
    """
    if restated.expects != "any":
        return True
    needed = _needed_terms(part, restated, base)
    around, _ = surroundings_of(match.hit, None)
    before = preceding(match)
    said = (*stems_of(match.text), *(stems_of(before.text) if before else ()), *around)
    return all(match_term(term, said) > 0 for term in needed)


def _needed_terms(part: Operand, restated: Restated, base: EvidenceBase) -> tuple[str, ...]:
    """The names of the question, and the rarest word of what it asks something of."""
    names = tuple(term for term in part.terms if term in restated.names and term not in WHOLE_WORDS)
    asked = _ASKS_OF.match(part.text)
    terms = terms_of(asked["of"]) if asked else ()
    return (*names, max(terms, key=base.weight)) if terms else names


def completed(match: SentenceMatch, question: str) -> SentenceMatch:
    """The sentence with what it announces, or with the list behind it where names are asked for and it has none."""
    if _SAYS_AGAIN.match(match.text):
        match = joined(preceding(match), match)
    match = extended(match)
    if _ASKS_LIST.search(question) is None or lists_names(match.text, question):
        return match
    behind: SentenceMatch | None = match
    for _ in range(MAX_BEHIND):
        behind = following(behind) if behind else None
        if behind is not None and lists_names(behind.text, question, as_written=True):
            return joined(match, behind)
    return match


def lists_names(text: str, question: str, *, as_written: bool = False) -> bool:
    """Whether a text lists several things that the question does not say. as_written: by names, "bzip2" or "Carrow".

    Example: lists_names("It reads zip, tar and rar.", "Which formats does it read?") -> True.
    """
    asked = {stem(word) for word in words_of(question)}
    for found in _LIST.finditer(" ".join(text.split())):
        items = [
            item for item in re.split(r", | and | or ", found.group()) if not as_written or _NAME_LIKE.search(item)
        ]
        if sum(not {stem(word) for word in words_of(item)} <= asked for item in items) >= MIN_LISTED:
            return True
    return False


def answered_by_first(parts: Sequence[Operand]) -> tuple[Operand, ...]:
    """The parts of a question less those that only ask what the answer to the first is called.

    Example: "Who wrote the tool, and what is it called?" asks one thing.
    """
    return (*parts[:1], *(part for part in parts[1:] if _ASKS_CALLED.search(part.text) is None))
