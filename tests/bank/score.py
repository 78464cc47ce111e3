"""Score the three grades on the bank's questions, through the commands that people use.

    python tests/bank/score.py DATA CACHE [--gathered FOLDER] [--part sealed|fitted|open|all] [--set NAME] [--failures]
                               [--again] [--every]

DATA is the folder that holds collection/ and everyday/, FOLDER that of gather.py; the indexes and answers are kept in
CACHE (--again asks anew).
Printed, of what was sealed by default: outcomes by set and kind; how precise stated answers are and how many of the
answerable get one (Wilson's 95 % intervals); what is stated or among the likely three; how many of the unanswerable are
stated; how far the probability can be believed, of what is stated and of every first answer (a reliability table,
expected calibration error, AUC of right against wrong). --every asks for the best answer to every question, however
unsure, so that the probability is seen over its whole range and not only where it is high enough to state. --failures
lists what went wrong in the open part; the sealed part's failures are never shown.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from judging import OUTCOMES, Verdict, judge, kinds_of
from questions import GATHERED, SETS, BankQuestion, read_bank, read_gathered

from mixrag_cli.output.answer_payload import answer_to_json
from mixrag_cli.stories.judged_answers import best_answer

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from running import run_mixrag

from training.folders import open_indexed

BINS = 5
SURE_ENOUGH = 1.96  # standard deviations: 95 %


def wilson(hits: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share. Source: Wilson, Probable inference, JASA 1927."""
    if not n:
        return 0.0, 1.0
    z, share = SURE_ENOUGH, hits / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(middle - half, 0.0), min(middle + half, 1.0)


def auc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """The chance that a right answer is believed more than a wrong one; NaN where either is missing."""
    pairs = [(a > b) + (a == b) / 2 for a in right for b in wrong]
    return sum(pairs) / len(pairs) if pairs else math.nan


def promised_auc(told: Sequence[float]) -> float:
    """The AUC to expect where each of these probabilities comes true; NaN where none can be right, or none wrong.

    It is the mean over all pairs of answers, each pair counted by how likely the one is right and the other wrong.
    """
    pairs = [(a * (1 - b), (a > b) + (a == b) / 2) for n, a in enumerate(told) for m, b in enumerate(told) if n != m]
    total = sum(weight for weight, _ in pairs)
    return sum(weight * order for weight, order in pairs) / total if total else math.nan


def ask_all(folder: Path, cache: Path, questions: Sequence[BankQuestion], again: bool) -> list[Verdict]:
    """Index the set's folder, ask its questions in one batch, and judge what came back."""
    cache.mkdir(parents=True, exist_ok=True)
    name = questions[0].set
    store, answers, asked = cache / f"{name}.store", cache / f"{name}.answers.jsonl", cache / f"{name}.jsonl"
    indexed = run_mixrag("index", str(folder), "--store", str(store), "--json")
    if indexed.exit_code not in (0, 3):
        raise SystemExit(f"{name}: index ended with {indexed.exit_code}: {indexed.stderr[-400:]}")
    asked.write_text("".join(json.dumps({"id": one.id, "question": one.text}) + "\n" for one in questions), "utf-8")
    if again:
        answers.unlink(missing_ok=True)
    run = run_mixrag("ask", "--jsonl", str(asked), "--output", str(answers), "--store", str(store))
    if not answers.exists():
        raise SystemExit(f"{name}: ask ended with {run.exit_code}: {run.stderr[-400:]}")
    return judged(answers, questions)


def ask_every(folder: Path, cache: Path, questions: Sequence[BankQuestion], again: bool) -> list[Verdict]:
    """The best answer to each of the set's questions, stated however unsure it is, judged."""
    name = questions[0].set
    answers = cache / f"{name}.every.jsonl"
    if again or not answers.exists():
        session = open_indexed(folder, cache / f"{name}.store")
        rows = [{**answer_to_json(best_answer(session, one.text)), "id": one.id} for one in questions]
        answers.write_text("".join(json.dumps(row) + "\n" for row in rows), "ascii")
    return judged(answers, questions)


def judged(answers: Path, questions: Sequence[BankQuestion]) -> list[Verdict]:
    """The verdicts on the questions, by the file of answers to them."""
    payloads = {row["id"]: row for row in map(json.loads, answers.read_text("ascii").splitlines())}
    return [judge(one, payloads[one.id]) for one in questions]


def print_outcomes(verdicts: Sequence[Verdict]) -> None:
    """Counts of each outcome by set and kind, and in all."""
    row = "{:26} {:>4}" + " {:>9}" * len(OUTCOMES)
    short = [name.replace("likely ", "likely:").replace("nothing though there", "unfound") for name in OUTCOMES]
    print(row.format("", "n", *(name.replace("rightly nothing", "nothing")[:9] for name in short)))
    for name, group in [*kinds_of(verdicts), ("all", list(verdicts))]:
        counts = Counter(one.outcome for one in group)
        print(row.format(name, len(group), *(counts[outcome] or "·" for outcome in OUTCOMES)))


