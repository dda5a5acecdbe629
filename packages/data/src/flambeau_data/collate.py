"""Samples into batches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from copy import copy
from typing import Any

import flambeau_core as fb

CollateFn = Callable[..., Any]
CollateFnMap = dict[type | tuple[type, ...], CollateFn]


def default_collate(batch: Sequence[Any]) -> Any:
    """Join samples of one structure into a batch of that structure.

    Tensors and NumPy arrays are stacked, numbers become a tensor (floats a float64 one), strings
    and bytes stay a list; of tuples, lists, mappings and named tuples each position is joined.

    Raises:
        TypeError: a sample holds something else.
        RuntimeError: tensors of different shapes, or sequences of different lengths.
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)


def collate(batch: Sequence[Any], *, collate_fn_map: CollateFnMap | None = None) -> Any:
    """As :func:`default_collate`, with functions of one's own for some types.

    Each is called as ``fn(batch, collate_fn_map=...)``.
    """
    first = batch[0]
    kind = type(first)
    if collate_fn_map is not None:
        function = _function_for(kind, collate_fn_map)
        if function is not None:
            return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        return _collate_mapping(batch, collate_fn_map)
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return kind(*_collate_positions(batch, collate_fn_map))
    if isinstance(first, tuple):
        return _collate_positions(batch, collate_fn_map)
    if isinstance(first, Sequence):
        return _collate_sequence(batch, collate_fn_map)
    if _is_numpy_value(first):
        return _collate_numpy(batch)
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {kind}"
    )


def _function_for(kind: type, table: CollateFnMap) -> CollateFn | None:
    if kind in table:
        return table[kind]
    for types, function in table.items():
        if issubclass(kind, types):
            return function
    return None


def _collate_mapping(batch: Sequence[Any], table: CollateFnMap | None) -> Any:
    first = batch[0]
    joined = {key: collate([row[key] for row in batch], collate_fn_map=table) for key in first}
    if type(first) is dict:
        return joined
    return _rebuilt(first, joined)


def _collate_sequence(batch: Sequence[Any], table: CollateFnMap | None) -> Any:
    joined = _collate_positions(batch, table)
    if type(batch[0]) is list:
        return joined
    return _rebuilt(batch[0], joined)


def _collate_positions(batch: Sequence[Any], table: CollateFnMap | None) -> list[Any]:
    length = len(batch[0])
    for row in batch:
        if len(row) != length:
            raise RuntimeError(
                "each element in list of batch should be of equal size, "
                f"got sequences of {length} and {len(row)} elements"
            )
    return [collate(column, collate_fn_map=table) for column in zip(*batch, strict=True)]


def _rebuilt(original: Any, content: Any) -> Any:
    """``content`` in a container of the type of ``original``, or bare if that cannot be built."""
    try:
        if isinstance(original, MutableMapping):
            # A copy keeps what the class holds beside its items, a default_factory for instance.
            clone: Any = copy(original)
            clone.update(content)
            return clone
        if isinstance(original, MutableSequence):
            clone = copy(original)
            for index, value in enumerate(content):
                clone[index] = value
            return clone
        return type(original)(content)
    except TypeError:
        return content


def _collate_tensors(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    return fb.stack(list(batch), 0)


def _collate_floats(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    return fb.tensor(batch, dtype=fb.float64)


def _collate_ints(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    return fb.tensor(batch)


def _collate_text(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    return batch


# NumPy's types are not in this table: it may be loaded later, or never.
default_collate_fn_map: CollateFnMap = {
    fb.Tensor: _collate_tensors,
    float: _collate_floats,
    int: _collate_ints,
    str: _collate_text,
    bytes: _collate_text,
}


def _numpy() -> Any:
    """NumPy, if the program has loaded it: without it there are no arrays to collate."""
    return sys.modules.get("numpy")


def _is_numpy_value(value: Any) -> bool:
    numpy = _numpy()
    return numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic))


def _collate_numpy(batch: Sequence[Any]) -> Any:
    numpy = _numpy()
    if batch[0].dtype.kind not in "biufc":
        raise TypeError(
            "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
            f"found an array of dtype {batch[0].dtype}"
        )
    if isinstance(batch[0], numpy.generic):
        return fb.from_numpy(numpy.asarray(batch))
    return fb.stack([fb.as_tensor(array) for array in batch], 0)


def default_convert(data: Any) -> Any:
    """Turn the NumPy arrays within a sample into tensors; everything else stays as it is."""
    if isinstance(data, fb.Tensor):
        return data
    if _is_numpy_value(data):
        return fb.as_tensor(data) if data.dtype.kind in "biufc" else data
    if isinstance(data, Mapping):
        converted = {key: default_convert(value) for key, value in data.items()}
        return converted if type(data) is dict else _rebuilt(data, converted)
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*[default_convert(value) for value in data])
    if isinstance(data, tuple):
        return [default_convert(value) for value in data]
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        elements = [default_convert(value) for value in data]
        return elements if type(data) is list else _rebuilt(data, elements)
    return data
