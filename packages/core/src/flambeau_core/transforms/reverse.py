"""Reverse mode as an op: gradients of tensors that other transforms made.

The graph is recorded beneath all levels, on the values of batches and on primals
and tangents alike; so the gradient of a batch is the batch of gradients, and that
of a dual number follows from the product rule.
"""

from __future__ import annotations

from typing import Any

from .. import _C
from ..autograd import transform_hooks
from .duals import innermost, set_tangent, tangent_of
from .levels import Level, below
from .tensors import batch, is_batched

__all__ = ["boundary", "gradient", "spread", "vmaps_of"]

Tensor = _C.Tensor


def boundary(x: Any) -> Any:
    """A stand-in for a tensor that gradients can be taken of, and that passes them on."""
    level = innermost((x,))
    if level is None:
        return x.view_as(x) if x.requires_grad else x.detach().requires_grad_()
    if level.kind == "vmap":
        return batch(boundary(x.value), level)
    with below(level):
        y = boundary(x)
    tangent = tangent_of(x, level)
    if tangent is not None:
        set_tangent(y, tangent, level)
    return y


def vmaps_of(tensors: Any) -> list[Level]:
    """The vmaps that tensors (and their tangents) belong to, outermost first."""
    found: set[Level] = set()
    for x in tensors:
        _collect(x, found)
    return sorted(found, key=lambda level: level.number)


def _collect(x: Any, found: set[Level]) -> None:
    level = innermost((x,))
    if level is None:
        return
    if level.kind == "vmap":
        found.add(level)
        return _collect(x.value, found)
    with below(level):
        _collect(x, found)
        if (t := tangent_of(x, level)) is not None:
            _collect(t, found)


def spread(x: Any, vmaps: list[Level]) -> Any:
    """A tensor repeated for every example of vmaps that it does not depend on."""
    level = innermost((x,))
    if level is not None:
        inner = [v for v in vmaps if v.number < level.number]
        vmaps = [v for v in vmaps if v.number > level.number]
        if inner and level.kind == "vmap":
            x = batch(spread(x.value, inner), level)
        elif inner:
            tangent = tangent_of(x, level)
            with below(level):
                y, t = spread(x, inner), None if tangent is None else spread(tangent, inner)
            if t is not None and y is not x:
                set_tangent(y, t, level)
            x = y
    for v in vmaps:
        x = batch(x.unsqueeze(0).expand(v.batch_size, *x.shape), v)
    return x


def gradient(outputs: Any, inputs: Any, grads: Any, create_graph: bool) -> list[Any]:
    """The gradients of outputs with respect to inputs, None where they do not depend on one.

    Args:
        outputs: tensors; those outside the graph are passed over.
        inputs: tensors made by ``boundary``, or leaves.
        grads: a gradient of the result for each output.
        create_graph: whether the gradients are recorded themselves.
    """
    pairs = [(y, g) for y, g in zip(outputs, grads) if g is not None]
    level = innermost([*(t for p in pairs for t in p), *inputs])
    if level is None:
        return _plain(pairs, inputs, create_graph)
    if level.kind == "vmap":
        return _of_batch(pairs, inputs, create_graph, level)
    return _of_duals(pairs, inputs, create_graph, level)


def _plain(pairs: list[Any], inputs: Any, create_graph: bool) -> list[Any]:
    pairs = [(y, g) for y, g in pairs if y.requires_grad]
    if not pairs:
        return [None] * len(inputs)
    ys, gs = zip(*pairs)
    return list(_C.run_backward(ys, gs, True, create_graph, tuple(inputs), False, True))


def _of_batch(pairs: list[Any], inputs: Any, create_graph: bool, level: Level) -> list[Any]:
    own = [(y, g) for y, g in pairs if is_batched(y, level)]
    if own and not all(is_batched(x, level) for x in inputs):
        raise RuntimeError(
            "autograd.grad inside vmap of a tensor that all examples share would mix the gradients "
            "of the examples; use flambeau.func.grad or vjp, which keep them apart"
        )
    if own:
        ys = [y.value for y, _ in own]
        gs = [spread(g, [level]).value for _, g in own]
        found = gradient(ys, [x.value for x in inputs], gs, create_graph)
        return [None if g is None else batch(g, level) for g in found]
    if any(is_batched(x, level) for x in inputs):
        return [None] * len(inputs)
    # Many gradients of one graph: one pass each.
    each = [
        gradient(
            [y for y, _ in pairs], inputs, [_example(g, i, level) for _, g in pairs], create_graph
        )
        for i in range(level.batch_size)
    ]
    return [None if gs[0] is None else batch(_C.stack(list(gs)), level) for gs in zip(*each)]


def _example(g: Any, i: int, level: Level) -> Any:
    return g.value.select(0, i) if is_batched(g, level) else g


def _of_duals(pairs: list[Any], inputs: Any, create_graph: bool, level: Level) -> list[Any]:
    with below(level):
        ys, gs = [y for y, _ in pairs], [g for _, g in pairs]
        found = gradient(ys, inputs, gs, create_graph)
        tangents = gradient(
            [tangent_of(y, level) for y in ys if tangent_of(y, level) is not None],
            inputs,
            [g for y, g in pairs if tangent_of(y, level) is not None],
            create_graph,
        )
        of_grads = gradient(ys, inputs, [tangent_of(g, level) for g in gs], create_graph)
        sums = [
            (a + b) if a is not None and b is not None else (a if b is None else b)
            for a, b in zip(tangents, of_grads)
        ]
        found = [
            _C.zeros_like(x) if g is None and t is not None else g
            for g, t, x in zip(found, sums, inputs)
        ]
    for g, t in zip(found, sums):
        if t is not None:
            set_tangent(g, t, level)
    return found


transform_hooks.gradient = gradient
