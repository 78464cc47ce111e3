"""Vectors in few bits: what comes back is near to what went in, at any size, and the same on every machine."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest

from mixrag_cli.store.quantising import (
    code_bytes,
    decode_tokens,
    decode_vectors,
    encode_tokens,
    encode_vectors,
    tokens_as_kept,
    turning,
)


def unit_rows(seed: int, n: int, dim: int) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((n, dim)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("dim", [4, 7, 96, 100, 384])
def test_a_vector_keeps_its_direction_and_is_coded_alike_again(dim: int) -> None:
    vectors = unit_rows(1, 50, dim)
    decoded = decode_vectors(encode_vectors(vectors))
    assert (vectors * decoded).sum(axis=1).min() > 0.999
    assert np.allclose(np.linalg.norm(decoded, axis=1), 1, atol=1e-6)
    assert np.array_equal(encode_vectors(decoded), encode_vectors(vectors))
    assert np.array_equal(encode_vectors(vectors * 1e-3), encode_vectors(vectors))


def test_a_vector_without_direction_stays_zero() -> None:
    bad = np.array([[np.nan, 1, 0, 0], [np.inf, 1, 0, 0], [0, 0, 0, 0]], np.float32)
    assert not encode_vectors(bad).any()
    assert not decode_vectors(encode_vectors(bad)).any()
    assert encode_vectors(np.zeros((0, 4), np.float32)).shape == (0, 4)


@pytest.mark.parametrize("dim", [4, 7, 96, 100])
def test_tokens_that_differ_come_back_near_in_their_order(dim: int) -> None:
    turned = turning(dim)
    assert np.allclose(turned @ turned.T, np.eye(dim), atol=1e-6)
    # One axis alone is the hardest case without the turning: its level would be lost among ninety-five zeros.
    tokens = np.rint(np.concatenate([np.eye(dim)[:3], unit_rows(2, 20, dim)[:: max(1, 30 // dim)]]) * 127)
    codes = encode_tokens(tokens.astype(np.int8))
    assert codes.dtype == np.uint8
    assert codes.shape[1] == code_bytes(dim) == -(-dim // 4)
    if len(codes) == len(tokens):
        decoded = decode_tokens(codes, dim) / 127.0
        cosines = (decoded * tokens / np.linalg.norm(tokens, axis=1, keepdims=True)).sum(axis=1)
        assert cosines.mean() > (0.9 if dim > 16 else 0.8)


def test_tokens_that_say_the_same_are_kept_once() -> None:
    base = unit_rows(3, 6, 96)
    near = base[[0, 1, 2, 0, 3, 4, 5, 0]] + 0.01 * unit_rows(4, 8, 96)
    codes = encode_tokens(np.rint(near * 127).clip(-127, 127).astype(np.int8))
    assert len(codes) == 6
    decoded = decode_tokens(codes, 96) / 127.0
    assert (decoded * base).sum(axis=1).min() > 0.85
    assert encode_tokens(np.zeros((0, 96), np.int8)).shape == (0, 24)
    assert tokens_as_kept(np.zeros((0, 96), np.int8)).shape == (0, 96)


def test_a_store_is_read_alike_by_every_machine() -> None:
    """The turning is made of whole numbers; another value of one would make every store that there is unreadable."""
    found = {dim: sha256(np.rint(turning(dim) * 2**20).astype("<i4").tobytes()).hexdigest()[:16] for dim in (96, 384)}
    assert found == {96: "fcd4c43f4e0c8576", 384: "00188fe16c87f269"}
