"""Spread, order statistics, norms, distinct elements and comparisons, against NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb

NAN = float("nan")


def numbers(*shape: int) -> fb.Tensor:
    count = int(np.prod(shape))
    return fb.from_numpy(np.cos(np.arange(count) * 1.7).reshape(shape))


def close(result: fb.Tensor, expected: Any, tolerance: float = 1e-12) -> None:
    assert tuple(result.shape) == np.shape(expected)
    np.testing.assert_allclose(result.numpy(), expected, rtol=tolerance, atol=tolerance)


def test_std_and_its_call_forms() -> None:
    x = numbers(3, 4)
    a = x.numpy()
    close(fb.std(x), a.std(ddof=1))
    close(x.std(False), a.std())
    close(x.std(unbiased=False), a.std())
    close(x.std(1), a.std(1, ddof=1))
    close(x.std(dim=(0, 1), keepdim=True), a.std(ddof=1, keepdims=True))
    close(x.std(0, False), a.std(0))
    close(x.std(0, correction=2), a.std(0, ddof=2))
    deviation, mean = fb.std_mean(x, 1)
    close(deviation, a.std(1, ddof=1))
    close(mean, a.mean(1))
    variance, mean = fb.var_mean(x, 0, keepdim=True)
    close(variance, a.var(0, ddof=1, keepdims=True))
    close(mean, a.mean(0, keepdims=True))


def test_reductions_without_nan() -> None:
    x = fb.tensor([[1.0, NAN, 3.0], [NAN, NAN, 2.0]])
    assert fb.nansum(x).item() == 6.0
    assert fb.nansum(x, 1).tolist() == [4.0, 2.0]
    assert fb.nanmean(x, 1).tolist() == [2.0, 2.0]
    assert math.isnan(fb.nanmean(fb.tensor([NAN])).item())
    with pytest.raises(RuntimeError, match="floating"):
        fb.nanmean(fb.tensor([1]))


def test_aminmax() -> None:
    result = fb.aminmax(numbers(3, 4), dim=1)
    close(result.min, numbers(3, 4).numpy().min(1))
    close(result.max, numbers(3, 4).numpy().max(1))
    with pytest.raises(RuntimeError, match="aminmax"):
        fb.aminmax(fb.zeros(0))


def test_covariance() -> None:
    x = numbers(3, 5)
    close(fb.cov(x), np.cov(x.numpy()))
    close(fb.cov(x, correction=0), np.cov(x.numpy(), ddof=0))
    multiplicity, weight = np.array([1, 2, 1, 0, 3]), np.array([0.5, 1, 2, 1, 1])
    result = fb.cov(x, fweights=fb.tensor(multiplicity), aweights=fb.tensor(weight))
    close(result, np.cov(x.numpy(), fweights=multiplicity, aweights=weight))
    close(fb.corrcoef(x), np.corrcoef(x.numpy()))


def test_median_takes_the_lower_of_two() -> None:
    assert fb.median(fb.tensor([4.0, 1.0, 3.0, 2.0])).item() == 2.0
    x = fb.tensor([[5, 1, 3], [2, 9, 4]])
    result = fb.median(x, 1)
    assert result.values.tolist() == [3, 4]
    assert result.indices.tolist() == [2, 2]
    assert tuple(x.median(0, keepdim=True).values.shape) == (1, 3)


def test_median_and_nan() -> None:
    x = fb.tensor([[3.0, NAN, 1.0], [2.0, 0.0, 1.0]])
    assert math.isnan(x.median().item())
    assert x.nanmedian().item() == 1.0
    values, indices = x.median(1)
    assert math.isnan(values[0].item())
    assert indices.tolist() == [1, 2]
    assert x.nanmedian(1).values.tolist() == [1.0, 1.0]
    assert math.isnan(fb.median(fb.zeros(0)).item())


def test_kthvalue() -> None:
    x = fb.tensor([[5, 1, 3], [2, 9, 4]])
    result = fb.kthvalue(x, 2)
    assert result.values.tolist() == [3, 4]
    assert result.indices.tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="k=4"):
        fb.kthvalue(x, 4)


def test_mode() -> None:
    x = fb.tensor([[3, 1, 3, 2, 1], [2, 2, 0, 1, 4]])
    result = fb.mode(x, 1)
    assert result.values.tolist() == [1, 2]
    for row, (value, index) in enumerate(zip(result.values.tolist(), result.indices.tolist())):
        assert x[row, index].item() == value


@pytest.mark.parametrize("how", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantile(how: str) -> None:
    x = numbers(4, 5)
    q = [0.0, 0.1, 0.5, 0.77, 1.0]
    expected = np.quantile(x.numpy(), q, axis=1, method=how)
    close(fb.quantile(x, fb.tensor(q, dtype=fb.float64), dim=1, interpolation=how), expected)
    close(fb.quantile(x, 0.3, interpolation=how), np.quantile(x.numpy(), 0.3, method=how))


def test_quantile_and_nan() -> None:
    x = fb.tensor([[1.0, NAN, 3.0], [1.0, 2.0, 3.0]])
    first, second = fb.quantile(x, 0.5, dim=1).tolist()
    assert math.isnan(first) and second == 2.0
    assert fb.nanquantile(x, 0.5, dim=1).tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match=r"\[0, 1\]"):
        fb.quantile(x, 1.5)


@pytest.mark.parametrize("p", [0, 0.5, 1, 2, 3, math.inf, -math.inf])
def test_norm(p: float) -> None:
    x = numbers(3, 4)
    close(fb.norm(x, p, dim=1), np.linalg.norm(x.numpy(), p, axis=1))
    close(x.norm(p), np.linalg.norm(x.numpy().reshape(-1), p))


def test_nuclear_norm() -> None:
    x = numbers(2, 4, 3)
    close(fb.norm(x, "nuc", dim=(1, 2)), np.linalg.norm(x.numpy(), "nuc", axis=(1, 2)), 1e-10)
    # A matrix of rank one has one singular value.
    assert fb.norm(fb.outer(fb.ones(3), fb.ones(12)), "nuc").item() == pytest.approx(6.0)
    assert fb.norm(fb.zeros(2, 2), "nuc").item() == 0.0
    with pytest.raises(RuntimeError, match="2 dimensions"):
        fb.norm(fb.ones(3), "nuc")


def test_norm_forms() -> None:
    x = numbers(3, 4)
    close(fb.norm(x), np.linalg.norm(x.numpy()))
    close(x.norm("fro", dim=(0, 1), keepdim=True), [[np.linalg.norm(x.numpy())]])
    assert fb.norm(fb.tensor([3.0, 4.0])).item() == 5.0
    assert fb.norm(fb.tensor([3.0, 4.0]), dtype=fb.float64).dtype == fb.float64
    # 300 ** 2 is beyond float16; the norm is not.
    assert fb.norm(fb.tensor([300.0, 400.0], dtype=fb.float16)).item() == 500.0
    with pytest.raises(RuntimeError, match="floating point"):
        fb.norm(fb.tensor([1, 2]))


def test_dist_and_renorm() -> None:
    a, b = numbers(3), numbers(3) + 1
    close(fb.dist(a, b, 1), 3.0)
    x = fb.tensor([[3.0, 4.0], [0.3, 0.4]], dtype=fb.float64)
    close(fb.renorm(x, 2, 0, 1.0), [[0.6, 0.8], [0.3, 0.4]], 1e-6)


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.0, math.inf])
def test_cdist(p: float) -> None:
    a, b = numbers(2, 3, 4), numbers(2, 5, 4) + 0.2
    difference = np.abs(a.numpy()[:, :, None] - b.numpy()[:, None])
    close(fb.cdist(a, b, p), np.linalg.norm(difference, p, axis=-1))


def test_cdist_by_matrix_product() -> None:
    a = numbers(40, 3)
    b = a.flip(1) + 1
    close(fb.cdist(a, b), fb.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist").numpy(), 1e-7)


def test_closeness() -> None:
    a = fb.tensor([1.0, 1.0, NAN, math.inf])
    b = fb.tensor([1.0 + 1e-6, 1.1, NAN, math.inf])
    assert fb.isclose(a, b).tolist() == [True, False, False, True]
    assert fb.isclose(a, b, equal_nan=True).tolist() == [True, False, True, True]
    assert fb.allclose(a[:1], b[:1]) is True
    assert fb.allclose(a, b) is False
    assert fb.isclose(fb.tensor([10**9]), fb.tensor([10**9 + 1]), rtol=0, atol=0.5).tolist() == [
        False
    ]
    with pytest.raises(RuntimeError, match="atol"):
        fb.isclose(a, b, atol=-1.0)


def test_equal() -> None:
    assert fb.equal(fb.tensor([1, 2]), fb.tensor([1, 2])) is True
    assert fb.equal(fb.tensor([1, 2]), fb.tensor([[1, 2]])) is False
    assert fb.equal(fb.tensor([NAN]), fb.tensor([NAN])) is False
    assert fb.equal(fb.zeros(0), fb.zeros(0)) is True


def test_isin() -> None:
    x = fb.tensor([[1, 2], [3, 4]])
    assert fb.isin(x, fb.tensor([2, 4, 9])).tolist() == [[False, True], [False, True]]
    assert fb.isin(x, fb.tensor([2]), invert=True).tolist() == [[True, False], [True, True]]
    assert fb.isin(x, 3).tolist() == [[False, False], [True, False]]
    assert fb.isin(x, fb.zeros(0)).any().item() is False


def test_unique() -> None:
    x = fb.tensor([[3, 1], [1, 2]])
    values, inverse, counts = fb.unique(x, return_inverse=True, return_counts=True)
    assert values.tolist() == [1, 2, 3]
    assert inverse.tolist() == [[2, 0], [0, 1]]
    assert counts.tolist() == [2, 1, 1]
    assert fb.unique(fb.tensor([True, False, True])).tolist() == [False, True]
    assert fb.unique(fb.tensor([NAN, NAN, 1.0])).shape[0] == 3
    assert fb.unique(fb.zeros(0)).tolist() == []


def test_unique_slices() -> None:
    x = fb.tensor([[1, 2, 1], [0, 5, 0]])
    values, inverse, counts = x.unique(return_inverse=True, return_counts=True, dim=1)
    assert values.tolist() == [[1, 2], [0, 5]]
    assert inverse.tolist() == [0, 1, 0]
    assert counts.tolist() == [2, 1]


def test_unique_consecutive() -> None:
    x = fb.tensor([1, 1, 2, 2, 2, 1])
    values, inverse, counts = fb.unique_consecutive(x, return_inverse=True, return_counts=True)
    assert values.tolist() == [1, 2, 1]
    assert inverse.tolist() == [0, 0, 1, 1, 1, 2]
    assert counts.tolist() == [2, 3, 1]


def test_bins() -> None:
    edges = fb.tensor([1, 3, 5])
    assert fb.bucketize(fb.tensor([0, 1, 2, 5, 9]), edges).tolist() == [0, 0, 1, 2, 3]
    assert fb.bucketize(fb.tensor([1, 5]), edges, right=True).tolist() == [1, 3]
    x = numbers(50)
    assert fb.histc(x, 7).tolist() == np.histogram(x.numpy(), 7)[0].tolist()
    assert fb.histc(fb.tensor([0.0, 1.0, 2.0, 9.0]), 2, 0, 2).tolist() == [1.0, 2.0]


def test_differences_and_integrals() -> None:
    y = numbers(3, 5)
    close(fb.diff(y, 2), np.diff(y.numpy(), 2))
    close(fb.diff(y, dim=0, prepend=y[:1]), np.diff(y.numpy(), axis=0, prepend=y.numpy()[:1]))
    assert fb.diff(fb.tensor([True, False, False])).tolist() == [True, False]
    x = fb.tensor([0.0, 0.5, 0.7, 2.0, 2.1], dtype=fb.float64)
    close(fb.trapezoid(y, x), np.trapezoid(y.numpy(), x.numpy()))
    close(fb.trapezoid(y, dx=0.5, dim=0), np.trapezoid(y.numpy(), dx=0.5, axis=0))
    close(fb.cumulative_trapezoid(y, x)[:, -1], np.trapezoid(y.numpy(), x.numpy()))


def test_logsumexp_of_large_complex_numbers() -> None:
    x = fb.tensor([1000 + 1j, 1000 + 1j], dtype=fb.complex128)
    value = fb.logsumexp(x, 0).item()
    assert value == pytest.approx(1000 + math.log(2) + 1j, rel=1e-12)


def test_no_difference_is_the_tensor_itself() -> None:
    x = numbers(2, 3)
    close(fb.diff(x, 0, prepend=x, append=x), x.numpy())


def test_quantiles_of_one_number_know_their_dimensions() -> None:
    x = fb.tensor(2.5)
    assert fb.quantile(x, 0.5, dim=-1) == 2.5
    for function in (fb.quantile, fb.nanquantile):
        with pytest.raises(IndexError, match="17"):
            function(x, 0.5, dim=17)
