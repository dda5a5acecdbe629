"""The dtype in which reductions over narrow floating tensors are computed."""

from __future__ import annotations

import flambeau_core as fb


def widened(x: fb.Tensor) -> fb.Tensor:
    """float16 and bfloat16 as float32, so that sums neither overflow nor lose digits."""
    return x.to(fb.float32) if x.dtype in (fb.float16, fb.bfloat16) else x
