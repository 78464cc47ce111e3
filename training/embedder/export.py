"""Choose among the trainer's checkpoints and write the model that is shipped.

    python -m training.embedder.export PAIRS.jsonl.gz FOLDER TARGET.onnx [--last 1,3,5] [--shares 0.5,0.75,1]

Candidates are averages of the last checkpoints, mixed with the weights that training began with. Each is quantised as
shipped and ranks, for the groups that were kept from training, the right passage among the N_OTHERS that share most
words with the question. The one with the best sum of both mean reciprocal ranks, pooled and late, is written.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from mixrag_cli.models.minilm import MiniLM
from training.embedder.graph import write_minilm
from training.embedder.lessons import Lesson, WordIndex, read_lessons

SEED = 7  # the trainer's: the kept groups are the same
N_OTHERS = 12
LATE_STEPS = 127.0

Weights = Mapping[str, npt.NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Quality:
    """Mean reciprocal ranks of the right passage, by pooled vectors and by late interaction."""

    pooled: float
    late: float


def average(files: Sequence[Path]) -> dict[str, npt.NDArray[np.float32]]:
    """The mean of some checkpoints' weights."""
    checkpoints = [np.load(file) for file in files]
    return {name: np.asarray(sum(one[name] for one in checkpoints) / len(files)) for name in checkpoints[0].files}


def mix(trained: Weights, start: Weights, share: float) -> Weights:
    """share of the trained weights, the rest of those that training began with.

    Source: Wortsman et al., Robust fine-tuning of zero-shot models, CVPR 2022.
    """
    return {name: np.asarray(share * values + (1 - share) * start[name]) for name, values in trained.items()}


def measure(model: MiniLM, lessons: Sequence[Lesson]) -> Quality:
    """How the model ranks each lesson's passage among its N_OTHERS."""
    texts = list(dict.fromkeys(text for one in lessons for text in (one.positive, one.negative)))
    groups = {one.positive: one.group for one in lessons}
    place = {text: number for number, text in enumerate(texts)}
    index = WordIndex(texts)
    vectors, late = model.embed_late(texts)
    ranks: list[tuple[float, float]] = []
    for lesson in lessons:
        right = place[lesson.positive]
        found = [at for at in index.best(lesson.query, N_OTHERS * 2) if groups.get(texts[at]) != lesson.group]
        others = [at for at in dict.fromkeys([place[lesson.negative], *found]) if at != right][:N_OTHERS]
        vector, tokens = model.embed_query_late(lesson.query)
        pooled = [float(vectors[at] @ vector) for at in (right, *others)]
        close = [float((late[at] @ tokens.T / LATE_STEPS).max(axis=0).mean()) for at in (right, *others)]
        ranks.append((1 / sum(score >= pooled[0] for score in pooled), 1 / sum(score >= close[0] for score in close)))
    return Quality(*(float(mean) for mean in np.mean(ranks, axis=0)))


def main() -> None:
    """Measure all candidates, write the best."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--last", default="1,3,5", help="how many of the last checkpoints are averaged")
    parser.add_argument("--shares", default="0.5,0.75,1", help="how much of them is mixed with the first weights")
    options = parser.parse_args()
    _, kept = read_lessons(options.pairs, SEED)
    first, *later = sorted(options.folder.glob("step-*[0-9].npz"))
    start = average([first])
    candidates: dict[str, Weights] = {"as it began": start}
    for last in map(int, options.last.split(",")):
        trained = average(later[-last:])
        for share in map(float, options.shares.split(",")):
            candidates[f"last {last}, share {share:g}"] = mix(trained, start, share)
    found = {}
    for name, weights in candidates.items():
        with TemporaryDirectory() as folder:
            path = Path(folder) / "model.onnx"
            write_minilm(weights, path)
            found[name] = measure(MiniLM(path.read_bytes()), kept)
        print(f"{name:24} pooled {found[name].pooled:.4f} late {found[name].late:.4f}", flush=True)
    best = max(found, key=lambda name: found[name].pooled + found[name].late)
    write_minilm(candidates[best], options.target)
    print(f"written: {best}, {len(kept)} kept lessons, {options.target.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
