"""Divergences of multivariate normal distributions, of full and of low rank.

With the mean m, the covariance S and n dimensions each is
``(tr(Sq^-1 Sp) + (mq - mp)^T Sq^-1 (mq - mp) - n + log det Sq - log det Sp) / 2``.
"""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core import Tensor

from ..lowrank_multivariate_normal import (
    LowRankMultivariateNormal,
    lowrank_log_det,
    lowrank_squared_mahalanobis,
)
from ..multivariate_normal import MultivariateNormal, half_log_det, squared_mahalanobis
from .registry import register_kl

_Normal = MultivariateNormal | LowRankMultivariateNormal


@register_kl(MultivariateNormal, MultivariateNormal)
def _full_full(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    _check_event_shapes(p, q)
    return _divergence(p, q, _squared_norm(_solved(q, p._unbroadcasted_scale_tril)))


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _low_full(p: LowRankMultivariateNormal, q: MultivariateNormal) -> Tensor:
    _check_event_shapes(p, q)
    of_factor = _squared_norm(_solved(q, p._unbroadcasted_cov_factor))
    of_diagonal = _squared_norm(_solved(q, p._unbroadcasted_cov_diag.sqrt().diag_embed()))
    return _divergence(p, q, of_factor + of_diagonal)


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _full_low(p: MultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    _check_event_shapes(p, q)
    factor = p._unbroadcasted_scale_tril
    return _divergence(p, q, _trace_of_factor(q, factor))


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low_low(p: LowRankMultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    _check_event_shapes(p, q)
    diagonal = p._unbroadcasted_cov_diag
    correction = _correction(q) * diagonal.sqrt().unsqueeze(-2)
    of_diagonal = (diagonal / q._unbroadcasted_cov_diag).sum(-1) - _squared_norm(correction)
    return _divergence(p, q, _trace_of_factor(q, p._unbroadcasted_cov_factor) + of_diagonal)


def _check_event_shapes(p: _Normal, q: _Normal) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"the event shapes {tuple(p.event_shape)} and {tuple(q.event_shape)} of two "
            "multivariate normal distributions differ"
        )


def _divergence(p: _Normal, q: _Normal, trace: Tensor) -> Tensor:
    log_dets = _log_det(q) - _log_det(p)
    return 0.5 * (trace + _distance(q, q.loc - p.loc) - p.event_shape[0] + log_dets)


def _log_det(normal: _Normal) -> Tensor:
    if isinstance(normal, MultivariateNormal):
        return 2 * half_log_det(normal._unbroadcasted_scale_tril)
    return lowrank_log_det(normal._unbroadcasted_cov_diag, normal._capacitance_tril)


def _distance(q: _Normal, deviation: Tensor) -> Tensor:
    if isinstance(q, MultivariateNormal):
        return squared_mahalanobis(q._unbroadcasted_scale_tril, deviation)
    return lowrank_squared_mahalanobis(
        q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag, deviation, q._capacitance_tril
    )


def _solved(q: MultivariateNormal, factor: Tensor) -> Tensor:
    return fb.linalg.solve_triangular(q._unbroadcasted_scale_tril, factor, upper=False)


def _correction(q: LowRankMultivariateNormal) -> Tensor:
    """The matrix A with ``Sq^-1 = diag(1/d) - A^T A``, by Woodbury's identity."""
    weighted = q._unbroadcasted_cov_factor.mT / q._unbroadcasted_cov_diag.unsqueeze(-2)
    return fb.linalg.solve_triangular(q._capacitance_tril, weighted, upper=False)


def _trace_of_factor(q: LowRankMultivariateNormal, factor: Tensor) -> Tensor:
    """``tr(Sq^-1 F F^T)``."""
    scaled = factor * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1)
    return _squared_norm(scaled) - _squared_norm(_correction(q) @ factor)


def _squared_norm(matrix: Tensor) -> Tensor:
    """``tr(M M^T)``."""
    return matrix.square().sum((-2, -1))
