"""Questions drawn from a collection itself, each with the passage that it was drawn from.

They stand in for a person's questions when scores are calibrated without labels, so they must be as hard as those. A
person who asks has not copied a sentence: some of the words are the passage's own, in another order and form, and some
are not in it at all. So a drawn question keeps a part of what one statement of the passage says, leaves out words
between, and adds words of the same document that the passage does not hold, until the passage carries no more of the
question's weight than it does of a person's.

    prose   a sentence                       "how does … early stopping validation loss … optimizer?"
    code    the name and its docstring       "session send … prepared request …"
    tables  a row's path and a column's      "female french-language workers … census?"

Source: ours; SHARES_HELD says how it was fitted.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mixrag_cli.records.passages import Chunk
from mixrag_cli.retrieval.matching import TABLE_KINDS
from mixrag_cli.terms import text_to_terms

# The share of a question's weight that its passage should carry: ten equally likely values, set by hand after a look at
# FinQA's judged questions, whose best passages carry .31 to .76 (first and last decile), .55 in the middle.
SHARES_HELD = (0.30, 0.40, 0.47, 0.52, 0.57, 0.62, 0.67, 0.73, 0.80, 0.90)
WORDS = (6, 14)  # of a statement that a question keeps, fewest and most
MOST_ADDED = 5  # words of another statement of the document
KEPT_BETWEEN = 0.9  # of the words between the first and the last that are kept
MIN_STATEMENT_WORDS = 5
OPENINGS = ("what is", "how does", "which", "what was", "why is", "what are", "when did", "how many", "who", "where is")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(\"'])|\n{2,}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_WORD = re.compile(r"[^\W_][\w'’.-]*[^\W_]|[^\W_]")
_DOCSTRING = re.compile(r'"""(.+?)(?:"""|\n\s*\n)', re.DOTALL)
_COMMENT = re.compile(r"(?m)^\s*(?:#|//|\*)\s?(.+)$")
_DEFINED = re.compile(r"\b(?:def|class|func|fn|function|interface|struct|enum)\s+(\w+)")


@dataclass(frozen=True, slots=True)
class DrawnQuestion:
    """A question and the passage that it was drawn from."""

    text: str
    chunk: Chunk


def draw_questions(
    chunks: Sequence[Chunk],
    around: Mapping[str, Sequence[str]],
    weigh: Callable[[Sequence[str]], Mapping[str, float]],
    seed: str,
) -> list[DrawnQuestion]:
    """One question a passage, where a passage states anything to ask for; the same for the same seed.

    around: by document id, words of the document to mix in. weigh: terms to how rare each is in the collection.
    """
    drawn = []
    for chunk in chunks:
        chance = random.Random(f"{seed} {chunk.position} {chunk.text}")  # its id says where the folder lies
        statements = [kept for text in statements_of(chunk) if len(kept := _words(text)) >= MIN_STATEMENT_WORDS]
        if statements:
            text = _question(chunk, chance.choice(statements), around, weigh, chance)
            drawn.append(DrawnQuestion(text, chunk))
    return drawn


def statements_of(chunk: Chunk) -> list[str]:
    """What a passage states that one could ask for."""
    if chunk.kind in TABLE_KINDS:
        return _table_statements(chunk)
    if chunk.kind == "code":
        return _code_statements(chunk)
    sentences = [sentence.strip() for sentence in _SENTENCE.split(chunk.text)]
    return [sentence for sentence in sentences if len(sentence) > 30] or [chunk.text]


def _table_statements(chunk: Chunk) -> list[str]:
    """The path of a row with one of its columns and the table's title."""
    head, _, rest = chunk.text.partition(": ")
    columns = [re.sub(r"[\d.,%$()-]+$", "", part.replace(" > ", " ")) for part in rest.split(";")][:20]
    title = chunk.context.rsplit(" > ", 1)[-1]
    return [f"{column} {head.replace(' > ', ' ')} {title}" for column in columns or [""]]


def _code_statements(chunk: Chunk) -> list[str]:
    names = " ".join(_DEFINED.findall(chunk.text)[:1])
    said = [match.strip().split(". ")[0] for match in _DOCSTRING.findall(chunk.text)] or _COMMENT.findall(chunk.text)
    return [f"{names} {text}" for text in said] or [f"{names} {chunk.context}"]


def _words(text: str) -> list[str]:
    """The words of a text but for its figures: who asks for a figure does not know it. Years are known."""
    return [word for word in _WORD.findall(text) if not word[0].isdecimal() or _YEAR.fullmatch(word)]


def _question(
    chunk: Chunk,
    statement: Sequence[str],
    around: Mapping[str, Sequence[str]],
    weigh: Callable[[Sequence[str]], Mapping[str, float]],
    chance: random.Random,
) -> str:
    length = chance.randint(*WORDS)
    start = chance.randint(0, max(0, len(statement) - length))
    kept = [word for word in statement[start : start + length] if chance.random() < KEPT_BETWEEN] or list(statement)
    opening = chance.choice(OPENINGS)
    own = frozenset(text_to_terms(f"{chunk.context}\n{chunk.text}"))
    elsewhere = _words(chance.choice(list(around.get(chunk.document, ())) or [""]))
    first = chance.randint(0, max(0, len(elsewhere) - MOST_ADDED))
    weights = weigh(text_to_terms(" ".join([opening, *kept, *elsewhere[first : first + MOST_ADDED]])))
    target = chance.choice(SHARES_HELD)
    held = _weight(kept, weights)
    missing = _weight([opening], weights)
    added: list[str] = []
    for word in elsewhere[first : first + MOST_ADDED]:
        if held / (held + missing or 1.0) <= target:
            break
        added.append(word)
        missing += 0.0 if own.issuperset(text_to_terms(word)) else _weight([word], weights)
    return f"{opening} {' '.join([*kept, *added])}?"


def _weight(words: Sequence[str], weights: Mapping[str, float]) -> float:
    return sum(weights.get(term, 0.0) for term in dict.fromkeys(text_to_terms(" ".join(words))))
