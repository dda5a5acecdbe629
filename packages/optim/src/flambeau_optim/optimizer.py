"""The base class of all optimizers: parameter groups, state, hooks, serialisation."""

from __future__ import annotations

import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import flambeau_core as fb

from .hooks import HookTable, RemovableHandle, register
from .state_dict import pack_state, unpack_state

ParamsT = Iterable[fb.Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, fb.Tensor]]


class _RequiredParameter:
    """Marks a default that every parameter group has to give itself."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()

_HOOK_TABLES = (
    "_optimizer_step_pre_hooks",
    "_optimizer_step_post_hooks",
    "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks",
    "_optimizer_load_state_dict_pre_hooks",
    "_optimizer_load_state_dict_post_hooks",
)


class Optimizer:
    """Keeps parameters in groups with options of their own, and a state for each parameter.

    Args:
        params: tensors, ``(name, tensor)`` pairs, or dicts, one a group, whose ``"params"`` holds
            either and whose other keys override ``defaults``.
        defaults: the options of a group that gives none itself.

    Raises:
        TypeError: ``params`` is one tensor, a set, or holds something else than tensors.
        ValueError: it is empty, names a parameter twice, or holds a tensor that is not a leaf.
    """

    param_groups: list[dict[str, Any]]
    state: defaultdict[Any, Any]
    defaults: dict[str, Any]

    _optimizer_step_pre_hooks: HookTable
    _optimizer_step_post_hooks: HookTable
    _optimizer_state_dict_pre_hooks: HookTable
    _optimizer_state_dict_post_hooks: HookTable
    _optimizer_load_state_dict_pre_hooks: HookTable
    _optimizer_load_state_dict_post_hooks: HookTable

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        if isinstance(params, fb.Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or "
                f"dicts, but got one {type(params).__name__} of the shape {tuple(params.shape)}"
            )
        self.defaults = defaults
        self.state = defaultdict(dict)
        self.param_groups = []
        self._create_hook_tables()

        groups: list[Any] = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _create_hook_tables(self) -> None:
        for name in _HOOK_TABLES:
            if not hasattr(self, name):
                setattr(self, name, OrderedDict())

    # Parameter groups

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group, for instance layers that were frozen at first.

        Raises:
            TypeError, ValueError: as the constructor does.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, fb.Tensor):
            given = [given]
        elif isinstance(given, set):
            raise TypeError(
                "optimizer parameters need an order that stays the same from run to run, "
                "but got a set: use a list instead"
            )
        params, names = _split_names(list(given))
        param_group["params"] = params
        if names is not None:
            param_group["param_names"] = names
        _check_tensors(params)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    "parameter group didn't specify a value of required optimization parameter "
                    + name
                )
            param_group.setdefault(name, default)
        self._check_membership(param_group)
        self.param_groups.append(param_group)

    def _check_membership(self, group: dict[str, Any]) -> None:
        params = group["params"]
        members = {id(p) for p in params}
        if len(members) != len(params):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters: "
                "each occurrence is updated",
                stacklevel=4,
            )
        others = {id(p) for other in self.param_groups for p in other["params"]}
        if not members.isdisjoint(others):
            raise ValueError("some parameters appear in more than one parameter group")
        if self.param_groups and ("param_names" in group) != (
            "param_names" in self.param_groups[0]
        ):
            raise ValueError("all optimizer params should be with/without names, in every group")

    # The step

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients; with ``set_to_none=False`` fill them with zeros in place."""
        if set_to_none:
            for group in self.param_groups:
                for param in group["params"]:
                    param.grad = None
            return
        for group in self.param_groups:
            for param in group["params"]:
                grad = param.grad
                if grad is None:
                    continue
                if grad.grad_fn is not None:
                    grad.detach_()
                else:
                    grad.requires_grad_(False)
                grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient.

        Args:
            closure: clears the gradients, computes the loss anew, calls ``backward`` and returns
                the loss, which ``step`` then returns.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define step()")

    # Hooks around step cost nothing until there is one: only then does the instance carry a
    # `step` of its own that calls them.

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each step; it may return new arguments."""
        return self._register_step_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return self._register_step_hook(self._optimizer_step_post_hooks, hook)

    def _register_step_hook(self, table: HookTable, hook: Callable[..., Any]) -> RemovableHandle:
        self.__dict__.setdefault("step", self._step_with_hooks)
        return register(table, hook, on_remove=self._restore_step)

    def _restore_step(self) -> None:
        idle = not self._optimizer_step_pre_hooks and not self._optimizer_step_post_hooks
        if idle and self.__dict__.get("step") == self._step_with_hooks:
            del self.__dict__["step"]

    def _step_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        args = (self, *args)
        for hook in tuple(self._optimizer_step_pre_hooks.values()):
            replaced = hook(self, args, kwargs)
            if replaced is None:
                continue
            if not isinstance(replaced, tuple) or len(replaced) != 2:
                raise RuntimeError(
                    f"a step pre-hook must return None or (new_args, new_kwargs), got {replaced!r}"
                )
            args, kwargs = replaced
        result = type(self).step(*args, **kwargs)
        for hook in tuple(self._optimizer_step_post_hooks.values()):
            hook(self, args, kwargs)
        return result

    # Serialisation

    def state_dict(self) -> dict[str, Any]:
        """The state and the groups, with parameters replaced by their running number."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        state_dict = pack_state(self.param_groups, self.state)
        for hook in self._optimizer_state_dict_post_hooks.values():
            result = hook(self, state_dict)
            if result is not None:
                state_dict = result
        return state_dict

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict()`` returned, cast to the parameters' dtypes and devices.

        Raises:
            ValueError: the number of groups, or of parameters in one, differs.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            result = hook(self, state_dict)
            if result is not None:
                state_dict = result
        groups, state = unpack_state(
            self.param_groups, deepcopy(state_dict["param_groups"]), state_dict["state"]
        )
        self.__setstate__({"state": state, "param_groups": groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def register_state_dict_pre_hook(
        self, hook: Callable[[Optimizer], None], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(optimizer)`` before ``state_dict()`` is built."""
        return register(self._optimizer_state_dict_pre_hooks, hook, prepend=prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[[Optimizer, dict[str, Any]], Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` on the result; it may return another one."""
        return register(self._optimizer_state_dict_post_hooks, hook, prepend=prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[[Optimizer, dict[str, Any]], Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before loading; it may return another one."""
        return register(self._optimizer_load_state_dict_pre_hooks, hook, prepend=prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[[Optimizer], None], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(optimizer)`` after loading."""
        return register(self._optimizer_load_state_dict_post_hooks, hook, prepend=prepend)

    def __getstate__(self) -> dict[str, Any]:
        return {
            "defaults": self.defaults,
            "state": self.state,
            "param_groups": self.param_groups,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._create_hook_tables()
        self.defaults = self.__dict__.get("defaults", {})
        # Groups saved by an older release lack the options that came later.
        for group in self.param_groups:
            for name, default in self.defaults.items():
                group.setdefault(name, default)

    def __repr__(self) -> str:
        lines = [type(self).__name__ + " ("]
        for index, group in enumerate(self.param_groups):
            if index:
                lines.append("")
            lines.append(f"Parameter Group {index}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join(lines) + "\n)"


def _split_names(params: list[Any]) -> tuple[list[Any], list[str] | None]:
    """Separate ``(name, tensor)`` pairs; the names are None where there are none."""
    named = [isinstance(param, tuple) for param in params]
    if not any(named):
        return params, None
    if not all(named):
        raise ValueError(
            "all optimizer params should be with/without names. Some param names are missing"
        )
    names = [name for name, _ in params]
    if len(set(names)) != len(names):
        warnings.warn("optimizer contains a parameter group with duplicate names", stacklevel=4)
    return [param for _, param in params], names


def _check_tensors(params: list[Any]) -> None:
    for param in params:
        if not isinstance(param, fb.Tensor):
            raise TypeError(
                "optimizer can only optimize Tensors, but one of the params is "
                + type(param).__name__
            )
        if not (param.is_leaf or param.retains_grad):
            raise ValueError(
                "can't optimize a non-leaf Tensor: the result of an operation gets no gradient "
                f"of its own (shape {tuple(param.shape)})"
            )


__all__ = ["Optimizer", "ParamsT", "required"]
