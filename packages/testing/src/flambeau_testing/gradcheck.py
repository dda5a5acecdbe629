"""Gradients against numerical differentiation.

The derivative of f along each coordinate is taken as (f(x + eps) - f(x - eps)) / (2 eps), whose
error is of the order of eps^2 + machine precision / eps: about 1e-9 in float64 for eps = 1e-6.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import flambeau_core as fb
from flambeau_testing.real_parts import in_real_parts

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """The gradient that autograd gives is not the derivative."""


def gradcheck(
    func: Callable[..., Any],
    inputs: fb.Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    fast_mode: bool = False,
) -> bool:
    """Whether the gradients of `func` at `inputs` are its derivatives.

    Every element of every float64 input that requires a gradient is varied by `eps`, of complex128
    ones both parts; the Jacobian so found must agree with autograd's within
    `atol` + `rtol` * |numerical|, and two backward passes with each other within `nondet_tol`.
    `fast_mode` compares one random projection of each Jacobian instead of all its elements. Raises
    GradcheckError where they don't (or returns False if `raise_exception` is false), ValueError
    when no input requires a gradient or one that does is not float64 or complex128.
    """
    args = (inputs,) if isinstance(inputs, fb.Tensor) else tuple(inputs)
    varied = check_inputs(args)
    func, args = in_real_parts(func, args)
    try:
        if fast_mode:
            check_projections(func, args, varied, eps, atol, rtol)
        else:
            check_jacobians(func, args, varied, eps, atol, rtol, nondet_tol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def check_inputs(args: Sequence[Any]) -> list[int]:
    """The positions of the inputs to vary."""
    varied = [i for i, a in enumerate(args) if isinstance(a, fb.Tensor) and a.requires_grad]
    if not varied:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, "
            "but none of the them have requires_grad=True."
        )
    for index in varied:
        tensor = args[index]
        if tensor.dtype not in (fb.float64, fb.complex128):
            raise ValueError(
                f"gradcheck varies float64 and complex128 inputs only, but input {index} is "
                f"{tensor.dtype}: a narrower dtype drowns the derivative in rounding"
            )
        shared = [step == 0 and size > 1 for step, size in zip(tensor.stride(), tensor.shape)]
        if any(shared) and tensor.numel():
            raise ValueError(
                f"input {index} has elements that share memory and cannot be varied one by one; "
                "call contiguous() on it"
            )
    return varied


def differentiable_outputs(result: Any) -> list[fb.Tensor]:
    results = result if isinstance(result, tuple | list) else (result,)
    return [r for r in results if isinstance(r, fb.Tensor) and r.is_floating_point()]


def flat(tensor: fb.Tensor) -> Any:
    return tensor.detach().cpu().numpy().reshape(-1).astype("float64")


def numerical_jacobians(
    func: Callable[..., Any], args: Sequence[Any], index: int, eps: float
) -> list[Any]:
    """For each output, the matrix [elements of the input, elements of the output]."""
    import numpy as np

    variable = args[index]

    def outputs_at(place: tuple[int, ...], value: float) -> list[Any]:
        with fb.no_grad():
            variable[place] = value
        # Gradient mode stays on: a function may differentiate inside.
        return [flat(out).copy() for out in differentiable_outputs(func(*args))]

    rows: list[list[Any]] = []
    for place in itertools.product(*map(range, variable.shape)):
        before = float(variable.detach()[place])
        above, below = outputs_at(place, before + eps), outputs_at(place, before - eps)
        with fb.no_grad():
            variable[place] = before
        rows.append([(a - b) / (2 * eps) for a, b in zip(above, below)])
    sizes = [out.numel() for out in differentiable_outputs(func(*args))]
    return [
        np.array([row[k] for row in rows]).reshape(len(rows), size) for k, size in enumerate(sizes)
    ]


def analytical_jacobians(output: fb.Tensor, inputs: Sequence[fb.Tensor]) -> list[Any]:
    """For each input, autograd's matrix [elements of the input, elements of the output]."""
    import numpy as np

    columns: list[list[Any]] = [[] for _ in inputs]
    for place in itertools.product(*map(range, output.shape)):
        seed = fb.zeros_like(output)
        seed[place] = 1.0
        grads = fb.autograd.grad(output, inputs, seed, retain_graph=True, allow_unused=True)
        for column, grad, variable in zip(columns, grads, inputs):
            if grad is None:
                column.append(np.zeros(variable.numel()))
                continue
            if grad.shape != variable.shape or grad.dtype != variable.dtype:
                raise GradcheckError(
                    f"the gradient of an input of shape {tuple(variable.shape)} and dtype "
                    f"{variable.dtype} has shape {tuple(grad.shape)} and dtype {grad.dtype}"
                )
            column.append(flat(grad).copy())
    shape = [(variable.numel(), output.numel()) for variable in inputs]
    return [
        np.array(c).reshape(n, m).T if c else np.zeros((m, n)) for c, (m, n) in zip(columns, shape)
    ]


