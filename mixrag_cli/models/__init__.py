"""Models: one protocol for what turns text into vectors, and the backends behind it; the backends of Generator.

    minilm                the bundled model, int8 in onnxruntime; nothing is downloaded
    reader                the bundled reader model, which reads question and passage together
    sentence_transformer  any sentence-transformers model that is already on this machine
    llama                 a GGUF file as a generator, run by llama.cpp in this process
    server                a server that speaks OpenAI's protocol as a generator

Backends are imported by load_embedder and load_generator only, since they take their time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.generator import Generator
from mixrag_cli.models.bundled import BUNDLED
from mixrag_cli.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from mixrag_cli.models.language import Pipeline
    from mixrag_cli.models.token_vectors import KeptTokens
    from mixrag_cli.reading import ReaderModel

EXTRA_HINT = 'pip install "mixrag[models]"'
PairScorer = Callable[[str, Sequence[str]], list[float]]  # a question and texts to a score a text


class Embedder(Protocol):
    """What turns texts into unit vectors whose dot product is their likeness.

    name: goes into the store; another name means other vectors. dim: length of a vector. window: the most tokens of a
    text that count, special tokens included. unusable: how many texts so far gave no finite vector; their rows are
    zeros, which are like nothing, so that only the word search finds them.
    """

    name: str
    dim: int
    window: int
    unusable: int

    def embed(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> npt.NDArray[np.float32]:
        """The texts' vectors in their order: (n, dim) float32, rows of length 1.

        on_batch: told after each batch how many texts it held.
        """
        ...

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """The vector of one question: (dim,) float32 of length 1."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> int:
        """How many tokens of the texts the model reads, special tokens apart."""
        ...


@runtime_checkable
class LateEmbedder(Embedder, Protocol):
    """An embedder whose token vectors serve late interaction, from the same run of the model.

    late_dim: length of a token's vector.
    """

    late_dim: int

    def embed_late(
        self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None
    ) -> tuple[npt.NDArray[np.float32], list[npt.NDArray[np.int8]]]:
        """The texts' vectors as embed gives them, and for each text its token vectors.

        Token vectors are (n_tokens, late_dim) int8: unit rows times 127, rounded.
        """
        ...

    def embed_query_late(self, text: str) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The vector of one question, (dim,), and of its tokens, (n_tokens, late_dim); float32, rows of length 1."""
        ...


def late_dim_of(embedder: Embedder) -> int:
    """The length of a token's vector, 0 where the embedder gives none."""
    return embedder.late_dim if isinstance(embedder, LateEmbedder) else 0


def load_embedder(settings: Settings, *, for_many: bool = False) -> Embedder:
    """The embedder that the settings name. for_many: thousands of texts are to come, for which a card pays.

    Raises ModelUnusable when the model is missing, damaged or not the pinned one, or needs the extra that is not here.
    """
    if settings.embedder == BUNDLED:
        from mixrag_cli.models.minilm import load_minilm

        return load_minilm(settings.threads, on_card=for_many and settings.device in ("auto", "cuda"))
    try:
        from mixrag_cli.models.sentence_transformer import load_sentence_transformer
    except ModuleNotFoundError as error:
        raise _extra_missing(settings.embedder) from error
    return load_sentence_transformer(
        settings.embedder, settings.device, settings.threads, window=settings.embedder_window
    )


def load_token_vectors(embedder: Embedder, settings: Settings) -> KeptTokens:
    """What gives the vectors of short texts' tokens: the embedder where it is the bundled model, else that beside it.

    Raises ModelUnusable when the bundled model is missing or damaged.
    """
    from mixrag_cli.models.minilm import MiniLM, load_minilm
    from mixrag_cli.models.token_vectors import KeptTokens

    return KeptTokens(embedder if isinstance(embedder, MiniLM) else load_minilm(settings.threads))


def load_reader(settings: Settings) -> ReaderModel:
    """The bundled reader model. Raises ModelUnusable when its files are missing, damaged or not the pinned ones."""
    from mixrag_cli.models import reader

    return reader.load_reader(settings.threads)


def passage_window(settings: Settings, embedder: Embedder) -> int:
    """The most tokens of a passage: what the embedder reads, or less where the settings say so."""
    return min(settings.passage_tokens or embedder.window, embedder.window)


def load_language(settings: Settings) -> Pipeline:
    """The spaCy pipeline that settings.nlp names. Raises ModelUnusable when it is missing, damaged or none."""
    try:
        from mixrag_cli.models.language import load_pipeline
    except ModuleNotFoundError as error:
        raise ModelUnusable(f"language pipeline {settings.nlp} needs spaCy", 'pip install "mixrag[nlp]"') from error
    return load_pipeline(settings.nlp)


def load_pair_scorer(settings: Settings) -> PairScorer:
    """The cross-encoder that settings.rerank names. Raises ModelUnusable when it is missing, damaged or none."""
    try:
        from mixrag_cli.models.sentence_transformer import CrossEncoderScorer
    except ModuleNotFoundError as error:
        raise _extra_missing(settings.rerank) from error
    return CrossEncoderScorer(settings.rerank, settings.device, settings.threads)


def _extra_missing(model: str) -> ModelUnusable:
    return ModelUnusable(f"model {model} needs sentence-transformers, which is not installed", EXTRA_HINT)


def require_generator(settings: Settings) -> Generator:
    """As load_generator; raises ModelUnusable also where the settings name none."""
    generator = load_generator(settings)
    if generator is None:
        raise ModelUnusable("no generator is set", "mixrag models list")
    return generator


def load_generator(settings: Settings) -> Generator | None:
    """The generator that the settings name, None where they name none: then the built-in reader answers alone.

    A GGUF file that was never opened before is tried in a child process first. A server is not asked anything yet.
    Raises ModelUnusable when there is no such model, it is damaged, memory does not suffice or the extra is missing.
    """
    if not settings.generator:
        return None
    if _is_server(settings.generator):
        from mixrag_cli.models.server import load_server

        return load_server(settings)
    try:
        from mixrag_cli.models.local_generator import load_local_generator
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("llama_cpp"):
            raise
        raise ModelUnusable("a model in a GGUF file needs llama-cpp-python", "pip install 'mixrag[llm]'") from error
    except (OSError, RuntimeError) as error:  # its native part: missing, or built for another machine
        again = "pip install --force-reinstall --no-cache-dir llama-cpp-python"
        raise ModelUnusable("llama-cpp-python is installed but does not load", again) from error
    return load_local_generator(settings)


def describe_generator(settings: Settings) -> dict[str, str]:
    """The generator that the settings name and the device that a file's layers would go to; {} where they name none.

    Loads no model. What could not be loaded is told by its name alone; the doctor says why.
    """
    if not settings.generator:
        return {}
    named = {"generator": settings.generator}
    if _is_server(settings.generator):
        return named
    try:
        from mixrag_cli.models.local_generator import plan_generator

        return {**named, "device": str(plan_generator(settings)[2])}
    except (ImportError, OSError, RuntimeError, ModelUnusable):
        return named


def _is_server(generator: str) -> bool:
    """Whether a generator is named by an address, else by a file."""
    return generator.lower().startswith(("http://", "https://"))
