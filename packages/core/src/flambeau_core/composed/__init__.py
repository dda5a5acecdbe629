"""Ops that are functions over other ops; importing this package declares them all."""

from flambeau_core.composed import (
    broadcasting,
    diagonals,
    einsum,
    joining,
    reordering,
    repetition,
    splitting,
    triangular,
)
