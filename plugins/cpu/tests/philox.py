"""Philox4x32-10 written out with Python integers, for the random kernels' tests."""

from __future__ import annotations

WORD = 0xFFFFFFFF


def block(seed: int, counter: int) -> list[int]:
    """The four words of one block (Salmon et al. 2011, section 3.3)."""
    c = [counter & WORD, counter >> 32 & WORD, 0, 0]
    k = [seed & WORD, seed >> 32 & WORD]
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [second >> 32 ^ c[1] ^ k[0], second & WORD, first >> 32 ^ c[3] ^ k[1], first & WORD]
        k = [k[0] + 0x9E3779B9 & WORD, k[1] + 0xBB67AE85 & WORD]
    return c


def words(seed: int, offset: int, count: int) -> list[int]:
    """The first ``count`` words from block ``offset`` on."""
    blocks = [block(seed, offset + b & (1 << 64) - 1) for b in range(-(-count // 4))]
    return [w for b in blocks for w in b][:count]
