"""The named tuples that ops with several results return."""

from __future__ import annotations

from typing import Any

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    fields = _FIELDS.get(name)
    if fields is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from collections import namedtuple

    made = namedtuple(name, fields)  # type: ignore[misc]
    made.__module__ = "flambeau.return_types"
    made.__repr__ = _repr  # type: ignore[method-assign,assignment]
    globals()[name] = made
    return made


def _repr(self: Any) -> str:
    body = ",\n".join(f"{f}={getattr(self, f)!r}" for f in self._fields)
    return f"flambeau.return_types.{type(self).__name__}(\n{body})"


_VALUES = ("values", "indices")
_FIELDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("cummax", "cummin", "kthvalue", "max", "median", "min", "mode"), _VALUES),
    **dict.fromkeys(("nanmedian", "sort", "topk"), _VALUES),
    "aminmax": ("min", "max"),
    "frexp": ("mantissa", "exponent"),
    **dict.fromkeys(("histogram", "histogramdd"), ("hist", "bin_edges")),
}
