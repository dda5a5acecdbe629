"""Classes and modes that say what ops do: ``__flambeau_function__``, ``__torch_function__``.

A class with the class method ``__torch_function__(cls, func, types, args, kwargs)`` (or
``__flambeau_function__``, which is asked first) is called in place of every op on its instances.
A plain subclass of Tensor inherits one that runs the op and makes its results instances of the
subclass.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import GetSetDescriptorType, MethodDescriptorType, WrapperDescriptorType
from typing import TYPE_CHECKING, Any

from . import _C

if TYPE_CHECKING:
    from .overridable import (
        get_ignored_functions,
        get_overridable_functions,
        get_testing_overrides,
        resolve_name,
    )

__all__ = [
    "BaseTorchFunctionMode",
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "FunctionMode",
    "TorchFunctionMode",
    "call",
    "change_class",
    "disabled",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "install",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wanted",
    "wrap_torch_function",
]

INVENTORIES = {
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "resolve_name",
}
Tensor = _C.Tensor
NAMES = ("__flambeau_function__", "__torch_function__")
# Bits of _C.attend; see ops/interception.h.
FUNCTION_MODES, OVERRIDES_OFF = 2, 8
OVERRIDES, SPARSE = 16, 4096  # flags of tensors; see tensor/tensor.h


class _Modes(threading.local):
    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.off = 0


_modes = _Modes()


def wanted(overriding: int) -> bool:
    """Whether a mode is active, or tensors of overriding classes are to be asked."""
    return bool(_modes.stack) or bool(overriding & SPARSE or (overriding and not _modes.off))


def _disabled_torch_function_impl(
    cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None
) -> Any:
    """The ``__torch_function__`` of classes that want ops to take them for plain tensors."""
    return NotImplemented


disabled = classmethod(_disabled_torch_function_impl)


def _implementation(cls: type) -> Any:
    """What a class does with ops on its instances, or None: the definition nearest to it counts."""
    for base in cls.__mro__:
        for name in NAMES:
            if name in vars(base):
                f = vars(base)[name].__get__(None, cls)
                return None if getattr(f, "__func__", f) is _disabled_torch_function_impl else f
    return None


def _overriding_types(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[type]:
    """The classes of a call's arguments that override ops, subclasses before their bases."""
    types: list[type] = []

    def look(x: Any) -> None:
        if isinstance(x, (tuple, list)):
            for item in x:
                look(item)
        elif type(x) is not Tensor and type(x) not in types:
            if _implementation(type(x)) is None or (_modes.off and _can_be_passed_over(x)):
                return
            at = next((i for i, t in enumerate(types) if issubclass(type(x), t)), len(types))
            types.insert(at, type(x))

    for x in (*args, *kwargs.values()):
        look(x)
    return types


def _can_be_passed_over(x: Any) -> bool:
    """Whether switching overrides off concerns it: there is nothing else to a sparse tensor."""
    return isinstance(x, Tensor) and not is_sparse(x)


def is_sparse(x: Any) -> bool:
    """Whether it is a tensor of some sparse layout, whose own memory only stands in."""
    return isinstance(x, Tensor) and bool(type(x)._interception & SPARSE)


