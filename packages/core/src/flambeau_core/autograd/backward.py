"""Gradients of tensors: into ``.grad``, or as values."""

from __future__ import annotations

import warnings
from typing import Any

from .. import _C
from ..overrides import is_sparse
from . import transform_hooks
from .graph import GradientEdge

__all__ = ["backward", "grad"]

Tensors = Any  # a tensor or a sequence of them
BATCHED = 32  # the flag of tensors that vmap made
OVERRIDES = 16  # the flag of classes that override ops, which autograd takes as plain tensors


def backward(
    tensors: Tensors,
    grad_tensors: Tensors = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Tensors = None,
    inputs: Tensors = None,
) -> None:
    """Adds the gradients of ``tensors`` to the ``.grad`` of the leaves they come from.

    Args:
        tensors: what to differentiate.
        grad_tensors: the vector of each vector-Jacobian product, shaped like
            its tensor; not needed for tensors of one element.
        retain_graph: keep what was saved, for a second pass; by default
            ``create_graph``.
        create_graph: record the gradients' own graph, for higher derivatives.
        inputs: accumulate into these tensors only.

    Raises:
        RuntimeError: a tensor needs no gradient, a vector is missing or has
            another shape, the graph was freed by an earlier pass, or a saved
            tensor was modified in place.

    Example:

        >>> import flambeau as torch
        >>> w = torch.tensor(3.0, requires_grad=True)
        >>> torch.autograd.backward(w**2)
        >>> w.grad
        tensor(6.)
    """
    if inputs is not None and not isinstance(inputs, _C.Tensor) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    if grad_variables is not None:
        warnings.warn("grad_variables is deprecated: use grad_tensors", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError("backward: give grad_tensors or grad_variables, not both")
        grad_tensors = grad_variables
    roots, vectors = _roots(tensors, grad_tensors)
    if _C.intercepted(roots) & BATCHED:
        raise RuntimeError(
            "backward() called inside vmap, where there are no leaves to give gradients to: use "
            "flambeau.func.grad or vjp in the function"
        )
    wanted = None if inputs is None else _sources(inputs)
    _C.run_backward(roots, vectors, retain_graph, create_graph, wanted, True, True)


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Tensors = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradients of ``outputs`` with respect to ``inputs``, as a tuple.

    ``grad_outputs``, ``retain_graph`` and ``create_graph`` are those of
    :func:`backward`. With ``is_grads_batched`` the vectors have a leading batch
    dimension, and so have the gradients.

    Raises:
        RuntimeError: as :func:`backward`, where there are no inputs, and where
            one was not used and ``allow_unused`` is not set.

    Example:

        >>> import flambeau as torch
        >>> w = torch.tensor(3.0, requires_grad=True)
        >>> torch.autograd.grad(w**2, w)
        (tensor(6.),)
    """
    given = _several(inputs)
    if any(is_sparse(x) for x in given):
        from ..sparse.gradient import on_coordinates, values_of

        options = (retain_graph, create_graph, only_inputs, allow_unused, is_grads_batched)
        found = grad(outputs, values_of(given), grad_outputs, *options, materialize_grads)
        return on_coordinates(found, given)
    wanted = _sources(given)
    if not only_inputs:
        warnings.warn(
            "only_inputs is ignored: grad never accumulates into other leaves",
            FutureWarning,
            stacklevel=2,
        )
    if allow_unused is None:
        allow_unused = materialize_grads
    elif not allow_unused and materialize_grads:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, "
            "but got: allow_unused=False."
        )
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if is_grads_batched:
        return _batched_grad(
            outputs, wanted, grad_outputs, create_graph, allow_unused, retain_graph
        )
    roots, vectors = _roots(outputs, grad_outputs)
    if _C.intercepted([*roots, *vectors, *wanted]) & ~OVERRIDES:
        found = _of_transforms(roots, wanted, vectors, create_graph, allow_unused)
    else:
        found = _C.run_backward(
            roots, vectors, retain_graph, create_graph, wanted, False, allow_unused
        )
    if materialize_grads:
        found = tuple(_C.zeros_like(x) if g is None else g for g, x in zip(found, wanted))
    return found


def _of_transforms(
    roots: list[Any], inputs: list[Any], vectors: list[Any], create_graph: bool, allow_unused: bool
) -> tuple[Any, ...]:
    """Gradients of tensors that transforms made, whose graph lies beneath those."""
    vectors = [_C.ones_like(y) if v is None else v for y, v in zip(roots, vectors)]
    assert transform_hooks.gradient is not None  # their module made these tensors
    found = tuple(transform_hooks.gradient(roots, inputs, vectors, create_graph))
    if not allow_unused and any(g is None for g in found):
        raise RuntimeError(
            "One of the differentiated Tensors appears to not have been used in the graph. Set "
            "allow_unused=True if this is the desired behavior."
        )
    return found


def _roots(outputs: Tensors, vectors: Tensors) -> tuple[list[Any], list[Any]]:
    """Outputs and their vectors, one for each; edges of the graph as tensors in their place."""
    roots = _several(outputs)
    given = [None] * len(roots) if vectors is None else _several(vectors)
    if len(given) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(given)} gradients")
    for i, (root, vector) in enumerate(zip(roots, given)):
        if isinstance(root, GradientEdge):
            if vector is None:
                raise RuntimeError(f"an edge of the graph needs a gradient to start from, at {i}")
            roots[i] = _C.stand_in(root.node, root.output_nr, vector)
        elif is_sparse(root):
            from ..sparse.gradient import start

            roots[i], given[i] = start(root, vector)
    return roots, given


def _sources(inputs: Tensors) -> list[Any]:
    """Inputs, with edges of the graph as tensors in their place."""
    return [
        _C.stand_in(x.node, x.output_nr, None) if isinstance(x, GradientEdge) else x
        for x in _several(inputs)
    ]


def _several(tensors: Tensors) -> list[Any]:
    return [tensors] if isinstance(tensors, (_C.Tensor, GradientEdge)) else list(tensors)


def _batched_grad(
    outputs: Tensors,
    inputs: list[Any],
    vectors: Tensors,
    create_graph: bool,
    allow_unused: bool,
    retain_graph: bool | None,
) -> tuple[Any, ...]:
    roots, many = _several(outputs), _several(vectors)
    if any(v.dim() == 0 or v.shape[1:] != y.shape for y, v in zip(roots, many)):
        raise RuntimeError(
            "grad with is_grads_batched=True takes the first dimension of each grad_output as the "
            f"batch: shapes {[tuple(v.shape) for v in many]} do not go with outputs of shapes "
            f"{[tuple(y.shape) for y in roots]}"
        )
    size = many[0].shape[0]
    rows = []
    for i in range(size):
        keep = retain_graph if i == size - 1 else True
        at, vector = _roots(outputs, [v[i] for v in many])
        rows.append(_C.run_backward(at, vector, keep, create_graph, inputs, False, allow_unused))
    return tuple(None if column[0] is None else _C.stack(column) for column in zip(*rows))
