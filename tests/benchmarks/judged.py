"""Judged questions over real collections, with every candidate's raw scores as the product gathers them.

full      all FinQA contexts of the FinanceRAG study and its judged questions
paper     only the contexts with a judged question
part      those and N_MORE of the others: full's questions at a fifth of its time to index
hetdocqa  the passages of HetDocQA, each a file of its own kind, with all FinQA contexts as distractors; questions whose
          gold documents are not shared across its splits. Its groups are "calibration" and "dev"
hetpart   the passages that are judged and N_MORE of the others and of FinQA's contexts
hitab     N_TABLES HiTab tables as HTML files, N_TABLE_QUESTIONS questions
tables    all HiTab tables, N_MANY questions on those that are not in hitab
tatqa     TAT-QA's contexts, each a page with its table and paragraphs, N_MANY questions that do not say of which one

Each set is indexed into CACHE/<set>/store by the product; what was gathered is kept in CACHE/<set>/gathered-*.json
for the embedder that the store was made with, so that fitting and reporting can be repeated in seconds.
"""

from __future__ import annotations

import ast
import hashlib
import html
import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corpora import Judgements, file_name, find_jsonl, read_jsonl, read_judgements
from running import run_mixrag

from mixrag_cli.evaluation.contexts import load_contexts
from mixrag_cli.evaluation.measures import ndcg_at
from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.retrieval.learning import JudgedQuestion
from mixrag_cli.settings import Settings
from mixrag_cli.store import open_reader
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.session import Session, open_session

N_MORE = 300
N_TABLES, N_TABLE_QUESTIONS = 120, 300
N_MANY = 1_200
SEED = 7
KEPT_SUFFIXES = (".py", ".md", ".rst", ".csv")
K = 10


@dataclass(frozen=True, slots=True)
class Question:
    """One judged question. grades: by document id. group: a part of the set; modalities: of its gold documents.

    rows: of the gold table, those that the answer stands in; empty where this question does not say, None where the
    set says nothing of rows.
    """

    id: str
    text: str
    grades: Mapping[str, float]
    group: str = ""
    modalities: tuple[str, ...] = ()
    rows: frozenset[int] | None = None

    def holds_answer(self, chunk: Chunk) -> bool | None:
        """Whether a passage of a gold document may hold the answer, as far as the set says; None where it does not."""
        if self.rows is None or chunk.row is None:
            return True
        return chunk.row in self.rows if self.rows else None


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """files: file name to text; ids: file name to document id."""

    name: str
    files: dict[str, str]
    ids: dict[str, str]
    questions: list[Question]


@dataclass(frozen=True, slots=True)
class Gathered:
    """One question's candidates with raw scores, in the order of the first stage. owners: chunk id to document id."""

    question: Question
    hits: list[Hit]
    owners: Mapping[str, str]

    @property
    def judged(self) -> JudgedQuestion:
        """Passages of gold documents are relevant; the rows beside the answer's are not, much as they resemble it."""
        gold = [hit.chunk for hit in self.hits if self.question.grades.get(self.owners[hit.chunk.id], 0) > 0]
        holds = {chunk.id: self.question.holds_answer(chunk) for chunk in gold}
        relevant = {key for key, said in holds.items() if said}
        return JudgedQuestion(self.hits, relevant, {key for key, said in holds.items() if said is None})

    def documents(self, hits: Sequence[Hit]) -> list[str]:
        """The documents of ranked hits, each once: a document's score is that of its best chunk."""
        return list(dict.fromkeys(self.owners[hit.chunk.id] for hit in hits))

    def ndcg(self, hits: Sequence[Hit]) -> float:
        return ndcg_at(self.documents(hits), self.question.grades, K)


# --- the sets --------------------------------------------------------------------------------------------------------


def read_set(data: Path, name: str) -> JudgedSet:
    known = {
        "hetdocqa": read_hetdocqa,
        "hetpart": read_hetdocqa,
        "hitab": read_hitab,
        "tables": read_hitab,
        "tatqa": read_tatqa,
    }
    return known.get(name, read_finqa)(data, name)


