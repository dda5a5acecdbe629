"""The backend objects: how core's memory becomes arrays and kernel ids become functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from flambeau_core.reference import (
    binary,
    compare,
    fourier,
    indexing,
    lapack,
    ldl,
    lu,
    matmul,
    order,
    random,
    reduce,
    scan,
    unary,
    values,
)
from flambeau_core.reference.table import Kernel, dtype_kind

KERNELS: dict[str, Kernel] = {
    **values.KERNELS,
    **unary.KERNELS,
    **binary.KERNELS,
    **compare.KERNELS,
    **reduce.KERNELS,
    **scan.KERNELS,
    **order.KERNELS,
    **indexing.KERNELS,
    **matmul.KERNELS,
    **lapack.KERNELS,
    **lu.KERNELS,
    **ldl.KERNELS,
    **fourier.KERNELS,
    **random.KERNELS,
}

# bfloat16 has no array dtype: its bit patterns travel as uint16, which Flambeau has no dtype for.
ARRAY_DTYPES = {"bfloat16": "uint16"}


class ArrayBackend:
    """Kernels over the array module ``xp``; subclasses say where the memory lives."""

    name = "array"
    device_type = "cpu"
    host_memory = False

    def __init__(self, xp: Any) -> None:
        self.xp = xp

    def device_count(self) -> int:
        return 1

    def synchronize(self, device_index: int) -> None:
        """Kernels have finished when they return."""

    def kernel(self, id: str, dtype: str) -> Callable[..., None] | None:
        """The function for a kernel id of ``kernels.h``, or None where it is not served."""
        row = KERNELS.get(id)
        if row is None or dtype_kind(dtype) not in row.kinds:
            return None
        xp, function, quiet = self.xp, row.function, self.quiet

        def run(*arrays: Any, **params: Any) -> None:
            with quiet():
                function(xp, *arrays, **params)

        return run

    def quiet(self) -> Any:
        """Floating-point exceptions give infinities and NaNs, never warnings."""
        return self.xp.errstate(all="ignore")


class ReferenceBackend(ArrayBackend):
    """NumPy over core's own host memory: the definition that other backends are tested against."""

    name = "reference"
    device_type = "cpu"
    host_memory = True

    def view(
        self,
        buffer: memoryview,
        offset: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: str,
    ) -> Any:
        """An array over ``buffer`` without a copy; ``offset`` and ``strides`` count bytes."""
        array_dtype = self.xp.dtype(ARRAY_DTYPES.get(dtype, dtype))
        if math.prod(shape) == 0:
            return self.xp.empty(shape, array_dtype)
        return self.xp.ndarray(shape, array_dtype, buffer, offset, strides)


def open_backend() -> ReferenceBackend:
    import numpy

    return ReferenceBackend(numpy)
