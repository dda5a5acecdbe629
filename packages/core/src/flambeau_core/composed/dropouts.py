"""Dropout of whole channels, and the dropout that keeps mean and variance."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core.declare import op

# What a dropped element becomes: the limit of SELU at minus infinity.
_SELU_LIMIT = -1.7580993408473766


def _require_probability(name: str, p: float) -> None:
    if not 0 <= p <= 1:
        raise RuntimeError(f"{name}: dropout probability has to be between 0 and 1, but got {p}")


def _channels(name: str, x: fb.Tensor) -> list[int]:
    """The shape of one number for each channel of ``(N, C, ...)``."""
    if x.dim() < 2:
        raise RuntimeError(
            f"{name}: requires at least 2 dimensions in the input, got shape {tuple(x.shape)}"
        )
    return [*x.shape[:2], *[1] * (x.dim() - 2)]


@op("feature_dropout(Tensor self, float p, bool train) -> Tensor", method=False, inplace=True)
def feature_dropout(self: fb.Tensor, p: float, train: bool) -> fb.Tensor:
    """``dropout`` of whole channels of ``(N, C, ...)`` (Tompson et al., 2015)."""
    _require_probability("feature_dropout", p)
    if not train or p == 0:
        return self
    if p == 1:
        return self * 0
    kept = fb.ones(_channels("feature_dropout", self), dtype=self.dtype, device=self.device)
    return self * fb.nn_ops.dropout(kept, p, True)


@op("alpha_dropout(Tensor self, float p, bool train) -> Tensor", method=False, inplace=True)
def alpha_dropout(self: fb.Tensor, p: float, train: bool) -> fb.Tensor:
    """Dropout that keeps mean 0 and variance 1 of SELU's outputs (Klambauer et al., 2017)."""
    _require_probability("alpha_dropout", p)
    if not train or p == 0:
        return self
    if p == 1:
        return self * 0
    return _alpha_dropped(self, p, list(self.shape))


@op("feature_alpha_dropout(Tensor self, float p, bool train) -> Tensor", method=False, inplace=True)
def feature_alpha_dropout(self: fb.Tensor, p: float, train: bool) -> fb.Tensor:
    """``alpha_dropout`` of whole channels of ``(N, C, ...)``."""
    _require_probability("feature_alpha_dropout", p)
    if not train or p == 0:
        return self
    if p == 1:
        return self * 0
    return _alpha_dropped(self, p, _channels("feature_alpha_dropout", self))


def _alpha_dropped(x: fb.Tensor, p: float, shape: list[int]) -> fb.Tensor:
    kept = fb.rand(shape, device=x.device) >= p
    scale = ((1 - p) * (1 + p * _SELU_LIMIT**2)) ** -0.5
    return fb.where(kept, x, _SELU_LIMIT) * scale - scale * p * _SELU_LIMIT
