"""The Kullback-Leibler divergence of two distributions, and how others are registered."""

from . import across_families, multivariate_normal, one_family
from .registry import kl_divergence, register_kl

__all__ = ["kl_divergence", "register_kl"]
