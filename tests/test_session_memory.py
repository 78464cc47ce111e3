"""A session that is asked for ever: what it keeps between questions has a bound."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from mixrag_cli.models.token_vectors import MAX_QUESTIONS, KeptTokens
from mixrag_cli.retrieval import statistics
from mixrag_cli.retrieval.statistics import WordStatistics
from mixrag_cli.settings import Settings
from mixrag_cli.stories import collection
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import open_session

N_WORDS = 1_000


class CountingStore:
    """Every word stands in every one of two hundred documents."""

    def __init__(self) -> None:
        self.asked = 0

    def count_documents(self, words: Sequence[str], where: str | None = None) -> Mapping[str, int]:
        self.asked += 1
        return {f"{number:032d}": 1 for number in range(200)}

    def count_passages(self, words: Sequence[str], where: str | None = None) -> int:
        return 1


def test_what_is_known_of_words_has_a_bound() -> None:
    store = CountingStore()
    known = WordStatistics(store, 200, 200)
    known.holding(["a"])
    known.holding(["a"])
    assert store.asked == 1
    tracemalloc.start()
    for number in range(N_WORDS):
        known.document_weight([f"word{number}"])
        known.weights([f"word{number}"])
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 8_000_000  # 1,000 such words are 25 MB


def test_token_vectors_of_questions_have_a_bound() -> None:
    class Model:
        def embed_query_late(self, text: str) -> tuple[np.ndarray, np.ndarray]:
            return np.zeros(384, np.float32), np.ones((20, 96), np.float32)

    kept = KeptTokens(Model())  # type: ignore[arg-type]
    tracemalloc.start()
    for number in range(4 * MAX_QUESTIONS):
        kept.of_question(f"question {number}")
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 1.5 * MAX_QUESTIONS * 20 * 96 * 4


@pytest.mark.slow
def test_a_session_grows_no_more_once_its_caches_are_full(
    tmp_path: Path, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "KEPT_QUERIES", 8)
    monkeypatch.setattr(statistics, "KEPT_HOLDINGS", 8)
    (tmp_path / "pumps.md").write_text("# Pumps\n\nThe pump at the weir is serviced in May by Orla Tennick.\n")
    build_index([tmp_path], Settings(), events=Silent())
    session = open_session(tmp_path, Settings())

    def ask(first: int, last: int) -> int:
        for number in range(first, last):
            session.search(f"Which pump number {number} is serviced in month {number}?", Scope(), 5)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    ask(0, 20)
    tracemalloc.start()
    before = ask(20, 40)
    after = ask(40, 100)
    tracemalloc.stop()
    assert after - before < 60 * 1_500  # a question's vectors alone are 8 kB
    assert session.vector_of("pump") is session.vector_of("pump")
