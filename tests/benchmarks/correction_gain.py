"""What the corrective search changes: of how many questions nothing is accepted, and nDCG@10 before and after.

    python tests/benchmarks/correction_gain.py DATA CACHE [--sets hetpart,paper,tatqa,hitab] [--questions 200]

The sets are those of judged.py, indexed into CACHE; of HetDocQA the dev split is asked. A question is corrected where
no passage passes its threshold (CRAG, Yan et al. 2024, without a judge); what is compared is the order of the passages
that an answer would read, with the correction and without it.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
from judged import K, Question, index_set, read_set

from mixrag_cli.evaluation.measures import ndcg_at
from mixrag_cli.evaluation.statistics import paired_bootstrap
from mixrag_cli.settings import Settings
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.retrieving import Retrieved, retrieve
from mixrag_cli.stories.session import open_session

CORRECTIONS: tuple[Literal["on", "off"], ...] = ("on", "off")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--sets", default="hetpart,paper,tatqa,hitab")
    parser.add_argument("--questions", type=int, default=200)
    options = parser.parse_args()
    for name in options.sets.split(","):
        judged = read_set(options.data, name)
        questions = [each for each in judged.questions if name != "hetpart" or each.group == "dev"]
        store = index_set(judged, options.cache)
        sessions = {
            correction: open_session(options.cache, replace(Settings(store=store), correction=correction))
            for correction in CORRECTIONS
        }
        values: dict[str, list[float]] = {correction: [] for correction in CORRECTIONS}
        n_corrected = n_rescued = 0
        for question in questions[:: max(1, len(questions) // options.questions)]:
            found = {name: retrieve(session, question.text, None, Clock(), ()) for name, session in sessions.items()}
            for correction, one in found.items():
                values[correction].append(ndcg_of(one, question, judged.ids))
            n_corrected += found["on"].corrected
            n_rescued += found["on"].corrected and bool(found["on"].hits)
        gain = paired_bootstrap(values["on"], values["off"])
        print(
            f"{name}: {len(values['on'])} questions, {n_corrected} corrected, {n_rescued} then accepted; nDCG@10 "
            f"{np.mean(values['off']):.4f} without, {gain.difference:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}] with",
            flush=True,
        )


def ndcg_of(found: Retrieved, question: Question, ids: Mapping[str, str]) -> float:
    """nDCG@10 of the documents of what would be read, or of the nearest where nothing is accepted."""
    hits = found.hits or found.refused
    documents = list(dict.fromkeys(ids[Path(hit.path).name] for hit in hits))
    return ndcg_at(documents, question.grades, K)


if __name__ == "__main__":
    main()
