"""llama.cpp itself: a GGUF file loaded, its tokenizer, one reply decoded and sampled, its log kept from the streams.

    tokens ─► what the context already holds is kept ─► decode ─► sample ─► bytes

The low-level functions are used and not the Llama class, which swaps sys.stdout while it loads, allows control
characters in JSON strings and passes a grammar that does not parse on as a null pointer.
"""

from __future__ import annotations

import ctypes
import json
import os
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, cast

# Read when the library is loaded. OpenMP's threads wait by spinning otherwise: beside other work on the same cores a
# tiny model took 25 times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import llama_cpp.llama_cpp as native
import numpy as np
from llama_cpp import _ggml
from llama_cpp.llama_chat_format import Jinja2ChatFormatter
from llama_cpp.llama_grammar import json_schema_to_gbnf

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.generator import FinishReason, Request
from mixrag_cli.models.chat_template import Render
from mixrag_cli.models.devices import Device, Kind
from mixrag_cli.models.gguf_file import GgufHeader
from mixrag_cli.models.machine import physical_cores, usable_cores
from mixrag_cli.models.schema_grammar import bindable_schema, sound_grammar

BATCH = 512  # tokens a decode call, llama.cpp's own default
# Sampling where the temperature is above 0: llama.cpp's defaults.
TOP_K, TOP_P, MIN_P = 40, 0.95, 0.05
SPECIAL_ATTRIBUTES = (
    native.LLAMA_TOKEN_ATTR_CONTROL | native.LLAMA_TOKEN_ATTR_USER_DEFINED | native.LLAMA_TOKEN_ATTR_UNKNOWN
)
DEVICE_KINDS: dict[int, Kind] = {1: "gpu", 2: "igpu"}  # GGML_BACKEND_DEVICE_TYPE_GPU and _IGPU
PIECE_BYTES = 512  # the longest token of any known vocabulary has some hundred
LOG_LINES = 50

_log: deque[str] = deque(maxlen=LOG_LINES)


@native.llama_log_callback  # type: ignore[untyped-decorator]
def _keep_log(level: int, text: bytes, _: Any) -> None:
    _log.append(text.decode("utf-8", "replace"))


def native_log() -> str:
    """The last lines that llama.cpp logged; they are shown to nobody else."""
    return "".join(_log)


class _Stopped(Exception):
    """A decode was given up in its midst."""


