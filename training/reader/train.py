"""Train the reader model on a CPU: question and passage read together, all heads at once.

    python -m training.reader.train READER_TRAIN HEADERS WEIGHTS.safetensors TOKENIZER.json RUN [--minutes 80]

READER_TRAIN and HEADERS are folders of data, RUN is where checkpoints go.
1. Two processes of one thread each: on two cores one thread a process does about 2.5 times the work of two threads in
   one. They share the weights and write to them without waiting for each other, each with moments of its own.
2. Word embeddings and the lowest layer stay as they are.
3. The learning rate follows the clock: a run ends when its minutes are spent. With --resume it goes on from the last
   checkpoint, with the minutes that were left.
4. With --after MODEL.onnx, or a checkpoint, a new run begins where that one ended, at SHARE_AFTER of the rate, with the
   lessons that follow the first --skipped batches.

Source: Recht et al., Hogwild, 2011 (weights shared without locks).
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from mixrag_cli.models.bundled_reader import CLS, START_END
from training.embedder.graph import read_constants, read_published
from training.embedder.soup import read_body
from training.reader.lessons import Prepared, Preparing, batches, count_by_source, read_lessons
from training.reader.model import Reader, batch_losses, total_loss, with_heads, worth

SEED = 7
LEARNING_RATE = 2e-4
HEAD_RATE = 1e-3  # heads start from nothing
DECAY = 0.01
MOMENTS = (0.9, 0.98)  # the second shorter than usual: a run has some hundred steps
WARM_UP = 0.05
SHARE_AFTER = 0.6  # of the rate, where a run goes on from a model that has learnt most
BATCHES_A_STEP = 2
LARGEST_STEP = 1.0  # length of a gradient, over a step's lessons
FROZEN = ("embeddings.", "encoder.layer.0.", "pooler")
CHECKPOINT_MINUTES = 4.0
TOLD_STEPS = 20


@dataclass(frozen=True, slots=True)
class Run:
    """What a worker needs to know.

    spent: seconds of earlier runs. skipped: batches that they took. share: of the learning rate. seed: of the batches'
    order.
    """

    folder: Path
    minutes: float
    workers: int
    spent: float
    skipped: int
    share: float = 1.0
    seed: int = SEED


def main() -> None:
    """Read the lessons, train, leave checkpoints."""
    options = parse_options()
    torch.set_num_threads(1)
    options.folder.mkdir(parents=True, exist_ok=True)
    published = read_published(options.weights)
    begun = time.monotonic()
    lessons, kept = read_lessons(options.reader_train, options.headers, options.folder, options.seed)
    prepared = Preparing(options.tokenizer).prepare(lessons)
    n_tokens = sum(len(row) for one in prepared for row in one.rows)
    print(f"{len(prepared)} lessons, {n_tokens} tokens, {len(kept)} kept: {count_by_source(lessons)}", flush=True)
    print(f"read in {time.monotonic() - begun:.0f} s", flush=True)
    weights: Any = with_heads(published, SEED)
    spent, skipped, share = 0.0, options.skipped, 1.0
    if options.after:
        weights, share = weights_of(options.after, weights), SHARE_AFTER
    if options.resume:
        weights, spent, skipped = last_state(options.folder, weights)
    run = Run(options.folder, options.minutes, options.workers, spent, skipped, share, options.seed)
    train(weights, prepared, run)


def parse_options() -> argparse.Namespace:
    """The command line's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reader_train", type=Path)
    parser.add_argument("headers", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=80.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--after", type=Path, help="the reader model or checkpoint that this run goes on from")
    parser.add_argument("--seed", type=int, default=SEED, help="another one draws other windows and wrong passages")
    parser.add_argument("--skipped", type=int, default=0, help="batches that it was trained on")
    return parser.parse_args()


def last_state(folder: Path, weights: dict[str, Any]) -> tuple[dict[str, Any], float, int]:
    """The last checkpoint over the weights that stay as they are, the seconds spent, and the batches taken."""
    progress = json.loads((folder / "progress.json").read_text("utf-8"))
    return weights_of(folder / progress["checkpoint"], weights), progress["spent"], progress["batches"]


def weights_of(model_file: Path, begun: dict[str, Any]) -> dict[str, Any]:
    """The weights of a checkpoint, or of a shipped reader model as they were most likely before rounding.

    begun: those under them, which a checkpoint does not hold.
    """
    if model_file.suffix == ".npz":
        with np.load(model_file) as found:
            return begun | {name: found[name] for name in found.files}
    constants = read_constants(model_file)
    heads = {
        START_END[0]: constants["span.weight"].T,
        START_END[1]: constants["span.bias"],
        CLS[0]: constants["cls.weight"].T,
        CLS[1]: constants["cls.bias"],
    }
    return read_body(constants, begun) | {name: np.ascontiguousarray(values) for name, values in heads.items()}


def train(weights: dict[str, Any], lessons: list[Prepared], run: Run) -> None:
    """Let the workers run until their time is spent."""
    model = Reader(weights)
    for values in model.weights.values():
        values.share_memory_()  # type: ignore[no-untyped-call]
    context = multiprocessing.get_context("fork")  # the lessons and weights are shared with it, not copied
    workers = [context.Process(target=work, args=(rank, model, lessons, run)) for rank in range(run.workers)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if any(worker.exitcode for worker in workers):
        raise SystemExit("a worker failed")


def work(rank: int, model: Reader, lessons: list[Prepared], run: Run) -> None:
    """One worker: its share of the batches, moments of its own, the weights that all have. The first one saves them."""
    torch.set_num_threads(1)
    taught = {name: values.requires_grad_(True) for name, values in model.weights.items() if is_taught(name)}
    optimiser = make_optimiser(taught)
    moments = run.folder / f"moments-{rank}.pt"
    if run.skipped and moments.exists():
        optimiser.load_state_dict(torch.load(moments, weights_only=True))
    mine = itertools.islice(batches(lessons, run.seed), run.skipped + rank, None, run.workers)
    told: dict[str, list[float]] = defaultdict(list)
    begun = saved = time.monotonic()
    n_tokens = 0
    for step in itertools.count(1):
        done = (run.spent + time.monotonic() - begun) / (run.minutes * 60)
        for group in optimiser.param_groups:
            group["lr"] = run.share * group["rate"] * max(0.0, min(done / WARM_UP, (1 - done) / (1 - WARM_UP)))
        if done >= 1:
            break
        n_tokens += learn(model, optimiser, taught, mine, told)
        seconds = time.monotonic() - begun
        if step % TOLD_STEPS == 0:
            means = " ".join(f"{name} {np.mean(values):.3f}" for name, values in told.items() if values)
            print(f"{rank}: step {step} {seconds:.0f} s {n_tokens / seconds:.0f} tokens/s {means}", flush=True)
            told.clear()
        if time.monotonic() - saved > CHECKPOINT_MINUTES * 60:
            saved = time.monotonic()
            torch.save(optimiser.state_dict(), moments)
            if rank == 0:
                taken = run.skipped + step * BATCHES_A_STEP * run.workers
                save(taught, run, run.spent + seconds, taken)
    if rank == 0:
        save(taught, run, run.minutes * 60, run.skipped + step * BATCHES_A_STEP * run.workers)


def learn(
    model: Reader,
    optimiser: torch.optim.Optimizer,
    taught: dict[str, torch.Tensor],
    mine: Iterator[list[Prepared]],
    told: dict[str, list[float]],
) -> int:
    """One step; returns how many tokens it read."""
    n_tokens, counted = 0, 0.0
    for batch in itertools.islice(mine, BATCHES_A_STEP):
        found = batch_losses(model, batch)
        total_loss(found).backward()  # type: ignore[no-untyped-call]
        n_tokens += sum(len(row) for one in batch for row in one.rows)
        counted += worth(batch)
        for name, losses in found.items():
            told[name] += [loss.item() for loss in losses]
    for values in taught.values():
        if values.grad is not None:
            values.grad /= counted
    torch.nn.utils.clip_grad_norm_(taught.values(), LARGEST_STEP)
    optimiser.step()
    optimiser.zero_grad()
    return n_tokens


def is_taught(name: str) -> bool:
    """Whether a weight moves."""
    return not name.startswith(FROZEN)


def make_optimiser(taught: dict[str, torch.Tensor]) -> torch.optim.Optimizer:
    """AdamW with a higher rate for the heads."""
    heads = [values for name, values in taught.items() if name.startswith("reader.")]
    body = [values for name, values in taught.items() if not name.startswith("reader.")]
    groups = [{"params": body, "rate": LEARNING_RATE}, {"params": heads, "rate": HEAD_RATE}]
    return torch.optim.AdamW(groups, lr=LEARNING_RATE, betas=MOMENTS, weight_decay=DECAY, fused=True)


def save(taught: dict[str, torch.Tensor], run: Run, spent: float, taken: int) -> None:
    """Write the weights that moved, whole or not at all, and how far the run has come."""
    path = run.folder / f"at-{int(spent):06}.npz"
    temporary = path.with_suffix(".part")
    arrays: dict[str, Any] = {name: values.detach().numpy() for name, values in taught.items()}
    with temporary.open("wb") as file:
        np.savez(file, **arrays)
    temporary.replace(path)
    progress = run.folder / "progress.json"
    part = progress.with_suffix(".part")
    part.write_text(json.dumps({"checkpoint": path.name, "spent": spent, "batches": taken}), "utf-8")
    part.replace(progress)


if __name__ == "__main__":
    main()
