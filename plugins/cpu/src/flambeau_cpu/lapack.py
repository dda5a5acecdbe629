"""Where LAPACK comes from: the copy in NumPy's wheel, which this package then shares."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

__all__ = ["numpy_module"]


def numpy_module() -> str | None:
    """The path of NumPy's extension module that is linked with LAPACK; imports nothing.

    None where there is none, or where ``FLAMBEAU_CPU_LAPACK`` is 0.
    """
    if os.environ.get("FLAMBEAU_CPU_LAPACK") == "0":
        return None
    try:
        numpy = find_spec("numpy")
    except (ImportError, ValueError):
        return None
    if numpy is None or numpy.origin is None:
        return None
    found = sorted((Path(numpy.origin).parent / "linalg").glob("_umath_linalg*.so"))
    return os.fspath(found[0]) if found else None
