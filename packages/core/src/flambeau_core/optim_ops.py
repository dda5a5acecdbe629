"""Optimizer steps over whole lists of tensors, one native call each."""

from __future__ import annotations

from . import _C

__all__ = ["adam_step_", "sgd_step_"]

sgd_step_ = _C.optim_ops.sgd_step_
adam_step_ = _C.optim_ops.adam_step_
