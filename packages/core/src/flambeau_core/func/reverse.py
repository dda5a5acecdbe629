"""Reverse mode over functions: vjp, grad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from .. import _C
from ..autograd.grad_mode import enable_grad
from ..transforms.duals import innermost, set_tangent, tangent_of
from ..transforms.levels import active, below, levels
from ..transforms.naming import named_like
from ..transforms.pytree import tree_flatten, tree_map, tree_unflatten
from ..transforms.reverse import boundary, gradient, spread
from ..transforms.tensors import BatchedTensor, batch
from .arguments import Argnums, check_real, check_tensors, exchanged, picked, split_aux

__all__ = ["grad", "grad_and_value", "vjp"]

Tensor = _C.Tensor


def _plain(x: Any) -> list[Any]:
    """The tensors beneath all transforms that a tensor consists of."""
    level = innermost((x,))
    if level is None:
        return [x]
    if level.kind == "vmap":
        return _plain(x.value)
    with below(level):
        parts = _plain(x)
        if (t := tangent_of(x, level)) is not None:
            parts += _plain(t)
    return parts


def _released(x: Any, beyond: bool) -> Any:
    """An output as the outside sees it: in the graph only where that leads further out."""
    if not isinstance(x, Tensor) or (beyond and _C.is_grad_enabled()):
        return x
    level = innermost((x,))
    if level is None:
        return x.detach() if x.requires_grad else x
    if level.kind == "vmap":
        return batch(_released(cast(BatchedTensor, x).value, False), level)
    with below(level):
        y = _released(x, False)
        tangent = tangent_of(x, level)
        t = None if tangent is None else _released(tangent, False)
    if t is not None and y is not x:
        set_tangent(y, t, level)
    return y


class _Pullback:
    """A function's outputs with the way back to its inputs."""

    def __init__(self, function: str, func: Callable[..., Any], primals: Any, has_aux: bool):
        leaves, self.spec = tree_flatten(primals)
        check_tensors(function, "the inputs", leaves)
        vmaps = [v for v in levels("vmap") if active(v)]
        spread_leaves = [spread(x, vmaps) for x in leaves]
        outer = [p.requires_grad for x in spread_leaves for p in _plain(x)]
        self.function = function
        with enable_grad():
            self.inputs = [boundary(x) for x in spread_leaves]
            result = func(*tree_unflatten(self.inputs, self.spec))
        self.aux = None
        if has_aux:
            result, self.aux = split_aux(function, result)
        self.output = result
        self.leaves, self.out_spec = tree_flatten(result)
        for y in self.leaves:
            if not isinstance(y, Tensor):
                raise RuntimeError(
                    f"{function}: the function must return tensors, got {type(y).__name__}"
                )
        own = [p for x in self.inputs for p in _plain(x)]
        everything = [
            *self.leaves,
            *(a for a in tree_flatten(self.aux)[0] if isinstance(a, Tensor)),
        ]
        self.beyond = any(outer) or _C.reaches_beyond(
            [p for y in everything for p in _plain(y)], own
        )

    def outside(self, tree: Any) -> Any:
        return tree_map(lambda x: _released(x, self.beyond), tree)

    def back(self, cotangents: list[Any], create_graph: bool) -> list[Any]:
        """The gradients of the inputs, zeros where there is none."""
        create = create_graph and (
            self.beyond or any(p.requires_grad for g in cotangents for p in _plain(g))
        )
        found = gradient(self.leaves, self.inputs, cotangents, create)
        return [
            _C.zeros_like(_released(x, False)) if g is None else g
            for x, g in zip(self.inputs, found)
        ]


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """A function's outputs, and the product of a vector with its Jacobian.

    Args:
        func: takes tensors (or nested containers of them), returns the same.
        primals: where it is evaluated.
        has_aux: whether it returns ``(output, aux)``; aux is handed through.

    Returns:
        ``(output, vjp_fn)``, with ``aux`` as a third where there is one. ``vjp_fn(*cotangents)``
        takes a tensor for each output, of its shape and dtype, and gives a
        tuple with a gradient for each of the primals.

    Example:

        >>> import flambeau as torch
        >>> value, pull_back = torch.func.vjp(torch.sin, torch.tensor(0.0))
        >>> pull_back(torch.tensor(2.0))
        (tensor(2.),)
    """
    pull = _Pullback("vjp", func, primals, has_aux)
    output = pull.outside(pull.output)

    def vjp_fn(
        *cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None
    ) -> Any:
        given = cotangents[0] if len(cotangents) == 1 else cotangents
        grads, spec = tree_flatten(given)
        if len(grads) != len(pull.leaves):
            raise RuntimeError(
                f"vjp_fn: expected {len(pull.leaves)} cotangents, one an output, got {len(grads)}"
            )
        for y, g in zip(pull.leaves, grads):
            if not isinstance(g, Tensor) or g.shape != y.shape:
                raise RuntimeError(
                    f"vjp_fn: expected a cotangent of shape {list(y.shape)}, that of the output, "
                    f"got {list(g.shape) if isinstance(g, Tensor) else type(g).__name__}"
                )
        record = _C.is_grad_enabled() if create_graph is None else create_graph
        return tree_unflatten(pull.back(grads, record), pull.spec)

    if has_aux:
        return output, vjp_fn, pull.outside(pull.aux)
    return output, vjp_fn


def grad_and_value(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives the gradient of ``func`` and its value.

    Args:
        func: returns a tensor of one element without dimensions.
        argnums: which positional argument is differentiated, or a tuple of them.
        has_aux: whether it returns ``(output, aux)``.

    Returns:
        A function that gives ``(gradient, value)``, or ``(gradient, (value, aux))``.

    Raises:
        RuntimeError: the output is no tensor, or has dimensions.

    Example:

        >>> import flambeau as torch
        >>> torch.func.grad_and_value(lambda x: x**3)(torch.tensor(2.0))
        (tensor(12.), tensor(8.))
    """

    @named_like(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        chosen = picked("grad", args, argnums)

        def of_chosen(value: Any) -> Any:
            return func(*exchanged(args, argnums, value), **kwargs)

        pull = _Pullback("grad", of_chosen, (chosen,), has_aux)
        y = pull.output
        if not isinstance(y, Tensor):
            raise RuntimeError(f"grad: the function must return a tensor, got {type(y).__name__}")
        if y.ndim != 0:
            raise RuntimeError(
                "grad: the function must return a tensor without dimensions, got one of shape "
                f"{list(y.shape)}"
            )
        check_real("grad", "the function's output", [y])
        (found,) = tree_unflatten(
            pull.back([_C.ones_like(y.detach())], _C.is_grad_enabled()), pull.spec
        )
        value = pull.outside(y)
        return found, (value, pull.outside(pull.aux)) if has_aux else value

    return wrapper


def grad(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives the gradient of ``func``, which returns a tensor without dimensions.

    Args:
        func: the function; its first argument is differentiated unless ``argnums`` says else.
        argnums: a positional argument, or a tuple of them (the gradient is then a tuple).
        has_aux: whether it returns ``(output, aux)``; the result is then ``(gradient, aux)``.

    Raises:
        RuntimeError: the output is no tensor, or has dimensions.

    Example:

        >>> import flambeau as torch
        >>> torch.func.grad(torch.sin)(torch.tensor(0.0))
        tensor(1.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @named_like(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return wrapper
