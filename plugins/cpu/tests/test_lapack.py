"""Linear algebra against its definitions and against the reference backend's kernels."""

import abi
import numpy as np
import pytest
from layouts import lay_out

from flambeau_core.reference import lapack, ldl, lu
from flambeau_cpu import _C
from flambeau_cpu.lapack import numpy_module

_C.set_lapack_module(numpy_module())

pytestmark = pytest.mark.skipif(
    abi.find("cholesky", "float32") is None, reason="this NumPy is linked with another LAPACK"
)

REFERENCE = {**lapack.KERNELS, **lu.KERNELS, **ldl.KERNELS}
DTYPES = ["float32", "float64", "complex64", "complex128"]
ARRANGEMENTS = [
    ((), "contiguous"),
    ((), "transposed"),
    ((2, 0), "contiguous"),
    ((2, 3), "transposed"),
    ((2, 3), "every_second"),
    ((2, 3), "padded_rows"),
]
SIZES = [0, 1, 2, 3, 5, 17, 40]
SHAPES = [(0, 0), (0, 3), (4, 0), (1, 1), (3, 5), (5, 3), (17, 17), (40, 12), (9, 40)]

every_dtype = pytest.mark.parametrize("dtype", DTYPES)
every_arrangement = pytest.mark.parametrize("batch, layout", ARRANGEMENTS)
every_size = pytest.mark.parametrize("n", SIZES)
every_shape = pytest.mark.parametrize("m, n", SHAPES)


def random(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def adjoint(x):
    return x.swapaxes(-1, -2).conj()


def conditioned(shape, dtype, seed=0):
    """Square matrices that are far from singular."""
    n = shape[-1]
    return random(shape, dtype, seed) + 2 * n**0.5 * np.eye(n, dtype=dtype)


def positive(batch, n, dtype):
    a = random((*batch, n, n), dtype)
    return a @ adjoint(a) + n * np.eye(n, dtype=dtype)


def real(dtype):
    return np.empty(0, dtype).real.dtype.name


def outputs(*parts):
    """Arrays full of what no kernel writes, from pairs of shape and dtype."""
    return [
        np.full(shape, -77 if np.dtype(dtype).kind == "i" else np.nan, dtype)
        for shape, dtype in parts
    ]


def run_both(id, outs, ins, **params):
    """Runs the kernel into ``outs``; returns what the reference backend's writes."""
    expected = [None if out is None else out.copy() for out in outs]
    REFERENCE[id].function(np, *expected, *ins, **params)
    abi.call(id, outs, ins, *params.values())
    return expected


def assert_close(actual, expected, factor=100.0):
    """Equal up to rounding of numbers as large as the largest."""
    dtype = actual.dtype
    scale = max(1.0, np.abs(expected).max(initial=0))
    bound = factor * np.finfo(dtype).eps * scale * max(1, *actual.shape[-2:], 1)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=bound)


def assert_same_values(actual, expected):
    """The same in whatever order: without vectors, or in double, an iteration goes elsewhere."""
    distance = np.abs(actual[..., :, None] - expected[..., None, :])
    if distance.size:
        # errors grow with the condition of an eigenvalue
        assert distance.min(-1).max() < 1e4 * np.finfo(actual.dtype).eps
        assert distance.min(-2).max() < 1e4 * np.finfo(actual.dtype).eps


# ---- positive definite matrices -----------------------------------------------------


@every_dtype
@every_arrangement
@every_size
def test_cholesky(n, batch, layout, dtype):
    a = positive(batch, n, dtype)
    unread = lay_out(np.where(np.tri(n, dtype=bool), a, np.nan).astype(dtype), layout)
    outs = outputs((a.shape, dtype), (batch, "int32"))
    expected = run_both("cholesky", outs, [unread])
    assert_close(outs[0], expected[0])
    assert_close(outs[0] @ adjoint(outs[0]), a)
    assert not outs[1].any()


