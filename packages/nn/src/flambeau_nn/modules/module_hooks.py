"""Hooks around a module's call: before it, after it, and in the backward pass."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from .backward_hooks import BackwardGates
from .hook_handle import HookTable, RemovableHandle, add_hook

__all__ = [
    "ModuleHooks",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
]

Hook = Callable[..., Any]

# Hooks of every module.
global_forward_pre_hooks: HookTable[int, Hook] = HookTable()
global_forward_hooks: HookTable[int, Hook] = HookTable()
global_forward_hooks_with_kwargs: HookTable[int, bool] = HookTable()
global_forward_hooks_always: HookTable[int, bool] = HookTable()
global_backward_pre_hooks: HookTable[int, Hook] = HookTable()
global_backward_hooks: HookTable[int, Hook] = HookTable()

# The numbers of all of them: while it is empty, calls need not look further.
hooks_everywhere: HookTable[int, bool] = HookTable()


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Calls `hook(module, args)` before the forward of every module."""
    return add_hook(hook, global_forward_pre_hooks, hooks_everywhere)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Calls `hook(module, args, output)` after the forward of every module."""
    flags = [hooks_everywhere]
    if with_kwargs:
        flags.append(global_forward_hooks_with_kwargs)
    if always_call:
        flags.append(global_forward_hooks_always)
    return add_hook(hook, global_forward_hooks, *flags)


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Calls `hook(module, grad_output)` before the backward of every module."""
    return add_hook(hook, global_backward_pre_hooks, hooks_everywhere)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Calls `hook(module, grad_input, grad_output)` in the backward of every module."""
    return add_hook(hook, global_backward_hooks, hooks_everywhere)


class ModuleHooks:
    """The part of a module that registers hooks and calls it with them."""

    # Set once a hook is registered for the module.
    _hooked = False

    _forward_pre_hooks: HookTable[int, Hook]
    _forward_pre_hooks_with_kwargs: HookTable[int, bool]
    _forward_hooks: HookTable[int, Hook]
    _forward_hooks_with_kwargs: HookTable[int, bool]
    _forward_hooks_always_called: HookTable[int, bool]
    _backward_pre_hooks: HookTable[int, Hook]
    _backward_hooks: HookTable[int, Hook]

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Calls `hook(module, args)` before each forward.

        The hook may return new arguments (one value or a tuple). With `with_kwargs` it is called
        as `hook(module, args, kwargs)` and returns None or `(args, kwargs)`.
        """
        self._hooked = True
        flags = [self._forward_pre_hooks_with_kwargs] if with_kwargs else []
        return add_hook(hook, self._forward_pre_hooks, *flags, prepend=prepend)

    def register_forward_hook(
        self,
        hook: Hook,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Calls `hook(module, args, output)` after each forward.

        What the hook returns, if not None, takes the place of the output. With `with_kwargs` it is
        called as `hook(module, args, kwargs, output)`; with `always_call` also when the call
        raises.
        """
        self._hooked = True
        flags = []
        if with_kwargs:
            flags.append(self._forward_hooks_with_kwargs)
        if always_call:
            flags.append(self._forward_hooks_always_called)
        return add_hook(hook, self._forward_hooks, *flags, prepend=prepend)

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Calls `hook(module, grad_output)` when the gradients of the outputs are known."""
        self._hooked = True
        return add_hook(hook, self._backward_pre_hooks, prepend=prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Calls `hook(module, grad_input, grad_output)` when the gradients of the inputs are known.

        Both are tuples with None where there is no gradient. The hook may return a new
        `grad_input`; it must not change its arguments in place.
        """
        self._hooked = True
        return add_hook(hook, self._backward_hooks, prepend=prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """The older name of `register_full_backward_hook`."""
        return self.register_full_backward_hook(hook)

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        called: set[int] = set()
        result: Any = None
        try:
            args, kwargs = self._run_forward_pre_hooks(args, kwargs)
            gates = self._backward_gates()
            if gates is not None:
                args = gates.around_inputs(args)
            result = self.forward(*args, **kwargs)  # type: ignore[attr-defined]
            for number, hook, with_kwargs, _ in self._all_forward_hooks():
                called.add(number)
                given = (args, kwargs, result) if with_kwargs else (args, result)
                replacement = hook(self, *given)
                if replacement is not None:
                    result = replacement
            return result if gates is None else gates.around_outputs(result)
        except Exception:
            self._run_unconditional_hooks(args, kwargs, result, called)
            raise

    def _run_forward_pre_hooks(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        hooks = [*global_forward_pre_hooks.items(), *self._forward_pre_hooks.items()]
        for number, hook in hooks:
            if number in self._forward_pre_hooks_with_kwargs:
                result = hook(self, args, kwargs)
                if result is None:
                    continue
                if not (isinstance(result, tuple) and len(result) == 2):
                    raise RuntimeError(
                        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                        f"but got {result}."
                    )
                args, kwargs = result
            else:
                result = hook(self, args)
                if result is not None:
                    args = result if isinstance(result, tuple) else (result,)
        return args, kwargs

    def _all_forward_hooks(self) -> list[tuple[int, Hook, bool, bool]]:
        """Number, hook, whether it wants keyword arguments, whether it is always called."""
        everywhere = [
            (n, hook, n in global_forward_hooks_with_kwargs, n in global_forward_hooks_always)
            for n, hook in global_forward_hooks.items()
        ]
        own = [
            (
                n,
                hook,
                n in self._forward_hooks_with_kwargs,
                n in self._forward_hooks_always_called,
            )
            for n, hook in self._forward_hooks.items()
        ]
        return everywhere + own

    def _run_unconditional_hooks(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, called: set[int]
    ) -> None:
        """After an exception: the hooks registered with `always_call` that have not run."""
        for number, hook, with_kwargs, always in self._all_forward_hooks():
            if not always or number in called:
                continue
            given = (args, kwargs, result) if with_kwargs else (args, result)
            try:
                hook(self, *given)
            except Exception as error:
                warnings.warn(
                    "forward hook with ``always_call=True`` raised an exception that was silenced "
                    f"as another error was raised in forward: {error}",
                    stacklevel=2,
                )

    def _backward_gates(self) -> BackwardGates | None:
        hooks = [*global_backward_hooks.values(), *self._backward_hooks.values()]
        pre_hooks = [*global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]
        return BackwardGates(self, hooks, pre_hooks) if hooks or pre_hooks else None