class NativeModel:
    """Model, context and sampler. Not thread-safe: only the generator's own thread calls it after loading.

    bos: the token that begins a text, -1 where there is none; begins_with_bos: whether a prompt has to begin with it.
    is_sentence_piece: whether the tokenizer puts a blank before a text. candidates: room for one row of logits.
    gpu_layers: on the devices that llama.cpp chooses.
    """

    def __init__(self, header: GgufHeader, context_tokens: int, threads: int, gpu_layers: int) -> None:
        _start_backend()
        self.gpu_layers = gpu_layers
        self._model = self.context = None
        settings = native.llama_model_default_params()  # maps the file into memory
        settings.n_gpu_layers = gpu_layers
        nowhere = (ctypes.c_void_p * 1)(None)  # an empty list: with no layers there, no device is opened at all
        if not gpu_layers:
            settings.devices = ctypes.cast(nowhere, ctypes.c_void_p)
        self._model = native.llama_model_load_from_file(str(header.path).encode("utf-8", "surrogateescape"), settings)
        if not self._model:
            raise ModelUnusable(
                f"model file {header.path}: damaged, or of a kind that the installed llama.cpp does not know",
                "mixrag models verify, or pip install --upgrade llama-cpp-python",
            )
        if native.llama_model_has_encoder(self._model) or not native.llama_model_has_decoder(self._model):
            self.close()
            raise ModelUnusable(f"model file {header.path}: not a model that writes text", "mixrag models list")
        self.vocabulary = native.llama_model_get_vocab(self._model)
        self.n_vocabulary = native.llama_vocab_n_tokens(self.vocabulary)
        self.bos = int(native.llama_vocab_bos(self.vocabulary))
        self.begins_with_bos = bool(native.llama_vocab_get_add_bos(self.vocabulary))
        self.is_sentence_piece = bool(native.llama_vocab_type(self.vocabulary) == native.LLAMA_VOCAB_TYPE_SPM)
        self._should_stop: Callable[[], object] = lambda: None
        self._abort = native.ggml_abort_callback(lambda _: bool(self._should_stop()))
        self.context = self._open_context(context_tokens, threads)
        if not self.context:
            self.close()
            raise ModelUnusable(
                f"model file {header.path}: no memory for a window of {context_tokens:,} tokens",
                "mixrag config set context_tokens 4096",
            )
        self._held: list[int] = []  # the tokens whose keys and values the context holds
        self.candidates = np.zeros(
            self.n_vocabulary, dtype=np.dtype([("id", np.intc), ("logit", np.single), ("p", np.single)], align=True)
        )

    def _open_context(self, context_tokens: int, threads: int) -> Any:
        settings = native.llama_context_default_params()
        settings.n_ctx = context_tokens
        settings.n_batch = min(BATCH, context_tokens)
        settings.n_ubatch = min(BATCH, context_tokens)
        settings.n_threads = threads or physical_cores()
        settings.n_threads_batch = threads or usable_cores()  # a prompt is computed, not waited for
        settings.no_perf = True
        settings.offload_kqv = settings.op_offload = bool(self.gpu_layers)
        settings.abort_callback = self._abort
        return native.llama_init_from_model(self._model, settings)

    def close(self) -> None:
        """Free the model's memory."""
        if self.context:
            native.llama_free(self.context)
        if self._model:
            native.llama_model_free(self._model)
        self._model = self.context = None

    @property
    def context_tokens(self) -> int:
        """How many tokens the window holds."""
        return int(native.llama_n_ctx(self.context))

    def key(self, name: str) -> str | None:
        """A text of the file's header."""
        length = native.llama_model_meta_val_str(self._model, name.encode(), None, 0)
        if length < 0:
            return None
        buffer = ctypes.create_string_buffer(length + 1)
        native.llama_model_meta_val_str(self._model, name.encode(), buffer, length + 1)
        return buffer.value.decode("utf-8", "replace")

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """The text's tokens; with special, marks in it become the tokens that they name."""
        raw = text.encode("utf-8", "replace")
        room = len(raw) + 16
        tokens = (native.llama_token * room)()
        n_tokens = native.llama_tokenize(self.vocabulary, raw, len(raw), tokens, room, False, special)
        if n_tokens < 0:
            raise ModelUnusable("the model's tokenizer fails")
        return list(tokens[:n_tokens])

    def token_bytes(self, token: int, *, special: bool = False) -> bytes:
        """The token's bytes, which may be part of a character; of a special token only with special."""
        buffer = ctypes.create_string_buffer(PIECE_BYTES)
        length = native.llama_token_to_piece(self.vocabulary, token, buffer, PIECE_BYTES, 0, special)
        if length < 0:
            buffer = ctypes.create_string_buffer(-length)
            length = native.llama_token_to_piece(self.vocabulary, token, buffer, -length, 0, special)
        return buffer.raw[: max(length, 0)]

    def is_special(self, token: int) -> bool:
        """Whether the vocabulary sets the token apart from plain text."""
        return bool(native.llama_vocab_get_attr(self.vocabulary, token) & SPECIAL_ATTRIBUTES)

    def generate(
        self,
        prompt: Sequence[int],
        request: Request,
        should_stop: Callable[[], FinishReason | None],
        on_bytes: Callable[[bytes], bool],
    ) -> tuple[FinishReason, int]:
        """Why it ended, and how many tokens were made. on_bytes: told each token's bytes; True ends the reply."""
        self._should_stop = should_stop
        sampler = _Sampler(self, request)
        n_made = 0
        try:
            self._decode(self._keep_common_head(prompt))
            while n_made < request.max_tokens:
                if reason := should_stop():
                    return reason, n_made
                token = sampler.sample()
                if native.llama_vocab_is_eog(self.vocabulary, token):
                    return "stop", n_made
                n_made += 1
                if on_bytes(self.token_bytes(token)):
                    return "stop", n_made
                if n_made < request.max_tokens:
                    self._decode([token])
            return "length", n_made
        except _Stopped:
            return should_stop() or "cancelled", n_made
        finally:
            sampler.close()

    def logits(self) -> np.ndarray[Any, np.dtype[np.single]]:
        """(n_vocabulary,) float32 for the next token; the context's own memory, valid until the next decode."""
        return np.ctypeslib.as_array(native.llama_get_logits_ith(self.context, -1), shape=(self.n_vocabulary,))

    def _keep_common_head(self, prompt: Sequence[int]) -> Sequence[int]:
        """Forget what the context holds beyond the prompt's head; what is left to decode, at least one token."""
        n_common = 0
        for held, wanted in zip(self._held, prompt[:-1], strict=False):
            if held != wanted:
                break
            n_common += 1
        memory = native.llama_get_memory(self.context)
        if not native.llama_memory_seq_rm(memory, 0, n_common, -1):  # kinds of models that keep no single tokens
            native.llama_memory_clear(memory, True)
            n_common = 0
        del self._held[n_common:]
        return prompt[n_common:]

    def _decode(self, tokens: Sequence[int]) -> None:
        for start in range(0, len(tokens), BATCH):
            part = tokens[start : start + BATCH]
            array = (native.llama_token * len(part))(*part)
            status = native.llama_decode(self.context, native.llama_batch_get_one(array, len(part)))
            if status == 2 or (status and self._should_stop()):
                raise _Stopped
            if status:
                raise ModelUnusable(f"the model failed while it computed (status {status})", "mixrag doctor --model")
            self._held += part