def read_finqa(data: Path, name: str) -> JudgedSet:
    folder = data / "financerag_finqa"
    judgements = read_judgements(folder / "qrels.tsv")
    judged = {document for grades in judgements.values() for document in grades}
    rows = [(row["_id"], row["text"]) for row in read_jsonl(find_jsonl(folder, "corpus"))]
    kept = rows if name == "full" else thin_out(rows, judged, N_MORE if name == "part" else 0)
    texts = {row["_id"]: row["text"] for row in read_jsonl(find_jsonl(folder, "queries"))}
    questions = [Question(query, texts[query], grades) for query, grades in judgements.items()]
    files = {file_name(document): text for document, text in kept}
    return JudgedSet(name, files, {file_name(document): document for document, _ in kept}, questions)


def thin_out(rows: Sequence[tuple[str, str]], judged: set[str], n_others: int) -> list[tuple[str, str]]:
    """The judged documents and so many of the others."""
    others = sorted(document for document, _ in rows if document not in judged)
    wanted = judged | set(random.Random(SEED).sample(others, min(n_others, len(others))))
    return [(document, text) for document, text in rows if document in wanted]


def read_hetdocqa(data: Path, name: str) -> JudgedSet:
    folder, finqa = data / "hetdocqa", read_finqa(data, "full")
    texts = {document: finqa.files[named] for named, document in finqa.ids.items()}
    names = {document: named for named, document in finqa.ids.items()}
    for row in read_jsonl(find_jsonl(folder, "corpus")):
        suffix = Path(row["filename"]).suffix
        texts[row["_id"]] = row["text"]
        names[row["_id"]] = Path(file_name(row["_id"])).stem + (suffix if suffix in KEPT_SUFFIXES else ".txt")
    judgements: Judgements = read_judgements(folder / "qrels.tsv")
    questions = [
        Question(row["_id"], row["text"], judgements[row["_id"]], row["split"], tuple(row["modalities"]))
        for row in read_jsonl(find_jsonl(folder, "queries"))
        if not row["gold_doc_shared_across_splits"] and row["_id"] in judgements
    ]
    judged = {document for question in questions for document in question.grades}
    kept = list(texts.items()) if name == "hetdocqa" else thin_out(list(texts.items()), judged, N_MORE)
    files = {names[document]: text for document, text in kept}
    ids = {names[document]: document for document, _ in kept}
    return JudgedSet(name, files, ids, questions)


def read_hitab(data: Path, name: str) -> JudgedSet:
    everything = list(read_jsonl(data / "headers" / "hitab_train.jsonl.gz"))
    few = random.Random(SEED).sample(everything, N_TABLES)
    golds, n_questions = (few, N_TABLE_QUESTIONS) if name == "hitab" else (everything, N_MANY)
    asked = {gold["id"] for gold in golds} - ({gold["id"] for gold in few} if name == "tables" else set())
    rows = [row for row in read_jsonl(data / "headers" / "hitab_train_questions.jsonl.gz") if row["table_id"] in asked]
    rows = random.Random(SEED).sample(rows, min(n_questions, len(rows)))
    names = {re.sub(r"[^\w.-]+", "_", gold["id"]) + ".html": gold for gold in golds}
    files = {named: table_to_html(gold) for named, gold in names.items()}
    ids = {named: gold["id"] for named, gold in names.items()}
    return JudgedSet(name, files, ids, [to_table_question(row) for row in rows])


def read_tatqa(data: Path, name: str) -> JudgedSet:
    dataset = load_contexts(name, [data / "tatqa" / "dev.jsonl"])
    chosen = random.Random(SEED).sample(dataset.questions, min(N_MANY, len(dataset.questions)))
    questions = [Question(each.id, each.text, each.relevant) for each in chosen]
    files = {document.path: document.text for document in dataset.documents}
    return JudgedSet(name, files, {document.path: document.id for document in dataset.documents}, questions)


def to_table_question(row: Mapping[str, Any]) -> Question:
    """The question of a HiTab row; the rows of its answer are those of the cells linked as such."""
    linked = row["linked_cells"]["quantity_link"].get("[ANSWER]", {})
    return Question(
        row["id"],
        row["question"],
        {row["table_id"]: 1.0},
        rows=frozenset(ast.literal_eval(place)[0] for place in linked),
    )


def table_to_html(gold: Mapping[str, Any]) -> str:
    spans = {(top, left): (bottom - top + 1, right - left + 1) for top, bottom, left, right in gold["merged_regions"]}
    covered = {
        (row, column)
        for (top, left), (height, width) in spans.items()
        for row in range(top, top + height)
        for column in range(left, left + width)
        if (row, column) != (top, left)
    }
    rows = []
    for row, texts in enumerate(gold["texts"]):
        cells = [
            '<td rowspan="{}" colspan="{}">{}</td>'.format(*spans.get((row, column), (1, 1)), html.escape(text))
            for column, text in enumerate(texts)
            if (row, column) not in covered
        ]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return f"<html><body><table><caption>{html.escape(gold['title'])}</caption>{''.join(rows)}</table></body></html>"


