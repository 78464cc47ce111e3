"""What our layer costs over a bare llama-cpp-python call: the same prompt and tokens through both, in turns.

    python tests/benchmarks/generator_overhead.py [--width 512] [--layers 8] [--tokens 128] [--rounds 7]

Greedy replies of the same length by the same random model; medians of the rounds and their ratio are printed, in wall
time and in processor time, which a busy machine disturbs less.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tiny_gguf import NEVER, build_tiny_gguf

from mixrag_cli.generator import Message, Request
from mixrag_cli.models.gguf_file import read_gguf_header
from mixrag_cli.models.llama import LlamaGenerator

QUESTION = "Count these words: " + "ash oak pine " * 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in (("width", 512), ("layers", 8), ("tokens", 128), ("rounds", 7), ("threads", 2)):
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = build_tiny_gguf(
            Path(folder) / "m.gguf", width=options.width, layers=options.layers, ending_bias=NEVER, vocabulary=4_000
        )
        ours, bare = open_ours(path, options), open_bare(path, options)
        wall: dict[str, list[float]] = {"bare": [], "ours": []}
        processor: dict[str, list[float]] = {"bare": [], "ours": []}
        for turn in range(options.rounds + 1):
            for name, run in (("bare", bare), ("ours", ours)) if turn % 2 else (("ours", ours), ("bare", bare)):
                started, used = time.perf_counter(), time.process_time()
                assert run(f"{turn} {QUESTION}") == options.tokens
                if turn:  # the first warms up
                    wall[name].append(time.perf_counter() - started)
                    processor[name].append(time.process_time() - used)
    for what, seconds in (("wall", wall), ("processor", processor)):
        bare_s, ours_s = (statistics.median(seconds[name]) for name in ("bare", "ours"))
        print(f"{what}: bare {bare_s:.3f} s, ours {ours_s:.3f} s: {ours_s / bare_s - 1:+.1%}")


def open_ours(path: Path, options: argparse.Namespace) -> Callable[[str], int]:
    model = LlamaGenerator(read_gguf_header(path), context_tokens=2_048, threads=options.threads)
    return lambda text: (
        model.reply(Request((Message("user", text),), max_tokens=options.tokens), lambda _: None).reply_tokens
    )


def open_bare(path: Path, options: argparse.Namespace) -> Callable[[str], int]:
    from llama_cpp import Llama

    model = Llama(str(path), n_ctx=2_048, n_threads=options.threads, n_threads_batch=options.threads, verbose=False)

    def run(text: str) -> int:
        messages = [{"role": "user", "content": text}]
        pieces = model.create_chat_completion(messages, max_tokens=options.tokens, temperature=0.0, stream=True)
        for _ in pieces:
            pass
        return options.tokens

    return run


if __name__ == "__main__":
    main()
