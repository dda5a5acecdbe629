"""Functions of single elements that keep zero: they act on the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flambeau_core as fb
from flambeau_core.sparse.coalescing import coalesce
from flambeau_core.sparse.dispatch import implements

__all__: list[str] = []

# Of linear ones equal coordinates may stay apart.
LINEAR = ("neg", "negative", "positive", "deg2rad", "rad2deg", "conj_physical")
OTHERS = (
    *("abs", "absolute", "sgn", "sign", "ceil", "floor", "round", "trunc", "fix", "frac"),
    *("sqrt", "square", "expm1", "log1p", "erf", "erfinv", "relu", "nan_to_num"),
    *("sin", "sinh", "asin", "arcsin", "asinh", "arcsinh"),
    *("tan", "tanh", "atan", "arctan", "atanh", "arctanh"),
    *("isnan", "isinf", "isposinf", "isneginf", "signbit"),
)


def _on_values(name: str, linear: bool) -> Callable[..., Any]:
    def function(self: Any, *args: Any, **kwargs: Any) -> Any:
        own = self if linear else coalesce(self)
        return own._like(getattr(fb, name)(own._stored_values, *args, **kwargs))

    function.__name__ = function.__qualname__ = name
    return function


for _name in (*LINEAR, *OTHERS):
    implements(_name)(_on_values(_name, _name in LINEAR))
