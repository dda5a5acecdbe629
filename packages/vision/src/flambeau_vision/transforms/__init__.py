"""Transforms of images: Pillow images and tensors [..., C, H, W]."""

from flambeau_vision.transforms import functional
from flambeau_vision.transforms.composition import Compose, Lambda
from flambeau_vision.transforms.conversion import Normalize, PILToTensor, ToPILImage, ToTensor
from flambeau_vision.transforms.functional import InterpolationMode
from flambeau_vision.transforms.geometry import (
    CenterCrop,
    Pad,
    RandomCrop,
    RandomHorizontalFlip,
    Resize,
)

__all__ = [
    "CenterCrop",
    "Compose",
    "InterpolationMode",
    "Lambda",
    "Normalize",
    "PILToTensor",
    "Pad",
    "RandomCrop",
    "RandomHorizontalFlip",
    "Resize",
    "ToPILImage",
    "ToTensor",
    "functional",
]
