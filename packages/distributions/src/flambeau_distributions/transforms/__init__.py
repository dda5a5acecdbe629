"""Differentiable functions of random variables, with the log-determinants of their Jacobians."""

from .cumulative import CumulativeDistributionTransform
from .elementwise import (
    AbsTransform,
    AffineTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
)
from .joining import CatTransform, StackTransform
from .matrices import CorrCholeskyTransform, LowerCholeskyTransform, PositiveDefiniteTransform
from .shapes import IndependentTransform, ReshapeTransform
from .simplex import SoftmaxTransform, StickBreakingTransform
from .transform import ComposeTransform, Transform, identity_transform

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "identity_transform",
]