@every_dtype
@pytest.mark.parametrize("n", [4, 30])
def test_cholesky_names_the_first_bad_minor(n, dtype):
    a = np.stack([np.eye(n)] * 3).astype(dtype)
    a[1, 2, 2], a[2, 1, 1] = -1, np.nan
    outs = outputs((a.shape, dtype), ((3,), "int32"))
    abi.call("cholesky", outs, [a])
    assert outs[1].tolist() == [0, 3, 2]
    assert np.isfinite(outs[0][0]).all() and np.isnan(outs[0][1:]).all()


# ---- LU -----------------------------------------------------------------------------


@every_dtype
@every_arrangement
@every_shape
@pytest.mark.parametrize("pivot", [True, False])
def test_lu_factor(m, n, batch, layout, dtype, pivot):
    a = random((*batch, m, n), dtype)
    a[..., range(min(m, n)), range(min(m, n))] += 8
    a = lay_out(a, layout)
    k = min(m, n)
    outs = outputs((a.shape, dtype), ((*batch, k), "int32"), (batch, "int32"))
    expected = run_both("lu_factor", outs, [a], pivot=pivot)
    for actual, wanted in zip(outs[1:], expected[1:], strict=True):
        np.testing.assert_array_equal(actual, wanted)
    assert_close(outs[0], expected[0])
    lower = np.tril(outs[0][..., :, :k], -1) + np.eye(m, k, dtype=dtype)
    rows = np.broadcast_to(np.arange(m), (*batch, m)).copy()
    for index in np.ndindex(*batch):
        for i, other in enumerate(outs[1][index]):
            rows[index][[i, other - 1]] = rows[index][[other - 1, i]]
    exchanged = np.take_along_axis(a, rows[..., None], -2)
    assert_close(lower @ np.triu(outs[0][..., :k, :]), exchanged)


@every_dtype
@pytest.mark.parametrize("pivot", [True, False])
def test_lu_factor_names_the_first_zero(dtype, pivot):
    a = np.zeros((3, 3), dtype)
    a[0] = 1
    outs = outputs(((3, 3), dtype), ((3,), "int32"), ((), "int32"))
    abi.call("lu_factor", outs, [a], pivot)
    assert outs[2] == 2
    np.testing.assert_array_equal(outs[0], a)


@every_dtype
@every_arrangement
@every_size
@pytest.mark.parametrize("k", [0, 1, 6])
def test_solve(n, k, batch, layout, dtype):
    a = lay_out(conditioned((*batch, n, n), dtype), layout)
    b = lay_out(random((*batch, n, k), dtype, 1), layout)
    outs = outputs((b.shape, dtype), (batch, "int32"))
    expected = run_both("solve", outs, [a, b])
    assert_close(outs[0], expected[0])
    assert_close(a @ outs[0], b)
    assert not outs[1].any()


@every_dtype
def test_singular_matrices_have_no_solution(dtype):
    a = np.stack([np.eye(3), np.diag([1, 0, 1]), np.eye(3)]).astype(dtype)
    outs = outputs(((3, 3, 2), dtype), ((3,), "int32"))
    abi.call("solve", outs, [a, np.ones((3, 3, 2), dtype)])
    assert outs[1].tolist() == [0, 2, 0]
    assert (outs[0][[0, 2]] == 1).all() and np.isnan(outs[0][1]).all()


@every_dtype
@every_arrangement
@every_size
def test_slogdet(n, batch, layout, dtype):
    a = lay_out(random((*batch, n, n), dtype), layout)
    outs = outputs((batch, dtype), (batch, real(dtype)))
    expected = run_both("slogdet", outs, [a])
    assert_close(outs[0], expected[0])
    assert_close(outs[1], expected[1])


@every_dtype
def test_slogdet_of_known_matrices(dtype):
    a = np.stack([np.diag([2, -3.0]), np.zeros((2, 2)), np.eye(2)[::-1]]).astype(dtype)
    outs = outputs(((3,), dtype), ((3,), real(dtype)))
    abi.call("slogdet", outs, [a])
    np.testing.assert_array_equal(outs[0], [-1, 0, -1])
    np.testing.assert_allclose(outs[1], [np.log(6.0), -np.inf, 0], rtol=1e-6)


