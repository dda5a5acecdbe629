"""Checkpointing: less memory for activations, for a second run of the forward in backward."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.autograd.backward import backward
from flambeau_core.autograd.function import Function
from flambeau_core.autograd.grad_mode import enable_grad
from flambeau_core.autograd.recomputation import CheckpointError, Region, Surroundings

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "detach_variable",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]

_early_stop = True
_debug: bool | None = None


def noop_context_fn() -> tuple[Any, Any]:
    """Two contexts that do nothing, for the first and the second run."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Calls ``function(*args, **kwargs)`` without keeping what its gradient needs.

    Backward runs the function again instead, so it must do the same each time.

    Args:
        function: what to call.
        args: its arguments.
        use_reentrant: False saves nothing and fills the gap when backward comes to it; True runs
            the function without recording and starts a backward pass inside of backward, which
            needs an argument that requires a gradient and cannot serve ``autograd.grad``.
        context_fn: gives a pair of contexts, for the first and for the second run.
        determinism_check: ``"default"`` compares shapes, dtypes and devices of what both runs
            save, ``"none"`` nothing.
        debug: let an error of that comparison tell where the tensors were saved.
        early_stop: end the second run as soon as it has saved all that is needed.
        preserve_rng_state: let the second run draw the same random numbers.
        kwargs: keyword arguments of the function; with ``use_reentrant=False`` only.

    Raises:
        ValueError: arguments that do not go together.
        CheckpointError: in backward, when the second run saves other tensors than the first.
    """
    if use_reentrant is None:
        warnings.warn(
            "checkpoint: pass use_reentrant explicitly; use_reentrant=False is recommended, "
            "use_reentrant=True is what is assumed now",
            stacklevel=2,
        )
        use_reentrant = True
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug:
            raise ValueError(
                "Passing `context_fn` or `debug` is only supported when use_reentrant=False."
            )
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(
            f"determinism_check should be one of ['default', 'none'], but got {determinism_check}"
        )
    forward_context, recompute_context = context_fn()
    if not fb.is_grad_enabled():
        with forward_context:
            return function(*args, **kwargs)
    call, tensors = _of_tensors(function, args, kwargs)
    region = Region(
        call,
        tensors,
        surroundings=Surroundings(tensors, preserve_rng_state),
        recompute_context=recompute_context,
        compares=determinism_check == "default",
        debug=debug if _debug is None else _debug,
        early_stop=early_stop and _early_stop,
    )
    with region.hooks(), forward_context:
        result = function(*args, **kwargs)
    region.complete = True
    return result


def _of_tensors(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Callable[..., Any], list[Any]]:
    """The call as a function of the tensors among its arguments, and these."""
    values = [*args, *kwargs.values()]
    names, count = list(kwargs), len(args)
    places = [i for i, value in enumerate(values) if isinstance(value, fb.Tensor)]
    tensors = [values[i] for i in places]
    for i in places:
        values[i] = None

    def call(*given: Any) -> Any:
        filled = list(values)
        for i, tensor in zip(places, given):
            filled[i] = tensor
        return function(*filled[:count], **dict(zip(names, filled[count:])))

    return call, tensors


class CheckpointFunction(Function):
    """The reentrant way: backward computes the function again and differentiates that."""

    @staticmethod
    def forward(ctx: Any, run_function: Any, preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.surroundings = Surroundings(args, preserve_rng_state)
        ctx.others = [None if isinstance(a, fb.Tensor) else a for a in args]
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, fb.Tensor)]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if _C.backward_has_inputs():
            raise RuntimeError(
                "checkpoint with use_reentrant=True is incompatible with autograd.grad() and with "
                "backward(inputs=...): use use_reentrant=False, or leave out inputs"
            )
        inputs = list(ctx.others)
        for i, tensor in zip(ctx.places, ctx.saved_tensors):
            inputs[i] = tensor
        inputs = list(detach_variable(tuple(inputs)))
        with enable_grad(), ctx.surroundings.restored():
            results = ctx.run_function(*inputs)
        if isinstance(results, fb.Tensor):
            results = (results,)
        wanted = [
            (r, g) for r, g in zip(results, grads) if isinstance(r, fb.Tensor) and r.requires_grad
        ]
        if not wanted:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not needed"
            )
        backward([r for r, _ in wanted], [g for _, g in wanted])
        return (None, None, *(x.grad if isinstance(x, fb.Tensor) else None for x in inputs))


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warns where no input requires a gradient, since then none will come."""
    if not any(isinstance(x, fb.Tensor) and x.requires_grad for x in inputs):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2
        )


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tensors as leaves of graphs of their own; other values as they are."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported, got {type(inputs).__name__}")
    return tuple(
        x.detach().requires_grad_(x.requires_grad) if isinstance(x, fb.Tensor) else x
        for x in inputs
    )


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Runs a chain of functions in ``segments`` pieces, all but the last checkpointed.

    Args:
        functions: an ``nn.Sequential``, or the functions or modules in order.
        segments: how many pieces.
        input: the tensor for the first.
        use_reentrant: as in :func:`checkpoint`.
        kwargs: ``preserve_rng_state``.
    """
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if use_reentrant is None:
        warnings.warn(
            "checkpoint_sequential: pass use_reentrant explicitly; use_reentrant=False is "
            "recommended, use_reentrant=True is what is assumed now",
            stacklevel=2,
        )
        use_reentrant = True
    children = getattr(functions, "children", None)
    chain = list(children() if children is not None else functions)
    size = len(chain) // segments
    for piece in range(segments - 1):
        run = _in_turn(chain[piece * size : (piece + 1) * size])
        input = checkpoint(run, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return _in_turn(chain[(segments - 1) * size :])(input)


def _in_turn(functions: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def run(value: Any) -> Any:
        for function in functions:
            value = function(value)
        return value

    return run


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Within it, regions made by :func:`checkpoint` stop their second run early, or never do."""
    global _early_stop
    before, _early_stop = _early_stop, enable
    try:
        yield
    finally:
        _early_stop = before


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Within it, ``debug`` of :func:`checkpoint` is this, unless None."""
    global _debug
    before, _debug = _debug, enabled
    try:
        yield
    finally:
        _debug = before
