"""Fourier transforms: definitions, complex gradients, arguments, errors.

Values and gradients of real inputs and of complex ones in parts are among the samples of
op_samples; here the same against the sums that define a transform, with every argument.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb
from flambeau_testing import gradcheck, gradgradcheck

FORWARD = ("fft", "rfft", "hfft")
INVERSE = {"fft": "ifft", "rfft": "irfft", "hfft": "ihfft"}


def numbers(*shape: int, complex_: bool = False) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(7)
    x = rng.uniform(-1, 1, shape)
    return x + 1j * rng.uniform(-1, 1, shape) if complex_ else x


def definition(x: Any, sign: int) -> Any:
    """The sums along the last dimension, term by term."""
    n = x.shape[-1]
    result = np.zeros(x.shape, complex)
    for k, j in itertools.product(range(n), range(n)):
        result[..., k] += x[..., j] * np.exp(sign * 2j * np.pi * j * k / n)
    return result


def close(result: fb.Tensor, expected: Any, tolerance: float = 1e-12) -> None:
    assert tuple(result.shape) == np.shape(expected)
    np.testing.assert_allclose(result.detach().numpy(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 15])
def test_one_dimension_by_its_definition(n: int) -> None:
    x, z = numbers(2, n), numbers(2, n, complex_=True)
    close(fb.fft.fft(fb.from_numpy(z)), definition(z, -1))
    close(fb.fft.ifft(fb.from_numpy(z)), definition(z, 1) / n)
    half = definition(x, -1)[:, : n // 2 + 1]
    close(fb.fft.rfft(fb.from_numpy(x)), half)
    close(fb.fft.irfft(fb.from_numpy(half), n), x)
    close(fb.fft.ihfft(fb.from_numpy(x)), half.conj() / n)
    close(fb.fft.hfft(fb.from_numpy(half.conj()), n), x * n)


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("name", FORWARD)
def test_inverses(name: str, norm: str | None) -> None:
    x = fb.from_numpy(numbers(3, 6, complex_=name == "fft"))
    first, second = (name, INVERSE[name]) if name != "hfft" else ("ihfft", "hfft")
    for suffix, arguments in (("", (6,)), ("2", ((3, 6),)), ("n", ((3, 6),))):
        there = getattr(fb.fft, first + suffix)(x, norm=norm)
        back = getattr(fb.fft, second + suffix)(there, *arguments, norm=norm)
        close(back, x.numpy())


def test_lengths_cut_and_fill_with_zeros() -> None:
    x = numbers(5)
    close(fb.fft.fft(fb.from_numpy(x), 3), definition(x[:3], -1))
    close(fb.fft.fft(fb.from_numpy(x), 7), definition(np.pad(x, (0, 2)), -1))
    z = fb.from_numpy(numbers(4, complex_=True))
    assert fb.fft.irfft(z).shape == (6,)
    assert fb.fft.irfft(z, 7).shape == (7,)
    y = fb.ones(3, 4, 5)
    assert fb.fft.fftn(y, (2, 2)).shape == (3, 2, 2)
    assert fb.fft.rfftn(y, (-1, 6), (0, 1)).shape == (3, 4, 5)
    assert fb.fft.irfftn(y, (6, -1), (0, 1)).shape == (6, 6, 5)
    assert fb.fft.rfft2(y, dim=(2, 0)).shape == (2, 4, 5)


def test_imaginary_parts_that_a_hermitian_spectrum_lacks_are_passed_over() -> None:
    plain = fb.tensor([1 + 0j, 2 - 1j, 3 + 0j])
    extra = fb.tensor([1 + 5j, 2 - 1j, 3 - 7j])
    assert fb.fft.irfft(extra).tolist() == fb.fft.irfft(plain).tolist()


def test_no_dimensions() -> None:
    assert fb.fft.fftn(fb.tensor(2.0)).tolist() == 2 + 0j
    assert fb.fft.ifftn(fb.ones(2), dim=()).tolist() == [1 + 0j, 1 + 0j]
    x = fb.ones(2, dtype=fb.complex64)
    assert fb.fft.fftn(x, dim=()).data_ptr() != x.data_ptr()


def test_empty_batches() -> None:
    assert fb.fft.rfft(fb.ones(0, 4)).shape == (0, 3)
    assert fb.fft.irfft(fb.ones(0, 3)).shape == (0, 4)


def test_dtypes() -> None:
    assert fb.fft.fft(fb.ones(4)).dtype == fb.complex64
    assert fb.fft.fft(fb.ones(4, dtype=fb.float64)).dtype == fb.complex128
    assert fb.fft.irfft(fb.ones(4, dtype=fb.complex128)).dtype == fb.float64
    for dtype in (fb.bool, fb.uint8, fb.int64):
        assert fb.fft.fft(fb.ones(4, dtype=dtype)).tolist() == [4 + 0j, 0j, 0j, 0j]
        assert fb.fft.hfft(fb.ones(4, dtype=dtype)).dtype == fb.float32
    fb.set_default_dtype(fb.float64)
    try:
        assert fb.fft.rfft(fb.arange(4)).dtype == fb.complex128
    finally:
        fb.set_default_dtype(fb.float32)
    for dtype in (fb.float16, fb.bfloat16):
        with pytest.raises(RuntimeError, match="unsupported dtype"):
            fb.fft.fft(fb.ones(4, dtype=dtype))


def test_strided_inputs() -> None:
    z = numbers(6, 4, complex_=True)
    t = fb.from_numpy(z)
    close(fb.fft.fft(t[::2].t(), dim=0), definition(z[::2], -1).T)
    close(fb.fft.ifft(t.t()), definition(z.T.copy(), 1) / 6)


def test_out() -> None:
    out = fb.empty(0, dtype=fb.complex128)
    assert fb.fft.rfft(fb.ones(4), out=out) is out
    assert out.tolist() == [4 + 0j, 0j, 0j]
    with pytest.raises(RuntimeError):
        fb.fft.fft(fb.ones(4), out=fb.empty(4))


def of_parts(function: Callable[..., fb.Tensor]) -> Callable[..., fb.Tensor]:
    """A function of complex numbers as one of their parts, which gradcheck can vary."""

    def call(parts: fb.Tensor) -> fb.Tensor:
        result = function(fb.view_as_complex(parts))
        return fb.view_as_real(result) if result.is_complex() else result

    return call


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("fft", (5, 0, "ortho")),
        ("ifft2", ((2, 4),)),
        ("irfft", (5, 0)),
        ("irfft", (6, 1, "forward")),
        ("irfftn", ((3, 5), (1, 0))),
        ("hfft2", ((3, 4),)),
    ],
)
def test_gradients_of_complex_inputs(name: str, arguments: tuple[Any, ...]) -> None:
    parts = fb.from_numpy(numbers(3, 4, 2)).requires_grad_()
    function = of_parts(lambda z: getattr(fb.fft, name)(z, *arguments))
    assert gradcheck(function, [parts])
    assert gradgradcheck(function, [parts])


@pytest.mark.parametrize("n", [4, 5])
def test_gradients_of_half_spectra(n: int) -> None:
    """Most frequencies of a half stand for two, zero and half the rate for one."""
    x = fb.from_numpy(numbers(3, n)).requires_grad_()
    for function in (fb.fft.rfft2, fb.fft.ihfftn):
        assert gradcheck(lambda x, f=function: fb.view_as_real(f(x)), [x])
        assert gradgradcheck(lambda x, f=function: fb.view_as_real(f(x)), [x])


def test_gradient_is_the_adjoint_in_the_convention_of_complex_numbers() -> None:
    """For L = |y|^2 of y = F x the gradient is 2 F^H F x = 2 n x."""
    z = fb.from_numpy(numbers(5, complex_=True)).requires_grad_()
    fb.fft.fft(z).abs().square().sum().backward()
    assert z.grad is not None
    close(z.grad, 10 * z.detach().numpy(), 1e-10)


def test_frequencies() -> None:
    assert fb.fft.fftfreq(5).tolist() == pytest.approx([0, 0.2, 0.4, -0.4, -0.2])
    assert fb.fft.fftfreq(4, 0.5).tolist() == [0.0, 0.5, -1.0, -0.5]
    assert fb.fft.rfftfreq(4, d=0.5).tolist() == [0.0, 0.5, 1.0]
    assert fb.fft.rfftfreq(5).tolist() == pytest.approx([0, 0.2, 0.4])
    assert fb.fft.fftfreq(0).shape == (0,)
    wide = fb.fft.fftfreq(3, dtype=fb.float64, requires_grad=True)
    assert wide.dtype == fb.float64 and wide.requires_grad
    out = fb.empty(4)
    assert fb.fft.fftfreq(4, out=out) is out
    for function in (fb.fft.fftfreq, fb.fft.rfftfreq):
        with pytest.raises(RuntimeError, match="floating point"):
            function(4, dtype=fb.int64)
        with pytest.raises(RuntimeError, match="non-negative"):
            function(-1)
        with pytest.raises(TypeError):
            function(4.0)


def test_shifts() -> None:
    assert fb.fft.fftshift(fb.arange(5)).tolist() == [3, 4, 0, 1, 2]
    assert fb.fft.ifftshift(fb.arange(5)).tolist() == [2, 3, 4, 0, 1]
    x = fb.arange(6).reshape(2, 3)
    assert fb.fft.fftshift(x).tolist() == [[5, 3, 4], [2, 0, 1]]
    assert fb.fft.fftshift(x, 1).tolist() == [[2, 0, 1], [5, 3, 4]]
    assert fb.fft.ifftshift(fb.fft.fftshift(x, (0, 1)), (0, 1)).equal(x)
    with pytest.raises(IndexError):
        fb.fft.fftshift(x, 2)


X = fb.ones(3, 4)


@pytest.mark.parametrize(
    ("name", "arguments", "error", "text"),
    [
        ("fft", (fb.tensor(1.0),), IndexError, "no dimensions"),
        ("fft", (X, None, 2), IndexError, "out of range"),
        ("fft2", (X[0],), IndexError, "out of range"),
        ("fft", (X, 0), RuntimeError, r"data points \(0\)"),
        ("fft", (X, -1), RuntimeError, r"data points \(-1\)"),
        ("rfft", (fb.ones(0),), RuntimeError, r"data points \(0\).*shape \(0,\)"),
        ("irfft", (fb.ones(1),), RuntimeError, r"data points \(0\)"),
        ("fftn", (X, (-2, 4)), RuntimeError, r"data points \(-2\)"),
        ("irfftn", (X, (0, 4)), RuntimeError, r"data points \(0\)"),
        ("fft", (X, None, 0, "both"), RuntimeError, "normalization mode 'both'"),
        ("rfftn", (X, None, None, ""), RuntimeError, "normalization mode"),
        ("fftn", (X, None, (0, -2)), RuntimeError, "unique"),
        ("fftn", (X, (2, 2), (0,)), RuntimeError, "same length"),
        ("fftn", (X, (2, 2, 2)), RuntimeError, "more lengths"),
        ("rfftn", (fb.tensor(1.0),), RuntimeError, "at least one"),
        ("irfft2", (X, None, ()), RuntimeError, "at least one"),
        ("rfft", (X.to(fb.complex64),), RuntimeError, "real input"),
        ("ihfftn", (X.to(fb.complex64),), RuntimeError, "real input"),
        ("fft", (X, 2.5), TypeError, "'n'"),
        ("fft2", (X, None, None), TypeError, "'dim'"),
    ],
)
def test_errors(name: str, arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        getattr(fb.fft, name)(*arguments)
