"""Window functions, against published values and the formulas of Harris (1978)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb

windows = fb.signal.windows
NAMES = windows.__all__
NEEDED: dict[str, dict[str, Any]] = {"general_cosine": {"a": [0.5, 0.3, 0.2]}}


def made(name: str, M: int, **options: Any) -> fb.Tensor:
    function: Callable[..., fb.Tensor] = getattr(windows, name)
    return function(M, **{**NEEDED.get(name, {}), "dtype": fb.float64, **options})


def bessel_i0(x: float) -> float:
    """The power series (Abramowitz and Stegun 9.6.12)."""
    return math.fsum((x / 2) ** (2 * k) / math.factorial(k) ** 2 for k in range(60))


# Values of SciPy's and MATLAB's documentation, to the digits that are printed there.
@pytest.mark.parametrize(
    ("name", "options", "values"),
    [
        ("hann", {}, [0, 0.25, 0.75, 1, 0.75, 0.25, 0]),
        ("hamming", {}, [0.08, 0.31, 0.77, 1, 0.77, 0.31, 0.08]),
        ("blackman", {}, [0, 0.13, 0.63, 1, 0.63, 0.13, 0]),
        ("bartlett", {}, [0, 1 / 3, 2 / 3, 1, 2 / 3, 1 / 3, 0]),
        ("nuttall", {}, [0.0003628, 0.0613345, 0.5292298, 1, 0.5292298, 0.0613345, 0.0003628]),
        ("general_hamming", {"alpha": 0.7}, [0.4, 0.55, 0.85, 1, 0.85, 0.55, 0.4]),
    ],
)
def test_seven_points(name: str, options: dict[str, Any], values: list[float]) -> None:
    np.testing.assert_allclose(made(name, 7, **options).numpy(), values, atol=1e-7)


def test_cosine_samples_the_middle_of_its_steps() -> None:
    expected = [math.sin(math.pi * (n + 0.5) / 5) for n in range(5)]
    np.testing.assert_allclose(made("cosine", 5).numpy(), expected, rtol=1e-14)
    expected = [math.sin(math.pi * (n + 0.5) / 6) for n in range(5)]
    np.testing.assert_allclose(made("cosine", 5, sym=False).numpy(), expected, rtol=1e-14)


def test_exponential_and_its_centre() -> None:
    expected = np.exp(-np.abs(np.arange(5) - 2) / 3)
    np.testing.assert_allclose(made("exponential", 5, tau=3.0).numpy(), expected, rtol=1e-14)
    expected = np.exp(-np.abs(np.arange(5) - 0.5))
    window = made("exponential", 5, center=0.5, sym=False)
    np.testing.assert_allclose(window.numpy(), expected, rtol=1e-14)


def test_gaussian() -> None:
    expected = np.exp(-0.5 * ((np.arange(6) - 2.5) / 1.5) ** 2)
    np.testing.assert_allclose(made("gaussian", 6, std=1.5).numpy(), expected, rtol=1e-14)


@pytest.mark.parametrize("beta", [0.0, 2.0, 8.6, 14.0])
@pytest.mark.parametrize("sym", [True, False])
def test_kaiser(beta: float, sym: bool) -> None:
    half = (8 if sym else 9) / 2
    expected = [
        bessel_i0(beta * math.sqrt(max(0, 1 - ((n - half) / half) ** 2))) / bessel_i0(beta)
        for n in range(9)
    ]
    np.testing.assert_allclose(made("kaiser", 9, beta=beta, sym=sym).numpy(), expected, rtol=1e-6)
    older = fb.kaiser_window(9, not sym, beta, dtype=fb.float64)
    np.testing.assert_allclose(older.numpy(), expected, rtol=1e-6)


def test_kaiser_does_not_overflow() -> None:
    window = made("kaiser", 5, beta=2000.0)
    assert window[2].item() == 1
    assert bool(window.isfinite().all())


@pytest.mark.parametrize("name", NAMES)
def test_periodic_windows_are_symmetric_ones_without_the_last_point(name: str) -> None:
    longer = made(name, 9).numpy()
    np.testing.assert_allclose(made(name, 8, sym=False).numpy(), longer[:8], rtol=1e-12, atol=1e-16)
    np.testing.assert_allclose(longer, longer[::-1], rtol=1e-9, atol=1e-16)


@pytest.mark.parametrize("name", NAMES)
def test_options(name: str) -> None:
    assert made(name, 0).shape == (0,)
    assert made(name, 1).tolist() == [1.0]
    assert made(name, 1, sym=False).tolist() == [1.0]
    window = made(name, 4, dtype=None, requires_grad=True, device="cpu", layout=fb.strided)
    assert window.dtype == fb.float32
    assert window.is_leaf and window.requires_grad


@pytest.mark.parametrize("name", NAMES)
def test_refused_by_all(name: str) -> None:
    with pytest.raises(ValueError, match="non-negative window length, got M=-1"):
        made(name, -1)
    with pytest.raises(ValueError, match="float32 or float64"):
        made(name, 3, dtype=fb.int64)
    with pytest.raises(ValueError, match="float32 or float64"):
        made(name, 3, dtype=fb.float16)
    with pytest.raises(ValueError, match="strided"):
        made(name, 3, layout=fb.sparse_coo)
    with pytest.raises(TypeError):
        made(name, 2.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "options", "error"),
    [
        ("exponential", {"tau": 0}, ValueError),
        ("exponential", {"center": 1.0}, ValueError),
        ("gaussian", {"std": -1.0}, ValueError),
        ("kaiser", {"beta": -1.0}, ValueError),
        ("general_cosine", {"a": []}, ValueError),
        ("general_cosine", {"a": "ab"}, ValueError),
        ("general_cosine", {"a": 3.0}, TypeError),
    ],
)
def test_parameters_out_of_range(
    name: str, options: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error, match=name):
        made(name, 4, **options)


def test_kaiser_window_of_the_namespace() -> None:
    assert fb.kaiser_window(0).shape == (0,)
    assert fb.kaiser_window(1).tolist() == [1.0]
    assert fb.kaiser_window(4, dtype=fb.bfloat16).dtype == fb.bfloat16
    assert fb.kaiser_window(4, requires_grad=True).requires_grad
    with pytest.raises(RuntimeError, match="non-negative"):
        fb.kaiser_window(-1)
    with pytest.raises(RuntimeError, match="floating point"):
        fb.kaiser_window(3, dtype=fb.int64)
