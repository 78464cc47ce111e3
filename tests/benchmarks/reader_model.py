"""What the reader model reaches on what it never saw: spans, answerability, sentences, cells, operations, speed.

    python tests/benchmarks/reader_model.py DATA [--model FILE.onnx] [--only prose,cells,operations,speed] [--limit 400]

DATA is the folder with reader, reader_train, headers and tatqa. Kept from training: XQuAD, COVID-QA, PolicyQA and
SQuADShifts' amazon reviews whole; HiTab's tables of fold 0 and WikiSQL's of one part in ten; TAT-QA. --network: the
pairs' network that was fitted without fold 0 (hitab_pairs.py keeps it), else the product's, which has seen its tables.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from corpora import read_jsonl
from hitab_lookups import fold_of, lookups, to_context

from mixrag_cli.evaluation.measures import exact_match, token_f1
from mixrag_cli.models import load_embedder, load_token_vectors
from mixrag_cli.models.bundled_reader import cell_text
from mixrag_cli.models.reader import OnnxReader, load_reader
from mixrag_cli.reading import Reading, joint_spans
from mixrag_cli.recap.asked_operands import whole_of
from mixrag_cli.recap.in_tables import scorer
from mixrag_cli.recap.passages import sentence_score
from mixrag_cli.records.tables import Table
from mixrag_cli.sentences import split_sentences
from mixrag_cli.settings import Settings
from mixrag_cli.words import stems_of
from training.reader.groups import part_of
from training.reader.intents import HITAB, WIKISQL
from training.reader.tables import KEPT_PARTS

SEED = 5
WINDOW_CHARS = 800  # of a passage that is read at once; longer ones are cut at sentences
N_OTHERS = 2  # nearest other paragraphs that do not answer
UNSAID = -9.0  # log probability of a sentence that none of the told spans stands in
SHORTLIST = 16  # cells that the network hands to the reader model
PARTS = ("prose", "cells", "operations", "speed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--model", type=Path, help="another file than the bundled one")
    parser.add_argument("--network", type=Path)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--sets", default="xquad,amazon,covidqa,policyqa")
    parser.add_argument("--limit", type=int, default=400, help="questions of a set, drawn by chance")
    options = parser.parse_args()
    model = OnnxReader(options.model.read_bytes(), 2) if options.model else load_reader(2)
    measured: Mapping[str, Callable[[], None]] = {
        "speed": lambda: measure_speed(model),
        "operations": lambda: measure_operations(model, options.data, options.limit),
        "prose": lambda: measure_prose(model, options.data, options.sets.split(","), options.limit),
        "cells": lambda: measure_cells(model, options.data, options.network, options.limit),
    }
    for part in options.only.split(","):
        measured[part]()


# --- prose --------------------------------------------------------------------------------------------------------


def measure_prose(model: OnnxReader, data: Path, sets: Sequence[str], limit: int) -> None:
    embedder = load_embedder(Settings())
    for name in sets:
        rows, contexts = prose_rows(data, name)
        random.seed(SEED)
        chosen = random.sample(rows, min(limit, len(rows)))
        vectors = embedder.embed(contexts)
        found: dict[str, list[float]] = defaultdict(list)
        answerable: dict[str, tuple[list[float], list[float]]] = {key: ([], []) for key in ("holds", "spans", "words")}
        for row in chosen:
            question = embedder.embed_query(row["question"])
            order = [contexts[at] for at in np.argsort(-(vectors @ question))]
            others = [text for text in order if text != row["context"] and not holds_answer(text, row)][:N_OTHERS]
            score_span(model, row, found)
            score_sentences(model, row, embedder.embed, question, found)
            for text, right in [(row["context"], True), *((other, False) for other in others)]:
                for key, score in passage_scores(model, row["question"], text).items():
                    answerable[key][0 if right else 1].append(score)
        print(f"\n{name}: {len(chosen)} questions")
        for key, values in found.items():
            print(f"  {key:44} {np.mean(values):.3f}")
        for key, (right, wrong) in answerable.items():
            print(f"  answerability AUC by {key:23} {auc(right, wrong):.3f}")


def prose_rows(data: Path, name: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The questions of a set and all its paragraphs."""
    if name == "xquad":
        rows = []
        for row in read_jsonl(data / "reader" / "xquad_en_half.jsonl"):
            answers = zip(row["answers"], row["answer_starts"], strict=True)
            rows.append(row | {"answers": [{"text": text, "start": start} for text, start in answers]})
        return rows, sorted({row["context"] for row in rows})
    source = {"amazon": "squadshifts_amazon_reviews"}.get(name, name)
    rows = [row for row in read_jsonl(data / "reader_train" / "prose.jsonl.gz") if row["source"] == source]
    contexts = {row["context"] for row in rows}
    if name == "covidqa":
        contexts |= {row["context"] for row in read_jsonl(data / "reader_train" / "covidqa_passages.jsonl.gz")}
    return rows, sorted(contexts)


