"""Elementwise functions of two inputs of one dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flambeau_core.reference import incomplete_gamma, orthogonal_polynomials, zeta
from flambeau_core.reference.precision import Array, is_bfloat16, load_all, store
from flambeau_core.reference.table import Kernel


def elementwise(function: Callable[[Any, Array, Array], Array]) -> Callable[..., None]:
    def kernel(xp: Any, out: Array, a: Array, b: Array) -> None:
        a, b = load_all(xp, a, b)
        store(xp, out, function(xp, a, b))

    return kernel


def ufunc(name: str) -> Callable[..., None]:
    """The array module's own function of that name."""
    return elementwise(lambda xp, a, b: getattr(xp, name)(a, b))


def refuse_zero(xp: Any, divisor: Array) -> None:
    if bool(xp.any(divisor == 0)):
        raise RuntimeError("ZeroDivisionError")


def div_trunc(xp: Any, a: Array, b: Array) -> Array:
    if a.dtype.kind == "f":
        return xp.trunc(a / b)
    refuse_zero(xp, b)
    quotient = xp.floor_divide(a, b)
    # one up where rounding down went away from zero
    return quotient + ((quotient < 0) & (quotient * b != a)).astype(quotient.dtype)


def div_floor(xp: Any, a: Array, b: Array) -> Array:
    if a.dtype.kind != "f":
        refuse_zero(xp, b)
    return xp.floor_divide(a, b)


def remainder(xp: Any, a: Array, b: Array) -> Array:
    if a.dtype.kind != "f":
        refuse_zero(xp, b)
        return xp.remainder(a, b)
    rest = xp.fmod(a, b)
    return xp.where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)


def fmod(xp: Any, a: Array, b: Array) -> Array:
    if a.dtype.kind != "f":
        refuse_zero(xp, b)
    return xp.fmod(a, b)


def power(xp: Any, a: Array, b: Array) -> Array:
    if a.dtype.kind == "b":
        return a | ~b
    if a.dtype.kind != "i":
        return xp.power(a, b)
    # a negative integer exponent leaves something only of 1 and -1
    result = xp.power(a, xp.maximum(b, 0))
    unit = xp.where(a == 1, 1, xp.where(a == -1, 1 - 2 * (b & 1), 0)).astype(a.dtype)
    return xp.where(b < 0, unit, result)


def xlogy(xp: Any, a: Array, b: Array) -> Array:
    return xp.where((a == 0) & ~xp.isnan(b), xp.zeros_like(a), a * xp.log(b))


def xlog1py(xp: Any, a: Array, b: Array) -> Array:
    return xp.where((a == 0) & ~xp.isnan(b), xp.zeros_like(a), a * xp.log1p(b))


def logaddexp(xp: Any, a: Array, b: Array) -> Array:
    if a.dtype.kind != "c":
        return xp.logaddexp(a, b)
    larger = xp.where(a.real >= b.real, a, b)
    return larger + xp.log1p(xp.exp(xp.where(a.real >= b.real, b, a) - larger))


def nextafter(xp: Any, out: Array, a: Array, b: Array) -> None:
    if is_bfloat16(out):
        out[...] = nextafter_bfloat16(xp, a, b)
    else:
        out[...] = xp.nextafter(a, xp.asarray(b, dtype=a.dtype))


def nextafter_bfloat16(xp: Any, a: Array, b: Array) -> Array:
    """One step on the bit pattern, which orders the magnitudes of floating-point numbers."""
    x, y = load_all(xp, a, b)
    sign, magnitude = a & 0x8000, (a & 0x7FFF).astype("int32")
    grows = (y > x) == (sign == 0)
    stepped = xp.where(grows, magnitude + 1, magnitude - 1).astype("uint16") | sign
    from_zero = xp.where(y > 0, 0x0001, 0x8001)
    moved = xp.where(magnitude == 0, from_zero, stepped)
    unordered = xp.isnan(x) | xp.isnan(y)
    result = xp.where(x == y, (xp.zeros_like(a) if b is None else b), moved)
    return xp.where(unordered, 0x7FC0, result).astype("uint16")


POLYNOMIALS = (
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
)

KERNELS = {
    "add": Kernel(ufunc("add"), "bifc"),
    "sub": Kernel(ufunc("subtract"), "ifc"),
    "mul": Kernel(ufunc("multiply"), "bifc"),
    "div": Kernel(ufunc("divide"), "fc"),
    "div_trunc": Kernel(elementwise(div_trunc), "if"),
    "div_floor": Kernel(elementwise(div_floor), "if"),
    "remainder": Kernel(elementwise(remainder), "if"),
    "fmod": Kernel(elementwise(fmod), "if"),
    "pow": Kernel(elementwise(power), "bifc"),
    "maximum": Kernel(ufunc("maximum"), "bif"),
    "minimum": Kernel(ufunc("minimum"), "bif"),
    "fmax": Kernel(ufunc("fmax"), "bif"),
    "fmin": Kernel(ufunc("fmin"), "bif"),
    "atan2": Kernel(ufunc("arctan2"), "f"),
    "hypot": Kernel(ufunc("hypot"), "f"),
    "copysign": Kernel(ufunc("copysign"), "f"),
    "nextafter": Kernel(nextafter, "f"),
    "logaddexp": Kernel(elementwise(logaddexp), "fc"),
    "xlogy": Kernel(elementwise(xlogy), "f"),
    "xlog1py": Kernel(elementwise(xlog1py), "f"),
    "igamma": Kernel(elementwise(incomplete_gamma.igamma), "f"),
    "igammac": Kernel(elementwise(incomplete_gamma.igammac), "f"),
    "zeta": Kernel(elementwise(zeta.zeta), "f"),
    **{id: Kernel(elementwise(getattr(orthogonal_polynomials, id)), "f") for id in POLYNOMIALS},
    "gcd": Kernel(ufunc("gcd"), "i"),
    "lcm": Kernel(ufunc("lcm"), "i"),
    "bitwise_and": Kernel(ufunc("bitwise_and"), "bi"),
    "bitwise_or": Kernel(ufunc("bitwise_or"), "bi"),
    "bitwise_xor": Kernel(ufunc("bitwise_xor"), "bi"),
    "lshift": Kernel(ufunc("left_shift"), "i"),
    "rshift": Kernel(ufunc("right_shift"), "i"),
}
