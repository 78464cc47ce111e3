"""MixRAG's tables 4 and 7 and figure 5 over judged sets: how tables are told, how many candidates, how many documents.

    python tests/benchmarks/ensemble.py DATA CACHE [--sets hitab,tatqa] [--questions N]

Table 4: each set is indexed four times, by the setting `table_representation`: rows with their header paths, these and
columns, both with flat headers, the table whole. HiT@1, 3, 5, 10 and nDCG@10 of the documents by the default search,
against the table whole; seconds of indexing, passages and bytes on disk beside them.
Table 7: n passages by words and m by meaning, 100 in all: the share of questions whose gold document is among them, the
mean number of different passages, and nDCG@10 of the default search over them (--quick: not that).
Figure 5: HiT@1, 3, 5, 10 of the default search among 247, 547 and 2,789 contexts of FinQA, with the same questions.
The sets are those of judged.py. No question of theirs had a say in what is compared; the weights of the sources were
fitted on others of FinQA, HetDocQA and HiTab.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from judged import JudgedSet, Question, index_set, read_set
from running import run_mixrag

from mixrag_cli.evaluation.measures import ndcg_at, success_at
from mixrag_cli.evaluation.statistics import bootstrap, paired_bootstrap
from mixrag_cli.settings import Settings
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session, open_session

REPRESENTATIONS = ("table", "rcl", "h-rcl", "h-rcl-rows")
POOLS = ((70, 30), (60, 40), (50, 50), (40, 60), (30, 70))
HITS = (1, 3, 5, 10)
DEPTH, K = 200, 10


def documents_of(session: Session, judged: JudgedSet, question: Question) -> list[str]:
    """The documents of the default search, best first."""
    hits = session.search(question.text, Scope(), DEPTH).hits
    return list(dict.fromkeys(judged.ids[Path(hit.path).name] for hit in hits))


def table_4(judged: JudgedSet, cache: Path) -> None:
    """Index and search by each representation."""
    index_set(judged, cache)
    found: dict[str, np.ndarray] = {}
    for name in REPRESENTATIONS:
        store = cache / f"{judged.name}-{name}" / "store"
        run = run_mixrag(
            "index", str(cache / judged.name / "files"), "--store", str(store), "--json",
            MIXRAG_TABLE_REPRESENTATION=name,
        )  # fmt: skip
        session = open_session(cache, Settings(store=store, table_representation=name))  # type: ignore[arg-type]
        rankings = [documents_of(session, judged, each) for each in judged.questions]
        grades = [each.grades for each in judged.questions]
        hits = [np.mean([success_at(*pair, k) for pair in zip(rankings, grades, strict=True)]) for k in HITS]
        found[name] = np.array([ndcg_at(*pair, K) for pair in zip(rankings, grades, strict=True)])
        gain = paired_bootstrap(found[name], found["table"])
        size = sum(file.stat().st_size for file in store.rglob("*") if file.is_file())
        passages = sum(1 for _ in session.reader.passages())
        print(
            f"{judged.name:8} {name:11} HiT@{HITS} {np.round(hits, 3)} nDCG@10 {bootstrap(found[name]).mean:.4f}, over "
            f"the table whole {gain.difference:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}] p {gain.p:.4f}; "
            f"{passages} passages, {size / 1e6:.1f} MB, indexed in {run.seconds:.0f} s",
            flush=True,
        )
        session.reader.close()


def figure_5(judged: JudgedSet, cache: Path) -> None:
    """What is found among so many documents."""
    session = open_session(cache, Settings(store=index_set(judged, cache)))
    pairs = [(documents_of(session, judged, each), each.grades) for each in judged.questions]
    hits = [np.mean([success_at(*pair, k) for pair in pairs]) for k in HITS]
    mean = bootstrap([ndcg_at(*pair, K) for pair in pairs])
    print(
        f"{judged.name:8} {len(judged.files)} documents: HiT@{HITS} {np.round(hits, 3)} nDCG@10 {mean.mean:.4f} "
        f"[{mean.low:.4f}, {mean.high:.4f}]",
        flush=True,
    )
    session.reader.close()


def table_7(judged: JudgedSet, cache: Path, *, quick: bool = False) -> None:
    """Pools of so many by words and by meaning."""
    session = open_session(cache, Settings(store=index_set(judged, cache)))
    ranked = []
    for each in judged.questions:
        words = session.reader.search_words(each.text, max(n for n, _ in POOLS))
        meaning = session.reader.search_meaning(session.vector_of(each.text), max(m for _, m in POOLS))
        ranked.append([[(hit.chunk.id, judged.ids[Path(hit.path).name]) for hit in side] for side in (words, meaning)])
    usual: Sequence[float] = ()
    for n, m in sorted(POOLS, key=lambda pool: pool != (40, 60)):
        pools = [{*words[:n], *meaning[:m]} for words, meaning in ranked]
        hit = np.mean([is_found(*each) for each in zip(judged.questions, pools, strict=True)])
        told = ""
        if not quick:
            own = Session(
                session.reader, session.embedder, replace(session.settings, words_candidates=n, meaning_candidates=m)
            )
            values = [ndcg_at(documents_of(own, judged, each), each.grades, K) for each in judged.questions]
            usual = usual or values
            gain = paired_bootstrap(values, usual)
            told = f", nDCG@10 over 40 and 60 {gain.difference:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}]"
        size = np.mean([len(pool) for pool in pools])
        print(f"{judged.name:8} n {n} m {m}: hit rate {hit:.4f} of {len(pools)}, k {size:.1f}{told}", flush=True)
    session.reader.close()


def is_found(question: Question, pool: Iterable[tuple[str, str]]) -> bool:
    return any(question.grades.get(owner, 0) > 0 for _, owner in pool)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--sets", default="hitab,tatqa", help="of table 4")
    parser.add_argument("--pools", default="paper,hetpart,hitab,tatqa", help="of table 7")
    parser.add_argument("--curve", default="", help="of figure 5, such as paper,part,full")
    parser.add_argument("--quick", action="store_true", help="of table 7 the hit rates alone")
    parser.add_argument("--questions", type=int, default=0, help="of each set, at most so many, evenly chosen")
    options = parser.parse_args()
    pools = partial(table_7, quick=options.quick)
    for table, names in ((figure_5, options.curve), (pools, options.pools), (table_4, options.sets)):
        for name in filter(None, names.split(",")):
            judged = read_set(options.data, name)
            questions = [each for each in judged.questions if name != "hetpart" or each.group == "dev"]
            step = max(1, len(questions) // options.questions) if options.questions else 1
            judged.questions[:] = questions[::step]
            table(judged, options.cache)


if __name__ == "__main__":
    main()
