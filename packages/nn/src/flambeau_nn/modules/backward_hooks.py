"""Hooks that see the gradients which pass through a module."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor

__all__ = ["BackwardGates"]

Gradients = tuple[Any, ...]


class _Gate(fb.autograd.Function):
    """The identity, whose backward pass hands the gradients to a function first."""

    @staticmethod
    def forward(ctx: Any, on_gradients: Callable[[Gradients], Gradients], *tensors: Tensor) -> Any:
        ctx.set_materialize_grads(False)
        ctx.on_gradients = on_gradients
        return tuple(tensor.detach() for tensor in tensors)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return (None, *ctx.on_gradients(gradients))


def _as_tuple(value: Any) -> Gradients:
    return value if isinstance(value, tuple) else (value,)


class BackwardGates:
    """The gates around one call of a module, with the hooks that run when gradients pass.

    `pre_hooks(module, grad_output)` and `hooks(module, grad_input, grad_output)` may return
    gradients that take the place of the last group they were given.
    """

    def __init__(
        self,
        module: Any,
        hooks: Iterable[Callable[..., Any]],
        pre_hooks: Iterable[Callable[..., Any]],
    ) -> None:
        self.module = module
        self.hooks = list(hooks)
        self.pre_hooks = list(pre_hooks)
        self.grad_outputs: Gradients | None = None
        self.input_places: list[int] = []
        self.input_count = 0

    def around_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, with every tensor that wants a gradient behind a gate."""
        self.input_count = len(args)
        gated, self.input_places = _behind_gate(args, self._on_input_gradients)
        return gated

    def around_outputs(self, result: Any) -> Any:
        """The result (a tensor, or a tuple that holds some) behind a gate."""
        outputs = _as_tuple(result)
        count = len(outputs)

        def on_gradients(gradients: Gradients) -> Gradients:
            return self._on_output_gradients(gradients, places, count)

        gated, places = _behind_gate(outputs, on_gradients)
        return gated if isinstance(result, tuple) else gated[0]

    def _on_output_gradients(
        self, gradients: Gradients, places: list[int], count: int
    ) -> Gradients:
        grad_outputs = _spread(gradients, places, count)
        for hook in self.pre_hooks:
            grad_outputs = _replaced(grad_outputs, hook(self.module, grad_outputs), hook)
        self.grad_outputs = grad_outputs
        if not self.input_places:
            self._run_hooks((None,) * self.input_count)
        return tuple(grad_outputs[place] for place in places)

    def _on_input_gradients(self, gradients: Gradients) -> Gradients:
        grad_inputs = self._run_hooks(_spread(gradients, self.input_places, self.input_count))
        return tuple(grad_inputs[place] for place in self.input_places)

    def _run_hooks(self, grad_inputs: Gradients) -> Gradients:
        if self.hooks and not self.input_places:
            warnings.warn(
                "Full backward hook is firing when gradients are computed with respect to module "
                "outputs since no inputs require gradients.",
                stacklevel=2,
            )
        for hook in self.hooks:
            result = hook(self.module, grad_inputs, self.grad_outputs)
            grad_inputs = _replaced(grad_inputs, result, hook)
        return grad_inputs


def _behind_gate(
    values: tuple[Any, ...], on_gradients: Callable[[Gradients], Gradients]
) -> tuple[tuple[Any, ...], list[int]]:
    places = [
        place
        for place, value in enumerate(values)
        if isinstance(value, Tensor) and value.requires_grad
    ]
    if not places or not fb.is_grad_enabled():
        return values, []
    gated = list(values)
    passed = _Gate.apply(on_gradients, *(values[place] for place in places))
    for place, tensor in zip(places, _as_tuple(passed)):
        gated[place] = tensor
    return tuple(gated), places


def _spread(gradients: Gradients, places: list[int], count: int) -> Gradients:
    spread: list[Any] = [None] * count
    for place, gradient in zip(places, gradients):
        spread[place] = gradient
    return tuple(spread)


def _replaced(gradients: Gradients, result: Any, hook: Callable[..., Any]) -> Gradients:
    """The gradients after a hook has returned `result`."""
    if result is None:
        return gradients
    replacement = _as_tuple(result)
    if len(replacement) != len(gradients):
        raise RuntimeError(
            f"the backward hook {getattr(hook, '__name__', hook)!r} returned {len(replacement)} "
            f"gradients, but {len(gradients)} were expected"
        )
    return replacement
