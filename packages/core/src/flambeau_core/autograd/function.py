"""Custom differentiable functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import _C
from ..overrides import is_sparse
from . import transform_hooks
from .grad_mode import no_grad

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "NestedIOFunction", "once_differentiable"]

Tensor = _C.Tensor


class FunctionCtx:
    """What a function's forward leaves for its backward.

    Attributes:
        needs_input_grad: a bool for each argument of ``forward``.
        materialize_grads: whether missing gradients reach backward as zeros.
        to_save: the tensors of :meth:`save_for_backward`.
        saved_for_forward: the tensors of :meth:`save_for_forward`.
        dirty_tensors: the tensors of :meth:`mark_dirty`.
        non_differentiable: the tensors of :meth:`mark_non_differentiable`.
    """

    needs_input_grad: tuple[bool, ...] = ()
    materialize_grads = True
    to_save: tuple[Any, ...] = ()
    saved_for_forward: tuple[Any, ...] = ()
    dirty_tensors: tuple[Any, ...] = ()
    non_differentiable: tuple[Any, ...] = ()
    # The way to the node of the graph, where the saved tensors are once it is recorded.
    _node: Any = None

    def save_for_backward(self, *tensors: Any) -> None:
        """Keeps tensors (or None) for backward, where ``saved_tensors`` gives them."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keeps tensors (or None) for ``jvp``, where ``saved_tensors`` gives them."""
        for tensor in tensors:
            if not isinstance(tensor, Tensor) and tensor is not None:
                raise AssertionError(
                    "save_for_forward expects all arguments to be tensors or None; a "
                    f"{type(tensor).__name__} can be kept as an attribute of ctx"
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        """Says that forward modified these inputs in place."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Says that these outputs have no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing gradients reach backward as zeros (the default) or as None."""
        self.materialize_grads = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors of ``save_for_backward``.

        Raises:
            RuntimeError: one was modified in place since, or they were freed.
        """
        if self._node is not None:
            return _C.saved_tensors(self._node)
        return self.to_save or self.saved_for_forward


class Function(FunctionCtx):
    """Base of custom differentiable functions; call them as ``MyFunction.apply(...)``.

    A subclass has a static ``forward(ctx, *args)``, or ``forward(*args)`` with
    ``setup_context(ctx, inputs, output)``, and a static ``backward(ctx, *grads)``, also
    called ``vjp``, that returns a gradient (or None) for each argument of forward.

    Example:

        >>> import flambeau as torch
        >>> class Double(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x * 2
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return grad * 2
        >>> w = torch.tensor(3.0, requires_grad=True)
        >>> Double.apply(w).backward()
        >>> w.grad
        tensor(2.)
    """

    # Whether a batching rule follows from forward and backward themselves.
    generate_vmap_rule = False

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

    # The same under its other name; a subclass defines one of them.
    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Turns tangents of the arguments into tangents of the outputs."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        """Computes a batch: returns the outputs and where their batch dimensions are."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap static method "
            "or set generate_vmap_rule=True."
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            f"{type(self).__name__}: functions are not called as objects; make forward and "
            "backward static methods and use apply"
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Runs forward and records backward as its gradient."""
        separate = cls.setup_context is not Function.setup_context
        if separate:
            args, kwargs = _with_defaults(cls.forward, args, kwargs), {}
        if transform_hooks.apply_function is not None and _C.intercepted(args):
            return transform_hooks.apply_function(
                cls, args, lambda given: cls._applied(given, kwargs, separate)
            )
        return cls._applied(args, kwargs, separate)[0]

    @classmethod
    def _applied(
        cls, args: tuple[Any, ...], kwargs: dict[str, Any], separate: bool
    ) -> tuple[Any, FunctionCtx]:
        """The result, beneath all transforms, and the context that it left."""
        ctx = _context_class(cls)()  # type: ignore[arg-type]
        recording = _C.is_grad_enabled()
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        with no_grad():
            if separate:
                result = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, result)
            else:
                result = cls.forward(ctx, *args, **kwargs)
        _check_dirty(cls, ctx, result)
        if recording and any(ctx.needs_input_grad):
            result = _record(cls, ctx, args, result)
        return result, ctx


def _with_defaults(
    forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """All arguments in forward's order: setup_context sees the defaults too."""
    if not kwargs and not getattr(forward, "__defaults__", None):
        return args
    import inspect  # slow to import, and few functions need it

    bound = inspect.signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args


@functools.cache
def _context_class(cls: type) -> type[FunctionCtx]:
    # A context reads like its function: ctx is a `<Name>Backward`, and has its attributes.
    return type(cls.__name__ + "Backward", (FunctionCtx,), {"_forward_cls": cls})


def _backward_of(cls: type[Function]) -> Callable[..., Any]:
    own_vjp = cls.vjp is not Function.vjp
    if own_vjp and cls.backward is not Function.backward:
        raise RuntimeError(
            f"{cls.__name__}: implement either backward or vjp, not both; they are one function"
        )
    return cls.vjp if own_vjp else cls.backward


def _check_dirty(cls: type[Function], ctx: FunctionCtx, result: Any) -> None:
    outputs = result if isinstance(result, (tuple, list)) else (result,)
    for t in ctx.dirty_tensors:
        if not any(t is o for o in outputs):
            raise RuntimeError(
                f"{cls.__name__}: an input marked as dirty during the forward method was not "
                "returned as output. The inputs that are modified inplace must all be outputs of "
                "the Function."
            )


def _record(cls: type[Function], ctx: FunctionCtx, args: tuple[Any, ...], result: Any) -> Any:
    single = not isinstance(result, (tuple, list))
    outputs = [result] if single else list(result)
    inputs = [a for a in args if isinstance(a, Tensor)]
    _refuse_sparse(cls, inputs, outputs)
    dirty = {id(t) for t in ctx.dirty_tensors}
    untracked = {id(t) for t in ctx.non_differentiable}
    for i, out in enumerate(outputs):
        # An input handed through must not lose its own history.
        if isinstance(out, Tensor) and id(out) not in dirty and any(out is x for x in inputs):
            with no_grad():
                outputs[i] = out.view_as(out)
            ctx.to_save = tuple(outputs[i] if t is out else t for t in ctx.to_save)
    tracked = [
        o
        if isinstance(o, Tensor)
        and id(o) not in untracked
        and (o.is_floating_point() or o.is_complex())
        else None
        for o in outputs
    ]
    for t in ctx.dirty_tensors:
        _C.mark_inplace(t)
    ctx._node = _C.record_function(
        type(ctx).__name__, inputs, tracked, _gradient(cls, ctx, args, outputs), ctx, ctx.to_save
    )
    ctx.to_save = ()  # the node keeps them now
    return outputs[0] if single else type(result)(outputs)


def _refuse_sparse(cls: type[Function], inputs: list[Any], outputs: list[Any]) -> None:
    """The history of a sparse tensor is its values', which a custom function does not see."""
    if any(is_sparse(x) and x.requires_grad for x in inputs) or any(map(is_sparse, outputs)):
        raise NotImplementedError(
            f"{cls.__name__}: custom functions neither return sparse tensors nor differentiate "
            "with respect to them: pass their values()"
        )


def _gradient(
    cls: type[Function], ctx: FunctionCtx, args: tuple[Any, ...], outputs: list[Any]
) -> Callable[..., Any]:
    """The callable that a node of the graph applies to its outputs' gradients."""
    backward = _backward_of(cls)
    slots = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
    others = [i for i, a in enumerate(args) if not isinstance(a, Tensor)]
    forms = [(o.shape, o.dtype, o.device) if isinstance(o, Tensor) else None for o in outputs]
    expected = len(args)

    def apply(*grads: Any) -> tuple[Any, ...]:
        if ctx.materialize_grads:
            grads = tuple(
                _C.zeros(form[0], dtype=form[1], device=form[2]) if g is None and form else g
                for g, form in zip(grads, forms)
            )
        found = backward(ctx, *grads)
        if not isinstance(found, (tuple, list)):
            found = (found,)
        if len(found) < expected or any(g is not None for g in found[expected:]):
            raise RuntimeError(
                f"function {type(ctx).__name__} returned an incorrect number of gradients "
                f"(expected {expected}, got {len(found)})"
            )
        for i in others:
            if found[i] is not None:
                raise RuntimeError(
                    f"function {type(ctx).__name__} returned a gradient different from None at "
                    f"position {i + 1}, but the corresponding forward input was not a Variable"
                )
        return tuple(found[i] for i in slots)

    return apply


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
        _C.record_function(
            "OnceDifferentiable",
            [g for g in grads if isinstance(g, Tensor)],
            [v if isinstance(v, Tensor) else None for v in fresh],
            refuse,
            None,
            (),
        )
        return fresh[0] if single else tuple(fresh)

    return wrapper


class InplaceFunction(Function):
    """A function with a switch ``inplace``, for those that come in both forms."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """A function whose arguments and results are tuples and lists of tensors, at any depth.

    A subclass has the static methods ``forward_extended(ctx, *args)`` and
    ``backward_extended(ctx, *grads)``; gradients are nested as results and arguments are.
    """

    @staticmethod
    def forward_extended(ctx: Any, *args: Any) -> Any:
        """Computes the result from nested arguments."""
        raise NotImplementedError("forward_extended is not implemented.")

    @staticmethod
    def backward_extended(ctx: Any, *grad_outputs: Any) -> Any:
        """Turns nested gradients of the results into nested gradients of the arguments."""
        raise NotImplementedError("backward_extended is not implemented.")

    @staticmethod
    def forward(ctx: Any, cls: Any, form: Any, returned: list[Any], *leaves: Any) -> Any:
        result = cls.forward_extended(ctx, *_nested(form, iter(leaves)))
        ctx._extended, ctx._returned, flat = cls, _form(result), _leaves(result)
        returned.append(ctx._returned)
        return tuple(flat)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        nested = _nested(ctx._returned, iter(grads))
        single = not isinstance(ctx._returned, (tuple, list))
        found = ctx._extended.backward_extended(ctx, *([nested] if single else nested))
        return (None, None, None, *_leaves(found))

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        returned: list[Any] = []
        flat = super().apply(cls, _form(args), returned, *_leaves(args), **kwargs)
        return _nested(returned[0], iter(flat))


def _form(value: Any) -> Any:
    """The nesting of a value, with None for each of its leaves."""
    return type(value)(map(_form, value)) if isinstance(value, (tuple, list)) else None


def _leaves(value: Any) -> list[Any]:
    return sum(map(_leaves, value), []) if isinstance(value, (tuple, list)) else [value]


def _nested(form: Any, leaves: Any) -> Any:
    """The leaves, in the nesting of `form`."""
    return type(form)(_nested(f, leaves) for f in form) if form is not None else next(leaves)
