"""Ops that are functions over other ops; importing this package declares them all."""

from flambeau_core.composed import (
    activations,
    broadcasting,
    convolution,
    diagonals,
    einsum,
    joining,
    losses,
    neural,
    normalization,
    optimizer_steps,
    patches,
    pooling,
    reductions,
    reordering,
    repetition,
    softmax,
    splitting,
    ternary,
    triangular,
)
