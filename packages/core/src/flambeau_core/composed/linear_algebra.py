"""The ops of ``linalg`` that are functions of the main namespace and methods as well.

Their module is imported when one of them is first called.
"""

from __future__ import annotations

from flambeau_core.declare import lazily

lazily(
    "flambeau_core.linalg.cholesky",
    "cholesky_of: cholesky(Tensor self, bool upper=False) -> Tensor",
    "cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor",
    "cholesky_inverse(Tensor self, bool upper=False) -> Tensor",
    full_precision=True,
)
lazily(
    "flambeau_core.linalg.determinant",
    "det(Tensor self) -> Tensor",
    "logdet(Tensor self) -> Tensor",
    "slogdet_of: slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)",
    full_precision=True,
)
lazily("flambeau_core.linalg.inverse", "inv: inverse(Tensor self) -> Tensor", full_precision=True)
lazily(
    "flambeau_core.linalg.pseudoinverse",
    "pinverse(Tensor self, float rcond=1e-15) -> Tensor",
    full_precision=True,
)
lazily(
    "flambeau_core.linalg.qr",
    "qr_of: qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R)",
    "geqrf(Tensor self) -> (Tensor a, Tensor tau)",
    "orgqr(Tensor self, Tensor input2) -> Tensor",
    "ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False)"
    " -> Tensor",
    full_precision=True,
)
lazily(
    "flambeau_core.linalg.svd",
    "svd_of: svd(Tensor self, bool some=True, bool compute_uv=True)"
    " -> (Tensor U, Tensor S, Tensor V)",
    full_precision=True,
)
lazily(
    "flambeau_core.linalg.lu",
    "lu_of: lu(Tensor self, bool pivot=True, bool get_infos=False)",
    "lu_solve_of: lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor",
    "lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True)"
    " -> (Tensor P, Tensor L, Tensor U)",
    full_precision=True,
)
lazily(
    "flambeau_core.linalg.triangular",
    "triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False,"
    " bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)",
    full_precision=True,
)
lazily(
    "flambeau_core.linalg.matrix_functions",
    "matrix_exp(Tensor self) -> Tensor",
    "matrix_power(Tensor self, int n) -> Tensor",
)
