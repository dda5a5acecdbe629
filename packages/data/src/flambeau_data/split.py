"""Random partitions of a dataset."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import flambeau_core as fb

from .dataset import Subset


def random_split(
    dataset: Any, lengths: Sequence[int | float], generator: fb.Generator | None = None
) -> list[Subset[Any]]:
    """Divide ``dataset`` at random into parts that do not overlap.

    Args:
        lengths: the sizes of the parts, or fractions that sum to 1. Fractions are rounded down,
            and the samples left over go one by one to the first parts.

    Raises:
        ValueError: the sizes do not sum to the length of the dataset, or a fraction lies outside
            of [0, 1].
    """
    sizes = _sizes(len(dataset), lengths)
    if sum(sizes) != len(dataset):
        raise ValueError(
            "Sum of input lengths does not equal the length of the input dataset: "
            f"{list(lengths)} for {len(dataset)} samples"
        )
    order = fb.randperm(len(dataset), generator=generator).tolist()
    ends = accumulate(sizes)
    return [Subset(dataset, order[end - size : end]) for end, size in zip(ends, sizes, strict=True)]


def _sizes(samples: int, lengths: Sequence[int | float]) -> list[int]:
    if not (math.isclose(sum(lengths), 1) and sum(lengths) <= 1):
        return [int(length) for length in lengths]
    sizes = []
    for index, fraction in enumerate(lengths):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {index} is not between 0 and 1: {fraction}")
        sizes.append(math.floor(samples * fraction))
    for index in range(samples - sum(sizes)):
        sizes[index % len(sizes)] += 1
    for index, size in enumerate(sizes):
        if size == 0:
            warnings.warn(f"random_split: part {index} is empty", stacklevel=3)
    return sizes
