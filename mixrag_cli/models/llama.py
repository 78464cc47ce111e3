"""A GGUF file on this machine as a Generator, run by llama.cpp in this process.

    conversation ─► pieces ─► tokens ─► what the context already holds is kept ─► decode ─► sample ─► bytes ─► text

All native work runs on one thread of the generator's own, so that the caller's thread hears Ctrl-C while a graph is
being computed; a stop is noticed between two nodes of the graph. The low-level functions are used and not the Llama
class, which swaps sys.stdout while it loads, allows control characters in JSON strings and passes a grammar that does
not parse on as a null pointer.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from queue import SimpleQueue
from typing import Any, TypeVar, cast

# Read when the library is loaded. OpenMP's threads wait by spinning otherwise: beside other work on the same cores a
# tiny model took 25 times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import llama_cpp.llama_cpp as native
import numpy as np
from llama_cpp import _ggml
from llama_cpp.llama_chat_format import Jinja2ChatFormatter
from llama_cpp.llama_grammar import json_schema_to_gbnf

from mixrag_cli.errors import ModelUnusable, PromptTooLong
from mixrag_cli.generator import FinishReason, Message, Reply, Request
from mixrag_cli.models.chat_template import Render, conversation_to_pieces, family_of, family_render
from mixrag_cli.models.gguf_file import GgufHeader, file_fingerprint
from mixrag_cli.models.machine import physical_cores, usable_cores
from mixrag_cli.models.reply_text import ReplyText
from mixrag_cli.models.schema_grammar import bindable_schema, sound_grammar

BATCH = 512  # tokens a decode call, llama.cpp's own default
GPU_RESERVE_BYTES = 800_000_000  # graph buffers and what the desktop needs; llama.cpp's own fitting leaves 1 GiB
# Sampling where the temperature is above 0: llama.cpp's defaults.
TOP_K, TOP_P, MIN_P = 40, 0.95, 0.05
PIECE_BYTES = 512  # the longest token of any known vocabulary has some hundred
LOG_LINES = 50
SPM_SENTINEL = "\n"  # a token of its own in every SentencePiece vocabulary
MARK = re.compile(r"[<\[].+[>\]]", re.DOTALL)

Result = TypeVar("Result")

_log: deque[str] = deque(maxlen=LOG_LINES)


@native.llama_log_callback  # type: ignore[untyped-decorator]
def _keep_log(level: int, text: bytes, _: Any) -> None:
    _log.append(text.decode("utf-8", "replace"))


def native_log() -> str:
    """The last lines that llama.cpp logged; they are shown to nobody else."""
    return "".join(_log)


class _Stopped(Exception):
    """A decode was given up in its midst."""


class _Native:
    """Model, context and sampler. Not thread-safe: only the generator's own thread calls it after loading."""

    def __init__(self, header: GgufHeader, context_tokens: int, threads: int, gpu_layers: int) -> None:
        _start_backend()
        self._model = self._context = None
        settings = native.llama_model_default_params()  # maps the file into memory
        settings.n_gpu_layers = gpu_layers
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
        self._should_stop: Callable[[], object] = lambda: None
        self._abort = native.ggml_abort_callback(lambda _: bool(self._should_stop()))
        self._context = self._open_context(context_tokens, threads)
        if not self._context:
            self.close()
            raise ModelUnusable(
                f"model file {header.path}: no memory for a window of {context_tokens:,} tokens",
                "mixrag config set context_tokens 4096",
            )
        self._held: list[int] = []  # the tokens whose keys and values the context holds
        self._candidates = np.zeros(
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
        settings.abort_callback = self._abort
        return native.llama_init_from_model(self._model, settings)

    def close(self) -> None:
        if self._context:
            native.llama_free(self._context)
        if self._model:
            native.llama_model_free(self._model)
        self._model = self._context = None

    @property
    def context_tokens(self) -> int:
        return int(native.llama_n_ctx(self._context))

    def key(self, name: str) -> str | None:
        """A text of the file's header."""
        length = native.llama_model_meta_val_str(self._model, name.encode(), None, 0)
        if length < 0:
            return None
        buffer = ctypes.create_string_buffer(length + 1)
        native.llama_model_meta_val_str(self._model, name.encode(), buffer, length + 1)
        return buffer.value.decode("utf-8", "replace")

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        raw = text.encode("utf-8", "replace")
        room = len(raw) + 16
        tokens = (native.llama_token * room)()
        n_tokens = native.llama_tokenize(self.vocabulary, raw, len(raw), tokens, room, False, special)
        if n_tokens < 0:
            raise ModelUnusable("the model's tokenizer fails")
        return list(tokens[:n_tokens])

    def token_bytes(self, token: int, *, special: bool = False) -> bytes:
        buffer = ctypes.create_string_buffer(PIECE_BYTES)
        length = native.llama_token_to_piece(self.vocabulary, token, buffer, PIECE_BYTES, 0, special)
        if length < 0:
            buffer = ctypes.create_string_buffer(-length)
            length = native.llama_token_to_piece(self.vocabulary, token, buffer, -length, 0, special)
        return buffer.raw[: max(length, 0)]

    def has_attribute(self, token: int, attributes: int) -> bool:
        return bool(native.llama_vocab_get_attr(self.vocabulary, token) & attributes)

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
        return np.ctypeslib.as_array(native.llama_get_logits_ith(self._context, -1), shape=(self.n_vocabulary,))

    @property
    def context(self) -> Any:
        return self._context

    @property
    def candidates(self) -> np.ndarray[Any, Any]:
        return self._candidates

    def _keep_common_head(self, prompt: Sequence[int]) -> Sequence[int]:
        """Forget what the context holds beyond the prompt's head; what is left to decode, at least one token."""
        n_common = 0
        for held, wanted in zip(self._held, prompt[:-1], strict=False):
            if held != wanted:
                break
            n_common += 1
        memory = native.llama_get_memory(self._context)
        if not native.llama_memory_seq_rm(memory, 0, n_common, -1):  # kinds of models that keep no single tokens
            native.llama_memory_clear(memory, True)
            n_common = 0
        del self._held[n_common:]
        return prompt[n_common:]

    def _decode(self, tokens: Sequence[int]) -> None:
        for start in range(0, len(tokens), BATCH):
            part = tokens[start : start + BATCH]
            array = (native.llama_token * len(part))(*part)
            status = native.llama_decode(self._context, native.llama_batch_get_one(array, len(part)))
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

    def __init__(self, model: _Native, request: Request) -> None:
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


class LlamaGenerator:
    """A GGUF model as a Generator."""

    binds_schema = True

    def __init__(
        self,
        header: GgufHeader,
        *,
        context_tokens: int,
        threads: int = 0,
        gpu_layers: int = -1,
        chat_template: str = "auto",
    ) -> None:
        """Load the model. Raises ModelUnusable.

        threads: 0 for as many as pay. gpu_layers: -1 for as many as fit. chat_template: "auto" for the file's own,
        else a family's name.
        """
        self.name = f"{header.path.name}/{file_fingerprint(header.path)}"
        self.gpu_layers = _fitting_gpu_layers(header, context_tokens) if gpu_layers < 0 else gpu_layers
        self._thread = ThreadPoolExecutor(1, "mixrag-llama")
        self._finish: FinishReason | None = None
        self._closed = False
        if trained := header.context_length:
            context_tokens = min(context_tokens, trained)
        try:
            self._model = self._run(lambda: _load(header, context_tokens, threads, self.gpu_layers))
        except BaseException:
            self._thread.shutdown(wait=False)
            raise
        self.context_tokens = self._model.context_tokens
        self._render, self.chat_template = _choose_template(self._model, chat_template)
        self._begins_with_bos = bool(native.llama_vocab_get_add_bos(self._model.vocabulary))
        self._bos = int(native.llama_vocab_bos(self._model.vocabulary))
        self._is_spm = native.llama_vocab_type(self._model.vocabulary) == native.LLAMA_VOCAB_TYPE_SPM

    def reply(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:
        """The reply to one request; see Generator.reply."""
        started = time.monotonic()
        self._finish = None
        prompt = self._run(lambda: self._prompt(request.messages))
        if len(prompt) + request.max_tokens > self.context_tokens:
            raise PromptTooLong(len(prompt), request.max_tokens, self.context_tokens)
        deadline = started + request.seconds if request.seconds else None

        def should_stop() -> FinishReason | None:
            if self._finish is None and deadline is not None and time.monotonic() > deadline:
                self._finish = "timeout"
            return self._finish

        text = ReplyText(request.stop)
        pieces: SimpleQueue[str | None] = SimpleQueue()

        def on_bytes(raw: bytes) -> bool:
            if piece := text.add(raw):
                pieces.put(piece)
            return text.is_over

        work = self._thread.submit(self._model.generate, prompt, request, should_stop, on_bytes)
        work.add_done_callback(lambda _: pieces.put(None))
        first_s = 0.0
        try:
            while (piece := pieces.get()) is not None:
                first_s = first_s or time.monotonic() - started
                if on_text:
                    on_text(piece)
            finish, n_made = work.result()
        except BaseException:
            self._finish = "cancelled"
            work.exception()  # it ends within a node of the graph; whoever calls next finds the model idle
            raise
        if (rest := text.finish()) and on_text:
            on_text(rest)
        return Reply(text.all, finish, len(prompt), n_made, time.monotonic() - started, first_s)

    def count_tokens(self, text: str) -> int:
        """How many tokens the text takes in a prompt."""
        return len(self._run(lambda: self._text_tokens(text)))

    def count_prompt_tokens(self, messages: Sequence[Message]) -> int:
        """How many tokens the messages take as a prompt, template included."""
        return len(self._run(lambda: self._prompt(messages)))

    def cancel(self) -> None:
        """Stop the reply in progress."""
        self._finish = "cancelled"

    def close(self) -> None:
        """Free the model's memory."""
        if not self._closed:
            self._closed = True
            self._finish = "cancelled"
            self._run(self._model.close)
            self._thread.shutdown()

    def _run(self, work: Callable[[], Result]) -> Result:
        return self._thread.submit(work).result()

    def _prompt(self, messages: Sequence[Message]) -> list[int]:
        tokens: list[int] = []
        for piece in conversation_to_pieces(messages, self._render):
            tokens += self._piece_tokens(piece.text, special=piece.is_markup, is_first=not tokens)
        if self._begins_with_bos and tokens[:1] != [self._bos]:
            tokens.insert(0, self._bos)
        return tokens

    def _text_tokens(self, text: str) -> list[int]:
        return self._piece_tokens(text, special=False, is_first=False)

    def _piece_tokens(self, text: str, *, special: bool, is_first: bool) -> list[int]:
        if not special:
            return [token for part in self._without_marks(text) for token in self._joint_tokens(part, special=False)]
        return self._model.tokenize(text, special=True) if is_first else self._joint_tokens(text, special=True)

    def _joint_tokens(self, text: str, *, special: bool) -> list[int]:
        """The tokens of a text that stands in the midst of a prompt: SentencePiece would put a blank before it."""
        if self._is_spm:
            head = self._model.tokenize(SPM_SENTINEL, special=False)
            tokens = self._model.tokenize(SPM_SENTINEL + text, special=special)
            if tokens[: len(head)] == head:
                return tokens[len(head) :]
        return self._model.tokenize(text, special=special)

    def _without_marks(self, text: str) -> list[str]:
        """The text in parts that hold no mark: tokens that a file calls user-defined are matched in plain text too."""
        marks = {mark for token in set(self._model.tokenize(text, special=False)) if (mark := self._mark(token))}
        if not marks:
            return [text]
        parts: list[str] = []
        for part in re.split("(" + "|".join(map(re.escape, sorted(marks, key=len, reverse=True))) + ")", text):
            parts += [part[:1], part[1:]] if part in marks else [part]
        return [whole for part in parts if part for whole in (self._without_marks(part) if len(part) > 1 else [part])]

    def _mark(self, token: int) -> str:
        """The text of a token that could pass for a template's own, "" of any other."""
        special = (
            native.LLAMA_TOKEN_ATTR_CONTROL | native.LLAMA_TOKEN_ATTR_USER_DEFINED | native.LLAMA_TOKEN_ATTR_UNKNOWN
        )
        if not self._model.has_attribute(token, special):
            return ""
        text = self._model.token_bytes(token, special=True).decode("utf-8", "replace")
        return text if MARK.fullmatch(text) else ""


def _load(header: GgufHeader, context_tokens: int, threads: int, gpu_layers: int) -> _Native:
    """The model with as many of the layers on the GPU as it takes, fewer where its memory turns out too small."""
    while True:
        try:
            return _Native(header, context_tokens, threads, gpu_layers)
        except ModelUnusable:
            if not gpu_layers:
                raise
            gpu_layers //= 2


def _choose_template(model: _Native, wanted: str) -> tuple[Render, str]:
    """What renders conversations, and its name: the file's own in a sandbox, or a family's."""
    own = model.key("tokenizer.chat_template")
    if wanted == "auto" and own:
        return _sandboxed(own, model), "embedded"
    name = wanted if wanted != "auto" else family_of(lambda mark: len(model.tokenize(mark, special=True)) == 1)
    return family_render(name), name


def _sandboxed(template: str, model: _Native) -> Render:
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


def _fitting_gpu_layers(header: GgufHeader, context_tokens: int) -> int:
    """How many layers the GPUs have memory for; 0 where there is none or the build uses none."""
    if not native.llama_supports_gpu_offload():
        return 0
    layers = header.layers + 1  # the output counts as one
    a_layer = (header.size_bytes + header.cache_bytes(context_tokens)) / layers
    return max(0, min(layers, int((_free_gpu_bytes() - GPU_RESERVE_BYTES) / a_layer)))


def _free_gpu_bytes() -> int:
    library = _ggml.libggml
    library.ggml_backend_dev_get.restype = ctypes.c_void_p
    library.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
    library.ggml_backend_dev_count.restype = ctypes.c_size_t
    sizes = ctypes.POINTER(ctypes.c_size_t)
    library.ggml_backend_dev_type.argtypes = [ctypes.c_void_p]
    library.ggml_backend_dev_memory.argtypes = [ctypes.c_void_p, sizes, sizes]
    found = 0
    for index in range(library.ggml_backend_dev_count()):
        device = library.ggml_backend_dev_get(index)
        if library.ggml_backend_dev_type(device) == 1:  # GGML_BACKEND_DEVICE_TYPE_GPU
            free, total = ctypes.c_size_t(), ctypes.c_size_t()
            library.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(total))
            found += free.value
    return found
