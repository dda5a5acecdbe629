"""One op over many tensors: the ``_foreach_`` functions, declared from one table.

Every function takes a list of tensors and gives a tuple with a result for each. A name that ends
in an underscore works in place and gives a list of its tensors. Further operands are lists of the
same length, of tensors or of numbers, or one number for all. RuntimeError for an empty list and
for lists of different lengths.

The module is loaded when the first of these names is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op

Tensors = Sequence[fb.Tensor]


def _rows(name: str, self: Tensors, operands: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The arguments for each tensor, where what is no list is the same for all."""
    if not self:
        raise RuntimeError(f"{name}: the list of tensors must hold at least one tensor")
    columns: list[Sequence[Any]] = [self]
    for operand in operands:
        if not isinstance(operand, (list, tuple)):
            columns.append([operand] * len(self))
        elif len(operand) == len(self):
            columns.append(operand)
        else:
            raise RuntimeError(
                f"{name}: lists must have the same length, got {len(self)} and {len(operand)}"
            )
    return list(zip(*columns, strict=True))


def _check_number(name: str, number: Any) -> None:
    if not isinstance(number, (bool, int, float, complex)):
        raise TypeError(
            f"{name}(): expected tensors and numbers, got one {type(number).__name__} among them"
        )


def _check_scalar(name: str, other: fb.Tensor) -> None:
    if other.dim():
        raise RuntimeError(
            f"{name}: a scalar tensor must have no dimensions, got shape {tuple(other.shape)}"
        )


def _declare(name: str, parameters: str, row: Callable[..., Any]) -> None:
    """Declares one call form of ``name``, which calls ``row`` for every tensor."""
    in_place = name.endswith("_")
    numbers = parameters.startswith("any") or ", any" in parameters
    packed = parameters.startswith("Tensor[] tensor1")
    scalar_tensor = parameters.startswith("Tensor other")

    def foreach(self: Tensors, *operands: Any) -> Any:
        if scalar_tensor:
            _check_scalar(name, operands[0])
        if numbers:
            given = operands[-1]
            if packed and isinstance(given, fb.Tensor):
                given = _unpacked(name, self, given)
            for number in given if isinstance(given, (list, tuple)) else [given]:
                _check_number(name, number)
            operands = (*operands[:-1], given)
        results = tuple(row(*arguments) for arguments in _rows(name, self, operands))
        return list(self) if in_place else results

    separator = ", " if parameters else ""
    op(f"{name}(Tensor[] self{separator}{parameters}) -> Tensor[]", method=False)(foreach)


def _unpacked(name: str, self: Tensors, scalars: fb.Tensor) -> list[Any]:
    """The numbers of a tensor that holds one for each of the list."""
    if tuple(scalars.shape) != (len(self),):
        raise RuntimeError(
            f"{name}: the tensor of scalars must have shape ({len(self)},), one for each tensor, "
            f"got {tuple(scalars.shape)}"
        )
    numbers: list[Any] = scalars.tolist()
    return numbers


UNARY = (
    *("abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1"),
    *("floor", "frac", "lgamma", "log", "log10", "log1p", "log2", "neg", "reciprocal", "round"),
    *("rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
)

# The call forms after the list itself. A number in a tensor comes before a number, which it would
# match too, and lists of numbers come last.
_SCALED = "Tensor[] other, *, Scalar alpha=1"
_NUMBERS = ("Scalar scalar", "any scalars")
_PRODUCTS = tuple(
    f"Tensor[] tensor1, Tensor[] tensor2, {last}" for last in ("any scalars", "Scalar value=1")
)
CALL_FORMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(UNARY, ("",)),
    "add": ("Tensor other, *, Scalar alpha=1", _SCALED, *_NUMBERS),
    "sub": (_SCALED, *_NUMBERS),
    **dict.fromkeys(("mul", "div"), ("Tensor other", "Tensor[] other", *_NUMBERS)),
    **dict.fromkeys(
        ("clamp_max", "clamp_min", "maximum", "minimum"), ("Tensor[] other", *_NUMBERS)
    ),
    "pow": ("Tensor[] exponent", "Scalar exponent", "any exponent"),
    **dict.fromkeys(("addcdiv", "addcmul"), _PRODUCTS),
    "lerp": (
        "Tensor[] tensors1, Tensor[] weights",
        "Tensor[] tensors1, Scalar weight",
        "Tensor[] tensors1, any weight",
    ),
}


def _row(name: str, parameters: str, in_place: bool) -> Callable[..., Any]:
    """The op that one call form applies to every tensor."""
    f: Callable[..., Any] = getattr(fb, name)
    if "Tensor" not in parameters and name in ("maximum", "minimum"):
        f = _with_number(f)
    if in_place:
        f = getattr(fb.Tensor, name + "_", None) or _written_back(name, f)
    if "alpha" in parameters:
        return lambda x, other, alpha: f(x, other, alpha=alpha)
    if "tensor2" in parameters:
        return lambda x, first, second, value: f(x, first, second, value=value)
    return f


def _with_number(extremum: Callable[..., fb.Tensor]) -> Callable[..., fb.Tensor]:
    """An extremum with a number, whose gradient at a tie is half as among tensors."""
    return lambda x, number: extremum(x, fb.tensor(number, device=x.device))


def _written_back(name: str, f: Callable[..., fb.Tensor]) -> Callable[..., fb.Tensor]:
    """In place by way of a copy, for ops that have no such method."""

    def write(x: fb.Tensor, *operands: Any) -> fb.Tensor:
        result = f(x.clone(), *operands)  # its gradient needs the values that x loses
        if not fb.can_cast(result.dtype, x.dtype):
            raise RuntimeError(
                f"_foreach_{name}_: a result of {result.dtype} cannot be written to {x.dtype}"
            )
        return x.copy_(result)

    return write


for _name, _forms in CALL_FORMS.items():
    for _parameters in _forms:
        _declare(f"_foreach_{_name}", _parameters, _row(_name, _parameters, False))
        _declare(f"_foreach_{_name}_", _parameters, _row(_name, _parameters, True))

_declare("_foreach_max", "", fb.max)
_declare("_foreach_mm", "Tensor[] mat2", fb.mm)
_declare("_foreach_zero_", "", fb.Tensor.zero_)
_declare("_foreach_clone", "", fb.clone)
_declare("_foreach_copy_", "Tensor[] src, bool non_blocking=False", lambda x, src, _: x.copy_(src))


@op("_foreach_pow(Scalar self, Tensor[] exponent) -> Tensor[]", method=False)
def _foreach_pow(self: Any, exponent: Tensors) -> Any:
    """One number to the powers that the tensors hold."""
    return tuple(fb.pow(self, power) for (power,) in _rows("_foreach_pow", exponent, ()))


@op("_foreach_norm(Tensor[] self, Scalar ord=2, dtype? dtype=None) -> Tensor[]", method=False)
def _foreach_norm(self: Tensors, order: Any, dtype: Any) -> Any:
    """The vector norm of the elements of each tensor."""
    rows = _rows("_foreach_norm", self, ())
    return tuple(fb.linalg.vector_norm(x, order, dtype=dtype) for (x,) in rows)


@op("_foreach_powsum(Tensor[] self, Scalar ord=2, dtype? dtype=None) -> Tensor[]", method=False)
def _foreach_powsum(self: Tensors, order: Any, dtype: Any) -> Any:
    """The sum of the absolute values of each tensor to the power ``ord``."""
    rows = _rows("_foreach_powsum", self, ())
    return tuple(x.to(dtype or x.dtype).abs().pow(order).sum() for (x,) in rows)
