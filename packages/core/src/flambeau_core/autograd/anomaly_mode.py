"""Anomaly detection: errors of the backward pass point at the forward call."""

from __future__ import annotations

import warnings

from .. import _C

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class set_detect_anomaly:
    """Switches anomaly detection, at once or for a ``with`` block.

    While it is on, every op remembers where it was called; an error in its
    gradient, or a NaN (with ``check_nan``), is reported with that place.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = (_C.is_anomaly_enabled(), _C.is_anomaly_check_nan_enabled())
        _C.set_anomaly_mode(mode, check_nan)

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc: object) -> None:
        _C.set_anomaly_mode(*self._before)


class detect_anomaly:
    """``with detect_anomaly():`` around the forward and the backward pass."""

    def __init__(self, check_nan: bool = True) -> None:
        self._check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self._before = (_C.is_anomaly_enabled(), _C.is_anomaly_check_nan_enabled())
        _C.set_anomaly_mode(True, self._check_nan)

    def __exit__(self, *exc: object) -> None:
        _C.set_anomaly_mode(*self._before)
