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
    "geqrf": ("a", "tau"),
    "linalg_cholesky_ex": ("L", "info"),
    **dict.fromkeys(("linalg_eig", "linalg_eigh"), ("eigenvalues", "eigenvectors")),
    "linalg_inv_ex": ("inverse", "info"),
    "linalg_ldl_factor": ("LD", "pivots"),
    "linalg_ldl_factor_ex": ("LD", "pivots", "info"),
    "linalg_lstsq": ("solution", "residuals", "rank", "singular_values"),
    "linalg_lu_factor": ("LU", "pivots"),
    **dict.fromkeys(("_lu_with_info", "linalg_lu_factor_ex"), ("LU", "pivots", "info")),
    **dict.fromkeys(("linalg_lu", "lu_unpack"), ("P", "L", "U")),
    **dict.fromkeys(("linalg_qr", "qr"), ("Q", "R")),
    **dict.fromkeys(("linalg_slogdet", "slogdet"), ("sign", "logabsdet")),
    "linalg_solve_ex": ("result", "info"),
    "linalg_svd": ("U", "S", "Vh"),
    "svd": ("U", "S", "V"),
    "triangular_solve": ("solution", "cloned_coefficient"),
    "frexp": ("mantissa", "exponent"),
    **dict.fromkeys(("histogram", "histogramdd"), ("hist", "bin_edges")),
}
