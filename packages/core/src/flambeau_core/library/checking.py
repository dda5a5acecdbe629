"""Checks of a custom op on given arguments."""

from __future__ import annotations

from typing import Any

from .. import _C
from ..transforms.pytree import tree_flatten
from .custom_op import CustomOpDef, find

__all__ = ["opcheck"]

Tensor = _C.Tensor
TESTS = ("test_schema", "test_autograd_registration", "test_faketensor", "test_vmap")


def opcheck(
    op: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    test_utils: str | tuple[str, ...] | list[str] = TESTS,
    raise_exception: bool = True,
    **_: Any,
) -> dict[str, str]:
    """Holds a custom op against what it says of itself.

    ``test_schema``: it writes only to the arguments that the schema names, and returns no
    argument or view of one. ``test_autograd_registration``: with inputs that require gradients,
    backward gives gradients of their shapes. ``test_faketensor``: the rule for shapes tells what
    the op returns. ``test_vmap``: a batch gives what a loop gives. Numerical checks of the
    gradient are ``flambeau.autograd.gradcheck`` and ``gradgradcheck``.

    Returns:
        For each test "SUCCESS", or the error's text where ``raise_exception`` is False.
    """
    wanted = (test_utils,) if isinstance(test_utils, str) else tuple(test_utils)
    results = {}
    for name in wanted:
        if name not in CHECKS:
            raise ValueError(f"opcheck: unknown test {name!r}; there are {sorted(CHECKS)}")
        try:
            CHECKS[name](find(op), args, kwargs or {})
            results[name] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise
            results[name] = str(error)
    return results


def _tensors(tree: Any) -> list[Any]:
    return [y for y in tree_flatten(tree)[0] if isinstance(y, Tensor)]


def _check_schema(op: CustomOpDef, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    given = [*args, *kwargs.values()]
    names = [*op._names[: len(args)], *kwargs]
    unwritten = [
        (name, x, x.detach().clone(), x._version)
        for name, value in zip(names, given)
        if name not in op.mutates
        for x in _tensors(value)
    ]
    result = op(*args, **kwargs)
    for name, x, old, version in unwritten:
        if x._version != version or not _C.equal(x.detach(), old):
            raise AssertionError(f"{op.name} wrote to argument {name}; its schema does not say so")
        memory = x.untyped_storage().data_ptr()
        if any(y.untyped_storage().data_ptr() == memory for y in _tensors(result)):
            raise AssertionError(f"{op.name} returned argument {name} or a view of it")


def _check_autograd(op: CustomOpDef, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    inputs = [x for x in (*args, *kwargs.values()) if isinstance(x, Tensor) and x.requires_grad]
    if not inputs:
        return
    outputs = [y for y in _tensors(op(*args, **kwargs)) if y.requires_grad]
    if not outputs:
        raise AssertionError(f"{op.name}: an input requires a gradient, no output does")
    from ..autograd import grad

    found = grad(outputs, inputs, [_C.ones_like(y) for y in outputs], allow_unused=True)
    for x, g in zip(inputs, found):
        if g is not None and g.shape != x.shape:
            raise AssertionError(
                f"{op.name}: a gradient has shape {list(g.shape)}, its input {list(x.shape)}"
            )


def _check_fake(op: CustomOpDef, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    if op._fake is None:
        raise AssertionError(f"{op.name} has no rule for shapes: register one with register_fake")
    expected, told = _tensors(op(*args, **kwargs)), _tensors(op._fake(*args, **kwargs))
    if [(tuple(y.shape), y.dtype) for y in expected] != [(tuple(y.shape), y.dtype) for y in told]:
        raise AssertionError(
            f"{op.name} returned {[(list(y.shape), y.dtype) for y in expected]}, its rule for "
            f"shapes tells {[(list(y.shape), y.dtype) for y in told]}"
        )


def _check_vmap(op: CustomOpDef, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    from ..transforms.vmap import vmap

    if op.mutates or not any(isinstance(a, Tensor) for a in args):
        return
    dims = tuple(0 if isinstance(a, Tensor) else None for a in args)
    batch = [_C.stack([a, a]) if isinstance(a, Tensor) else a for a in args]
    expected = _tensors(op(*args, **kwargs))
    for y, whole in zip(expected, _tensors(vmap(lambda *a: op(*a, **kwargs), dims)(*batch))):
        if not _C.allclose(whole[1], y, equal_nan=True):
            raise AssertionError(f"{op.name}: vmap differs from the op on each example")


CHECKS = {
    "test_schema": _check_schema,
    "test_autograd_registration": _check_autograd,
    "test_faketensor": _check_fake,
    "test_vmap": _check_vmap,
}
