"""Settings: which layer wins, what is refused, and what a folder from a stranger cannot do."""

import os
import stat
from pathlib import Path

import pytest

from mixrag_cli.errors import WrongUsage
from mixrag_cli.settings import (
    BOUNDS,
    SETTING_NAMES,
    Settings,
    config_file,
    ignored_settings_files,
    load_settings,
    resolve_settings,
    write_setting,
)


@pytest.fixture
def config_dir(tmp_path, monkeypatch):
    folder = tmp_path / "config"
    folder.mkdir()
    for variable in [name for name in os.environ if name.startswith("MIXRAG_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("MIXRAG_CONFIG_DIR", str(folder))
    return folder


def test_defaults_without_any_layer(config_dir):
    assert load_settings() == Settings()


def test_each_layer_wins_over_the_one_below(config_dir, monkeypatch):
    (config_dir / "config.toml").write_text("threads = 2\nworkers = 2\nmax_file_mb = 2\n")
    monkeypatch.setenv("MIXRAG_WORKERS", "3")
    monkeypatch.setenv("MIXRAG_MAX_FILE_MB", "3")
    settings = load_settings({"max_file_mb": 4, "store": None})
    assert (settings.threads, settings.workers, settings.max_file_mb) == (2, 3, 4)
    origins = {each.name: each.origin for each in resolve_settings({"max_file_mb": 4})}
    assert origins["threads"] == "config file"
    assert origins["workers"] == "environment"
    assert origins["max_file_mb"] == "flag"
    assert origins["device"] == "default"


def test_a_store_path_is_absolute_and_home_is_expanded(config_dir, monkeypatch):
    monkeypatch.setenv("MIXRAG_STORE", "~/index")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert str(load_settings().store) == "/home/somebody/index"


@pytest.mark.parametrize("value", ["ftp://host/index", "hdfs://b", "file:///srv/index", "s3:/bucket"])
def test_an_address_is_no_folder(config_dir, monkeypatch, tmp_path, value):
    monkeypatch.chdir(tmp_path)
    for given in (value, Path(value)):
        with pytest.raises(WrongUsage, match=r"store must be a folder or an address \(.*\), not [a-z0-9]+:/"):
            load_settings({"store": given})
    monkeypatch.setenv("MIXRAG_STORE", value)
    with pytest.raises(WrongUsage, match="MIXRAG_STORE"):
        load_settings()
    assert list(tmp_path.iterdir()) == [config_dir]


@pytest.mark.parametrize("value", ["s3://bucket/index?region=x", "gs://b", "az://c/i", "https://h/x", "http://h:1/x"])
def test_the_address_of_a_published_index_stays_as_it_was_typed(config_dir, value):
    assert load_settings({"store": value}).store == value
    with pytest.raises(WrongUsage, match="not on this machine, and offline is on"):
        load_settings({"store": value, "offline": "on"})


@pytest.mark.parametrize("name", sorted(BOUNDS))
def test_numbers_hold_at_their_bounds_and_not_beyond(config_dir, name):
    low, high = BOUNDS[name]
    for value in (low, high):
        assert getattr(load_settings({name: value}), name) == value
    for value in (low - 1, high + 1):
        with pytest.raises(WrongUsage, match=f"{name} must lie between"):
            load_settings({name: value})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("thread = 2", "unknown setting 'thread' (nearest: threads)"),
        ("[store]\npath = 1", "store must be a folder"),
        ("threads = 'many'", "threads must be a whole number, not 'many'"),
        ("threads = true", "threads must be a whole number, not True"),
        ("threads = 1.5", "threads must be a whole number, not 1.5"),
        ("embedder = 7", "embedder must be a text"),
        ("embedder = ''", "embedder must be a text"),
        ("device = 'abacus'", "device must be one of auto, cpu, cuda, mps"),
        ("table_representation = 'tree'", "table_representation must be one of h-rcl-rows, h-rcl, rcl, table"),
        ("threads = ", "not valid TOML"),
        ("threads = 1\nthreads = 2", "not valid TOML"),
    ],
)
def test_a_config_file_that_cannot_be_meant_is_refused_by_name(config_dir, text, words):
    file = config_dir / "config.toml"
    file.write_text(text)
    with pytest.raises(WrongUsage) as caught:
        load_settings()
    assert words in caught.value.message
    assert str(file) in caught.value.message


