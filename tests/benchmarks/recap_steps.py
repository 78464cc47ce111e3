"""What each step of RECAP keeps from being shown: a server that plays a model which errs, TAT-QA's gold contexts.

    python tests/benchmarks/recap_steps.py DATA_FOLDER [--contexts 40] [--show N]

DATA_FOLDER holds tatqa/dev.jsonl. Asked are its questions for one number: those whose derivation gives the answer from
numbers that stand in the context, and those whose answer is such a number. No model is at hand; the server writes what
one would write that knows the derivation, and makes one kind of mistake in every reply:

    none          right pieces, right formula, right answer
    arithmetic    right pieces and formula; its own answer is a tenth too high (of computed answers alone)
    invented      a piece, number and quote, that stands nowhere; the answer is made from it
    misquoted     a true quote, and another number as its value
    misplaced     right pieces and answer, the first piece said to be from another passage
    wrong cell    a true quote of another number of the same row: what no check of quotes can tell

Each mistake is made with RECAP whole, without restating, extracting or computing, and by asking for the answer at once.
The whole way is the product's: prompt, request, parsing, checks, rule. Printed by strategy and mistake: numbers stated
right / stated wrong / shown as likely / not shown; first with a built-in reader that says nothing, then with the real
one beside the model. A number is right by TAT-QA's rules, its scale apart. What is told of a model is the script's.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reading import Contexts
from recap_script import MISTAKES, Script, Task, solved
from scripted_server import serve
from tatqa import score_question, to_context

from mixrag_cli.evaluation.tatqa import is_number, score_answer
from mixrag_cli.generator import Generator
from mixrag_cli.models.server import load_server
from mixrag_cli.recap.generated.reader import Asking, generate_answer
from mixrag_cli.recap.reader import read_answer
from mixrag_cli.records.answers import Answer
from mixrag_cli.settings import Settings

WAYS = ("recap", "recap-without-restate", "recap-without-extract", "recap-without-compute", "direct")
YEAR = re.compile(r"(?:19|20)\d\d")
OUTCOMES = ("stated right", "stated wrong", "likely", "not shown")


def outcome(task: Task, answer: Answer) -> str:
    if answer.status != "answered":
        return "likely" if answer.status == "likely" else "not shown"
    gold = task.asked["answer"] if isinstance(task.asked["answer"], list) else [str(task.asked["answer"])]
    plain = [format(answer.value, "f")] if answer.value is not None else [answer.text]
    exact = (
        score_question(dict(task.asked), answer)[0],
        score_answer(plain, task.asked["scale"], gold, task.asked["scale"], task.asked["answer_type"])[0],
    )
    return "stated right" if max(exact) == 1 else "stated wrong"


def gather(data: Path, n_contexts: int, script: Script, generator: Generator) -> list[Task]:
    """The questions that the script can answer."""
    lines = (data / "tatqa" / "dev.jsonl").read_text("utf-8").splitlines()
    documents = random.Random(0).sample([json.loads(line) for line in lines], n_contexts)
    contexts = [to_context(document) for document in documents]
    reading, tasks = Contexts(contexts), []
    for document, context in zip(documents, contexts, strict=True):
        for asked in document["questions"]:
            if asks_number(asked):
                restated, base = reading.restate_in(context, asked["question"])
                task = Task(asked, restated, base, read_answer(restated, base))
                generate_answer(restated, base, silent(task), generator, Asking())
                tasks.append(solved(task, script.blocks))
    print(f"{len(tasks)} questions for one number on {n_contexts} contexts, of them the script can answer ", end="")
    return [task for task in tasks if task is not None]


def asks_number(asked: Mapping[str, Any]) -> bool:
    """Whether one number is asked for; a year stands in a header and is no piece."""
    gold = asked["answer"]
    is_span = asked["answer_type"] == "span" and len(gold) == 1 and is_number(gold[0])
    return asked["answer_type"] == "arithmetic" or (is_span and YEAR.fullmatch(gold[0]) is None)


def silent(task: Task) -> Answer:
    return Answer(task.asked["question"], "abstained", "nothing is said", task.restated.kind, task.restated.asks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--contexts", type=int, default=40, help="so many, drawn by chance")
    parser.add_argument(
        "--show",
        type=int,
        default=0,
        help="print so many right replies that are not stated, and wrong numbers that are",
    )
    options = parser.parse_args()
    script = Script()
    with serve(script) as address:
        generator = load_server(Settings(generator=address, generator_model="scripted"))
        tasks = gather(options.data, options.contexts, script, generator)
        print(f"{len(tasks)}, {sum(bool(task.formula) for task in tasks)} of them computed")
        for is_alone in (True, False):
            beside = "nothing" if is_alone else "the built-in reader"
            print(f"\nbeside {beside}: {' / '.join(OUTCOMES)}\n{'':24}" + "".join(f"{each:>18}" for each in MISTAKES))
            for script.way in WAYS:
                told = [tell(tasks, script, generator, mistake, is_alone, options.show) for mistake in MISTAKES]
                print(f"{script.way:24}" + "".join(f"{each:>18}" for each in told), flush=True)


def tell(
    tasks: Sequence[Task], script: Script, generator: Generator, mistake: str, is_alone: bool, n_shown: int
) -> str:
    """How the numbers of all tasks are shown where the script makes this mistake."""
    script.mistake = mistake
    found: Counter[str] = Counter()
    for script.task in tasks:
        task = script.task
        if task.formula or mistake != "arithmetic":
            built_in = silent(task) if is_alone else task.built_in
            answer = generate_answer(task.restated, task.base, built_in, generator, Asking(script.way))
            found[outcome(task, answer)] += 1
            is_odd = outcome(task, answer) == ("not shown" if mistake == "none" else "stated wrong")
            if is_odd and found[outcome(task, answer)] <= n_shown:
                print(f"  {mistake}: {task.asked['question']} | {task.asked['derivation']} = {task.asked['answer']} "
                      f"{task.asked['scale']} | {answer.text} {answer.formula} {answer.degraded}")  # fmt: skip
    script.task = None
    return " / ".join(str(found[each]) for each in OUTCOMES)


if __name__ == "__main__":
    main()