class _Sampler:
    """Picks the next token, bound to a grammar where the request has a schema.

    The grammar judges the one token that was picked, and only where that does not fit the whole vocabulary: judging
    all of it each time would cost more than the model does.
    """

    def __init__(self, model: NativeModel, request: Request) -> None:
        self._model = model
        self._grammar = None
        if request.schema is not None:
            grammar = _schema_to_grammar(json.dumps(request.schema))
            self._grammar = native.llama_sampler_init_grammar(model.vocabulary, grammar.encode(), b"root")
            if not self._grammar:
                raise ValueError(f"no grammar for the schema: {native_log()[-300:]}")
        self._chain = native.llama_sampler_chain_init(native.llama_sampler_chain_default_params())
        for link in _links(request):
            native.llama_sampler_chain_add(self._chain, link)

    def sample(self) -> int:
        token = int(native.llama_sampler_sample(self._chain, self._model.context, -1))
        if self._grammar:
            if not self._fits(token):
                token = self._sample_fitting()
            native.llama_sampler_accept(self._grammar, token)
        return token

    def close(self) -> None:
        native.llama_sampler_free(self._chain)
        if self._grammar:
            native.llama_sampler_free(self._grammar)

    def _fits(self, token: int) -> bool:
        one = native.llama_token_data(id=token, logit=1.0, p=0.0)
        array = native.llama_token_data_array(ctypes.pointer(one), 1, -1, False)
        native.llama_sampler_apply(self._grammar, ctypes.byref(array))
        return bool(one.logit != -np.inf)

    def _sample_fitting(self) -> int:
        candidates = self._model.candidates
        candidates["id"] = np.arange(len(candidates))
        candidates["logit"] = self._model.logits()
        data = candidates.ctypes.data_as(native.llama_token_data_p)
        array = native.llama_token_data_array(data, len(candidates), -1, False)
        native.llama_sampler_apply(self._grammar, ctypes.byref(array))
        native.llama_sampler_apply(self._chain, ctypes.byref(array))
        return int(array.data[array.selected].id)


