"""What the reader model makes of what is found in folders of files whose questions it was not trained on.

    python tests/benchmarks/reader_in_folders.py DATA CACHE --gathered FOLDER [--model FILE.onnx ...] [--every 2]

The folders are those of the bank that the grading learns from; none of their failures are shown, and what is sealed is
not asked. Each folder is indexed into CACHE/stores, as the grading's fit keeps it. Told of each model, the bundled one
where none is named: how often the passage that `holds` likes best of those found is a right one, beside retrieval's
order; how well `holds` tells right from wrong passages (AUC); how often the likeliest span says the answer, of the
questions for one; how often the likeliest cell or fact is right, where a right one is among the candidates.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from mixrag_cli.models.reader import OnnxReader, load_reader
from mixrag_cli.recap.drafting import draft_all
from mixrag_cli.recap.signs import Draft
from mixrag_cli.stories.answering import prepare
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.scope import Scope
from training.folders import open_indexed
from training.grading.domains import Asked, Domain
from training.grading.everyday import bank_domains
from training.grading.fit import auc
from training.grading.signs import is_right

N_THREADS = 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--gathered", type=Path, required=True)
    parser.add_argument("--model", type=Path, nargs="*", default=())
    parser.add_argument("--every", type=int, default=2, help="ask each so manieth question")
    options = parser.parse_args()
    models = {file.name: OnnxReader(file.read_bytes(), N_THREADS) for file in options.model}
    models = models or {"bundled": load_reader(N_THREADS)}
    told = {name: Told() for name in models}
    for domain in bank_domains(options.data, options.gathered):
        ask_domain(domain, options.cache, options.every, models, told)
    for name, found in told.items():
        print(found.told_as(name), flush=True)


class Told:
    """What was counted of one model."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.passages: list[tuple[float, bool]] = []

    def count(self, asked: Asked, drafts: Sequence[Draft]) -> None:
        """Add what the drafts of one answerable question show."""
        passages = [one for one in drafts if one.kind == "passage"]
        rights = {id(one): is_right(asked, one) for one in drafts}
        self.passages += [(one.signs["holds"], rights[id(one)]) for one in passages]
        self._add("passage", [best_by("holds", passages)], rights)
        self._add("found", passages[:1], rights)
        if not asked.is_answered_by_text:
            self._add("span", [best_by("span", [one for one in drafts if one.kind == "span"])], rights)
        cells = [one for one in drafts if one.kind in ("cell", "fact")]
        if any(rights[id(one)] for one in cells):
            self._add("cell", [best_by("pair", cells)], rights)

    def _add(self, name: str, best: Iterable[Draft | None], rights: dict[int, bool]) -> None:
        self.counts[f"{name} asked"] += 1
        self.counts[name] += any(one is not None and rights[id(one)] for one in best)

    def told_as(self, name: str) -> str:
        parts = [f"{part} {self.counts[part]}/{self.counts[f'{part} asked']}" for part in ("passage", "span", "cell")]
        return f"{name:16} {', '.join(parts)}, AUC of holds {auc(self.passages):.3f}; found {self.counts['found']}"


def best_by(sign: str, drafts: Sequence[Draft]) -> Draft | None:
    return max(drafts, key=lambda one: one.signs[sign], default=None)


def ask_domain(domain: Domain, cache: Path, every: int, models: dict[str, OnnxReader], told: dict[str, Told]) -> None:
    session = open_indexed(domain.folder, cache / "stores" / domain.name)
    for asked in domain.questions[::every]:
        if not asked.forms and not asked.gold:
            continue
        restated, base, _ = prepare(session, asked.text, Scope(paths=asked.scope), Clock())
        for name, model in models.items():
            told[name].count(asked, draft_all(restated, replace(base, reader=model)))
    print(f"{domain.name}: {len(domain.questions)} questions, {len(domain.questions[::every])} asked", flush=True)


if __name__ == "__main__":
    main()
