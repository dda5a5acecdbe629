"""The NumPy backend's kernels, called directly on arrays.

Expected values come from Python's own arithmetic and ``math``, from published tables, and from
facts of PyTorch's behaviour.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flambeau_core.__main__ import include_dir
from flambeau_core.reference import ReferenceBackend, open_backend
from flambeau_core.reference.precision import bfloat16_bits, load

NAN, INF = math.nan, math.inf


@pytest.fixture(scope="module")
def backend() -> ReferenceBackend:
    return open_backend()


def call(
    backend: ReferenceBackend,
    id: str,
    out: Any,
    *inputs: Any,
    dtype: str | None = None,
    **params: Any,
) -> Any:
    """Runs a kernel for the dtype of its first array input and returns its output(s)."""
    arrays = [value for value in inputs if isinstance(value, np.ndarray)]
    outs = out if isinstance(out, tuple) else (out,)
    kernel = backend.kernel(id, dtype or (arrays[0] if arrays else outs[0]).dtype.name)
    assert kernel is not None
    kernel(*outs, *inputs, **params)
    return out


def unary(backend: ReferenceBackend, id: str, values: list[float], dtype: str = "float64") -> Any:
    x = np.array(values, dtype)
    return call(backend, id, np.empty_like(x), x)


def binary(backend: ReferenceBackend, id: str, a: list[Any], b: list[Any], dtype: str) -> list[Any]:
    x, y = np.array(a, dtype), np.array(b, dtype)
    return list(call(backend, id, np.empty_like(x), x, y).tolist())


def bfloat16(values: list[float]) -> Any:
    return bfloat16_bits(np, np.array(values, "float32"))


# -- the contract ---------------------------------------------------------------------


def primitive_ids() -> list[str]:
    """The required and primitive kernels of the header that all backends read."""
    header = Path(include_dir(), "flambeau", "kernels.h").read_text()
    rows = re.findall(r'\{"(\w+)",\s*"\w+",\s*\'([rpc])\'', header)
    return [id for id, level in rows if level in "rp"]


def test_every_primitive_is_served(backend: ReferenceBackend) -> None:
    ids = primitive_ids()
    assert len(ids) > 90
    dtypes = ("float32", "int64", "bool", "complex64")
    missing = [id for id in ids if not any(backend.kernel(id, dtype) for dtype in dtypes)]
    assert missing == []


def test_unknown_kernels_and_dtypes_are_declined(backend: ReferenceBackend) -> None:
    assert backend.kernel("no_such_kernel", "float32") is None
    assert backend.kernel("bitwise_and", "float32") is None
    assert backend.kernel("sqrt", "int64") is None


def test_view_shares_the_buffer(backend: ReferenceBackend) -> None:
    memory = bytearray(np.arange(6, dtype="float32").tobytes())
    array = backend.view(memoryview(memory), 4, (2, 2), (8, 4), "float32")
    assert array.tolist() == [[1, 2], [3, 4]]
    array[0, 0] = 9
    assert np.frombuffer(memory, "float32")[1] == 9


def test_view_of_nothing(backend: ReferenceBackend) -> None:
    assert backend.view(memoryview(bytearray(0)), 0, (0, 3), (12, 4), "float32").shape == (0, 3)


# -- moving values --------------------------------------------------------------------


def test_bfloat16_rounds_halves_to_even(backend: ReferenceBackend) -> None:
    # 1 + 2^-8 and 1 + 3 * 2^-8 lie halfway between neighbours
    x = np.array([1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, NAN, INF, -0.0], "float32")
    out = call(backend, "copy", np.empty(6, "uint16"), x)
    assert load(np, out)[:3].tolist() == [1.0, 1 + 2**-6, 1 + 2**-7]
    assert math.isnan(load(np, out)[3])
    assert out[4:].tolist() == [0x7F80, 0x8000]


@pytest.mark.parametrize(
    ("source", "target", "values", "expected"),
    [
        ("float32", "int32", [1.9, -1.9], [1, -1]),
        ("float32", "uint8", [-1.0, 300.0], [255, 44]),
        ("float32", "bool", [0.5, NAN], [True, True]),
        ("int64", "int8", [200, -129], [-56, 127]),
        ("bool", "float64", [True, False], [1.0, 0.0]),
        ("complex64", "float32", [1 + 2j, -3j], [1.0, 0.0]),
    ],
)
def test_copy_casts(
    backend: ReferenceBackend, source: str, target: str, values: list[Any], expected: list[Any]
) -> None:
    x = np.array(values, source)
    assert call(backend, "copy", np.empty(len(values), target), x).tolist() == expected


def test_fill_takes_a_number(backend: ReferenceBackend) -> None:
    assert call(backend, "fill", np.empty((2, 2), "int32"), 7).tolist() == [[7, 7], [7, 7]]
    filled = call(backend, "fill", np.empty(1, "uint16"), 1.5, dtype="bfloat16")
    assert filled.tolist() == [0x3FC0]


def test_ranges(backend: ReferenceBackend) -> None:
    counted = call(
        backend, "arange", np.empty(3, "int64"), start=5.0, step=-2.0, istart=5, istep=-2
    )
    assert counted.tolist() == [5, 3, 1]
    even = call(backend, "linspace", np.empty(5), start=-1.0, end=1.0)
    assert even.tolist() == [-1.0, -0.5, 0.0, 0.5, 1.0]
    assert call(backend, "linspace", np.empty(1), start=3.0, end=9.0).tolist() == [3.0]


def test_where_and_clamp(backend: ReferenceBackend) -> None:
    x = np.array([-2.0, 0.5, 2.0, NAN], "float32")
    picked = call(backend, "where", np.empty_like(x), x > 0, x, 0.0)
    assert picked.tolist() == [0.0, 0.5, 2.0, 0.0]
    clamped = call(backend, "clamp", np.empty_like(x), x, -1.0, 1.0)
    assert clamped.tolist()[:3] == [-1.0, 0.5, 1.0]
    assert math.isnan(clamped[3])
    assert call(backend, "clamp", np.empty_like(x), x, None, 1.0).tolist()[0] == -2.0


# -- elementwise ----------------------------------------------------------------------

ARGUMENTS = [-6.0, -3.0, -1.5, -0.9, -0.25, -1e-10, 0.0, 1e-8, 0.3, 0.5, 1.0, 2.0, 4.5, 10.0, 26.0]


@pytest.mark.parametrize("id", ["erf", "erfc"])
def test_error_functions_against_the_c_library(backend: ReferenceBackend, id: str) -> None:
    expected = [getattr(math, id)(x) for x in ARGUMENTS]
    np.testing.assert_allclose(unary(backend, id, ARGUMENTS), expected, rtol=1e-14, atol=0)


def test_error_functions_at_infinity(backend: ReferenceBackend) -> None:
    assert unary(backend, "erf", [INF, -INF]).tolist() == [1.0, -1.0]
    assert unary(backend, "erfc", [INF, -INF]).tolist() == [0.0, 2.0]
    assert np.isnan(unary(backend, "erf", [NAN])).all()


def test_erfinv_inverts_erf(backend: ReferenceBackend) -> None:
    y = [-0.999999, -0.7, -1e-12, 0.0, 1e-3, 0.2, 0.5, 0.95, 1 - 1e-15]
    x = unary(backend, "erfinv", y)
    np.testing.assert_allclose([math.erf(v) for v in x], y, rtol=4e-16, atol=0)
    assert unary(backend, "erfinv", [1.0, -1.0]).tolist() == [INF, -INF]
    assert np.isnan(unary(backend, "erfinv", [1.5, -2.0, NAN])).all()


def test_lgamma_against_python(backend: ReferenceBackend) -> None:
    x = [0.1, 0.5, 0.9, 1.0, 1.5, 2.0, 2.4, 2.6, 3.7, 9.99, 12.0, 171.5, 1e6, -0.5, -1.5, -7.3]
    expected = [math.lgamma(v) for v in x]
    np.testing.assert_allclose(unary(backend, "lgamma", x), expected, rtol=1e-13)
    assert unary(backend, "lgamma", [0.0, -3.0, INF, -INF]).tolist() == [INF] * 4


def test_lgamma_keeps_relative_precision_near_its_zeros(backend: ReferenceBackend) -> None:
    # log gamma(1 + z) = -gamma z + zeta(2) z^2 / 2 - ..., log gamma(2 + z) = (1 - gamma) z + ...
    gamma, zeta2, z = 0.5772156649015329, math.pi**2 / 6, 2.0**-30
    expected = [-gamma * z + zeta2 * z * z / 2, (1 - gamma) * z + (zeta2 - 1) * z * z / 2]
    np.testing.assert_allclose(unary(backend, "lgamma", [1 + z, 2 + z]), expected, rtol=1e-15)


def test_digamma_against_published_values(backend: ReferenceBackend) -> None:
    # Abramowitz and Stegun, tables 6.1 and 6.3, and psi(1/2) = -gamma - 2 ln 2
    gamma = 0.5772156649015329
    table = {1.0: -gamma, 2.0: 1 - gamma, 0.5: -gamma - 2 * math.log(2), 10.0: 2.251752589066721}
    values = unary(backend, "digamma", list(table))
    np.testing.assert_allclose(values, list(table.values()), rtol=1e-14)
    # reflection: psi(1 - x) - psi(x) = pi / tan(pi x)
    left, right = unary(backend, "digamma", [1.3, -0.3])
    assert left - right == pytest.approx(math.pi / math.tan(math.pi * -0.3), rel=1e-13)
    assert unary(backend, "digamma", [0.0, -0.0]).tolist() == [-INF, INF]
    assert np.isnan(unary(backend, "digamma", [-1.0, -4.0])).all()


def test_sign_of_nan_is_zero(backend: ReferenceBackend) -> None:
    assert unary(backend, "sign", [NAN, -2.0, 0.0, 3.0]).tolist() == [0.0, -1.0, 0.0, 1.0]


def test_round_takes_halves_to_even(backend: ReferenceBackend) -> None:
    assert unary(backend, "round", [0.5, 1.5, 2.5, -0.5]).tolist() == [0.0, 2.0, 2.0, -0.0]


def test_narrow_floats_compute_in_float32(backend: ReferenceBackend) -> None:
    x = np.array([300.0], "float16")
    # 300^2 = 90000 is beyond float16 and within float32
    assert call(backend, "sqrt", np.empty_like(x), x)[0] == np.float16(math.sqrt(300))
    assert unary(backend, "square", [300.0], "float16").tolist() == [INF]
    product = call(
        backend, "mul", np.empty(1, "uint16"), bfloat16([3.0]), bfloat16([0.5]), dtype="bfloat16"
    )
    assert load(np, product).tolist() == [1.5]


PAIRS = [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (-6, 3)]


@pytest.mark.parametrize("dtype", ["int64", "float64"])
@pytest.mark.parametrize(
    ("id", "rule"),
    [
        ("div_floor", lambda a, b: a // b),
        ("remainder", lambda a, b: a % b),
        ("div_trunc", lambda a, b: math.trunc(a / b)),
        ("fmod", math.fmod),
    ],
)
def test_division_signs(backend: ReferenceBackend, id: str, rule: Any, dtype: str) -> None:
    a, b = [p[0] for p in PAIRS], [p[1] for p in PAIRS]
    assert binary(backend, id, a, b, dtype) == [rule(x, y) for x, y in PAIRS]


@pytest.mark.parametrize("id", ["div_trunc", "div_floor", "remainder", "fmod"])
def test_integer_division_by_zero(backend: ReferenceBackend, id: str) -> None:
    with pytest.raises(RuntimeError, match="^ZeroDivisionError$"):
        binary(backend, id, [1], [0], "int64")


def test_floating_division_by_zero(backend: ReferenceBackend) -> None:
    assert binary(backend, "div", [1.0, -1.0], [0.0, 0.0], "float32") == [INF, -INF]
    assert binary(backend, "div_floor", [1.0], [0.0], "float32") == [INF]


def test_integer_powers(backend: ReferenceBackend) -> None:
    bases, exponents = [1, -1, -1, 2, 0, 3, -2], [-3, -3, -2, -1, 0, 4, 3]
    assert binary(backend, "pow", bases, exponents, "int64") == [1, -1, 1, 0, 1, 81, -8]


def test_nan_wins_or_loses(backend: ReferenceBackend) -> None:
    assert math.isnan(binary(backend, "maximum", [NAN], [1.0], "float32")[0])
    assert math.isnan(binary(backend, "minimum", [1.0], [NAN], "float32")[0])
    assert binary(backend, "fmax", [NAN], [1.0], "float32") == [1.0]
    assert binary(backend, "fmin", [1.0], [NAN], "float32") == [1.0]


def test_xlogy_at_zero(backend: ReferenceBackend) -> None:
    values = binary(backend, "xlogy", [0.0, 0.0, 2.0], [0.0, NAN, math.e], "float64")
    assert values[0] == 0.0
    assert math.isnan(values[1])
    assert values[2] == pytest.approx(2.0)


def test_logaddexp_does_not_overflow(backend: ReferenceBackend) -> None:
    assert binary(backend, "logaddexp", [1000.0], [1000.0], "float64") == [1000 + math.log(2)]
    (sum_,) = binary(backend, "logaddexp", [1000 + 1j], [1000 + 1j], "complex128")
    assert sum_ == pytest.approx(1000 + math.log(2) + 1j)


def test_shifts_beyond_the_width(backend: ReferenceBackend) -> None:
    assert binary(backend, "lshift", [5, 5], [2, 70], "int64") == [20, 0]
    assert binary(backend, "rshift", [-5, -5, 5], [1, 70, 70], "int64") == [-3, -1, 0]


def test_nextafter_bfloat16_moves_one_step(backend: ReferenceBackend) -> None:
    a, b = bfloat16([1.0, 1.0, 0.0, -1.0, 2.0]), bfloat16([2.0, 0.0, -1.0, 0.0, 2.0])
    stepped = call(backend, "nextafter", np.empty(5, "uint16"), a, b, dtype="bfloat16")
    assert stepped.tolist() == [0x3F81, 0x3F7F, 0x8001, 0xBF7F, 0x4000]


def test_comparisons(backend: ReferenceBackend) -> None:
    x, y = np.array([1.0, NAN, 2.0]), np.array([1.0, NAN, 3.0])
    for id, expected in [
        ("eq", [1, 0, 0]),
        ("ne", [0, 1, 1]),
        ("lt", [0, 0, 1]),
        ("ge", [1, 0, 0]),
    ]:
        assert call(backend, id, np.empty(3, "bool"), x, y).tolist() == [bool(e) for e in expected]


def test_number_operands_take_the_arrays_dtype(backend: ReferenceBackend) -> None:
    x = np.array([1, 2], "int32")
    assert call(backend, "add", np.empty_like(x), x, 5).tolist() == [6, 7]
    assert call(backend, "sub", np.empty_like(x), 5, x, dtype="int32").tolist() == [4, 3]


# -- reductions, scans, order ---------------------------------------------------------


def test_sums_keep_dimensions_and_widen(backend: ReferenceBackend) -> None:
    x = np.full((2, 3), 100, "uint8")
    assert call(backend, "sum", np.empty((2, 1), "int64"), x).tolist() == [[300], [300]]
    ones = np.ones(1 << 24, "float32")
    ones[0] = 2**24  # float32 cannot count on from here
    assert call(backend, "sum", np.empty(1, "float32"), ones)[0] == 2**25


def test_empty_reductions(backend: ReferenceBackend) -> None:
    x = np.empty((0, 2), "float32")
    assert call(backend, "sum", np.empty((1, 2), "float32"), x).tolist() == [[0, 0]]
    assert call(backend, "prod", np.empty((1, 2), "float32"), x).tolist() == [[1, 1]]
    assert call(backend, "any", np.empty((1, 2), "bool"), x).tolist() == [[False, False]]
    assert call(backend, "all", np.empty((1, 2), "bool"), x).tolist() == [[True, True]]


def test_extremes_and_positions(backend: ReferenceBackend) -> None:
    x = np.array([[1.0, 5.0, 5.0], [2.0, NAN, 7.0]], "float32")
    highest = call(backend, "amax", np.empty((2, 1), "float32"), x)
    assert highest[0, 0] == 5.0
    assert math.isnan(highest[1, 0])
    found = call(backend, "argmax", np.empty((2, 1), "int64"), x, dim=1)
    assert found.tolist() == [[1], [1]]


def test_extremes_with_positions(backend: ReferenceBackend) -> None:
    x = bfloat16([3.0, 1.0, 3.0, 1.0])
    values, where = np.empty(1, "uint16"), np.empty(1, "int64")
    call(backend, "max_dim", (values, where), x, dtype="bfloat16", dim=0)
    assert (load(np, values).tolist(), where.tolist()) == ([3.0], [0])
    call(backend, "min_dim", (values, where), x, dtype="bfloat16", dim=0)
    assert (load(np, values).tolist(), where.tolist()) == ([1.0], [1])


def test_negative_zero_bfloat16_is_not_true(backend: ReferenceBackend) -> None:
    x = bfloat16([-0.0, 0.0])
    assert call(backend, "any", np.empty(1, "bool"), x, dtype="bfloat16").tolist() == [False]
    assert call(backend, "count_nonzero", np.empty((), "int64"), x, dtype="bfloat16") == 0


def test_running_sums(backend: ReferenceBackend) -> None:
    x = np.array([[1, 2], [3, 4]], "int64")
    assert call(backend, "cumsum", np.empty_like(x), x, dim=0).tolist() == [[1, 2], [4, 6]]
    assert call(backend, "cumprod", np.empty_like(x), x, dim=1).tolist() == [[1, 2], [3, 12]]


def test_running_maximum_takes_the_last_of_equals(backend: ReferenceBackend) -> None:
    x = np.array([2.0, 1.0, 2.0, NAN, 3.0, NAN], "float32")
    values, where = call(
        backend, "cummax", (np.empty(6, "float32"), np.empty(6, "int64")), x, dim=0
    )
    assert values[:3].tolist() == [2.0, 2.0, 2.0]
    assert np.isnan(values[3:]).all()
    assert where.tolist() == [0, 0, 2, 3, 3, 5]


@pytest.mark.parametrize(
    ("descending", "order"), [(0, [1, 3, 0, 2, 4, 5]), (1, [4, 5, 0, 2, 1, 3])]
)
def test_sort_is_stable_and_nan_is_largest(
    backend: ReferenceBackend, descending: int, order: list[int]
) -> None:
    x = np.array([2.0, 1.0, 2.0, 1.0, NAN, NAN], "float32")
    values, indices = call(
        backend,
        "sort",
        (np.empty(6, "float32"), np.empty(6, "int64")),
        x,
        dim=0,
        descending=descending,
    )
    assert indices.tolist() == order
    np.testing.assert_array_equal(values, x[order])


def test_searchsorted(backend: ReferenceBackend) -> None:
    rows = np.array([[1, 3, 5], [2, 4, 4]])
    wanted = np.array([[3, 6], [4, 0]])
    left = call(backend, "searchsorted", np.empty((2, 2), "int64"), rows, wanted, right=0)
    right = call(backend, "searchsorted", np.empty((2, 2), "int64"), rows, wanted, right=1)
    assert (left.tolist(), right.tolist()) == ([[1, 3], [1, 0]], [[2, 3], [3, 0]])
    one = call(backend, "searchsorted", np.empty((2, 2), "int64"), rows[0], wanted, right=0)
    assert one.tolist() == [[1, 3], [2, 0]]


# -- indexing -------------------------------------------------------------------------


def test_gather_and_scatter(backend: ReferenceBackend) -> None:
    x = np.arange(6.0).reshape(2, 3)
    index = np.array([[2, 0]])
    assert call(backend, "gather", np.empty((1, 2)), x, index, dim=1).tolist() == [[2.0, 0.0]]
    out = np.zeros((2, 3))
    call(backend, "scatter", out, index, np.array([[7.0, 8.0]]), dim=1, mode=0)
    assert out.tolist() == [[8.0, 0.0, 7.0], [0.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("mode", "expected"), [(1, [8.0, 1.0]), (2, [12.0, 1.0]), (3, [4.0, 1.0]), (4, [1.0, 1.0])]
)
def test_scatter_combines_repeated_places(
    backend: ReferenceBackend, mode: int, expected: list[float]
) -> None:
    out = np.ones(2)
    index = np.array([0, 0])
    call(backend, "scatter", out, index, np.array([3.0, 4.0]), dim=0, mode=mode)
    assert out.tolist() == expected


def test_index_select_counts_from_the_end(backend: ReferenceBackend) -> None:
    x = np.arange(6).reshape(2, 3)
    picked = call(backend, "index_select", np.empty((2, 2), "int64"), x, np.array([-1, 0]), dim=1)
    assert picked.tolist() == [[2, 0], [5, 3]]


def test_index_add_in_bfloat16(backend: ReferenceBackend) -> None:
    out = bfloat16([0.0, 0.0])
    call(backend, "index_add", out, np.array([1, 1]), bfloat16([1.5, 2.0]), dim=0)
    assert load(np, out).tolist() == [0.0, 3.5]


def test_index_and_index_put(backend: ReferenceBackend) -> None:
    x = np.arange(12.0).reshape(3, 4)
    rows, columns = np.array([0, -1]), np.array([1, -2])
    assert call(backend, "index", np.empty(2), x, rows, columns).tolist() == [1.0, 10.0]
    assert call(backend, "index", np.empty((2, 4)), x, rows).tolist() == [
        x[0].tolist(),
        x[2].tolist(),
    ]
    out = np.zeros(3)
    call(backend, "index_put", out, np.array([1.0, 2.0]), np.array([1, 1]), accumulate=1)
    assert out.tolist() == [0.0, 3.0, 0.0]


@pytest.mark.parametrize("id", ["gather", "index_select", "index"])
def test_index_out_of_bounds(backend: ReferenceBackend, id: str) -> None:
    params = {} if id == "index" else {"dim": 0}
    with pytest.raises(IndexError, match="index 5 is out of bounds for dimension 0 with size 3"):
        call(backend, id, np.empty(1), np.arange(3.0), np.array([5]), **params)


def test_nonzero(backend: ReferenceBackend) -> None:
    x = np.array([[0, 1], [2, 0]])
    assert call(backend, "nonzero", np.empty((2, 2), "int64"), x).tolist() == [[0, 1], [1, 0]]


# -- products and random numbers ------------------------------------------------------


def test_matmul_broadcast_batches_and_narrow_floats(backend: ReferenceBackend) -> None:
    a, b = np.arange(6.0).reshape(1, 2, 3), np.arange(3.0).reshape(1, 3, 1)
    assert call(backend, "matmul", np.empty((1, 2, 1)), a, b).tolist() == [[[5.0], [14.0]]]
    narrow = call(
        backend,
        "matmul",
        np.empty((1, 2, 1), "uint16"),
        bfloat16_bits(np, a.astype("float32")),
        bfloat16_bits(np, b.astype("float32")),
        dtype="bfloat16",
    )
    assert load(np, narrow).tolist() == [[[5.0], [14.0]]]


def philox_block(counter: list[int], key: list[int]) -> list[int]:
    """Philox4x32-10 of one block in Python integers, from the paper's definition."""
    c, k = list(counter), list(key)
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * c[0], 2**32)
        high1, low1 = divmod(0xCD9E8D57 * c[2], 2**32)
        c = [high1 ^ c[1] ^ k[0], low1, high0 ^ c[3] ^ k[1], low0]
        k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
    return c


