"""Which function an op on a sparse tensor runs, and the refusal of all that have none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import flambeau_core as fb
from flambeau_core.overrides import is_sparse

__all__ = ["call", "implements", "is_sparse", "keeps_layout", "refuse"]

F = TypeVar("F", bound=Callable[..., Any])
IMPLEMENTATIONS: dict[str, Callable[..., Any]] = {}
KEEPING: set[str] = set()


def implements(*names: str) -> Callable[[F], F]:
    """Decorates what the ops of these names do where an argument is sparse.

    The function has the op's signature. An in-place form comes by itself where the first argument
    is sparse: it takes over the result.
    """

    def register(function: F) -> F:
        IMPLEMENTATIONS.update(dict.fromkeys(names, function))
        return function

    return register


def keeps_layout(*names: str) -> None:
    """The results of these ops have the layout of their first sparse argument."""
    KEEPING.update(names)


def refuse(name: str, *args: Any) -> NotImplementedError:
    """The error of what has no meaning, or none yet, for sparse tensors such as these."""
    layout = next((x.layout for x in args if is_sparse(x)), fb.sparse_coo)
    return NotImplementedError(
        f"{name} is not implemented for tensors of the layout {layout}: "
        "to_dense() gives one that it takes"
    )


def call(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An op on arguments of which at least one is sparse.

    Raises:
        NotImplementedError: there is no such op on sparse tensors.
    """
    name = str(getattr(op, "__name__", op))
    kwargs = dict(kwargs)
    if "input" in kwargs:
        args = (kwargs.pop("input"), *args)
    out = kwargs.pop("out", None)
    function = IMPLEMENTATIONS.get(name)
    if function is None and name.endswith("_") and args and is_sparse(args[0]):
        functional = IMPLEMENTATIONS.get(name[:-1])
        if functional is not None and out is None:
            return args[0]._become(name, _kept(name[:-1], args, functional(*args, **kwargs)))
    if function is None:
        raise refuse(name, *args, *kwargs.values())
    result = _kept(name, args, function(*args, **kwargs))
    return result if out is None else _written(name, out, result)


def _kept(name: str, args: tuple[Any, ...], result: Any) -> Any:
    if name in KEEPING and is_sparse(result):
        return next(x for x in args if is_sparse(x))._in_layout(result)
    return result


def _written(name: str, out: Any, result: Any) -> Any:
    if is_sparse(out):
        return out._become(name, result)
    if is_sparse(result):
        raise refuse(f"{name} with a dense out=")
    if out.shape != result.shape:
        out.resize_(result.shape)
    return out.copy_(result)
