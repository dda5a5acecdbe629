"""Draws whose gradients are implicit: ops that core, like PyTorch, has under private names."""

import flambeau_core as fb

# Gamma variables of the rate 1, of the shape of their concentrations.
standard_gamma = fb._standard_gamma  # type: ignore[attr-defined]
# Probability vectors, of the shape of their concentrations.
sample_dirichlet = fb._sample_dirichlet  # type: ignore[attr-defined]
