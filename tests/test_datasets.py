"""Data sets in folders: what is read of each kind, and what is said of one that cannot be used."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from mixrag_cli.errors import MixragError, WrongUsage
from mixrag_cli.evaluation.datasets import Span, select
from mixrag_cli.evaluation.loading import load_corpus, load_dataset, load_elsewhere
from mixrag_cli.evaluation.relevance import SourcePlaces, grade_passages
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.places import Locator

CORPUS = [
    {"_id": "d1", "title": "Harbours", "text": "The harbour closes at nine."},
    {"_id": "a/b:2", "title": "", "text": "Ferries leave hourly."},
    {"_id": "a b 2", "text": "A third one."},
]
QUERIES = [{"_id": "q1", "text": "When does it close?", "topic": "time"}, {"_id": "q2", "text": "How often?"}]


def write_lines(path: Path, rows: list[dict]) -> None:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def write_beir(
    folder: Path, qrels: str = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\ta b 2\t0\nq2\ta/b:2\t1\n"
) -> Path:
    folder.mkdir(exist_ok=True)
    write_lines(folder / "corpus.jsonl.gz", CORPUS)
    write_lines(folder / "queries.jsonl", QUERIES)
    (folder / "qrels.tsv").write_text(qrels, "utf-8")
    return folder


# --- BEIR ----------------------------------------------------------------------------------------------------------


def test_beir_files_become_documents_and_graded_questions(tmp_path: Path) -> None:
    found = load_dataset(write_beir(tmp_path / "set"))
    assert (found.kind, found.name, found.splits) == ("beir", "set", ())
    assert [document.text for document in found.documents] == [
        "Harbours\n\nThe harbour closes at nine.",
        "Ferries leave hourly.",
        "A third one.",
    ]
    assert [document.path for document in found.documents] == ["d1.txt", "a_b_2.txt", "a_b_2~2.txt"]
    assert found.questions[0].relevant == {"d1": 2.0, "a b 2": 0.0}
    assert found.questions[0].labels == {"topic": ("time",)}


@pytest.mark.parametrize(
    "qrels", ["q1\td1\t1\n", "query\tcorpus\tscore\nq1\td1\t1\n", "q1\t0\td1\t1\n\n", "\ufeffq1\td1\t1\r\n"]
)
def test_judgements_with_and_without_a_header_and_as_trec_writes_them(tmp_path: Path, qrels: str) -> None:
    found = load_dataset(write_beir(tmp_path, qrels))
    assert [(question.id, question.relevant) for question in found.questions] == [("q1", {"d1": 1.0})]


def test_judgements_by_split_and_their_selection(tmp_path: Path) -> None:
    folder = write_beir(tmp_path)
    (folder / "qrels.tsv").unlink()
    (folder / "qrels").mkdir()
    (folder / "qrels" / "dev.tsv").write_text("q1\td1\t1\n")
    (folder / "qrels" / "test.tsv").write_text("q2\td1\t1\n")
    found = load_dataset(folder)
    assert found.splits == ("dev", "test")
    assert [question.id for question in select(found, ["test"], [], 0).questions] == ["q2"]
    assert [question.id for question in select(found, [], [("topic", "time")], 0).questions] == ["q1"]
    assert len(select(found, [], [], 1).questions) == 1
    with pytest.raises(WrongUsage, match=r"no split 'train' in .*its splits: dev, test"):
        select(found, ["train"], [], 0)
    with pytest.raises(WrongUsage, match="no question has topic=space"):
        select(found, [], [("topic", "space")], 0)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("qrels.tsv", "q1\td1\tmany\nq1\td1\tmany\n", r"qrels.tsv:2: the grade must be a number, not 'many'"),
        ("qrels.tsv", "q1 d1 1\n", r"qrels.tsv:1: three fields with tabs between them are needed, not 1"),
        ("qrels.tsv", "q9\td1\t1\n", r"qrels.tsv: query 'q9' is not in the queries"),
        ("qrels.tsv", "q1\td9\t1\n", r"qrels.tsv:1: document 'd9' is not in the corpus"),
        ("qrels.tsv", "q1\td1\t0\n", r"no questions"),
        ("queries.jsonl", '{"_id": "q1", "text": "a"}\n{"_id": \n', r"queries.jsonl:2: not JSON"),
        ("queries.jsonl", '{"_id": "q1"}\n', r"queries.jsonl:1: field 'question' is missing"),
        (
            "queries.jsonl",
            '{"_id": "q1", "text": 3.5}\n',
            r"queries.jsonl:1: field 'text' must be a text, not a number",
        ),
        ("queries.jsonl", "[1]\n", r"queries.jsonl:1: must be an object, not a list"),
        ("queries.jsonl", "[" * 100_000, r"queries.jsonl:1: not JSON: nested too deeply"),
        ("corpus.jsonl", '{"_id": "d1", "text": "a"}\n{"_id": "d1", "text": "b"}\n', "corpus.jsonl: two documents"),
        ("corpus.jsonl", b'{"_id": "d1", "text": "\xff"}\n', r"corpus.jsonl:1: not UTF-8"),
        ("corpus.jsonl.gz", b"\x1f\x8b\x08broken", r"corpus.jsonl.gz:1: cannot be read"),
    ],
)
def test_what_is_wrong_is_said_with_file_line_and_field(
    tmp_path: Path, name: str, content: str | bytes, complaint: str
) -> None:
    folder = write_beir(tmp_path)
    raw = content if isinstance(content, bytes) else content.encode()
    (folder / name).write_bytes(raw)
    with pytest.raises(MixragError, match=complaint):
        load_dataset(folder)


def test_a_line_beyond_the_limit_is_refused_before_it_is_read_whole(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("mixrag_cli.evaluation.dataset_lines.MAX_LINE_BYTES", 1000)
    folder = write_beir(tmp_path)
    write_lines(folder / "corpus.jsonl.gz", [{"_id": "d1", "text": "x" * 2000}])
    with pytest.raises(MixragError, match=r"corpus.jsonl.gz:1: longer than 1,000 bytes"):
        load_dataset(folder)


def test_a_corpus_alone_serves_as_distractors(tmp_path: Path) -> None:
    assert [document.id for document in load_corpus(write_beir(tmp_path))] == ["d1", "a/b:2", "a b 2"]
    with pytest.raises(WrongUsage, match=r"no corpus.jsonl"):
        load_corpus(tmp_path.parent)


def test_elsewhere_is_a_corpus_or_a_folder_of_files_or_what_lies_beside_questions(tmp_path: Path) -> None:
    corpus = write_beir(tmp_path / "corpus")
    assert [document.id for document in load_elsewhere(corpus)[0]] == ["d1", "a/b:2", "a b 2"]
    asked = tmp_path / "asked"
    (asked / "files").mkdir(parents=True)
    assert load_elsewhere(asked) == ((), (asked,))
    write_lines(asked / "questions.jsonl", [{"question": "?"}])
    assert load_elsewhere(asked) == ((), (asked / "files",))
    with pytest.raises(WrongUsage, match="no such folder"):
        load_elsewhere(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["nothing-here", "."])
def test_no_data_set(tmp_path: Path, name: str) -> None:
    with pytest.raises(WrongUsage):
        load_dataset(tmp_path / name)


# --- spans ---------------------------------------------------------------------------------------------------------

SOURCE = "# Notes\n\nAlpha beta.\n\nThe kiln reaches 1,240 degrees.\nIt cools overnight.\n"


def write_spans(folder: Path, start: int, end: int) -> Path:
    cut = SOURCE.index("The kiln")
    passage = {"document_id": "kiln", "filename": "notes.md"}
    pieces = [(0, cut - 1), (cut, len(SOURCE))]  # the blank line between them belongs to no passage
    write_lines(
        folder / "corpus.jsonl",
        [
            {"_id": f"kiln#{a}", "text": SOURCE[a:b], "char_start": a, "char_end": b, **passage}
            for a, b in reversed(pieces)
        ],
    )
    spans = [{"document_id": "kiln", "char_start": start, "char_end": end, "grade": 2}]
    write_lines(
        folder / "queries.jsonl",
        [{"_id": "q", "text": "How hot?", "answer": "1,240 degrees", "split": "dev", "gold_spans": spans}],
    )
    return folder


def test_passages_with_places_become_whole_documents(tmp_path: Path) -> None:
    found = load_dataset(write_spans(tmp_path, 23, 40))
    assert found.kind == "spans"
    assert [(document.path, document.text) for document in found.documents] == [("kiln/notes.md", SOURCE)]
    assert found.questions[0].spans == (Span("kiln", 23, 40, 2.0),)
    assert (found.questions[0].answers, found.splits) == (("1,240 degrees",), ("dev",))


def test_a_span_that_cannot_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MixragError, match=r"queries.jsonl:1: gold_spans 1: char_start must lie before char_end"):
        load_dataset(write_spans(tmp_path, 40, 40))


def passage(text: str, lines: tuple[int, int] | None, chars: tuple[int, int] = (0, 1)) -> Chunk:
    return Chunk("c", "d", "prose", "text", text, "", "", Locator(chars, lines=lines), 0)


def test_a_passage_is_found_by_its_text_within_its_lines() -> None:
    places = SourcePlaces(SOURCE)
    start = SOURCE.index("It cools")
    assert places.locate(passage("It   cools\novernight.", (5, 6))) == (start, start + len("It cools overnight."))
    # the words are not there as they stand: the lines are the place
    assert places.locate(passage("kiln: 1,240", (5, 5))) == (SOURCE.index("The kiln"), start)
    # no lines: the whole text is searched, and where nothing is found the place is that of the extracted text
    assert places.locate(passage("Alpha", None)) == (9, 14)
    assert places.locate(passage("not there", None, (3, 8))) == (3, 8)
    # lines beyond the end
    assert places.locate(passage("", (90, 99))) == (len(SOURCE), len(SOURCE))


def test_half_of_a_span_must_be_covered() -> None:
    spans = [Span("d", 100, 200, 1.0), Span("d", 150, 160, 3.0), Span("e", 0, 10)]
    passages = [
        ("half", "d", (50, 150)),
        ("less", "d", (50, 149)),
        ("inside", "d", (155, 190)),
        ("elsewhere", "x", (0, 500)),
        ("all", "d", (0, 500)),
    ]
    assert grade_passages(spans, passages) == {"half": 1.0, "inside": 3.0, "all": 3.0}


# --- questions about files, TAT-QA ---------------------------------------------------------------------------------


def test_questions_about_files_beside_them(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    rows = [
        {"id": "1", "question": "What?", "answer": "12 %", "value": 12, "documents": ["a.pdf", "b/c.md"], "type": "t"},
        {"id": "2", "question": "Who?", "answer": None, "value": None, "documents": [], "type": "unanswerable"},
        {"id": 3, "question": "Where?", "path": "a.pdf", "spans": [{"path": "a.pdf", "start": 3, "end": 9}]},
    ]
    write_lines(tmp_path / "questions.jsonl", rows)
    found = load_dataset(tmp_path)
    assert (found.kind, found.folders) == ("files", (tmp_path / "files",))
    first, second, third = found.questions
    assert (first.relevant, first.answers, first.value) == ({"a.pdf": 1.0, "b/c.md": 1.0}, ("12 %",), 12.0)
    assert first.is_answerable
    assert not second.is_answerable
    assert (third.id, third.spans, third.relevant) == ("3", (Span("a.pdf", 3, 9),), {"a.pdf": 1.0})
    assert load_dataset(tmp_path / "questions.jsonl").digest() == found.digest()


def test_questions_without_documents_beside_them(tmp_path: Path) -> None:
    write_lines(tmp_path / "questions.jsonl", [{"id": "1", "question": "What?"}])
    with pytest.raises(WrongUsage, match="no folder of documents beside"):
        load_dataset(tmp_path)
    with pytest.raises(WrongUsage, match="no such folder"):
        load_dataset(tmp_path, tmp_path / "absent")


def test_tatqa_contexts_become_pages_that_keep_table_and_text(tmp_path: Path) -> None:
    context = {
        "uid": "c1",
        "table": [["", "2019"], ["Sales <net>", "$1,496.5"]],
        "paragraphs": [{"order": 1, "text": "We sell. Net sales are as follows (in millions):"}],
        "questions": [
            {"uid": "q1", "question": "Sales?", "answer": 1496.5, "scale": "million", "answer_type": "span"},
            {"uid": "q2", "question": "Which?", "answer": ["a", "b"], "scale": "", "answer_type": "multi-span"},
        ],
    }
    write_lines(tmp_path / "dev.jsonl", [context])
    found = load_dataset(tmp_path)
    assert found.kind == "tatqa"
    assert "<td>Sales &lt;net&gt;</td><td>$1,496.5</td>" in found.documents[0].text
    assert "<caption>Net sales are as follows (in millions):</caption>" in found.documents[0].text
    assert [(q.answers, q.scale, q.context) for q in found.questions] == [
        (("1496.5",), "million", "c1"),
        (("a", "b"), "", "c1"),
    ]


# --- real ones -----------------------------------------------------------------------------------------------------

DATA = Path(__file__).parents[2] / "shared" / "data"


@pytest.mark.skipif(not DATA.is_dir(), reason="the public data sets are not beside the repository")
@pytest.mark.parametrize(
    ("name", "kind", "questions"),
    [
        ("financerag_finqa", "beir", 344),
        ("hetdocqa", "spans", 399),
        ("collection", "files", 24),
        ("tatqa", "tatqa", 1668),
    ],
)
def test_real_data_sets(name: str, kind: str, questions: int) -> None:
    found = load_dataset(DATA / name)
    assert (found.kind, len(found.questions)) == (kind, questions)
    assert len({document.path.casefold() for document in found.documents}) == len(found.documents)