def call(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An op, shown to the innermost mode or else to the classes of its arguments.

    Raises:
        TypeError: all of them answer NotImplemented.
    """
    types = _overriding_types(args, kwargs)
    if _modes.stack:
        with _popped() as mode:
            result = mode.__torch_function__(func, tuple(types), args, kwargs)
        if result is not NotImplemented:
            return result
    if not types:
        with _without_modes():
            return func(*args, **kwargs)
    for cls in types:
        result = _implementation(cls)(func, tuple(types), args, kwargs)
        if result is not NotImplemented:
            return result
    name = getattr(func, "__name__", str(func))
    raise TypeError(
        f"no implementation found for {name!r} on types that implement __torch_function__: "
        f"{[t.__qualname__ for t in types]}"
    )


def change_class(tensor: Any, cls: type) -> None:
    """Makes a tensor an instance of another subclass, which says from now on what ops do."""
    tensor.__class__ = cls
    _C.reclassed(tensor)


# ---- modes ------------------------------------------------------------------------


class FunctionMode:
    """A context in which ``__torch_function__`` sees every op, whatever its arguments.

    Inside of it the mode itself is not active, so ``func(*args, **kwargs)`` goes on to the next.
    """

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return func(*args, **(kwargs or {}))

    def __enter__(self) -> Any:
        _modes.stack.append(self)
        _C.attend(FUNCTION_MODES, 0)
        return self

    def __exit__(self, *exc: Any) -> None:
        _modes.stack.pop()
        if not _modes.stack:
            _C.attend(0, FUNCTION_MODES)


TorchFunctionMode = FunctionMode


class BaseTorchFunctionMode(FunctionMode):
    """A mode that lets every op run as it is."""


@contextmanager
def _popped() -> Iterator[Any]:
    mode = _modes.stack.pop()
    if not _modes.stack:
        _C.attend(0, FUNCTION_MODES)
    try:
        yield mode
    finally:
        _modes.stack.append(mode)
        _C.attend(FUNCTION_MODES, 0)


@contextmanager
def _without_modes() -> Iterator[None]:
    stack, _modes.stack = _modes.stack, []
    state = _C.attend(0, FUNCTION_MODES)
    try:
        yield
    finally:
        _modes.stack = stack
        _C.attended(state)


class DisableTorchFunctionSubclass:
    """A context in which classes that override ops are taken for plain tensors."""

    def __enter__(self) -> None:
        _modes.off += 1
        self._state = _C.attend(OVERRIDES_OFF, 0)

    def __exit__(self, *exc: Any) -> None:
        _modes.off -= 1
        if not _modes.off:
            _C.attend(0, OVERRIDES_OFF)


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """The same, with function modes off as well."""

    def __enter__(self) -> None:
        super().__enter__()
        self._modes, _modes.stack = _modes.stack, []
        _C.attend(0, FUNCTION_MODES)

    def __exit__(self, *exc: Any) -> None:
        _modes.stack = self._modes
        if _modes.stack:
            _C.attend(FUNCTION_MODES, 0)
        super().__exit__(*exc)


# ---- what Tensor does by itself ---------------------------------------------------


def _converted(result: Any, cls: type) -> Any:
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, (tuple, list)) and not isinstance(result, _C.Size):
        items = [_converted(r, cls) for r in result]
        # Past the constructors of named results.
        return items if isinstance(result, list) else tuple.__new__(type(result), items)
    return result


def _default(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Runs the op as on plain tensors; its results become instances of this class."""
    if not all(issubclass(cls, t) for t in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **(kwargs or {}))
    attribute = getattr(getattr(func, "__self__", None), "__name__", "")
    return result if attribute in UNCONVERTED else _converted(result, cls)


# Attributes that are what they are: the gradient is of the class that the graph gave it.
UNCONVERTED = {"grad", "_base"}


def _init_subclass(cls: Any, /, **kwargs: Any) -> None:
    super(Tensor, cls).__init_subclass__(**kwargs)
    if "_interception" in vars(cls):
        return
    cls._interception = OVERRIDES if _implementation(cls) is not None else 0
    if not cls._interception:
        return
    if any(name in vars(cls) for name in NAMES):
        _route_attributes(cls)
    elif not _redefined(cls, "data"):
        cls.data = _routed_attribute(vars(Tensor)["data"])


# Read at every turn, also by the machinery of overriding itself.
UNROUTED = {"__dict__", "as_subclass", "grad_fn", "_interception"}
# What Python itself asks of an object.
ASKED = {"__bool__", "__complex__", "__contains__", "__float__", "__index__", "__int__", "__len__"}


def _route_attributes(cls: type) -> None:
    """Attributes and methods that are no ops go through the class's own function too."""
    for name, member in vars(Tensor).items():
        if (name.startswith("_") and name not in ASKED) or name in UNROUTED:
            continue
        if _redefined(cls, name):
            continue
        if isinstance(member, GetSetDescriptorType):
            setattr(cls, name, _routed_attribute(member))
        elif isinstance(member, (MethodDescriptorType, WrapperDescriptorType)) or name in ASKED:
            setattr(cls, name, _routed_method(member))


def _redefined(cls: type, name: str) -> bool:
    return any(name in vars(base) for base in cls.__mro__[: cls.__mro__.index(Tensor)])


def _routed_attribute(member: Any) -> property:
    def get(self: Any) -> Any:
        if not wanted(OVERRIDES):
            return member.__get__(self)
        return call(member.__get__, (self,), {})

    def put(self: Any, value: Any) -> None:
        if not wanted(OVERRIDES):
            member.__set__(self, value)
        else:
            call(member.__set__, (self, value), {})

    return property(get, put, doc=member.__doc__)


def _routed_method(member: Any) -> Callable[..., Any]:
    @functools.wraps(member)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not wanted(OVERRIDES):
            return member(self, *args, **kwargs)
        return call(member, (self, *args), kwargs)

    return method


def install() -> None:
    """Gives Tensor the function that its subclasses inherit."""
    for name in NAMES:
        setattr(Tensor, name, classmethod(_default))
    Tensor.__init_subclass__ = classmethod(_init_subclass)  # type: ignore[method-assign, assignment]
    Tensor._interception = 0
    for disabling in (DisableTorchFunction, DisableTorchFunctionSubclass):
        setattr(_C, disabling.__name__, disabling)
    _C._disabled_torch_function_impl = _disabled_torch_function_impl  # type: ignore[attr-defined]


# ---- for libraries that dispatch themselves -----------------------------------------


def has_torch_function(args: Any) -> bool:
    """Whether one of the arguments overrides ops, or a mode is active."""
    return bool(_modes.stack) or bool(_overriding_types(tuple(args), {}))


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Any, *args: Any, **kwargs: Any
) -> Any:
    """Shows the call of a Python function to those of its arguments that override ops."""
    return call(public_api, args, kwargs)


def wrap_torch_function(dispatcher: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function so that the arguments that ``dispatcher`` names may override it."""

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            if has_torch_function(dispatcher(*args, **kwargs)):
                return call(wrapped, args, kwargs)
            return func(*args, **kwargs)

        return wrapped

    return decorate


def is_tensor_like(obj: Any) -> bool:
    """Whether an object is a tensor, or its class overrides ops."""
    return isinstance(obj, Tensor) or any(hasattr(type(obj), name) for name in NAMES)


def is_tensor_method_or_property(func: Any) -> bool:
    """Whether a function is a method or attribute of Tensor."""
    name = getattr(func, "__name__", None)
    return name in ("__get__", "__set__") or getattr(Tensor, str(name), None) is func


# ---- inventories, which need all namespaces of ops ------------------------------------


def __getattr__(name: str) -> Any:
    if name in INVENTORIES:
        from . import overridable

        return getattr(overridable, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
