"""The container: a zip file of uncompressed records, each storage on a 64-byte boundary."""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ROOT = "archive"
ALIGNMENT = 64
LOCAL_HEADER_BYTES = 30
PADDING_ID = 0x4246  # an extra field of this id is padding
# what zipfile raises on bytes that are not what they should be
DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, ValueError)
OLD_ENOUGH = (1980, 1, 1, 0, 0, 0)  # equal contents give equal files


class ArchiveWriter:
    def __init__(self, stream: Any) -> None:
        self.file = zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED)

    def write(self, record: str, data: bytes | memoryview) -> None:
        info = zipfile.ZipInfo(f"{ROOT}/{record}", OLD_ENOUGH)
        start = self.file.start_dir + LOCAL_HEADER_BYTES + len(info.filename.encode())
        padding = -(start + 4) % ALIGNMENT
        info.extra = struct.pack("<HH", PADDING_ID, padding) + b"\0" * padding
        info.file_size = memoryview(data).nbytes
        with self.file.open(info, "w") as target:
            target.write(data)

    def close(self) -> None:
        self.file.close()


class ArchiveReader:
    """Records of an archive; raises RuntimeError for files cut short or changed."""

    def __init__(self, stream: Any, label: str) -> None:
        self.label = label
        try:
            self.file = zipfile.ZipFile(stream)
        except DAMAGE as error:
            raise RuntimeError(f"{label} is cut short or corrupt: {error}") from error
        names = self.file.namelist()
        pickles = [name for name in names if name.count("/") == 1 and name.endswith("/data.pkl")]
        if not pickles:
            raise RuntimeError(f"{label} is a zip file without a data.pkl: not a saved object")
        self.root = pickles[0].partition("/")[0]
        if f"{self.root}/constants.pkl" in names:
            raise RuntimeError(f"{label} is a TorchScript archive: load reads only what save wrote")

    def read(self, record: str) -> bytes:
        try:
            return self.file.read(f"{self.root}/{record}")
        except KeyError:
            raise RuntimeError(f"{self.label} lacks the record {record!r}") from None
        except DAMAGE as error:
            raise RuntimeError(
                f"{self.label}: the record {record!r} is corrupt: {error}"
            ) from error

    def has(self, record: str) -> bool:
        return f"{self.root}/{record}" in self.file.namelist()


def label_of(file: Any) -> str:
    """What to call a file in an error."""
    if isinstance(file, (str, os.PathLike)):
        return repr(os.fspath(file))
    return repr(getattr(file, "name", None) or type(file).__name__)


@contextmanager
def open_to_read(file: Any) -> Iterator[Any]:
    """A seekable binary stream over a path or an open file."""
    if isinstance(file, (str, os.PathLike)):
        with open(file, "rb") as stream:
            yield stream
        return
    if not hasattr(file, "read"):
        raise AttributeError(
            f"expected a path or a file with read and seek, got {type(file).__name__}"
        )
    seekable = hasattr(file, "seek") and getattr(file, "seekable", lambda: True)()
    yield file if seekable else io.BytesIO(file.read())


@contextmanager
def open_to_write(file: Any) -> Iterator[Any]:
    """A seekable binary stream whose contents end up in a path or an open file."""
    if isinstance(file, (str, os.PathLike)):
        folder = os.path.dirname(os.fspath(file))
        if folder and not os.path.isdir(folder):
            raise RuntimeError(f"cannot save to {os.fspath(file)!r}: there is no folder {folder!r}")
        with open(file, "wb") as stream:
            yield stream
        return
    if not hasattr(file, "write"):
        raise AttributeError(f"expected a path or a file with write, got {type(file).__name__}")
    buffer = io.BytesIO()
    yield buffer
    file.write(buffer.getvalue())
