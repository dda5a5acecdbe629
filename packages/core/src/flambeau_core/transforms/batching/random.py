"""Random ops under vmap: refused, different for every example, or the same for all."""

from __future__ import annotations

from typing import Any

from ... import _C
from ..tensors import values_of
from .rule import BatchedCall, rule

__all__ = ["RANDOM"]

# Ops that draw a tensor of a given size, and those that draw for each element of a tensor.
FACTORIES = ("rand", "randn", "randint", "randperm", "normal")
LIKE = ("rand_like", "randn_like", "randint_like")
ELEMENTWISE = ("bernoulli", "poisson", "_standard_gamma", "binomial", "_sample_dirichlet")
IN_PLACE = ("normal_", "uniform", "random", "exponential", "geometric", "cauchy", "log_normal")
RANDOM = (*FACTORIES, *LIKE, *ELEMENTWISE, *IN_PLACE, "dropout", "multinomial")

OP: Any = type(_C.add)
for _name in RANDOM:
    for _home in (_C, _C.Tensor, _C.nn_ops):
        for _form in (_name, f"{_name}_"):
            _op: Any = vars(_home).get(_form)
            if isinstance(_op, OP):
                _op.asks_transforms = True


def check(call: BatchedCall) -> bool:
    """Whether every example draws for itself; RuntimeError where vmap allows no random op."""
    if call.level.randomness == "error":
        raise RuntimeError(
            f"vmap: {call.name} draws random numbers; say vmap(..., randomness='different') or "
            "'same' to allow that"
        )
    return call.level.randomness == "different"


@rule(*FACTORIES)
def factory(call: BatchedCall) -> Any:
    different = check(call)
    at = call.index("size")
    if at < 0 or call.args[at] is None:
        return elementwise(call) if call.name == "normal" else _drawn(call, different)
    if not different:
        return Same(call.run(*call.args))
    return call.run(*call.replaced(size=(call.level.batch_size, *call.args[at])))


class Same:
    """A result that is one for all examples."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _drawn(call: BatchedCall, different: bool) -> Any:
    if not different:
        return Same(call.run(*call.args))
    return _C.stack([call.run(*call.args) for _ in range(call.level.batch_size)])


@rule(*LIKE, *ELEMENTWISE)
def elementwise(call: BatchedCall) -> Any:
    different = check(call)
    tensors = [a for a in call.args if isinstance(a, _C.Tensor)]
    ndim = max(t.ndim for t in tensors)
    if different:
        return call.run(
            *(call.repeated(a, ndim) if isinstance(a, _C.Tensor) else a for a in call.args)
        )
    if any(call.batched(t) for t in tensors):
        if call.name not in LIKE:
            _refuse_same(call)
        args = [a.value.select(0, 0) if call.batched(a) else a for a in call.args]
        return Same(call.run(*args))
    return Same(call.run(*call.args))


def _refuse_same(call: BatchedCall) -> None:
    raise RuntimeError(
        f"vmap: {call.name} of values that differ from example to example cannot draw the same "
        "numbers for all; use randomness='different'"
    )


@rule("dropout")
def dropout(call: BatchedCall) -> Any:
    x, p, training = call.args
    if not training or p == 0:
        return call.value(x) if call.batched(x) else Same(x)
    if check(call):
        return call.run(call.repeated(x), p, training)
    shape = call.value(x).select(0, 0) if call.batched(x) else x
    mask = call.run(_C.ones_like(shape), p, training)
    return call.value(x) * mask if call.batched(x) else Same(x * mask)


@rule("multinomial")
def multinomial(call: BatchedCall) -> Any:
    different = check(call)
    x = call.args[0]
    if not different:
        if call.batched(x):
            _refuse_same(call)
        return Same(call.run(*call.args))
    v = call.repeated(x)
    if x.ndim == 1:
        return call.run(v, *call.args[1:])
    y = call.run(v.flatten(0, 1), *call.args[1:])
    return y.unflatten(0, (v.shape[0], x.shape[0]))


def in_place(call: BatchedCall) -> Any:
    """normal_() and its like: they write into a tensor that the examples have of their own."""
    x, *rest = call.args
    if check(call):
        if not call.batched(x):
            raise RuntimeError(
                f"vmap: {call.name} with randomness='different' on a tensor that all examples "
                "share; make it from one of the function's inputs"
            )
        call.run(x.value, *values_of(rest, call.level))
    elif call.batched(x):
        one = x.value.select(0, 0).clone()
        call.run(one, *rest)
        x.value.copy_(one.expand_as(x.value))
    else:
        call.run(*call.args)
    return x
