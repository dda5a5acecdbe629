"""What programs look for in a module of this name: each stands in a module of its own."""

from .broadcasting import broadcast_all
from .lazy_property import lazy_property
from .logits import clamp_probs, logits_to_probs, probs_to_logits
from .triangular_vectors import tril_matrix_to_vec, vec_to_tril_matrix

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]