def test_a_config_file_with_invalid_utf8_is_refused(config_dir):
    (config_dir / "config.toml").write_bytes(b"embedder = '\xff'")
    with pytest.raises(WrongUsage, match="not valid TOML"):
        load_settings()


def test_an_unknown_variable_is_refused_with_the_nearest(config_dir, monkeypatch):
    monkeypatch.setenv("MIXRAG_EMBEDER", "x")
    with pytest.raises(WrongUsage, match=r"MIXRAG_EMBEDER.*nearest: MIXRAG_EMBEDDER"):
        load_settings()


def test_a_wrong_value_names_the_variable(config_dir, monkeypatch):
    monkeypatch.setenv("MIXRAG_THREADS", "two")
    with pytest.raises(WrongUsage, match="MIXRAG_THREADS: threads must be a whole number"):
        load_settings()


def test_an_empty_variable_counts_as_not_set(config_dir, monkeypatch):
    monkeypatch.setenv("MIXRAG_THREADS", "")
    assert load_settings().threads == 0


def test_writing_keeps_the_other_lines_and_reads_back(config_dir):
    file = config_dir / "config.toml"
    file.write_text("# mine\nthreads = 1\n")
    write_setting("workers", "2")
    write_setting("threads", "4")
    tricky = 'a "quoted" \\ path\twith ü and \x7f'
    write_setting("embedder", tricky)
    settings = load_settings()
    assert (settings.workers, settings.threads, settings.embedder) == (2, 4, tricky)
    assert file.read_text().startswith("# mine\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_value_is_checked_before_it_is_written(config_dir):
    with pytest.raises(WrongUsage):
        write_setting("threads", "-1")
    with pytest.raises(WrongUsage, match="unknown setting 'colour'"):
        write_setting("colour", "red")
    assert not config_file().exists()


def test_unset_brings_the_default_back_and_mends_an_unknown_key(config_dir):
    (config_dir / "config.toml").write_text("threads = 3\nfrom_the_future = 1\n")
    write_setting("from_the_future", None)
    assert load_settings().threads == 3
    write_setting("threads", None)
    assert load_settings().threads == 0
    write_setting("workers", None)
    with pytest.raises(WrongUsage):
        write_setting("from_the_future", None)


def test_files_in_a_folder_that_look_like_settings_are_named_and_not_read(config_dir, tmp_path, monkeypatch):
    folder = tmp_path / "from-a-stranger"
    (folder / ".mixrag").mkdir(parents=True)
    for name in ("mixrag.toml", ".mixrag/config.toml"):
        (folder / name).write_text('embedder = "/tmp/evil"\nthreads = 1000000\n')
    monkeypatch.chdir(folder)
    assert {str(path.relative_to(folder)) for path in ignored_settings_files(folder)} == {
        "mixrag.toml",
        ".mixrag/config.toml",
    }
    assert load_settings() == Settings()


def test_every_setting_of_a_number_has_bounds():
    numbers = {name for name in SETTING_NAMES if type(getattr(Settings(), name)) is int}
    assert numbers == set(BOUNDS)


@pytest.mark.parametrize(
    ("present", "name", "value", "said"),
    [
        ("", "answer_tokens", "9000", "leaves no room in a window of context_tokens 8192"),
        ("answer_tokens = 2000\n", "context_tokens", "1000", "answer_tokens 2000 leaves no room"),
        ("", "summaries", "short", "none is set"),
    ],
)
def test_a_value_that_could_never_be_used_beside_the_others_is_refused(config_dir, present, name, value, said):
    (config_dir / "config.toml").write_text(present)
    with pytest.raises(WrongUsage, match=said):
        write_setting(name, value)
    assert (config_dir / "config.toml").read_text() == present
    (config_dir / "config.toml").write_text('generator = "m.gguf"\n')
    write_setting("summaries", "short")
    write_setting("answer_tokens", "8000")
