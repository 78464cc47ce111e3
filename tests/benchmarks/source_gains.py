"""What each further source of evidence adds to the default: nDCG@10, its interval, corrected p, milliseconds.

    python tests/benchmarks/source_gains.py DATA CACHE [--sets hitab,hetpart,paper,tatqa] [--questions N]

The sets are those of judged.py, indexed into CACHE. For each question the default's candidates are gathered, then what
each source proposes besides, and every source's scores of all of them (source_pools.py). A source's weight is the best
of a grid on all the other sets; on HetDocQA the dev split is told. So no question told has had a say in the weight that
it is told with. The router of `levels` is trained on the other sets too. A source that one set alone has is told with
its shipped weight, which these questions chose.

oracle          the best of the runs for each question, chosen by the judgements: what a router could gain at most
keyword, entropy and compositional router   routers.py, the last two fitted on the other sets
rank fusion     reciprocal rank fusion of the default with words and with meaning
dphf            the same of the question's path and that of a made-up answer (FinQA: the study's Q2D)

On FinQA "paper" the study's summaries are a source, too: SS and LS, each context's summary as that of its tables. They
were written for the judged contexts alone, so that among others having one would give the right context away.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from judged import K
from routers import DEFAULT, Values, compositional_routes, entropy_routes, fit_bounds, signals_of, taken
from source_pools import SUMMARIES, Pools, gather_pools, routed, row_of, train_on

from mixrag_cli.evaluation.measures import ndcg_at, success_at
from mixrag_cli.evaluation.statistics import benjamini_hochberg, bootstrap, holm, paired_bootstrap
from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.calibration import Calibration, read_priors
from mixrag_cli.retrieval.fusion import fuse_by_rank, fuse_hits, sum_evidence
from mixrag_cli.retrieval.sources import EXTRAS, ROWS
from mixrag_cli.retrieval.sources.routing import LEVELS, ROUTER_FILE, read_router
from mixrag_cli.settings import Settings

SETS = ("hitab", "hetpart", "paper", "tatqa")
WEIGHTS = (0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)
RANKS, DUAL = "rank fusion", "dphf"
N_WORDS = Settings().words_candidates
ALL_ORDERED = (*EXTRAS, *SUMMARIES)


def values_of(pools: Sequence[Pools], name: str, prior: Calibration) -> dict[float, np.ndarray]:
    """nDCG@10 of each question, by the source's weight; weight 0 is the default, which the source proposes nothing to.

    The sum of the evidence is linear in the weights, so that each question is summed up twice, not once a weight.
    """
    alone = replace(prior, weights={row_of(name): 1.0})
    found = {weight: np.zeros(len(pools)) for weight in (0.0, *WEIGHTS)}
    for number, each in enumerate(pools):
        hits = each.hits("")
        found[0.0][number] = ndcg_of(each, hits, np.array(sum_evidence(hits, prior, N_WORDS)))
        hits = each.hits(name)
        usual = np.array(sum_evidence(hits, prior, N_WORDS))
        own = np.array(sum_evidence(hits, alone, N_WORDS))
        for weight in WEIGHTS:
            found[weight][number] = ndcg_of(each, hits, usual + weight * own)
    return found


def default_ndcg(pools: Pools, prior: Calibration) -> float:
    hits = pools.hits("")
    return ndcg_of(pools, hits, np.array(sum_evidence(hits, prior, N_WORDS)))


def ndcg_of(pools: Pools, hits: Sequence[Hit], evidence: np.ndarray) -> float:
    order = sorted(range(len(hits)), key=lambda n: (-evidence[n], hits[n].path, hits[n].chunk.position))
    return pools.gathered.ndcg([hits[n] for n in order])


def by_method(pools: Sequence[Pools], prior: Calibration, method: str) -> np.ndarray:
    return np.array([each.gathered.ndcg(fuse_hits(each.hits(""), prior, method, n_words=N_WORDS)) for each in pools])


def hit_rate(pools: Sequence[Pools], prior: Calibration, k: int) -> float:
    """The share of questions with a right document among the first k of the default."""
    orders = [each.gathered.documents(fuse_hits(each.hits(""), prior, n_words=N_WORDS)) for each in pools]
    found = (success_at(order, each.gathered.question.grades, k) for order, each in zip(orders, pools, strict=True))
    return float(np.mean(list(found)))


def ways_of(pools: Sequence[Pools], prior: Calibration) -> dict[str, np.ndarray]:
    """What each way of searching that a router may take comes to, question by question."""
    ways = {DEFAULT: by_method(pools, prior, "calibrated")}
    ways |= {method: by_method(pools, prior, method) for method in ("words", "meaning")}
    ways[RANKS] = fused_by_rank(pools, prior)
    if all(each.path for each in pools):
        ways[DUAL] = dual_path(pools, prior)
    return ways


def routed_values(of: str, pools: Mapping[str, Sequence[Pools]], ways: Mapping[str, Values]) -> dict[str, np.ndarray]:
    """The routers' values on one set, with what had to be fitted fitted on the others."""
    known = {
        name: np.array([signals_of(each.gathered.question.text, each.hits(""), is_exact=each.exact) for each in these])
        for name, these in pools.items()
    }
    keyword = ["words" if each.exact else DEFAULT for each in pools[of]]
    found = {"keyword router": taken(ways[of], keyword)}
    others = [(known[name], ways[name]) for name in pools if name != of]
    if others:
        fitted = [(signals[:, 0], values) for signals, values in others]
        bounds = fit_bounds(fitted, RANKS)
        high = DUAL if DUAL in ways[of] else RANKS
        routes = entropy_routes(known[of][:, 0], bounds, high)
        found["entropy router"] = taken(ways[of], routes)
        composed = compositional_routes(known[of], others, ("words", "meaning", RANKS))
        found["compositional router"] = taken(ways[of], composed)
        print(f"entropy {np.percentile(known[of][:, 0], [5, 50, 95]).round(3)}, bounds {np.round(bounds, 3)}: "
              f"{Counter(routes)}; compositional {Counter(composed)}")  # fmt: skip
    return found


