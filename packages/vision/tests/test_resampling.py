import numpy as np
import pytest
from PIL import Image

import flambeau_core as fb
from flambeau_vision import transforms as T
from flambeau_vision.transforms import InterpolationMode
from flambeau_vision.transforms import functional as F

SQUARES = np.arange(20, dtype=np.float32).reshape(4, 5) ** 2
TENSOR = fb.from_numpy(SQUARES).unsqueeze(0)

# What PyTorch 2.13's interpolate gives for SQUARES at size (2, 3), align_corners=False.
RECORDED = {
    ("bilinear", False): [14.5, 26.5, 44.5, 171.166656, 216.5, 267.833344],
    ("bilinear", True): [28.489798, 43.73016, 63.5102, 153.081635, 193.015869, 237.489792],
    ("bicubic", False): [6.670142, 17.59375, 34.739574, 176.403976, 225.40625, 280.630707],
    ("bicubic", True): [17.328163, 31.013531, 49.815887, 160.774445, 204.52594, 253.394379],
    ("nearest", False): [0, 1, 9, 100, 121, 169],
    ("nearest-exact", False): [25, 49, 81, 225, 289, 361],
}


@pytest.mark.parametrize(("mode", "antialias"), RECORDED)
def test_tensors_are_resized_as_pytorch_does(mode, antialias):
    result = F.resize(TENSOR, (2, 3), InterpolationMode(mode), antialias=antialias)
    assert result.shape == (1, 2, 3)
    expected = RECORDED[mode, antialias]
    assert np.allclose(result.numpy().ravel(), expected, rtol=1e-5, atol=2e-4)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("size", [(2, 3), (4, 2), (9, 11), (3, 17)])
def test_antialiased_tensors_agree_with_pillow(mode, size):
    image = Image.fromarray(SQUARES)
    expected = np.asarray(F.resize(image, size, InterpolationMode(mode)))
    result = F.resize(TENSOR, size, InterpolationMode(mode))
    assert np.allclose(result[0].numpy(), expected, rtol=1e-5, atol=1e-3)


def test_integers_are_rounded_and_keep_their_range():
    tensor = fb.tensor([[[0, 255, 0, 255]]], dtype=fb.uint8)
    result = F.resize(tensor, (1, 8), InterpolationMode.BICUBIC, antialias=False)
    assert result.dtype == fb.uint8
    assert int(result.max()) == 255
    assert int(result.min()) == 0


def test_leading_dimensions_are_kept():
    batch = TENSOR.expand(2, 3, 4, 5)
    assert F.resize(batch, (8, 10)).shape == (2, 3, 8, 10)


@pytest.mark.parametrize(
    ("size", "max_size", "expected"),
    [
        (8, None, (8, 10)),
        ([8], None, (8, 10)),
        ((3, 9), None, (3, 9)),
        (8, 9, (7, 9)),
    ],
)
def test_sizes_of_both_kinds_of_image(size, max_size, expected):
    resize = T.Resize(size, max_size=max_size)
    assert resize(TENSOR).shape[-2:] == expected
    assert resize(Image.fromarray(SQUARES)).size == expected[::-1]


def test_an_image_of_that_size_is_returned_as_it_is():
    assert F.resize(TENSOR, 4) is TENSOR


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="must be strictly greater"):
        F.resize(TENSOR, 8, max_size=8)
    with pytest.raises(ValueError, match="max_size should only be passed"):
        F.resize(TENSOR, (8, 8), max_size=9)
    with pytest.raises(ValueError, match="1 or 2 values"):
        T.Resize((1, 2, 3))
    with pytest.raises(TypeError, match="Size should be int or sequence"):
        T.Resize(2.5)
    with pytest.raises(ValueError, match="'lanczos'"):
        F.resize(TENSOR, 8, InterpolationMode.LANCZOS)
