"""The Fourier transform of windows that move along a signal, and its inverse (Griffin & Lim, 1984).

The inverse adds overlapping frames up, each times its window, and divides by the sum of the squared
windows.
"""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op

# Below this the sum of squared windows counts as zero, and the frames say nothing of the signal.
_SMALLEST_ENVELOPE = 1e-11


def _whole_window(name: str, x: fb.Tensor, window: Any, win_length: int, n_fft: int) -> Any:
    """The window with zeros on both sides up to ``n_fft`` points; None where it is all ones."""
    if not 0 < win_length <= n_fft:
        raise RuntimeError(
            f"{name}: expected 0 < win_length <= n_fft, got win_length={win_length}, n_fft={n_fft}"
        )
    if window is not None and tuple(window.shape) != (win_length,):
        raise RuntimeError(
            f"{name}: expected window of shape ({win_length},), as win_length says, "
            f"got {tuple(window.shape)} for input of shape {tuple(x.shape)}"
        )
    if win_length == n_fft:
        return window
    if window is None:
        window = fb.ones(win_length, dtype=x.dtype.to_real(), device=x.device)
    before = (n_fft - win_length) // 2
    return fb.constant_pad_nd(window, [before, n_fft - win_length - before])


def _extended(x: fb.Tensor, width: int, mode: str) -> fb.Tensor:
    """The signals with ``width`` more points at both ends."""
    size = x.shape[-1]
    if mode == "constant":
        return fb.constant_pad_nd(x, [width, width])
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"stft: unrecognised pad_mode {mode!r}")
    # A reflection leaves the border itself out.
    if not size or width > (size - 1 if mode == "reflect" else size):
        raise RuntimeError(
            f"stft: input of shape {tuple(x.shape)} is too short for pad_mode={mode!r} "
            f"with {width} points at both ends"
        )
    places = fb.arange(-width, size + width, device=x.device)
    if mode == "reflect":
        places = (size - 1) - ((size - 1) - places.abs()).abs()
    elif mode == "replicate":
        places = places.clamp(0, size - 1)
    else:
        places = places.remainder(size)
    return x.index_select(-1, places)


_NO_WINDOW = (
    "without a window every point of a frame counts the same, which smears the spectrum; "
    "give window=, if need be one of ones"
)


def _warn(message: str, depth: int = 0) -> None:
    """Points at the line that called the op, ``depth`` functions above the caller of this."""
    import warnings

    warnings.warn(message, UserWarning, stacklevel=3 + depth)


