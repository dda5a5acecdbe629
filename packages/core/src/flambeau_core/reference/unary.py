"""Elementwise functions of one input."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from flambeau_core.reference import airy, bessel, error_functions, gamma_functions
from flambeau_core.reference.precision import Array, load, store
from flambeau_core.reference.table import Kernel


def elementwise(function: Callable[[Any, Array], Array]) -> Callable[..., None]:
    def kernel(xp: Any, out: Array, x: Array) -> None:
        store(xp, out, function(xp, xp.asarray(load(xp, x))))

    return kernel


def ufunc(name: str) -> Callable[..., None]:
    """The array module's own function of that name."""
    return elementwise(lambda xp, x: getattr(xp, name)(x))


def neg(xp: Any, x: Array) -> Array:
    return -x


def absolute(xp: Any, x: Array) -> Array:
    return xp.abs(x)


def sign(xp: Any, x: Array) -> Array:
    if x.dtype.kind == "b":
        return x
    if x.dtype.kind == "c":
        magnitude = xp.abs(x)
        return xp.where(magnitude == 0, x, x / magnitude)
    # NaN compares false both ways and so has sign 0
    return (x > 0).astype("int8") - (x < 0).astype("int8")


def square(xp: Any, x: Array) -> Array:
    return x & x if x.dtype.kind == "b" else x * x


def reciprocal(xp: Any, x: Array) -> Array:
    return 1 / x


def rsqrt(xp: Any, x: Array) -> Array:
    return 1 / xp.sqrt(x)


def integral(name: str) -> Callable[[Any, Array], Array]:
    """A rounding function, the identity on integers."""
    return lambda xp, x: getattr(xp, name)(x) if x.dtype.kind == "f" else x


def angle(xp: Any, x: Array) -> Array:
    if x.dtype.kind == "c":
        return xp.angle(x)
    return xp.where(xp.isnan(x), x, xp.where(x < 0, math.pi, 0.0))


def signbit(xp: Any, x: Array) -> Array:
    return xp.signbit(x) if x.dtype.kind == "f" else x < 0


FLOATING = {
    "sqrt": "sqrt",
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "log": "log",
    "log2": "log2",
    "log10": "log10",
    "log1p": "log1p",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}

BESSEL = (
    "i0",
    "i0e",
    "i1",
    "i1e",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
)

KERNELS = {
    **{id: Kernel(ufunc(name), "fc") for id, name in FLOATING.items()},
    "neg": Kernel(elementwise(neg), "ifc"),
    "abs": Kernel(elementwise(absolute), "bifc"),
    "sign": Kernel(elementwise(sign), "bifc"),
    "square": Kernel(elementwise(square), "bifc"),
    "reciprocal": Kernel(elementwise(reciprocal), "fc"),
    "rsqrt": Kernel(elementwise(rsqrt), "fc"),
    "erf": Kernel(elementwise(error_functions.erf), "f"),
    "erfc": Kernel(elementwise(error_functions.erfc), "f"),
    "erfinv": Kernel(elementwise(error_functions.erfinv), "f"),
    "lgamma": Kernel(elementwise(gamma_functions.lgamma), "f"),
    "digamma": Kernel(elementwise(gamma_functions.digamma), "f"),
    "entr": Kernel(elementwise(error_functions.entr), "f"),
    "erfcx": Kernel(elementwise(error_functions.erfcx), "f"),
    "ndtri": Kernel(elementwise(error_functions.ndtri), "f"),
    **{id: Kernel(elementwise(getattr(bessel, id)), "f") for id in BESSEL},
    "airy_ai": Kernel(elementwise(airy.airy_ai), "f"),
    "floor": Kernel(elementwise(integral("floor")), "bif"),
    "ceil": Kernel(elementwise(integral("ceil")), "bif"),
    "trunc": Kernel(elementwise(integral("trunc")), "bif"),
    "round": Kernel(elementwise(integral("rint")), "bif"),
    "bitwise_not": Kernel(ufunc("invert"), "bi"),
    "conj_physical": Kernel(ufunc("conj"), "bifc"),
    "angle": Kernel(elementwise(angle), "fc"),
    "logical_not": Kernel(ufunc("logical_not"), "bifc"),
    "isnan": Kernel(ufunc("isnan"), "bifc"),
    "isinf": Kernel(ufunc("isinf"), "bifc"),
    "isfinite": Kernel(ufunc("isfinite"), "bifc"),
    "signbit": Kernel(elementwise(signbit), "bif"),
}
