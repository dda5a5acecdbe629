"""Forward mode's side of dispatch: an op on dual numbers gives values and tangents.

Linear ops apply themselves to the tangents. Every other primitive has a reverse
rule already, and the transpose of a transpose is the forward derivative: the
reverse rule is linear in the incoming gradient, so differentiating it with
respect to that gradient gives the tangent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _C
from .dispatch import HANDLERS, call, decompose, write_each
from .duals import set_tangent, tangent_of, tensors_in
from .levels import Level, below
from .pytree import tree_map
from .reverse import boundary, gradient, spread, vmaps_of
from .views import laid_out, window, zeros_laid_out_like

__all__ = ["attach_tangents", "by_double_vjp", "run_dual"]

Tensor = _C.Tensor
F = Callable[..., Any]

# Linear in the first argument, whatever the others are; views among them.
LINEAR = """neg negative positive clone contiguous sum mean cumsum real imag view_as_real
view_as_complex conj conj_physical expand expand_as reshape reshape_as view view_as permute
transpose swapaxes swapdims t squeeze unsqueeze select narrow diagonal unfold
flatten ravel unflatten movedim moveaxis unbind chunk split split_with_sizes to float double
half bfloat16 cfloat cdouble type_as gather index_select take _index _slice"""
JOINING = "cat concat concatenate stack"
PRODUCTS = "mul multiply matmul mm bmm mv dot"
# Results that do not change with the values, or do not carry tangents.
CONSTANT = """detach zeros_like ones_like full_like empty_like rand_like randn_like randint_like
new_zeros new_ones new_full new_empty floor ceil trunc fix round sign"""
RESHAPING = {"squeeze_", "unsqueeze_", "transpose_", "swapaxes_", "swapdims_", "t_"}

RULES: dict[str, F] = {}


def _rule(names: str) -> Callable[[F], F]:
    def enter(f: F) -> F:
        for name in names.split():
            RULES[name] = f
        return f

    return enter


def run_dual(op: Any, overload: int, args: tuple[Any, ...], level: Level) -> Any:
    """An op of which some argument has a tangent at a level of forward mode."""
    if op.inplace or op.__name__.endswith("_"):
        return _write(op, overload, args, level)
    if not op.is_primitive:
        return decompose(op, overload, args)
    if op.__name__ == "as_strided":
        with below(level):
            _lay_out(args[0], level)
    tangents = {id(x): tangent_of(x, level) for x in tensors_in(args)}
    with below(level):
        if op.asks_transforms:  # drawn once, for the value and for the tangent
            result, found = by_double_vjp(
                lambda given: call(op, overload, given), args, lambda x: tangents.get(id(x))
            )
        else:
            result = call(op, overload, args)
            other = _elementwise if op.elementwise else _by_double_vjp
            rule: F = RULES.get(op.__name__, other)
            found = rule(op, overload, args, lambda x: tangents.get(id(x)), result)
    attach_tangents(result, found, level)
    return result


def attach_tangents(result: Any, tangents: Any, level: Level) -> None:
    """Gives the results of an op their tangents, None for those that have none."""
    if isinstance(result, Tensor):
        if tangents is not None and _differentiable(result):
            with below(level):
                # Examples with values of their own have tangents of their own, to be written to.
                own = [v for v in vmaps_of((result,)) if v not in vmaps_of((tangents,))]
                tangents = spread(tangents, own).clone() if own else tangents
            set_tangent(result, tangents, level)
    elif isinstance(result, (tuple, list)) and tangents is not None:
        for r, t in zip(result, tangents):
            attach_tangents(r, t, level)


@_rule(CONSTANT)
def _constant(op: Any, overload: int, args: Any, tangent: F, result: Any) -> Any:
    return None


@_rule(LINEAR)
def _linear(op: Any, overload: int, args: Any, tangent: F, result: Any) -> Any:
    t = tangent(args[0])
    if t is None:
        return None
    return call(op, overload, (t, *args[1:]))


@_rule("as_strided")
def _as_strided(op: Any, overload: int, args: Any, tangent: F, result: Any) -> Any:
    return window(tangent(args[0]), result, args[0])


def _lay_out(x: Any, level: Level) -> None:
    """Lays a tangent out in memory like its tensor, whose strides an op counts by."""
    t = tangent_of(x, level)
    if t is not None and not laid_out(t, x):
        set_tangent(x, zeros_laid_out_like(x, vmaps_of((x, t))).copy_(t), level)


@_rule(JOINING)
def _join(op: Any, overload: int, args: Any, tangent: F, result: Any) -> Any:
    parts = [_or_zeros(tangent(x), x) for x in args[0]]
    return call(op, overload, (tuple(parts), *args[1:]))


def _or_zeros(t: Any, x: Any) -> Any:
    return _C.zeros_like(x) if t is None else t


@_rule(PRODUCTS)
def _product(op: Any, overload: int, args: Any, tangent: F, result: Any) -> Any:
    terms = []
    for i, x in enumerate(args[:2]):
        if isinstance(x, Tensor) and (t := tangent(x)) is not None:
            terms.append(call(op, overload, (*args[:i], t, *args[i + 1 :])))
    return _sum(terms)


def _sum(terms: list[Any]) -> Any:
    total = None
    for t in terms:
        total = t if total is None else total + t
    return total


@_rule("add sub subtract rsub")
def _add(op: Any, overload: int, args: Any, tangent: F, result: Any) -> Any:
    x, y = (tangent(a) if isinstance(a, Tensor) else None for a in args[:2])
    if x is not None and y is not None:
        return call(op, overload, (x, y, *args[2:]))
    # self + alpha other, and the same with one of the two signs exchanged
    name, alpha = op.__name__, args[2]
    factor = alpha if (y is not None) != (name == "rsub") else 1
    negative = name == "rsub" if x is not None else name in ("sub", "subtract")
    t: Any = x if y is None else y
    if factor != 1 or negative:
        t = t * (-factor if negative else factor)
    return t.expand(result.shape).to(result.dtype, copy=True)


@_rule("where")
def _where(op: Any, overload: int, args: Any, tangent: F, result: Any) -> Any:
    if len(args) == 1:
        return None
    x, y = (
        (0 if (t := tangent(a)) is None else t) if isinstance(a, Tensor) else 0 for a in args[1:]
    )
    return _C.where(args[0], x, y).expand(result.shape).to(result.dtype)


def _by_double_vjp(op: Any, overload: int, args: Any, tangent: F, result: Any) -> Any:
    if not any(map(_differentiable, tensors_in((result,)))):
        return None
    return by_double_vjp(lambda given: call(op, overload, given), args, tangent)[1]


def _elementwise(op: Any, overload: int, args: Any, tangent: F, result: Any) -> Any:
    """Of one real argument that varies: the Jacobian is diagonal, and so its own transpose."""
    given = [x for x in tensors_in(args) if tangent(x) is not None]
    alike = len(given) == 1 and given[0].shape == result.shape and given[0].dtype == result.dtype
    if not alike or not result.is_floating_point():
        return _by_double_vjp(op, overload, args, tangent, result)
    (x,), t = given, tangent(given[0])
    vmaps = vmaps_of([*tensors_in(args), t])
    enabled = _C.is_grad_enabled()
    recorded = enabled and (t.requires_grad or any(a.requires_grad for a in tensors_in(args)))
    _C.set_grad_mode(True)
    try:
        inner = boundary(spread(x, vmaps))
        y = call(op, overload, _replaced(args, {id(x): inner}))
        return gradient([y], [inner], [spread(t, vmaps)], recorded)[0]
    finally:
        _C.set_grad_mode(enabled)


def by_double_vjp(function: F, args: Any, tangent: F) -> tuple[Any, Any]:
    """What a function that has a reverse rule gives, and its tangents: it runs once."""
    given = [x for x in tensors_in(args) if tangent(x) is not None and _differentiable(x)]
    # The graph lies beneath all levels: what one example needs alone must be its own.
    vmaps = vmaps_of([*tensors_in(args), *(tangent(x) for x in given)])
    enabled = _C.is_grad_enabled()
    outside = enabled and any(x.requires_grad for x in tensors_in(args))
    recorded = outside or (enabled and any(tangent(x).requires_grad for x in given))
    _C.set_grad_mode(True)
    try:
        inner = {id(x): boundary(spread(x, vmaps)) for x in given}
        y = function(_replaced(args, inner))
        ys = list(tensors_in((y,)))
        found = _transposed_twice(
            ys, list(inner.values()), [spread(tangent(x), vmaps) for x in given], recorded
        )
    finally:
        _C.set_grad_mode(enabled)
    result = y if outside else tree_map(_detached, y)
    return result, found[0] if isinstance(y, Tensor) else _nested(y, iter(found))


def _detached(y: Any) -> Any:
    return y.detach() if isinstance(y, Tensor) else y


def _nested(y: Any, tangents: Any) -> Any:
    """Tangents of the tensors in a result, nested like it."""
    if isinstance(y, (tuple, list)):
        return [_nested(part, tangents) for part in y]
    return next(tangents) if isinstance(y, Tensor) else None


def _transposed_twice(
    ys: list[Any], xs: list[Any], tangents: list[Any], recorded: bool
) -> list[Any]:
    differentiable = [y for y in ys if _differentiable(y) and y.requires_grad]
    seeds = [boundary(_C.zeros_like(y.detach())) for y in differentiable]
    grads = gradient(differentiable, xs, seeds, True)
    pairs = [(g, t) for g, t in zip(grads, tangents) if g is not None and g.requires_grad]
    forward = gradient([g for g, _ in pairs], seeds, [t for _, t in pairs], recorded)
    by_output = {id(y): t for y, t in zip(differentiable, forward)}
    return [by_output.get(id(y)) for y in ys]


def _differentiable(x: Any) -> bool:
    return bool(x.is_floating_point() or x.is_complex())


def _replaced(args: Any, by: dict[int, Any]) -> Any:
    if isinstance(args, (tuple, list)):
        return tuple(_replaced(a, by) for a in args)
    return by.get(id(args), args)


# ---- ops that write into their first argument -------------------------------------


def _write(op: Any, overload: int, args: Any, level: Level) -> Any:
    name, x = op.__name__, args[0]
    if isinstance(x, tuple):
        return write_each(op, overload, args)
    if name in ("resize_", "resize_as_"):
        raise RuntimeError(f"{name} cannot be used in forward mode: the tangent has another size")
    if name in RESHAPING:
        tangent = tangent_of(x, level)
        with below(level):
            call(op, overload, args)
            if tangent is not None:
                set_tangent(x, call(op, overload, (tangent, *args[1:])), level)
        return x
    if name == "copy_":
        tangent = tangent_of(args[1], level)
        with below(level):
            call(op, overload, args)
            _write_tangent(x, None if tangent is None else tangent.to(x.dtype), level)
        return x
    functional = op.functional
    if functional is None or functional is op or op.asks_transforms or name == "zero_":
        # What is written does not depend on the values: random numbers, zeros.
        with below(level):
            call(op, overload, args)
            _write_tangent(x, None, level)
        return x
    result = call(functional, overload, (x.clone(), *args[1:]))
    if result.shape != x.shape:
        raise RuntimeError(
            f"{name}: output with shape {list(x.shape)} doesn't match the broadcast shape "
            f"{list(result.shape)}"
        )
    return x.copy_(result)


def _write_tangent(x: Any, tangent: Any, level: Level) -> None:
    """Writes a tangent (None: zero) where the views of a tensor see it too."""
    old = tangent_of(x, level)
    base = x._base
    if old is None and tangent is None:
        return
    if old is None and base is not None and tangent_of(base, level) is None:
        set_tangent(base, zeros_laid_out_like(base, vmaps_of((base, tangent))), level)
        level.written.append(base)
        x.__dict__.get("_tangents", {}).pop(level, None)
        old = tangent_of(x, level)
    if old is None:
        set_tangent(x, zeros_laid_out_like(x, vmaps_of((x, tangent))).copy_(tangent), level)
    elif tangent is None:
        old.zero_()
    elif set(vmaps_of((tangent,))) <= set(vmaps_of((old,))):
        old.copy_(tangent)
    else:
        set_tangent(x, spread(tangent.expand(x.shape), vmaps_of((old, tangent))).clone(), level)


HANDLERS["forward"] = run_dual
