"""Discrete Fourier transforms (Cooley & Tukey, 1965) and the frequencies that belong to them.

``norm`` says where the transform of n points is scaled: ``"backward"``, the default, divides the
inverse by n, ``"forward"`` the forward transform, ``"ortho"`` both by the square root of n. ``n``
and ``s`` are the lengths to which the transformed dimensions are cut or filled with zeros; -1 in
``s`` keeps a length. Whole numbers are taken in the default dtype.

All raise RuntimeError for a length below 1, an unknown ``norm``, float16 and bfloat16, a
dimension that comes twice, and ``s`` and ``dim`` of different lengths; IndexError for a dimension
that does not exist.
"""

from flambeau_core.fft.complex import fft, fft2, fftn, ifft, ifft2, ifftn
from flambeau_core.fft.frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from flambeau_core.fft.hermitian import hfft, hfft2, hfftn, ihfft, ihfft2, ihfftn
from flambeau_core.fft.real import irfft, irfft2, irfftn, rfft, rfft2, rfftn

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
