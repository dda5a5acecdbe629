"""The probability of one of two outcomes as a parameter: ``probs`` or ``logits``."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor

from .broadcasting import Parameter, broadcast_all
from .lazy_property import lazy_property
from .logits import logits_to_probs, probs_to_logits


def check_one_of(probs: Any, logits: Any) -> None:
    """Raise ValueError unless exactly one of the two is given."""
    if (probs is None) == (logits is None):
        given = "neither" if probs is None else "both"
        raise ValueError(f"exactly one of probs and logits must be given, but got {given}")


class SuccessProbability:
    """A distribution's attributes ``probs`` and ``logits``: one is given, the other follows."""

    def _set_probability(self, probs: Parameter | None, logits: Parameter | None) -> fb.Size:
        """Keep the one that is given, and return its shape."""
        check_one_of(probs, logits)
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
        elif logits is not None:
            (self.logits,) = broadcast_all(logits)
        return self._param.shape

    @lazy_property
    def logits(self) -> Tensor:
        """log(p / (1 - p))."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """p."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def _param(self) -> Tensor:
        """Whichever of the two is there, for its shape, dtype and device."""
        return self.__dict__["probs"] if "probs" in self.__dict__ else self.__dict__["logits"]

    @property
    def param_shape(self) -> fb.Size:
        """The shape of the parameter."""
        return self._param.shape
