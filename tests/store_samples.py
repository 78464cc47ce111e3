"""Documents made up for the store's tests: readable texts, vectors that belong to their texts, a table each."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np

from mixrag_cli.errors import MixragError, NoIndex
from mixrag_cli.records.documents import ColumnProfile
from mixrag_cli.records.files import DocumentRow, content_key, stable_id
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.store import StoredDocument, StoreReader, StoreWriter, encode_tokens, open_reader, open_writer
from mixrag_cli.store.quantising import decode_vectors, encode_vectors

DIM = 8
LATE_DIM = 4
MODEL = "made-up"
TOPICS = ("river", "engine", "orchard", "ledger", "harbour", "violin", "glacier", "satellite")


def vector_of(text: str, dim: int = DIM) -> np.ndarray:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    vector = np.random.default_rng(seed).standard_normal(dim).astype(np.float32)
    return decode_vectors(encode_vectors(vector[None]))[0]


def late_of(text: str) -> np.ndarray | None:
    """Token vectors in code that belong to the text; one text in eight has none."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[8:16], "big")
    rng = np.random.default_rng(seed)
    tokens = rng.integers(-127, 128, (int(rng.integers(1, 30)), LATE_DIM), dtype=np.int8)
    return None if seed % 8 == 0 else encode_tokens(tokens)


def document_id(name: str) -> str:
    return stable_id("document", b"/data", name.encode())


def text_of(name: str, position: int, revision: int = 0) -> str:
    topic = TOPICS[(len(name) + position) % len(TOPICS)]
    return f"The {topic} of {name} in revision {revision} measures {position * 7 + revision} metres, {topic}s included."


def make_document(name: str, n_chunks: int = 4, revision: int = 0, dim: int = DIM) -> StoredDocument:
    owner = document_id(name)
    texts = [text_of(name, position, revision) for position in range(n_chunks)]
    chunks = [
        Chunk(
            id=stable_id("chunk", owner, position, text),
            document=owner,
            kind="prose",
            modality="text",
            text=text,
            context=f"{name} > part {position}",
            words=name.replace("_", " "),
            locator=Locator(chars=(position * 100, position * 100 + len(text)), lines=(position + 1, position + 1)),
            position=position,
        )
        for position, text in enumerate(texts)
    ]
    row = DocumentRow(
        id=owner,
        root=b"/data",
        key=name.encode(),
        path=name,
        status="indexed",
        size=100 + revision,
        mtime_ns=1_700_000_000_000_000_000 + revision,
        device=66304,
        inode=2**63 + 5,
        seen_ns=1_700_000_000_000_000_000,
        content_hash=content_key(hashlib.sha256(f"{name}{revision}".encode()).hexdigest()),
        modality="text",
        title=f"Title of {name}",
        chunks=n_chunks,
        tokens=20 * n_chunks,
        warnings=("one thing",) if n_chunks == 3 else (),
    )
    vectors = np.stack([vector_of(text, dim) for text in texts]) if texts else np.empty((0, dim), np.float32)
    return StoredDocument(row, chunks, vectors, [make_table(owner, revision)], [late_of(text) for text in texts])


def make_table(owner: str, revision: int = 0) -> Table:
    return Table(
        id=stable_id("table", owner, revision),
        title="Revenue",
        columns=(Header(1, ("2023", "Q1")), Header(2, ("2023", "Total"), is_total=True)),
        rows=(Header(2, ("Sales", "North")),),
        cells=(
            Cell(2, 1, "(1,234)", Decimal("-1234"), "USD", 1000, address="B3"),
            Cell(2, 2, "n/a", None, bbox=(1.0, 2.0, 3.5, 4.0), line=7, row_span=2),
        ),
        locator=Locator(chars=(0, 10), page=3, bbox=(1.0, 2.0, 3.0, 4.0)),
        unit="USD",
        scale=1000,
        notes=("unaudited",),
        confidence=0.75,
        total_rows=9,
        profiles=(ColumnProfile(1, 9, 8, Decimal("10.50"), Decimal(-3), Decimal(7), 1, 4, ("a", "b")),),
    )


def writer_of(store: Path, **wishes: object) -> StoreWriter:
    known = {"roots": [store.parent], "embedder_name": MODEL, "dim": DIM, "late_dim": LATE_DIM}
    return open_writer(store, **(known | wishes))  # type: ignore[arg-type]


def write_store(store: Path, documents: Sequence[StoredDocument], **wishes: object) -> None:
    """One whole run: the documents in a batch, and the end. wishes: of writer_of."""
    with writer_of(store, **wishes) as writer:
        writer.write_batch(documents)
        writer.finish()


def build_store(store: Path, names: list[str], n_chunks: int = 4) -> None:
    write_store(store, [make_document(name, n_chunks) for name in names])


def rebuild_store(store: Path, names: list[str], n_chunks: int = 4, failpoint: str = "") -> None:
    """Make the index anew beside the one there; in a process that is to die, at the failpoint."""
    os.environ["MIXRAG_FAILPOINT"] = failpoint
    with writer_of(store, rebuild=True) as writer:
        for name in names:
            writer.write_batch([make_document(name, n_chunks)])
        writer.finish()


