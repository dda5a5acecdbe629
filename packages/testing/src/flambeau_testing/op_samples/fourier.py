"""Fourier transforms, against the sums that define them.

Complex numbers come and go as an extra last dimension of two parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import flambeau_core as fb
from flambeau_testing.op_samples.declaration import Array, Declaration, Sample

WIDTHS = ("float64", "float32")
SCALES: dict[str | None, Callable[[int, bool], float]] = {
    None: lambda n, forward: 1.0 if forward else 1 / n,
    "backward": lambda n, forward: 1.0 if forward else 1 / n,
    "ortho": lambda n, forward: 1 / math.sqrt(n),
    "forward": lambda n, forward: 1 / n if forward else 1.0,
}


def joined(x: Array) -> Array:
    return x[..., 0] + 1j * x[..., 1]


def parted(x: Array) -> Array:
    return np.stack([x.real, x.imag], -1)


def resized(x: Array, n: int, dim: int) -> Array:
    """Cut, or filled up with zeros, to n points."""
    short = np.moveaxis(x, dim, 0)[:n]
    filled = np.zeros((n, *short.shape[1:]), x.dtype)
    filled[: len(short)] = short
    return np.moveaxis(filled, 0, dim)


def sums(x: Array, dim: int, forward: bool) -> Array:
    """The sums over one dimension, by the matrix of the transform."""
    n = x.shape[dim]
    angles = 2j * np.pi * np.outer(np.arange(n), np.arange(n)) / n
    matrix = np.exp(-angles if forward else angles)
    return np.moveaxis(np.tensordot(matrix, np.moveaxis(x, dim, 0), 1), 0, dim)


def transform(
    x: Array, s: Sequence[int | None], dim: Sequence[int], norm: str | None, forward: bool
) -> Array:
    for n, d in zip(s, dim):
        x = resized(x, n or x.shape[d], d)
        x = sums(x, d, forward) * SCALES[norm](x.shape[d], forward)
    return x


def halved(x: Array, dim: int) -> Array:
    return np.moveaxis(np.moveaxis(x, dim, 0)[: x.shape[dim] // 2 + 1], 0, dim)


def mirrored(x: Array, n: int, dim: int) -> Array:
    """A whole spectrum of one half of it; what mirrors itself is real."""
    half = np.moveaxis(resized(x, n // 2 + 1, dim), dim, 0)
    whole = np.zeros((n, *half.shape[1:]), complex)
    whole[: len(half)] = half
    whole[0] = half[0].real
    if n % 2 == 0:
        whole[n // 2] = half[n // 2].real
    for k in range(1, (n + 1) // 2):
        whole[n - k] = half[k].conj()
    return np.moveaxis(whole, 0, dim)


def real_signal(
    x: Array, s: Sequence[int | None], dim: Sequence[int], norm: str | None, forward: bool
) -> Array:
    """The transform of half a spectrum, the other dimensions first."""
    x = transform(x, s[:-1], dim[:-1], norm, forward)
    n = s[-1] or 2 * (x.shape[dim[-1]] - 1)
    whole = mirrored(x, n, dim[-1])
    return (sums(whole, dim[-1], forward) * SCALES[norm](n, forward)).real


def along_one(reference: Callable[..., Array]) -> Callable[..., Array]:
    def of(x: Array, n: int | None = None, dim: int = -1, norm: str | None = None) -> Array:
        return reference(x, [n], [dim], norm)

    return of


def along_many(reference: Callable[..., Array], count: int) -> Callable[..., Array]:
    def of(x: Array, s: Any = None, dim: Any = None, norm: str | None = None) -> Array:
        dim = dim or range(-count, 0)
        return reference(x, s or [None] * len(dim), dim, norm)

    return of


def forms(of: Callable[..., Array], takes_parts: bool, gives_parts: bool) -> Callable[..., Array]:
    """A reference on complex arrays as one on parts."""

    def in_parts(x: Array, *args: Any, **kwargs: Any) -> Array:
        result = of(joined(x) if takes_parts else x, *args, **kwargs)
        return parted(result) if gives_parts else result

    return in_parts


def op_in_parts(name: str, takes_parts: bool, gives_parts: bool) -> Callable[..., Any]:
    def call(x: fb.Tensor, *args: Any, **kwargs: Any) -> fb.Tensor:
        given = fb.complex(x[..., 0], x[..., 1]) if takes_parts else x
        result: fb.Tensor = getattr(fb.fft, name)(given, *args, **kwargs)
        return fb.view_as_real(result) if gives_parts else result

    return call


def inputs(parts: bool, several: bool) -> Callable[[np.random.Generator], Iterator[Sample]]:
    extra = (2,) if parts else ()

    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        x = rng.uniform(-1, 1, (3, 4, *extra))
        yield Sample((x,))
        if several:
            yield Sample((x, (2, 5), (1, 0)), {"norm": "ortho"})
            yield Sample((x, (4, 3)), {"norm": "forward"})
        else:
            for n, dim, norm in ((5, 0, "ortho"), (3, 1, "forward"), (1, -1, "backward")):
                yield Sample((x, n, dim, norm))
            yield Sample((rng.uniform(-1, 1, (0, 4, *extra)),))

    return samples


def forward_half(x: Array, s: Any, dim: Any, norm: str | None) -> Array:
    s = [n or x.shape[d] for n, d in zip(s, dim)]
    return halved(transform(x, s, dim, norm, True), dim[-1])


def inverse_half(x: Array, s: Any, dim: Any, norm: str | None) -> Array:
    s = [n or x.shape[d] for n, d in zip(s, dim)]
    return halved(transform(x, s, dim, norm, False), dim[-1])


# The reference, whether the input comes and the result goes in parts.
FAMILIES: dict[str, tuple[Callable[..., Array], bool, bool]] = {
    "fft": (lambda x, s, dim, norm: transform(x, s, dim, norm, True), True, True),
    "ifft": (lambda x, s, dim, norm: transform(x, s, dim, norm, False), True, True),
    "rfft": (forward_half, False, True),
    "irfft": (lambda x, s, dim, norm: real_signal(x, s, dim, norm, False), True, False),
    "hfft": (lambda x, s, dim, norm: real_signal(x, s, dim, norm, True), True, False),
    "ihfft": (inverse_half, False, True),
}


def family(name: str) -> Iterator[Declaration]:
    reference, takes, gives = FAMILIES[name]
    for suffix in ("", "2", "n"):
        of = along_many(reference, 2) if suffix else along_one(reference)
        yield Declaration(
            name + suffix,
            forms(of, takes, gives),
            inputs(takes, bool(suffix)),
            WIDTHS,
            namespace="fft",
            widen=4,
            call=op_in_parts(name + suffix, takes, gives),
        )


def shift_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = rng.uniform(-1, 1, (3, 4))
    for args in ((), (0,), ((1, 0),)):
        yield Sample((x, *args))


def shifted(forward: bool) -> Callable[..., Array]:
    def shift(x: Array, dim: Any = None) -> Array:
        for d in range(x.ndim) if dim is None else np.atleast_1d(dim):
            places = np.arange(x.shape[d]) + (x.shape[d] + forward) // 2
            x = np.take(x, places % x.shape[d], d)
        return x

    return shift


# ---- frames -------------------------------------------------------------------------


def stft(x: Array, n_fft: int, hop_length: int, win_length: int, window: Array) -> Array:
    """Frame by frame, with reflected borders."""
    half, before = n_fft // 2, (n_fft - win_length) // 2
    x = np.concatenate([x[..., half:0:-1], x, x[..., -2 : -half - 2 : -1]], -1)
    whole = np.zeros(n_fft)
    whole[before : before + win_length] = window
    starts = range(0, x.shape[-1] - n_fft + 1, hop_length)
    frames = np.stack([x[..., start : start + n_fft] * whole for start in starts], -1)
    return parted(halved(sums(frames, -2, True), -2))


def istft(x: Array, n_fft: int, hop_length: int, win_length: int, window: Array) -> Array:
    """The frames added up, each times its window, over the squares of the windows."""
    half, before = n_fft // 2, (n_fft - win_length) // 2
    whole = np.zeros(n_fft)
    whole[before : before + win_length] = window
    frames = real_signal(joined(x), [n_fft], [-2], None, False)
    count = frames.shape[-1]
    total = np.zeros((*frames.shape[:-2], n_fft + hop_length * (count - 1)))
    squares = np.zeros(total.shape[-1])
    for frame in range(count):
        part = slice(frame * hop_length, frame * hop_length + n_fft)
        total[..., part] += frames[..., frame] * whole
        squares[part] += whole**2
    return (total / np.where(squares, squares, 1))[..., half:-half]


def stft_call(x: fb.Tensor, n_fft: int, hop: int, width: int, window: fb.Tensor) -> fb.Tensor:
    return fb.view_as_real(fb.stft(x, n_fft, hop, width, window, return_complex=True))


def istft_call(x: fb.Tensor, n_fft: int, hop: int, width: int, window: fb.Tensor) -> fb.Tensor:
    return fb.istft(fb.complex(x[..., 0], x[..., 1]), n_fft, hop, width, window)


def frame_samples(spectra: bool) -> Callable[[np.random.Generator], Iterator[Sample]]:
    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        for batch, n_fft, hop, width in (((2,), 6, 2, 6), ((), 8, 3, 5)):
            x = rng.uniform(-1, 1, (*batch, n_fft // 2 + 1, 4, 2) if spectra else (*batch, 12))
            yield Sample((x, n_fft, hop, width, rng.uniform(0.5, 1, width)))

    return samples


DECLARATIONS = (
    *(declaration for name in FAMILIES for declaration in family(name)),
    Declaration("fftshift", shifted(True), shift_samples, WIDTHS, namespace="fft"),
    Declaration("ifftshift", shifted(False), shift_samples, WIDTHS, namespace="fft"),
    Declaration("stft", stft, frame_samples(False), WIDTHS, widen=4, call=stft_call),
    Declaration("istft", istft, frame_samples(True), WIDTHS, widen=10, call=istft_call),
)
