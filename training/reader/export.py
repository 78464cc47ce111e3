"""Choose among the trainer's checkpoints and write the reader model that is shipped.

    python -m training.reader.export WEIGHTS.safetensors RUN TARGET.onnx [--last 1,3,5] [--lessons 1500]
        [--beside EARLIER.onnx] [--float32 TARGET.onnx]

Candidates are means of the last checkpoints. With --beside they are mixed with the reader that the run began with: a
short run on new folders costs the reader some of what it knew of others. Each candidate is quantised as shipped and
measured on the lessons kept from training, in RUN; the one with the best sum of span, holds, pair and operation is
written, in float32 beside it with --float32. questions.py then fits the heads that read a question alone.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from mixrag_cli.models.reader import OnnxReader
from mixrag_cli.reading import joint_spans
from training.embedder.export import average, mix
from training.embedder.graph import build_reader, read_weights, write_reader
from training.reader.groups import Group, Intent, Lesson, is_dev
from training.reader.lessons import LESSONS_FILE, kept_lessons
from training.reader.train import weights_of

# Of a mix, the run's part. Of kept documents of seven folders (394 groups, 328 questions alone) none of 0, .35, .5, .65
# and 1 has more right passages or none than .5 and .65 (.774; .761 and .756 at 0 and 1), nor loses less elsewhere.
RUN_PART = 0.6


def measure(model: OnnxReader, lessons: Iterable[Lesson]) -> Mapping[str, float]:
    """The share of lessons that each head has right; a group's of which none is right counts where none is best."""
    right: dict[str, list[bool]] = defaultdict(list)
    for one in lessons:
        if isinstance(one, Intent):
            reading = model.question(one.question)
            for name, gold, said in (
                ("operation", one.operation, reading.operation),
                ("expects", one.expects, reading.expects),
            ):
                if gold:
                    right[name].append(max(said, key=lambda key: said[key]) == gold)
        else:
            _measure_group(model, one, right)
    return {name: float(np.mean(found)) for name, found in sorted(right.items())}


def _measure_group(model: OnnxReader, one: Group, right: dict[str, list[bool]]) -> None:
    readings = model.read(one.question, one.passages)
    logits = [0.0, *(reading.holds if one.head == "holds" else reading.pair for reading in readings)]
    right[one.head].append(int(np.argmax(logits)) == (0 if one.right is None else one.right + 1))
    if one.right is not None:
        right[f"{one.head}, first"].append(int(np.argmax(logits[1:])) == one.right)
    if one.spanned:
        spans, none = joint_spans(readings, 1)
        best = spans[0]
        if one.right is None:
            right["none"].append(none > best.log_probability)
        elif one.spans:
            right["span"].append(best.passage == one.right and (best.start, best.end) in one.spans)


def main() -> None:
    """Measure all candidates, write the best."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--last", default="1,3,5", help="how many of the last checkpoints are averaged")
    parser.add_argument("--lessons", type=int, default=1_500, help="of those kept that the choice is made by")
    parser.add_argument("--beside", type=Path, help="the reader that the run began with")
    parser.add_argument("--float32", type=Path, help="write the chosen weights there, not quantised")
    options = parser.parse_args()
    start = {name: values for name, values in read_weights(options.weights).items() if "position_ids" not in name}
    checkpoints = sorted(options.run.glob("at-*.npz"))
    kept = [one for one in kept_lessons(options.run / LESSONS_FILE) if is_dev(one)]
    candidates = {last: start | average(checkpoints[-last:]) for last in map(int, options.last.split(","))}
    if options.beside:
        beside = weights_of(options.beside, start)
        candidates = {last: dict(mix(weights, beside, RUN_PART)) for last, weights in candidates.items()}
    best = choose(candidates, kept[: options.lessons]) if len(candidates) > 1 else min(candidates)
    write_reader(candidates[best], options.target)
    if options.float32:
        options.float32.write_bytes(build_reader(candidates[best], quantised=False).SerializeToString())
    print(f"written: mean of the last {best}, {options.target.stat().st_size / 1e6:.1f} MB")


def choose(candidates: Mapping[int, Mapping[str, Any]], kept: Sequence[Lesson]) -> int:
    """The candidate with the best sum of its main heads' shares on the kept lessons."""
    found = {}
    for last, weights in candidates.items():
        with TemporaryDirectory() as folder:
            path = Path(folder) / "model.onnx"
            write_reader(weights, path)
            found[last] = measure(OnnxReader(path.read_bytes()), kept)
        print(f"last {last}: " + " ".join(f"{name} {share:.3f}" for name, share in found[last].items()), flush=True)
    return max(found, key=lambda last: sum(found[last][name] for name in ("span", "holds", "pair", "operation")))


if __name__ == "__main__":
    main()
