"""What the functions of this package ask of the matrices that they are given."""

from __future__ import annotations

import flambeau_core as fb

Tensor = fb.Tensor


def require_matrix(name: str, x: Tensor, argument: str = "A") -> None:
    if x.dim() < 2:
        raise RuntimeError(
            f"{name}: The input tensor {argument} must have at least 2 dimensions, "
            f"got shape {tuple(x.shape)}"
        )


def require_square(name: str, x: Tensor, argument: str = "A") -> None:
    require_matrix(name, x, argument)
    m, n = x.shape[-2:]
    if m != n:
        raise RuntimeError(
            f"{name}: {argument} must be batches of square matrices, "
            f"but they are {m} by {n} matrices (shape {tuple(x.shape)})"
        )


Refusals = tuple[type[Exception], type[Exception]]
# What PyTorch raises for whole numbers and for low precision: some functions refuse both
# themselves, others leave one or both to a kernel that does not exist.
BY_FUNCTION: Refusals = (RuntimeError, RuntimeError)
LOW_BY_KERNEL: Refusals = (RuntimeError, NotImplementedError)
BY_KERNEL: Refusals = (NotImplementedError, NotImplementedError)


def require_number_type(name: str, x: Tensor, refusals: Refusals = BY_FUNCTION) -> None:
    """Factorisations exist in single and double precision, real and complex."""
    if not (x.is_floating_point() or x.is_complex()):
        raise refusals[0](
            f"{name}: Expected a floating point or complex tensor as input. Got {x.dtype}"
        )
    if x.dtype in (fb.float16, fb.bfloat16):
        raise refusals[1](f"{name}: Low precision dtypes not supported. Got {x.dtype}")


def require_square_numbers(
    name: str, x: Tensor, argument: str = "A", refusals: Refusals = BY_FUNCTION
) -> None:
    require_square(name, x, argument)
    require_number_type(name, x, refusals)


def require_same_dtype(name: str, a: Tensor, b: Tensor, names: str = "A and B") -> None:
    if a.dtype != b.dtype:
        first, second = names.split(" and ")
        raise RuntimeError(
            f"{name}: Expected {names} to have the same dtype, but found {first} of type "
            f"{a.dtype} and {second} of type {b.dtype} instead"
        )


def broadcast_batches(name: str, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Both with the same dimensions in front of the last two."""
    if a.shape[:-2] == b.shape[:-2]:
        return a, b
    try:
        batch = list(fb.broadcast_shapes(a.shape[:-2], b.shape[:-2]))
    except RuntimeError:
        raise RuntimeError(
            f"{name}: the batch dimensions of the matrices must be broadcastable, "
            f"got shapes {tuple(a.shape)} and {tuple(b.shape)}"
        ) from None
    return a.expand([*batch, *a.shape[-2:]]), b.expand([*batch, *b.shape[-2:]])


def real_dtype(x: Tensor) -> fb.dtype:
    return x.dtype.to_real()


def identity_like(x: Tensor, n: int) -> Tensor:
    """An identity matrix for each matrix of ``x``."""
    return fb.eye(n, dtype=x.dtype, device=x.device).expand([*x.shape[:-2], n, n])
