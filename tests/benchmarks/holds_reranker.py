"""What the trained reader's `holds` is worth as a reranker of the ten best passages: nDCG@10 with its interval.

    python tests/benchmarks/holds_reranker.py DATA CACHE [--sets hitab,hetpart,paper,tatqa] [--questions 200]

The sets are those of judged.py, indexed into CACHE by the product. The ten best passages are put in order by their
promise, in log odds, and a weight times the logit that they answer the question; the others keep their places. The
weight is the best of a grid on all the other sets, so that no question told has had a say in it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from judged import JudgedSet, K, Question, index_set, read_set

from mixrag_cli.evaluation.measures import ndcg_at
from mixrag_cli.evaluation.statistics import paired_bootstrap
from mixrag_cli.reading import ReaderModel, log_odds
from mixrag_cli.recap.passages import READ_HITS, windows_of
from mixrag_cli.records.passages import Hit
from mixrag_cli.settings import Settings
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.session import open_session

WEIGHTS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 1.0, 2.0)
ALONE = 1_000.0  # a weight beside which the promise counts nothing


@dataclass(frozen=True, slots=True)
class Ranked:
    """A question's passages as retrieval ranks them: the document and promise of each; holds: of the first ten."""

    question: Question
    documents: Sequence[str]
    promises: np.ndarray
    holds: np.ndarray

    def ndcg(self, weight: float) -> float:
        """nDCG@10 of the documents, each at its best passage, with this weight of `holds`."""
        n = len(self.holds)
        order = np.argsort(-(self.promises[:n] + weight * self.holds), kind="stable")
        ranked = [*(self.documents[place] for place in order), *self.documents[n:]]
        return ndcg_at(list(dict.fromkeys(ranked)), self.question.grades, K)


def read_holds(reader: ReaderModel, question: str, hits: Sequence[Hit]) -> np.ndarray:
    """The logit that each passage answers the question, of its best window."""
    windows = windows_of(hits)
    readings = reader.read(question, [window.lead + window.text for window in windows])
    found = np.full(len(hits), -np.inf)
    for window, reading in zip(windows, readings, strict=True):
        found[window.rank] = max(found[window.rank], reading.holds)
    return found


def rank_set(judged: JudgedSet, cache: Path, limit: int) -> list[Ranked]:
    """So many of the set's questions as the product ranks their passages."""
    questions = [each for each in judged.questions if judged.name != "hetpart" or each.group == "dev"]
    questions = questions[:: max(1, len(questions) // limit)] if limit else questions
    session = open_session(cache, Settings(store=index_set(judged, cache)))
    found, started = [], time.perf_counter()
    for question in questions:
        hits = session.find(question.text, None, Clock())
        promises = np.array([log_odds(hit.probability if hit.probability is not None else hit.score) for hit in hits])
        holds = read_holds(session.passage_reader, question.text, hits[:READ_HITS])
        found.append(Ranked(question, [judged.ids[Path(hit.path).name] for hit in hits], promises, holds))
    print(f"{judged.name}: {len(found)} questions in {time.perf_counter() - started:.0f} s", flush=True)
    return found


def main() -> None:
    """Rank every set, choose each one's weight on the others, and print what that gains."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--sets", default="hitab,hetpart,paper,tatqa")
    parser.add_argument("--questions", type=int, default=200)
    options = parser.parse_args()
    sets = {
        name: rank_set(read_set(options.data, name), options.cache, options.questions)
        for name in options.sets.split(",")
    }
    values = {
        name: {weight: np.array([each.ndcg(weight) for each in ranked]) for weight in (0.0, *WEIGHTS, ALONE)}
        for name, ranked in sets.items()
    }
    for name, own in values.items():
        others = {
            weight: np.mean([values[other][weight].mean() for other in values if other != name]) for weight in own
        }
        weight = max(WEIGHTS, key=lambda one: others[one])
        told = paired_bootstrap(own[weight], own[0.0])
        by_weight = " ".join(f"{one}: {own[one].mean():.4f}" for one in own)
        print(f"{name}: default {own[0.0].mean():.4f}, at {weight} {told}; by weight {by_weight}")


if __name__ == "__main__":
    main()