def digest_of(reader: StoreReader) -> str:
    """One hash over all documents, chunks and tables, in an order of its own."""
    rows = sorted((row.key, row.content_hash, row.status) for row in reader.document_rows())
    chunks = sorted((row.chunk.id, row.chunk.text, row.vector.tobytes()) for row in reader.chunk_rows())
    late = sorted((key, part.tobytes()) for key, part in reader.token_vectors([key for key, *_ in chunks]).items())
    tables = sorted(table.id for row in reader.document_rows() for table in reader.tables_of(row.id))
    return hashlib.sha256(repr((rows, chunks, late, tables)).encode()).hexdigest()


# A story of nine writes whose end differs from every state on the way; each step may be told again.
STORY: tuple[Callable[[StoreWriter], None], ...] = (
    lambda writer: writer.write_batch([make_document(f"a{n}.md") for n in range(3)]),
    lambda writer: writer.write_batch([make_document(f"b{n}.md", 2) for n in range(3)]),
    lambda writer: writer.put_rows([replace(make_document("a0.md").row, stale=True, status="skipped")]),
    lambda writer: writer.write_batch([make_document(f"a{n}.md", 5, revision=1) for n in range(2)]),
    lambda writer: writer.remove([document_id("b0.md"), document_id("a2.md")]),
    lambda writer: writer.finish(),
    lambda writer: writer.write_batch([make_document("c.md", 1), make_document("b1.md", 3, revision=2)]),
    lambda writer: writer.put_rows([replace(make_document("c.md").row, status="left_out", chunks=0)]),
    lambda writer: writer.finish(),
)


def tell_story(store: Path, first: int = 0, failpoint: str = "") -> None:
    """Run the steps from `first` on; after each, put its number and the store's files into <store>.acks."""
    os.environ["MIXRAG_FAILPOINT"] = failpoint
    with writer_of(store, wait_s=5) as writer:
        acknowledge(store, first)
        for number in range(first, len(STORY)):
            STORY[number](writer)
            acknowledge(store, number + 1)


def acknowledge(store: Path, steps_done: int) -> None:
    files = [str(path.relative_to(store)) for path in store.rglob("*") if path.is_file()]
    fresh = store.with_suffix(".acks.new")
    fresh.write_text(json.dumps({"steps": steps_done, "files": files}))
    fresh.rename(store.with_suffix(".acks"))


def acknowledged(store: Path) -> tuple[int, set[str]]:
    try:
        known = json.loads(store.with_suffix(".acks").read_text())
    except FileNotFoundError:
        return 0, set()
    return known["steps"], set(known["files"])


def story_digests(store: Path) -> list[str]:
    """The digest of the store before the first step and after each."""
    digests = []
    with writer_of(store) as writer:
        for step in (lambda writer: None, *STORY):
            step(writer)
            with open_reader(store) as reader:
                digests.append(digest_of(reader))
    return digests


def read_repeatedly(store: Path, states: set[str], seconds: float, outcome: Path, is_there: bool = False) -> None:
    """Read the whole store over and over; write down how often, or what was seen that no commit ever made.

    is_there: the index is never to be missing.
    """
    end, n_read = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        try:
            with open_reader(store) as reader:
                seen = digest_of(reader)
                hits = reader.search_words("river engine orchard ledger harbour violin", 30)
                near = reader.search_meaning(vector_of("x"), 30)
                known = {row.id for row in reader.document_rows()}
        except NoIndex:
            if is_there:
                outcome.write_text(f"no index, after {n_read}")
                return
            continue
        if seen not in states or not {hit.chunk.document for hit in (*hits, *near)} <= known:
            outcome.write_text(f"a state that was never committed, after {n_read}")
            return
        n_read += 1
    outcome.write_text(str(n_read))


def write_after(store: Path, name: str, gate: Path, outcome: Path, wait_s: float) -> None:
    """Wait for the gate, then add one document and note the error, if any."""
    while not gate.exists():
        time.sleep(0.001)
    try:
        with writer_of(store, wait_s=wait_s) as writer:
            writer.write_batch([make_document(name)])
            writer.finish()
    except MixragError as exc:
        outcome.write_text(f"{int(exc.exit_code)} {exc.message}")
    else:
        outcome.write_text("written")


def hold_lock(store: Path, held: Path) -> None:
    with writer_of(store):
        held.touch()
        time.sleep(60)


def read_published(address: str, n_opens: int, outcome: Path) -> None:
    """Open the published index over and over with a cache of this process's own; write down what was seen."""
    from mixrag_cli.store import find_store

    os.environ["MIXRAG_CACHE_DIR"] = str(outcome.with_suffix(".cache"))
    told: dict[str, object] = {"opens": 0}
    states: set[str] = set()
    known: dict[str, str] = {}
    try:
        for count in range(n_opens):
            with open_reader(find_store(Path("/"), address)) as reader:
                if reader.store.name not in known:
                    known[reader.store.name] = digest_of(reader)
                states.add(known[reader.store.name])
            told["opens"] = count + 1
    except Exception as error:  # whatever it is, the test is to see it
        told["error"] = f"{type(error).__name__}: {error}"
    outcome.write_text(json.dumps({**told, "states": sorted(states)}))
