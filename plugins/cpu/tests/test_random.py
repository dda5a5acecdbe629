"""Random numbers against the generator written out in Python."""

import math

import abi
import numpy as np
import philox
import pytest

SIZES = [1, 2, 3, 5, 64, 1023, 1024, 1025, 2051]
SEEDS = [(0, 0), (1234567, 5), (2**63 + 17, 2**32 - 3), (7, 2**64 - 2)]


def signed(x):
    return x - 2**64 if x >= 2**63 else x


def draw(id, size, dtype, *params, strided=False):
    out = np.full((size, 2) if strided else size, 7, dtype)
    target = out[:, 0] if strided else out
    abi.call(id, [target], [], *params)
    return target


def wide(seed, offset, count):
    w = philox.words(seed, offset, 2 * count)
    return [(w[2 * e] | w[2 * e + 1] << 32) & 2**63 - 1 for e in range(count)]


def test_the_generators_published_vectors():
    # Random123's known-answer tests kat_vectors, philox4x32 10 rounds, counter and key zero.
    assert philox.block(0, 0) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


@pytest.mark.parametrize("seed,offset", SEEDS)
@pytest.mark.parametrize("size", SIZES)
def test_random_bits(size, seed, offset):
    for strided in (False, True):
        out = draw("random_bits", size, np.int64, signed(seed), signed(offset), strided=strided)
        np.testing.assert_array_equal(out, wide(seed, offset, size))


@pytest.mark.parametrize("seed,offset", SEEDS)
@pytest.mark.parametrize("size", SIZES)
def test_uniform(size, seed, offset):
    w = np.array(philox.words(seed, offset, size), np.uint64)
    params = (-1.5, 4.0, signed(seed), signed(offset))
    for dtype, shift in (("float32", 8), ("float16", 21)):
        u = (w >> np.uint64(shift)).astype(np.float64) * 2.0 ** (shift - 32)
        expected = (-1.5 + u * 5.5).astype(dtype)
        np.testing.assert_array_equal(draw("uniform", size, dtype, *params), expected)
        np.testing.assert_array_equal(draw("uniform", size, dtype, *params, strided=True), expected)
    u = np.array([x >> 10 for x in wide(seed, offset, size)]) * 2.0**-53
    np.testing.assert_allclose(
        draw("uniform", size, "float64", *params), -1.5 + u * 5.5, rtol=1e-15, atol=1e-15
    )
    half = abi.BFloat16(np.zeros(size, np.float32))
    abi.call("uniform", [half], [], *params)
    u = (w >> np.uint64(24)).astype(np.float64) * 2.0**-8
    np.testing.assert_array_equal(half.bits, abi.BFloat16((-1.5 + u * 5.5).astype(np.float32)).bits)


@pytest.mark.parametrize("seed,offset", SEEDS)
@pytest.mark.parametrize("size", SIZES)
def test_normal(size, seed, offset):
    def box_muller(u, v):
        r = math.sqrt(-2 * math.log(u))
        return [0.5 + 2 * r * math.cos(2 * math.pi * v), 0.5 + 2 * r * math.sin(2 * math.pi * v)]

    pairs = -(-size // 2)
    w = philox.words(seed, offset, 2 * pairs)
    single = [x for j in range(pairs)
              for x in box_muller((w[2 * j] + 1) * 2**-32, w[2 * j + 1] * 2**-32)]  # fmt: skip
    b = wide(seed, offset, 2 * pairs)
    double = [x for j in range(pairs)
              for x in box_muller(((b[2 * j] >> 10) + 1) * 2**-53,
                                  (b[2 * j + 1] >> 10) * 2**-53)]  # fmt: skip
    params = (0.5, 2.0, signed(seed), signed(offset))
    np.testing.assert_allclose(
        draw("normal", size, "float32", *params), single[:size], rtol=2e-7, atol=1e-7
    )
    np.testing.assert_allclose(
        draw("normal", size, "float16", *params), single[:size], rtol=1e-3, atol=1e-4
    )
    np.testing.assert_allclose(
        draw("normal", size, "float64", *params), double[:size], rtol=1e-13, atol=1e-14
    )
    np.testing.assert_array_equal(
        draw("normal", size, "float32", *params),
        draw("normal", size, "float32", *params, strided=True),
    )


@pytest.mark.parametrize(
    "id,dtype", [("uniform", "float32"), ("normal", "float64"), ("random_bits", "int64")]
)
def test_the_stream_does_not_depend_on_the_threads(id, dtype):
    params = (3, 4) if id == "random_bits" else (0.0, 1.0, 3, 4)
    before = abi.backend.get_num_threads(None)
    try:
        draws = []
        for threads in (1, 2, 3):
            abi.backend.set_num_threads(None, threads)
            draws.append(draw(id, 50001, dtype, *params))
    finally:
        abi.backend.set_num_threads(None, before)
    np.testing.assert_array_equal(draws[0], draws[1])
    np.testing.assert_array_equal(draws[0], draws[2])


def test_moments():
    x = draw("normal", 200000, "float64", 0.0, 1.0, 99, 0)
    assert abs(x.mean()) < 0.01 and abs(x.std() - 1) < 0.01 and abs((x**4).mean() - 3) < 0.1
    u = draw("uniform", 200000, "float64", 0.0, 1.0, 99, 0)
    assert abs(u.mean() - 0.5) < 0.005 and abs(u.var() - 1 / 12) < 0.002


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("p", [0.0, 0.3, 0.5, 0.999, 1.0])
def test_dropout(p, dtype):
    for size in (7, 1500):
        x = np.random.default_rng(9).uniform(1, 2, (3, size)).astype(dtype)
        u = np.array(philox.words(11, 12, 3 * size), np.uint64) >> np.uint64(8)
        kept = (u.astype(np.float64) * 2.0**-24 >= p).reshape(3, size)
        for view in (x, np.asfortranarray(x)):
            y, mask = np.empty_like(x), np.empty(x.shape, bool)
            abi.call("dropout", [y, mask], [view], p, 11, 12)
            np.testing.assert_array_equal(mask, kept)
            expected = np.where(kept, x / (1 - p) if p < 1 else 0, 0)
            np.testing.assert_allclose(y, expected, rtol=1e-3 if dtype == "float16" else 1e-6)