# ---- triangular matrices ------------------------------------------------------------


@every_dtype
@every_arrangement
@every_size
@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_triangular_solve(n, unit, upper, batch, layout, dtype):
    a = random((*batch, n, n), dtype) / max(n, 1) + np.eye(n, dtype=dtype) * 2
    read = np.tri(n, k=-1 if unit else 0, dtype=bool)
    read = read.T if upper else read
    triangle = np.where(read, a, 0) + (np.eye(n, dtype=dtype) if unit else 0)
    unread = lay_out(np.where(read, a, np.nan).astype(dtype), layout)
    for k in (0, 1, 4):
        b = lay_out(random((*batch, n, k), dtype, 1), layout)
        (x,) = outs = outputs((b.shape, dtype))
        abi.call("triangular_solve", outs, [unread, b], upper, unit)
        assert_close((triangle @ x).astype(dtype), b)


@pytest.mark.parametrize("layout", ["contiguous", "transposed"])
def test_zeros_on_a_triangles_diagonal_give_infinities(layout):
    a = lay_out(np.array([[1.0, 2.0], [0.0, 0.0]]), layout)
    (x,) = outs = outputs(((2, 1), "float64"))
    abi.call("triangular_solve", outs, [a, np.ones((2, 1))], True, False)
    assert x.tolist() == [[-np.inf], [np.inf]]


def test_one_triangle_serves_a_batch():
    a = np.broadcast_to(np.array([[2.0, 0.0], [1.0, 4.0]]), (3, 2, 2))
    b = random((3, 2, 5), "float64")
    (x,) = outs = outputs((b.shape, "float64"))
    abi.call("triangular_solve", outs, [a, b], False, False)
    assert_close(a @ x, b)


# ---- orthogonal factors -------------------------------------------------------------


@every_dtype
@every_arrangement
@every_shape
@pytest.mark.parametrize("complete", [True, False])
def test_qr(m, n, batch, layout, dtype, complete):
    a = lay_out(random((*batch, m, n), dtype), layout)
    k = m if complete else min(m, n)
    q, r = outputs(((*batch, m, k), dtype), ((*batch, k, n), dtype))
    expected = run_both("qr", [q, r], [a], complete=complete)
    assert_close(q, expected[0])
    assert_close(r, expected[1])
    assert_close(q @ r, a)
    assert_close(adjoint(q) @ q, np.broadcast_to(np.eye(k, dtype=dtype), (*batch, k, k)))
    if a.size:
        (alone,) = outputs((r.shape, dtype))
        abi.call("qr", [None, alone], [a], complete)
        np.testing.assert_array_equal(alone, r)


@every_dtype
@every_arrangement
@every_shape
def test_geqrf(m, n, batch, layout, dtype):
    a = lay_out(random((*batch, m, n), dtype), layout)
    outs = outputs((a.shape, dtype), ((*batch, min(m, n)), dtype))
    for actual, wanted in zip(outs, run_both("geqrf", outs, [a]), strict=True):
        assert_close(actual, wanted)


# ---- eigenvalues --------------------------------------------------------------------


@every_dtype
@every_arrangement
@every_size
@pytest.mark.parametrize("upper", [True, False])
def test_eigh(n, upper, batch, layout, dtype):
    a = random((*batch, n, n), dtype)
    a = a + adjoint(a)
    read = np.tri(n, dtype=bool).T if upper else np.tri(n, dtype=bool)
    unread = lay_out(np.where(read, a, np.nan).astype(dtype), layout)
    w, v, info = outputs(((*batch, n), real(dtype)), (a.shape, dtype), (batch, "int32"))
    expected = run_both("eigh", [w, v, info], [unread], upper=upper)
    assert_close(w, expected[0])
    assert_close(a @ v, v * w[..., None, :])
    assert_close(adjoint(v) @ v, np.broadcast_to(np.eye(n, dtype=dtype), a.shape))
    (alone,) = outputs((w.shape, w.dtype))
    abi.call("eigh", [alone, None, info], [unread], upper)
    assert_close(alone, w)
    assert not info.any()


