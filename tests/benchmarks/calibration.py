"""What calibration is worth: ranking by source and modality, acceptance, promised probabilities, refusals.

    python tests/benchmarks/calibration.py DATA CACHE [--sets full,paper,hetpart,hitab] [--collection STORE] [--ask N]

0. Logistic against isotonic curves from one source's scores, and from the sum, to relevance: Brier score and expected
   calibration error on the half of the questions that they were not fitted on, with all of the other half and with the
   FEW questions of it that a collection draws for itself.
1. nDCG@10 and Success@10 of single sources and fusions, each against words alone: paired bootstrap. With the shipped
   priors; HetDocQA's dev split was not fitted on, half of the other sets' questions were (fit_priors.py prints what is
   held out there).
2. HetDocQA dev, by kind of passage: balanced accuracy of accepting the first candidates by each source's threshold
   and by one global threshold, with the shipped, the label-free and the labelled calibration; the expected calibration
   error of the ten hits shown.
3. The same error on DATA/collection/files, indexed in STORE, by people's judgements (pooled.py), beside what promises
   that are right would show there: over all questions, by half, by modality and by what was promised. Each half is
   promised by the priors that fit_priors.py has fitted without it and kept in CACHE.
4. Refusing, with the reader: DATA/collection/questions.jsonl; and N questions of HetDocQA asked of FinQA's contexts
   alone, which cannot answer them, beside N of FinQA's own.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from fit_priors import fits_file
from fitting import N_WORDS, STRENGTH, ranker, without_rerank
from isotonic import fit_isotonic
from judged import Gathered, K, gather_set, read_set
from pooled import draw_null, half_of, read_candidates, read_lines

from mixrag_cli.evaluation.measures import success_at
from mixrag_cli.evaluation.statistics import paired_bootstrap
from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.acceptance import judge_all
from mixrag_cli.retrieval.calibration import Calibration, modality_of, read_priors
from mixrag_cli.retrieval.curves import (
    BINS,
    Logistic,
    balanced_accuracy,
    expected_calibration_error,
    fit_logistic,
)
from mixrag_cli.retrieval.fusion import fuse_hits, sum_evidence
from mixrag_cli.retrieval.learning import POOL, SHOWN, JudgedQuestion, fit_calibration, to_columns
from mixrag_cli.settings import Settings
from mixrag_cli.stories.calibrating import fit_and_assess, judge_itself, read_passages
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.retrieving import retrieve
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session, open_session

METHODS = ("words", "meaning", "rerank", "rrf", "weighted", "calibrated")
SEED = 7
FEW = 32  # questions: half of what a collection draws for itself
ALL = "all"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One candidate shown or judged: what was promised, whether it passed, whether it is relevant."""

    modality: str
    promised: float
    accepted: bool
    relevant: bool


# --- curves ----------------------------------------------------------------------------------------------------------


