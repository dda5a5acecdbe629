"""Affine and bilinear maps, straight from core."""

from flambeau_core.nn_ops import bilinear, linear

__all__ = ["bilinear", "linear"]