def _links(request: Request) -> list[Any]:
    if request.temperature <= 0:
        return [native.llama_sampler_init_greedy()]
    return [
        native.llama_sampler_init_top_k(TOP_K),
        native.llama_sampler_init_top_p(TOP_P, 1),
        native.llama_sampler_init_min_p(MIN_P, 1),
        native.llama_sampler_init_temp(request.temperature),
        native.llama_sampler_init_dist(request.seed),
    ]


@lru_cache(maxsize=32)
def _schema_to_grammar(schema: str) -> str:
    """The grammar of a schema in JSON. Raises ValueError for one that no grammar can bind."""
    try:
        return sound_grammar(json_schema_to_gbnf(json.dumps(bindable_schema(json.loads(schema)))))
    except (AssertionError, KeyError, TypeError) as error:  # how the converter says no
        raise ValueError(f"a grammar cannot bind {schema[:200]}") from error


def load_model(header: GgufHeader, context_tokens: int, threads: int, gpu_layers: int) -> NativeModel:
    """The model with as many of the layers on the GPU as it takes, fewer where its memory turns out too small."""
    while True:
        try:
            return NativeModel(header, context_tokens, threads, gpu_layers)
        except ModelUnusable:
            if not gpu_layers:
                raise
            gpu_layers //= 2


def sandboxed_template(template: str, model: NativeModel) -> Render:
    """A file's own chat template, rendered by Jinja in a sandbox."""

    def text_of(token: int) -> str:
        return model.token_bytes(token, special=True).decode("utf-8", "replace") if token >= 0 else ""

    eos, bos = (text_of(find(model.vocabulary)) for find in (native.llama_vocab_eos, native.llama_vocab_bos))

    @cache
    def formatter() -> Jinja2ChatFormatter:
        return Jinja2ChatFormatter(template=template, eos_token=eos, bos_token=bos)

    # A thinking model would spend the reply on its thoughts; templates that know no such switch ignore it.
    return lambda turns: str(formatter()(messages=cast(Any, turns), enable_thinking=False).prompt)


@cache
def _start_backend() -> None:
    native.llama_log_set(_keep_log, ctypes.c_void_p(0))
    native.llama_backend_init()


def offered_devices() -> list[Device]:
    """The devices that this build of llama.cpp finds to compute on, beside the processor."""
    _start_backend()
    library = _ggml.libggml
    for name, result, arguments in (
        ("count", ctypes.c_size_t, []),
        ("get", ctypes.c_void_p, [ctypes.c_size_t]),
        ("type", ctypes.c_int, [ctypes.c_void_p]),
        ("name", ctypes.c_char_p, [ctypes.c_void_p]),
        ("description", ctypes.c_char_p, [ctypes.c_void_p]),
        ("memory", None, [ctypes.c_void_p, *[ctypes.POINTER(ctypes.c_size_t)] * 2]),
    ):
        function = getattr(library, f"ggml_backend_dev_{name}")
        function.restype, function.argtypes = result, arguments
    handles = [library.ggml_backend_dev_get(number) for number in range(library.ggml_backend_dev_count())]
    kinds = [(DEVICE_KINDS.get(library.ggml_backend_dev_type(handle)), handle) for handle in handles]
    return [_described(handle, kind) for kind, handle in kinds if kind is not None]


def _described(handle: int, kind: Kind) -> Device:
    library = _ggml.libggml
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    library.ggml_backend_dev_memory(handle, ctypes.byref(free), ctypes.byref(total))
    name, description = (
        (getattr(library, f"ggml_backend_dev_{part}")(handle) or b"").decode("utf-8", "replace")
        for part in ("name", "description")
    )
    return Device(name, description, kind, free.value, total.value)
