"""The default's nDCG@10 on judged sets, kept by question, and what has changed since another version of mixrag.

    python tests/benchmarks/default_ranking.py DATA CACHE FOUND.json [--against OTHER.json]
        [--sets hetpart,paper,tatqa,hitab] [--questions 200]

The sets are those of judged.py, indexed into CACHE; of HetDocQA the dev split is asked. FOUND.json gets each question's
nDCG@10. OTHER.json is what another version wrote, with another embedder or reading, from a CACHE of its own: the
difference is told question by question, with its 95 % interval by paired bootstrap.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from judged import JudgedSet, K, index_set, read_set

from mixrag_cli.evaluation.measures import ndcg_at
from mixrag_cli.evaluation.statistics import paired_bootstrap
from mixrag_cli.settings import Settings
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.session import open_session

Found = Mapping[str, Mapping[str, float]]  # by set and question


def rank_set(judged: JudgedSet, cache: Path, limit: int) -> dict[str, float]:
    """nDCG@10 of the documents of so many questions, each at its best passage."""
    questions = [each for each in judged.questions if judged.name != "hetpart" or each.group == "dev"]
    session = open_session(cache, Settings(store=index_set(judged, cache)))
    found = {}
    for question in questions[:: max(1, len(questions) // limit)]:
        hits = session.find(question.text, None, Clock())
        documents = list(dict.fromkeys(judged.ids[Path(hit.path).name] for hit in hits))
        found[question.id] = ndcg_at(documents, question.grades, K)
    return found


def main() -> None:
    """Rank every set, keep what each question came to, and print the means and differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("found", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--sets", default="hetpart,paper,tatqa,hitab")
    parser.add_argument("--questions", type=int, default=200)
    options = parser.parse_args()
    other: Found = json.loads(options.against.read_text("utf-8")) if options.against else {}
    found: dict[str, dict[str, float]] = {}
    for name in options.sets.split(","):
        own = found[name] = rank_set(read_set(options.data, name), options.cache, options.questions)
        options.found.write_text(json.dumps(found), "utf-8")
        shared = [question for question in own if question in other.get(name, {})]
        told = ""
        if shared:
            now, then = (np.array([values[each] for each in shared]) for values in (own, other[name]))
            change = paired_bootstrap(now, then)
            told = f"; of {len(shared)} {change.difference:+.4f} [{change.low:+.4f}, {change.high:+.4f}]"
        print(f"{name}: {len(own)} questions, nDCG@10 {np.mean(list(own.values())):.4f}{told}", flush=True)


if __name__ == "__main__":
    main()
