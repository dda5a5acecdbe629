"""Switches of numerical libraries, under the names that programs set.

They can be set and read back. Flambeau's own kernels are deterministic and compute in the dtype
they are given, so the switches change nothing; what a library would be asked is answered.
"""

from flambeau_core.backends import cpu, cuda, cudnn, mkl, mkldnn, mps, openmp

__all__ = ["cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]
