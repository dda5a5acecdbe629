"""The checks that every declared op goes through, on any device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import flambeau_core as fb
from flambeau_testing.comparison import values_of
from flambeau_testing.gradcheck import gradcheck, gradgradcheck
from flambeau_testing.op_samples.declaration import (
    Array,
    Constant,
    Declaration,
    Sample,
    map_arguments,
)
from flambeau_testing.random_tensor import with_gaps

__all__ = [
    "check_gradients",
    "check_inplace",
    "check_second_gradients",
    "check_strided",
    "check_values",
]

# Relative and absolute; the narrow dtypes also allow for steps rounded in between.
TOLERANCES = {
    "float64": (1e-10, 1e-10),
    "float32": (5e-6, 5e-6),
    "float16": (4e-3, 4e-3),
    "bfloat16": (3e-2, 3e-2),
}
# Up to so many elements every entry of a Jacobian is compared, above a projection of it.
WHOLE_JACOBIAN = 60
Layout = Callable[[fb.Tensor], fb.Tensor]


def as_it_is(tensor: fb.Tensor) -> fb.Tensor:
    return tensor


def place(sample: Sample, dtype: str, device: str, layout: Layout = as_it_is) -> Sample:
    """The sample with tensors on a device; floating arrays take the dtype under test."""
    target = getattr(fb, dtype)

    def tensor(value: Any) -> fb.Tensor:
        array = value.values if isinstance(value, Constant) else value
        made = fb.from_numpy(np.array(array))
        if array.dtype.kind == "f":
            made = made.to(target)
        return layout(made.to(device))

    return map_arguments(sample, tensor)


def with_gradients(sample: Sample, device: str) -> tuple[Sample, list[fb.Tensor]]:
    """The sample in float64, and its variables, which require gradients."""
    variables: list[fb.Tensor] = []

    def tensor(value: Any) -> fb.Tensor:
        made = fb.from_numpy(np.array(value.values if isinstance(value, Constant) else value))
        made = made.to(device)
        if not isinstance(value, Constant):
            variables.append(made.requires_grad_())
        return made

    return map_arguments(sample, tensor), variables


def on_arrays(sample: Sample) -> Sample:
    """The placed sample as NumPy arrays of double precision, with the values that the op saw."""

    def visit(value: Any) -> Any:
        if isinstance(value, fb.Tensor):
            array = values_of(value)
            return array.astype(bool) if value.dtype == fb.bool else array
        return [visit(v) for v in value] if isinstance(value, list) else value

    return Sample(
        tuple(visit(v) for v in sample.args), {k: visit(v) for k, v in sample.kwargs.items()}
    )


def outputs(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple | list) else [result]


def check_result(op: Declaration, placed: Sample, result: Any, dtype: str, device: str) -> None:
    """Shape, dtype, device and values of what an op returned."""
    arrays = on_arrays(placed)
    with np.errstate(all="ignore"):
        expected = outputs(op.reference(*arrays.args, **arrays.kwargs))
    actual = outputs(result)
    assert len(actual) == len(expected), f"{op.id}: {len(actual)} outputs, not {len(expected)}"
    for got, wanted in zip(actual, map(np.asarray, expected)):
        assert tuple(got.shape) == wanted.shape, f"{op.id}: shape {got.shape}, not {wanted.shape}"
        assert got.device.type == fb.device(device).type, f"{op.id}: result on {got.device}"
        check_array(op, values_of(got), wanted, dtype)
        natural = {"b": "bool", "i": "int64"}.get(wanted.dtype.kind, dtype)
        if wanted.dtype.kind == "i" and dtype in INTEGER_RESULTS:
            natural = dtype
        assert got.dtype == getattr(fb, natural), f"{op.id}: dtype {got.dtype}, not {natural}"


INTEGER_RESULTS = ("uint8", "int8", "int16", "int32", "int64")


def check_array(op: Declaration, actual: Array, expected: Array, dtype: str) -> None:
    if expected.dtype.kind in "bi" or dtype not in TOLERANCES:
        assert np.array_equal(actual, expected), f"{op.id}:\n{actual}\ninstead of\n{expected}"
        return
    rtol, atol = (op.widen * tolerance for tolerance in TOLERANCES[dtype])
    assert np.allclose(actual, expected, rtol, atol, equal_nan=True), (
        f"{op.id} in {dtype} differs by up to {np.abs(actual - expected).max()}:\n"
        f"{actual}\ninstead of\n{expected}"
    )


def check_values(op: Declaration, dtype: str, device: str, layout: Layout = as_it_is) -> None:
    """Every sample against the reference."""
    for sample in op.drawn():
        placed = place(sample, dtype, device, layout)
        result = op.function(*placed.args, **placed.kwargs)
        check_result(op, placed, result, dtype, device)


def check_strided(op: Declaration, dtype: str, device: str) -> None:
    """The same with inputs that have gaps in memory, and with their dimensions in reverse."""

    def reversed_memory(tensor: fb.Tensor) -> fb.Tensor:
        order = list(reversed(range(tensor.ndim)))
        return tensor.permute(order).contiguous().permute(order)

    for layout in (with_gaps, reversed_memory):
        check_values(op, dtype, device, layout)


def check_inplace(op: Declaration, dtype: str, device: str) -> None:
    """The method with an underscore changes its tensor and returns it."""
    for sample in op.drawn():
        placed = place(sample, dtype, device)
        target = placed.args[0].clone()
        result = getattr(target, f"{op.name}_")(*placed.args[1:], **placed.kwargs)
        assert result is target, f"{op.id}_ does not return its tensor"
        check_result(op, placed, target, dtype, device)


def check_gradients(op: Declaration, device: str) -> None:
    """First derivatives against numerical differentiation."""
    for sample in op.drawn():
        placed, variables = with_gradients(sample, device)
        whole = sum(variable.numel() for variable in variables) <= WHOLE_JACOBIAN
        assert gradcheck(rebuilt(op, placed, variables), variables, fast_mode=not whole)


def check_second_gradients(op: Declaration, device: str) -> None:
    """Second derivatives against numerical differentiation of the first."""
    for sample in op.drawn():
        placed, variables = with_gradients(sample, device)
        assert gradgradcheck(rebuilt(op, placed, variables), variables, fast_mode=True)


def rebuilt(
    op: Declaration, placed: Sample, variables: list[fb.Tensor]
) -> Callable[..., tuple[fb.Tensor, ...]]:
    """The op as a function of its variables alone."""

    def function(*values: fb.Tensor) -> tuple[fb.Tensor, ...]:
        given = dict(zip(map(id, variables), values))

        def visit(value: Any) -> Any:
            if isinstance(value, list):
                return [visit(v) for v in value]
            return given.get(id(value), value)

        args = [visit(v) for v in placed.args]
        kwargs = {key: visit(v) for key, v in placed.kwargs.items()}
        results = outputs(op.function(*args, **kwargs))
        found = tuple(r for r in results if r.is_floating_point())
        # Complex results come in parts, else nothing would be compared.
        assert found, f"{op.id}: no real result to differentiate"
        return found

    return function
