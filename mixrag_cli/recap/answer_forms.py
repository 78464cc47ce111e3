"""What a sentence must have to answer a question of a certain form, beside sharing its words.

"which formats does it read"     several names       "who may lift it"       somebody who does it
"the size of the large crate"    the crate itself    "what is it called"     is answered with the rest
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mixrag_cli.recap.evidence import EvidenceBase, stems_of, surroundings_of
from mixrag_cli.recap.language import match_term, stem, terms_of, words_of
from mixrag_cli.recap.restate import Operand, Restated
from mixrag_cli.recap.sentences import SentenceMatch
from mixrag_cli.recap.wholes import extended, following, joined, preceding

AGENT_BONUS = 0.1  # of a score, for a sentence that says who does something
MAX_BEHIND = 2  # sentences in which a list is sought behind one that only speaks of it
MIN_LISTED = 2  # names that the question has not
_AUXILIARY = "do|does|did|are|were|is|was|can|could|may|might|must|will|would|should|have|has|had"
_ASKS_LIST = re.compile(
    rf"\b(?:which|what) (?:other |different |kinds? of |types? of )?(?:[\w-]+ ){{0,3}}?[\w-]{{3,}}(?<![sui])s (?:{_AUXILIARY})\b",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"[\w.*`'\"+-]+(?: [\w.*`'\"+-]+){0,4}(?:, [\w.*`'\"+-]+(?: [\w.*`'\"+-]+){0,4})+,? (?:and|or) [\w.*`'\"+-]+"
)
_ASKS_WHO = re.compile(r"^\s*(?:by )?(?:who|whom)\b", re.IGNORECASE)
_AGENT = re.compile(r"\bby (?:the |an? |our |its |their )?[A-Za-z]+(?!ing\b)")
_NAMED = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][\w’'-]+ (?:[A-Z]\. )?[A-Z][\w’'-]+")
_ASKS_OF = re.compile(
    r"^\s*(?:what|who|which) (?:is|are|was|were) the (?:[\w-]+ ){1,5}?(?:of|for) (?P<of>[^?]+?)\W*$", re.IGNORECASE
)
_ASKS_CALLED = re.compile(
    r"^\s*(?:and )?what (?:is|are|was|were) (?:it|they|this|that|the [\w ]+?) (?:called|named)\b", re.IGNORECASE
)


def form_bonus(match: SentenceMatch, question: str) -> float:
    """What a sentence's form adds to its score."""
    if _ASKS_WHO.search(question) is None:
        return 0.0
    named = (found.group() for found in _NAMED.finditer(match.text))
    is_new = any(not set(words_of(name)) & set(words_of(question)) for name in named)
    return AGENT_BONUS if is_new or _AGENT.search(match.text) else 0.0


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
    names = tuple(term for term in part.terms if term in restated.names)
    asked = _ASKS_OF.match(part.text)
    terms = terms_of(asked["of"]) if asked else ()
    return (*names, max(terms, key=base.weight)) if terms else names


def completed(match: SentenceMatch, question: str) -> SentenceMatch:
    """The sentence with what it announces, or with the list behind it where names are asked for and it has none."""
    if announced := extended(match):
        match = announced
    if _ASKS_LIST.search(question) is None or lists_names(match.text, question):
        return match
    behind: SentenceMatch | None = match
    for _ in range(MAX_BEHIND):
        behind = following(behind) if behind else None
        if behind is not None and lists_names(behind.text, question):
            return joined(match, behind)
    return match


def lists_names(text: str, question: str) -> bool:
    """Whether a text lists several things that the question does not say.

    Example: lists_names("It reads zip, tar and rar.", "Which formats does it read?") -> True.
    """
    asked = {stem(word) for word in words_of(question)}
    for found in _LIST.finditer(text):
        items = re.split(r", | and | or ", found.group())
        if sum(not {stem(word) for word in words_of(item)} <= asked for item in items) > MIN_LISTED:
            return True
    return False


def answered_by_first(parts: Sequence[Operand]) -> tuple[Operand, ...]:
    """The parts of a question less those that only ask what the answer to the first is called.

    Example: "Who wrote the tool, and what is it called?" asks one thing.
    """
    return (*parts[:1], *(part for part in parts[1:] if _ASKS_CALLED.search(part.text) is None))
