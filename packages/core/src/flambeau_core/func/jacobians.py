"""Whole Jacobians and Hessians of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _C
from ..transforms.naming import named_like
from ..transforms.pytree import tree_flatten, tree_unflatten
from ..transforms.vmap import vmap
from .arguments import Argnums, check_real, check_tensors, exchanged, picked, split_aux
from .forward import jvp
from .reverse import vjp

__all__ = ["hessian", "jacfwd", "jacrev"]


def _basis(leaves: list[Any]) -> tuple[list[Any], list[int]]:
    """All unit vectors of the space that tensors span together, and each one's share."""
    sizes = [x.numel() for x in leaves]
    total, start, vectors = sum(sizes), 0, []
    for x, n in zip(leaves, sizes):
        own = _C.zeros((total, n), dtype=x.dtype, device=x.device)
        own.narrow(0, start, n).diagonal().fill_(1)
        vectors.append(own.reshape(total, *x.shape))
        start += n
    return vectors, sizes


def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """The Jacobian by reverse mode, a row an element of the output.

    Args:
        func: takes and returns tensors, or nested containers of them.
        argnums: the argument that is differentiated, or a tuple of them.
        has_aux: whether it returns ``(output, aux)``.
        chunk_size: how many rows are computed at once.

    Returns:
        A function whose result is nested like the output of ``func``, with
        tensors of the shape of the output followed by that of the input.

    Example:

        >>> import flambeau as torch
        >>> torch.func.jacrev(lambda x: x**2)(torch.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """

    @named_like(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        chosen = picked("jacrev", args, argnums)
        aux: list[Any] = []

        def of_chosen(value: Any) -> Any:
            return func(*exchanged(args, argnums, value), **kwargs)

        check_real("jacrev", "the inputs", tree_flatten(chosen)[0])
        output, pull, *aux = vjp(of_chosen, chosen, has_aux=has_aux)
        outputs, out_spec = tree_flatten(output)
        check_real("jacrev", "the outputs", outputs)
        vectors, sizes = _basis(outputs)
        inputs, in_spec = tree_flatten(chosen)

        def rows(*cotangents: Any) -> Any:
            (found,) = pull(tree_unflatten(cotangents, out_spec))
            return tuple(tree_flatten(found)[0])

        each = vmap(rows, chunk_size=chunk_size)(*vectors)
        blocks = [
            tree_unflatten(
                [part.reshape(*y.shape, *x.shape) for part, x in zip(parts, inputs)], in_spec
            )
            for y, parts in zip(outputs, zip(*(g.split(sizes, 0) for g in each)))
        ]
        result = tree_unflatten(blocks, out_spec)
        return (result, aux[0]) if has_aux else result

    return wrapper


def jacfwd(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """The Jacobian by forward mode, a column an element of the input; see ``jacrev``.

    Example:

        >>> import flambeau as torch
        >>> torch.func.jacfwd(lambda x: x**2)(torch.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """

    @named_like(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        chosen = picked("jacfwd", args, argnums)
        inputs, in_spec = tree_flatten(chosen)
        check_tensors("jacfwd", "the inputs", inputs)
        check_real("jacfwd", "the inputs", inputs)
        vectors, sizes = _basis(inputs)
        structure: list[Any] = []

        def of_chosen(*leaves: Any) -> Any:
            result = func(*exchanged(args, argnums, tree_unflatten(leaves, in_spec)), **kwargs)
            output, aux = split_aux("jacfwd", result) if has_aux else (result, None)
            flat, spec = tree_flatten(output)
            check_real("jacfwd", "the outputs", flat)
            structure[:] = [spec]
            return (tuple(flat), aux) if has_aux else tuple(flat)

        def column(*tangents: Any) -> Any:
            found = jvp(of_chosen, tuple(inputs), tangents, has_aux=has_aux)
            return (found[1], found[2]) if has_aux else found[1]

        columns = vmap(column, randomness=randomness, chunk_size=chunk_size)(*vectors)
        columns, aux = columns if has_aux else (columns, None)
        blocks = []
        for column_of_all in columns:
            parts = column_of_all.movedim(0, -1).split(sizes, -1)
            blocks.append(
                tree_unflatten(
                    [p.reshape(*column_of_all.shape[1:], *x.shape) for p, x in zip(parts, inputs)],
                    in_spec,
                )
            )
        result = tree_unflatten(blocks, structure[0])
        if has_aux:
            return result, tree_unflatten(
                [a.select(0, 0) for a in tree_flatten(aux)[0]], tree_flatten(aux)[1]
            )
        return result

    return wrapper


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The matrix of second derivatives: forward mode over reverse mode.

    Example:

        >>> import flambeau as torch
        >>> torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
