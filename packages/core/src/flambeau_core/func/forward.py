"""Forward mode over functions: jvp, linearize."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _C
from ..transforms.duals import drop_tangent, tangent_of
from ..transforms.forward import dual_level, make_dual
from ..transforms.pytree import tree_flatten, tree_map, tree_unflatten
from ..transforms.reverse import spread, vmaps_of
from .arguments import check_tensors, split_aux

__all__ = ["jvp", "linearize"]

Tensor = _C.Tensor


def jvp(
    func: Callable[..., Any],
    primals: Any,
    tangents: Any,
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """A function's outputs, and the product of its Jacobian with a vector, in one pass.

    Args:
        func: takes tensors, returns tensors (or nested containers of them).
        primals: a tuple of inputs.
        tangents: a tuple of the same structure and shapes: the vector.
        strict: whether an output that does not depend on the inputs is an error.
        has_aux: whether it returns ``(output, aux)``.

    Returns:
        ``(output, tangents of the output)``, with ``aux`` as a third where there is one.

    Raises:
        RuntimeError: primals and tangents do not match.

    Example:

        >>> import flambeau as torch
        >>> torch.func.jvp(torch.sin, (torch.tensor(0.0),), (torch.tensor(2.0),))
        (tensor(0.), tensor(2.))
    """
    if not isinstance(primals, tuple) or not isinstance(tangents, tuple):
        raise RuntimeError("jvp: primals and tangents must be tuples of inputs")
    leaves, spec = tree_flatten(primals)
    vectors, vector_spec = tree_flatten(tangents)
    if spec != vector_spec or not leaves:
        raise RuntimeError(
            f"jvp: tangents must have the structure of primals ({len(leaves)} tensors), "
            f"got {len(vectors)}"
        )
    check_tensors("jvp", "the primals", leaves, ValueError)
    check_tensors("jvp", "the tangents", vectors)
    with dual_level() as level:
        # Tangents of one call belong to the same vmaps, so that one may be written into another.
        vmaps = vmaps_of((*leaves, *vectors))
        duals = [make_dual(x, spread(v, vmaps), level) for x, v in zip(leaves, vectors)]
        result = func(*tree_unflatten(duals, spec))
        aux = None
        if has_aux:
            result, aux = split_aux("jvp", result)

        def tangent(y: Any) -> Any:
            if not isinstance(y, Tensor):
                raise RuntimeError(f"jvp: the function must return tensors, got {type(y).__name__}")
            t = tangent_of(y, level)
            if t is None and strict:
                raise RuntimeError(
                    "jvp: with strict=True every output must depend on the inputs, but one of "
                    f"shape {list(y.shape)} does not"
                )
            return t

        outputs, out_spec = tree_flatten(result)
        found = [tangent(y) for y in outputs]
        for y in outputs:
            drop_tangent(y, level)
    pushed = tree_unflatten(
        [_C.zeros_like(y) if t is None else t for y, t in zip(outputs, found)], out_spec
    )
    result = tree_unflatten(outputs, out_spec)
    return (result, pushed, aux) if has_aux else (result, pushed)


def linearize(func: Callable[..., Any], *primals: Any) -> Any:
    """A function's outputs, and its derivative there as a function of the tangents.

    Returns:
        ``(output, jvp_fn)``; ``jvp_fn(*tangents)`` takes tensors shaped like the
        primals. The function runs again in every call of it.

    Example:

        >>> import flambeau as torch
        >>> value, tangent = torch.func.linearize(torch.sin, torch.tensor(0.0))
        >>> tangent(torch.tensor(2.0))
        tensor(2.)
    """
    output = func(*primals)

    def jvp_fn(*tangents: Any) -> Any:
        return jvp(func, primals, tangents)[1]

    return tree_map(lambda y: y, output), jvp_fn
