"""Attention; Vaswani et al., "Attention Is All You Need", 2017."""

from flambeau_core.nn_ops import scaled_dot_product_attention

__all__ = ["scaled_dot_product_attention"]
