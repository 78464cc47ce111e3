"""Groups as the product makes them: questions that people would ask of folders, among what retrieval finds for them.

    python -m training.reader.natural GATHERED LESSONS RUN [--most 400] [--replay EARLIER/lessons.jsonl.gz]
        [--of SOURCE=NUMBER ...] [--replayed 0.15]

LESSONS/NAME/lessons.jsonl has a question a line, written from one passage of GATHERED/NAME/files: its path and place,
the question, the answer word for word ("" where the whole passage answers or it must be computed), the operation and
what is expected; of a list its items, word for word; of a calculation its result. Each question is asked of its
folder's index; the windows and the cells that the reader would be given are the group, and what the answer stands in,
or comes to the result, is right. LESSONS/NAME/unanswerable.txt, where there is one, has a question a line that the
folder does not answer: of what is found for it nothing is right. Writes RUN/lessons.jsonl.gz, with earlier lessons
among them: of some sources as many as --of says, of all others together --replayed for each new one.

Where the answer's words are known, each group has a wrong window that the reader of today takes for the likeliest, or
second likeliest, to answer: of windows drawn by chance it mistakes one in five groups, and learns little of the rest.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mixrag_cli.evaluation.answers import is_same_value, says_form
from mixrag_cli.recap.drafting import labelled_drafts
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.passages import READ_HITS, Window, windows_of
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.signs import Draft
from mixrag_cli.records.answers import DERIVED
from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.stories.answering import prepare
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session
from training.folders import open_indexed
from training.reader.groups import Group, Intent, Lesson
from training.reader.intents import written_group
from training.reader.jsonl import read_jsonl
from training.reader.lessons import LESSONS_FILE, kept_lessons, write_lessons

SEED = 7
DRAWS = 2  # groups of a question, each with other wrong passages
WRONG = (2, 4)  # windows of a group that do not answer
NEAREST = 14  # windows that they are drawn from, the best of what is found
CELLS = 6  # of a group that are not meant
HARD_CELLS = 2  # of them are those that the reader of today takes for the likeliest
MISSING = 0.15  # of the groups lose what is right
MOST_ITEMS = 6  # of a list, each a lesson of its own
MOST_PLACES = 3  # of an answer in its passage; what stands there more often says little of where
UNANSWERABLE = "unanswerable.txt"
CALCULATIONS = ("count", "sum", "average", "difference", "percent_change", "ratio", "max", "min")
IN_TEXT = 0.1  # of the questions that a passage answers also teach that no cell does


@dataclass(frozen=True, slots=True)
class Written:
    """A question and the passage it was written from. answer: word for word, "" where no words of it answer.

    gold: None where the folder does not answer. items: of a list, word for word. result: of a calculation.
    """

    question: str
    answer: str
    operation: str
    expects: str
    gold: Chunk | None
    path: str
    items: tuple[str, ...] = ()
    result: float | None = None


_Found = tuple[Window, Chunk]  # a window of what is found, and the passage that it is of


def main() -> None:
    """Ask all questions, keep the groups."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gathered", type=Path)
    parser.add_argument("lessons", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--most", type=int, default=sys.maxsize, help="questions of a folder, drawn by chance")
    parser.add_argument("--replay", type=Path)
    parser.add_argument("--of", action="append", default=[], metavar="SOURCE=NUMBER", help="earlier groups of a source")
    parser.add_argument("--replayed", type=float, default=0.15, help="lessons of the others for each new one")
    options = parser.parse_args()
    options.run.mkdir(parents=True, exist_ok=True)
    rng = random.Random(SEED)
    found: list[Lesson] = []
    for known in sorted(options.lessons.glob("*/lessons.jsonl")):
        name = known.parent.name
        drawn = options.run / f"{name}.jsonl.gz"
        if not drawn.exists():
            taught = read_natural(known, options.gathered / name, random.Random(SEED), options.most)
            write_lessons(taught, drawn)
        found += kept_lessons(drawn)
        print(f"{name}: {len(found)} lessons", flush=True)
    if options.replay:
        wanted = {source: int(number) for source, number in (one.split("=") for one in options.of)}
        found += replayed(list(kept_lessons(options.replay)), wanted, round(options.replayed * len(found)), rng)
    rng.shuffle(found)
    write_lessons(found, options.run / LESSONS_FILE)


def replayed(earlier: Sequence[Lesson], wanted: Mapping[str, int], others: int, rng: random.Random) -> list[Lesson]:
    """Earlier lessons drawn by chance: groups of each wanted source, and anything of the others."""
    found: list[Lesson] = []
    for source, number in wanted.items():
        groups = [one for one in earlier if isinstance(one, Group) and one.source == source]
        found += rng.sample(groups, min(number, len(groups)))
    rest = [one for one in earlier if one.source not in wanted]
    return found + rng.sample(rest, min(others, len(rest)))


def read_natural(known: Path, folder: Path, rng: random.Random, most: int = sys.maxsize) -> Iterator[Lesson]:
    """The lessons of one folder, of so many questions at most.

    known: its questions. folder: with its files, beside which its index is kept.
    """
    session = open_indexed(folder / "files", folder / "store")
    asked = [*_written(known, folder / "files", session), *_unanswerable(known.with_name(UNANSWERABLE))]
    for one in asked if most >= len(asked) else rng.sample(asked, most):
        group = written_group(folder.name, one.path)
        if one.gold is not None:
            yield Intent(one.question, one.operation, one.expects, "natural", group)
        restated, base, _ = prepare(session, one.question, Scope(), Clock())
        found = _found(one, base)
        if one.operation == "lookup" or one.answer:
            yield from _window_groups(one, found, group, rng)
        for item in one.items[:MOST_ITEMS]:
            yield from _window_groups(replace(one, answer=item), found, group, rng, draws=1)
        if one.gold is None or one.gold.parent or rng.random() < IN_TEXT:
            yield from _cell_group(one, restated, base, group, rng)


def _written(known: Path, files: Path, session: Session) -> Iterator[Written]:
    """The questions whose passage is in the index as it was when they were written."""
    at_place: dict[tuple[str, str], Chunk] = {}
    for row in session.reader.document_rows():
        path = row.path.removeprefix(f"{files}/")
        for chunk in session.reader.chunks_of(row.id):
            at_place.setdefault((path, json.dumps(chunk.locator.to_json())), chunk)
    for asked in read_jsonl(known):
        gold = at_place.get((asked["path"], json.dumps(asked["place"])))
        words = (asked["answer"], *asked.get("items", ()))
        if gold is not None and all(each in gold.text for each in words):
            wanted = (asked["question"], asked["answer"], asked["operation"], asked["expects"])
            yield Written(*wanted, gold, asked["path"], words[1:], asked.get("result"))


def _unanswerable(known: Path) -> Iterator[Written]:
    """The questions that the folder does not answer, each as of a document of its own."""
    for question in known.read_text("utf-8").splitlines() if known.exists() else ():
        yield Written(question, "", "lookup", "", None, question)


def _found(one: Written, base: EvidenceBase) -> list[_Found]:
    """The windows that are found for a question, each with its passage; those that the reader mistakes first.

    Where a whole passage answers they stay as they are found: another one may answer as well, the likeliest first.
    """
    hits = base.hits[:READ_HITS]
    found = [(window, hits[window.rank].chunk) for window in windows_of(hits)][:NEAREST]
    if one.gold is not None and not one.answer and not one.items:
        return found
    readings = base.reader.read(one.question, [window.lead + window.text for window, _ in found])
    by_hardness = sorted(zip(readings, found, strict=True), key=lambda each: -each[0].holds)
    return [each for _, each in by_hardness]


def _window_groups(
    one: Written, found: Sequence[_Found], group: str, rng: random.Random, draws: int = DRAWS
) -> Iterator[Group]:
    gold = [Hit(one.gold, one.path, "", {}, 0.0)] if one.gold is not None else []
    right = [window for window in windows_of(gold) if one.answer in window.text]
    wrong = [window for window, chunk in found if _is_wrong(one, chunk, window)]
    if (gold and not right) or not wrong:
        return
    for draw in range(draws):
        hard = wrong[draw : draw + 1] if one.answer or not gold else []
        others = [window for window in wrong if window not in hard]
        n_others = min(rng.randint(*WRONG) - len(hard), len(others))
        chosen = [*hard, *rng.sample(others, n_others)]
        if not gold or rng.random() < MISSING:
            yield _shown(one, chosen, None, group)
        else:
            at = rng.randrange(len(chosen) + 1)
            yield _shown(one, [*chosen[:at], right[0], *chosen[at:]], at, group)


def _is_wrong(one: Written, chunk: Chunk, window: Window) -> bool:
    """Whether a window does not answer: what stands beside the right passage, or says the same, may."""
    if one.gold is None:
        return True
    if chunk.id == one.gold.id or chunk.text == one.gold.text:
        return False
    if not one.answer:
        return chunk.document != one.gold.document or abs(chunk.position - one.gold.position) > 1
    return not says_form(one.answer, window.lead + window.text)


def _shown(one: Written, windows: Sequence[Window], at: int | None, group: str) -> Group:
    texts = tuple(window.lead + window.text for window in windows)
    spans: tuple[tuple[int, int], ...] = ()
    if at is not None and one.answer:
        first = len(windows[at].lead)
        spans = tuple((first + start, first + start + len(one.answer)) for start in _places(one.answer, windows[at]))
    is_spanned = one.gold is None or (bool(one.answer) and (at is None or 0 < len(spans) <= MOST_PLACES))
    return Group(one.question, texts, at, spans if is_spanned else (), "holds", is_spanned, "natural", group)


def _places(answer: str, window: Window) -> list[int]:
    """Where the answer stands in a window as words of its own, else anywhere."""
    as_words = rf"(?<![\w.,]){re.escape(answer)}(?!\w)"
    found = [match.start() for match in re.finditer(as_words, window.text)]
    return found or [match.start() for match in re.finditer(re.escape(answer), window.text)]


def _cell_group(
    one: Written, restated: Restated, base: EvidenceBase, group: str, rng: random.Random
) -> Iterator[Group]:
    """The cells, facts and computed values that the question would be given, of which one at most is right."""
    labelled = [(label, _says(one, draft), _is_there(one, draft)) for label, draft in labelled_drafts(restated, base)]
    if one.operation in CALCULATIONS and not one.answer and not any(says for _, says, _ in labelled):
        return  # its result is not known, or not among them: that "none" is right would be wrong to teach
    right = [label for label, says, is_gold in labelled if says and is_gold]
    wrong = list(dict.fromkeys(label for label, says, _ in labelled if not says and label not in right))
    if not wrong:
        return
    readings = base.reader.read(one.question, wrong)
    by_hardness = sorted(zip(readings, wrong, strict=True), key=lambda each: -each[0].pair)
    mistaken = [label for _, label in by_hardness]
    hard, others = mistaken[:HARD_CELLS], mistaken[HARD_CELLS:]
    chosen = [*hard, *rng.sample(others, min(CELLS - len(hard), len(others)))]
    at = rng.randrange(len(chosen) + 1) if right and rng.random() >= MISSING else None
    texts = chosen if at is None else [*chosen[:at], right[0], *chosen[at:]]
    yield Group(one.question, tuple(texts), at, (), "pair", False, "natural", group)


def _says(one: Written, draft: Draft) -> bool:
    """Whether a candidate says the answer, or comes to the result."""
    if one.result is not None:
        return draft.value is not None and is_same_value(one.question, one.result, (), float(draft.value), draft.unit)
    if len(one.items) > 1 and len(draft.evidence) == len(one.items) and not draft.formula:
        return sorted(" ".join(each.quote.split()) for each in draft.evidence) == sorted(one.items)
    return bool(one.answer) and says_form(one.answer, draft.text)


def _is_there(one: Written, draft: Draft) -> bool:
    """Whether a candidate stands in the passage, or is derived from cells of its table."""
    if one.gold is None:
        return False
    chunk = draft.source.hit.chunk
    is_of_several = len(draft.evidence) > 1 or draft.kind in DERIVED
    return chunk.id == one.gold.id or (is_of_several and chunk.parent == one.gold.parent != "")


if __name__ == "__main__":
    main()
