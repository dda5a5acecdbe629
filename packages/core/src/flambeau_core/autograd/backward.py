"""Gradients of tensors: into ``.grad``, or as values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _C

__all__ = ["backward", "grad"]

Tensors = Any  # a tensor or a sequence of them


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
    """
    if inputs is not None and not isinstance(inputs, _C.Tensor) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    vectors = grad_tensors if grad_tensors is not None else grad_variables
    _C.run_backward(tensors, vectors, retain_graph, create_graph, inputs, True, True)


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
    """
    single = isinstance(inputs, _C.Tensor)
    wanted: Sequence[Any] = (inputs,) if single else tuple(inputs)
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
    found = _C.run_backward(
        outputs, grad_outputs, retain_graph, create_graph, wanted, False, allow_unused
    )
    if materialize_grads:
        found = tuple(_C.zeros_like(x) if g is None else g for g, x in zip(found, wanted))
    return found


def _batched_grad(
    outputs: Tensors,
    inputs: Sequence[Any],
    vectors: Tensors,
    create_graph: bool,
    allow_unused: bool,
    retain_graph: bool | None,
) -> tuple[Any, ...]:
    many = (vectors,) if isinstance(vectors, _C.Tensor) else tuple(vectors)
    size = many[0].shape[0]
    rows = []
    for i in range(size):
        last = i == size - 1
        keep = retain_graph if last else True
        rows.append(
            _C.run_backward(
                outputs, [v[i] for v in many], keep, create_graph, inputs, False, allow_unused
            )
        )
    return tuple(None if column[0] is None else _C.stack(column) for column in zip(*rows))
