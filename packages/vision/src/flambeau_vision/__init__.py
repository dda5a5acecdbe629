"""Image datasets and transforms."""

from flambeau_vision import datasets, transforms

__version__ = "0.1.0"

__all__ = ["datasets", "transforms"]
