"""A GGUF file on this machine as a Generator, run by llama.cpp in this process.

    conversation ─► pieces ─► tokens (prompt_tokens) ─► bytes (llama_native) ─► text

All native work runs on one thread of the generator's own, so that the caller's thread hears Ctrl-C while a graph is
being computed; a stop is noticed between two nodes of the graph.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from queue import SimpleQueue
from typing import TypeVar

from mixrag_cli.errors import PromptTooLong
from mixrag_cli.generator import FinishReason, Message, Reply, Request
from mixrag_cli.models.chat_template import Render, family_of, family_render
from mixrag_cli.models.devices import Placement
from mixrag_cli.models.gguf_file import GgufHeader, file_fingerprint
from mixrag_cli.models.llama_native import NativeModel, load_model, sandboxed_template
from mixrag_cli.models.prompt_tokens import PromptTokens
from mixrag_cli.models.reply_text import ReplyText

Result = TypeVar("Result")


class LlamaGenerator:
    """A GGUF model as a Generator. device: where its layers lie, as people are told."""

    binds_schema = True

    def __init__(
        self,
        header: GgufHeader,
        *,
        context_tokens: int,
        threads: int = 0,
        placement: Placement | None = None,
        chat_template: str = "auto",
    ) -> None:
        """Load the model. Raises ModelUnusable.

        threads: 0 for as many as pay. placement: of its layers, None for the processor alone. chat_template: "auto"
        for the file's own, else a family's name.
        """
        self.name = f"{header.path.name}/{file_fingerprint(header.path)}"
        placement = placement or Placement(0, header.layers + 1)
        self._thread = ThreadPoolExecutor(1, "mixrag-llama")
        self._finish: FinishReason | None = None
        self._closed = False
        if trained := header.context_length:
            context_tokens = min(context_tokens, trained)
        try:
            self._model = self._run(lambda: load_model(header, context_tokens, threads, placement.layers))
        except BaseException:
            self._thread.shutdown(wait=False)
            raise
        self.context_tokens = self._model.context_tokens
        self.device = str(replace(placement, layers=self._model.gpu_layers))
        self._render, self.chat_template = _choose_template(self._model, chat_template)
        self._tokens = PromptTokens(self._model, self._render)

    def reply(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:
        """The reply to one request; see Generator.reply."""
        started = time.monotonic()
        self._finish = None
        prompt = self._run(lambda: self._tokens.of_conversation(request.messages))
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
        return len(self._run(lambda: self._tokens.of_text(text)))

    def count_prompt_tokens(self, messages: Sequence[Message]) -> int:
        """How many tokens the messages take as a prompt, template included."""
        return len(self._run(lambda: self._tokens.of_conversation(messages)))

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


def _choose_template(model: NativeModel, wanted: str) -> tuple[Render, str]:
    """What renders conversations, and its name: the file's own in a sandbox, or a family's."""
    own = model.key("tokenizer.chat_template")
    if wanted == "auto" and own:
        return sandboxed_template(own, model), "embedded"
    name = wanted if wanted != "auto" else family_of(lambda mark: len(model.tokenize(mark, special=True)) == 1)
    return family_render(name), name
