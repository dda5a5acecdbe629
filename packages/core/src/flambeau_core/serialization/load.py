"""Reading what ``save`` or PyTorch wrote."""

from __future__ import annotations

import io
from typing import Any

from flambeau_core.serialization.archive import ArchiveReader, label_of, open_to_read
from flambeau_core.serialization.legacy import load_legacy
from flambeau_core.serialization.location import placement
from flambeau_core.serialization.storage import StorageLoader
from flambeau_core.serialization.unpickler import unpickle

ZIP_MAGIC = b"PK\x03\x04"


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool = True,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Reads an object from a file that ``save`` or PyTorch wrote, the format before 1.6 included.

    Args:
        f: a path, or a file open for reading in binary mode.
        map_location: where tensors go: a device, a dict from location tags such as ``"cuda:0"``
            to devices, or a function of a host tensor and its tag that returns a tensor.
        pickle_module: accepted for PyTorch's sake; the built-in reader is used.
        weights_only: rebuild tensors, containers and plain values only, so that no file can run
            code. False runs whatever the file says: for files that you trust.
        mmap: accepted for PyTorch's sake; files are read into memory.
        pickle_load_args: of the unpickler, for example ``encoding``.

    Raises:
        pickle.UnpicklingError: the file names something that safe loading does not rebuild (the
            message says what), or its pickle is corrupt.
        RuntimeError: the file is cut short or is none that ``save`` wrote.

    Example:

        >>> import flambeau as torch
        >>> import io
        >>> file = io.BytesIO()
        >>> torch.save(torch.tensor([1, 2]), file)
        >>> position = file.seek(0)
        >>> torch.load(file)
        tensor([1, 2])
    """
    label = label_of(f)
    place = placement(map_location)
    with open_to_read(f) as stream:
        start = stream.tell()
        magic = stream.read(4)
        stream.seek(start)
        if not magic:
            raise EOFError(f"{label} is empty")
        if magic != ZIP_MAGIC:
            return load_legacy(stream, place, weights_only, label, **pickle_load_args)
        return load_archive(stream, place, weights_only, label, **pickle_load_args)


def load_archive(stream: Any, place: Any, weights_only: bool, label: str, **options: Any) -> Any:
    archive = ArchiveReader(stream, label)
    byteorder = archive.read("byteorder").decode() if archive.has("byteorder") else "little"
    loader = StorageLoader(lambda key, nbytes: archive.read(f"data/{key}"), place, byteorder)
    pickled = io.BytesIO(archive.read("data.pkl"))
    return unpickle(pickled, loader, weights_only, label, **options)