def print_curves(name: str, questions: Sequence[Gathered]) -> None:
    """Each kind of curve, fitted on every other question and judged on the rest."""
    priors = read_priors()["late"]
    fitted, held_out = ([each.judged for each in questions[half::2]] for half in (0, 1))
    known, asked = (columns_of(part, priors) for part in (fitted, held_out))
    few = columns_of(fitted[:: max(1, len(fitted) // FEW)][:FEW], priors)
    print(f"\n{name}: Brier score / calibration error of logistic and isotonic curves")
    for source, (scores, labels) in asked.items():
        cells = []
        for label, (seen, truth) in (("all", known[source]), ("few", few[source])):
            curve = fit_logistic(seen, truth, Logistic(-3.0, 0.0), 1.0, float(seen.std()) or 1.0)
            knots, heights = fit_isotonic(seen, truth)
            for kind, promised in (
                ("logistic", np.array([curve.probability(score) for score in scores])),
                ("isotonic", np.interp(scores, knots, heights)),
            ):
                brier, error = np.mean((promised - labels) ** 2), expected_calibration_error(promised, labels)
                cells.append(f"{label} {kind} {brier:.4f} / {error:.4f}")
        print(f"  {source:8} {'   '.join(cells)}", flush=True)


def columns_of(questions: Sequence[JudgedQuestion], priors: Calibration) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """By source, and for the sum of all: the scores of the judged candidates, and whether each is relevant."""
    judged = to_columns(questions, N_WORDS)
    sums = np.array([total for each in questions for total in sum_evidence(each.hits, priors, N_WORDS)[:POOL]])
    scores = {**judged.scores, "sum": sums}
    return {
        source: (column[~np.isnan(column)], judged.labels[~np.isnan(column)])
        for source, column in scores.items()
        if not np.isnan(column).all()
    }


# --- ranking ---------------------------------------------------------------------------------------------------------


def print_ranking(name: str, questions: Sequence[Gathered]) -> None:
    priors = read_priors()
    rankings = {method: [ranker(priors["late"], method)(each.hits) for each in questions] for method in METHODS}
    plain = without_rerank(questions)
    rankings["no rerank"] = [ranker(priors["none"])(each.hits) for each in plain]
    groups = {ALL: list(range(len(questions)))}
    for number, each in enumerate(questions):
        for modality in each.question.modalities:
            groups.setdefault(modality, []).append(number)
    for group, chosen in groups.items():
        print(f"\n{name}, {group}, {len(chosen)} questions: nDCG@10, Success@10, nDCG over words alone")
        words = [questions[number].ndcg(rankings["words"][number]) for number in chosen]
        for method, ranked in rankings.items():
            values = [questions[number].ndcg(ranked[number]) for number in chosen]
            found = [
                success_at(questions[number].documents(ranked[number]), questions[number].question.grades, K)
                for number in chosen
            ]
            gain = paired_bootstrap(values, words)
            over = f"{gain.difference:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}] p {gain.p:.4f}"
            print(f"  {method:12} {np.mean(values):.4f}  {np.mean(found):.3f}  {over}", flush=True)


# --- acceptance and promises -----------------------------------------------------------------------------------------


def judge_candidates(questions: Sequence[JudgedQuestion], calibration: Calibration, method: str) -> Iterator[Judgement]:
    for question in questions:
        fused = fuse_hits(question.hits[:POOL], calibration, n_words=N_WORDS)
        yield from (to_judgement(hit, question) for hit in judge_all(fused, calibration, method))


def shown(questions: Sequence[JudgedQuestion], calibration: Calibration) -> Iterator[Judgement]:
    """The hits that a person sees, but for those that are unjudged."""
    for question in questions:
        for hit in shown_hits(question, calibration):
            if hit.chunk.id not in question.unjudged:
                yield to_judgement(hit, question)


def shown_hits(question: JudgedQuestion, calibration: Calibration) -> list[Hit]:
    return fuse_hits(question.hits, calibration, n_words=N_WORDS)[:SHOWN]


def to_judgement(hit: Hit, question: JudgedQuestion) -> Judgement:
    assert hit.probability is not None
    return Judgement(
        modality_of(hit.chunk), hit.probability, hit.accepted_by is not None, hit.chunk.id in question.relevant
    )


def by_modality(judgements: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    groups: dict[str, list[Judgement]] = defaultdict(list)
    for each in judgements:
        groups[ALL].append(each)
        groups[each.modality].append(each)
    return dict(groups)


def print_acceptance(questions: Sequence[JudgedQuestion], known: Mapping[str, Calibration]) -> None:
    for method in ("per-source", "global"):
        for label, calibration in known.items():
            groups = by_modality(judge_candidates(questions, calibration, method))
            cells = []
            for modality, found in sorted(groups.items()):
                accepted = np.array([each.accepted for each in found])
                relevant = np.array([float(each.relevant) for each in found])
                cells.append(f"{modality} {balanced_accuracy(accepted, relevant):.3f}")
            print(f"  {method:10} {label:10} balanced accuracy  {'  '.join(cells)}", flush=True)


def print_errors(questions: Sequence[JudgedQuestion], known: Mapping[str, Calibration]) -> None:
    for label, calibration in known.items():
        print_error(label, list(shown(questions, calibration)))


def print_error(label: str, judgements: Sequence[Judgement]) -> None:
    """The calibration error beside the one that right promises would show, their Brier score, and both means."""
    promised, true = to_arrays(judgements)
    error, null = expected_calibration_error(promised, true), draw_null(promised)
    print(
        f"  {label:22} n {len(promised):4}  expected calibration error {error:.3f}, of right promises {null.mean:.3f}"
        f" (95 % below {null.high:.3f})  Brier {np.mean((promised - true) ** 2):.3f}"
        f"  promised {promised.mean():.3f}, true {true.mean():.3f}",
        flush=True,
    )


def print_bins(judgements: Sequence[Judgement]) -> None:
    """How often what was promised came true, by tenths of the promise."""
    promised, true = to_arrays(judgements)
    bins = np.minimum((promised * BINS).astype(int), BINS - 1)
    for each in sorted(set(bins.tolist())):
        of_bin = bins == each
        print(f"    {each / BINS:.1f}  n {of_bin.sum():4}  {promised[of_bin].mean():.2f} {true[of_bin].mean():.2f}")


def to_arrays(judgements: Iterable[Judgement]) -> tuple[np.ndarray, np.ndarray]:
    pairs = [(each.promised, float(each.relevant)) for each in judgements]
    promised, true = zip(*pairs, strict=True)
    return np.array(promised), np.array(true)


def fitted_to_itself(session: Session) -> Calibration:
    return fit_and_assess(session, judge_itself(session, read_passages(session.reader), Silent()), "collection")[0]


def open_store(store: Path) -> Session:
    return open_session(store.parent, Settings(store=store))


def report_hetdocqa(name: str, questions: Sequence[Gathered], store: Path) -> None:
    dev = [each.judged for each in questions if each.question.group == "dev"]
    calibrating = [each.judged for each in questions if each.question.group == "calibration"]
    shipped = read_priors()["late"]
    known = {
        "shipped": shipped,
        "label-free": fitted_to_itself(open_store(store)),
        "labelled": fit_calibration(calibrating, shipped, strength=STRENGTH, n_words=N_WORDS, origin="labels"),
    }
    print(f"\n{name} dev: accepting the first {POOL} candidates; the shipped priors saw its calibration split")
    print_acceptance(dev, known)
    print_errors(dev, known)


# --- the mixed collection --------------------------------------------------------------------------------------------


def report_collection(data: Path, cache: Path, store: Path) -> None:
    """Each half of the questions by the priors that have not seen it, and by what those became fitted to itself."""
    session = open_store(store)
    asked = read_candidates(session, data)
    print(f"\nmixed collection, {len(asked)} questions with an answer; relevant: as a reader judged")
    parts = []
    for half in (0, 1):
        with patch("mixrag_cli.retrieval.calibration.PRIORS_FILE", fits_file(cache, half)):
            known = {"shipped": session.shipped_calibration, "label-free": fitted_to_itself(session)}
        parts.append(({id_: each for id_, each in asked.items() if half_of(id_) != half}, known))
    for unseen, known in parts:
        print_unjudged(unseen, known)
    for label in ("shipped", "label-free"):
        report_promises(label, [(list(unseen.values()), known[label]) for unseen, known in parts])
    for unseen, known in parts:
        print(f"  {len(unseen)} questions")
        print_acceptance(list(unseen.values()), known)


def report_promises(label: str, parts: Sequence[tuple[Sequence[JudgedQuestion], Calibration]]) -> None:
    judgements = [list(shown(questions, known)) for questions, known in parts]
    print_error(f"{label}, {ALL}", [each for part in judgements for each in part])
    for part, (questions, _) in zip(judgements, parts, strict=True):
        print_error(f"  {len(questions)} questions", part)
    groups = by_modality(each for part in judgements for each in part)
    for modality, found in sorted(groups.items()):
        if modality != ALL:
            print_error(f"  {modality}", found)
    print("    promised from, n, promised, true")
    print_bins(groups[ALL])


def print_unjudged(read: Mapping[str, JudgedQuestion], known: Mapping[str, Calibration]) -> None:
    """The hits shown that nobody judged: they are left out, and want judging where they are many."""
    for label, calibration in known.items():
        hits = [(id_, hit) for id_, each in read.items() for hit in shown_hits(each, calibration)]
        left_out = [(id_, hit) for id_, hit in hits if hit.chunk.id in read[id_].unjudged]
        print(f"  {label}: {len(left_out)} of {len(hits)} hits shown are unjudged")
        for id_, hit in left_out:
            print(f"    {id_} {hit.path} {hit.chunk.locator.to_json()}")


# --- refusing --------------------------------------------------------------------------------------------------------


def print_refusals(label: str, session: Session, answerable: Sequence[str], others: Sequence[str]) -> None:
    """Precision and recall of refusing: how many of those refused have no answer, how many of these are refused.

    Once by what retrieval accepts alone, once with the reader, which refuses what it cannot work out.
    """
    for acceptance in ("per-source", "global", "none"):
        asked = Session(session.reader, session.embedder, replace(session.settings, acceptance=acceptance))
        judges: dict[str, Callable[[str], bool]] = {
            "retrieval": lambda text, asked=asked: not retrieve(asked, text, None, Clock(), ()).hits,
            "and reader": lambda text, asked=asked: asked.ask(text, Scope()).status != "answered",
        }
        for judge, refuses in judges.items():
            wrong, right = (sum(map(refuses, part)) for part in (answerable, others))
            precision = right / (right + wrong) if right + wrong else 0.0
            print(
                f"  {label:12} {acceptance:10} {judge:10} {right} of {len(others)} without an answer refused,"
                f" {wrong} of {len(answerable)} with one; precision {precision:.3f}, recall {right / len(others):.3f}",
                flush=True,
            )


def report_refusals(data: Path, finqa: Path, collection: Path | None, n: int) -> None:
    print("\nrefusing")
    if collection is not None:
        questions = read_lines(data / "collection" / "questions.jsonl")
        parts = [[each["question"] for each in questions if bool(each["documents"]) == has] for has in (True, False)]
        print_refusals("collection", open_store(collection), *parts)
    texts = [
        random.Random(SEED).sample([each.text for each in read_set(data, name).questions], n)
        for name in ("paper", "hetpart")
    ]
    print_refusals("FinQA", open_store(finqa), *texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--sets", default="full,paper,hetpart,hitab")
    parser.add_argument("--collection", type=Path, help="a store of DATA/collection/files")
    parser.add_argument("--ask", type=int, default=0, help="questions of each kind that are asked for their refusal")
    options = parser.parse_args()
    for name in options.sets.split(","):
        questions = gather_set(options.data, options.cache, name)
        print_curves(name, questions)
        if not name.startswith("het"):
            print_ranking(name, questions)
            continue
        print_ranking(f"{name} dev", [each for each in questions if each.question.group == "dev"])
        report_hetdocqa(name, questions, options.cache / name / "store")
    if options.collection:
        report_collection(options.data, options.cache, options.collection)
    if options.ask:
        finqa = next(name for name in options.sets.split(",") if name in ("full", "part"))
        report_refusals(options.data, options.cache / finqa / "store", options.collection, options.ask)


if __name__ == "__main__":
    main()