@op(
    "stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None,"
    " Tensor? window=None, bool center=True, str pad_mode='reflect', bool normalized=False,"
    " bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor"
)
def stft(
    self: fb.Tensor,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: fb.Tensor | None,
    center: bool,
    pad_mode: str,
    normalized: bool,
    onesided: bool | None,
    return_complex: bool | None,
    align_to_window: bool | None,
) -> fb.Tensor:
    """Spectra of frames of ``n_fft`` points, ``hop_length`` (a quarter of a frame) apart.

    Input (length,) or (batch, length) gives (..., frequencies, frames), complex; the last two
    dimensions of real numbers with ``return_complex=False``. Half of the spectrum is given for
    real signals unless ``onesided`` is False. ``center`` extends the signal by half a frame at
    both ends, ``align_to_window`` by what the window leaves of a frame.
    """
    if window is None:
        _warn(f"stft: {_NO_WINDOW}")
    is_complex = self.is_complex() or (window is not None and window.is_complex())
    if not (self.is_floating_point() or self.is_complex()):
        raise RuntimeError(f"stft: expected floating point or complex numbers, got {self.dtype}")
    if return_complex is None and not is_complex:
        raise RuntimeError("stft: return_complex must be given for real inputs")
    if return_complex is False:
        _warn("stft: return_complex=False is deprecated, use view_as_real on the complex result")
    if onesided and is_complex:
        raise RuntimeError("stft: a complex input or window has no onesided spectrum")
    if align_to_window is not None and center:
        raise RuntimeError("stft: align_to_window can be given with center=False alone")
    if self.dim() not in (1, 2):
        raise RuntimeError(f"stft: expected a 1D or 2D tensor, got shape {tuple(self.shape)}")
    hop = n_fft // 4 if hop_length is None else hop_length
    signal = self.unsqueeze(0) if self.dim() == 1 else self
    if not signal.shape[0]:
        raise RuntimeError(f"stft: the batch is empty, got shape {tuple(self.shape)}")
    win_length = n_fft if win_length is None else win_length
    if center and n_fft > 0:
        signal = _extended(signal, n_fft // 2, pad_mode)
    elif align_to_window and n_fft > win_length:
        before = (n_fft - win_length) // 2
        signal = fb.constant_pad_nd(signal, [before, n_fft - win_length - before])
    if not 0 < n_fft <= signal.shape[-1]:
        raise RuntimeError(
            f"stft: expected 0 < n_fft <= {signal.shape[-1]}, the length of the signal with its "
            f"borders, got n_fft={n_fft} for input of shape {tuple(self.shape)}"
        )
    if hop < 1:
        raise RuntimeError(f"stft: expected hop_length > 0, got {hop}")
    whole = _whole_window("stft", self, window, win_length, n_fft)
    frames = signal.unfold(-1, n_fft, hop)
    frames = frames if whole is None else frames * whole
    if onesided is None:
        onesided = not is_complex
    transform = fb.fft.rfft if onesided else fb.fft.fft
    spectra = transform(frames, norm="ortho" if normalized else None).transpose(1, 2)
    spectra = spectra[0] if self.dim() == 1 else spectra
    return fb.view_as_real(spectra) if return_complex is False else spectra


def _overlapped(frames: fb.Tensor, hop: int) -> fb.Tensor:
    """Sums of frames (batch, frames, points) laid ``hop`` points apart."""
    batch, count, points = frames.shape
    starts = fb.arange(count, device=frames.device) * hop
    places = (starts.unsqueeze(1) + fb.arange(points, device=frames.device)).reshape(-1)
    total = frames.new_zeros(batch, points + hop * (count - 1))
    return total.index_add(1, places, frames.reshape(batch, -1))


def _check_spectra(self: fb.Tensor, n_fft: int, hop: int, win_length: int, onesided: bool) -> None:
    shape = tuple(self.shape)
    if not self.is_complex():
        raise RuntimeError(f"istft: expected the complex result of stft, got {self.dtype}")
    if self.dim() < 2:
        raise IndexError(f"istft: expected a 2D or 3D tensor, got shape {shape}")
    if self.dim() > 3 or not self.numel():
        raise RuntimeError(f"istft: expected a 2D or 3D tensor with elements, got shape {shape}")
    expected = n_fft // 2 + 1 if onesided else n_fft
    if self.shape[-2] != expected:
        raise RuntimeError(
            f"istft: expected {expected} frequencies for n_fft={n_fft}, onesided={onesided}, "
            f"got {self.shape[-2]} in shape {shape}"
        )
    if not 0 < hop <= win_length:
        raise RuntimeError(
            f"istft: expected 0 < hop_length <= win_length, got hop_length={hop}, "
            f"win_length={win_length}"
        )


@op(
    "istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None,"
    " Tensor? window=None, bool center=True, bool normalized=False, bool? onesided=None,"
    " int? length=None, bool return_complex=False) -> Tensor"
)
def istft(
    self: fb.Tensor,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: fb.Tensor | None,
    center: bool,
    normalized: bool,
    onesided: bool | None,
    length: int | None,
    return_complex: bool,
) -> fb.Tensor:
    """The signal whose spectra are nearest to the given ones, by least squares.

    Takes what ``stft`` gives, (frequencies, frames) or with a batch in front; the arguments are
    those of ``stft``. The signal has ``length`` points, by default all that the frames cover less
    the borders of ``center``. RuntimeError where no window covers a point of it.
    """
    if window is None:
        _warn(f"istft: {_NO_WINDOW}")
    hop = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    if onesided is None:
        onesided = self.dim() < 2 or self.shape[-2] != n_fft
    _check_spectra(self, n_fft, hop, win_length, onesided)
    whole = _whole_window("istft", self, window, win_length, n_fft)
    complex_window = whole is not None and whole.is_complex()
    if return_complex and onesided:
        raise RuntimeError("istft: onesided spectra give no complex signal")
    if complex_window and not return_complex:
        raise RuntimeError("istft: a complex window needs return_complex=True")
    if whole is None:
        whole = fb.ones(n_fft, dtype=self.dtype.to_real(), device=self.device)

    spectra = (self.unsqueeze(0) if self.dim() == 2 else self).transpose(1, 2)
    norm = "ortho" if normalized else None
    if return_complex:
        frames = fb.fft.ifft(spectra, norm=norm)
    else:  # the half says all of a real signal
        frames = fb.fft.irfft(spectra[..., : n_fft // 2 + 1], n_fft, norm=norm)
    squares = (whole * whole).expand(1, frames.shape[1], n_fft)
    signal, envelope = _overlapped(frames * whole, hop), _overlapped(squares, hop)
    signal = _between(signal, envelope, n_fft // 2 if center else 0, length)
    return signal[0] if self.dim() == 2 else signal


def _between(signal: fb.Tensor, envelope: fb.Tensor, start: int, length: int | None) -> fb.Tensor:
    """The part of the signal that is asked for, divided by the windows that cover it."""
    total = signal.shape[1]
    end = total - start if length is None else start + length
    covered = envelope[:, start : min(end, total)]
    if end <= start or not covered.numel():
        raise RuntimeError(f"istft: no points are left of the {total} that the frames cover")
    if float(covered.detach().abs().min()) <= _SMALLEST_ENVELOPE:
        raise RuntimeError(
            "istft: no window covers some points of the signal: the least sum of squared windows "
            f"is below {_SMALLEST_ENVELOPE}"
        )
    result = signal[:, start : min(end, total)] / covered
    if end > total:
        _warn("istft: length is greater than the frames cover; zeros follow the signal", 1)
        result = fb.constant_pad_nd(result, [0, end - total])
    return result
