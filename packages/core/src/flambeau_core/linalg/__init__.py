"""Linear algebra: factorisations, solving, eigenvalues, norms.

All functions take batches of matrices in the last two dimensions. They work in single and double
precision, real and complex, and are differentiable.
"""

from flambeau_core.linalg.cholesky import cholesky, cholesky_ex
from flambeau_core.linalg.determinant import det, slogdet
from flambeau_core.linalg.eigen import eig, eigh, eigvals, eigvalsh
from flambeau_core.linalg.error import LinAlgError
from flambeau_core.linalg.inverse import inv, inv_ex, solve, solve_ex
from flambeau_core.linalg.ldl import ldl_factor, ldl_factor_ex, ldl_solve
from flambeau_core.linalg.lu import lu, lu_factor, lu_factor_ex, lu_solve
from flambeau_core.linalg.matrix_functions import matrix_exp, matrix_power
from flambeau_core.linalg.norms import cond, matrix_norm, norm, vector_norm
from flambeau_core.linalg.products import (
    cross,
    diagonal,
    matmul,
    multi_dot,
    tensorinv,
    tensorsolve,
    vander,
    vecdot,
)
from flambeau_core.linalg.pseudoinverse import lstsq, matrix_rank, pinv
from flambeau_core.linalg.qr import householder_product, qr
from flambeau_core.linalg.svd import svd, svdvals
from flambeau_core.linalg.triangular import solve_triangular

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]
