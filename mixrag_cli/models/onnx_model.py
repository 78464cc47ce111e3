"""Small int8 models in onnxruntime: one way to open them, to cut texts into batches for them, and to run those.

open_model      on the processor, which is quickest for a question: a card takes longer to start than it runs
open_on_card    on a card, as float32, where onnxruntime was built for one: for thousands of passages
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

# Read when the library is loaded. It sends usage data otherwise (from 1.31 on), and keeps a number for the machine.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import numpy as np
import numpy.typing as npt
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as failures

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.models.bundled import REINSTALL
from mixrag_cli.models.machine import usable_cores

# Of a run, padding counted: one text that fills the window, or many labels. With 512 tokens the reader's windows take
# 20 % longer and the buffers grow; with 128 it is the same (two runs at once on two cores).
BATCH_TOKENS = 256
CARD_BATCH_TOKENS = 16_384  # on a card, which is filled by many; not measured on one
PROCESSOR = "CPUExecutionProvider"
CARDS = ("CUDAExecutionProvider", "ROCMExecutionProvider")  # as onnxruntime names what it computes on
ONNX_FAILURES = (
    failures.Fail,
    failures.EPFail,
    failures.InvalidArgument,
    failures.InvalidGraph,
    failures.InvalidProtobuf,
    failures.NoSuchFile,
    failures.RuntimeException,
)

onnxruntime.disable_telemetry_events()

Ids = npt.NDArray[np.int64]
Outputs = list[npt.NDArray[np.float32]]
Numbers = npt.NDArray[np.intp]  # of the texts of a batch
Given = Callable[[Numbers], Mapping[str, Ids]]  # a batch's inputs


class OnnxModel:
    """A model that is ready to run. device: what it runs on, as onnxruntime names it.

    at_once: how many batches are run at once, each by one thread. A batch's products are too small for two threads to
    share: on two cores ten windows take 249 ms in batches that both compute, and 143 ms in two batches at a time.
    """

    def __init__(self, session: onnxruntime.InferenceSession, at_once: int = 1) -> None:
        self._session = session
        self._at_once = at_once
        self.device = str(session.get_providers()[0])

    def run(self, outputs: Sequence[str], given: Mapping[str, Ids]) -> Outputs:
        """The outputs of one batch."""
        found: Outputs = self._session.run(outputs, given)
        return found

    def run_all(self, outputs: Sequence[str], batches: Sequence[Mapping[str, Ids]]) -> Iterator[Outputs]:
        """The outputs of each batch, in their order."""
        if min(len(batches), self._at_once) < 2:
            yield from (self.run(outputs, given) for given in batches)
            return
        todo = iter(batches)
        with ThreadPoolExecutor(self._at_once) as threads:
            # One waits for its thread. If more did, their outputs would pile up.
            begun = deque(threads.submit(self.run, outputs, given) for given in islice(todo, self._at_once + 1))
            while begun:
                yield begun.popleft().result()
                begun.extend(threads.submit(self.run, outputs, given) for given in islice(todo, 1))

    def run_by_length(
        self, outputs: Sequence[str], texts: Sequence[Sequence[int]], given: Given, most_tokens: int = BATCH_TOKENS
    ) -> Iterator[tuple[Numbers, Outputs]]:
        """The numbers of the texts of a batch of like length, and its outputs, one batch after the other."""
        even = _even_share(sum(map(len, texts)), most_tokens, self._at_once)
        batches = list(batches_by_length(texts, even))
        yield from zip(batches, self.run_all(outputs, [given(batch) for batch in batches]), strict=True)


def open_model(model: Path | bytes, name: str, threads: int = 0) -> OnnxModel:
    """The model on the processor. name: as people know it. threads: 0 for as many as there are cores.

    Of bytes a session keeps a copy, 23 MB of the bundled model, so a file is given by its path.
    Raises ModelUnusable when it is no model.
    """
    given = model if isinstance(model, bytes) else str(model)
    try:
        session = onnxruntime.InferenceSession(given, _session_options(), providers=[PROCESSOR])
    except ONNX_FAILURES as error:
        raise ModelUnusable(f"the {name} does not load in onnxruntime", REINSTALL) from error
    return OnnxModel(session, threads or usable_cores())


def card_providers() -> tuple[str, ...]:
    """The cards that the installed onnxruntime was built for, whether or not one is there."""
    offered = onnxruntime.get_available_providers()
    return tuple(name for name in CARDS if name in offered)


def open_on_card(model: Path | bytes) -> OnnxModel | None:
    """The float32 graph of an int8 model on the first card that takes it; None where there is no such card.

    onnxruntime goes on without a card that it cannot start, so what a session runs on is asked of it afterwards.
    """
    for provider in card_providers():
        try:
            from mixrag_cli.models.float_graph import to_float32

            int8 = model if isinstance(model, bytes) else model.read_bytes()
            session = onnxruntime.InferenceSession(to_float32(int8), _session_options(), [provider, PROCESSOR])
        except (*ONNX_FAILURES, ImportError, ValueError):
            continue
        if session.get_providers()[0] == provider:
            return OnnxModel(session)
    return None


def batches_by_length(tokens: Sequence[Sequence[int]], most_tokens: int = BATCH_TOKENS) -> Iterator[Numbers]:
    """The texts' numbers in batches of like length, the longest first, so that memory peaks at once and stays.

    most_tokens: of a batch as it is padded; a longer text is a batch of its own.
    """
    order = np.argsort([-len(text) for text in tokens], kind="stable")
    start = 0
    while start < len(order):
        size = max(most_tokens // max(len(tokens[order[start]]), 1), 1)
        yield order[start : start + size]
        start += size


def _even_share(n_tokens: int, most_tokens: int, at_once: int) -> int:
    """The tokens of a batch, most_tokens at the most, with which those that run at once end together."""
    rounds = math.ceil(n_tokens / (most_tokens * at_once))
    return math.ceil(n_tokens / max(rounds * at_once, 1))


def pad(tokens: Sequence[Sequence[int]]) -> tuple[Ids, Ids]:
    """Token ids, (n, longest), and 1 where they are no padding."""
    ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, text in enumerate(tokens):
        ids[row, : len(text)] = text
        mask[row, : len(text)] = 1
    return ids, mask


def _session_options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # every batch has a length of its own: plans would only pile up
    options.log_severity_level = 4
    return options
