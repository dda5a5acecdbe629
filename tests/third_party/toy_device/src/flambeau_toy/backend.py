"""What Flambeau asks of a device: its memory, views of it, and kernels by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from flambeau_toy.driver import Driver

KERNELS = ("copy", "fill", "add", "sub", "mul", "exp", "sum", "matmul")
DTYPES = ("bool", "uint8", "int32", "int64", "float32", "float64")

# How the chip is told about an array in its memory: the buffer's number, the offset in bytes, the
# shape, the strides in bytes, and the type of the elements.
View = tuple[int, int, tuple[int, ...], tuple[int, ...], str]


class Buffer:
    """Memory of the chip, known here only by its number; freed when Flambeau drops it."""

    def __init__(self, driver: Driver, nbytes: int) -> None:
        self.driver = driver
        self.number: int = driver.ask("allocate", nbytes)

    def __del__(self) -> None:
        self.driver.discard(getattr(self, "number", None))


class ToyBackend:
    name = "toy"
    device_type = "toy"
    host_memory = False

    def __init__(self) -> None:
        self.driver = Driver()

    def device_count(self) -> int:
        return 1

    def synchronize(self, device_index: int) -> None:
        """The chip answers every request when it is done, so nothing is left to wait for."""

    def allocate(self, nbytes: int, device_index: int) -> Buffer:
        return Buffer(self.driver, nbytes)

    def copy_from_host(self, buffer: Buffer, offset: int, source: memoryview) -> None:
        self.driver.ask("write", buffer.number, offset, bytes(source))

    def copy_to_host(self, buffer: Buffer, offset: int, target: memoryview) -> None:
        target[:] = self.driver.ask("read", buffer.number, offset, target.nbytes)

    def view(
        self,
        buffer: Buffer,
        offset: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: str,
    ) -> View:
        if dtype not in DTYPES:
            raise NotImplementedError(f"the toy chip does not know the type {dtype}")
        return buffer.number, offset, shape, strides, dtype

    def kernel(self, id: str, dtype: str) -> Callable[..., None] | None:
        if id in KERNELS and dtype in DTYPES:
            return partial(self.driver.ask, "launch", id)
        return None
