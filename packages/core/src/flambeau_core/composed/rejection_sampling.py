"""Drawing until every element has been accepted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flambeau_core as fb

__all__ = ["accepted", "uniform"]


def uniform(like: fb.Tensor, generator: Any) -> fb.Tensor:
    """Numbers from [0, 1) in float64, in the shape of ``like``."""
    return fb.rand(like.shape, generator=generator, dtype=fb.float64, device=like.device)


def accepted(
    parameters: tuple[fb.Tensor, ...],
    propose: Callable[..., tuple[fb.Tensor, fb.Tensor]],
) -> fb.Tensor:
    """Fills a tensor of the parameters' one shape (one dimension) with accepted proposals.

    ``propose`` gets the parameters of the elements that are still open and returns values and
    whether they are accepted.
    """
    result = fb.empty_like(parameters[0])
    open_ = fb.arange(result.numel(), device=result.device)
    while open_.numel():
        values, accept = propose(*(p[open_] for p in parameters))
        result[open_[accept]] = values[accept]
        open_ = open_[~accept]
    return result
