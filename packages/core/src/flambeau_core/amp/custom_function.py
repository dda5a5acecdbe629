"""Autocast in custom autograd functions: decorators for their forward and backward."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import flambeau_core as fb
from flambeau_core.amp.autocast_mode import autocast, get_autocast_dtype, is_autocast_enabled


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: Any = None
) -> Any:
    """Decorates ``forward(ctx, ...)``.

    Args:
        fwd: the function to decorate.
        device_type: whose autocast state counts.
        cast_inputs: under autocast, floating inputs on the device are cast to this dtype and the
            function runs with autocast off. None runs it under autocast as it is.
    """
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        active = is_autocast_enabled(device_type)
        ctx._autocast_dtype = get_autocast_dtype(device_type)
        ctx._forward_under_autocast = active and cast_inputs is None
        if not active or cast_inputs is None:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(
                ctx,
                *cast(args, device_type, cast_inputs),
                **cast(kwargs, device_type, cast_inputs),
            )

    return decorated


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Any:
    """Decorates ``backward(ctx, ...)`` to run under the autocast state of its forward."""
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, enabled=ctx._forward_under_autocast, dtype=ctx._autocast_dtype):
            return bwd(ctx, *args, **kwargs)

    return decorated


def cast(value: Any, device_type: str, dtype: Any) -> Any:
    """Casts floating tensors of the device in nested containers; float64 keeps its precision."""
    if isinstance(value, fb.Tensor):
        concerned = (
            value.is_floating_point()
            and value.device.type == device_type
            and value.dtype != fb.float64
        )
        return value.to(dtype) if concerned else value
    if isinstance(value, Mapping):
        return {key: cast(item, device_type, dtype) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(cast(item, device_type, dtype) for item in value)
    return value
