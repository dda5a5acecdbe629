"""Mixed precision: autocast, gradient scaling, and their use in custom functions."""

from flambeau_core.amp.autocast_mode import (
    autocast,
    get_autocast_dtype,
    is_autocast_available,
    is_autocast_enabled,
)
from flambeau_core.amp.custom_function import custom_bwd, custom_fwd
from flambeau_core.amp.grad_scaler import GradScaler

__all__ = [
    "GradScaler",
    "autocast",
    "custom_bwd",
    "custom_fwd",
    "get_autocast_dtype",
    "is_autocast_available",
    "is_autocast_enabled",
]
