"""Fit weights and curves of all sources from named sets: the shipped priors, and with --further the other sources.

    python tests/benchmarks/fit_priors.py DATA CACHE [--dry] [--keep-weights] [--sets full,paper,hetdocqa,hitab]
        [--unseen tables,tatqa] [--further all [--questions N]]

Fitted on FinQA, HetDocQA's calibration split among its contexts, HiTab, and the mixed collection as people judged it,
each set weighing the same: the weights on FinQA's full or part, the curves on its paper, the promises not on FinQA; on
the collection the promises alone. Any set of judged.py can be named instead. fitting.py says how.
What is printed is held out: half of FinQA's, of HiTab's and of the collection's questions are judged by what was fitted
on the other half, HetDocQA's dev split by a fit on its calibration split; with --keep-weights the curves alone are held
out. The two fits are kept in CACHE, for calibration.py. What is written, unless --dry, to
mixrag_cli/retrieval/priors.json was fitted on both halves. --further fits the sources that are off unless asked for
beside these (fit_further.py), on the same sets; what it finds is kept in CACHE.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path

from fit_further import fit_further, further_named
from fit_report import COLLECTION, Halves, gain_told, print_gain, print_held_out, print_stages
from fitting import Part, Sets, fit, halves, together, without_rerank
from judged import gather_set
from pooled import gather_collection, half_of

from mixrag_cli.retrieval.calibration import PRIORS_FILE, Calibration, read_priors

SETS = ("full", "paper", "hetpart", "hitab")
RERANKS = ("none", "late")


def fits_file(cache: Path, half: int) -> Path:
    """Where the fit that has seen this half of the questions is kept, beside what it has not."""
    return cache / f"priors-{half}.json"


def keep(path: Path, gathered: Sets, fits: Mapping[str, Calibration]) -> None:
    told = {
        "made_by": "tests/benchmarks/fit_priors.py",
        "fitted_on": ", ".join(f"{name}: {len(questions)} questions" for name, questions in gathered.items())
        + f", {COLLECTION}: promises",
        "calibrations": {name: fits[name].to_json() for name in reversed(RERANKS)},
    }
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--dry", action="store_true", help="print, write nothing")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--unseen", default="", help="sets to measure reranking on that no fit has seen: tables,tatqa")
    parser.add_argument("--keep-weights", action="store_true", help="fit the curves alone: hits stay in their order")
    parser.add_argument("--further", default="", help="fit these sources, too: graph,levels, or all")
    parser.add_argument("--questions", type=int, default=0, help="of --further: of each set at most so many")
    options = parser.parse_args()
    further = further_named(options.further)
    gathered = {name: gather_set(options.data, options.cache, name) for name in options.sets.split(",")}
    asked = gather_collection(options.data, options.cache)
    shipped = read_priors() if options.keep_weights else {}
    found: dict[str, Calibration] = {}
    of_halves: tuple[dict[str, Calibration], ...] = ({}, {})
    for rerank in RERANKS:
        weights = shipped[rerank].weights if shipped else None
        change = without_rerank if rerank == "none" else list
        sets = {name: change(questions) for name, questions in gathered.items()}
        read: Halves = tuple(change([each for id_, each in asked.items() if half_of(id_) == half]) for half in (0, 1))
        parts = {name: halves(name, questions) for name, questions in sets.items()}
        for half, fits in enumerate(of_halves):
            seen = Part({name: part[half] for name, part in parts.items()}, read[half])
            fits[rerank] = fit(seen, weights, fits["none"].weights if fits else None)
        both = Part({name: together(part) for name, part in parts.items()}, [*read[0], *read[1]])
        found[rerank] = fit(both, weights, found["none"].weights if found else None)
        told = [fits[rerank] for fits in of_halves]
        rivalry = [each.rivalry for each in told]
        print(f"\nrerank {rerank}: weights {told[0].weights} {told[1].weights}, rivalry {rivalry}")
        print_held_out(sets, read, told)
        print(f"fitted on both: weights {found[rerank].weights}, rivalry {found[rerank].rivalry}", flush=True)
    print_gain(gathered, of_halves, found)
    unseen = {name: gather_set(options.data, options.cache, name) for name in filter(None, options.unseen.split(","))}
    for name, questions in unseen.items():
        print(f"{name:9} {gain_told([(questions, found)])}, unseen", flush=True)
    print_stages(gathered, unseen)
    if further:
        print("\nfurther sources beside what was fitted on both halves")
        fit_further(options.data, options.cache, list(gathered), further, found["late"], options.questions)
    for half, fits in enumerate(of_halves):
        keep(fits_file(options.cache, half), gathered, fits)
    if not options.dry:
        keep(PRIORS_FILE, gathered, found)
        print(f"\nwritten: {PRIORS_FILE}")


if __name__ == "__main__":
    main()
