"""Mantissas and exponents against Python's ``math.frexp``, and signed infinities."""

from __future__ import annotations

import math

import pytest

import flambeau_core as fb
from flambeau_testing import gradcheck, gradgradcheck

INF = math.inf


def test_frexp() -> None:
    values = [0.0, 1.0, 8.0, -3.0, 0.999999, 5e-324, 1e-310, 1.7e308, 0.5, -1e-5]
    mantissa, exponent = fb.frexp(fb.tensor(values, dtype=fb.float64))
    assert exponent.dtype == fb.int32
    expected = [math.frexp(v) for v in values]
    assert mantissa.tolist() == [m for m, _ in expected]
    assert exponent.tolist() == [e for _, e in expected]


@pytest.mark.parametrize("dtype", [fb.float16, fb.bfloat16, fb.float32])
def test_frexp_of_narrow_dtypes(dtype: fb.dtype) -> None:
    limits = fb.finfo(dtype)
    values = [limits.max, limits.tiny, limits.tiny / 4, 1 - limits.eps / 2, 3.0, -0.375]
    x = fb.tensor(values, dtype=dtype)
    result = x.frexp()
    assert result.mantissa.dtype == dtype
    expected = [math.frexp(v) for v in x.tolist()]
    assert result.mantissa.tolist() == [m for m, _ in expected]
    assert result.exponent.tolist() == [e for _, e in expected]


def test_frexp_of_what_has_no_exponent() -> None:
    mantissa, exponent = fb.frexp(fb.tensor([INF, -INF, math.nan, -0.0]))
    assert mantissa.tolist()[:2] == [INF, -INF]
    assert mantissa[2].isnan()
    assert math.copysign(1, mantissa[3].item()) == -1
    assert exponent.tolist() == [0, 0, 0, 0]
    with pytest.raises(RuntimeError, match="floating-point"):
        fb.frexp(fb.tensor([1]))


def test_frexp_gradient() -> None:
    x = fb.tensor([0.3, -7.0, 40.0], dtype=fb.float64, requires_grad=True)
    assert gradcheck(lambda x: fb.frexp(x).mantissa, [x])
    assert gradgradcheck(lambda x: fb.frexp(x).mantissa ** 2, [x])
    assert not fb.frexp(x).exponent.requires_grad


def test_frexp_out() -> None:
    outs = fb.empty(0), fb.empty(0, dtype=fb.int32)
    fb.frexp(fb.tensor([6.0]), out=outs)
    assert (outs[0].item(), outs[1].item()) == (0.75, 3)


def test_signed_infinities() -> None:
    x = fb.tensor([INF, -INF, math.nan, 1.0])
    assert fb.isposinf(x).tolist() == [True, False, False, False]
    assert x.isneginf().tolist() == [False, True, False, False]
    assert fb.isposinf(fb.tensor([1, 2])).tolist() == [False, False]
    with pytest.raises(RuntimeError, match="complex"):
        fb.isneginf(fb.tensor([1j]))
