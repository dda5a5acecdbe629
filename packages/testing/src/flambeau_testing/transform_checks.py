"""What vmap and forward mode make of an op, held against a loop and against reverse mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import flambeau_core as fb
from flambeau_core import func
from flambeau_testing.comparison import values_of
from flambeau_testing.op_checks import outputs, place, rebuilt, with_gradients
from flambeau_testing.op_samples.declaration import Declaration, Sample

__all__ = ["check_forward_mode", "check_nesting", "check_vmap"]

# An example differs from the next by so little that it stays in the op's domain.
SCALES = (1.0, 0.99, 1.01)


def _tensors(sample: Sample) -> list[fb.Tensor]:
    found: list[fb.Tensor] = []

    def visit(value: Any) -> None:
        if isinstance(value, fb.Tensor):
            found.append(value)
        elif isinstance(value, list):
            for v in value:
                visit(v)

    for value in (*sample.args, *sample.kwargs.values()):
        visit(value)
    return found


def _of_tensors(op: Declaration, sample: Sample, tensors: list[fb.Tensor]) -> Callable[..., Any]:
    def function(*values: fb.Tensor) -> Any:
        given = dict(zip(map(id, tensors), values))

        def visit(value: Any) -> Any:
            if isinstance(value, list):
                return [visit(v) for v in value]
            return given.get(id(value), value)

        args = [visit(v) for v in sample.args]
        kwargs = {key: visit(v) for key, v in sample.kwargs.items()}
        return tuple(outputs(op.function(*args, **kwargs)))

    return function


def _examples(tensor: fb.Tensor) -> fb.Tensor:
    if not tensor.is_floating_point():
        return fb.stack([tensor] * len(SCALES))
    return fb.stack([tensor * s for s in SCALES])


def check_vmap(op: Declaration, device: str) -> None:
    """Every sample over a batch of all its tensors, and of each alone, as a loop gives it."""
    dtype = "float64" if "float64" in op.dtypes else op.dtypes[-1]
    for sample in op.drawn():
        placed = place(sample, dtype, device)
        tensors = _tensors(placed)
        if not tensors:
            continue
        function = _of_tensors(op, placed, tensors)
        wholes = [_examples(t) for t in tensors]
        patterns = [[True] * len(tensors)]
        if len(tensors) > 1:
            patterns += [[i == k for i in range(len(tensors))] for k in range(len(tensors))]
        for pattern in patterns:
            given = [w if on else t for w, t, on in zip(wholes, tensors, pattern)]
            expected = [
                function(*(g[i].clone() if on else g for g, on in zip(given, pattern)))
                for i in range(len(SCALES))
            ]
            got = func.vmap(function, tuple(0 if on else None for on in pattern))(*given)
            for k, value in enumerate(got):
                wanted = fb.stack([e[k] for e in expected])
                assert value.dtype == wanted.dtype, f"{op.id}: {value.dtype}, not {wanted.dtype}"
                assert np.allclose(
                    values_of(value), values_of(wanted), 1e-9, 1e-9, equal_nan=True
                ), f"vmap of {op.id}, batched {pattern}:\n{value}\ninstead of\n{wanted}"


def check_forward_mode(op: Declaration, device: str) -> None:
    """For random u and v, u . (J v) by forward mode is (u J) . v by reverse mode."""
    rng = np.random.default_rng(7)
    for sample in op.drawn():
        placed, variables = with_gradients(sample, device)
        if not variables:
            continue
        function = rebuilt(op, placed, variables)
        primals = tuple(v.detach() for v in variables)
        tangents = tuple(fb.from_numpy(rng.normal(size=p.shape)).to(p.device) for p in primals)
        values, forward = func.jvp(function, primals, tangents)
        cotangents = [fb.from_numpy(rng.normal(size=y.shape)).to(y.device) for y in values]
        outs = function(*variables)
        kept = [(y, u) for y, u in zip(outs, cotangents) if y.requires_grad]
        grads = fb.autograd.grad(
            [y for y, _ in kept], variables, [u for _, u in kept], allow_unused=True
        )
        by_forward = sum(float((u * t).sum()) for u, t in zip(cotangents, forward))
        by_reverse = sum(float((g * v).sum()) for g, v in zip(grads, tangents) if g is not None)
        assert np.isclose(by_forward, by_reverse, 1e-8, 1e-8, equal_nan=True), (
            f"{op.id}: forward mode gives {by_forward}, reverse mode {by_reverse}"
        )


def check_nesting(op: Declaration, device: str) -> None:
    """A batch of derivatives is what a loop of derivatives gives.

    Forward mode over all variables batched; reverse mode with the first variable shared, whose
    gradients must stay apart, an example each.
    """
    rng = np.random.default_rng(11)
    for sample in op.drawn():
        placed, variables = with_gradients(sample, device)
        if not variables:
            continue
        function = rebuilt(op, placed, variables)
        n = len(variables)
        wholes = [_examples(v.detach()) for v in variables]
        tangents = [fb.from_numpy(rng.normal(size=w.shape)).to(w.device) for w in wholes]

        def pushed(*given: fb.Tensor) -> Any:
            return func.jvp(function, given[:n], given[n:])[1]  # noqa: B023

        _check_loop(f"vmap(jvp) of {op.id}", pushed, [*wholes, *tangents], [0] * (2 * n))

        def total(*given: fb.Tensor) -> Any:
            return sum(y.sin().sum() for y in function(*given))  # noqa: B023

        shared = [variables[0].detach(), *wholes[1:]] if n > 1 else wholes
        dims = [None, *[0] * (n - 1)] if n > 1 else [0]
        gradients = func.grad(total, argnums=tuple(range(n)))
        _check_loop(f"vmap(grad) of {op.id}", gradients, shared, dims)


def _check_loop(what: str, function: Callable[..., Any], given: list[Any], dims: list[Any]) -> None:
    got = func.vmap(function, tuple(dims))(*given)
    each = [
        function(*(x if d is None else x[i].clone() for x, d in zip(given, dims)))
        for i in range(len(SCALES))
    ]
    for k, value in enumerate(got):
        wanted = fb.stack([e[k] for e in each])
        assert np.allclose(values_of(value), values_of(wanted), 1e-7, 1e-7, equal_nan=True), (
            f"{what}:\n{value}\ninstead of\n{wanted}"
        )
