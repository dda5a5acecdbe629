"""Neural-network ops: the batch joins the op's own batch, or its groups."""

from __future__ import annotations

from typing import Any

from .rule import BatchedCall, rule

__all__: list[str] = []

SPATIAL = {"1d": 1, "2d": 2, "3d": 3}


def _spatial(name: str) -> int:
    return SPATIAL[name.removesuffix("_with_indices")[-2:]]


def _folded(v: Any) -> Any:
    """The batch and the examples' first dimension as one."""
    return v.flatten(0, 1)


def _unfolded(y: Any, b: int) -> Any:
    if isinstance(y, tuple):
        return tuple(_unfolded(t, b) for t in y)
    return y.unflatten(0, (b, y.shape[0] // b))


@rule("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def convolution(call: BatchedCall) -> Any:
    x, weight, bias = call.args[:3]
    b = call.level.batch_size
    single = x.ndim == _spatial(call.name) + 1
    if not call.batched(weight) and not call.batched(bias):
        v = call.value(x)
        return (
            call.run(*call.replaced(input=v))
            if single
            else _unfolded(call.run(*call.replaced(input=_folded(v))), b)
        )
    # Every example has its own weights: the examples become groups of channels.
    v = call.repeated(x)
    v = v.unsqueeze(1) if single else v
    channels = v.movedim(0, 1).flatten(1, 2)
    w = _folded(call.repeated(weight))
    groups = call.args[call.index("groups")] * b
    y = call.run(*call.replaced(input=channels, weight=w, bias=None, groups=groups))
    y = y.unflatten(1, (b, y.shape[1] // b)).movedim(1, 0)
    if bias is not None:
        own = call.repeated(bias)
        y = y + own.reshape(own.shape[0], 1, own.shape[1], *(1,) * _spatial(call.name))
    return y.squeeze(1) if single else y


@rule("max_pool2d", "max_pool2d_with_indices", "avg_pool2d", "adaptive_avg_pool2d")
def pooling(call: BatchedCall) -> Any:
    x = call.args[0]
    v = call.value(x)
    if x.ndim == _spatial(call.name) + 1:
        return call.run(v, *call.args[1:])
    return _unfolded(call.run(_folded(v), *call.args[1:]), call.level.batch_size)


@rule("layer_norm")
def layer_norm(call: BatchedCall) -> Any:
    x, shape, weight, bias = call.args[:4]
    if not call.batched(weight) and not call.batched(bias):
        return call.run(*call.replaced(input=call.value(x)))
    y = call.run(*call.replaced(input=call.repeated(x), weight=None, bias=None))
    for parameter, join in ((weight, y.__class__.mul), (bias, y.__class__.add)):
        if parameter is not None:
            y = join(y, call.value(parameter, x.ndim))
    return y


@rule("batch_norm")
def batch_norm(call: BatchedCall) -> Any:
    mean, training = (call.args[call.index(n)] for n in ("running_mean", "training"))
    if training and mean is not None and not call.batched(mean):
        raise RuntimeError(
            "batch_norm inside vmap: each example would update the running statistics, which all "
            "share; use eval(), track_running_stats=False, or statistics for every example"
        )
    # Two overloads have their parameters in different orders.
    names = "input running_mean running_var weight bias training momentum eps".split()
    return call.op.composition(*(call.args[call.index(n)] for n in names))
