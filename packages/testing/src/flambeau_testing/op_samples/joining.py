"""Several tensors into one, and one into several."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flambeau_testing.op_samples.declaration import NUMBERS, Declaration, Sample


def cat_samples(rng: np.random.Generator) -> Iterator[Sample]:
    def part(*shape: int) -> np.ndarray:
        return rng.integers(0, 9, shape).astype(float)

    yield Sample(([part(2, 3), part(4, 3)], 0))
    yield Sample(([part(2, 3), part(2, 1), part(2, 0)], -1))
    yield Sample(([part(3)],))


def stack_samples(rng: np.random.Generator) -> Iterator[Sample]:
    parts = [rng.integers(0, 9, (2, 3)).astype(float) for _ in range(3)]
    for dim in (0, 1, -1):
        yield Sample((parts, dim))


def split_samples(rng: np.random.Generator) -> Iterator[Sample]:
    yield Sample((rng.integers(0, 9, (7, 3)).astype(float), 3))


DECLARATIONS = (
    Declaration("cat", lambda parts, dim=0: np.concatenate(parts, dim), cat_samples, NUMBERS),
    Declaration("stack", lambda parts, dim: np.stack(parts, dim), stack_samples, NUMBERS),
    Declaration("split", lambda x, n: np.split(x, [3, 6]), split_samples, NUMBERS),
    Declaration("chunk", lambda x, n: np.split(x, [3, 6]), split_samples, NUMBERS),
    Declaration("unbind", lambda x, n: list(x.T), lambda rng: one_by_one(rng), NUMBERS),
)


def one_by_one(rng: np.random.Generator) -> Iterator[Sample]:
    yield Sample((rng.integers(0, 9, (4, 3)).astype(float), 1))
