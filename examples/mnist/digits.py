"""The images to train and to test on."""

from __future__ import annotations

from pathlib import Path

from flambeau.utils.data import Dataset, Subset
from flambeau.vision.datasets import MNIST
from flambeau.vision.transforms import Compose, Normalize, ToTensor
from models import CLASSES, SIDE
from options import BadInput

# Mean and standard deviation of the training images' pixels.
MEAN, STD = 0.1307, 0.3081


class Digits(MNIST):
    """MNIST whose files may also stand in the folder itself."""

    @property
    def raw_folder(self) -> Path:
        nested = self.root / "MNIST" / "raw"
        return nested if nested.is_dir() else self.root


def load(folder: Path, train: bool) -> Digits:
    """One half of the data, normalised; raises BadInput for files that cannot be used."""
    if not folder.is_dir():
        raise BadInput(f"there is no folder {folder}")
    transform = Compose([ToTensor(), Normalize((MEAN,), (STD,))])
    try:
        digits = Digits(folder, train=train, transform=transform)
    except RuntimeError:
        raise BadInput(f"{folder} does not hold the four files of MNIST") from None
    except (OSError, ValueError) as error:
        raise BadInput(str(error)) from error
    shape, largest = tuple(digits.data.shape[1:]), int(digits.targets.max())
    if shape != (SIDE, SIDE):
        raise BadInput(f"the images in {folder} are of shape {shape}, not {(SIDE, SIDE)}")
    if largest >= CLASSES:
        raise BadInput(f"{folder} has a label {largest}; labels go from 0 to {CLASSES - 1}")
    return digits


def first(digits: Digits, limit: int | None) -> Dataset:
    """The first images, or all of them."""
    if limit is None or limit >= len(digits):
        return digits
    return Subset(digits, range(limit))
