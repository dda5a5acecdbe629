"""A module's `state_dict`: writing it, reading it back, and the hooks on the way."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import flambeau_core as fb
from flambeau_core import Tensor

from ..parameter import Parameter
from .hook_handle import HookTable, RemovableHandle, add_hook

if TYPE_CHECKING:
    from .module import Module

__all__ = ["IncompatibleKeys", "ModuleState"]

Hook = Callable[..., Any]
EXTRA_STATE = "_extra_state"


class IncompatibleKeys(NamedTuple):
    """What `load_state_dict` found missing, and what it had no place for."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )

    def __str__(self) -> str:
        return repr(self)


class ModuleState:
    """The part of a module that saves and restores its parameters and buffers."""

    # The layout of a class's entries; it travels as metadata of the state_dict.
    _version: int | None = 1

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: HookTable[int, Hook]
    _state_dict_pre_hooks: HookTable[int, Hook]
    _load_state_dict_pre_hooks: HookTable[int, Hook]
    _load_state_dict_post_hooks: HookTable[int, Hook]

    def get_extra_state(self) -> Any:
        """More state for the `state_dict`, beside parameters and buffers; override both or none."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called."
        )

    def set_extra_state(self, state: Any) -> None:
        """Takes what `get_extra_state` returned when the state was saved."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called."
        )

    # -- writing ---------------------------------------------------------------------------

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> Any:
        """Parameters and persistent buffers by dotted name, in an OrderedDict.

        The tensors share memory with the module's and are detached unless `keep_vars` is set.
        """
        positional = dict(zip(("destination", "prefix", "keep_vars"), args))
        destination = positional.get("destination", destination)
        prefix = positional.get("prefix", prefix)
        keep_vars = positional.get("keep_vars", keep_vars)
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()

        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(
                    destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
                )
        for hook in self._state_dict_hooks.values():
            result = hook(self, destination, prefix, metadata)
            if result is not None:
                if getattr(hook, "_from_public_api", False):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = result
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Enters this module's own state; submodules follow by themselves. May be overridden."""
        for name, tensor in self._own_state():
            if tensor is not None:
                destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if type(self).get_extra_state is not ModuleState.get_extra_state:
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def _own_state(self) -> list[tuple[str, Any]]:
        persistent = [
            (name, buffer)
            for name, buffer in self._buffers.items()
            if name not in self._non_persistent_buffers_set
        ]
        return [*self._parameters.items(), *persistent]

    # -- reading ---------------------------------------------------------------------------

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copies a `state_dict` into this module and its submodules.

        With `strict` missing and unexpected keys raise RuntimeError; shapes that differ always do.
        With `assign` the tensors of the `state_dict` themselves become the module's. Returns the
        missing and the unexpected keys.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        entries: Any = OrderedDict(state_dict)
        if metadata is not None:
            entries._metadata = metadata

        def load(module: Any, entries: Any, prefix: str) -> None:
            local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local_metadata["assign_to_params_buffers"] = assign
            module._load_from_state_dict(
                entries, prefix, local_metadata, True, missing, unexpected, errors
            )
            for name, child in module._modules.items():
                if child is not None:
                    below = f"{prefix}{name}."
                    load(child, {k: v for k, v in entries.items() if k.startswith(below)}, below)
            incompatible = IncompatibleKeys(missing, unexpected)
            for hook in module._load_state_dict_post_hooks.values():
                if hook(module, incompatible) is not None:
                    raise AssertionError(
                        "Hooks registered with ``register_load_state_dict_post_hook`` are not "
                        "expected to return new values, if incompatible_keys need to be modified, "
                        "it should be done inplace."
                    )

        load(self, entries, "")
        if strict:
            _complain_of_keys(errors, missing, unexpected)
        if errors:
            listed = "\n\t".join(errors)
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}"
            )
        return IncompatibleKeys(missing, unexpected)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Copies this module's own entries of `state_dict`; submodules follow by themselves.

        What goes wrong is appended to the last three arguments. May be overridden.
        """
        for hook in self._load_state_dict_pre_hooks.values():
            hook(
                state_dict,
                prefix,
                local_metadata,
                strict,
                missing_keys,
                unexpected_keys,
                error_msgs,
            )
        assign = local_metadata.get("assign_to_params_buffers", False)
        own = {name: tensor for name, tensor in self._own_state() if tensor is not None}
        for name, tensor in own.items():
            key = prefix + name
            if key in state_dict:
                self._load_tensor(name, tensor, state_dict[key], key, assign, error_msgs)
            elif strict:
                missing_keys.append(key)

        extra_key = prefix + EXTRA_STATE
        if type(self).set_extra_state is not ModuleState.set_extra_state:
            if extra_key in state_dict:
                self.set_extra_state(state_dict[extra_key])
            elif strict:
                missing_keys.append(extra_key)
        elif strict and extra_key in state_dict:
            unexpected_keys.append(extra_key)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra_key:
                    name, dot, _ = key[len(prefix) :].partition(".")
                    if name not in (self._modules if dot else own):
                        unexpected_keys.append(key)

    def _load_tensor(
        self, name: str, tensor: Any, given: Any, key: str, assign: bool, errors: list[str]
    ) -> None:
        if not isinstance(given, Tensor):
            errors.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
                f"object from checkpoint but received {type(given)}"
            )
            return
        if tensor.dim() == 0 and given.dim() == 1:  # scalars of very old checkpoints
            given = given[0]
        if given.shape != tensor.shape:
            errors.append(
                f"size mismatch for {key}: copying a param with shape {given.shape} from "
                f"checkpoint, the shape in current model is {tensor.shape}."
            )
            return
        try:
            if assign:
                setattr(self, name, _assignable(given, tensor))
            else:
                with fb.no_grad():
                    tensor.copy_(given)
        except Exception as error:
            errors.append(
                f'While copying the parameter named "{key}", whose dimensions in the model are '
                f"{tensor.size()} and whose dimensions in the checkpoint are {given.size()}, an "
                f"exception occurred : {error.args}."
            )

    # -- hooks -----------------------------------------------------------------------------

    def register_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Calls `hook(module, prefix, keep_vars)` before this module's state is written."""
        return add_hook(hook, self._state_dict_pre_hooks)

    def register_state_dict_post_hook(self, hook: Hook) -> RemovableHandle:
        """Calls `hook(module, state_dict, prefix, local_metadata)` after; it changes in place."""
        hook._from_public_api = True  # type: ignore[attr-defined]
        return add_hook(hook, self._state_dict_hooks)

    def _register_state_dict_hook(self, hook: Hook) -> RemovableHandle:
        """As `register_state_dict_post_hook`, and what the hook returns replaces the dict."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously "
                "registered via register_state_dict_post_hook"
            )
        return add_hook(hook, self._state_dict_hooks)

    def register_load_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Calls `hook(module, state_dict, prefix, local_metadata, strict, missing_keys,
        unexpected_keys, error_msgs)` before this module's state is read."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(
        self, hook: Hook, with_module: bool = False
    ) -> RemovableHandle:
        return add_hook(
            BoundHook(hook, self) if with_module else hook, self._load_state_dict_pre_hooks
        )

    def register_load_state_dict_post_hook(self, hook: Hook) -> RemovableHandle:
        """Calls `hook(module, incompatible_keys)` after; it may change the keys in place."""
        return add_hook(hook, self._load_state_dict_post_hooks)


class BoundHook:
    """A hook that is given its module first; it is copied and pickled with the module."""

    def __init__(self, hook: Hook, module: Any) -> None:
        self.hook = hook
        self.module = module

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.hook(self.module, *args, **kwargs)


def _assignable(given: Tensor, current: Tensor) -> Tensor:
    """The tensor of a state_dict in the form in which it can take `current`'s place."""
    if not isinstance(current, Parameter):
        return given
    if not isinstance(given, Parameter):
        return Parameter(given, requires_grad=current.requires_grad)
    return given.requires_grad_(current.requires_grad)


def _complain_of_keys(errors: list[str], missing: list[str], unexpected: list[str]) -> None:
    kinds = (("Unexpected", unexpected), ("Missing", missing))
    for kind, keys in kinds:
        if keys:
            listed = ", ".join(f'"{key}"' for key in keys)
            errors.insert(0, f"{kind} key(s) in state_dict: {listed}. ")
