"""TAT-QA dev with the gold context and the built-in reader, scored by the data set's own rules.

    python tests/benchmarks/tatqa.py DATA_FOLDER [--show N] [--seed N] [--limit N]

DATA_FOLDER holds tatqa/dev.jsonl. Printed: exact match and F1 by question type, and what the reader took each type for.
Whatever is likeliest counts as the answer, passages and sentences apart, since TAT-QA takes words and numbers: this
measures reading, not what is believed. The table's caption is the paragraphs' sentence that announces it ("… are as
follows (in millions):"), where one does.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from reading import Context, Contexts, make_context, texts_to_grid

from mixrag_cli.evaluation.tatqa import answer_strings, is_list, score_answer
from mixrag_cli.recap import reader
from mixrag_cli.recap.drafting import draft_all
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.grading import shipped_grading
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.signs import Draft
from mixrag_cli.records.answers import STRETCHES, Answer
from mixrag_cli.sentences import split_sentences
from mixrag_cli.tables.grid import grid_to_table

TYPES = ("span", "multi-span", "arithmetic", "count")
ANNOUNCES = re.compile(r"\b(?:in|\$|£|€)\s?(?:thousands|millions|billions|000s?)\b|:$", re.IGNORECASE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--show", type=int, default=0, help="print this many wrong answers of each type")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=int, default=0, help="take the questions of so many contexts, drawn by chance")
    arguments = parser.parse_args()
    with (arguments.data / "tatqa" / "dev.jsonl").open(encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    if arguments.limit:
        documents = random.Random(0).sample(documents, arguments.limit)
    contexts = [to_context(document) for document in documents]
    reading = Contexts(contexts)
    eager = replace(shipped_grading(), stated=0.0)  # what is read is measured, apart from what is believed
    scores: dict[str, list[tuple[float, float]]] = defaultdict(list)
    confusion: Counter[tuple[str, str]] = Counter()
    wrong: dict[str, list[str]] = defaultdict(list)
    for document, context in zip(documents, contexts, strict=True):
        for asked in document["questions"]:
            restated, base = reading.restate_in(context, asked["question"])
            with patch.object(reader, "draft_all", word_for_word):
                answer = reader.read_answer(restated, base, eager)
            score = score_question(asked, answer)
            scores[asked["answer_type"]].append(score)
            confusion[asked["answer_type"], predicted_type(answer)] += 1
            if score[0] < 1:
                wrong[asked["answer_type"]].append(described(asked, restated, answer, score))
    print_scores(scores, confusion)
    random.seed(arguments.seed)
    for kind in TYPES:
        for line in random.sample(wrong[kind], min(arguments.show, len(wrong[kind]))):
            print(kind, "|", line)


def word_for_word(restated: Restated, base: EvidenceBase) -> list[Draft]:
    """The candidates that are words or numbers."""
    return [draft for draft in draft_all(restated, base) if draft.kind not in STRETCHES]


def to_context(document: dict[str, Any]) -> Context:
    paragraphs = [paragraph["text"] for paragraph in document["paragraphs"]]
    sentences = [text[start:end] for text in paragraphs for start, end in split_sentences(text)]
    caption = next((sentence for sentence in sentences if ANNOUNCES.search(sentence.strip())), "")
    table = grid_to_table(texts_to_grid(document["table"], caption), document=document["uid"], title="")
    words = " ".join(cell for row in document["table"] for cell in row)
    return make_context(document["uid"], table, paragraphs, words)


def score_question(asked: dict[str, Any], answer: Answer) -> tuple[float, float]:
    gold = asked["answer"] if isinstance(asked["answer"], list) else [str(asked["answer"])]
    answers, scale = answer_strings(answer)
    return score_answer(answers, scale, gold, asked["scale"], asked["answer_type"])


def predicted_type(answer: Answer) -> str:
    if answer.status != "answered":
        return "none"
    if is_list(answer):
        return "multi-span"
    return ("count" if "count" in answer.formula else "arithmetic") if answer.formula else "span"


def described(asked: dict[str, Any], restated: Restated, answer: Answer, score: tuple[float, float]) -> str:
    gold = f"{asked['answer']} {asked['scale']} [{asked.get('derivation', '')}]"
    labels = [piece.label[:90] for piece in answer.evidence]
    return (
        f"{asked['question']} | gold {gold[:300]} | {restated.operation}/{restated.expects} -> {answer.text[:160]!r} "
        f"({answer.unit}) {answer.formula} {labels} F1 {score[1]}"
    )


def print_scores(scores: dict[str, list[tuple[float, float]]], confusion: Counter[tuple[str, str]]) -> None:
    everything = [score for kind in TYPES for score in scores[kind]]
    print(f"{'type':12} {'n':>5} {'EM':>6} {'F1':>6}")
    for kind, found in [*((kind, scores[kind]) for kind in TYPES), ("all", everything)]:
        exact, f1 = (100 * sum(column) / max(len(found), 1) for column in zip(*found, strict=True))
        print(f"{kind:12} {len(found):5} {exact:6.1f} {f1:6.1f}")
    print(f"\n{'gold, taken for':16}" + "".join(f"{name:>12}" for name in (*TYPES, "none")))
    for kind in TYPES:
        print(f"{kind:16}" + "".join(f"{confusion[kind, name]:12}" for name in (*TYPES, "none")))


if __name__ == "__main__":
    main()
