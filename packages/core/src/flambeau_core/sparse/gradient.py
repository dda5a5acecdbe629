"""Sparse tensors where gradients start and end: in their places stand their values."""

from __future__ import annotations

from typing import Any

from flambeau_core.sparse.dispatch import is_sparse
from flambeau_core.sparse.gathering import gathered

__all__ = ["on_coordinates", "start", "values_of"]


def values_of(inputs: list[Any]) -> list[Any]:
    """What the graph knows of tensors, among them sparse ones."""
    return [x._stored_values if is_sparse(x) else x for x in inputs]


def on_coordinates(gradients: Any, inputs: list[Any]) -> tuple[Any, ...]:
    """Gradients of such values as gradients of the tensors."""
    return tuple(x._like(g) if is_sparse(x) else g for g, x in zip(gradients, inputs))


def start(root: Any, vector: Any) -> tuple[Any, Any]:
    """A sparse output and the vector of its product, for its values."""
    if vector is not None:
        if vector.shape != root.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output has a shape of {list(vector.shape)} and output "
                f"has a shape of {list(root.shape)}."
            )
        vector = gathered(vector.to_dense(), root)
    return root._stored_values, vector
