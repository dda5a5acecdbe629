"""Custom ops: a Python function with a schema, a gradient, a rule for shapes, one for batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .. import _C
from ..autograd.function import FunctionCtx
from ..declare import primitive
from .schema import filled_in, infer_schema, mutated_names, native_schema

__all__ = [
    "CustomOpDef",
    "custom_op",
    "find",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_vmap",
]

Tensor = _C.Tensor
_defined: dict[str, CustomOpDef] = {}


class CustomOpDef:
    """An op of one's own; call it like a function.

    Attributes:
        name: the name with its namespace, ``"mylib::relu6"``.
        schema: its signature in PyTorch's notation.
    """

    def __init__(self, name: str, schema: str, function: Callable[..., Any] | None) -> None:
        namespace, _, short = name.partition("::")
        if not namespace or not short.isidentifier() or not namespace.isidentifier():
            raise ValueError(
                f"custom_op: the name must have the form 'namespace::name', got {name!r}"
            )
        if name in _defined:
            raise RuntimeError(f"custom_op: there is an op {name} already")
        self.name, self.schema = name, schema
        self.mutates = mutated_names(schema)
        self._kernels: dict[str | None, Callable[..., Any]] = {}
        if function is not None:
            self._kernels[None] = function
        self._fake: Callable[..., Any] | None = None
        self._backward: Callable[..., Any] | None = None
        self._setup: Callable[..., Any] | None = None
        self._op = primitive(native_schema(name, schema), function=False)(self._run)
        self._op.gradient(self._gradient)
        self._defaults = filled_in(schema)
        self._names = [n for n, _ in _parameters(self._op)]
        self.__doc__ = getattr(function, "__doc__", None)
        self.__name__ = short
        _defined[name] = self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._op(*args, **kwargs)

    @property
    def default(self) -> CustomOpDef:
        """The op itself: it has one overload."""
        return self

    def __repr__(self) -> str:
        return f"<custom op {self.name}{self.schema[self.schema.index('(') :]}>"

    def _run(self, *args: Any) -> Any:
        device = next((a.device.type for a in _tensors(args)), "cpu")
        kernel = self._kernels.get(device) or self._kernels.get(None)
        if kernel is None:
            raise NotImplementedError(
                f"{self.name} has no kernel for device type {device!r}; there are kernels for "
                f"{sorted(k for k in self._kernels if k)}"
            )
        positional, keywords = self._as_given(tuple(map(_outside, args)))
        return kernel(*positional, **keywords)

    def _as_given(self, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments in the schema's order, those after the star by name."""
        if self._defaults:
            args = tuple(
                self._defaults.get(name) if a is None else a for name, a in zip(self._names, args)
            )
        n = _positional(self.schema)
        return args[:n], dict(zip(self._names[n:], args[n:]))

    # ---- registration ----

    def register_kernel(
        self, device_types: str | Iterable[str] | None, fn: Callable[..., Any] | None = None, /
    ) -> Any:
        """Registers what the op does on devices of these types (None: on all others)."""

        def register(f: Callable[..., Any]) -> Callable[..., Any]:
            types = (
                [device_types]
                if device_types is None or isinstance(device_types, str)
                else device_types
            )
            for kind in types:
                self._kernels[kind] = f
            return f

        return register if fn is None else register(fn)

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """Registers the rule for shapes and dtypes: it returns empty tensors like the results."""
        self._fake = fn
        return fn

    def register_autograd(
        self,
        backward: Callable[..., Any],
        /,
        *,
        setup_context: Callable[..., Any] | None = None,
    ) -> None:
        """Registers the gradient.

        Args:
            backward: ``backward(ctx, *grads)`` returns a gradient (or None) for every
                argument, written with ops, so that it has a gradient itself.
            setup_context: ``setup_context(ctx, inputs, output)`` keeps what ``backward`` needs.
                It runs with the graph, when the gradient is computed, so it may not depend on
                anything but its arguments.
        """
        if self.mutates:
            raise RuntimeError(
                f"register_autograd: {self.name} writes to its arguments {sorted(self.mutates)}; "
                "only ops that do not can have a gradient"
            )
        self._backward, self._setup = backward, setup_context

    def register_vmap(self, fn: Callable[..., Any] | None = None, /) -> Any:
        """Registers ``fn(info, in_dims, *args) -> (outputs, out_dims)`` for whole batches.

        Without one, vmap runs the op an example at a time.
        """

        def register(f: Callable[..., Any]) -> Callable[..., Any]:
            from ..transforms.batching.custom import enter_rule

            enter_rule(self.name, f)
            return f

        return register if fn is None else register(fn)

    # ---- gradient ----

    def _gradient(self, grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
        if self._backward is None:
            raise RuntimeError(f"{self.name} has no gradient: register one with register_autograd")
        args = tuple(inputs)
        wanted = iter(needs)
        ctx = FunctionCtx()
        holds_tensors = [_is_tensor_kind(kind) for _, kind in _parameters(self._op)]
        ctx.needs_input_grad = tuple(
            _any(next(wanted)) if is_tensor else False for is_tensor in holds_tensors
        )
        if self._setup is not None:
            results = tuple(outputs)
            output = results if _returns_several(self.schema) else results[0]
            positional, keywords = self._as_given(args)
            if keywords:
                self._setup(ctx, positional, keywords, output)
            else:
                self._setup(ctx, positional, output)
        found = self._backward(ctx, *grads)
        if not isinstance(found, tuple):
            found = (found,)
        if len(found) != len(args):
            raise RuntimeError(
                f"{self.name}: the gradient function must return a gradient (or None) for each of "
                f"the {len(args)} arguments, got {len(found)}"
            )
        return tuple(g for g, is_tensor in zip(found, holds_tensors) if is_tensor)


def _outside(x: Any) -> Any:
    """An argument outside the graph, where NumPy may have it."""
    if isinstance(x, (tuple, list)):
        return type(x)(map(_outside, x))
    return x.detach() if isinstance(x, Tensor) and x.requires_grad else x


def _any(wanted: Any) -> bool:
    return any(wanted) if isinstance(wanted, tuple) else bool(wanted)


def _parameters(op: Any) -> tuple[tuple[str, str], ...]:
    from ..transforms.signatures import parameters

    return parameters(op, 0)


def _is_tensor_kind(kind: str) -> bool:
    return kind.rstrip("?") in ("Tensor", "Tensor[]", "Operand")


def _tensors(args: Any) -> Any:
    from ..transforms.duals import tensors_in

    return tensors_in(args)


def _positional(schema: str) -> int:
    inside = schema[schema.index("(") + 1 : schema.rindex(") ->")]
    before = inside.partition("*,")[0] if "*," in inside else inside
    return len([p for p in before.split(",") if " " in p.strip()])


def _returns_several(schema: str) -> bool:
    return schema.rpartition("->")[2].strip().startswith("(")


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Iterable[str] | None = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Makes an op of a Python function.

    Args:
        name: ``"namespace::name"``.
        fn: the function; without one the call is a decorator. It must not
            return one of its arguments or a view of one.
        mutates_args: names of the arguments that it writes to.
        device_types: the devices that it serves; all if None.
        schema: its signature, if the annotations do not tell it.
        tags: accepted for compatibility.

    Raises:
        ValueError: the name or the annotations do not make a schema.
        RuntimeError: there is an op of that name.
    """

    def make(f: Callable[..., Any]) -> CustomOpDef:
        text = schema or infer_schema(f, mutates_args=mutates_args)
        made = CustomOpDef(name, text, f if device_types is None else None)
        if device_types is not None:
            made.register_kernel(device_types, f)
        return made

    return make if fn is None else make(fn)


def find(op: Any) -> CustomOpDef:
    """A custom op by its name, or itself; ValueError where there is none."""
    if isinstance(op, CustomOpDef):
        return op
    name = op if isinstance(op, str) else getattr(op, "name", None)
    if name not in _defined:
        raise ValueError(f"there is no custom op {op!r}")
    return _defined[name]


def register_kernel(op: Any, device_types: Any, func: Any = None, /, **_: Any) -> Any:
    """``CustomOpDef.register_kernel`` of an op by its name."""
    return find(op).register_kernel(device_types, func)


def register_fake(op: Any, func: Any = None, /, **_: Any) -> Any:
    """``CustomOpDef.register_fake`` of an op by its name."""
    found = find(op)
    return found.register_fake if func is None else found.register_fake(func)


def register_autograd(
    op: Any, backward: Callable[..., Any], /, *, setup_context: Any = None, **_: Any
) -> None:
    """``CustomOpDef.register_autograd`` of an op by its name."""
    find(op).register_autograd(backward, setup_context=setup_context)


def register_vmap(op: Any, func: Any = None, /, **_: Any) -> Any:
    """``CustomOpDef.register_vmap`` of an op by its name."""
    return find(op).register_vmap(func)