@every_dtype
@every_arrangement
@every_size
def test_eig(n, batch, layout, dtype):
    a = lay_out(random((*batch, n, n), dtype), layout)
    dtype = np.result_type(dtype, "complex64").name
    w, v, info = outputs(((*batch, n), dtype), (a.shape, dtype), (batch, "int32"))
    expected = run_both("eig", [w, v, info], [a])
    assert_same_values(w, expected[0])
    assert_close(a @ v, v * w[..., None, :])
    if n:
        assert_close(np.linalg.norm(v, axis=-2), np.ones((*batch, n)))
    (alone,) = outputs((w.shape, dtype))
    abi.call("eig", [alone, None, info], [a])
    assert_same_values(alone, w)
    assert not info.any()


# ---- singular values ----------------------------------------------------------------


@every_dtype
@every_arrangement
@every_shape
@pytest.mark.parametrize("full", [True, False])
def test_svd(m, n, full, batch, layout, dtype):
    a = lay_out(random((*batch, m, n), dtype), layout)
    k = min(m, n)
    u, s, vh, info = outputs(
        ((*batch, m, m if full else k), dtype),
        ((*batch, k), real(dtype)),
        ((*batch, n if full else k, n), dtype),
        (batch, "int32"),
    )
    expected = run_both("svd", [u, s, vh, info], [a], full_matrices=full)
    assert_close(s, expected[1])
    assert_close((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a)
    for factor, size in ((adjoint(u) @ u, u.shape[-1]), (vh @ adjoint(vh), vh.shape[-2])):
        assert_close(factor, np.broadcast_to(np.eye(size, dtype=dtype), factor.shape))
    (alone,) = outputs((s.shape, s.dtype))
    abi.call("svd", [None, alone, None, info], [a], full)
    assert_close(alone, s)
    assert not info.any()


@every_dtype
@every_arrangement
@every_shape
def test_lstsq(m, n, batch, layout, dtype):
    a = lay_out(random((*batch, m, n), dtype), layout)
    rcond = float(np.finfo(dtype).eps) * max(m, n)
    for k in (0, 1, 4):
        b = lay_out(random((*batch, m, k), dtype, 1), layout)
        outs = outputs(
            ((*batch, n, k), dtype), (batch, "int64"), ((*batch, min(m, n)), real(dtype))
        )
        x, rank, s = run_both("lstsq", outs, [a, b], rcond=rcond)
        # errors grow with the condition number, which is some hundreds here
        assert_close(outs[0], x, 10000)
        np.testing.assert_array_equal(outs[1], rank)
        assert_close(outs[2], s)


def test_small_singular_values_count_as_zero():
    a = np.diag([2.0, 1e-9, 0.0])
    x, rank, s = outs = outputs(((3, 1), "float64"), ((), "int64"), ((3,), "float64"))
    abi.call("lstsq", outs, [a, np.ones((3, 1))], 1e-6)
    np.testing.assert_allclose(x[:, 0], [0.5, 0, 0], atol=1e-15)
    assert rank == 1
    np.testing.assert_allclose(s, [2, 1e-9, 0], atol=1e-15)


# ---- symmetric matrices -------------------------------------------------------------


@every_dtype
@every_arrangement
@every_size
@pytest.mark.parametrize("hermitian", [True, False])
def test_ldl(n, hermitian, batch, layout, dtype):
    a = random((*batch, n, n), dtype)
    a = a + (adjoint(a) if hermitian else a.swapaxes(-1, -2)) + n * np.eye(n, dtype=dtype)[::-1]
    unread = lay_out(np.where(np.tri(n, dtype=bool), a, np.nan).astype(dtype), layout)
    ld, pivots, info = outs = outputs((a.shape, dtype), ((*batch, n), "int32"), (batch, "int32"))
    expected = run_both("ldl_factor", outs, [unread], hermitian=hermitian)
    assert_close(ld, expected[0])
    np.testing.assert_array_equal(pivots, expected[1])
    assert not info.any()
    for k in (0, 1, 4):
        b = lay_out(random((*batch, n, k), dtype, 1), layout)
        (x,) = outputs((b.shape, dtype))
        abi.call("ldl_solve", [x], [ld, pivots, b], hermitian)
        assert_close(a @ x, b, 10000)


@pytest.mark.parametrize(
    "pivots", [[0, 1, 2], [4, 1, 1], [1, 2, -3], [-5, -5, 3], [-1, 2, 3], [-(2**31), 1, 1]]
)
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_pivots_that_no_factorisation_gives_are_refused(pivots, dtype):
    (x,) = outputs(((3, 1), "float64"))
    with pytest.raises(abi.KernelFailure, match="ldl_solve: pivots are not those"):
        abi.call("ldl_solve", [x], [np.eye(3), np.array(pivots, dtype), np.ones((3, 1))], False)


# ---- numbers that are none ----------------------------------------------------------


@every_dtype
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("n", [2, 5, 40])
def test_infinities_and_nan_fail_alone(n, value, dtype):
    a = np.stack([np.eye(n)] * 3).astype(dtype)
    a[1, 1, 0] = value
    w = ((3, n), np.result_type(dtype, "complex64").name)
    matrix, info = (a.shape, dtype), ((3,), "int32")
    values = ((3, n), real(dtype))
    for id, parts, params in [
        ("eigh", [values, matrix, info], [False]),
        ("eig", [w, (a.shape, w[1]), info], []),
        ("svd", [matrix, values, matrix, info], [True]),
    ]:
        outs = outputs(*parts)
        abi.call(id, outs, [a], *params)
        assert outs[-1].tolist() == [0, 1, 0]
        for out in outs[:-1]:
            assert np.isnan(out[1]).all() and np.isfinite(out[[0, 2]]).all()
    outs = outputs(((3, n, 1), dtype), ((3,), "int64"), values)
    with pytest.raises(abi.KernelFailure, match="lstsq: .* infinities or NaN"):
        abi.call("lstsq", outs, [a, np.ones((3, n, 1), dtype)], 1e-6)


@every_dtype
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_other_kernels_survive_infinities_and_nan(value, dtype):
    a = np.full((50, 50), value, dtype)
    matrix, pivots, info = (a.shape, dtype), ((50,), "int32"), ((), "int32")
    for id, parts, ins, params in [
        ("lu_factor", [matrix, pivots, info], [a], [True]),
        ("lu_factor", [matrix, pivots, info], [a], [False]),
        ("solve", [matrix, info], [a, a], []),
        ("triangular_solve", [matrix], [a, a], [True, False]),
        ("qr", [matrix, matrix], [a], [False]),
        ("geqrf", [matrix, ((50,), dtype)], [a], []),
        ("ldl_factor", [matrix, pivots, info], [a], [True]),
        (
            "lstsq",
            [matrix, ((), "int64"), ((50,), real(dtype))],
            [np.eye(50, dtype=dtype), a],
            [0.0],
        ),
    ]:
        outs = outputs(*parts)
        abi.call(id, outs, ins, *params)
        assert not np.isfinite(outs[0]).all()


def test_matrices_large_enough_for_all_threads():
    n = 1300
    a = random((n, n), "float64") + 60 * np.eye(n)
    b = random((n, 3), "float64", 1)
    outs = outputs((a.shape, "float64"), ((n,), "int32"), ((), "int32"))
    expected = run_both("lu_factor", outs, [a], pivot=True)
    assert_close(outs[0], expected[0])
    (x,), info = outputs((b.shape, "float64")), np.zeros((), "int32")
    abi.call("solve", [x, info], [a, b])
    assert_close(a @ x, b)
