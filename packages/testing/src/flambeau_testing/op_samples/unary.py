"""Elementwise functions of one tensor."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from statistics import NormalDist
from typing import Any

import numpy as np

from flambeau_testing.op_samples.declaration import FLOATS, NUMBERS, Array, Declaration, Sample


def between(low: float, high: float) -> Callable[[np.random.Generator], Iterator[Sample]]:
    """Inputs of some shapes within a range, away from its ends."""

    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        margin = 0.02 * (high - low)
        for shape in ((3, 5), (17,), (), (0, 3)):
            yield Sample((rng.uniform(low + margin, high - margin, shape),))

    return samples


def elementwise(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of Python's math module over an array."""
    return lambda x: np.array([function(v) for v in x.ravel()], dtype=float).reshape(x.shape)


def erfinv(y: float) -> float:
    return NormalDist().inv_cdf((y + 1) / 2) / math.sqrt(2)


def digamma(x: float) -> float:
    """By its recurrence up to 6, then its asymptotic series (Abramowitz and Stegun 6.3.18)."""
    total = 0.0
    while x < 6:
        total, x = total - 1 / x, x + 1
    f = 1 / (x * x)
    series = f * (1 / 12 - f * (1 / 120 - f * (1 / 252 - f * (1 / 240 - f / 132))))
    return total + math.log(x) - 0.5 / x - series


def unary(
    name: str, reference: Callable[..., Any], low: float, high: float, **settings: Any
) -> Declaration:
    settings.setdefault("inplace", True)
    return Declaration(name, reference, between(low, high), **settings)


DECLARATIONS = (
    unary("neg", np.negative, -3, 3),
    unary("abs", np.abs, 0.1, 3),
    unary("sign", np.sign, 0.1, 3),
    unary("square", np.square, -3, 3),
    unary("reciprocal", np.reciprocal, 0.3, 3),
    unary("sqrt", np.sqrt, 0.1, 4),
    unary("rsqrt", lambda x: 1 / np.sqrt(x), 0.1, 4),
    unary("exp", np.exp, -3, 3),
    unary("exp2", np.exp2, -3, 3),
    unary("expm1", np.expm1, -2, 2),
    unary("log", np.log, 0.1, 5),
    unary("log2", np.log2, 0.1, 5),
    unary("log10", np.log10, 0.1, 5),
    unary("log1p", np.log1p, -0.8, 5),
    unary("sin", np.sin, -4, 4),
    unary("cos", np.cos, -4, 4),
    unary("tan", np.tan, -1.2, 1.2),
    unary("asin", np.arcsin, -0.9, 0.9),
    unary("acos", np.arccos, -0.9, 0.9),
    unary("atan", np.arctan, -3, 3),
    unary("sinh", np.sinh, -2, 2),
    unary("cosh", np.cosh, -2, 2),
    unary("tanh", np.tanh, -2, 2),
    unary("asinh", np.arcsinh, -3, 3),
    unary("acosh", np.arccosh, 1.2, 4),
    unary("atanh", np.arctanh, -0.9, 0.9),
    unary("erf", elementwise(math.erf), -2, 2),
    unary("erfc", elementwise(math.erfc), -2, 2),
    unary("erfinv", elementwise(erfinv), -0.9, 0.9, widen=4),
    unary("lgamma", elementwise(math.lgamma), 0.5, 6, widen=4),
    unary("digamma", elementwise(digamma), 0.5, 6, widen=4),
    unary("floor", np.floor, -3, 3, differentiable=False),
    unary("ceil", np.ceil, -3, 3, differentiable=False),
    unary("trunc", np.trunc, -3, 3, differentiable=False),
    unary("round", np.round, -3, 3, differentiable=False),
    unary("sigmoid", lambda x: 1 / (1 + np.exp(-x)), -4, 4),
    unary(
        "logical_not", np.logical_not, -2, 2, dtypes=NUMBERS, differentiable=False, inplace=False
    ),
    unary("isnan", np.isnan, -2, 2, dtypes=FLOATS, differentiable=False, inplace=False),
    unary("isinf", np.isinf, -2, 2, dtypes=FLOATS, differentiable=False, inplace=False),
    unary("isfinite", np.isfinite, -2, 2, dtypes=FLOATS, differentiable=False, inplace=False),
    unary("signbit", np.signbit, -2, 2, dtypes=FLOATS, differentiable=False, inplace=False),
)
