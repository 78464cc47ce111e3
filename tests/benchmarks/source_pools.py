"""Questions with the default's candidates and what each further source proposes and says of them, kept in a cache.

For each question the default's candidates are gathered, then what each source proposes besides, and every source's
scores of all of them; both are kept in CACHE/<set>/sources-*.json. On FinQA "paper" the study's summaries are a source,
too: SS and LS, each context's summary as that of its tables.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from financerag import EXPANSION_FILES, SUMMARY_FILES, read_values
from judged import Gathered, JudgedSet, Question, index_set, json_to_gathered, read_set

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.candidates import find_more
from mixrag_cli.retrieval.sources import EXTRAS, make_sources
from mixrag_cli.retrieval.sources.base import Source, add_scores
from mixrag_cli.retrieval.sources.levels import Levels, weigh
from mixrag_cli.retrieval.sources.passages import Passages
from mixrag_cli.retrieval.sources.routing import LEVELS, Router
from mixrag_cli.retrieval.sources.summary import Summaries
from mixrag_cli.settings import Settings
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.embedding import embed_texts
from mixrag_cli.stories.session import Session, open_session
from mixrag_cli.terms import text_to_terms
from training.router import soft_labels, train_router

LEVELS_NAME = "levels"
FINQA = ("paper", "part", "full")
SUMMARISED = "paper"  # the set whose every document has a summary by the study
DEV = "dev"  # HetDocQA's split that nothing is fitted on
EXACT = re.compile(r"\d|[\"“‘`]|\b[a-z]+_[a-z]+\b|\b[a-z]+[A-Z]\w*|\b[A-Z]{2,}\b")
SUMMARIES = tuple(f"{name}{form}" for name in SUMMARY_FILES for form in ("", " cosine"))
ALL = frozenset((*EXTRAS, *SUMMARIES))


@dataclass(frozen=True, slots=True)
class Pools:
    """One question: the default's candidates with all scores, and what each source proposes besides.

    ms: by source, of proposing and scoring. exact: whether the question names something to the letter. vector: of the
    question; nearness: by level, of the best snippet to the passages of the gold documents; nan where none is known.
    path: the documents as the made-up answer finds them, best first; none where there is no such answer.
    """

    gathered: Gathered
    more: Mapping[str, Sequence[Hit]]
    ms: Mapping[str, float]
    exact: bool
    vector: np.ndarray
    nearness: np.ndarray
    path: Sequence[str] = ()

    def hits(self, name: str) -> list[Hit]:
        """The candidates with this source's proposals and its scores; "" for the default's own."""
        pool = [*self.more.get(name, ()), *self.gathered.hits]
        return [
            replace(
                hit, scores={row_of(key): score for key, score in hit.scores.items() if key == name or key not in ALL}
            )
            for hit in pool
        ]


def row_of(name: str) -> str:
    return "summary" if name in SUMMARIES else name


def gather_pools(data: Path, cache: Path, name: str, limit: int, split: str = DEV) -> list[Pools]:
    """The set's questions with their pools, from the file of an earlier run where there is one.

    limit: at most so many questions, evenly chosen, 0 for all. split: of HetDocQA's.
    """
    judged = read_set(data, name)
    questions = [each for each in judged.questions if each.group in ("", split)]
    judged.questions[:] = questions[:: max(1, len(questions) // limit)] if limit else questions
    session = open_session(cache, Settings(store=index_set(judged, cache)))
    # Whatever changes what is kept: another embedder, other passages, a new source.
    key = f"{session.embedder.name} {session.reader.record.chunks} {limit} {split} {EXTRAS}"
    kept = cache / name / f"sources-{hashlib.sha256(key.encode()).hexdigest()[:12]}.json"
    if not kept.exists():
        kept.write_text(json.dumps(list(gather(session, judged, data, name))), encoding="utf-8")
    session.reader.close()
    by_id = {question.id: question for question in judged.questions}
    return [read_pools(row, by_id) for row in json.loads(kept.read_text("utf-8"))]


def gather(session: Session, judged: JudgedSet, data: Path, name: str) -> Iterator[dict[str, Any]]:
    started = time.perf_counter()
    means = session._means(None)
    print(f"{name}: {len(means.passages().kept)} passages read in {time.perf_counter() - started:.1f} s", flush=True)
    sources: tuple[Source, ...] = ()
    for each in EXTRAS:
        started = time.perf_counter()
        sources = (*sources, *make_sources([each] if each != "summary" else [], means))
        print(f"{name}: {each} made in {time.perf_counter() - started:.2f} s", flush=True)
    if name == SUMMARISED:
        sources = (*sources, *study_summaries(session, means.passages(), judged, data))
    texts = read_values(data / "financerag_finqa" / EXPANSION_FILES["Q2D"]) if name in FINQA else {}
    for question in judged.questions:
        told = pools_of(session, judged, question, sources)
        if answer := texts.get(question.id):
            found = session.find(question.text, None, Clock(), sought=(f"{question.text} {answer}",))
            told["path"] = list(dict.fromkeys(judged.ids[Path(hit.path).name] for hit in found))
        yield told


def study_summaries(session: Session, passages: Passages, judged: JudgedSet, data: Path) -> tuple[Source, ...]:
    """The study's summaries as a source each: of every context, those of its tables."""
    found = []
    for name, file in SUMMARY_FILES.items():
        texts = read_values(data / "financerag_finqa" / file)
        owners = [judged.ids[Path(passage.path).name] for passage in passages.kept]
        shown = {
            passage.chunk.parent: row
            for row, passage in reversed(list(enumerate(passages.kept)))
            if passage.chunk.parent and owners[row] in texts
        }
        embedded = {owner: number for number, owner in enumerate(sorted({owners[row] for row in shown.values()}))}
        made = embed_texts([texts[owner] for owner in embedded], session.embedder)
        vectors = np.stack([each.vector for each in made])
        places = [embedded[owners[row]] for row in shown.values()]
        added = [
            frozenset(text_to_terms(texts[owners[row]])) - frozenset(passages.kept[row].terms.split())
            for row in shown.values()
        ]
        rows = list(shown.values())
        found.append(Summaries(passages, vectors[places], list(shown), rows, added, name=name))
        nothing = [frozenset[str]()] * len(rows)
        found.append(Summaries(passages, vectors[places], list(shown), rows, nothing, name=f"{name} cosine"))
    return tuple(found)


