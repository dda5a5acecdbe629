"""Composed elementwise functions and sequences, against their formulas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb

INF, NAN = math.inf, math.nan


def close(result: fb.Tensor, expected: Any) -> None:
    np.testing.assert_allclose(
        result.to(fb.float64).numpy(), np.asarray(expected, dtype=float), rtol=1e-6, atol=1e-7
    )


def test_parts_and_angles() -> None:
    close(fb.frac(fb.tensor([1.5, -1.5, 2.0])), [0.5, -0.5, 0.0])
    close(fb.deg2rad(fb.tensor([180.0, -90.0])), [math.pi, -math.pi / 2])
    close(fb.rad2deg(fb.tensor([math.pi])), [180.0])
    assert fb.deg2rad(fb.tensor([180])).dtype == fb.float32


def test_logit() -> None:
    x = fb.tensor([0.25, 0.5, 0.0, 1.0])
    close(fb.logit(x), [math.log(1 / 3), 0.0, -INF, INF])
    close(fb.logit(fb.tensor([0.0, 1.0]), 0.1), [math.log(1 / 9), math.log(9)])


def test_heaviside() -> None:
    x = fb.tensor([-1.0, 0.0, 2.0, NAN])
    assert fb.heaviside(x, fb.tensor(0.5)).tolist() == [0.0, 0.5, 1.0, 0.0]
    with pytest.raises(RuntimeError, match="dtypes"):
        fb.heaviside(x, fb.tensor(1))


def test_powers() -> None:
    close(fb.ldexp(fb.tensor([3.0]), fb.tensor([4])), [48.0])
    result = fb.float_power(fb.tensor([2, 3]), 2)
    assert result.dtype == fb.float64
    assert result.tolist() == [4.0, 9.0]
    assert fb.float_power(2, fb.tensor([0.5])).item() == 2.0**0.5


def test_logaddexp2() -> None:
    a, b = fb.tensor([1.0, -INF, INF, 2000.0]), fb.tensor([1.0, -INF, INF, 2000.0])
    assert fb.logaddexp2(a, b).tolist() == [2.0, -INF, INF, 2001.0]


def test_sinc_at_zero() -> None:
    close(fb.sinc(fb.tensor([0.0, 0.5, 1.0])), [1.0, 2 / math.pi, 0.0])


def test_nan_to_num() -> None:
    x = fb.tensor([NAN, INF, -INF, 1.0])
    largest = fb.finfo(fb.float32).max
    assert fb.nan_to_num(x).tolist() == [0.0, largest, -largest, 1.0]
    assert fb.nan_to_num(x, 7.0, 8.0, 9.0).tolist() == [7.0, 8.0, 9.0, 1.0]
    assert fb.nan_to_num(fb.tensor([3])).tolist() == [3]


def test_one_sided_clamps() -> None:
    x = fb.tensor([1, 5, 3])
    assert fb.clamp_min(x, 3).tolist() == [3, 5, 3]
    assert x.clamp_max(fb.tensor([0, 9, 2])).tolist() == [0, 5, 2]
    assert x.clamp_min_(2).tolist() == [2, 5, 3]
    assert x.tolist() == [2, 5, 3]


def test_logspace() -> None:
    close(fb.logspace(0, 2, 3), [1.0, 10.0, 100.0])
    close(fb.logspace(1, 3, 3, base=2), [2.0, 4.0, 8.0])
    assert tuple(fb.logspace(0, 1, 0).shape) == (0,)


@pytest.mark.parametrize("increasing", [True, False])
@pytest.mark.parametrize("columns", [None, 0, 1, 2, 5])
def test_vander(columns: int | None, increasing: bool) -> None:
    x = np.array([1, 2, 3])
    expected = np.vander(x, columns, increasing)
    assert fb.vander(fb.tensor(x), columns, increasing).tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["hann", "hamming", "blackman", "bartlett"])
def test_windows(name: str) -> None:
    window = getattr(fb, f"{name}_window")
    reference = {"hann": np.hanning}.get(name) or getattr(np, name)
    close(window(7, periodic=False), reference(7))
    close(window(8), reference(9)[:8])
    assert window(1).tolist() == [1.0]
    assert tuple(window(0).shape) == (0,)
    with pytest.raises(RuntimeError, match="-1"):
        window(-1)


def test_logcumsumexp() -> None:
    x = fb.tensor([[1.0, 1000.0, -INF, 2.0, 3.0], [-INF, -INF, 0.0, 0.5, 0.25]])
    expected = [
        [1.0, 1000.0, 1000.0, 1000.0, 1000.0],
        [
            -INF,
            -INF,
            0.0,
            math.log(1 + math.exp(0.5)),
            math.log(1 + math.exp(0.5) + math.exp(0.25)),
        ],
    ]
    close(fb.logcumsumexp(x, 1), expected)


def test_isin_of_two_numbers() -> None:
    with pytest.raises(TypeError, match="isin"):
        fb.isin(1.0, 2.0)  # type: ignore[call-overload]
