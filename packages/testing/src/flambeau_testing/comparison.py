"""Are two tensors, numbers or containers of them close?

Values are compared with NumPy in double precision, so that the comparison does not rest on the
operators that a test is about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import flambeau_core as fb

__all__ = ["assert_close", "default_tolerances"]

Tolerances = tuple[float, float]
# Relative and absolute tolerance; every other dtype is compared exactly.
TOLERANCES: dict[str, Tolerances] = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
NUMBER_DTYPES = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
Message = str | Callable[[str], str] | None


def dtype_name(value: Any) -> str:
    """The name of a tensor's or a number's dtype, without a module."""
    if isinstance(value, fb.Tensor):
        return str(value.dtype).rpartition(".")[2]
    return NUMBER_DTYPES.get(type(value), "float64")


def default_tolerances(*values: Any) -> Tolerances:
    """Relative and absolute tolerance for tensors, numbers or dtypes: the widest of each."""
    names = [
        str(value).rpartition(".")[2] if isinstance(value, fb.dtype) else dtype_name(value)
        for value in values
    ]
    pairs = [TOLERANCES.get(name, (0.0, 0.0)) for name in names]
    return max(rtol for rtol, _ in pairs), max(atol for _, atol in pairs)


@dataclass(frozen=True)
class Comparison:
    """The settings of one call, and where in the containers it is."""

    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_stride: bool
    message: Message
    place: str = ""

    def fail(self, text: str) -> None:
        if self.place:
            text += f"\n\nThe failure occurred for item {self.place}"
        if callable(self.message):
            text = self.message(text)
        elif self.message is not None:
            text = self.message
        raise AssertionError(text)

    def at(self, key: Any) -> Comparison:
        return Comparison(
            self.rtol,
            self.atol,
            self.equal_nan,
            self.check_device,
            self.check_dtype,
            self.check_stride,
            self.message,
            f"{self.place}[{key!r}]",
        )


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Message = None,
) -> None:
    """Raise AssertionError unless |actual - expected| <= atol + rtol * |expected| everywhere.

    Takes tensors, NumPy arrays, numbers, and sequences and mappings of them. Shapes must be equal;
    devices, dtypes and strides too where that is asked for. Both tolerances must be given or
    neither (ValueError); the default depends on the dtype. `msg` replaces the message, or makes
    it from the one written here.
    """
    if (rtol is None) != (atol is None):
        raise ValueError(
            f"rtol and atol must both be specified or both be unspecified, got {rtol=} and {atol=}"
        )
    if not allow_subclasses and type(actual) is not type(expected):
        raise AssertionError(
            f"Except for Python scalars, type equality is required, but got {type(actual)} "
            f"and {type(expected)} instead."
        )
    comparison = Comparison(rtol, atol, equal_nan, check_device, check_dtype, check_stride, msg)
    compare(actual, expected, comparison)


def compare(actual: Any, expected: Any, c: Comparison) -> None:
    import numpy as np

    actual, expected = (
        fb.from_numpy(v) if isinstance(v, np.ndarray) else v for v in (actual, expected)
    )
    if isinstance(actual, fb.Tensor) and isinstance(expected, fb.Tensor):
        compare_tensors(actual, expected, c)
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        compare_mappings(actual, expected, c)
    elif is_sequence(actual) and is_sequence(expected):
        compare_sequences(actual, expected, c)
    elif is_number(actual) and is_number(expected):
        compare_numbers(actual, expected, c)
    elif actual is None or expected is None:
        if actual is not expected:
            c.fail(f"None mismatch: {actual} is not {expected}")
    else:
        raise TypeError(
            f"assert_close() got {type(actual).__name__} and {type(expected).__name__}: "
            "both must be tensors, numbers, sequences or mappings"
        )


def is_number(value: Any) -> bool:
    import numpy as np

    return isinstance(value, bool | int | float | complex | np.number | np.bool_)


def is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def compare_sequences(actual: Any, expected: Any, c: Comparison) -> None:
    if len(actual) != len(expected):
        c.fail(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}")
    for index, (a, e) in enumerate(zip(actual, expected)):
        compare(a, e, c.at(index))


def compare_mappings(actual: Any, expected: Any, c: Comparison) -> None:
    missing = sorted(set(expected) - set(actual), key=str)
    additional = sorted(set(actual) - set(expected), key=str)
    if missing or additional:
        c.fail(
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {missing}\n"
            f"Additional keys in the actual mapping: {additional}"
        )
    for key in expected:
        compare(actual[key], expected[key], c.at(key))


def compare_numbers(actual: Any, expected: Any, c: Comparison) -> None:
    rtol, atol = tolerances(actual, expected, c)
    difference = abs(actual - expected) if actual != expected else 0.0
    both_nan = actual != actual and expected != expected
    if actual == expected or (c.equal_nan and both_nan):
        return
    if difference <= atol + rtol * abs(expected):
        return
    relative = difference / abs(expected) if expected else float("inf")
    c.fail(
        f"Scalars are not {'close' if rtol or atol else 'equal'}!\n\n"
        f"Expected {expected} but got {actual}.\n"
        f"Absolute difference: {difference}{allowed(atol)}\n"
        f"Relative difference: {relative}{allowed(rtol)}"
    )


def tolerances(actual: Any, expected: Any, c: Comparison) -> Tolerances:
    if c.rtol is None or c.atol is None:
        return default_tolerances(actual, expected)
    return c.rtol, c.atol


def allowed(tolerance: float) -> str:
    return f" (up to {tolerance} allowed)" if tolerance else ""


def compare_tensors(actual: fb.Tensor, expected: fb.Tensor, c: Comparison) -> None:
    attributes = {
        "shape": True,
        "device": c.check_device,
        "dtype": c.check_dtype,
    }
    for name, checked in attributes.items():
        a, e = getattr(actual, name), getattr(expected, name)
        if checked and a != e:
            c.fail(f"The values for attribute '{name}' do not match: {a} != {e}.")
    if c.check_stride and actual.stride() != expected.stride():
        a, e = actual.stride(), expected.stride()
        c.fail(f"The values for attribute 'stride()' do not match: {a} != {e}.")
    compare_values(actual, expected, c)


def values_of(tensor: fb.Tensor) -> Any:
    """The values as a NumPy array in which differences are exact enough."""
    tensor = tensor.detach().cpu()
    if dtype_name(tensor) == "bfloat16":
        tensor = tensor.to(fb.float32)
    array = tensor.numpy()
    wide = {"f": "float64", "c": "complex128", "b": "int64"}.get(array.dtype.kind)
    return array.astype(wide) if wide else array


def compare_values(actual: fb.Tensor, expected: fb.Tensor, c: Comparison) -> None:
    import numpy as np

    rtol, atol = tolerances(actual, expected, c)
    a, e = values_of(actual), values_of(expected)
    if a.dtype.kind in "iu" and e.dtype.kind in "iu":
        if rtol or atol:
            a, e = a.astype("float64"), e.astype("float64")
        else:
            return compare_integers(a, e, c)
    with np.errstate(all="ignore"):
        same = (a == e) | (c.equal_nan & np.isnan(a) & np.isnan(e))
        difference = np.where(same, 0.0, np.abs(a - e))
        # An infinite bound would let anything pass; infinities must be equal.
        close = same | (np.isfinite(a) & np.isfinite(e) & (difference <= atol + rtol * np.abs(e)))
        relative = np.where(same, 0.0, difference / np.abs(e))
    if not close.all():
        c.fail(describe(a, e, close, (difference, atol), (relative, rtol)))


def compare_integers(a: Any, e: Any, c: Comparison) -> None:
    import numpy as np

    close = a == e
    if not close.all():
        # Unbounded integers: the difference of two 64-bit ones may not fit in 64 bits.
        difference = np.array(abs(a.astype(object) - e.astype(object)), dtype=object)
        with np.errstate(all="ignore"):
            quotient = difference.astype("float64") / np.abs(e.astype("float64"))
        c.fail(describe(a, e, close, (difference, 0.0), (np.where(close, 0.0, quotient), 0.0)))


def describe(
    actual: Any, expected: Any, close: Any, absolute: tuple[Any, float], relative: tuple[Any, float]
) -> str:
    """How many values differ, and where they differ most; errors come with their tolerance."""
    import numpy as np

    heading = "are not close" if absolute[1] or relative[1] else "are not equal"
    kinds = (("absolute", *absolute), ("relative", *relative))
    if close.ndim == 0:
        lines = [f"Scalars {heading}!\n", f"Expected {expected.item()} but got {actual.item()}."]
        lines += [f"{k.title()} difference: {e.item()}{allowed(t)}" for k, e, t in kinds]
        return "\n".join(lines)
    wrong = int((~close).sum())
    lines = [
        f"Tensor-likes {heading}!\n",
        f"Mismatched elements: {wrong} / {close.size} ({100 * wrong / close.size:.1f}%)",
    ]
    for kind, errors, tolerance in kinds:
        ranked = np.nan_to_num(errors.astype("float64"), nan=np.inf)
        index = tuple(int(i) for i in np.unravel_index(ranked.argmax(), errors.shape))
        greatest = errors[index]
        lines.append(f"Greatest {kind} difference: {greatest} at index {index}{allowed(tolerance)}")
    return "\n".join(lines)
