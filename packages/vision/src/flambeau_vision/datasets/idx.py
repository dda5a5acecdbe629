"""The IDX file format: one array, plain or gzipped.

Two zero bytes, one byte for the type, one for the number of dimensions, each dimension as a
big-endian 32-bit integer, then the values in row-major order, big-endian. The format is described
on the MNIST page of Y. LeCun, C. Cortes and C. Burges.
"""

from __future__ import annotations

import gzip
import math
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["IDXError", "read_idx", "write_idx"]

GZIP_MAGIC = b"\x1f\x8b"
DTYPES = {
    0x08: np.dtype(">u1"),
    0x09: np.dtype(">i1"),
    0x0B: np.dtype(">i2"),
    0x0C: np.dtype(">i4"),
    0x0D: np.dtype(">f4"),
    0x0E: np.dtype(">f8"),
}


class IDXError(ValueError):
    """A file that is not the IDX file it should be; the message names the file."""


def read_idx(path: str | Path) -> np.ndarray[Any, Any]:
    """The array of an IDX file, in the machine's byte order.

    Raises FileNotFoundError, and IDXError for a file of another format, a truncated one or one
    with bytes left over.
    """
    content = decompressed(Path(path))
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in DTYPES:
        raise IDXError(
            f"{path} is not an IDX file: it begins with {content[:4]!r}, "
            "not with two zero bytes and a type code"
        )
    dtype, ndim = DTYPES[content[2]], content[3]
    start = 4 + 4 * ndim
    if len(content) < start:
        raise IDXError(f"{path} is truncated: it ends within its header of {start} bytes")
    shape = struct.unpack(f">{ndim}I", content[4:start])
    expected = math.prod(shape) * dtype.itemsize
    if len(content) - start != expected:
        raise IDXError(
            f"{path} is damaged: its header announces shape {shape} ({expected} bytes of values), "
            f"but {len(content) - start} bytes follow"
        )
    values = np.frombuffer(content, dtype, offset=start).reshape(shape)
    return values.astype(dtype.newbyteorder("="))


def write_idx(path: str | Path, array: np.ndarray[Any, Any]) -> None:
    """Write an array as an IDX file, gzipped when the name ends in .gz.

    Raises TypeError for a dtype that the format does not have.
    """
    codes = [code for code, dtype in DTYPES.items() if dtype == array.dtype.newbyteorder(">")]
    if not codes:
        raise TypeError(f"an IDX file cannot hold values of dtype {array.dtype}")
    header = struct.pack(f">4B{array.ndim}I", 0, 0, codes[0], array.ndim, *array.shape)
    content = header + array.astype(DTYPES[codes[0]]).tobytes()
    if Path(path).suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    Path(path).write_bytes(content)


def decompressed(path: Path) -> bytes:
    content = path.read_bytes()
    if not content.startswith(GZIP_MAGIC):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise IDXError(f"{path} is a damaged gzip file: {error}") from error
