"""The reference backend: every primitive kernel over NumPy arrays.

The kernels are written over an array module ``xp`` (``numpy`` here, ``cupy`` in a GPU
backend) and aim at being correct and plain rather than fast: faster backends are held to them.
"""

from flambeau_core.reference.backend import ArrayBackend, ReferenceBackend, open_backend

__all__ = ["ArrayBackend", "ReferenceBackend", "open_backend"]
