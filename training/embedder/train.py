"""Train the bundled model: all-MiniLM-L6-v2 as embedder and late-interaction reranker at once, on a CPU.

    python -m training.embedder.train PAIRS.jsonl.gz WEIGHTS.safetensors TOKENIZER.json FOLDER [--minutes 70]
        [--material MATERIAL] [--begin MODEL.onnx] [--keep 0.5] [--rate 2e-5] [--half-precision]

1. A projection from 384 to LATE_DIM, begun as the principal directions of the model's own token vectors.
2. Each step: BATCH questions, each with the passage that answers it and one that only looks like it; every other
   passage of the batch is wrong for it too. Two losses of equal weight over the same run of the model: the pooled
   vectors' dot products, and the mean over a question's tokens of the best passage token.
3. Word embeddings and the lowest layer stay as they are: they would move least and cost a fifth of the time.
4. With --keep: for lessons other than tables that share of the pooled loss is how far the batch's similarities are from
   those of the published model (Kullback-Leibler), which is to stay as good as it was where no lesson teaches better.
5. With --material: the lessons of manuals.py beside those of lessons.py. With --begin: from a trained int8 model.
6. Checkpoints in FOLDER every CHECKPOINT_MINUTES; export.py averages them, mixes them with the weights they came from
   and takes what ranks the kept groups best.

Source: Khattab and Zaharia, ColBERT, 2020, eq. 3 (late interaction); Wortsman et al., Robust fine-tuning of zero-shot
models, 2022 (mixing with the weights one came from).
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from training.embedder.graph import (
    DIM,
    HEAD_DIM,
    LAYER_NORM_EPSILON,
    N_HEADS,
    N_LAYERS,
    PROJECTION,
    read_published,
)
from training.embedder.lessons import TABLE_SOURCES, Lesson, count_by_source, read_lessons
from training.embedder.manuals import read_manuals
from training.embedder.soup import read_trained

SEED = 7
LATE_DIM = 96  # of token vectors; 128 was no better before training (nDCG@10 .507 and .500; all 384 axes .524)
BATCH = 16
LEARNING_RATE = 4e-5
PROJECTION_RATE = 4e-4  # it starts farther from where it should be
WARM_UP = 0.06
POOLED_SCALE = 20.0  # inverse temperature of cosine scores, as the model was first trained with
LATE_SCALE = 30.0
PASSAGE_TOKENS = 160
QUESTION_TOKENS = 48
PAIRED_SHARE = 0.5  # of the batches see passage tokens pooled in neighbouring pairs, as they may be stored
SORTED_BATCHES = 24  # sorted by length at a time
ONE_SOURCE_SHARE = 0.5  # of the batches are of one source, so that their other passages are harder to tell apart
FROZEN = ("embeddings.word", "embeddings.position", "embeddings.token_type", "embeddings.LayerNorm", "encoder.layer.0.")
CHECKPOINT_MINUTES = 4.0
N_PROJECTION_TEXTS = 320
OF_TABLES = (*TABLE_SOURCES, "rows by rule")  # what lessons teach to rank otherwise than the published model does
TABLES_KEEP = 0.2  # of the share that other lessons have
MOSTLY = 0.5  # of a batch of tables: nothing is kept there, which saves the published model's run
OTHERS = 0.5  # of the lessons without tables are left beside those of manuals.py, so that two fifths are of tables

Weights = Mapping[str, npt.NDArray[np.float32]]


class MiniLM:
    """The model as a function of its weights, by the names they are published under."""

    def __init__(self, weights: Weights, silent: Sequence[bool]) -> None:
        self.weights = {name: torch.tensor(np.asarray(values, dtype=np.float32)) for name, values in weights.items()}
        self._silent = torch.tensor(silent)

    def run(self, ids: Tensor, mask: Tensor, types: Tensor | int = 0) -> Tensor:
        """Token vectors before any pooling: (batch, length, 384). types: of the tokens, 0 for all of the first."""
        of = self.weights
        hidden = of["embeddings.word_embeddings.weight"][ids]
        hidden = hidden + of["embeddings.position_embeddings.weight"][: ids.shape[1]]
        hidden = self._normalise(hidden + of["embeddings.token_type_embeddings.weight"][types], "embeddings.LayerNorm")
        seen = mask[:, None, None, :]
        for layer in range(N_LAYERS):
            hidden = self._layer(hidden, seen, f"encoder.layer.{layer}")
        return hidden

    def pool(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """One unit vector a text: (batch, 384)."""
        return functional.normalize((hidden * mask[:, :, None]).sum(dim=1), dim=-1)

    def project(self, hidden: Tensor) -> Tensor:
        """Unit token vectors for late interaction: (batch, length, LATE_DIM)."""
        return functional.normalize(hidden @ self.weights[PROJECTION], dim=-1)

    def speaking(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Which tokens take part in late interaction: neither special ones nor punctuation."""
        return mask & ~self._silent[ids]

    def _linear(self, hidden: Tensor, name: str) -> Tensor:
        return functional.linear(hidden, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _normalise(self, hidden: Tensor, name: str) -> Tensor:
        scale, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return functional.layer_norm(hidden, (hidden.shape[-1],), scale, bias, LAYER_NORM_EPSILON)

    def _layer(self, hidden: Tensor, seen: Tensor, name: str) -> Tensor:
        batch, length, width = hidden.shape

        def to_heads(part: str) -> Tensor:
            return self._linear(hidden, f"{name}.attention.self.{part}").view(batch, length, N_HEADS, HEAD_DIM)

        queries, keys, values = (to_heads(part).transpose(1, 2) for part in ("query", "key", "value"))
        with torch.autocast("cpu", enabled=False):  # attention in bfloat16 is slower
            heads = (queries.float(), keys.float(), values.float())
            mixed = functional.scaled_dot_product_attention(*heads, attn_mask=seen)
        mixed = mixed.transpose(1, 2).reshape(batch, length, width)
        attended = self._linear(mixed, f"{name}.attention.output.dense") + hidden
        attended = self._normalise(attended, f"{name}.attention.output.LayerNorm")
        wide = functional.gelu(self._linear(attended, f"{name}.intermediate.dense"))
        return self._normalise(self._linear(wide, f"{name}.output.dense") + attended, f"{name}.output.LayerNorm")


class Tokens:
    """Texts to padded ids and masks."""

    def __init__(self, tokenizer_file: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer_file))
        self._tokenizer.no_padding()

    def read(self, texts: Sequence[str], limit: int) -> tuple[Tensor, Tensor]:
        """Ids (n, longest) and which of them are no padding."""
        self._tokenizer.enable_truncation(limit)
        found = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts))]
        ids = torch.zeros((len(found), max(map(len, found))), dtype=torch.int64)
        mask = torch.zeros_like(ids, dtype=torch.bool)
        for row, text in enumerate(found):
            ids[row, : len(text)] = torch.tensor(text)
            mask[row, : len(text)] = True
        return ids, mask

    def silent(self) -> list[bool]:
        """For each token of the vocabulary, whether it is a special one or has neither letter nor digit."""
        words = (self._tokenizer.id_to_token(number) or "" for number in range(self._tokenizer.get_vocab_size()))
        return [word in ("[CLS]", "[SEP]", "[PAD]") or not any(map(str.isalnum, word)) for word in words]


