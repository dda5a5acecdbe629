"""The phases of complex singular vectors and eigenvectors, which are arbitrary."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core.transforms.levels import levels

__all__ = ["require_gauge_invariance"]

Tensor = fb.Tensor
# PyTorch's; products of ill-conditioned vectors are no better.
TOLERANCE = 1e-2


def _check_phases(products: Tensor, name: str, vectors: str) -> None:
    imaginary = products.diagonal(0, -2, -1).imag.abs()
    if imaginary.numel() == 0:
        return
    size = products.abs().amax([-2, -1], True).squeeze(-1)
    if bool((imaginary > TOLERANCE * (1 + size)).any()):
        raise RuntimeError(
            f"{name}: The {vectors} in the complex case are specified up to multiplication by "
            "e^{i phi}. The specified loss function depends on this quantity, so it is ill-defined."
        )


def require_gauge_invariance(name: str, vectors: str, products: Tensor) -> None:
    """Refuses gradients of what depends on the phases.

    ``products`` are those of the vectors with their gradients: the one of a vector with its own is
    real unless something is asked of its phase. Higher derivatives and transforms ask for parts of
    a sum in turn, of which only the whole need be real: they are not looked at.
    """
    if not (fb.is_grad_enabled() or levels()):
        _check_phases(products, name, vectors)
