"""Vectors in few bits: a passage's own in one byte an axis, those of its tokens in two bits an axis and fewer tokens.

Nothing here is fitted to a model or to a collection, so that a store's vectors mean the same wherever it is read.
- A passage's vector has length 1, so its direction in whole steps is all of it.
- Tokens of a passage that say nearly the same are kept as one, the direction of their sum. Then each is turned by a
  fixed orthogonal matrix of signs, which makes its axes alike and nearly normal, and each axis is kept as one of the
  four levels of least squared error for a normal variable.
  Sources: Max, Quantizing for minimum distortion, IRE 1960, table I; Ailon & Chazelle, the fast Johnson-Lindenstrauss
  transform, STOC 2006, for the turning; Clavie et al., token pooling, 2024, for the merging.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

STEPS = 127  # of an axis of a passage's vector, either side of zero
# Tokens of one passage at this cosine or above are kept as one: with two bits an axis 15 bytes a token, 96 before.
# nDCG@10 against eight bits and no merging, 250 questions each: FinQA .874 for .876 fused, .871 for .877 late
# interaction alone; HetDocQA .907 for .908, .902 for .903. At .9 it is 16 bytes and no better, at .85 14 and FinQA
# alone .864 (tests/benchmarks/token_bits.py).
MERGED_COSINE = 0.87
LEVELS = np.array([-1.510, -0.4528, 0.4528, 1.510], np.float32)  # of a variable of variance 1
CUTS = np.array([-0.9816, 0.0, 0.9816], np.float32)
AXES_A_BYTE = 4
TINY = 1e-9

Vectors = npt.NDArray[np.float32]
VectorCodes = npt.NDArray[np.int8]
TokenVectors = npt.NDArray[np.int8]
TokenCodes = npt.NDArray[np.uint8]


def encode_vectors(vectors: Vectors) -> VectorCodes:
    """Each row's direction in whole steps: (n, dim) int8; zeros for a row without direction (zero, NaN, infinite).

    A row that was decoded comes back as the same steps.
    """
    known = np.where(np.isfinite(vectors).all(axis=1, keepdims=True), vectors, np.float32(0))
    largest = np.abs(known).max(axis=1, keepdims=True, initial=0.0)
    return np.rint(known * (STEPS / np.where(largest > TINY, largest, np.inf))).astype(np.int8)


def decode_vectors(codes: VectorCodes) -> Vectors:
    """The vectors of the codes: (n, dim) float32, rows of length 1, or zeros where there was no direction."""
    return _unit_rows(codes.astype(np.float32))


def vectors_as_kept(vectors: Vectors) -> Vectors:
    """The vectors as a store gives them back: (n, dim) float32."""
    return decode_vectors(encode_vectors(vectors))


def encode_tokens(tokens: TokenVectors) -> TokenCodes:
    """A passage's token vectors, (n, dim) int8 rows of any length, in code: (n or fewer, bytes) uint8."""
    rows = _unit_rows(tokens.astype(np.float32))
    if not len(rows):
        return np.zeros((0, code_bytes(tokens.shape[1])), np.uint8)
    dim = rows.shape[1]
    turned = _merge_near(rows) @ turning(dim) * np.float32(np.sqrt(dim))
    levels = np.zeros((len(turned), code_bytes(dim) * AXES_A_BYTE), np.uint8)
    levels[:, :dim] = np.searchsorted(CUTS, turned)
    four = levels.reshape(len(turned), -1, AXES_A_BYTE)
    codes = four[..., 0] | four[..., 1] << 2 | four[..., 2] << 4 | four[..., 3] << 6
    return codes.astype(np.uint8)


def decode_tokens(codes: TokenCodes, dim: int) -> TokenVectors:
    """The token vectors of the codes: (n, dim) int8, rows of length 1 times 127."""
    if not len(codes):
        return np.zeros((0, dim), np.int8)
    turned = _level_of_byte()[codes].reshape(len(codes), -1)[:, :dim]
    return np.rint(_unit_rows(turned @ turning(dim).T) * STEPS).astype(np.int8)


def tokens_as_kept(tokens: TokenVectors) -> TokenVectors:
    """A passage's token vectors as a store gives them back."""
    return decode_tokens(encode_tokens(tokens), tokens.shape[1])


def code_bytes(dim: int) -> int:
    """Bytes that the code of one token takes."""
    return -(-dim // AXES_A_BYTE)


def _merge_near(rows: Vectors) -> Vectors:
    """The rows with each group of near ones as one; a row joins the first one that it is near to."""
    near = np.argmax(rows @ rows.T >= MERGED_COSINE, axis=1)
    first = near[near]  # who joined one that itself has joined goes along
    groups, group_of = np.unique(np.minimum(first, np.arange(len(rows))), return_inverse=True)
    if len(groups) == len(rows):
        return rows
    order = np.argsort(group_of, kind="stable")
    starts = np.searchsorted(group_of[order], np.arange(len(groups)))
    return _unit_rows(np.add.reduceat(rows[order], starts, axis=0))


def _unit_rows(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = rows / np.maximum(lengths, np.float32(TINY))
    return unit


@lru_cache(maxsize=4)
def turning(dim: int) -> Vectors:
    """An orthogonal (dim, dim) matrix that every machine makes alike: signs, Hadamard blocks, a shuffle, twice."""
    block = dim & -dim  # the largest power of two in dim
    hadamard = np.array([[1]])
    while len(hadamard) < block:
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
    blocks = np.kron(np.eye(dim // block, dtype=np.int64), hadamard)
    number, drawn = 1, []
    for _ in range(dim):  # the minimal standard generator of Park & Miller, in whole numbers
        number = number * 48_271 % 2_147_483_647
        drawn.append(number)
    signs = np.where(np.array(drawn) % 2, 1, -1)
    mixed = blocks[:, np.argsort(drawn, kind="stable")] * signs  # whole numbers: exact on every machine
    return (mixed @ blocks / block).astype(np.float32)


@lru_cache(maxsize=1)
def _level_of_byte() -> Vectors:
    places = np.arange(256)[:, None] >> np.array([0, 2, 4, 6]) & 3
    found: Vectors = LEVELS[places]
    return found
