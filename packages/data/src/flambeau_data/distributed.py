"""The part of a dataset that one of several training processes loads."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any

import flambeau_core as fb

from .sampler import Sampler


class DistributedSampler(Sampler[int]):
    """Every ``num_replicas``-th index from ``rank`` on, after a permutation all processes share.

    Call :meth:`set_epoch` before each epoch, or the permutation stays the same.

    Args:
        num_replicas, rank: the number of processes and this one's number; by default what a
            launcher left in the environment variables ``WORLD_SIZE`` and ``RANK``.
        drop_last: give up the last indices, where otherwise some are given twice to make the
            parts equal.

    Raises:
        RuntimeError: neither arguments nor environment say which process this is.
        ValueError: ``rank`` is not below ``num_replicas``.
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        self.dataset = dataset
        self.num_replicas = _from_launcher("num_replicas", "WORLD_SIZE", num_replicas)
        self.rank = _from_launcher("rank", "RANK", rank)
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError(
                f"Invalid rank {self.rank}, rank should be in the interval "
                f"[0, {self.num_replicas - 1}]"
            )
        self.shuffle = shuffle
        self.seed = seed
        self.drop_last = drop_last
        self.epoch = 0
        samples = len(dataset) / self.num_replicas
        self.num_samples = math.floor(samples) if drop_last else math.ceil(samples)
        self.total_size = self.num_samples * self.num_replicas

    def __iter__(self) -> Iterator[int]:
        size = len(self.dataset)
        indices = list(range(size))
        if self.shuffle:
            generator = fb.Generator()
            generator.manual_seed(self.seed + self.epoch)
            indices = fb.randperm(size, generator=generator).tolist()
        if indices and len(indices) < self.total_size:
            indices *= -(-self.total_size // len(indices))
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Choose the permutation of ``epoch``."""
        self.epoch = epoch


def _from_launcher(argument: str, variable: str, value: int | None) -> int:
    if value is not None:
        return value
    if variable not in os.environ:
        raise RuntimeError(
            f"DistributedSampler needs {argument}: give it, or start the processes with a launcher "
            f"that sets {variable}"
        )
    return int(os.environ[variable])


__all__ = [
    "DistributedSampler",
]
