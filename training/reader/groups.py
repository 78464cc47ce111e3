"""What one step of training is made of: a question with its passages, or a question alone."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

DEV_SHARE = 20  # one document in so many is kept for choosing among checkpoints


@dataclass(frozen=True, slots=True)
class Group:
    """A question, and passages or cells of which at most one is right.

    right: its number, None where none is. spans: (start, end) characters of each annotator's answer in the right
    passage; empty where only the passage counts. head: "holds" for passages, "pair" for cells and facts. spanned:
    whether the span head learns from it. group: the document, which no split may cut.
    """

    question: str
    passages: tuple[str, ...]
    right: int | None
    spans: tuple[tuple[int, int], ...]
    head: str
    spanned: bool
    source: str
    group: str


@dataclass(frozen=True, slots=True)
class Intent:
    """A question alone. operation: of OPERATIONS, expects: of EXPECTS; "" where the data do not say."""

    question: str
    operation: str
    expects: str
    source: str
    group: str


Lesson = Group | Intent


def part_of(group: str, parts: int) -> int:
    """Which of so many parts a document belongs to, by a hash of its name: the same on every machine."""
    return int(hashlib.md5(group.encode()).hexdigest(), 16) % parts


def is_dev(lesson: Lesson) -> bool:
    """Whether a lesson is kept for choosing among checkpoints."""
    return part_of(f"dev {lesson.group}", DEV_SHARE) == 0
