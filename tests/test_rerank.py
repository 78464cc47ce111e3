"""Reranking through the real store and models: late interaction on kept and on fresh token vectors, cross-encoders."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.models import LateEmbedder, bundled
from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.retrieval.rerank import SHARPNESS, SOURCE, max_sim
from mixrag_cli.retrieval.sources.base import Query, add_scores
from mixrag_cli.retrieval.sources.reranked import Reranked
from mixrag_cli.settings import Settings
from mixrag_cli.store import EmbeddingCache, check_store, open_reader
from mixrag_cli.store.quantising import decode_tokens
from mixrag_cli.stories import embedding as embedding_story
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.embedding import KnownEmbeddings, embed_cached, embed_texts, text_to_embed
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session, open_session
from mixrag_cli.stories.unindexed import open_files

SAMPLES = Path(__file__).parent / "samples" / "northmere"
QUESTION = "Who lifted the boil notice?"
QUERY = Query("?", np.zeros(1, np.float32), 1.0)


@pytest.fixture(scope="module")
def session(northmere_texts: Path) -> Session:
    return open_session(northmere_texts, Settings())


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CrossEncoder of two small layers with random weights, as the library saves one."""
    pytest.importorskip("sentence_transformers", reason="the extra models is not installed")
    import torch
    from sentence_transformers import CrossEncoder
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    made, target = tmp_path_factory.mktemp("made"), tmp_path_factory.mktemp("cross") / "encoder"
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(bundled.bundled_folder() / "tokenizer.json"),
        pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]",
    )  # fmt: skip
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=128, num_labels=1,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(made)
    tokenizer.save_pretrained(made)
    CrossEncoder(str(made), max_length=128, device="cpu").save_pretrained(str(target))
    return target


def plain_max_sim(question: np.ndarray, passage: np.ndarray) -> float:
    """The definition, one number after another."""
    best = [max(float(np.dot(row, token / 127)) for token in passage.astype(float)) for row in question.astype(float)]
    return (sum(min(max(dot, 0), 1) ** SHARPNESS for dot in best) / len(best)) ** (1 / SHARPNESS)


