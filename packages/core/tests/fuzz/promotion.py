"""The published rules of which dtype an op's result has, written down a second time.

Tensors with dimensions decide; a 0-dim tensor counts only when its category (bool, integer,
float, complex) is above theirs, and a number only when its category is above every tensor's.
https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
"""

from __future__ import annotations

from typing import Any

import numpy as np

CATEGORIES = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
# What a number of a category becomes where no tensor has that category.
DEFAULTS = {0: np.bool_, 1: np.int64, 2: np.float32, 3: np.complex64}


def category(x: Any) -> int:
    return CATEGORIES[np.asarray(x).dtype.kind]


def joined(dtypes: list[Any]) -> Any:
    """NumPy's lattice, save that an integer beside a float says nothing of the float's width."""
    highest = max(CATEGORIES[np.dtype(d).kind] for d in dtypes)
    least = 2 if highest == 3 else highest
    weighty = [d for d in dtypes if CATEGORIES[np.dtype(d).kind] >= least]
    return np.dtype(np.result_type(*weighty))


def result_type(*operands: Any) -> np.dtype[Any]:
    """Of arrays and Python numbers."""
    arrays = [x for x in operands if isinstance(x, np.ndarray)]
    levels = [
        [x.dtype for x in arrays if x.ndim],
        [x.dtype for x in arrays if not x.ndim],
        [np.dtype(DEFAULTS[category(x)]) for x in operands if not isinstance(x, np.ndarray)],
    ]
    result = None
    for dtypes in levels:
        if not dtypes:
            continue
        own = joined(dtypes)
        if result is None:
            result = own
        elif CATEGORIES[own.kind] > CATEGORIES[result.kind]:
            # A complex one takes the width of the floats that it meets.
            result = np.result_type(result, np.complex64) if own.kind + result.kind == "cf" else own
    assert result is not None
    return result


def floating(dtype: Any) -> np.dtype[Any]:
    """The dtype in which a function of real analysis answers: float32 for what counts."""
    dtype = np.dtype(dtype)
    return dtype if dtype.kind in "fc" else np.dtype(np.float32)


def summed(dtype: Any) -> np.dtype[Any]:
    dtype = np.dtype(dtype)
    return dtype if dtype.kind in "fc" else np.dtype(np.int64)


def can_hold(into: Any, result: Any) -> bool:
    """Whether an in-place op may write this dtype there: never into a lower category."""
    return CATEGORIES[np.dtype(result).kind] <= CATEGORIES[np.dtype(into).kind]
