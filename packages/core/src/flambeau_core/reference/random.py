"""The counter-based generator Philox4x32-10 (Salmon et al., SC 2011).

Block ``offset + i`` under the key ``seed`` gives four 32-bit words, so that any backend and any
number of threads produce the same stream.
"""

from __future__ import annotations

import math
from typing import Any

from flambeau_core.reference.precision import Array, is_bfloat16, store
from flambeau_core.reference.table import Kernel

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
WORD = 0xFFFFFFFF
ROUNDS = 10


def philox(xp: Any, seed: int, offset: int, blocks: int) -> Array:
    """Words of consecutive blocks: uint64 [blocks, 4], each below 2^32."""
    counter = xp.arange(blocks, dtype="uint64") + xp.asarray(offset % 2**64, dtype="uint64")
    low, high = counter & WORD, counter >> 32
    words = [low, high, xp.zeros_like(low), xp.zeros_like(low)]
    key = [seed & WORD, (seed >> 32) & WORD]
    for _ in range(ROUNDS):
        first = words[0] * xp.uint64(MULTIPLIERS[0])
        second = words[2] * xp.uint64(MULTIPLIERS[1])
        words = [
            (second >> 32) ^ words[1] ^ xp.uint64(key[0]),
            second & WORD,
            (first >> 32) ^ words[3] ^ xp.uint64(key[1]),
            first & WORD,
        ]
        key = [(k + step) & WORD for k, step in zip(key, KEY_STEPS)]
    return xp.stack(words, axis=1)


def words(xp: Any, count: int, seed: int, offset: int) -> Array:
    """The first ``count`` words of the stream."""
    return philox(xp, seed, offset, -(-count // 4)).reshape(-1)[:count]


def wide_words(xp: Any, count: int, seed: int, offset: int) -> Array:
    """The stream as 63-bit numbers: two words each, low half first, top bit cleared."""
    pairs = philox(xp, seed, offset, -(-count // 2)).reshape(-1, 2)[:count]
    return (pairs[:, 0] | (pairs[:, 1] << 32)) & 0x7FFFFFFFFFFFFFFF


def random_bits(xp: Any, out: Array, *, seed: int, offset: int) -> None:
    out[...] = wide_words(xp, out.size, seed, offset).astype("int64").reshape(out.shape)


def unit_interval(xp: Any, out: Array, seed: int, offset: int) -> Array:
    """Multiples of 2^-p in [0, 1), with the p bits that the dtype of ``out`` can hold."""
    if out.dtype.itemsize == 8:
        return (wide_words(xp, out.size, seed, offset) >> 10) * 2.0**-53
    bits = 8 if is_bfloat16(out) else 11 if out.dtype.itemsize == 2 else 24
    return (words(xp, out.size, seed, offset) >> (32 - bits)) * 2.0**-bits


def uniform(xp: Any, out: Array, *, low: float, high: float, seed: int, offset: int) -> None:
    unit = unit_interval(xp, out, seed, offset)
    store(xp, out, (low + unit * (high - low)).reshape(out.shape))


def normal(xp: Any, out: Array, *, mean: float, std: float, seed: int, offset: int) -> None:
    """Box and Muller's transform of consecutive pairs, in float64."""
    pairs = -(-out.size // 2)
    if out.dtype.itemsize == 8:
        raw = (wide_words(xp, 2 * pairs, seed, offset) >> 10).reshape(pairs, 2)
        scale = 2.0**-53
    else:
        raw = words(xp, 2 * pairs, seed, offset).reshape(pairs, 2)
        scale = 2.0**-32
    radius = xp.sqrt(-2 * xp.log((raw[:, 0] + xp.uint64(1)) * scale))
    angle = 2 * math.pi * (raw[:, 1] * scale)
    normals = xp.stack([radius * xp.cos(angle), radius * xp.sin(angle)], axis=1).reshape(-1)
    store(xp, out, (mean + std * normals[: out.size]).reshape(out.shape))


KERNELS = {
    "random_bits": Kernel(random_bits, "i"),
    "uniform": Kernel(uniform, "f"),
    "normal": Kernel(normal, "f"),
}
