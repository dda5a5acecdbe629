"""A few extreme eigenpairs of large Hermitian matrices, from products with them alone.

Knyazev, Toward the optimal preconditioned eigensolver: locally optimal block preconditioned
conjugate gradient method, SIAM Journal on Scientific Computing 23 (2001), with the basis made
orthonormal in each step as by Hetmaniuk and Lehoucq, Basis selection in LOBPCG, Journal of
Computational Physics 218 (2006).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import flambeau_core as fb
from flambeau_core.declare import primitive
from flambeau_core.linalg.arguments import real_dtype, require_number_type, require_square
from flambeau_core.linalg.eigen import hermitian
from flambeau_core.linalg.inverse import solved

__all__ = ["LOBPCG", "lobpcg"]

Tensor = fb.Tensor


@dataclass(frozen=True)
class Options:
    """How to iterate: counts, the tolerance of residuals, which end of the spectrum."""

    k: int
    niter: int
    tol: float
    largest: bool
    tracker: Callable[[Any], None] | None


class LOBPCG:
    """The state of one matrix's iteration, which a tracker is shown after each step.

    Attributes:
        A, B, iK: the matrices; B and iK may be None.
        E, X, S, R: eigenvalues ``(n,)``, eigenvectors ``(m, n)``, the basis, the residuals.
        iparams, fparams, bparams: the settings by name.
        ivars, fvars, bvars, tvars: what changes: ``istep``, ``converged_count``,
            ``iterations_left``; ``rerr``; ``force_stop``, which a tracker may set.
    """

    def __init__(
        self, A: Tensor, B: Tensor | None, X: Tensor, iK: Tensor | None, options: Options
    ) -> None:
        self.A, self.B, self.iK = A, B, iK
        self.tracker = options.tracker
        m, n = X.shape
        self.iparams = {"m": m, "n": n, "k": options.k, "niter": options.niter}
        self.fparams = {"tol": options.tol}
        self.bparams = {"largest": options.largest}
        self.ivars = {"istep": 0, "converged_count": 0, "iterations_left": options.niter}
        self.fvars: dict[str, float] = {}
        self.bvars = {"force_stop": False}
        self.tvars: dict[str, Tensor] = {}
        # what random vectors grow by, in the mean
        self.norm_A = _norm(A) / m**0.5
        self.norm_B = 1.0 if B is None else _norm(B) / m**0.5
        self.P: Tensor | None = None
        self.S = X
        self.ritz(X)

    def by_B(self, x: Tensor) -> Tensor:
        return x if self.B is None else self.B @ x

    def run(self) -> None:
        """Iterates until the first k pairs have converged or the steps are used up."""
        while not self.stopped():
            W = self.R if self.iK is None else self.iK @ self.R
            parts = [self.X, W] if self.P is None else [self.X, W, self.P]
            before = self.X
            self.ritz(fb.cat(parts, -1))
            self.P = self.X - before @ (before.mH @ self.by_B(self.X))
            self.ivars["istep"] += 1
            self.ivars["iterations_left"] -= 1

    def ritz(self, vectors: Tensor) -> None:
        """The best approximations within the span of some vectors, and their residuals."""
        self.S = self.orthonormal(vectors)
        w, Z = hermitian(self.S.mH @ (self.A @ self.S), False, "lobpcg")
        if self.bparams["largest"]:
            w, Z = w.flip(-1), Z.flip(-1)
        n = self.iparams["n"]
        self.E, self.X = w[:n], self.S @ Z[:, :n]
        product = self.by_B(self.X)
        self.R = self.A @ self.X - product * self.E
        size = fb.linalg.vector_norm(self.X, dim=0) * (self.norm_A + self.E.abs() * self.norm_B)
        self.tvars["rerr"] = fb.linalg.vector_norm(self.R, dim=0) / size

    def orthonormal(self, vectors: Tensor) -> Tensor:
        """A basis of their span that is orthonormal with respect to B; nearly dependent ones go.

        Twice, since once leaves as much as the condition number of the vectors allows.
        """
        for _ in range(2):
            vectors = vectors / fb.linalg.vector_norm(vectors, dim=0).clamp(min=1e-300)
            w, Z = hermitian(vectors.mH @ self.by_B(vectors), False, "lobpcg")
            eps = fb.finfo(real_dtype(vectors)).eps
            kept = int((w > 100 * eps * w[-1]).sum())
            vectors = vectors @ (Z[:, -kept:] / w[-kept:].sqrt())
        return vectors

    def stopped(self) -> bool:
        errors = self.tvars["rerr"][: self.iparams["k"]].tolist()
        count = next((i for i, e in enumerate(errors) if not e < self.fparams["tol"]), len(errors))
        self.ivars["converged_count"] = count
        if self.tracker is not None:
            self.tracker(self)
        done = count == len(errors) or self.ivars["iterations_left"] == 0
        return done or self.bvars["force_stop"]


def _norm(x: Tensor) -> float:
    return float(fb.linalg.vector_norm(x))


@primitive("_lobpcg(Tensor A, Tensor? B, Tensor X, Tensor? iK, any options) -> (Tensor, Tensor)")
def iterated(
    A: Tensor, B: Tensor | None, X: Tensor, iK: Tensor | None, options: Options
) -> tuple[Tensor, Tensor]:
    if A.dim() == 2:
        state = LOBPCG(A, B, X, iK, options)
        state.run()
        return state.E[: options.k], state.X[:, : options.k]
    pairs = [
        iterated(a, None if B is None else B[i], X[i], None if iK is None else iK[i], options)
        for i, a in enumerate(A)
    ]
    if not pairs:
        batch = list(A.shape[:-2])
        values = A.new_empty([*batch, options.k], dtype=real_dtype(A))
        return values, A.new_empty([*batch, A.shape[-1], options.k])
    return fb.stack([E for E, _ in pairs]), fb.stack([V for _, V in pairs])


@iterated.gradient
def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    """As of ``eigh``; for the pairs that were not computed a system of equations stands in."""
    A, B = inputs[0], inputs[1]
    if B is not None or A.is_complex():
        raise ValueError(
            "lobpcg.backward does not support complex matrices, nor B: its gradient is known for "
            "the real problem A x = e x alone"
        )
    grad_E, grad_X = grads
    E, V = outputs
    total = None if grad_E is None else (V * grad_E.unsqueeze(-2)) @ V.mH
    if grad_X is not None:
        through = _vectors_gradient(A, E, V, grad_X)
        total = through if total is None else total + through
    return total, None, None, None


def _vectors_gradient(A: Tensor, E: Tensor, V: Tensor, grad: Tensor) -> Tensor:
    """Within the span of V by differences of eigenvalues, outside by ``(e - A)^-1``."""
    k = E.shape[-1]
    inner = V.mH @ grad
    difference = E.unsqueeze(-2) - E.unsqueeze(-1) + fb.eye(k, dtype=E.dtype, device=E.device)
    within = inner / difference
    within = within - fb.diag_embed(within.diagonal(0, -2, -1))
    outside = (grad - V @ inner).mT.unsqueeze(-1)
    identity = fb.eye(A.shape[-1], dtype=A.dtype, device=A.device)
    # Regular on the span of V too, where nothing is asked of it.
    shift = (1 + 2 * E.abs().amax(-1))[..., None, None]
    systems = E[..., None, None] * identity - (A + shift * (V @ V.mH)).unsqueeze(-3)
    rest = solved(systems, outside, None)[0].squeeze(-1).mT
    rest = rest - V @ (V.mH @ rest)
    return (V @ within + rest) @ V.mH


def lobpcg(
    A: Tensor,
    k: int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: int | None = None,
    iK: Tensor | None = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: Callable[[Any], None] | None = None,
    ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None,
    ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Tensor, Tensor]:
    """The ``k`` largest (or smallest) ``e`` and ``x`` of ``A x = e B x`` for Hermitian A.

    Args:
        A: ``(..., m, m)``; symmetrised if it requires a gradient.
        k: how many, by default the columns of ``X``, or 1.
        B: positive definite, by default the identity.
        X: where to start, ``(..., m, n)``; random if None.
        n: how many columns to iterate with if ``X`` is None, by default ``k``.
        iK: approximates the inverse of A.
        niter: the most steps, 1000 by default, -1 for no limit.
        tol: the relative residual to reach, by default the root of the dtype's epsilon.
        largest: which end of the spectrum; True by default.
        method: "basic" or "ortho"; both make the basis orthonormal.
        tracker: called with the LOBPCG before each step.
        ortho_iparams, ortho_fparams, ortho_bparams: accepted; the basis needs no tuning.

    Returns:
        Eigenvalues ``(..., k)`` and eigenvectors ``(..., m, k)``.

    Raises:
        ValueError: A has fewer than ``3 n`` rows, or ``method`` is unknown.

    Example:

        >>> import flambeau as torch
        >>> e, x = torch.lobpcg(torch.diag(torch.arange(1.0, 10.0)), k=1)
        >>> e.round()
        tensor([9.])
    """
    require_square("lobpcg", A)
    require_number_type("lobpcg", A)
    m = A.shape[-1]
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = (k if n is None else n) if X is None else X.shape[-1]
    if m < 3 * n:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than "
            f"3 x the number of requested eigenpairs (={n})"
        )
    if method not in (None, "basic", "ortho"):
        raise ValueError(f"lobpcg: method must be 'basic' or 'ortho', got {method!r}")
    if A.requires_grad:
        A = (A + A.mH) / 2
    if X is None:
        X = fb.randn([*A.shape[:-2], m, n], dtype=A.dtype, device=A.device)
    if tol is None:
        tol = fb.finfo(real_dtype(A)).eps ** 0.5
    options = Options(k, 1000 if niter is None else niter, tol, largest is not False, tracker)
    E, V = iterated(A, B, X, iK, options)
    return E, V
