"""MNIST and the data sets made in its image."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

import flambeau_core as fb
from flambeau_data import Dataset
from flambeau_vision.datasets.download import download
from flambeau_vision.datasets.idx import IDXError, decompressed, read_idx

__all__ = ["MNIST", "FashionMNIST", "KMNIST", "read_split"]

SPLIT_PREFIX = {True: "train", False: "t10k"}


class MNIST(Dataset[tuple[Any, Any]]):
    """Handwritten digits: 60,000 images to train and 10,000 to test, 28 x 28, 8-bit grey.

    Y. LeCun, L. Bottou, Y. Bengio and P. Haffner, "Gradient-based learning applied to document
    recognition", Proceedings of the IEEE 86 (1998).

    The four IDX files stand in `root`/MNIST/raw, plain or gzipped. An item is a Pillow image of
    mode "L" and its label as an int, each passed through its transform. `data` is a uint8 tensor
    [N, 28, 28], `targets` an int64 tensor [N].

    Raises RuntimeError when the files are missing (and `download` is false) and IDXError
    (a ValueError) when one of them is not what it should be.
    """

    mirrors: tuple[str, ...] = (
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "https://storage.googleapis.com/cvdf-datasets/mnist/",
    )
    resources: tuple[tuple[str, str], ...] = (
        ("train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
        ("train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"),
        ("t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"),
        ("t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"),
    )
    classes: tuple[str, ...] = (
        *("0 - zero", "1 - one", "2 - two", "3 - three", "4 - four"),
        *("5 - five", "6 - six", "7 - seven", "8 - eight", "9 - nine"),
    )

    def __init__(
        self,
        root: str | Path,
        train: bool = True,
        transform: Callable[[Any], Any] | None = None,
        target_transform: Callable[[Any], Any] | None = None,
        download: bool = False,
    ) -> None:
        self.root = Path(root).expanduser()
        self.train = train
        self.transform = transform
        self.target_transform = target_transform
        if download:
            self.download()
        if not self._check_exists():
            raise RuntimeError(
                f"{type(self).__name__} not found in {self.raw_folder}. "
                "You can use download=True to download it"
            )
        self.data, self.targets = read_split(self.raw_folder, train)

    @property
    def raw_folder(self) -> Path:
        return self.root / type(self).__name__ / "raw"

    @property
    def class_to_idx(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.classes)}

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        image: Any = Image.fromarray(self.data[index].numpy())
        target: Any = int(self.targets[index])
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target

    def _check_exists(self) -> bool:
        names = [name.removesuffix(".gz") for name, _ in self.resources]
        return all(find(self.raw_folder, name) is not None for name in names)

    def download(self) -> None:
        """Fetch the files that are missing; raises DownloadError, a RuntimeError."""
        if self._check_exists():
            return
        for name, md5 in self.resources:
            archive = self.raw_folder / name
            download([mirror + name for mirror in self.mirrors], archive, md5)
            # Unpacked beside the archive, as other programs expect to find it.
            archive.with_suffix("").write_bytes(decompressed(archive))

    def __repr__(self) -> str:
        body = [
            f"Number of datapoints: {len(self)}",
            f"Root location: {self.root}",
            f"Split: {'Train' if self.train else 'Test'}",
        ]
        transforms = repr_of_transform("Transform: ", self.transform)
        transforms += repr_of_transform("Target transform: ", self.target_transform)
        if transforms:
            body.append("StandardTransform")
        heading = f"Dataset {type(self).__name__}"
        return "\n".join([heading, *("    " + line for line in body), *transforms])


class FashionMNIST(MNIST):
    """Articles of clothing, in the format and the numbers of MNIST.

    H. Xiao, K. Rasul and R. Vollgraf, "Fashion-MNIST: a novel image dataset for benchmarking
    machine learning algorithms", arXiv:1708.07747 (2017). The files stand in
    `root`/FashionMNIST/raw.
    """

    mirrors = ("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",)
    resources = (
        ("train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        ("train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"),
        ("t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"),
        ("t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"),
    )
    classes = (
        *("T-shirt/top", "Trouser", "Pullover", "Dress", "Coat"),
        *("Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"),
    )


class KMNIST(MNIST):
    """Cursive Japanese characters, in the format and the numbers of MNIST.

    T. Clanuwat et al., "Deep learning for classical Japanese literature", arXiv:1812.01718
    (2018). The files stand in `root`/KMNIST/raw.
    """

    mirrors = ("https://codh.rois.ac.jp/kmnist/dataset/kmnist/",)
    resources = (
        ("train-images-idx3-ubyte.gz", "bdb82020997e1d708af4cf47b453dcf7"),
        ("train-labels-idx1-ubyte.gz", "e144d726b3acfaa3e44228e80efcd344"),
        ("t10k-images-idx3-ubyte.gz", "5c965bf0a639b31b8f53240b1b52f4d7"),
        ("t10k-labels-idx1-ubyte.gz", "7320c461ea6c1c855c0b718fb2a4b134"),
    )
    classes = ("o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo")


def find(folder: Path, name: str) -> Path | None:
    """The file of this name, or else its gzipped form."""
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    return None


def read_split(folder: Path, train: bool) -> tuple[fb.Tensor, fb.Tensor]:
    """The images (uint8 [N, H, W]) and labels (int64 [N]) of the IDX files in a folder.

    Raises FileNotFoundError, and IDXError for files that do not hold images and their labels.
    """
    prefix = SPLIT_PREFIX[train]
    arrays = []
    for name in (f"{prefix}-images-idx3-ubyte", f"{prefix}-labels-idx1-ubyte"):
        path = find(folder, name)
        if path is None:
            raise FileNotFoundError(f"no file {name} (or {name}.gz) in {folder}")
        ndim = 3 if "images" in name else 1
        array = read_idx(path)
        if array.dtype != "uint8" or array.ndim != ndim:
            raise IDXError(
                f"{path} holds {array.dtype} values of {array.ndim} dimensions, "
                f"where uint8 values of {ndim} are expected"
            )
        arrays.append(array)
    images, labels = arrays
    if len(images) != len(labels):
        raise IDXError(f"{folder} holds {len(images)} {prefix} images but {len(labels)} labels")
    return fb.from_numpy(images), fb.from_numpy(labels.astype("int64"))


def repr_of_transform(head: str, transform: object) -> list[str]:
    """The lines of a transform's repr, the later ones under the first."""
    if transform is None:
        return []
    first, *rest = repr(transform).splitlines()
    return [head + first, *(" " * len(head) + line for line in rest)]
