"""answer_question(): the story from a question to an answer.

1. restate: the kind of question and its operands
2. candidates by words and by meaning for the question and for each operand, reranked, fused
3. accept by each source's own threshold
4. evidence: the tables behind the hits, and what each document knows of the question's words
5. RECAP by the built-in reader: extract, compute, answer or show as likely, present, or abstain
6. with a generator: the same five steps by it, verified; the rule picks between the two
7. faithfulness: how far the answer rests on what it cites
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.generator import device_of
from mixrag_cli.models import Embedder
from mixrag_cli.quantities.facets import Facets, dated_otherwise
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.facts import READ_DOCUMENTS
from mixrag_cli.recap.faithfulness import faithfulness_texts, judge_faithfulness
from mixrag_cli.recap.reader import read_answer
from mixrag_cli.recap.restate import Restated, restate
from mixrag_cli.records.answers import Answer, Faithfulness
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Table
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.collection import Collection
from mixrag_cli.stories.retrieving import NEAREST, Retrieved, retrieve
from mixrag_cli.stories.scanning import FileScanner
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.surety import grading_of, outdated_surety
from mixrag_cli.tables.found_rows import blocks_by_table, with_found_rows
from mixrag_cli.tables.record_columns import rows_at
from mixrag_cli.words import stem, words_of

EVIDENCE_HITS = 120  # read for evidence; with 60 the right row of a balance sheet was missed once in 20 questions


def answer_question(
    collection: Collection, question: str, scope: Scope, on_text: Callable[[str], None] | None = None
) -> Answer:
    """One answer with its RECAP steps and sources, what probably holds it, or an abstention that says why.

    on_text: told a generator's words as they come; provisional, and without citations, until the answer is returned.
    """
    clock = Clock()
    scanner = FileScanner(collection)
    restated, base, found = prepare(collection, question, scope, clock, scanner)
    answer = read_answer(restated, base, grading_of(collection.reader.record))
    clock.lap("recap")
    worded_by = {"generator": "none"}
    if collection.has_generator and base.hits:
        base = replace(base, hits=tuple(collection.widen(restated.question, base.hits)))
        worded_by, answer = generated_answer(collection, restated, base, answer, on_text)
        clock.lap("generate")
    return replace(
        answer,
        refused=answer.refused or found.refused[:NEAREST],
        degraded=(*clock.left_out, *answer.degraded),
        faithfulness=faithfulness(answer, base, collection.embedder),
        warnings=(*_unread(collection, answer), *outdated_surety(collection.reader.record), *scanner.warnings),
        models={"embedder": collection.embedder.name, "reader": collection.passage_reader.name, **worded_by},
        timings_ms=clock.total(),
    )


def prepare(
    collection: Collection, question: str, scope: Scope, clock: Clock, scanner: FileScanner | None = None
) -> tuple[Restated, EvidenceBase, Retrieved]:
    """The question restated, what may be read for its answer, and what retrieval thought of it.

    Where no passage passes its threshold they are read all the same: one may show where the answer stands.
    """
    restated = restate(question, collection.passage_reader.question(question))
    found = retrieve(collection, restated.question, collection.filter(scope), clock, _operand_texts(restated))
    hits = (found.hits or found.refused)[:EVIDENCE_HITS]
    base = gather_evidence(collection, restated, hits, scanner)
    clock.lap("evidence")
    return restated, base, found


def gather_evidence(
    collection: Collection, restated: Restated, hits: Sequence[Hit], scanner: FileScanner | None = None
) -> EvidenceBase:
    """What the reader may use: the hits, their tables, and what each document knows of the question's words."""
    parents = dict.fromkeys(hit.chunk.parent for hit in hits if hit.chunk.parent)
    words = _words_by_term(restated)
    weights = {term: collection.statistics.document_weight(variants) for term, variants in words.items()}
    holding = {term: collection.statistics.holding(variants) for term, variants in words.items()}
    documents = {hit.chunk.document for hit in hits}
    knows = {
        document: frozenset(term for term, counts in holding.items() if document in counts) for document in documents
    }
    tables, vectors = collection.reader.tables(list(parents)), collection.label_tokens
    for parent, blocks in blocks_by_table([hit.chunk for hit in hits]).items():
        if parent in tables:
            tables[parent] = with_found_rows(tables[parent], blocks)
    hits = in_time(hits, tables, restated.whole.facets)
    facts = collection.reader.facts(list(dict.fromkeys(hit.chunk.document for hit in hits))[:READ_DOCUMENTS])
    reader = collection.passage_reader
    return EvidenceBase(tuple(hits), tables, weights, knows, vectors, reader, facts, scanner.scan if scanner else None)