def holds_answer(text: str, row: Mapping[str, Any]) -> bool:
    return any(answer["text"].lower() in text.lower() for answer in row["answers"])


def windows(text: str) -> list[tuple[int, str]]:
    """Runs of whole sentences of at most WINDOW_CHARS, and where each begins."""
    found: list[tuple[int, int]] = []
    for start, end in split_sentences(text) or [(0, len(text))]:
        if found and end - found[-1][0] <= WINDOW_CHARS:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return [(start, text[start:end]) for start, end in found]


def score_span(model: OnnxReader, row: Mapping[str, Any], found: dict[str, list[float]]) -> None:
    parts = windows(row["context"])
    spans, _ = joint_spans(model.read(row["question"], [text for _, text in parts]), 3)
    answers = [parts[span.passage][1][span.start : span.end] for span in spans]
    gold = [answer["text"] for answer in row["answers"]]
    found["span EM"].append(exact_match(answers[0], gold))
    found["span F1"].append(token_f1(answers[0], gold))
    found["span F1, best of three"].append(max(token_f1(answer, gold) for answer in answers))


def score_sentences(
    model: OnnxReader,
    row: Mapping[str, Any],
    embed: Callable[[Sequence[str]], Any],
    question: Any,
    found: dict[str, list[float]],
) -> None:
    """Which sentence of the paragraph holds an answer: by the spans in it, by cosine, by words, as shipped."""
    text = row["context"]
    sentences = split_sentences(text)
    right = [any(start <= answer["start"] < end for answer in row["answers"]) for start, end in sentences]
    if len(sentences) < 2 or not any(right):
        return
    texts = [text[start:end] for start, end in sentences]
    scores = {
        "spans": span_scores(model, row["question"], text, sentences),
        "cosine": embed(texts) @ question,
        "words": np.array([overlap(row["question"], one) for one in texts]),
    }
    scores["all three"] = np.sum([standard(values) for values in scores.values()], axis=0)
    read = zip(scores["spans"], scores["words"], model.read(row["question"], texts), strict=True)
    scores["spans, words and by itself, as shipped"] = np.array([sentence_score(*one) for one in read])
    for name, values in scores.items():
        found[f"sentence right by {name}"].append(float(right[int(np.argmax(values))]))


def span_scores(model: OnnxReader, question: str, text: str, sentences: Sequence[tuple[int, int]]) -> Any:
    """The log probability of the told spans that begin in each sentence."""
    parts = windows(text)
    spans, _ = joint_spans(model.read(question, [part for _, part in parts]), 100)
    scores = np.full(len(sentences), UNSAID)
    for span in spans:
        at = parts[span.passage][0] + span.start
        for number, (start, end) in enumerate(sentences):
            if start <= at < end:
                scores[number] = np.logaddexp(scores[number], span.log_probability)
    return scores


def passage_scores(model: OnnxReader, question: str, text: str) -> dict[str, float]:
    readings: list[Reading] = model.read(question, [part for _, part in windows(text)])
    return {
        "holds": max(reading.holds for reading in readings),
        "spans": float(np.logaddexp.reduce([reading.total for reading in readings])),
        "words": overlap(question, text),
    }


def overlap(question: str, text: str) -> float:
    """The share of the question's words that the text says."""
    asked = set(stems_of(question))
    return len(asked & set(stems_of(text))) / max(len(asked), 1)


def standard(values: Any) -> Any:
    return (values - np.mean(values)) / (np.std(values) + 1e-9)


def auc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """How often a right one is above a wrong one; ties count half."""
    a, b = np.array(right)[:, None], np.array(wrong)[None, :]
    return float((a > b).mean() + (a == b).mean() / 2)


# --- cells --------------------------------------------------------------------------------------------------------


def measure_cells(model: OnnxReader, data: Path, network: Path | None, limit: int) -> None:
    headers = data / "headers"
    tables = {gold["id"]: to_context(gold).table for gold in read_jsonl(headers / "hitab_train.jsonl.gz")}
    asked_all = list(lookups(headers / "hitab_train_questions.jsonl.gz"))
    questions = [(a, place) for a, place in asked_all if not fold_of(a["table_id"]) and tables.get(a["table_id"])]
    random.seed(SEED)
    questions = random.sample(questions, min(limit, len(questions)))
    vectors = load_token_vectors(load_embedder(Settings()), Settings())
    fitted = scorer.read_network(network.read_text("utf-8")) if network else scorer.load_network()
    scorer.load_network = lambda: fitted  # type: ignore[assignment]
    right: Counter[str] = Counter()
    n_cells = 0
    for asked, place in questions:
        table = tables[asked["table_id"]]
        assert table is not None
        whole = whole_of(asked["question"])
        sides = (scorer.Side.of(headers, whole.terms, table.title) for headers in (table.rows, table.columns))
        scored = scorer.score_pairs(whole, table, *sides, vectors)
        by_network = {(cell.row, cell.column): score for score, _, _, cell in scored}
        shortlist = sorted(by_network, key=lambda cell: -by_network[cell])[:SHORTLIST]
        by_reader = pair_scores(model, asked["question"], table, shortlist)
        n_cells += len(shortlist)
        both = {cell: by_reader[cell] + by_network[cell] for cell in shortlist}
        right["in the shortlist"] += place in shortlist
        for name, scores in (("network", by_network), ("reader on its shortlist", by_reader), ("sum of both", both)):
            right[name] += max(scores, key=lambda cell: scores[cell]) == place
    print(f"\nHiTab fold 0: {len(questions)} lookups; linked cell is best by")
    for name, n in right.items():
        print(f"  {name:44} {100 * n / len(questions):.1f} %")