def unit_rows(rng: np.random.Generator, rows: int, dim: int) -> np.ndarray:
    found = rng.standard_normal((rows, dim)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def hit_of(name: str, score: float, **scores: float) -> Hit:
    chunk = Chunk(name * 32, "d" * 32, "prose", "text", name, "", "", Locator((0, 1)), position=0)
    return Hit(chunk, f"{name}.txt", "", scores, score)


def finds(session: Session, question: str = QUESTION) -> list[Hit]:
    return session.find(question, None, Clock())


def reranked(session: Session) -> list[Hit]:
    return [hit for hit in finds(session) if SOURCE in hit.scores]


def scores_anew(hits: list[Hit], embedder: LateEmbedder) -> list[float]:
    """max_sim of the hits' texts and the question, all embedded for this."""
    made = embed_texts([text_to_embed(hit.chunk) for hit in hits], embedder)
    return max_sim(
        embedder.embed_query_late(QUESTION)[1], [decode_tokens(embedding.late, embedder.late_dim) for embedding in made]
    )


# --- the score --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [4, 64, 128])
def test_max_sim_is_the_power_mean_of_the_best_dots(dim: int) -> None:
    rng = np.random.default_rng(dim)
    question = unit_rows(rng, 9, dim)
    passages = [np.rint(unit_rows(rng, n, dim) * 127).astype(np.int8) for n in (1, 5, 40, 1, 17)]
    assert max_sim(question, passages) == pytest.approx([plain_max_sim(question, each) for each in passages], abs=1e-5)
    shuffled = [passages[number] for number in (3, 0, 4, 2, 1)]
    assert max_sim(question, shuffled)[1] == max_sim(question, passages)[0]


def test_max_sim_knows_its_ends() -> None:
    question = unit_rows(np.random.default_rng(1), 6, 32)
    same = np.rint(question * 127).astype(np.int8)
    assert max_sim(question, [same])[0] == pytest.approx(1, abs=0.01)
    assert max_sim(question[:1], [-same[:1]])[0] == 0
    assert max_sim(question, [same[:0], same, same[:0]]) == [0, max_sim(question, [same])[0], 0]
    assert max_sim(question[:0], [same]) == [0]
    assert max_sim(question, []) == []


def test_half_of_a_question_to_the_word_is_worth_more_than_all_of_it_nearly() -> None:
    question = np.eye(4, dtype=np.float32)
    half = np.rint(question[:2] * 127).astype(np.int8)
    nearly = np.rint(question * 0.5 * 127).astype(np.int8)
    first, second = max_sim(question, [half, nearly])
    assert first == pytest.approx(0.5 ** (1 / SHARPNESS), abs=0.01)
    assert second == pytest.approx(0.5, abs=0.01)


def test_only_the_first_hits_are_reranked_and_nothing_else_changes() -> None:
    class ByName:
        def score(self, question: str, hits: list[Hit]) -> list[float | None]:
            return [None if hit.chunk.text == "b" else float(ord(hit.chunk.text)) for hit in hits]

    hits = [hit_of(name, score, words=1.0) for name, score in (("a", 0.4), ("b", 0.4), ("c", 0.3), ("d", 0.29))]
    judged = add_scores(Reranked(ByName(), 3), QUERY, hits)
    assert [hit.scores.get(SOURCE) for hit in judged] == [97, None, 99, None]
    assert all(hit.scores["words"] == 1 for hit in judged)
    assert [hit.chunk for hit in judged] == [hit.chunk for hit in hits]
    assert add_scores(Reranked(ByName(), 3), QUERY, []) == []


# --- late interaction -------------------------------------------------------------------------------------------------


def test_the_store_keeps_what_the_model_makes(session: Session, northmere_texts: Path) -> None:
    with open_reader(northmere_texts / ".mixrag") as reader:
        chunks = [row.chunk for row in reader.chunk_rows() if embedding_story.keeps_tokens(row.chunk)]
        kept = reader.token_vectors([chunk.id for chunk in chunks])
    made = embed_texts([text_to_embed(chunk) for chunk in chunks], session.embedder)
    assert len(kept) == len(chunks) > 20
    for chunk, embedding in zip(chunks, made, strict=True):
        assert embedding.late is not None
        decoded = decode_tokens(embedding.late, session.embedder.late_dim)
        near = (kept[chunk.id] / 127.0) @ (decoded / 127.0).T  # batches of other texts move a level here and there
        assert near.max(axis=1).mean() > 0.99
    assert check_store(northmere_texts / ".mixrag", deep=True) == []


def test_hits_carry_the_score_of_the_definition(session: Session) -> None:
    hits = finds(session)
    first = [hit for hit in hits if SOURCE in hit.scores]
    assert len(first) == min(Settings().rerank_candidates, len(hits))
    tokens = session.tokens_of(QUESTION)
    kept = session.reader.token_vectors([hit.chunk.id for hit in first])
    for hit in first[:5]:
        assert hit.scores[SOURCE] == pytest.approx(plain_max_sim(tokens, kept[hit.chunk.id]), abs=1e-5)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_question_and_its_operands_are_reranked_once_by_the_question(session: Session) -> None:
    hits = session.find(QUESTION, None, Clock(), ["pump maintenance", "annual revenue"])
    assert sum(SOURCE in hit.scores for hit in hits) == min(Settings().rerank_candidates, len(hits))
    assert len({hit.chunk.id for hit in hits}) == len(hits)
    alone = {hit.chunk.id: hit.scores[SOURCE] for hit in reranked(session)}
    both = [hit for hit in hits if SOURCE in hit.scores and hit.chunk.id in alone]
    assert both
    assert all(hit.scores[SOURCE] == pytest.approx(alone[hit.chunk.id], abs=1e-6) for hit in both)


def test_the_vector_and_the_token_vectors_of_a_question_come_from_one_run(session: Session) -> None:
    vector, tokens = session.embedder.embed_query_late("a question of its own")
    assert np.allclose(session.vector_of("a question of its own"), vector)
    assert np.allclose(session.tokens_of("a question of its own"), tokens)
    assert np.allclose(np.linalg.norm(tokens, axis=1), 1, atol=1e-4)
    assert np.allclose(session.embedder.embed_query("a question of its own"), vector, atol=1e-5)


@pytest.mark.slow
def test_files_read_on_the_spot_are_reranked_too(northmere_texts: Path, minilm: LateEmbedder) -> None:
    on_the_spot = open_files([path for path in sorted(northmere_texts.iterdir()) if path.is_file()], Settings())
    hits = reranked(on_the_spot)
    assert len(on_the_spot.reader.token_vectors([hit.chunk.id for hit in hits])) == len(hits) > 20
    assert [hit.scores[SOURCE] for hit in hits] == pytest.approx(scores_anew(hits, minilm), abs=2e-3)


@pytest.mark.slow
def test_passages_whose_token_vectors_were_not_kept_are_reranked_all_the_same(
    northmere_texts: Path, minilm: LateEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mixrag_cli.stories.embedding.KEPT_LATE_BYTES", 40_000)
    store = tmp_path / "store"
    build_index([northmere_texts], Settings(store=store), events=Silent())
    other = open_session(northmere_texts, Settings(store=store))
    hits = reranked(other)
    assert 0 < len(other.reader.token_vectors([hit.chunk.id for hit in hits])) < len(hits) > 20
    assert [hit.scores[SOURCE] for hit in hits] == pytest.approx(scores_anew(hits, minilm), abs=2e-3)


@pytest.mark.slow
def test_short_rows_of_a_sheet_keep_no_token_vectors_and_are_reranked_as_if_they_did(
    minilm: LateEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet, rows = tmp_path / "notices.csv", [f"Town {n},notice {n} lifted,{n * 7}\n" for n in range(60)]
    sheet.write_text("Town,State,People\n" + "".join(rows))
    build_index([tmp_path], Settings(), events=Silent())
    session = open_session(tmp_path, Settings())
    hits = reranked(session)
    short = [hit for hit in hits if hit.chunk.kind == "row"]
    assert len(short) > 20
    assert session.reader.token_vectors([hit.chunk.id for hit in short]) == {}
    assert [hit.scores[SOURCE] for hit in hits] == pytest.approx(scores_anew(hits, minilm), abs=2e-3)

    made: list[str] = []
    embed = embedding_story.embed_texts
    monkeypatch.setattr(
        embedding_story, "embed_texts", lambda texts, *more: [made.extend(texts), embed(texts, *more)][1]
    )
    sheet.write_text("Town,State,People\n" + "".join(rows) + "Aber,notice kept,5\n")
    build_index([tmp_path], Settings(), events=Silent())
    assert sum("Aber" in text for text in made) > 0
    assert not any("Town 7" in text and "Town 8" not in text for text in made)  # a row that was known


def test_none_reranks_nothing(northmere_texts: Path) -> None:
    assert reranked(open_session(northmere_texts, Settings(rerank="none"))) == []


def test_the_cache_gives_token_vectors_back(tmp_path: Path, minilm) -> None:
    texts = ["The pump was replaced in May.", "Revenue rose.", "The pump was replaced in May."]
    with EmbeddingCache(tmp_path / "embeddings.sqlite") as cache:
        known = KnownEmbeddings(cache)
        first = embed_cached(texts, minilm, known)
        again = embed_cached(texts, minilm, KnownEmbeddings(cache))
        assert embed_cached([], minilm, known)[0].shape == (0, minilm.dim)
    assert np.array_equal(first[0], again[0])
    assert all(np.array_equal(one, other) for one, other in zip(first[1], again[1], strict=True))
    assert np.array_equal(first[1][0], first[1][2])
    assert first[1][0].dtype == np.uint8
    assert first[1][0].shape[1] == minilm.late_dim // 4


# --- other models -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_cross_encoder_from_disk_reranks_as_the_library_scores(northmere_texts: Path, cross_encoder: Path) -> None:
    from sentence_transformers import CrossEncoder

    session = open_session(northmere_texts, Settings(rerank=str(cross_encoder), rerank_candidates=7))
    hits = reranked(session)
    assert len(hits) == 7
    model = CrossEncoder(str(cross_encoder), device="cpu")
    wanted = model.predict([(QUESTION, text_to_embed(hit.chunk)) for hit in hits], show_progress_bar=False)
    assert [hit.scores[SOURCE] for hit in hits] == pytest.approx(wanted.tolist(), abs=1e-4)
    assert len({round(hit.scores[SOURCE], 6) for hit in hits}) > 1


def test_a_reranker_that_is_none_is_refused(northmere_texts: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("no-such/reranker", str(tmp_path / "empty")):
        with pytest.raises(ModelUnusable):
            finds(open_session(northmere_texts, Settings(rerank=name)))


@pytest.mark.slow
def test_an_index_of_another_model_is_reranked_by_the_bundled_one(
    tmp_path: Path, minilm: LateEmbedder, published_model: Path
) -> None:
    folder = tmp_path / "few"
    folder.mkdir()
    shutil.copy(SAMPLES / "handbook.md", folder)
    settings = Settings(embedder=str(published_model), device="cpu")
    build_index([folder], settings, events=Silent())
    other = open_session(folder, settings)
    assert other.reader.record.late_dim == 0
    hits = reranked(other)
    assert hits
    assert [hit.scores[SOURCE] for hit in hits] == pytest.approx(scores_anew(hits, minilm), abs=2e-3)


def test_search_and_ask_are_timed_with_their_reranking(session: Session) -> None:
    assert session.search(QUESTION, Scope(), 5).timings_ms["rerank"] >= 0
    assert "rerank" in session.ask(QUESTION, Scope()).timings_ms
