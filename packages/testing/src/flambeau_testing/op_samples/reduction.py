"""Reductions over all dimensions, one, or several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from flambeau_testing.op_samples.declaration import FLOATS, NUMBERS, Array, Declaration, Sample


def over(low: float, high: float, several: bool = True, whole: bool = True) -> Any:
    """Inputs whose values all differ, so that a greatest one has a gradient."""

    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        x = rng.permutation(np.linspace(low, high, 24)).reshape(2, 3, 4)
        if whole:
            yield Sample((x,))
            yield Sample((rng.uniform(low, high, ()),))
        yield Sample((x,), {"dim": 1})
        yield Sample((x,), {"dim": -1, "keepdim": True})
        if several:
            yield Sample((x,), {"dim": (0, 2)})
            yield Sample((np.zeros((3, 0)) + low,), {"dim": 0})

    return samples


def numpy_form(function: Callable[..., Any], **fixed: Any) -> Callable[..., Any]:
    """NumPy says axis and keepdims."""

    def reduce(x: Array, dim: Any = None, keepdim: bool = False, **named: Any) -> Any:
        return function(x, axis=dim, keepdims=keepdim, **named, **fixed)

    return reduce


def logsumexp(x: Array, dim: int, keepdim: bool = False) -> Any:
    return np.log(np.exp(x).sum(axis=dim, keepdims=keepdim))


def norm(x: Array, dim: Any = None, keepdim: bool = False) -> Any:
    return np.sqrt((x * x).sum(axis=dim, keepdims=keepdim))


def spread_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = rng.uniform(-2, 2, (3, 5))
    yield Sample((x,))
    yield Sample((x,), {"dim": 1})
    yield Sample((x,), {"dim": (0, 1), "keepdim": True})
    yield Sample((x,), {"dim": 0, "correction": 0})


def variance(x: Array, dim: Any = None, keepdim: bool = False, correction: int = 1) -> Any:
    return np.var(x, axis=dim, keepdims=keepdim, ddof=correction)


def logic_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = rng.integers(0, 2, (4, 3)).astype(float)
    yield Sample((x,))
    yield Sample((x,), {"dim": 0})
    yield Sample((np.ones((2, 3)),), {"dim": -1, "keepdim": True})
    yield Sample((np.zeros((0, 2)),), {"dim": 0})


# PyTorch keeps uint8 for these two, from the time when it stood for bool.
LOGIC = tuple(dtype for dtype in NUMBERS if dtype != "uint8")
DECLARATIONS = (
    Declaration("sum", numpy_form(np.sum), over(-2, 2), widen=4),
    Declaration("mean", numpy_form(np.mean), over(-2, 2, several=False), widen=4),
    Declaration("prod", numpy_form(np.prod), over(0.5, 1.5, several=False), widen=8),
    Declaration("amax", numpy_form(np.max), lambda rng: list(over(-2, 2)(rng))[:-1]),
    Declaration("amin", numpy_form(np.min), lambda rng: list(over(-2, 2)(rng))[:-1]),
    Declaration("logsumexp", logsumexp, over(-2, 2, several=False, whole=False), widen=4),
    Declaration("norm", norm, over(0.5, 2, several=False), widen=4),
    Declaration("var", variance, spread_samples, widen=4),
    Declaration("std", lambda *a, **k: np.sqrt(variance(*a, **k)), spread_samples, widen=4),
    Declaration("argmax", numpy_form(np.argmax), over(-2, 2, several=False), differentiable=False),
    Declaration("argmin", numpy_form(np.argmin), over(-2, 2, several=False), differentiable=False),
    Declaration("any", numpy_form(np.any), logic_samples, LOGIC, differentiable=False),
    Declaration("all", numpy_form(np.all), logic_samples, LOGIC, differentiable=False),
    Declaration(
        "count_nonzero",
        lambda x, dim=None: np.count_nonzero(x, axis=dim),
        lambda rng: [Sample((rng.integers(0, 2, (4, 3)).astype(float),))],
        FLOATS,
        differentiable=False,
    ),
)
