"""Reductions, scans and normalisations that leave out the elements where a mask is False.

A mask is a tensor of truth values that can be broadcast to the input's shape; without one every
element counts. Where all elements along a dimension are left out, a reduction gives its identity:
0 for a sum, ``-inf`` for a maximum, NaN for a mean.
"""

from flambeau_core.masked.logarithmic import logaddexp, logsumexp
from flambeau_core.masked.moments import mean, std, var
from flambeau_core.masked.normalization import log_softmax, normalize, softmax, softmin
from flambeau_core.masked.reduction import amax, amin, argmax, argmin, median, norm, prod, sum
from flambeau_core.masked.scan import cumprod, cumsum

__all__ = [
    "amax",
    "amin",
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "mean",
    "median",
    "norm",
    "normalize",
    "prod",
    "softmax",
    "softmin",
    "std",
    "sum",
    "var",
]