def print_totals(verdicts: Sequence[Verdict]) -> None:
    """The figures that the bank is for."""
    counts = Counter(one.outcome for one in verdicts)
    answerable = [one for one in verdicts if one.question.is_answerable]
    foreign = [one for one in verdicts if not one.question.is_answerable]
    stated = counts["right"] + counts["wrong"]
    held = counts["right"] + counts["likely holds it"]
    foreign_stated = sum(one.outcome == "wrong" for one in foreign)
    foreign_likely = sum(one.outcome == "likely does not" for one in foreign)
    for name, hits, n in (
        ("precision of what is stated", counts["right"], stated),
        ("coverage: stated of the answerable", stated - foreign_stated, len(answerable)),
        ("stated right of the answerable", counts["right"], len(answerable)),
        ("stated right, or among the likely", held, len(answerable)),
        ("right value stated or among likely", sum(one.says_value for one in verdicts), len(answerable)),
        ("nothing, though there", counts["nothing though there"], len(answerable)),
        ("unanswerable, stated", foreign_stated, len(foreign)),
        ("unanswerable, likely", foreign_likely, len(foreign)),
    ):
        low, high = wilson(hits, n)
        print(f"{name:36} {hits / n if n else math.nan:.2f}  [{low:.2f}, {high:.2f}]  {hits} of {n}")
    spent = sorted(one.milliseconds for one in verdicts)
    print(f"{'milliseconds a question, warm':36} median {spent[len(spent) // 2]:.0f}, most {spent[-1]:.0f}")


def print_reliability(verdicts: Sequence[Verdict]) -> None:
    """How far the probability can be believed: of what is stated, and of every first answer, stated or likely."""
    sure = [(one.confidence, one.is_first_right, one.outcome) for one in verdicts if one.confidence is not None]
    first = [(told, right) for told, right, outcome in sure if outcome in ("right", "wrong") or "likely" in outcome]
    stated = [(told, right) for told, right, outcome in sure if outcome in ("right", "wrong")]
    for name, graded in (("stated", stated), ("first, stated or likely,", first)):
        if graded:
            print_bins(name, graded)


def print_bins(name: str, graded: Sequence[tuple[float, bool]]) -> None:
    """Equal parts of the answers by their probability, what they told and how many are right, and what follows."""
    by_sureness = sorted(graded)
    size = math.ceil(len(graded) / BINS)
    error = 0.0
    print(f"\n{name} with  are right   n")
    for start in range(0, len(by_sureness), size):
        group = by_sureness[start : start + size]
        told = sum(probability for probability, _ in group) / len(group)
        true = sum(is_right for _, is_right in group) / len(group)
        error += abs(told - true) * len(group) / len(graded)
        print(f"{told:{len(name) + 5}.2f}  {true:9.2f}  {len(group):2}")
    right, wrong = ([told for told, is_right in graded if is_right is kind] for kind in (True, False))
    print(f"expected calibration error {error:.3f}")
    promised = promised_auc([told for told, _ in graded])
    print(f"AUC {auc(right, wrong):.2f} ({len(right)} right, {len(wrong)} wrong); {promised:.2f} where each comes true")


def print_failures(verdicts: Sequence[Verdict]) -> None:
    """What went wrong in the open part."""
    for one in verdicts:
        if one.outcome in ("wrong", "likely does not", "nothing though there", "failed"):
            question = one.question
            print(f"\n{question.set} {question.kind} {question.id}: {one.outcome} {one.confidence}\n  {question.text}")
            print(f"  right: {' / '.join(question.forms)[:160]}\n  said:  {one.said[:200]}")


def main() -> None:
    """Ask, judge, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--gathered", type=Path, default=Path("gathered"))
    parser.add_argument("--part", choices=("sealed", "fitted", "open", "all"), default="sealed")
    parser.add_argument("--set", choices=(*SETS, *GATHERED), action="append")
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--every", action="store_true")
    options = parser.parse_args()
    folders = {name: options.data / folder for name, (folder, _) in SETS.items()}
    folders |= {name: options.gathered / name / "files" for name in GATHERED}
    bank = [*read_bank(options.data), *read_gathered(options.gathered)]
    chosen = [one for one in bank if options.part in ("all", one.part) and (not options.set or one.set in options.set)]
    ask = ask_every if options.every else ask_all
    verdicts = [
        verdict
        for name in dict.fromkeys(one.set for one in chosen)
        for verdict in ask(folders[name], options.cache, [one for one in bank if one.set == name], options.again)
        if options.part in ("all", verdict.question.part)
    ]
    print(f"{len(verdicts)} questions, {options.part}\n")
    if options.every:
        print_bins("every answer", [(one.confidence or 0.0, one.is_first_right) for one in verdicts])
        return
    print_outcomes(verdicts)
    print()
    print_totals(verdicts)
    print_reliability(verdicts)
    if options.failures:
        print_failures([verdict for verdict in verdicts if verdict.question.part == "open"])


if __name__ == "__main__":
    main()
