"""All lessons as tokens, in batches of like length."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tokenizers import Tokenizer

from mixrag_cli.models.bundled import WINDOW
from mixrag_cli.models.bundled_reader import EXPECTS, MAX_QUESTION, MAX_SPAN, OPERATIONS
from training.reader.documentation import read_documentation
from training.reader.facts import read_facts
from training.reader.groups import Group, Intent, Lesson, is_dev
from training.reader.intents import read_intents
from training.reader.jsonl import read_jsonl
from training.reader.prose import read_prose
from training.reader.tables import read_tables

BATCH_TOKENS = 1_200  # of a batch, padding counted; twice as many are 9 % faster on one thread, but fewer steps
LESSONS_FILE = "lessons.jsonl.gz"
# Beside all groups of prose: a reader that has learnt the other heads keeps them by these.
MOST_GROUPS = {"tables": 3_500, "manuals": 2_000}
MOST_QUESTIONS = {"prose": 2_500, "tables": 1_000, "manuals": 800, "alone": 3_000}
POOL = 240  # lessons sorted by length at a time


@dataclass(frozen=True, slots=True)
class Prepared:
    """A lesson as tokens. rows: each passage's ids after the question's. begins: where the passages start in them.

    spans: (start, end) tokens of the right row, both counted in. right: a row, None for none. head: "holds", "pair" or
    "intent". operation, expects: numbers, -1 where unknown.
    """

    rows: tuple[list[int], ...]
    begins: int
    right: int | None
    spans: tuple[tuple[int, int], ...]
    head: str
    spanned: bool
    operation: int
    expects: int
    source: str

    @property
    def longest(self) -> int:
        """Tokens of the longest row."""
        return max(map(len, self.rows))


def read_lessons(folder: Path, headers: Path, run: Path, seed: int) -> tuple[list[Lesson], list[Lesson]]:
    """The lessons to train on and those kept for choosing; the same for the same files, packages and seed.

    folder: reader_train. headers: HiTab's training tables and questions. run: where they are kept once drawn.
    """
    drawn = run / LESSONS_FILE
    if not drawn.exists():
        write_lessons(draw_lessons(folder, headers, seed), drawn)
    lessons = list(kept_lessons(drawn))
    return [one for one in lessons if not is_dev(one)], [one for one in lessons if is_dev(one)]


def draw_lessons(folder: Path, headers: Path, seed: int) -> list[Lesson]:
    """All lessons, in an order of chance."""
    rng = random.Random(seed)
    read: dict[str, list[Lesson]] = {
        "prose": [*read_prose(folder, rng)],
        "tables": [*read_tables(folder, headers, rng)],
        "manuals": [*read_facts(rng), *read_documentation(rng)],
        "alone": [*read_intents(folder, headers, rng)],
    }
    lessons: list[Lesson] = [one for one in read["prose"] if isinstance(one, Group)]
    for kind, most_of in ((Group, MOST_GROUPS), (Intent, MOST_QUESTIONS)):
        for name, most in most_of.items():
            found = [one for one in read[name] if isinstance(one, kind)]
            lessons += rng.sample(found, min(most, len(found)))
    rng.shuffle(lessons)
    return lessons


def write_lessons(lessons: Iterable[Lesson], path: Path) -> None:
    """Keep the lessons, whole or not at all."""
    part = path.with_suffix(".part")
    with gzip.open(part, "wt", encoding="utf-8") as lines:
        for one in lessons:
            lines.write(json.dumps(asdict(one)) + "\n")
    part.replace(path)


def kept_lessons(path: Path) -> Iterator[Lesson]:
    """The lessons as they were kept."""
    for row in read_jsonl(path):
        if "passages" in row:
            row |= {"passages": tuple(row["passages"]), "spans": tuple(map(tuple, row["spans"]))}
            yield Group(**row)
        else:
            yield Intent(**row)


def count_by_source(lessons: Iterable[Lesson]) -> dict[str, int]:
    """How many lessons each source gave, questions alone apart."""
    return dict(Counter(f"{one.source}{' (question)' if isinstance(one, Intent) else ''}" for one in lessons))


class Preparing:
    """Texts to tokens."""

    def __init__(self, tokenizer_file: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer_file))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._cls, self._sep = self._tokenizer.encode("").ids

    def prepare(self, lessons: Iterable[Lesson]) -> list[Prepared]:
        """The lessons whose answer is within what the model sees."""
        found = (self._intent(one) if isinstance(one, Intent) else self._group(one) for one in lessons)
        return [one for one in found if one is not None]

    def _question(self, question: str) -> list[int]:
        ids = self._tokenizer.encode(question, add_special_tokens=False).ids[:MAX_QUESTION]
        return [self._cls, *ids, self._sep]

    def _intent(self, one: Intent) -> Prepared:
        row = [*self._question(one.question), self._sep]
        operation = OPERATIONS.index(one.operation) if one.operation else -1
        expects = EXPECTS.index(one.expects) if one.expects else -1
        return Prepared((row,), len(row), None, (), "intent", False, operation, expects, one.source)

    def _group(self, one: Group) -> Prepared | None:
        asked = self._question(one.question)
        room = WINDOW - len(asked) - 1
        encodings = self._tokenizer.encode_batch(list(one.passages), add_special_tokens=False)
        spans: list[tuple[int, int]] = []
        if one.right is not None and one.spans:
            right = encodings[one.right]
            for start, end in one.spans:
                first, last = right.char_to_token(start), right.char_to_token(end - 1)
                if first is not None and last is not None and first <= last < min(room, first + MAX_SPAN):
                    spans.append((first + len(asked), last + len(asked)))
            if not spans and all(right.char_to_token(start) is None for start, _ in one.spans):
                return None
        rows = tuple([*asked, *encoding.ids[:room], self._sep] for encoding in encodings)
        spanned = one.spanned and (one.right is None or bool(spans))
        return Prepared(rows, len(asked), one.right, tuple(spans), one.head, spanned, -1, -1, one.source)


def batches(lessons: Sequence[Prepared], seed: int) -> Iterator[list[Prepared]]:
    """The lessons over and over, in batches of like length, in an order of the seed's."""
    rng = random.Random(seed)
    order = list(lessons)
    while True:
        rng.shuffle(order)
        for start in range(0, len(order), POOL):
            pool = sorted(order[start : start + POOL], key=lambda one: one.longest)
            found = list(cut(pool))
            rng.shuffle(found)
            yield from found


def cut(ordered: Iterable[Prepared]) -> Iterator[list[Prepared]]:
    """Runs of lessons that fill BATCH_TOKENS, padding counted."""
    batch: list[Prepared] = []
    rows = longest = 0
    for one in ordered:
        if batch and (rows + len(one.rows)) * max(longest, one.longest) > BATCH_TOKENS:
            yield batch
            batch, rows, longest = [], 0, 0
        batch.append(one)
        rows, longest = rows + len(one.rows), max(longest, one.longest)
    if batch:
        yield batch
