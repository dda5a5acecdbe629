"""Window functions for the analysis of signals (Harris, 1978; Nuttall, 1981).

Every function takes the number of points ``M`` and returns a tensor of shape ``(M,)``.
A window with ``sym=True`` mirrors itself, for the design of filters; one with ``sym=False`` leaves
the last of ``M + 1`` points out, so that it can be continued periodically, for spectral analysis.
``dtype`` is float32 or float64, by default the default dtype. ValueError for a negative ``M``, for
another dtype and for parameters out of their range.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import flambeau_core as fb

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def _checked(name: str, M: int, dtype: fb.dtype | None, layout: fb.layout) -> fb.dtype:
    """The dtype of the result."""
    if not isinstance(M, int):
        raise TypeError(f"{name}: expected the window length M to be an int, got {M!r}")
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not fb.strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if dtype is None:
        dtype = fb.get_default_dtype()
    if dtype not in (fb.float32, fb.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    return dtype


def _steps(M: int, sym: bool) -> int:
    """Steps from the first point to the one that mirrors it; a single point mirrors itself."""
    return M - 1 if sym or M == 1 else M


def _from_centre(M: int, sym: bool, device: Any, centre: float | None = None) -> fb.Tensor:
    """Distances of the points from the centre of the window, in float64."""
    if centre is None:
        centre = _steps(M, sym) / 2
    return fb.arange(M, dtype=fb.float64, device=device) - centre


def _finished(window: fb.Tensor, dtype: fb.dtype, requires_grad: bool) -> fb.Tensor:
    """The window as a leaf of the dtype asked for."""
    return window.to(dtype).requires_grad_(requires_grad)


def general_cosine(
    M: int,
    *,
    a: Iterable[float],
    sym: bool = True,
    dtype: fb.dtype | None = None,
    layout: fb.layout = fb.strided,
    device: Any = None,
    requires_grad: bool = False,
) -> fb.Tensor:
    """``sum_k (-1)^k a_k cos(2 pi k n / N)``, with as many cosines as ``a`` has coefficients.

    TypeError when ``a`` is not iterable, ValueError when it is empty.

    Example:

        >>> import flambeau as torch
        >>> torch.signal.windows.general_cosine(4, a=[0.5, 0.5])
        tensor([0.0000, 0.7500, 0.7500, 0.0000])
    """
    dtype = _checked("general_cosine", M, dtype, layout)
    if M < 2:  # whatever the coefficients
        return _finished(fb.ones(M, dtype=fb.float64, device=device), dtype, requires_grad)
    if not isinstance(a, Iterable):
        raise TypeError(f"general_cosine: expected a list of coefficients a, got {a!r}")
    coefficients = list(a)
    if not coefficients:
        raise ValueError("general_cosine: the coefficients a cannot be empty")
    if not all(isinstance(c, (int, float)) for c in coefficients):
        raise ValueError(f"general_cosine: the coefficients a must be numbers, got {a!r}")
    angle = fb.arange(M, dtype=fb.float64, device=device) * (2 * math.pi / _steps(M, sym))
    window = fb.zeros_like(angle)
    for order, coefficient in enumerate(coefficients):
        window = window + (-1) ** order * coefficient * (angle * order).cos()
    return _finished(window, dtype, requires_grad)


def general_hamming(
    M: int,
    *,
    alpha: float = 0.54,
    sym: bool = True,
    dtype: fb.dtype | None = None,
    layout: fb.layout = fb.strided,
    device: Any = None,
    requires_grad: bool = False,
) -> fb.Tensor:
    """``alpha - (1 - alpha) cos(2 pi n / N)``.

    Example:

        >>> import flambeau as torch
        >>> torch.signal.windows.general_hamming(5, alpha=0.6)
        tensor([0.2000, 0.6000, 1.0000, 0.6000, 0.2000])
    """
    return general_cosine(
        M,
        a=[alpha, 1 - alpha],
        sym=sym,
        dtype=dtype,
        layout=layout,
        device=device,
        requires_grad=requires_grad,
    )


def hamming(
    M: int,
    *,
    sym: bool = True,
    dtype: fb.dtype | None = None,
    layout: fb.layout = fb.strided,
    device: Any = None,
    requires_grad: bool = False,
) -> fb.Tensor:
    """The general Hamming window with ``alpha = 0.54``.

    Example:

        >>> import flambeau as torch
        >>> torch.signal.windows.hamming(5)
        tensor([0.0800, 0.5400, 1.0000, 0.5400, 0.0800])
    """
    return general_hamming(
        M,
        sym=sym,
        dtype=dtype,
        layout=layout,
        device=device,
        requires_grad=requires_grad,
    )


def hann(
    M: int,
    *,
    sym: bool = True,
    dtype: fb.dtype | None = None,
    layout: fb.layout = fb.strided,
    device: Any = None,
    requires_grad: bool = False,
) -> fb.Tensor:
    """The general Hamming window with ``alpha = 0.5``: a raised cosine, zero at the ends.

    Example:

        >>> import flambeau as torch
        >>> torch.signal.windows.hann(5)
        tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return general_hamming(
        M,
        alpha=0.5,
        sym=sym,
        dtype=dtype,
        layout=layout,
        device=device,
        requires_grad=requires_grad,
    )