def pool_pairs(tokens: Tensor, speaking: Tensor) -> tuple[Tensor, Tensor]:
    """Neighbouring speaking tokens as one unit vector each two: half the rows, and which of them count."""
    order = torch.argsort((~speaking).to(torch.int8), dim=1, stable=True)
    order = order[:, : (order.shape[1] // 2) * 2]
    kept = torch.gather(speaking, 1, order)
    ordered = torch.gather(tokens, 1, order[:, :, None].expand(-1, -1, tokens.shape[2])) * kept[:, :, None]
    pairs = ordered.view(tokens.shape[0], -1, 2, tokens.shape[2]).sum(dim=2)
    return functional.normalize(pairs, dim=-1), kept.view(kept.shape[0], -1, 2).any(dim=2)


def late_scores(question: tuple[Tensor, Tensor], passage: tuple[Tensor, Tensor]) -> Tensor:
    """Mean over a question's speaking tokens of its best passage token's cosine: (questions, passages)."""
    (sought, asking), (known, speaking) = question, passage
    likeness = torch.einsum("qid,pjd->qpij", sought, known)
    best = likeness.masked_fill(~speaking[None, :, None, :], -1.0).amax(dim=-1)
    return (best * asking[:, None, :]).sum(dim=-1) / asking.sum(dim=-1).clamp(min=1)[:, None]


@dataclass(frozen=True, slots=True)
class Course:
    """How one run trains. keep: the share of the pooled loss that is nearness to kept; 0 where there is none.

    half_precision: products in bfloat16, the weights as they are.
    """

    minutes: float
    passage_tokens: int = PASSAGE_TOKENS
    rate: float = LEARNING_RATE
    projection_rate: float = PROJECTION_RATE
    keep: float = 0.0
    kept: MiniLM | None = None
    half_precision: bool = False


def batch_loss(
    model: MiniLM, tokens: Tokens, lessons: Sequence[Lesson], paired: bool, course: Course
) -> tuple[Tensor, Tensor]:
    """The pooled and the late loss of one batch: cross-entropy of each question over all passages."""
    ids, mask = tokens.read([lesson.query for lesson in lessons], QUESTION_TOKENS)
    questions = (ids, mask)
    hidden = model.run(ids, mask)
    asked, sought, asking = model.pool(hidden, mask), model.project(hidden), model.speaking(ids, mask)
    texts = [lesson.positive for lesson in lessons] + [lesson.negative for lesson in lessons]
    ids, mask = tokens.read(texts, course.passage_tokens)
    hidden = model.run(ids, mask)
    known, speaking = model.project(hidden), model.speaking(ids, mask)
    if paired:
        known, speaking = pool_pairs(known, speaking)
    # A passage that stands in the batch twice is not wrong for the question it answers.
    same = torch.tensor([[other == lesson.positive for other in texts] for lesson in lessons])
    same[range(len(lessons)), range(len(lessons))] = False
    right = torch.arange(len(lessons))
    pooled = (asked @ model.pool(hidden, mask).T * POOLED_SCALE).masked_fill(same, -1e4).float()
    late = (late_scores((sought, asking), (known, speaking)) * LATE_SCALE).masked_fill(same, -1e4).float()
    losses = functional.cross_entropy(pooled, right, reduction="none")
    of_tables = [one.source in OF_TABLES for one in lessons]
    if course.kept is not None and sum(of_tables) < len(lessons) * MOSTLY:
        shares = torch.tensor([course.keep * (TABLES_KEEP if is_table else 1.0) for is_table in of_tables])
        wanted = _likeness(course.kept, questions, (ids, mask)).masked_fill(same, -1e4)
        away = functional.kl_div(pooled.log_softmax(-1), wanted.log_softmax(-1), reduction="none", log_target=True)
        losses = (1 - shares) * losses + shares * away.sum(dim=-1)
    return losses.mean(), functional.cross_entropy(late, right)


def _likeness(model: MiniLM, questions: tuple[Tensor, Tensor], passages: tuple[Tensor, Tensor]) -> Tensor:
    """Scaled cosines of questions and passages, nothing to be learnt from them."""
    with torch.no_grad():
        asked, known = (model.pool(model.run(ids, mask), mask) for ids, mask in (questions, passages))
        return (asked @ known.T * POOLED_SCALE).float()


def principal_directions(model: MiniLM, tokens: Tokens, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """The LATE_DIM directions that keep most of the token vectors' dot products: (384, LATE_DIM)."""
    total = torch.zeros((DIM, DIM))
    with torch.no_grad():
        for start in range(0, len(texts), BATCH):
            ids, mask = tokens.read(texts[start : start + BATCH], PASSAGE_TOKENS)
            rows = functional.normalize(model.run(ids, mask)[model.speaking(ids, mask)], dim=-1)
            total += rows.T @ rows
    _, directions = np.linalg.eigh(total.numpy())
    return np.ascontiguousarray(directions[:, ::-1][:, :LATE_DIM], dtype=np.float32)


def batches(lessons: Sequence[Lesson], rng: random.Random) -> Iterator[list[Lesson]]:
    """All lessons once, in batches of like length, some of one source."""
    order = list(lessons)
    rng.shuffle(order)
    for start in range(0, len(order), BATCH * SORTED_BATCHES):
        part = order[start : start + BATCH * SORTED_BATCHES]
        by_source = rng.random() < ONE_SOURCE_SHARE
        part.sort(key=lambda one: (one.source if by_source else "", len(one.positive) + len(one.negative)))
        found = [part[at : at + BATCH] for at in range(0, len(part), BATCH)]
        rng.shuffle(found)
        yield from (batch for batch in found if len(batch) == BATCH)


def train(lessons: Sequence[Lesson], weights: Weights, tokens: Tokens, folder: Path, course: Course) -> None:
    """Train for the course's minutes or one pass, whichever ends first, leaving checkpoints in the folder."""
    torch.manual_seed(SEED)
    rng = random.Random(SEED)
    model = MiniLM(weights, tokens.silent())
    if PROJECTION not in weights:
        samples = rng.sample(list(lessons), min(N_PROJECTION_TEXTS, len(lessons)))
        texts = [text for one in samples for text in (one.positive, one.query)]
        model.weights[PROJECTION] = torch.tensor(principal_directions(model, tokens, texts))
    save(model, folder / "step-00000.npz")
    taught = [name for name in model.weights if not name.startswith((*FROZEN, "pooler", "embeddings.position_ids"))]
    for name in taught:
        model.weights[name].requires_grad_(True)
    body = [model.weights[name] for name in taught if name != PROJECTION]
    groups = [
        {"params": body, "rate": course.rate},
        {"params": [model.weights[PROJECTION]], "rate": course.projection_rate},
    ]
    optimiser = torch.optim.AdamW(groups, lr=course.rate, weight_decay=0.01)
    steps = len(lessons) // BATCH
    begun = saved = time.monotonic()
    for step, batch in enumerate(batches(lessons, rng), start=1):
        done = max(step / steps, (time.monotonic() - begun) / (course.minutes * 60))
        for group in optimiser.param_groups:
            group["lr"] = group["rate"] * min(done / WARM_UP, (1 - done) / (1 - WARM_UP))
        if done >= 1:
            break
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=course.half_precision):
            pooled, late = batch_loss(model, tokens, batch, rng.random() < PAIRED_SHARE, course)
        (pooled + late).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_([model.weights[name] for name in taught], 1.0)
        optimiser.step()
        optimiser.zero_grad()
        if step % 10 == 0:
            spent = time.monotonic() - begun
            print(f"{step}/{steps} {spent:.0f} s pooled {pooled.item():.3f} late {late.item():.3f}", flush=True)
        if time.monotonic() - saved > CHECKPOINT_MINUTES * 60:
            saved = time.monotonic()
            save(model, folder / f"step-{step:05}.npz")
    save(model, folder / f"step-{step:05}.npz")


def save(model: MiniLM, path: Path) -> None:
    """Write the weights under their published names, whole or not at all."""
    temporary = path.with_suffix(".part.npz")
    arrays: dict[str, Any] = {name: values.detach().numpy() for name, values in model.weights.items()}
    np.savez(temporary, **arrays)
    temporary.replace(path)


def main() -> None:
    """Read the lessons, train, leave checkpoints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=70.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--material", type=Path, help="the folder of manuals.py")
    parser.add_argument("--begin", type=Path, help="an int8 model whose weights training begins with")
    parser.add_argument("--keep", type=float, default=0.0, help="share of nearness to the published model")
    parser.add_argument("--passage-tokens", type=int, default=PASSAGE_TOKENS)
    parser.add_argument("--rate", type=float, default=LEARNING_RATE)
    parser.add_argument("--projection-rate", type=float, default=PROJECTION_RATE)
    parser.add_argument("--half-precision", action="store_true", help="products in bfloat16")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    options.folder.mkdir(parents=True, exist_ok=True)
    published = read_published(options.weights)
    lessons, kept = read_lessons(options.pairs, SEED)
    if options.material:
        more, more_kept = read_manuals(options.material, SEED)
        rng = random.Random(SEED)
        lessons = [one for one in lessons if one.source in OF_TABLES or rng.random() < OTHERS]
        lessons, kept = [*lessons, *more], [*kept, *more_kept]
    print(f"{len(lessons)} lessons, {len(kept)} kept: {dict(count_by_source(lessons))}", flush=True)
    tokens = Tokens(options.tokenizer)
    course = Course(
        options.minutes,
        options.passage_tokens,
        options.rate,
        options.projection_rate,
        options.keep,
        MiniLM(published, tokens.silent()) if options.keep else None,
        options.half_precision,
    )
    weights = read_trained(options.begin, published) if options.begin else published
    train(lessons, weights, tokens, options.folder, course)


if __name__ == "__main__":
    main()