def check_jacobians(
    func: Callable[..., Any],
    args: Sequence[Any],
    varied: Sequence[int],
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
) -> None:
    import numpy as np

    variables = [args[i] for i in varied]
    numerical = [numerical_jacobians(func, args, index, eps) for index in varied]
    for out_index, output in enumerate(differentiable_outputs(func(*args))):
        if not output.requires_grad:
            if any(np.abs(jacobians[out_index]).max(initial=0.0) > atol for jacobians in numerical):
                raise GradcheckError(
                    f"output {out_index} does not require a gradient although it depends on inputs"
                )
            continue
        analytical = analytical_jacobians(output, variables)
        again = analytical_jacobians(output, variables)
        for k, index in enumerate(varied):
            expected, found = numerical[k][out_index], analytical[k]
            where = f"for output {out_index} with respect to input {index}"
            if not np.allclose(found, expected, rtol=rtol, atol=atol):
                raise GradcheckError(
                    f"Jacobian mismatch {where},\nnumerical:\n{expected}\nanalytical:\n{found}"
                )
            if np.abs(found - again[k]).max(initial=0.0) > nondet_tol:
                raise GradcheckError(f"backward is not reentrant {where}: two passes differ")


def check_projections(
    func: Callable[..., Any],
    args: Sequence[Any],
    varied: Sequence[int],
    eps: float,
    atol: float,
    rtol: float,
) -> None:
    """Compare u . J v for random u and v, the one taken numerically, the other by autograd."""
    import numpy as np

    def moved(index: int, step: Any) -> list[Any]:
        changed = list(args)
        changed[index] = (args[index].detach() + step).requires_grad_()
        return [flat(out) for out in differentiable_outputs(func(*changed))]

    outputs = differentiable_outputs(func(*args))
    seeds = [fb.randn(out.shape, dtype=fb.float64).to(out.device, out.dtype) for out in outputs]
    found = [out for out in outputs if out.requires_grad]
    pulled = [seed for out, seed in zip(outputs, seeds) if out.requires_grad]
    variables = [args[i] for i in varied]
    grads: Sequence[fb.Tensor | None] = [None] * len(variables)
    if found:
        grads = fb.autograd.grad(found, variables, pulled, allow_unused=True)
    for index, grad in zip(varied, grads):
        direction = fb.randn(args[index].shape, dtype=fb.float64).to(args[index].device)
        above, below = moved(index, eps * direction), moved(index, -eps * direction)
        expected = sum(
            float(np.dot(flat(seed), (a - b) / (2 * eps)))
            for seed, a, b in zip(seeds, above, below)
        )
        actual = 0.0 if grad is None else float(np.dot(flat(grad), flat(direction)))
        if not np.isclose(actual, expected, rtol=rtol, atol=atol):
            raise GradcheckError(
                f"Jacobian mismatch in a random projection with respect to input {index}: "
                f"numerical {expected}, analytical {actual}"
            )


def gradgradcheck(
    func: Callable[..., Any],
    inputs: fb.Tensor | Sequence[Any],
    grad_outputs: Sequence[fb.Tensor] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    fast_mode: bool = False,
) -> bool:
    """Whether the gradients of the gradients of `func` are right, as gradcheck.

    The gradients are taken with respect to `inputs` and to `grad_outputs`, which are random where
    they are not given.
    """
    args = (inputs,) if isinstance(inputs, fb.Tensor) else tuple(inputs)
    check_inputs(args)
    func, args = in_real_parts(func, args)
    outputs = [out for out in differentiable_outputs(func(*args)) if out.requires_grad]
    if grad_outputs is None:
        grad_outputs = [
            fb.randn(out.shape, dtype=fb.float64).to(out.device).requires_grad_() for out in outputs
        ]

    def gradients(*everything: Any) -> tuple[fb.Tensor, ...]:
        variables, seeds = everything[: len(args)], everything[len(args) :]
        results = [out for out in differentiable_outputs(func(*variables)) if out.requires_grad]
        wanted = [v for v in variables if isinstance(v, fb.Tensor) and v.requires_grad]
        grads = fb.autograd.grad(results, wanted, seeds, create_graph=True, allow_unused=True)
        return tuple(grad for grad in grads if grad is not None)

    return gradcheck(
        gradients,
        (*args, *grad_outputs),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        fast_mode=fast_mode,
    )
