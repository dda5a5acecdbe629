"""Comparisons, gradient checks, random inputs and the conformance kit for device backends."""

from flambeau_testing.comparison import assert_close, default_tolerances
from flambeau_testing.gradcheck import GradcheckError, gradcheck, gradgradcheck
from flambeau_testing.random_tensor import make_tensor

__version__ = "0.1.0"

__all__ = [
    "GradcheckError",
    "assert_close",
    "default_tolerances",
    "gradcheck",
    "gradgradcheck",
    "make_tensor",
]
