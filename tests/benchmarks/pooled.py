"""People's judgements of what retrieval shows for the mixed collection, pooled over rankings as TREC pools runs.

    bank/collection.jsonl         80 questions of ours about DATA/collection/files, in the form of the 24 that come with
                                  it; written from the files, before anything was retrieved
    collection_judgements.jsonl   question, path, place, hash of the passage's text, relevant 0 or 1

For each of the 100 questions that the files answer, the pool holds the ten hits shown with the shipped calibration,
those shown with the label-free one, and the best five by words alone; it was read in a random order, without ranks and
probabilities. The rule: relevant is a passage from whose text, headings and path a reader can answer the question.

- two things asked: one of them is enough; a comparison or a difference: one of its numbers
- a number: the passage says it, of the right period and place, or those that it is worked out from at once (a fall in
  percent from both years' figures); a table's summary only where it says whose number it is, which a lowest or a
  highest of a column does not
- the most or the least of something: the winner's row, or what states it; an average: what states it
- where something is in code: a passage of that function whose headings name it
- the right subject in the wrong year, company or library is not relevant; nor is what only names the answer's topic

A passage counts as judged by its file and its text, so that a hit which another chunking makes is unjudged, not wrong.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from judged import index_folder

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.curves import BINS
from mixrag_cli.retrieval.learning import JudgedQuestion
from mixrag_cli.settings import Settings
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.session import Session, open_session

HERE = Path(__file__).parent
HASH_DIGITS = 12
DRAWS = 2_000
SEED = 7

Judgements = Mapping[tuple[str, str, str], bool]  # by question, path below the collection's folder, and hash


@dataclass(frozen=True, slots=True)
class Null:
    """What a ranker whose promises are right would show as its calibration error: the mean, and 95 % lie below high."""

    mean: float
    high: float


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def read_questions() -> list[dict[str, Any]]:
    """Our own questions; the form is that of DATA/collection/questions.jsonl."""
    return read_lines(HERE.parent / "bank" / "collection.jsonl")


def read_judgements() -> Judgements:
    rows = read_lines(HERE / "collection_judgements.jsonl")
    return {(row["question"], row["path"], row["hash"]): bool(row["relevant"]) for row in rows}


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:HASH_DIGITS]


def gather_collection(data: Path, cache: Path) -> dict[str, JudgedQuestion]:
    """Every question that DATA/collection/files answers, its candidates as people judged them, by its id.

    The product indexes the files into CACHE/collection/store.
    """
    files, store = (data / "collection" / "files").resolve(), cache / "collection" / "store"
    store.parent.mkdir(parents=True, exist_ok=True)
    index_folder(files, store)
    return read_candidates(open_session(cache, Settings(store=store)), data)


def read_candidates(session: Session, data: Path) -> dict[str, JudgedQuestion]:
    """As gather_collection, from a session over the collection's files."""
    files, judgements = (data / "collection" / "files").resolve(), read_judgements()
    return {
        asked["id"]: by_judgement(
            JudgedQuestion(session.gather(asked["question"], None, Clock()), ()), asked["id"], files, judgements
        )
        for asked in answerable(data)
    }


def answerable(data: Path) -> list[dict[str, Any]]:
    """The collection's own questions that its files answer, and ours."""
    theirs = read_lines(data / "collection" / "questions.jsonl")
    return [*(each for each in theirs if each["documents"]), *read_questions()]


def by_judgement(question: JudgedQuestion, id_: str, files: Path, judgements: Judgements) -> JudgedQuestion:
    """The question's candidates by the judgements; those that nobody judged are unjudged. files: the collection."""
    known = {
        hit.chunk.id: judgements.get((id_, path_below(hit, files), hash_of(hit.chunk.text))) for hit in question.hits
    }
    relevant = {key for key, said in known.items() if said}
    return replace(question, relevant=relevant, unjudged={key for key, said in known.items() if said is None})


def path_below(hit: Hit, files: Path) -> str:
    path = Path(hit.path)
    return path.relative_to(files).as_posix() if path.is_relative_to(files) else hit.path


def half_of(id_: str) -> int:
    """The half of a question: each is promised by what was fitted on the other. 0 was looked into to find causes."""
    return int(hashlib.sha256(id_.encode()).hexdigest(), 16) % 2


def draw_null(promised: Sequence[float] | npt.NDArray[np.float64]) -> Null:
    """The calibration error where each promise comes true as often as it says: few hits in ten bins show one, too."""
    promises = np.asarray(promised, dtype=np.float64)
    bins = np.minimum((promises * BINS).astype(int), BINS - 1)
    gaps = promises - (np.random.default_rng(SEED).random((DRAWS, len(promises))) < promises)
    errors = sum(np.abs(gaps[:, bins == each].sum(axis=1)) for each in range(BINS)) / len(promises)
    return Null(float(np.mean(errors)), float(np.quantile(errors, 0.95)))
