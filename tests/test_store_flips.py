"""One flipped byte in any kind of file of a store: the answer is right, or the store is said to be damaged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mixrag_cli.errors import MixragError
from mixrag_cli.store import check_store, open_reader, open_writer
from tests.store_samples import DIM, LATE_DIM, MODEL, make_document, vector_of

pytestmark = pytest.mark.slow

FLIPS = 2  # a file
NOT_READ = (".gitignore", "lock", "readers.lock")
QUERY = "river engine orchard metres"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A finished store with a word index and with lists of deleted rows."""
    place = tmp_path / "store"
    with open_writer(place, roots=[tmp_path], embedder_name=MODEL, dim=DIM, late_dim=LATE_DIM) as writer:
        writer.write_batch([make_document(f"file{number}", 6) for number in range(12)])
        writer.finish()
        writer.remove([make_document("file3").row.id])
        writer.remove_chunks([make_document("file5", 6).chunks[2].id])
        writer.finish()
    return place


def answers(store: Path) -> list[tuple[str, str, float]]:
    """What a question is answered from."""
    with open_reader(store) as reader:
        hits = [*reader.search_words(QUERY, 20), *reader.search_meaning(vector_of("x"), 20)]
        reader.count_documents(["river"])
        reader.token_vectors([hit.chunk.id for hit in hits])
        reader.tables_of(reader.document_rows()[0].id)
        return [(hit.chunk.id, hit.chunk.text, round(hit.score, 4)) for hit in hits]


def try_flips(store: Path) -> None:
    """Run in a process of its own, as the engine may end it. Says which byte it tries before it does."""
    clean = answers(store)
    assert clean
    for path in sorted(path for path in store.rglob("*") if path.is_file() and path.name not in NOT_READ):
        raw = path.read_bytes()
        places = np.random.default_rng(len(raw)).integers(0, max(1, len(raw)), FLIPS) if raw else ()
        for place in map(int, places):
            print(path.relative_to(store), place, flush=True)
            path.write_bytes(raw[:place] + bytes([raw[place] ^ 0xFF]) + raw[place + 1 :])
            try:
                said = "right" if answers(store) == clean else "WRONG"
            except MixragError as error:
                said = str(int(error.exit_code))
            path.write_bytes(raw)
            print(" ", said, flush=True)


def test_a_flipped_byte_anywhere_is_a_right_answer_or_damage(store: Path) -> None:
    folder = Path(__file__).parent
    program = f"import sys; sys.path[:0] = {[str(folder.parent), str(folder)]!r}; "
    program += f"from test_store_flips import Path, try_flips; try_flips(Path({str(store)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False, env=dict(os.environ)
    )
    told = done.stdout.splitlines()
    assert done.returncode == 0, (done.returncode, told[-1:], done.stderr[-500:])
    said = dict(zip(told[::2], (line.strip() for line in told[1::2]), strict=True))
    assert {place for place, answer in said.items() if answer not in ("right", "12")} == set()
    for kind in ("_deletions/", "_indices/", "data/", "_versions/", "state.json"):
        assert any(kind in place for place in said), kind
    assert all(answer == "12" for place, answer in said.items() if "_deletions/" in place)


def test_a_damaged_list_of_deleted_rows_is_found_by_a_check_and_by_the_next_run(store: Path) -> None:
    victim = next(iter((store / "tables").rglob("_deletions/*.arrow")))
    raw = bytearray(victim.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    victim.write_bytes(raw)
    assert any("is damaged" in finding.message for finding in check_store(store))
    with pytest.raises(MixragError, match="is damaged") as caught:
        open_writer(store, roots=(), embedder_name=MODEL, dim=DIM, late_dim=LATE_DIM)
    assert caught.value.exit_code == 12