def pools_of(session: Session, judged: JudgedSet, question: Question, sources: Sequence[Source]) -> dict[str, Any]:
    hits = session.gather(question.text, None, Clock())
    query = session._query(question.text, None)
    more: dict[str, list[Hit]] = {}
    ms = {}
    nearness: list[float] = []
    for source in sources:
        started = time.perf_counter()
        new = find_more([source], session._finders, query, hits)
        hits = add_scores(source, query, hits)
        ms[source.name] = 1000 * (time.perf_counter() - started)
        if isinstance(source, Levels):
            nearness = nearness_of(
                source,
                query.vector,
                [judged.ids[Path(each.path).name] in question.grades for each in source.passages.kept],
            )
            told = source.by_level(query)
            hits, new = ([with_levels(source, told, hit) for hit in each] for each in (hits, new))
        reading = replace(query, n_proposed=len(new))
        for reader in (*session._readers, source, *session._closest):
            new = add_scores(reader, reading, new) if new else new
        more[source.name] = new
    return {
        "question": question.id,
        "hits": [hit_to_json(hit, judged) for hit in hits],
        "more": {name: [hit_to_json(hit, judged) for hit in new] for name, new in more.items()},
        "ms": ms,
        "vector": np.round(query.vector, 4).tolist(),
        "nearness": nearness,
    }


def nearness_of(source: Levels, vector: np.ndarray, is_gold: Sequence[bool]) -> list[float]:
    """By level, the cosine of its best snippet to the nearest passage of a gold document (section 3.2.2)."""
    gold = source.passages.vectors[np.array(is_gold)]
    if not len(gold):
        return [float("nan")] * len(LEVELS)
    best = [vectors[int(np.argmax(vectors @ vector))] for vectors in source.nested.vectors]
    return [float((gold @ snippet).max()) for snippet in best]


def with_levels(source: Levels, told: np.ndarray, hit: Hit) -> Hit:
    """The hit with its score at each level, so that another router can weigh them."""
    row = told[source.passages.places[hit.chunk.id]]
    return replace(hit, scores={**hit.scores, **{level: float(row[n]) for n, level in enumerate(LEVELS)}})


def routed(pools: Sequence[Pools], router: Router) -> list[Pools]:
    """The pools with the source `levels` as this router weighs it."""

    def rerouted(hits: Sequence[Hit], weights: np.ndarray) -> list[Hit]:
        return [
            replace(
                hit,
                scores={
                    **hit.scores,
                    LEVELS_NAME: float(weigh(np.array([hit.scores[level] for level in LEVELS]), weights)),
                },
            )
            for hit in hits
        ]

    found = []
    for each in pools:
        weights = router.weights(each.vector)
        more = {**each.more, LEVELS_NAME: rerouted(each.more[LEVELS_NAME], weights)}
        gathered = replace(each.gathered, hits=rerouted(each.gathered.hits, weights))
        found.append(replace(each, gathered=gathered, more=more))
    return found


def train_on(pools: Sequence[Pools]) -> Router:
    """The router of these questions, those of each set alike."""
    known = [each for each in pools if not np.isnan(each.nearness).any()]
    vectors = np.stack([each.vector for each in known]).astype(np.float32)
    return train_router(vectors, soft_labels(np.stack([each.nearness for each in known])))


def hit_to_json(hit: Hit, judged: JudgedSet) -> list[Any]:
    chunk, owner = hit.chunk, judged.ids[Path(hit.path).name]
    scores = {name: round(score, 6) for name, score in hit.scores.items()}
    known = [chunk.id, chunk.document, chunk.kind, chunk.modality, chunk.position, hit.path, owner]
    return [*known, scores, hit.score, hit.ceiling, chunk.row]


def read_pools(row: Mapping[str, Any], questions: Mapping[str, Question]) -> Pools:
    question = questions[row["question"]]
    gathered = json_to_gathered(row, question)
    owners = dict(gathered.owners)
    more = {}
    for name, hits in row["more"].items():
        found = json_to_gathered({"hits": hits}, question)
        more[name], owners = found.hits, {**owners, **found.owners}
    told = (np.array(row["vector"]), np.array(row["nearness"]))
    return Pools(
        replace(gathered, owners=owners), more, row["ms"], bool(EXACT.search(question.text)), *told, row.get("path", ())
    )


# --- runs ------------------------------------------------------------------------------------------------------------
