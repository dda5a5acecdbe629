"""Mixed precision under its older names, which mean CUDA devices."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import flambeau_core as fb
from flambeau_core import amp


class autocast(amp.autocast):
    """``flambeau.amp.autocast("cuda", ...)``."""

    def __init__(
        self, enabled: bool = True, dtype: Any = None, cache_enabled: bool | None = True
    ) -> None:
        super().__init__("cuda", dtype or fb.float16, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """``flambeau.amp.GradScaler("cuda", ...)``."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        super().__init__(
            "cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled
        )


def custom_fwd(fwd: Callable[..., Any] | None = None, *, cast_inputs: Any = None) -> Any:
    """``flambeau.amp.custom_fwd`` for CUDA devices."""
    if fwd is None:
        return functools.partial(custom_fwd, cast_inputs=cast_inputs)
    return amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable[..., Any]) -> Any:
    """``flambeau.amp.custom_bwd`` for CUDA devices."""
    return amp.custom_bwd(bwd, device_type="cuda")
