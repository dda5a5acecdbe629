"""Similarities and distances of vectors, straight from core."""

from flambeau_core.nn_ops import cosine_similarity, pairwise_distance, pdist

__all__ = ["cosine_similarity", "pairwise_distance", "pdist"]
