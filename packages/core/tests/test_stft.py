"""The transform of moving windows and its inverse: arguments, warnings, errors.

Values and gradients are among the samples of op_samples.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb

SIGNAL = np.sin(np.arange(60) * 0.7) + np.cos(np.arange(60) ** 2 * 0.1)
WINDOW = fb.hann_window(16, dtype=fb.float64)


@pytest.fixture(autouse=True)
def _no_warning_passes_unseen() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def signal(batch: int = 0) -> fb.Tensor:
    x = np.stack([SIGNAL * (k + 1) for k in range(batch)]) if batch else SIGNAL
    return fb.from_numpy(x)


def frame(x: np.ndarray[Any, Any], start: int, window: np.ndarray[Any, Any]) -> Any:
    """The spectrum of one frame by the sums that define it."""
    n = len(window)
    rows = np.exp(-2j * np.pi * np.outer(np.arange(n), np.arange(n)) / n)
    return rows @ (x[start : start + n] * window)


def test_frames_without_centre() -> None:
    spectra = fb.stft(signal(), 16, 5, window=WINDOW, center=False, return_complex=True)
    assert spectra.shape == (9, (60 - 16) // 5 + 1)
    for column, start in ((0, 0), (3, 15), (8, 40)):
        expected = frame(SIGNAL, start, WINDOW.numpy())[:9]
        np.testing.assert_allclose(spectra[:, column].numpy(), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("mode", "borders"),
    [
        ("reflect", (SIGNAL[8:0:-1], SIGNAL[-2:-10:-1])),
        ("constant", (np.zeros(8), np.zeros(8))),
        ("replicate", (np.full(8, SIGNAL[0]), np.full(8, SIGNAL[-1]))),
        ("circular", (SIGNAL[-8:], SIGNAL[:8])),
    ],
)
def test_centred_frames(mode: str, borders: tuple[Any, Any]) -> None:
    spectra = fb.stft(signal(), 16, window=WINDOW, pad_mode=mode, return_complex=True)
    extended = np.concatenate([borders[0], SIGNAL, borders[1]])
    assert spectra.shape == (9, 60 // 4 + 1)
    for column in (0, 7, 15):
        expected = frame(extended, 4 * column, WINDOW.numpy())[:9]
        np.testing.assert_allclose(spectra[:, column].numpy(), expected, atol=1e-12)


def test_short_windows_stand_in_the_middle() -> None:
    window = fb.ones(10, dtype=fb.float64)
    whole = np.concatenate([np.zeros(3), np.ones(10), np.zeros(3)])
    spectra = fb.stft(signal(), 16, 4, 10, window, center=False, return_complex=True)
    np.testing.assert_allclose(spectra[:, 1].numpy(), frame(SIGNAL, 4, whole)[:9], atol=1e-12)
    aligned = fb.stft(
        signal(), 16, 4, 10, window, center=False, return_complex=True, align_to_window=True
    )
    assert aligned.shape[1] == (60 - 10) // 4 + 1
    assert aligned[0, 0].item().real == pytest.approx(SIGNAL[:10].sum())


def test_scaling_and_sides() -> None:
    one = fb.stft(signal(2), 16, window=WINDOW, return_complex=True)
    two = fb.stft(signal(2), 16, window=WINDOW, return_complex=True, onesided=False)
    scaled = fb.stft(signal(2), 16, window=WINDOW, return_complex=True, normalized=True)
    assert one.shape == (2, 9, 16) and two.shape == (2, 16, 16)
    np.testing.assert_allclose(two[:, :9].numpy(), one.numpy(), atol=1e-12)
    np.testing.assert_allclose(two[:, 15].numpy(), one[:, 1].numpy().conj(), atol=1e-12)
    np.testing.assert_allclose(scaled.numpy(), one.numpy() / 4, atol=1e-12)


def test_complex_signals_and_windows_give_both_sides() -> None:
    z = signal() * (1 + 0.5j)
    assert z.stft(16, window=WINDOW).shape == (16, 16)
    assert signal().stft(16, window=WINDOW.to(fb.complex128)).shape == (16, 16)


def test_dtypes() -> None:
    x = signal().to(fb.float32)
    window = WINDOW.to(fb.float32)
    assert fb.stft(x, 16, window=window, return_complex=True).dtype == fb.complex64
    assert fb.stft(x, 16, window=WINDOW, return_complex=True).dtype == fb.complex128
    assert fb.stft(x.half(), 16, window=window, return_complex=True).dtype == fb.complex64


def test_real_results_are_deprecated() -> None:
    spectra = fb.stft(signal(), 16, window=WINDOW, return_complex=True)
    with pytest.warns(UserWarning, match="deprecated") as told:
        parts = fb.stft(signal(), 16, window=WINDOW, return_complex=False)
    assert told[0].filename == __file__
    assert parts.equal(fb.view_as_real(spectra))


def test_no_window_is_told() -> None:
    with pytest.warns(UserWarning, match="window"):
        spectra = fb.stft(signal(), 16, return_complex=True)
    ones = fb.ones(16, dtype=fb.float64)
    assert spectra.equal(fb.stft(signal(), 16, window=ones, return_complex=True))
    with pytest.warns(UserWarning, match="window"):
        back = spectra.istft(16)
    np.testing.assert_allclose(back.numpy(), SIGNAL, atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"hop_length": 3},
        {"normalized": True},
        {"onesided": False},
        {"win_length": 10, "window": fb.hamming_window(10, dtype=fb.float64)},
    ],
)
def test_inverse(options: dict[str, Any]) -> None:
    options = {"window": WINDOW, **options}
    spectra = signal(2).stft(16, return_complex=True, **options)
    back = spectra.istft(16, length=60, **options)
    np.testing.assert_allclose(back.numpy(), signal(2).numpy(), atol=1e-10)


def test_inverse_of_complex_signals() -> None:
    z = signal() * (1 + 0.5j)
    back = z.stft(16, window=WINDOW).istft(16, window=WINDOW, return_complex=True)
    np.testing.assert_allclose(back.numpy(), z.numpy(), atol=1e-12)


def test_length_of_the_inverse() -> None:
    spectra = signal().stft(16, window=WINDOW, return_complex=True)
    assert spectra.istft(16, window=WINDOW).shape == (60,)
    np.testing.assert_allclose(
        spectra.istft(16, window=WINDOW, length=20).numpy(), SIGNAL[:20], atol=1e-12
    )
    with pytest.warns(UserWarning, match="zeros"):
        longer = spectra.istft(16, window=WINDOW, length=80)
    assert longer.shape == (80,)
    assert longer[70:].tolist() == [0.0] * 10
    ones = fb.ones(16, dtype=fb.float64)
    plain = signal().stft(16, window=ones, center=False, return_complex=True)
    np.testing.assert_allclose(
        plain.istft(16, window=ones, center=False).numpy(), SIGNAL, atol=1e-12
    )


LONG = fb.zeros(2, 50)
HANN = fb.hann_window(16)


@pytest.mark.parametrize(
    ("x", "options", "error", "text"),
    [
        (LONG, {"return_complex": None}, RuntimeError, "return_complex must be given"),
        (LONG.to(fb.int64), {}, RuntimeError, "floating point or complex"),
        (LONG[None], {}, RuntimeError, r"1D or 2D.*\(1, 2, 50\)"),
        (LONG[:0], {}, RuntimeError, "batch is empty"),
        (LONG.to(fb.complex64), {"onesided": True}, RuntimeError, "onesided"),
        (LONG, {"align_to_window": True}, RuntimeError, "center=False"),
        (LONG, {"pad_mode": "mirror"}, NotImplementedError, "'mirror'"),
        (LONG[:, :8], {}, RuntimeError, r"too short.*reflect"),
        (LONG[:, :15], {"center": False}, RuntimeError, "0 < n_fft <= 15"),
        (LONG, {"n_fft": 0}, RuntimeError, "0 < n_fft"),
        (LONG, {"n_fft": -4}, RuntimeError, "0 < n_fft"),
        (LONG, {"hop_length": 0}, RuntimeError, "hop_length > 0"),
        (LONG, {"win_length": 17}, RuntimeError, "win_length=17, n_fft=16"),
        (LONG, {"win_length": 0}, RuntimeError, "win_length=0"),
        (LONG, {"window": HANN[:9]}, RuntimeError, r"shape \(16,\).*got \(9,\)"),
        (LONG, {"n_fft": 16.0}, TypeError, "n_fft"),
    ],
)
def test_errors(x: fb.Tensor, options: dict[str, Any], error: type[Exception], text: str) -> None:
    arguments = {"n_fft": 16, "window": HANN, "return_complex": True, **options}
    with pytest.raises(error, match=text):
        fb.stft(x, **arguments)


SPECTRA = fb.ones(2, 9, 5, dtype=fb.complex64)


@pytest.mark.parametrize(
    ("x", "options", "error", "text"),
    [
        (SPECTRA.abs(), {}, RuntimeError, "complex result of stft"),
        (SPECTRA[0, 0], {}, IndexError, "2D or 3D"),
        (SPECTRA[None], {}, RuntimeError, "2D or 3D"),
        (SPECTRA[:, :, :0], {}, RuntimeError, "with elements"),
        (SPECTRA[:, :8], {}, RuntimeError, "expected 9 frequencies"),
        (SPECTRA, {"onesided": False}, RuntimeError, "expected 16 frequencies"),
        (SPECTRA, {"hop_length": 0}, RuntimeError, "0 < hop_length"),
        (SPECTRA, {"hop_length": 17}, RuntimeError, "hop_length <= win_length"),
        (SPECTRA, {"win_length": 17}, RuntimeError, "win_length <= n_fft"),
        (SPECTRA, {"window": HANN[:9]}, RuntimeError, r"got \(9,\)"),
        (SPECTRA, {"window": HANN.to(fb.complex64)}, RuntimeError, "return_complex=True"),
        (SPECTRA, {"return_complex": True}, RuntimeError, "onesided"),
        (SPECTRA, {"center": False}, RuntimeError, "no window covers"),
        (SPECTRA, {"length": 0}, RuntimeError, "no points are left"),
    ],
)
def test_errors_of_the_inverse(
    x: fb.Tensor, options: dict[str, Any], error: type[Exception], text: str
) -> None:
    arguments = {"n_fft": 16, "window": HANN, **options}
    with pytest.raises(error, match=text):
        fb.istft(x, **arguments)
