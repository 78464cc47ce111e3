"""Tokens: the model's own tokenizer, alone. Reader processes count with it and load no model."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from tokenizers import Tokenizer

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.models.bundled import BUNDLED, WINDOW, tokenizer_file
from mixrag_cli.models.local import model_folder


def load_bundled_tokenizer() -> Tokenizer:
    """The bundled models' tokenizer: no padding, texts cut at WINDOW wordpieces, those added by the models counted in.

    There is one, which nobody changes: to read its file takes 0.02 s. Raises ModelUnusable when it is missing or not
    the pinned one.
    """
    return _cutting_tokenizer(tokenizer_file())


@lru_cache(maxsize=1)
def _cutting_tokenizer(path: Path) -> Tokenizer:
    tokenizer = _read_tokenizer(path)
    tokenizer.enable_truncation(WINDOW)
    return tokenizer


@lru_cache(maxsize=2)
def load_token_counter(embedder: str = BUNDLED) -> Callable[[str], int]:
    """A function from a text to the number of its tokens, special tokens not counted, nothing cut off.

    embedder: as in the settings. Raises ModelUnusable when the model's tokenizer cannot be had.
    """
    tokenizer = _read_tokenizer(tokenizer_file() if embedder == BUNDLED else model_folder(embedder) / "tokenizer.json")

    def count_tokens(text: str) -> int:
        return len(tokenizer.encode(encodable(text), add_special_tokens=False))

    return count_tokens


def encodable(text: str) -> str:
    """The text with lone surrogates, which no tokenizer takes, replaced by question marks."""
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


def _read_tokenizer(path: Path) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_buffer(path.read_bytes())
    except Exception as error:  # the library raises the bare class
        raise ModelUnusable(f"tokenizer file {path} is missing or damaged") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