def test_philox_known_answers() -> None:
    """The vectors published with Random123, which prove the definition above."""
    ones = 0xFFFFFFFF
    pi = [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344]
    answers = [
        ([0] * 4, [0] * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ([ones] * 4, [ones] * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (pi, [0xA4093822, 0x299F31D0], "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ]
    for counter, key, answer in answers:
        assert " ".join(f"{word:08x}" for word in philox_block(counter, key)) == answer


SEED, OFFSET = 0x1234_5678_9ABC_DEF0, 2**33 + 5


def stream(count: int) -> list[int]:
    words: list[int] = []
    for block in range(OFFSET, OFFSET + count // 4 + 1):
        counter = [block % 2**32, block >> 32, 0, 0]
        words += philox_block(counter, [SEED % 2**32, SEED >> 32])
    return words[:count]


def draw(backend: ReferenceBackend, id: str, out: Any, **params: Any) -> Any:
    dtype = "bfloat16" if out.dtype == np.uint16 else out.dtype.name
    return call(backend, id, out, dtype=dtype, seed=SEED, offset=OFFSET, **params)


def test_random_bits_pair_words(backend: ReferenceBackend) -> None:
    w = stream(10)
    expected = [(w[2 * i] | w[2 * i + 1] << 32) % 2**63 for i in range(5)]
    assert draw(backend, "random_bits", np.empty(5, "int64")).tolist() == expected


def test_uniform_in_every_precision(backend: ReferenceBackend) -> None:
    w = stream(14)
    single = draw(backend, "uniform", np.empty(7, "float32"), low=0.0, high=1.0)
    assert single.tolist() == [(x >> 8) * 2.0**-24 for x in w[:7]]
    half = draw(backend, "uniform", np.empty(7, "float16"), low=0.0, high=1.0)
    assert half.tolist() == [(x >> 21) * 2.0**-11 for x in w[:7]]
    brain = draw(backend, "uniform", np.empty(7, "uint16"), low=0.0, high=1.0)
    assert load(np, brain).tolist() == [(x >> 24) * 2.0**-8 for x in w[:7]]
    double = draw(backend, "uniform", np.empty(7, "float64"), low=-1.0, high=3.0)
    bits = [(w[2 * i] | w[2 * i + 1] << 32) % 2**63 for i in range(7)]
    assert double.tolist() == [-1.0 + (x >> 10) * 2.0**-53 * 4.0 for x in bits]


def test_normal_is_box_muller_of_word_pairs(backend: ReferenceBackend) -> None:
    w = stream(6)
    expected = []
    for first, second in zip(w[::2], w[1::2]):
        radius = math.sqrt(-2 * math.log((first + 1) * 2.0**-32))
        turn = 2 * math.pi * second * 2.0**-32
        expected += [2 + 3 * radius * math.cos(turn), 2 + 3 * radius * math.sin(turn)]
    drawn = draw(backend, "normal", np.empty(5, "float32"), mean=2.0, std=3.0)
    np.testing.assert_allclose(drawn, expected[:5], rtol=1e-7)


def test_normal_moments_in_float64(backend: ReferenceBackend) -> None:
    drawn = draw(backend, "normal", np.empty(200_000), mean=0.0, std=1.0)
    # five standard errors of the mean, the variance and the fourth moment
    assert abs(drawn.mean()) < 5 / math.sqrt(200_000)
    assert abs(drawn.var() - 1) < 5 * math.sqrt(2 / 200_000)
    assert abs((drawn**4).mean() - 3) < 5 * math.sqrt(96 / 200_000)
