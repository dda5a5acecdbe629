"""From a batch of indices to a batch of data, in whichever process loads it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

from .collate import default_collate
from .dataset import IterableDataset, Subset, TensorDataset, fetch_samples

Fetch = Callable[[Any], Any]


class EndOfStream(Exception):
    """A stream has no more samples."""


def make_fetch(
    dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool
) -> Fetch:
    """A function that loads what the sampler gives: a list of indices, or one index.

    Of a stream it takes as many samples as the list is long, and raises :class:`EndOfStream` when
    there are none left.
    """
    if isinstance(dataset, IterableDataset):
        return _stream_fetch(dataset, auto_collation, collate_fn, drop_last)
    if not auto_collation:
        return lambda index: collate_fn(dataset[index])
    if collate_fn is default_collate:
        gather = gather_of(dataset)
        if gather is not None:
            return gather
    return lambda indices: collate_fn(fetch_samples(dataset, indices))


def _stream_fetch(
    dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool
) -> Fetch:
    samples = iter(dataset)
    if not auto_collation:

        def fetch_one(place: None) -> Any:
            for sample in samples:
                return collate_fn(sample)
            raise EndOfStream

        return fetch_one

    def fetch(places: list[None]) -> Any:
        batch = list(islice(samples, len(places)))
        if not batch or (drop_last and len(batch) < len(places)):
            raise EndOfStream
        return collate_fn(batch)

    return fetch


def gather_of(dataset: Any) -> Callable[[list[int]], list[Any]] | None:
    """How ``dataset`` gives a collated batch at once; None where it does not.

    A subclass that says itself what a sample is, is asked sample by sample.
    """
    kind = type(dataset)
    if isinstance(dataset, TensorDataset):
        untouched = kind.__getitem__ is TensorDataset.__getitem__
        return dataset.gather if untouched and not hasattr(kind, "__getitems__") else None
    if (
        isinstance(dataset, Subset)
        and kind.__getitem__ is Subset.__getitem__
        and kind.__getitems__ is Subset.__getitems__
    ):
        gather, chosen = gather_of(dataset.dataset), dataset.indices
        if gather is not None:
            return lambda indices: gather([chosen[index] for index in indices])
    return None
