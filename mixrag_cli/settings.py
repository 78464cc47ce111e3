"""One frozen Settings, resolved once: flag over environment over the user's config.toml over defaults."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """Every knob of the program, with its unit in its name."""

    store: Path | None = None  # None: found from the folder upward, as git does it
    embedder: str = "minilm"  # "minilm" is the bundled one; else a sentence-transformers name or path
    device: str = "auto"  # for sentence-transformers models: "auto", "cpu", "cuda", "mps"
    threads: int = 0  # 0: as many as there are cores
    workers: int = 0  # reader processes; 0: one a core, at most 4
    words_candidates: int = 40  # n of paper 000, appendix C
    meaning_candidates: int = 60  # m of paper 000, appendix C
    max_file_mb: int = 512
    max_text_file_mb: int = 20
    worker_memory_mb: int = 2048
    worker_silence_s: int = 30
    worker_total_s: int = 300
    worker_cpu_s: int = 120
