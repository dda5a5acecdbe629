"""vmap: a function of one example, run on a whole batch at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from .. import _C
from ..random import get_rng_state, set_rng_state
from .levels import Level, entered
from .naming import named_like
from .pytree import tree_flatten, tree_map, tree_unflatten
from .tensors import BatchedTensor, batch, is_batched

__all__ = ["spread_prefix", "vmap"]

Tensor = _C.Tensor


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Maps a function over a dimension of its arguments.

    Args:
        func: takes tensors (nested in tuples, lists or dicts, and anything
            else beside them) and returns tensors.
        in_dims: the dimension to map over, of every argument: an int, None for
            arguments that all examples share, or a structure of these that
            matches the arguments.
        out_dims: where that dimension appears in the outputs.
        randomness: what random ops in ``func`` do: ``"error"``,
            ``"different"`` numbers for every example, or the ``"same"``.
        chunk_size: how many examples run at once; all of them if None.

    Returns:
        A function of the same arguments, each tensor with one dimension more.

    Raises:
        ValueError: in_dims or out_dims do not match, or the sizes differ.
        RuntimeError: an op asks for values that differ between examples.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.func.vmap(torch.dot)(x, x)
        tensor([ 5., 25.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            f"vmap: randomness must be 'error', 'different' or 'same', got {randomness!r}"
        )
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size must be a positive int or None, got {chunk_size}")

    @named_like(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        dims = _in_dims(in_dims, args)
        leaves, spec = tree_flatten((args, kwargs))
        dims += [None] * (len(leaves) - len(dims))  # keyword arguments are shared
        size = _batch_size(func, leaves, dims)
        if chunk_size is None or chunk_size >= size:
            return _run(func, leaves, spec, dims, size, out_dims, randomness)
        return _in_chunks(func, leaves, spec, dims, size, out_dims, randomness, chunk_size)

    return mapped


def spread_prefix(what: str, prefix: Any, tree: Any) -> list[Any]:
    """A structure of dimensions spread over the leaves of a tree that it is a prefix of."""
    leaves, spec = tree_flatten(tree)
    if prefix is None or isinstance(prefix, int):
        return [prefix] * len(leaves)
    if type(prefix) is list and spec.type is tuple:
        prefix = tuple(prefix)
    if spec.type is None or type(prefix) is not spec.type or len(prefix) != len(spec.children):
        raise ValueError(
            f"vmap: {what} {prefix!r} does not match the structure of what it belongs to ({tree!r})"
        )
    children = tree.values() if isinstance(tree, dict) else tree
    inner = prefix.values() if isinstance(prefix, dict) else prefix
    found: list[Any] = []
    for p, child in zip(inner, children):
        found += spread_prefix(what, p, child)
    return found


def _in_dims(in_dims: Any, args: tuple[Any, ...]) -> list[Any]:
    if not isinstance(in_dims, (int, tuple)) or isinstance(in_dims, bool):
        raise ValueError(
            f"vmap: in_dims must be an int or a (potentially nested) tuple, got {in_dims!r}"
        )
    if not args and isinstance(in_dims, int):
        return []
    return spread_prefix("in_dims", in_dims, args)


def _batch_size(func: Any, leaves: list[Any], dims: list[Any]) -> int:
    name = getattr(func, "__name__", repr(func))
    sizes = set()
    for i, (x, d) in enumerate(zip(leaves, dims)):
        if d is None:
            continue
        if not isinstance(d, int):
            raise ValueError(f"vmap({name}): in_dims must be ints or None, got {d!r}")
        if not isinstance(x, Tensor):
            raise ValueError(
                f"vmap({name}): in_dim {d} was given for an argument of type {type(x).__name__}; "
                "only tensors can be mapped over, use None for the others"
            )
        if not -x.ndim <= d < x.ndim:
            raise ValueError(
                f"vmap({name}): in_dim {d} is out of range for a tensor of shape {list(x.shape)}"
            )
        dims[i] = d % x.ndim
        sizes.add(x.shape[dims[i]])
    if not sizes:
        raise ValueError(f"vmap({name}): at least one argument must be a tensor to map over")
    if len(sizes) > 1:
        raise ValueError(
            f"vmap({name}): expected all tensors to have the same size in the mapped dimension, "
            f"got sizes {sorted(sizes)}"
        )
    size = sizes.pop()
    if size == 0:
        raise ValueError(f"vmap({name}): the mapped dimension has size 0: no example to run")
    return int(size)


def _run(
    func: Any,
    leaves: list[Any],
    spec: Any,
    dims: list[Any],
    size: int,
    out_dims: Any,
    randomness: str,
) -> Any:
    with entered(Level("vmap", size, randomness)) as level:
        seen = [x if d is None else batch(x.movedim(d, 0), level) for x, d in zip(leaves, dims)]
        args, kwargs = tree_unflatten(seen, spec)
        result = func(*args, **kwargs)
        outputs, out_spec = tree_flatten(result)
        to = (
            spread_prefix("out_dims", out_dims, result)
            if not _single(out_dims, result)
            else [out_dims[0]]
        )
        values = [_value(func, y, level) for y in outputs]
    return tree_unflatten(
        [_placed(func, v, d, shared) for (v, shared), d in zip(values, to)], out_spec
    )


def _single(out_dims: Any, result: Any) -> bool:
    # A tuple of one dimension for the one output, as PyTorch takes it.
    return isinstance(out_dims, tuple) and len(out_dims) == 1 and isinstance(result, Tensor)


def _value(func: Any, y: Any, level: Level) -> tuple[Any, bool]:
    """All examples of an output, and whether they share it."""
    if y is None:
        return None, True
    if not isinstance(y, Tensor):
        raise ValueError(
            f"vmap({getattr(func, '__name__', func)!s}): the function must return tensors, got "
            f"{type(y).__name__}"
        )
    if is_batched(y, level):
        return cast(BatchedTensor, y).value, False
    return y.unsqueeze(0).expand(level.batch_size, *y.shape), True


def _placed(func: Any, value: Any, dim: Any, shared: bool) -> Any:
    if value is None:
        return None
    if dim is None:
        if not shared:
            raise ValueError(
                f"vmap({getattr(func, '__name__', func)!s}): an output differs between examples "
                "and needs a dimension for them, but its out_dim is None"
            )
        return value.select(0, 0)
    if not -value.ndim <= dim < value.ndim:
        raise IndexError(
            f"vmap: out_dim {dim} is out of range for an output of shape {list(value.shape)}"
        )
    return value.movedim(0, dim)


def _in_chunks(
    func: Any,
    leaves: list[Any],
    spec: Any,
    dims: list[Any],
    size: int,
    out_dims: Any,
    randomness: str,
    chunk: int,
) -> Any:
    parts = []
    drawn = get_rng_state() if randomness == "same" else None
    for start in range(0, size, chunk):
        if drawn is not None:  # every chunk draws what the first one drew
            set_rng_state(drawn)
        n = min(chunk, size - start)
        some = [x if d is None else x.narrow(d, start, n) for x, d in zip(leaves, dims)]
        parts.append(_run(func, some, spec, dims, n, out_dims, randomness))
    to = iter(
        [out_dims[0]]
        if _single(out_dims, parts[0])
        else spread_prefix("out_dims", out_dims, parts[0])
    )

    def joined(*each: Any) -> Any:
        d = next(to)
        return each[0] if d is None or each[0] is None else _C.cat(each, d)

    return tree_map(joined, parts[0], *parts[1:])
