"""What modules share that learn the shapes of their parameters from their first input."""

from __future__ import annotations

from typing import Any

from ..parameter import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """A module that makes its parameters in the first call, and then becomes `cls_to_become`.

    A class that mixes it in registers `UninitializedParameter`s and `UninitializedBuffer`s, and
    gives them their shapes in `initialize_parameters(*args, **kwargs)`, called with the arguments
    of the first forward. A `state_dict` with shapes serves as well as an input.
    """

    cls_to_become: type[Any] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        module: Any = self
        load_hook = module._register_load_state_dict_pre_hook(self._lazy_load_hook)
        forward_hook = module.register_forward_pre_hook(
            type(self)._infer_parameters, with_kwargs=True
        )
        # Numbers, and not handles, stay true in copies.
        self._lazy_hooks = (load_hook.id, forward_hook.id)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Gives the parameters their shapes; every lazy class defines it."""
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {type(self).__name__}"
        )

    def has_uninitialized_params(self: Any) -> bool:
        """Whether a parameter or buffer of this module has no shape yet."""
        return any(map(is_lazy, [*self._parameters.values(), *self._buffers.values()]))

    def _infer_parameters(self: Any, args: Any, kwargs: Any = None) -> None:
        self.initialize_parameters(*args, **(kwargs or {}))
        if self.has_uninitialized_params():
            raise RuntimeError(f"module {type(self).__name__} has not been fully initialized")
        load_hook, forward_hook = self._lazy_hooks
        del self._lazy_hooks
        self._load_state_dict_pre_hooks.pop(load_hook, None)
        self._forward_pre_hooks.pop(forward_hook, None)
        self._forward_pre_hooks_with_kwargs.pop(forward_hook, None)
        tables = (
            self._forward_pre_hooks,
            self._forward_hooks,
            self._backward_pre_hooks,
            self._backward_hooks,
        )
        self._hooked = any(tables)
        if self.cls_to_become is not None:
            self.__class__ = self.cls_to_become

    def _save_to_state_dict(self: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, tensor in self._own_state():
            if tensor is not None:
                as_it_is = keep_vars or is_lazy(tensor)
                destination[prefix + name] = tensor if as_it_is else tensor.detach()

    def _lazy_load_hook(self: Any, state_dict: Any, prefix: str, *unused: Any) -> None:
        """Before a state is read: parameters take on the shapes that it has."""
        for name, tensor in self._own_state():
            given = state_dict.get(prefix + name)
            if is_lazy(tensor) and given is not None and not is_lazy(given):
                tensor.materialize(given.shape)

    def _load_tensor(self: Any, name: str, tensor: Any, given: Any, *rest: Any) -> None:
        if not (is_lazy(tensor) and is_lazy(given)):  # else there is nothing to copy
            super()._load_tensor(name, tensor, given, *rest)  # type: ignore[misc]
