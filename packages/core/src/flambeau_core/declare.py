"""Declaring ops in Python: a schema and a function over other ops, or over kernels.

``@op("tril(Tensor self, int diagonal=0) -> Tensor")`` gives the function, the
method, ``out=``, argument parsing and documentation from one declaration.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol, TypeVar, cast

from . import _C

__all__ = ["composition", "lazily", "op", "primitive"]

F = TypeVar("F", bound=Callable[..., Any])
# What stands behind the arrow of each op's schema, for those who document it.
RETURNS: dict[str, str] = {}


def op(
    schema: str,
    *,
    function: bool = True,
    method: bool | None = None,
    inplace: bool = False,
    namespace: str | None = None,
    name: str | None = None,
    exact_out: bool = False,
    full_precision: bool = False,
) -> Callable[[F], F]:
    """Declares a composed op.

    Args:
        schema: the signature in PyTorch's notation; its types are listed in
            ``docs/adding_an_op.md``. The function is called with all arguments
            positionally, in this order, defaults filled in.
        function: whether it appears as ``flambeau.<name>``.
        method: whether it appears as ``Tensor.<name>``; by default where the
            first parameter is ``Tensor self``.
        inplace: whether ``Tensor.<name>_`` exists too.
        namespace: ``"nn"`` puts it among the neural-network ops instead, ``"both"`` also. Any
            other, such as ``"linalg"``, is a module's: the op is called ``linalg_<name>``,
            and instead of the function the op is handed back, which that module holds.
        name: another name than the schema's.
        exact_out: whether ``out=`` must have the result's dtype, instead of being converted to.
        full_precision: whether autocast leaves it, and all that it calls, in float32.

    Declarations of one name are overloads, tried in order.
    """
    head, _, returns = schema.partition("->")
    head = head.strip()
    if name is not None:
        head = name + head[head.index("(") :]
    neural = namespace == "nn"
    of_module = namespace not in (None, "nn", "both")
    if of_module:
        head, function, method = f"{namespace}_{head}", False, False
    if method is None:
        method = not neural and head.split("(", 1)[1].startswith("Tensor self")
    out = (function or of_module) and (
        returns.strip() in ("", "Tensor") or returns.strip().startswith("(")
    )
    also_neural = namespace == "both"
    RETURNS[head.split("(")[0]] = returns.strip() or "Tensor"

    def declare(f: F) -> F:
        declared = _C.declare(
            head, f, function, method, inplace, out, neural, also_neural, False, exact_out
        )
        if full_precision:
            _C.keep_full_precision(head.split("(")[0])
        return cast(F, declared) if of_module else f

    return declare


class Primitive(Protocol):
    """An op that takes a gradient of its own."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def gradient(self, function: F, /) -> F: ...


def primitive(
    schema: str, *, function: bool = True, method: bool = False
) -> Callable[[Callable[..., Any]], Primitive]:
    """Declares an op that is not decomposed further, with a gradient of its own.

    The function takes all arguments positionally, runs with recording off and returns a tensor
    or a tuple of them. In its place stands the op, whose ``gradient`` registers the derivative::

        @primitive("_scaled(Tensor self, float factor) -> Tensor")
        def scaled(self, factor): ...

        @scaled.gradient
        def _(grad_outputs, inputs, outputs, needs): ...

    ``grad_outputs`` has an entry for each result (None: no gradient arrived; whole numbers never
    get one), ``inputs`` every argument, ``outputs`` every result; tensors modified since are
    refused when they are read. ``needs`` tells for each tensor argument whether its gradient is
    wanted, for a list of tensors as a tuple. The gradient gives one tensor or None for each
    tensor argument, a list for a list; it is written with ops, so that it has a derivative too.
    """
    head, _, returns = schema.partition("->")
    head = head.strip()
    RETURNS[head.split("(")[0]] = returns.strip() or "Tensor"

    def declare(f: Callable[..., Any]) -> Primitive:
        declared = _C.declare(head, f, function, method, False, function, False, False, True, False)
        return cast(Primitive, declared)

    return declare


class _Deferred:
    """A function that is imported when it is first called, or its docstring read."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name
        self.function: Callable[..., Any] | None = None

    def load(self) -> Callable[..., Any]:
        if self.function is None:
            loaded: Callable[..., Any] = getattr(import_module(self.module), self.name)
            self.function = loaded
        return self.function

    def __call__(self, *args: Any) -> Any:
        return (self.function or self.load())(*args)

    def __getattribute__(self, name: str) -> Any:
        # the class's own docstring stands in the way of a property of that name
        if name == "__doc__":
            return self.load().__doc__
        return object.__getattribute__(self, name)


def lazily(module: str, *schemas: str, function: bool = True, full_precision: bool = False) -> None:
    """Declares ops whose functions lie in a module that is imported when one is called.

    The function has the op's name, or the one before the schema: ``"inv: inverse(Tensor self)"``.
    ``function`` False declares methods alone; ``full_precision`` is as for ``op``.
    """
    for schema in schemas:
        head, _, _ = schema.partition("(")
        name, _, op_name = head.rpartition(": ")
        signature = schema[len(name) + 2 :] if name else schema
        declare = op(signature, function=function, full_precision=full_precision)
        declare(_Deferred(module, name or op_name))


def op_named(name: str) -> Any:
    """The op of a module beside the main namespace, for pickles."""
    for module in ("nn_ops", "optim_ops"):
        found = getattr(import_module(f"flambeau_core.{module}"), name, None)
        if found is not None:
            return found
    module, _, rest = name.partition("_")
    return getattr(import_module(f"flambeau_core.{module}"), rest)


def composition(kernel_id: str) -> Callable[[F], F]:
    """Gives the definition of an op that backends may supply as a kernel.

    Core calls it, with the op's arguments positionally, on devices whose
    backend has no kernel of that id.
    """

    def declare(f: F) -> F:
        _C.set_composition(kernel_id, f)
        return f

    return declare