def pair_scores(
    model: OnnxReader, question: str, table: Table, places: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], float]:
    rows = {header.index: header.path for header in table.rows}
    columns = {header.index: header.path for header in table.columns}
    values = {(cell.row, cell.column): cell.text for cell in table.cells}
    texts = [cell_text(table.title, rows[r], columns[c], values.get((r, c), "")) for r, c in places]
    return {place: one.pair for place, one in zip(places, model.read(question, texts), strict=True)}


# --- operations ---------------------------------------------------------------------------------------------------


def measure_operations(model: OnnxReader, data: Path, limit: int) -> None:
    sets = {"HiTab fold 0": hitab_operations(data), "WikiSQL, kept": wikisql_operations(data)}
    sets["TAT-QA dev"] = tatqa_operations(data)
    for name, labelled in sets.items():
        questions = list(labelled)
        random.seed(SEED)
        questions = random.sample(questions, min(3 * limit, len(questions)))
        right: dict[str, list[bool]] = defaultdict(list)
        for question, allowed in questions:
            said = model.question(question).operation
            right["/".join(allowed)].append(max(said, key=lambda key: said[key]) in allowed)
        everything = [one for found in right.values() for one in found]
        print(f"\noperation, {name}: {np.mean(everything):.3f} of {len(everything)}")
        for kind, found in sorted(right.items()):
            print(f"  {kind:30} {np.mean(found):.3f} of {len(found)}")


def hitab_operations(data: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    for asked in read_jsonl(data / "headers" / "hitab_train_questions.jsonl.gz"):
        if not fold_of(asked["table_id"]) and (operation := HITAB.get(tuple(asked["aggregation"]))):
            yield asked["question"], (operation,)


def wikisql_operations(data: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    for row in read_jsonl(data / "reader_train" / "table_intent.jsonl.gz"):
        if not part_of(row["group"], KEPT_PARTS):
            yield row["question"], (WIKISQL[row["aggregation"]][0],)


def tatqa_operations(data: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    for context in read_jsonl(data / "tatqa" / "dev.jsonl"):
        for asked in context["questions"]:
            yield asked["question"], derived(asked)


def derived(asked: Mapping[str, Any]) -> tuple[str, ...]:
    """The operations that a TAT-QA question's derivation allows."""
    if asked["answer_type"] == "count":
        return ("count",)
    if asked["answer_type"] == "multi-span":
        return ("list", "lookup")
    if asked["answer_type"] == "span":
        return ("argmax", "argmin", "max", "min") if asked["req_comparison"] else ("lookup",)
    formula = re.sub(r"[\s\[\]]", "", asked["derivation"])
    if "/" not in formula:
        is_difference = re.search(r"(?<=[\d)%])-", formula)
        return ("difference",) if is_difference else ("sum",)
    if "-" in formula.split("/")[0] or re.search(r"/.+-1$", formula):
        return ("percent_change",) if not re.search(r"/\d$", formula) else ("average",)
    return ("average",) if re.search(r"\+.*/\d$", formula) else ("ratio",)


# --- speed --------------------------------------------------------------------------------------------------------


def measure_speed(model: OnnxReader) -> None:
    passage = "The committee met on the third of May and agreed to raise the annual fee for members to 45 euros. " * 8
    cell = "Workers by region and language, in % › Sex > Female > Region 1 | French-language workers > 2011: 35.3"
    question = "What was the annual fee for members after the committee met in May?"
    for name, texts in (("10 passages of 180 tokens", [passage] * 10), ("24 cells", [cell] * 24)):
        spent, worked = [], []
        for _ in range(7):
            begun, before = time.perf_counter(), time.process_time()
            model.read(question, texts)
            spent.append(1000 * (time.perf_counter() - begun))
            worked.append(1000 * (time.process_time() - before))
        print(f"{name:44} {np.median(spent):.0f} ms, least {min(spent):.0f}; of both cores {np.median(worked):.0f} ms")
    begun = time.perf_counter()
    model.question(question)
    print(f"{'a question alone':44} {1000 * (time.perf_counter() - begun):.0f} ms")


if __name__ == "__main__":
    main()
