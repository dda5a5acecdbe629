"""Functions on images; those that can take both take Pillow images and tensors [..., C, H, W]."""

from flambeau_vision.transforms.functional.conversion import (
    normalize,
    pil_to_tensor,
    to_pil_image,
    to_tensor,
)
from flambeau_vision.transforms.functional.geometry import (
    center_crop,
    crop,
    get_dimensions,
    hflip,
    pad,
)
from flambeau_vision.transforms.functional.resampling import InterpolationMode, resize

__all__ = [
    "InterpolationMode",
    "center_crop",
    "crop",
    "get_dimensions",
    "hflip",
    "normalize",
    "pad",
    "pil_to_tensor",
    "resize",
    "to_pil_image",
    "to_tensor",
]
