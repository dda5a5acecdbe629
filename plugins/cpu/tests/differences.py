"""Gradients by central differences in float64."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def gradient(
    function: Callable[[np.ndarray], np.ndarray], x: np.ndarray, g: np.ndarray
) -> np.ndarray:
    """The gradient of sum(g * function(x)) with respect to x."""
    result = np.zeros(x.shape)
    step = 1e-5
    for i in np.ndindex(*x.shape):
        ends = []
        for sign in (1, -1):
            moved = x.astype(float)
            moved[i] += sign * step
            ends.append(np.sum(g * function(moved)))
        result[i] = (ends[0] - ends[1]) / (2 * step)
    return result