def blackman(
    M: int,
    *,
    sym: bool = True,
    dtype: fb.dtype | None = None,
    layout: fb.layout = fb.strided,
    device: Any = None,
    requires_grad: bool = False,
) -> fb.Tensor:
    """The general cosine window with Blackman's rounded coefficients 0.42, 0.5, 0.08.

    Example:

        >>> import flambeau as torch
        >>> torch.signal.windows.blackman(5, sym=False)[1:]
        tensor([0.2008, 0.8492, 0.8492, 0.2008])
    """
    return general_cosine(
        M,
        a=[0.42, 0.5, 0.08],
        sym=sym,
        dtype=dtype,
        layout=layout,
        device=device,
        requires_grad=requires_grad,
    )


def nuttall(
    M: int,
    *,
    sym: bool = True,
    dtype: fb.dtype | None = None,
    layout: fb.layout = fb.strided,
    device: Any = None,
    requires_grad: bool = False,
) -> fb.Tensor:
    """Nuttall's four-term window with side lobes below -98 dB.

    Example:

        >>> import flambeau as torch
        >>> torch.signal.windows.nuttall(5)
        tensor([3.6280e-04, 2.2698e-01, 1.0000e+00, 2.2698e-01, 3.6280e-04])
    """
    return general_cosine(
        M,
        a=[0.3635819, 0.4891775, 0.1365995, 0.0106411],
        sym=sym,
        dtype=dtype,
        layout=layout,
        device=device,
        requires_grad=requires_grad,
    )


def bartlett(
    M: int,
    *,
    sym: bool = True,
    dtype: fb.dtype | None = None,
    layout: fb.layout = fb.strided,
    device: Any = None,
    requires_grad: bool = False,
) -> fb.Tensor:
    """Triangle that is zero at the ends.

    Example:

        >>> import flambeau as torch
        >>> torch.signal.windows.bartlett(5)
        tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    dtype = _checked("bartlett", M, dtype, layout)
    half = max(_steps(M, sym), 1) / 2
    window = 1 - (_from_centre(M, sym, device) / half).abs()
    return _finished(window, dtype, requires_grad)


def cosine(
    M: int,
    *,
    sym: bool = True,
    dtype: fb.dtype | None = None,
    layout: fb.layout = fb.strided,
    device: Any = None,
    requires_grad: bool = False,
) -> fb.Tensor:
    """Half a period of the sine, sampled in the middle of ``M`` equal steps.

    Example:

        >>> import flambeau as torch
        >>> torch.signal.windows.cosine(4)
        tensor([0.3827, 0.9239, 0.9239, 0.3827])
    """
    dtype = _checked("cosine", M, dtype, layout)
    middles = fb.arange(M, dtype=fb.float64, device=device) + 0.5
    window = (middles * (math.pi / max(_steps(M, sym) + 1, 1))).sin()
    return _finished(window, dtype, requires_grad)


def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    dtype: fb.dtype | None = None,
    layout: fb.layout = fb.strided,
    device: Any = None,
    requires_grad: bool = False,
) -> fb.Tensor:
    """``exp(-|n - center| / tau)``; ``center`` is the middle, and must be None with ``sym``.

    ``tau`` is the decay in points.

    Example:

        >>> import flambeau as torch
        >>> torch.signal.windows.exponential(4, center=0, sym=False, tau=2.0)
        tensor([1.0000, 0.6065, 0.3679, 0.2231])
    """
    dtype = _checked("exponential", M, dtype, layout)
    if tau <= 0:
        raise ValueError(f"exponential: tau must be positive, got {tau}")
    if sym and center is not None:
        raise ValueError(f"exponential: center must be None for symmetric windows, got {center}")
    window = (_from_centre(M, sym, device, center).abs() / -tau).exp()
    return _finished(window, dtype, requires_grad)


def gaussian(
    M: int,
    *,
    std: float = 1.0,
    sym: bool = True,
    dtype: fb.dtype | None = None,
    layout: fb.layout = fb.strided,
    device: Any = None,
    requires_grad: bool = False,
) -> fb.Tensor:
    """``exp(-(n / std)^2 / 2)`` about the middle, ``std`` in points.

    Example:

        >>> import flambeau as torch
        >>> torch.signal.windows.gaussian(5, std=1.0)
        tensor([0.1353, 0.6065, 1.0000, 0.6065, 0.1353])
    """
    dtype = _checked("gaussian", M, dtype, layout)
    if std <= 0:
        raise ValueError(f"gaussian: std must be positive, got {std}")
    window = ((_from_centre(M, sym, device) / std).square() / -2).exp()
    return _finished(window, dtype, requires_grad)


def kaiser(
    M: int,
    *,
    beta: float = 12.0,
    sym: bool = True,
    dtype: fb.dtype | None = None,
    layout: fb.layout = fb.strided,
    device: Any = None,
    requires_grad: bool = False,
) -> fb.Tensor:
    """``I0(beta sqrt(1 - x^2)) / I0(beta)`` for x from -1 to 1 (Kaiser, 1974).

    A larger ``beta`` has lower side lobes and a wider main lobe.

    Example:

        >>> import flambeau as torch
        >>> torch.signal.windows.kaiser(5)
        tensor([5.2773e-05, 2.1567e-01, 1.0000e+00, 2.1567e-01, 5.2773e-05])
    """
    dtype = _checked("kaiser", M, dtype, layout)
    if beta < 0:
        raise ValueError(f"kaiser: beta must be non-negative, got {beta}")
    half = max(_steps(M, sym), 1) / 2
    x = _from_centre(M, sym, device) / half
    peak = fb.full((1,), beta, dtype=fb.float64, device=device)
    # Both are scaled by exp(-argument), lest they overflow.
    argument = peak * (1 - x.square()).clamp(min=0).sqrt()
    window = fb.special.i0e(argument) / fb.special.i0e(peak) * (argument - peak).exp()
    return _finished(window, dtype, requires_grad)
