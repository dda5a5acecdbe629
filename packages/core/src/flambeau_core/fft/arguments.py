"""Reading the arguments that all transforms share."""

from __future__ import annotations

import math
from collections.abc import Sequence

import flambeau_core as fb

Sizes = Sequence[int] | None


def promoted(name: str, x: fb.Tensor, *, to_complex: bool) -> fb.Tensor:
    """The input in a dtype that can be transformed, complex if asked for."""
    if not (x.is_floating_point() or x.is_complex()):
        x = x.to(fb.get_default_dtype())
    if x.dtype in (fb.float16, fb.bfloat16):
        raise RuntimeError(f"{name}: unsupported dtype {x.dtype}")
    return x.to(x.dtype.to_complex()) if to_complex else x


def real_input(name: str, x: fb.Tensor) -> fb.Tensor:
    """The input of a transform that is defined for real numbers alone."""
    if x.is_complex():
        raise RuntimeError(f"{name}: expects a real input tensor, but got {x.dtype}")
    return promoted(name, x, to_complex=False)


def dimension(x: fb.Tensor, dim: int) -> int:
    """The dimension counted from the front; IndexError where there is none."""
    count = x.dim()
    if not count:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if not -count <= dim < count:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], "
            f"but got {dim})"
        )
    return dim % count


def dimensions(
    name: str, x: fb.Tensor, s: Sizes, dim: Sizes, *, halved: bool = False
) -> tuple[list[int], list[int]]:
    """The dimensions and, for each, the length of the signal.

    With ``halved`` the input is half a spectrum along the last dimension, whose signal has
    ``2 (m - 1)`` points where no length is given.
    """
    if dim is not None:
        dims = [dimension(x, d) for d in dim]
        if s is not None and len(s) != len(dims):
            raise RuntimeError(
                f"{name}: s and dim must have the same length, got s={tuple(s)}, dim={tuple(dim)}"
            )
    elif s is None:
        dims = list(range(x.dim()))
    elif len(s) > x.dim():
        raise RuntimeError(
            f"{name}: s={tuple(s)} has more lengths than input of shape {tuple(x.shape)} "
            "has dimensions"
        )
    else:
        dims = list(range(x.dim() - len(s), x.dim()))
    if len(set(dims)) != len(dims):
        raise RuntimeError(f"{name}: dimensions must be unique, got dim={tuple(dims)}")
    sizes = [x.shape[d] for d in dims]
    if halved and sizes:
        sizes[-1] = 2 * (sizes[-1] - 1)
    if s is not None:
        sizes = [size if wanted == -1 else wanted for size, wanted in zip(sizes, s)]
    for size in sizes:
        _check_length(name, x, size)
    return dims, sizes


def length(name: str, x: fb.Tensor, n: int | None) -> Sizes:
    """The lengths along one dimension; -1 is not read as it is in ``s``."""
    if n is None:
        return None
    _check_length(name, x, n)
    return [n]


def _check_length(name: str, x: fb.Tensor, n: int) -> None:
    if n < 1:
        raise RuntimeError(
            f"{name}: invalid number of data points ({n}) for input of shape {tuple(x.shape)}"
        )


def resized(x: fb.Tensor, dims: Sequence[int], sizes: Sequence[int]) -> fb.Tensor:
    """The input with every dimension cut, or filled up with zeros, to its length."""
    borders = [0] * (2 * x.dim())
    for dim, size in zip(dims, sizes):
        borders[2 * (x.dim() - 1 - dim) + 1] = size - x.shape[dim]
    return fb.constant_pad_nd(x, borders) if any(borders) else x


def scale(name: str, norm: str | None, sizes: Sequence[int], *, forward: bool) -> float:
    """The factor of a transform of so many points."""
    if norm not in (None, "backward", "ortho", "forward"):
        raise RuntimeError(
            f"{name}: invalid normalization mode {norm!r}, "
            "expected 'backward', 'ortho' or 'forward'"
        )
    if norm == "ortho":
        return 1 / math.sqrt(math.prod(sizes))
    return 1 / math.prod(sizes) if (norm == "forward") == forward else 1.0
