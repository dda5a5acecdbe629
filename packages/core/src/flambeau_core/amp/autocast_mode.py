"""Regions in which matrix products and convolutions run in a narrow dtype."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import flambeau_core as fb
from flambeau_core.plugins import is_available

F = TypeVar("F", bound=Callable[..., Any])

CPU_DTYPES = ("bfloat16", "float16")


def is_autocast_available(device_type: str) -> bool:
    """Whether autocast can be used with a device type: whether some backend serves it.

    Example:

        >>> import flambeau as torch
        >>> torch.amp.is_autocast_available("cpu")
        True
    """
    return is_available(device_type)


def is_autocast_enabled(device_type: str = "cpu") -> bool:
    """Whether ops on the device type run under autocast now.

    Example:

        >>> import flambeau as torch
        >>> torch.is_autocast_enabled("cpu")
        False
    """
    enabled, _ = fb._C.autocast_get(device_type)
    return bool(enabled)


def get_autocast_dtype(device_type: str = "cpu") -> Any:
    """The narrow dtype of the device type.

    Example:

        >>> import flambeau as torch
        >>> torch.get_autocast_dtype("cpu")
        flambeau.bfloat16
    """
    _, dtype = fb._C.autocast_get(device_type)
    return default_dtype(device_type) if dtype is None else dtype


def default_dtype(device_type: str) -> Any:
    return fb.bfloat16 if device_type == "cpu" else fb.float16


class autocast:
    """Runs the ops of a ``with`` block or function in mixed precision.

    Matrix products and convolutions take their inputs in ``dtype``; ops that need range, such as
    losses and norms, take them in float32; the others run in the dtype that they are given.

    Args:
        device_type: the devices whose ops are concerned, e.g. ``"cpu"``.
        dtype: bfloat16 or float16; by default bfloat16 on the CPU and float16 elsewhere.
        enabled: False makes the region run in full precision, also inside another one.
        cache_enabled: accepted for PyTorch's sake; casts are not cached.

    Raises:
        ValueError: ``device_type`` is not a string.

    Example:

        >>> import flambeau as torch
        >>> a = torch.ones(2, 2)
        >>> with torch.amp.autocast("cpu", dtype=torch.bfloat16):
        ...     (a @ a).dtype
        flambeau.bfloat16
    """

    def __init__(
        self,
        device_type: str,
        dtype: Any = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(
                f"autocast: device_type must be a string, got {type(device_type).__name__}"
            )
        self.device = device_type
        self.fast_dtype = default_dtype(device_type) if dtype is None else dtype
        self._enabled = enabled and self._supported()
        self._cache_enabled = bool(cache_enabled)
        self._outer: list[tuple[bool, Any]] = []

    def _supported(self) -> bool:
        """Whether the request can be served; warns where it cannot, as the region still runs."""
        name = str(self.fast_dtype).rpartition(".")[2]
        if name not in CPU_DTYPES:
            warnings.warn(
                f"autocast: the dtype {self.fast_dtype} is not supported on {self.device!r}, "
                f"only bfloat16 and float16 are: autocast is disabled",
                stacklevel=3 + (type(self) is not autocast),
            )
            return False
        if not is_available(self.device):
            warnings.warn(
                f"autocast: the device type {self.device!r} is not available: autocast is disabled",
                stacklevel=3 + (type(self) is not autocast),
            )
            return False
        return True

    def __enter__(self) -> autocast:
        self._outer.append(fb._C.autocast_get(self.device))
        fb._C.autocast_set(self.device, self._enabled, self.fast_dtype)
        return self

    def __exit__(self, *exception: Any) -> None:
        enabled, dtype = self._outer.pop()
        fb._C.autocast_set(self.device, enabled, dtype)

    def __call__(self, function: F) -> F:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return run  # type: ignore[return-value]