def in_time(hits: Sequence[Hit], tables: Mapping[str, Table], asked: Facets) -> list[Hit]:
    """The hits less the rows of another day or month than is asked for, where a row of their table is of that one."""
    dates = [date for date in asked.dates if date[0]]
    of_rows = {hit.chunk.parent for hit in hits if hit.chunk.row is not None} if dates else set()
    wanted = {parent: rows_at(tables[parent], dates) for parent in of_rows.intersection(tables)}

    def is_of_another(hit: Hit) -> bool:
        rows = wanted.get(hit.chunk.parent, set())
        return hit.chunk.row is not None and bool(rows) and hit.chunk.row not in rows

    return [hit for hit in hits if not is_of_another(hit)]


def generated_answer(
    collection: Collection,
    restated: Restated,
    base: EvidenceBase,
    built_in: Answer,
    on_text: Callable[[str], None] | None = None,
) -> tuple[dict[str, str], Answer]:
    """The answer that the rule picks; the built-in reader's where no generator can be had. Before it the generator's
    name and, where it says that, its device.
    """
    # The prompts and the checks of a model's replies cost nothing where there is no model.
    from mixrag_cli.recap.generated.reader import Asking, generate_answer

    try:
        generator = collection.load_generator()
    except ModelUnusable as error:
        degraded = (*built_in.degraded, f"generator: {error.message}; the built-in reader answered")
        return {"generator": "none"}, replace(built_in, degraded=degraded)
    settings = collection.settings
    asking = Asking(
        settings.strategy,
        settings.context_tokens,
        settings.answer_tokens,
        settings.generator_seconds,
        settings.seed,
    )
    answer = generate_answer(restated, base, built_in, generator, asking, on_text)
    device = device_of(generator)
    return {"generator": generator.name, **({"device": device} if device else {})}, answer


def faithfulness(answer: Answer, base: EvidenceBase, embedder: Embedder) -> Faithfulness | None:
    """How far the answer rests on what it cites, None for an abstention. Source: Enhanced RAG, section III-E."""
    if answer.status != "answered":
        return None
    vectors = embedder.embed(faithfulness_texts(answer))
    retrieved = frozenset(hit.chunk.id for hit in base.hits)
    return judge_faithfulness(answer, float(vectors[0] @ vectors[1]), retrieved, base.tables)


def _unread(collection: Collection, answer: Answer) -> tuple[str, ...]:
    """What could not be read: files whose old text answers, and, where nothing does, those that may hold the answer."""
    reader = collection.reader
    told = [(reader.count_stale(), "could not be read at the last index and may be out of date")]
    if answer.status == "abstained":
        told.append((reader.count_unread(), "could not be read and may hold the answer (mixrag status --skipped)"))
    return tuple(f"{count} file{'s' * (count > 1)} {what}" for count, what in told if count)


def _operand_texts(restated: Restated) -> list[str]:
    """What to search for beside the question: each operand where an answer needs several; dates as files write them."""
    asked = [operand.text for operand in restated.operands] if len(restated.operands) > 1 else []
    texts = [*asked, *filter(None, map(dated_otherwise, asked or [restated.question]))]
    return [text for text in dict.fromkeys(texts) if text != restated.question]


def _words_by_term(restated: Restated) -> dict[str, tuple[str, ...]]:
    """For each term of the question the plain words that the full-text index may hold it as."""
    terms = dict.fromkeys(term for operand in (restated.whole, *restated.operands) for term in operand.terms)
    words = words_of(restated.question)
    variants = {term: [*(word for word in words if stem(word) == term), term] for term in terms}
    variants |= {str(year): [str(year)] for operand in restated.operands for year in operand.facets.years}
    return {term: tuple(dict.fromkeys(found)) for term, found in variants.items()}