def fused_by_rank(pools: Sequence[Pools], prior: Calibration) -> np.ndarray:
    """Reciprocal rank fusion of the default's order with that by words and by meaning."""
    values = []
    for each in pools:
        hits = {hit.chunk.id: hit for hit in each.hits("")}
        orders = [
            fuse_hits(list(hits.values()), prior, method, N_WORDS) for method in ("calibrated", "words", "meaning")
        ]
        fused = fuse_by_rank([[hit.chunk.id for hit in order] for order in orders])
        values.append(each.gathered.ndcg([hits[key] for key in sorted(fused, key=lambda key: -fused[key])]))
    return np.array(values)


def dual_path(pools: Sequence[Pools], prior: Calibration) -> np.ndarray:
    """Reciprocal rank fusion of the documents by the question and by a made-up answer ("Beyond the Reranker", 4.3)."""
    values = []
    for each in pools:
        own = each.gathered.documents(fuse_hits(each.hits(""), prior, n_words=N_WORDS))
        fused = fuse_by_rank([own, each.path])
        best = sorted(fused, key=lambda document: -fused[document])
        values.append(ndcg_at(best, each.gathered.question.grades, K))
    return np.array(values)


def best_weight(sets: Mapping[str, Mapping[float, np.ndarray]], base: Mapping[str, np.ndarray], left_out: str) -> float:
    """The weight with the best mean gain over the other sets; 0 where none gains."""
    others = [name for name in sets if name != left_out]
    if not others:
        return 0.0
    gains = {w: float(np.mean([(sets[name][w] - base[name]).mean() for name in others])) for w in WEIGHTS}
    best = max(gains, key=gains.__getitem__)
    return best if gains[best] > 0 else 0.0


