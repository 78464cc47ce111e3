"""Extract from a table of records: the words of a question that mean its rows, whatever the headers call them.

    "How many senators …"            the file or the title says what a row is          senators.csv
    "… bird strikes …"               also where it writes two words as one             birdstrikes.csv
    "… of the LA riots …"            words side by side, as in the file's name         la-riots.csv
    "… people, patients …"           rows with an age each are people
    "… that occurred …"              what can be said of any record

Only the last two lists are of words known beforehand.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mixrag_cli.recap.evidence import stems_of
from mixrag_cli.recap.in_rows.column_texts import is_numeric
from mixrag_cli.recap.in_rows.tally_question import HOW_MANY
from mixrag_cli.records.tables import Table
from mixrag_cli.words import is_joined_in, stem, words_of

COUNTED_REACH = 3  # words behind "how many" in which the counted thing is named
ROW_WORDS = frozenset(stem(word) for word in ("rows", "entries", "records", "lines", "observations"))
# What a row with an age of its own is, whatever its headers call it, unless a column counts how many it stands for; the
# second of what it may be.
_COUNTS = "population number count total n freq frequency cases deaths inhabitants patients victims members"
PEOPLE_WORDS = frozenset(stem(word) for word in ("people", "persons", "individuals", "participants", "respondents"))
PATIENT_WORDS = frozenset(stem(word) for word in ("patients", "victims", "subjects"))
COUNT_HEADS = PEOPLE_WORDS | {stem(word) for word in _COUNTS.split()}
# What a row with a wage or a job is; a column may shorten the word ("jobcat").
_WORK_HEADS = ("salar", "wage", "job", "occupation", "position", "department")
WORKER_WORDS = frozenset(stem(word) for word in ("employees", "workers", "staff"))
EVENT_WORDS = frozenset(stem(word) for word in ("occurred", "happened", "recorded", "listed"))  # any record is one


def row_words(question: str, terms: Sequence[str], table: Table, around: Sequence[str]) -> frozenset[str]:
    """Stems of the question that mean the rows themselves or say no more than that there are any."""
    asked = HOW_MANY.search(question)
    counted = [stem(word) for word in words_of(question[asked.end() :])[:COUNTED_REACH]] if asked else []
    found = {word for word in counted if says_joined(around, word)} | EVENT_WORDS | _phrase_stems(question, around)
    if _has_people(table):
        found |= PEOPLE_WORDS
        is_named = any(says_joined(around, term) for term in terms if term not in PATIENT_WORDS)
        found |= PATIENT_WORDS if is_named else frozenset()
    if _has_workers(table):
        found |= WORKER_WORDS
    return frozenset(found)


def _has_workers(table: Table) -> bool:
    """Whether each row has a wage or a job, and none stands for many."""
    heads = [stems_of(header.leaf) for header in table.columns]
    is_of_work = any(word.startswith(_WORK_HEADS) for leaf in heads for word in leaf)
    return is_of_work and not any((COUNT_HEADS | WORKER_WORDS).intersection(leaf) for leaf in heads)


def _has_people(table: Table) -> bool:
    """Whether each row has an age, and none stands for many."""
    numeric = [stems_of(header.leaf) for header in table.columns if is_numeric(table, header)]
    return ("age",) in numeric and not any(COUNT_HEADS.intersection(leaf) for leaf in numeric)


def says_joined(around: Sequence[str], word: str) -> bool:
    """Whether a title or a path says the word, by itself or in a name without spaces ("strikes" in "birdstrikes")."""
    return word in around or any(is_joined_in(word, name) for name in around)


def _phrase_stems(question: str, around: Sequence[str]) -> set[str]:
    """Stems of the question's words that stand side by side in a title or a path, too: "the LA riots", la-riots.csv."""
    beside = set(pairwise(around))
    return {word for pair in pairwise(stem(word) for word in words_of(question)) if pair in beside for word in pair}
