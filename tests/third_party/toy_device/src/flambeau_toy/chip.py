"""The chip, in a process of its own: its memory and the few things that it can do.

It knows nothing of Flambeau. It reads requests from its input and answers on its output until the
input ends.
"""

from __future__ import annotations

import itertools
import pickle
import sys
from typing import Any

import numpy as np

numbers = itertools.count(1)
memory: dict[int, bytearray] = {}


def allocate(nbytes: int) -> int:
    number = next(numbers)
    memory[number] = bytearray(nbytes)
    return number


def write(buffer: int, offset: int, data: bytes) -> None:
    memory[buffer][offset : offset + len(data)] = data


def read(buffer: int, offset: int, nbytes: int) -> bytes:
    return bytes(memory[buffer][offset : offset + nbytes])


def buffers() -> list[int]:
    """The numbers of the buffers in use."""
    return sorted(memory)


def array(view: Any) -> Any:
    """The numbers that a view covers; host scalars arrive as they are, absent arrays as None."""
    if not isinstance(view, tuple):
        return view
    buffer, offset, shape, strides, dtype = view
    if 0 in shape:
        return np.empty(shape, dtype)
    return np.ndarray(shape, dtype, memory[buffer], offset, strides)


def launch(kernel: str, *views: Any) -> None:
    """Runs a kernel: outputs first, then inputs. Outputs are written in place."""
    KERNELS[kernel](*map(array, views))


def copy(out: Any, x: Any) -> None:
    out[...] = x


def total(out: Any, x: Any) -> None:
    """Dimensions that have size 1 in the output only are summed over."""
    dims = tuple(d for d in range(x.ndim) if out.shape[d] != x.shape[d])
    out[...] = x.sum(axis=dims, keepdims=True, dtype=out.dtype)


def elementwise(function: Any) -> Any:
    def kernel(out: Any, *inputs: Any) -> None:
        out[...] = function(*inputs)

    return kernel


KERNELS = {
    "copy": copy,
    "fill": copy,
    "add": elementwise(np.add),
    "sub": elementwise(np.subtract),
    "mul": elementwise(np.multiply),
    "exp": elementwise(np.exp),
    "sum": total,
    "matmul": elementwise(np.matmul),
}
COMMANDS = {
    "allocate": allocate,
    "write": write,
    "read": read,
    "buffers": buffers,
    "launch": launch,
}


def serve(requests: Any, answers: Any) -> None:
    while True:
        try:
            discarded, command, arguments = pickle.load(requests)
        except EOFError:
            return
        for buffer in discarded:
            memory.pop(buffer, None)
        try:
            answer = None, COMMANDS[command](*arguments)
        except Exception as error:
            answer = error, None
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