# --- stores and candidates -------------------------------------------------------------------------------------------


def index_set(judged: JudgedSet, cache: Path) -> Path:
    """The store of the set's files, brought up to date by the product."""
    folder, store = cache / judged.name / "files", cache / judged.name / "store"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in judged.files.items():
        if not (folder / name).exists():
            (folder / name).write_text(text, encoding="utf-8")
    index_folder(folder, store)
    ensure_only(folder, store)
    return store


def index_folder(folder: Path, store: Path) -> None:
    """The store brought up to date, made anew where an older program made it. Raises SystemExit."""
    run = run_mixrag("index", str(folder), "--store", str(store), "--json", timeout_s=7_200)
    if run.exit_code in (12, 13, 14):
        run = run_mixrag("index", str(folder), "--store", str(store), "--rebuild", "--yes", "--json", timeout_s=7_200)
    if run.exit_code not in (0, 3):
        raise SystemExit(f"{folder}: exit {run.exit_code}: {run.payload.get('message')}")
    print(f"{store.parent.name}: {run.payload['chunks']} new passages in {run.seconds:.0f} s", flush=True)


def ensure_only(folder: Path, store: Path) -> None:
    """Raise SystemExit where the store, moved here from elsewhere, holds other folders too: every passage twice."""
    with open_reader(store) as reader:
        others = {row.path for row in reader.document_rows() if not Path(row.path).is_relative_to(folder.resolve())}
    if others:
        raise SystemExit(f"{store}: {len(others)} documents of other folders, such as {min(others)}; remove it")


def gather_set(data: Path, cache: Path, name: str, settings: Settings | None = None) -> list[Gathered]:
    """Every question of the set with its candidates, from the file of an earlier run where there is one."""
    judged = read_set(data, name)
    settings = settings or Settings()
    store = index_set(judged, cache)
    session = open_session(cache, replace(settings, store=store))
    asked = (settings.rerank, settings.rerank_candidates, settings.words_candidates, settings.meaning_candidates)
    key = f"{session.embedder.name} {asked} {session.reader.record.chunks} {len(judged.questions)}"
    kept = cache / name / f"gathered-{hashlib.sha256(key.encode()).hexdigest()[:12]}.json"
    if not kept.exists():
        rows = [gathered_to_json(each) for each in gather_all(session, judged)]
        kept.write_text(json.dumps(rows), encoding="utf-8")
    session.reader.close()
    by_id = {question.id: question for question in judged.questions}
    return [json_to_gathered(row, by_id[row["question"]]) for row in json.loads(kept.read_text("utf-8"))]


def gather_all(session: Session, judged: JudgedSet) -> Iterator[Gathered]:
    for question in judged.questions:
        hits = session.gather(question.text, None, Clock())
        yield Gathered(question, hits, {hit.chunk.id: judged.ids[Path(hit.path).name] for hit in hits})


def gathered_to_json(gathered: Gathered) -> dict[str, Any]:
    hits = [
        [
            hit.chunk.id, hit.chunk.document, hit.chunk.kind, hit.chunk.modality, hit.chunk.position, hit.path,
            gathered.owners[hit.chunk.id], dict(hit.scores), hit.score, hit.ceiling, hit.chunk.row,
        ]
        for hit in gathered.hits
    ]  # fmt: skip
    return {"question": gathered.question.id, "hits": hits}


def json_to_gathered(row: Mapping[str, Any], question: Question) -> Gathered:
    hits, owners = [], {}
    for id_, document, kind, modality, position, path, owner, scores, score, ceiling, of_table in row["hits"]:
        chunk = Chunk(id_, document, kind, modality, "", "", "", Locator((0, 0)), position, row=of_table)
        hits.append(Hit(chunk, path, "", scores, score, ceiling=ceiling))
        owners[id_] = owner
    return Gathered(question, hits, owners)


def ndcgs(questions: Iterable[Gathered], rank: Any) -> list[float]:
    """nDCG@10 of each question, documents ranked by rank(hits)."""
    return [each.ndcg(rank(each.hits)) for each in questions]
