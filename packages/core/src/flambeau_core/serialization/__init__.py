"""Saving and loading in PyTorch's file format; loading is safe by default."""

from flambeau_core.serialization.load import load
from flambeau_core.serialization.safe_globals import (
    add_safe_globals,
    clear_safe_globals,
    get_safe_globals,
    safe_globals,
)
from flambeau_core.serialization.save import save

__all__ = [
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "load",
    "safe_globals",
    "save",
]