def print_report(pools: Mapping[str, Sequence[Pools]], prior: Calibration) -> None:
    names = [name for name in ALL_ORDERED if any(name in each[0].more for each in pools.values())]
    tried = {
        name: {of: values_of(each, name, prior) for of, each in pools.items() if name in each[0].more} for name in names
    }
    ways = {of: ways_of(each, prior) for of, each in pools.items()}
    base = {of: next(tried[name][of][0.0] for name in names if of in tried[name]) for of in pools}
    for of, each in pools.items():
        mean = bootstrap(base[of])
        hits = ", ".join(f"{k} {hit_rate(each, prior, k):.3f}" for k in (1, 3, 5, 10))
        print(f"\n{of}: {len(each)} questions, default {mean.mean:.4f} [{mean.low:.4f}, {mean.high:.4f}]; HiT@ {hits}")
        runs: dict[str, tuple[str, np.ndarray]] = {}
        for name in names:
            if of in tried[name]:
                weight = best_weight(tried[name], base, of)
                weight = weight if len(tried[name]) > 1 else ROWS[row_of(name)].weight
                values = tried[name][of][weight]
                ms = float(np.median([one.ms[name] for one in each]))
                own = max(WEIGHTS, key=lambda w, by=tried[name][of]: by[w].mean())
                most = (tried[name][of][own] - base[of]).mean()
                told = f"weight {weight:g}, {ms:5.1f} ms; its own best {own:g}: {most:+.4f}"
                runs[name] = (told, values)
        runs |= {name: ("", values) for name, values in routed_values(of, pools, ways).items()}
        runs |= {name: ("", ways[of][name]) for name in (RANKS, DUAL) if name in ways[of]}
        found = {name: paired_bootstrap(values, base[of]) for name, (_, values) in runs.items()}
        corrected = zip(
            found, holm([one.p for one in found.values()]), benjamini_hochberg([one.p for one in found.values()]),
            strict=True,
        )  # fmt: skip
        for name, by_holm, by_fdr in corrected:
            one = found[name]
            print(
                f"{name:16} {one.difference:+.4f} [{one.low:+.4f}, {one.high:+.4f}] Holm {by_holm:.3f} FDR {by_fdr:.3f}"
                f"  {runs[name][0]}",
                flush=True,
            )
        everything = [base[of], *(values for _, values in runs.values())]
        strategies = [
            *everything,
            *(values for name in names if of in tried[name] for values in [tried[name][of][1.0]]),
        ]
        best = paired_bootstrap(np.max(strategies, axis=0), base[of])
        print(f"{'oracle':16} {best.difference:+.4f} [{best.low:+.4f}, {best.high:+.4f}], of {len(strategies)} runs")
    for name in names:
        gains = {w: np.mean([(tried[name][of][w] - base[of]).mean() for of in tried[name]]) for w in WEIGHTS}
        print(f"{name:16} mean gain by weight: " + ", ".join(f"{w:g} {gain:+.4f}" for w, gain in gains.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--questions", type=int, default=0, help="of each set, at most so many, evenly chosen")
    parser.add_argument(
        "--write", default="", help="write the router that is trained on these sets: hetpart,hitab,paper"
    )
    parser.add_argument("--against", type=Path, help="another CACHE, indexed with other settings: the default there")
    options = parser.parse_args()
    pools = {
        name: gather_pools(options.data, options.cache, name, options.questions) for name in options.sets.split(",")
    }
    for name, each in pools.items():
        others = [one for other, these in pools.items() if other != name for one in these]
        router = train_on(others) if others else read_router(len(each[0].vector))
        labels = np.bincount(np.argmax([one.nearness for one in each], axis=1), minlength=len(LEVELS))
        told = np.mean([router.weights(one.vector) for one in each], axis=0)
        print(f"{name}: nearest level {dict(zip(LEVELS, labels.tolist(), strict=True))}, routed {np.round(told, 2)}")
        pools[name] = routed(each, router)
    if options.write:
        everything = [one for name in options.write.split(",") for one in pools[name]]
        ROUTER_FILE.write_text(json.dumps(train_on(everything).to_json()) + "\n", "utf-8")
    print_report(pools, read_priors()["late"])
    for name, each in pools.items() if options.against else ():
        prior = read_priors()["late"]
        others = {
            one.gathered.question.id: one
            for one in gather_pools(options.data, options.against, name, options.questions)
        }
        pairs = [(default_ndcg(others[one.gathered.question.id], prior), default_ndcg(one, prior)) for one in each]
        found = paired_bootstrap(*zip(*pairs, strict=True))
        print(
            f"{name}: the default of {options.against} over this one {found.difference:+.4f} "
            f"[{found.low:+.4f}, {found.high:+.4f}]"
        )


if __name__ == "__main__":
    main()
