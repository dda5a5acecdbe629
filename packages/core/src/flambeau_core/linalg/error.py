"""What is raised where the numbers in a matrix, not its shape, stand in the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["LinAlgError"]


class LinAlgError(RuntimeError):
    """A matrix is singular, not positive definite, or an iteration over it did not converge."""


def check_info(
    name: str,
    info: Any,
    reason: Callable[[int], str],
    error: type[RuntimeError] = LinAlgError,
) -> None:
    """Raises ``error`` for the first matrix of a batch whose ``info`` is not 0."""
    if not bool(info.any()):
        return
    for index, code in enumerate(info.reshape(-1).tolist()):
        if code != 0:
            where = f"(Batch element {index}): " if info.dim() else ""
            raise error(f"{name}: {where}{reason(code)}")


def not_converged(what: str) -> Callable[[int], str]:
    return lambda code: (
        "The algorithm failed to converge because the input matrix is ill-conditioned or has too "
        f"many repeated {what} (error code: {code})."
    )
