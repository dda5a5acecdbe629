"""Connectionist temporal classification, straight from core."""

from flambeau_core.nn_ops import ctc_loss

__all__ = ["ctc_loss"]
