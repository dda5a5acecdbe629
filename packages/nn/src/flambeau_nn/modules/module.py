"""`Module`, the base of everything with parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flambeau_core import Tensor

from ..parameter import Buffer, Parameter
from .hook_handle import HookTable
from .module_casting import ModuleCasting
from .module_hooks import ModuleHooks, hooks_everywhere
from .module_state import ModuleState
from .module_tree import ModuleTree
from .registry import Registry

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Module"]

_REGISTRIES = ("_parameters", "_buffers", "_modules")
_HOOK_TABLES = (
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_backward_pre_hooks",
    "_backward_hooks",
    "_state_dict_pre_hooks",
    "_state_dict_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


class _MissingAttribute:
    """The end of the search for an attribute."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self
        )


class Module(ModuleTree, ModuleHooks, ModuleState, ModuleCasting):
    """The base class of neural-network layers and of whole networks.

    A subclass calls `super().__init__()` first, assigns submodules, `Parameter`s and buffers as
    attributes, and defines `forward`. Assigned members are registered: they are listed by
    `parameters()` and the like, saved by `state_dict()`, moved by `to()`.
    """

    training: bool

    def __init__(self) -> None:
        attributes = {
            **self.__dict__,
            "training": True,
            "_hooked": False,
            **{name: Registry(self) for name in _REGISTRIES},
            "_non_persistent_buffers_set": set(),
            **{name: HookTable() for name in _HOOK_TABLES},
        }
        # A dict of its own, where instances share their keys otherwise, is read faster.
        object.__setattr__(self, "__dict__", attributes)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The computation of a call; every subclass defines it."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._hooked or hooks_everywhere:
            return self._call_with_hooks(args, kwargs)
        if kwargs or len(args) != 1:
            return self.forward(*args, **kwargs)
        return self.forward(args[0])

    # -- registration ----------------------------------------------------------------------

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Makes `param` a parameter of this module under `name`; None reserves the name.

        Raises KeyError for a bad or taken name, TypeError for what is no `Parameter`, ValueError
        for a tensor that was computed from others.
        """
        self._check_initialised("parameter")
        self._check_name("parameter", name, self._parameters)
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"cannot assign '{_type_name(param)}' object to parameter '{name}' "
                    "(torch.nn.Parameter or None required)"
                )
            if param.grad_fn is not None:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must "
                    f"be created explicitly. To express '{name}' as a function of another Tensor, "
                    "compute the value in the forward() method."
                )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Makes `tensor` part of the module's state without training it.

        A buffer that is not `persistent` stays out of the `state_dict`. Raises KeyError for a bad
        or taken name, TypeError for what is no tensor.
        """
        self._check_initialised("buffer")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_type_name(tensor)}' object to buffer '{name}' "
                "(torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Makes `module` a submodule under `name`.

        Raises KeyError for a bad or taken name, TypeError for what is no `Module`.
        """
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{_type_name(module)} is not a Module subclass")
        self._check_initialised("module")
        self._check_name("module", name, self._modules)
        self._modules[name] = module

    def register_module(self, name: str, module: Module | None) -> None:
        """Another name of `add_module`."""
        self.add_module(name, module)

    def _check_initialised(self, kind: str) -> None:
        if "_modules" not in self.__dict__:
            plural = kind if kind == "module" else f"{kind}s"
            raise AttributeError(f"cannot assign {plural} before Module.__init__() call")

    def _check_name(self, kind: str, name: Any, registry: dict[str, Any]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {_type_name(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."' + f', got: "{name}"')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in registry:
            raise KeyError(f"attribute '{name}' already exists")

    # -- attributes ------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        attributes = self.__dict__
        if isinstance(value, Parameter):
            self._check_initialised("parameter")
            self._forget(name, keep="_parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._check_initialised("module")
            self._forget(name, keep="_modules")
            self._modules[name] = value
        elif isinstance(value, Buffer):
            self._check_initialised("buffer")
            self._forget(name, keep="_buffers")
            self.register_buffer(name, value, value.persistent)
        elif "_modules" not in attributes:
            object.__setattr__(self, name, value)
        elif name in self._parameters:
            _require_none(value, name, "parameter", "torch.nn.Parameter or None expected")
            self.register_parameter(name, value)
        elif name in self._modules:
            _require_none(value, name, "child module", "torch.nn.Module or None expected")
            self._modules[name] = value
        elif name in self._buffers:
            if not isinstance(value, Tensor):
                expected = "torch.nn.Buffer, torch.Tensor or None expected"
                _require_none(value, name, "buffer", expected)
            self._buffers[name] = value
        elif name in _REGISTRIES:
            attributes[name].clear()
            attributes[name] = Registry(self, value)
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name: str, keep: str) -> None:
        """Takes `name` out of the plain attributes and of every registry but one."""
        attributes = self.__dict__
        for registry in _REGISTRIES:
            if registry != keep:
                attributes[registry].pop(name, None)
        if name not in attributes[keep]:
            attributes.pop(name, None)
            self._non_persistent_buffers_set.discard(name)

    if TYPE_CHECKING:
        # Members are in __dict__. A method of this name would slow the reading of each of them.
        def __getattr__(self, name: str) -> Any: ...

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__getattr__" in cls.__dict__:
            # A class that looks further itself may ask `super().__getattr__` first.
            cls.__bases__ += (_MissingAttribute,)

    def __delattr__(self, name: str) -> None:
        for registry in _REGISTRIES:
            if name in self.__dict__.get(registry, ()):
                del self.__dict__[registry][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        names = {*dir(type(self)), *self.__dict__}
        return sorted(name for name in names if not name[0].isdigit())

    # -- mode ------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Sets training mode (dropout drops, batch norm learns) here and in every submodule."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Sets evaluation mode: `train(False)`."""
        return self.train(False)

    # -- copies and text -------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        for registry in _REGISTRIES:
            members = state.get(registry, {})
            for name in members:
                state.pop(name, None)
            state[registry] = dict(members)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        attributes = self.__dict__
        attributes.update(state)
        for registry in _REGISTRIES:
            attributes[registry] = Registry(self, attributes.get(registry))
        attributes.setdefault("_non_persistent_buffers_set", set())
        for table in _HOOK_TABLES:
            if table not in attributes:
                attributes[table] = HookTable()

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What stands between the brackets of the module's text; override it to show settings."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = [f"({name}): {indented(repr(m))}" for name, m in self._modules.items()]
        if len(extra_lines) == 1 and not child_lines:
            return f"{self._get_name()}({extra_lines[0]})"
        if not extra_lines and not child_lines:
            return f"{self._get_name()}()"
        body = "\n  ".join(extra_lines + child_lines)
        return f"{self._get_name()}(\n  {body}\n)"


def _type_name(value: Any) -> str:
    """The name by which an error message calls the type of a value."""
    if isinstance(value, Tensor):
        return str(value.type())
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _require_none(value: Any, name: str, kind: str, expected: str) -> None:
    if value is not None:
        raise TypeError(f"cannot assign '{_type_name(value)}' as {kind} '{name}' ({expected})")


def indented(text: str) -> str:
    """The text of a submodule, its lines after the first moved in by two spaces."""
    return text.replace("\n", "\n  ")
