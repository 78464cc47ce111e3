"""A tiny llama with random weights and a real byte-level BPE tokenizer, written as a GGUF file that llama.cpp loads.

What it says is noise, but everything around the saying is real: loading, templates, special tokens, grammars,
streaming, cancelling, running out of context. Greedy replies are the same on every run with the same seed.

Its one trained habit: dimension 0 of every embedding is a constant, so column 0 of the output layer adds a fixed
amount to a token's logit. ENDING_TOKENS get some, so that strings and replies end in reasonable time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
# Of all template families, so that one vocabulary serves them all; BOS and EOS first.
CONTROL_TOKENS = (
    "<s>",
    "</s>",
    "<|im_start|>",
    "<|im_end|>",
    "<|begin_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
    "[INST]",
    "[/INST]",
    "<start_of_turn>",
    "<end_of_turn>",
)
NEVER = -20.0  # logits: marks do not come by chance, or the several that end a turn would end every reply
ENDING_TOKENS = ('"', "}", "]", '",', "<|im_end|>")
WORDS_OF_VOCABULARY = 4_000
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, BYTE = 1, 2, 3, 4, 6  # token types of the format


@cache
def trained_vocabulary(size: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tokens and merges of a byte-level BPE trained on the words of the bundled embedder's vocabulary."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    from mixrag_cli.models.bundled import bundled_folder

    words = [
        word
        for word in json.loads((bundled_folder() / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
        if word.isalpha()
    ]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    # The commonest words stand first in that vocabulary; JSON's joints are taught as text that recurs.
    frequent = (" ".join(words[:WORDS_OF_VOCABULARY]) + ' {"answer": "a", "value": 1}' * 50,)
    tokenizer.train_from_iterator(frequent, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    tokens = tuple(sorted(model["vocab"], key=model["vocab"].get))
    return tokens, tuple(" ".join(merge) for merge in model["merges"])


def build_tiny_gguf(
    path: Path,
    *,
    seed: int = 0,
    chat_template: str | None = CHATML,
    context_length: int = 4096,
    vocabulary: int = 1_000,
    width: int = 64,
    layers: int = 2,
    ending_bias: float = 6.0,
    tokenizer: Literal["bpe", "spm"] = "bpe",
    user_defined: Sequence[str] = (),
    metadata: Mapping[str, str] | None = None,
) -> Path:
    """Write the model to the path, about 1 MB, and return the path.

    chat_template: None embeds none. ending_bias: how much likelier ENDING_TOKENS are than chance makes them, in
    logits; 0 for a model that hardly ever ends. tokenizer: "spm" for SentencePiece with the same words.
    user_defined: marks that are not control tokens but user-defined ones, as some files have them. metadata: more
    strings for the file's header.
    """
    import gguf

    tokens, merges = trained_vocabulary(vocabulary)
    if tokenizer == "spm":
        tokens = _to_spm(tokens)
    marks = [*CONTROL_TOKENS, *(each for each in user_defined if each not in CONTROL_TOKENS)]
    every = [*tokens, *marks]
    place = {token: index for index, token in enumerate(every)}
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(context_length)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(2 * width)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // 4)
    writer.add_vocab_size(len(every))
    writer.add_token_list(every)
    writer.add_token_types(
        [_kind(token) for token in tokens] + [USER_DEFINED if mark in user_defined else CONTROL for mark in marks]
    )
    if tokenizer == "spm":
        writer.add_tokenizer_model("llama")
        writer.add_token_scores([-float(index) for index in range(len(every))])
        writer.add_unk_token_id(0)
    else:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_merges(merges)
    writer.add_bos_token_id(place["<s>"])
    writer.add_eos_token_id(place["<|im_end|>"])
    writer.add_add_bos_token(False)
    if chat_template is not None:
        writer.add_chat_template(chat_template)
    for key, value in (metadata or {}).items():
        writer.add_string(key, value)
    for name, tensor in _random_weights(len(every), width, layers, seed).items():
        if name == "output.weight":
            tensor[:, 0] = 0.0
            tensor[len(tokens) :, 0] = NEVER / _constant_after_norm(width)
            tensor[[place[each] for each in ENDING_TOKENS if each in place], 0] = ending_bias / _constant_after_norm(
                width
            )
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _to_spm(tokens: Sequence[str]) -> tuple[str, ...]:
    """The vocabulary in SentencePiece's form: bytes first, then the pieces that are whole characters."""
    pieces = [token.replace("\u0120", "\u2581") for token in tokens if token.replace("\u0120", "").isascii()]
    return ("<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *dict.fromkeys(["\u2581", *pieces]))


def _kind(token: str) -> int:
    return UNKNOWN if token == "<unk>" else BYTE if token.startswith("<0x") else NORMAL


CONSTANT = 4.0  # of dimension 0, against a spread of 1 in the others


def _constant_after_norm(width: int) -> float:
    """About what the last norm leaves of dimension 0."""
    return CONSTANT / float(np.sqrt((CONSTANT**2 + width - 1) / width))


def _random_weights(n_tokens: int, width: int, layers: int, seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)

    def matrix(rows: int, columns: int) -> np.ndarray:
        return (random.standard_normal((rows, columns)) / np.sqrt(columns)).astype(np.float32)

    embedding = random.standard_normal((n_tokens, width)).astype(np.float32)
    embedding[:, 0] = CONSTANT
    weights = {"token_embd.weight": embedding}
    for layer in range(layers):
        block = {
            "attn_q": matrix(width, width),
            "attn_k": matrix(width // 2, width),
            "attn_v": matrix(width // 2, width),
            "attn_output": matrix(width, width),
            "ffn_gate": matrix(2 * width, width),
            "ffn_up": matrix(2 * width, width),
            "ffn_down": matrix(width, 2 * width),
        }
        for name in ("attn_output", "ffn_down"):
            block[name][0] = 0.0  # nothing is added to dimension 0
        block |= {"attn_norm": np.ones(width, np.float32), "ffn_norm": np.ones(width, np.float32)}
        weights |= {f"blk.{layer}.{name}.weight": tensor for name, tensor in block.items()}
    return weights | {"output_norm.weight": np.ones(width, np.float32), "output.weight": 2.0 * matrix(n_tokens, width)}


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model with a chatml template; the test is skipped where llama.cpp or the writer is not installed."""
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed")
    pytest.importorskip("gguf", reason="the package gguf is not installed")
    return build_tiny_gguf(tmp_path_factory.mktemp("model") / "tiny.gguf")
