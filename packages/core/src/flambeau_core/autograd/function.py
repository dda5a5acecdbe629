"""Custom differentiable functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import _C
from .grad_mode import no_grad

__all__ = ["Function", "once_differentiable"]

Tensor = _C.Tensor


class FunctionContext:
    """What a function's forward leaves for its backward.

    Attributes:
        needs_input_grad: a bool for each argument of ``forward``.
    """

    needs_input_grad: tuple[bool, ...] = ()
    materialize_grads = True

    def __init__(self) -> None:
        self._saved: tuple[tuple[Any, int, int], ...] = ()
        self._to_save: tuple[Any, ...] = ()
        self._dirty: tuple[Any, ...] = ()
        self._non_differentiable: tuple[Any, ...] = ()
        self._freed = False

    def save_for_backward(self, *tensors: Any) -> None:
        """Keeps tensors (or None) for backward, where ``saved_tensors`` gives them."""
        self._to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keeps tensors for a forward-mode derivative."""
        self._to_save = self._to_save or tensors

    def mark_dirty(self, *tensors: Any) -> None:
        """Says that forward modified these inputs in place."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Says that these outputs have no gradient."""
        self._non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing gradients reach backward as zeros (the default) or as None."""
        self.materialize_grads = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors of ``save_for_backward``.

        Raises:
            RuntimeError: one was modified in place since, or they were freed.
        """
        if self._freed:
            raise RuntimeError(
                "Trying to backward through the graph a second time (or directly access saved "
                "tensors after they have already been freed). Specify retain_graph=True if you "
                "need to backward through the graph a second time."
            )
        return tuple(self._unpack(*s) for s in self._saved)

    def release_saved(self) -> None:
        """Lets go of the saved tensors, once the graph is freed."""
        self._freed = bool(self._saved)
        self._saved = ()

    def _unpack(self, tensor: Any, version: int, output: int) -> Any:
        if tensor is None:
            return None
        if tensor._version != version:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an "
                f"inplace operation: a tensor of shape {list(tensor.shape)}, which is saved for "
                f"{type(self).__name__}, is at version {tensor._version}; expected version "
                f"{version} instead."
            )
        return tensor if output < 0 else _C.reattach(tensor, output)

    def _keep(self, outputs: tuple[Any, ...]) -> None:
        # Outputs are kept as aliases outside the graph: the tensor itself would
        # close a cycle through its own node.
        kept: list[tuple[Any, int, int]] = []
        for t in self._to_save:
            if t is None:
                kept.append((None, 0, -1))
                continue
            if not isinstance(t, Tensor):
                raise TypeError(
                    "save_for_backward can only save variables, but argument is of type "
                    f"{type(t).__name__}"
                )
            at = next((i for i, o in enumerate(outputs) if o is t), -1)
            kept.append((t if at < 0 else t.detach(), t._version, at))
        self._saved = tuple(kept)
        self._to_save = ()


def _gradient(
    ctx: FunctionContext, backward: Callable[..., Any], shapes: list[Any], slots: list[int]
) -> Callable[..., Any]:
    """The callable that a node of the graph applies to its outputs' gradients."""

    def apply(*grads: Any) -> tuple[Any, ...]:
        if ctx.materialize_grads:
            grads = tuple(
                _C.zeros(s[0], dtype=s[1]) if g is None and s else g for g, s in zip(grads, shapes)
            )
        found = backward(ctx, *grads)
        if not isinstance(found, (tuple, list)):
            found = (found,)
        if len(found) < max(slots, default=-1) + 1 or any(
            g is not None for g in found[len(ctx.needs_input_grad) :]
        ):
            raise RuntimeError(
                f"function {type(ctx).__name__} returned an incorrect number of gradients "
                f"(expected {len(ctx.needs_input_grad)}, got {len(found)})"
            )
        return tuple(found[i] for i in slots)

    return apply


class Function:
    """Base of custom differentiable functions; call them as ``MyFunction.apply(...)``.

    A subclass has a static ``forward(ctx, *args)``, or ``forward(*args)`` with
    ``setup_context(ctx, inputs, output)``, and a static ``backward(ctx, *grads)``
    that returns a gradient (or None) for each argument of forward.
    """

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Computes the result; nothing in it is recorded."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Fills the context, where forward does not take it."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Turns gradients of the outputs into gradients of the arguments."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Runs forward and records backward as its gradient."""
        ctx = _context_class(cls)()  # type: ignore[arg-type]
        recording = _C.is_grad_enabled()
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        separate = cls.setup_context is not Function.setup_context
        with no_grad():
            if separate:
                result = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, result)
            else:
                result = cls.forward(ctx, *args, **kwargs)
        if not (recording and any(ctx.needs_input_grad)):
            return result
        return _record(cls, ctx, args, result)


@functools.cache
def _context_class(cls: type) -> type[FunctionContext]:
    # A context reads like its function: ctx is a `<Name>Backward`.
    return type(cls.__name__ + "Backward", (FunctionContext,), {})


def _record(cls: type[Function], ctx: FunctionContext, args: tuple[Any, ...], result: Any) -> Any:
    backward = getattr(cls, "vjp", None) or cls.backward
    single = not isinstance(result, (tuple, list))
    outputs = [result] if single else list(result)
    inputs = [a for a in args if isinstance(a, Tensor)]
    dirty = {id(t) for t in ctx._dirty}
    untracked = {id(t) for t in ctx._non_differentiable}
    for i, out in enumerate(outputs):
        if not isinstance(out, Tensor) or id(out) in dirty:
            continue
        # An input handed through must not lose its own history.
        if any(out is x for x in inputs):
            outputs[i] = out.detach()
            ctx._to_save = tuple(outputs[i] if t is out else t for t in ctx._to_save)
    tracked = [
        o
        if isinstance(o, Tensor)
        and id(o) not in untracked
        and (o.is_floating_point() or o.is_complex())
        else None
        for o in outputs
    ]
    ctx._keep(tuple(outputs))
    slots = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
    shapes = [(o.shape, o.dtype) if isinstance(o, Tensor) else None for o in outputs]
    for t in ctx._dirty:
        _C.mark_inplace(t)
    _C.record_function(
        type(ctx).__name__, inputs, tracked, _gradient(ctx, backward, shapes, slots), ctx
    )
    return outputs[0] if single else type(result)(outputs)


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a ``backward`` whose own gradient does not exist.

    Differentiating its results raises RuntimeError.
    """

    @functools.wraps(backward)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            found = backward(ctx, *grads)
        if not _C.is_grad_enabled() or not any(
            isinstance(g, Tensor) and g.requires_grad for g in grads
        ):
            return found
        single = not isinstance(found, (tuple, list))
        values = [found] if single else list(found)

        def refuse(*_: Any) -> Any:
            raise RuntimeError(
                "trying to differentiate twice a function that was marked with @once_differentiable"
            )

        fresh = [v.detach() if isinstance(v, Tensor) else v for v in values]
        sources = [g for g in grads if isinstance(g, Tensor)]
        _C.record_function(
            "OnceDifferentiable",
            sources,
            [v if isinstance(v, Tensor) else None for v in fresh],
            refuse,
            None,
        )
        return fresh[0] if single else tuple(fresh)

    return wrapper
