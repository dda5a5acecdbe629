"""Comparisons and logic: bool results, no gradient."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flambeau_testing.op_samples.binary import SHAPES
from flambeau_testing.op_samples.declaration import NUMBERS, Declaration, Sample


def samples(rng: np.random.Generator) -> Iterator[Sample]:
    """Few different values, so that many are equal."""
    for a, b in SHAPES:
        yield Sample((rng.integers(0, 3, a).astype(float), rng.integers(0, 3, b).astype(float)))
    yield Sample((rng.integers(0, 3, (3, 4)).astype(float), 1))


DECLARATIONS = tuple(
    Declaration(name, reference, samples, NUMBERS, differentiable=False)
    for name, reference in (
        ("eq", np.equal),
        ("ne", np.not_equal),
        ("lt", np.less),
        ("le", np.less_equal),
        ("gt", np.greater),
        ("ge", np.greater_equal),
    )
) + tuple(
    Declaration(name, reference, lambda rng: list(samples(rng))[:-1], NUMBERS, differentiable=False)
    for name, reference in (
        ("logical_and", np.logical_and),
        ("logical_or", np.logical_or),
        ("logical_xor", np.logical_xor),
    )
)
