import numpy as np
import pytest
from PIL import Image

import flambeau_core as fb
from flambeau_vision import transforms as T
from flambeau_vision.transforms import functional as F

ARRAY = np.arange(20, dtype=np.uint8).reshape(4, 5)
IMAGE = Image.fromarray(ARRAY)
TENSOR = fb.from_numpy(ARRAY.copy()).unsqueeze(0)


def values(image):
    """The values of either kind of image, as an array [H, W]."""
    return np.asarray(image) if isinstance(image, Image.Image) else image[0].numpy()


both_kinds = pytest.mark.parametrize("image", [IMAGE, TENSOR], ids=["pillow", "tensor"])


@both_kinds
def test_dimensions(image):
    assert F.get_dimensions(image) == [1, 4, 5]


def test_dimensions_of_something_else():
    with pytest.raises(TypeError, match="img should be PIL Image or Tensor"):
        F.get_dimensions(ARRAY)


@both_kinds
def test_crop_inside(image):
    assert np.array_equal(values(F.crop(image, 1, 2, 2, 3)), ARRAY[1:3, 2:5])


@both_kinds
def test_crop_beyond_the_border_is_zero(image):
    expected = np.zeros((4, 4), np.uint8)
    expected[1:, 1:] = ARRAY[:3, :3]
    assert np.array_equal(values(F.crop(image, -1, -1, 4, 4)), expected)
    expected = np.zeros((3, 3), np.uint8)
    expected[:1, :2] = ARRAY[3:, 3:]
    assert np.array_equal(values(F.crop(image, 3, 3, 3, 3)), expected)


@both_kinds
def test_center_crop(image):
    assert np.array_equal(values(T.CenterCrop(2)(image)), ARRAY[1:3, 2:4])
    assert np.array_equal(values(T.CenterCrop((4, 1))(image)), ARRAY[:, 2:3])


@both_kinds
def test_center_crop_pads_what_is_smaller(image):
    result = values(T.CenterCrop((6, 7))(image))
    assert result.shape == (6, 7)
    assert np.array_equal(result[1:5, 1:6], ARRAY)
    assert result.sum() == ARRAY.sum()


@both_kinds
def test_hflip(image):
    assert np.array_equal(values(F.hflip(image)), ARRAY[:, ::-1])


@both_kinds
@pytest.mark.parametrize(
    ("padding", "widths"),
    [
        (2, ((2, 2), (2, 2))),
        ((1, 3), ((3, 3), (1, 1))),
        ((1, 2, 3, 0), ((2, 0), (1, 3))),
    ],
)
@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric"])
def test_pad(image, padding, widths, mode):
    assert np.array_equal(values(T.Pad(padding, 0, mode)(image)), np.pad(ARRAY, widths, mode))


@both_kinds
def test_pad_fills_with_a_value(image):
    result = values(F.pad(image, 1, fill=7))
    assert np.array_equal(result, np.pad(ARRAY, 1, constant_values=7))


@both_kinds
def test_pad_refuses_unknown_settings(image):
    with pytest.raises(ValueError, match="constant, edge, reflect or symmetric"):
        F.pad(image, 1, padding_mode="wrap")
    with pytest.raises(ValueError, match="not a 3 element tuple"):
        F.pad(image, (1, 2, 3))


@both_kinds
def test_random_crop_is_a_part_of_the_image_and_follows_the_seed(image):
    crop = T.RandomCrop((2, 3))
    fb.manual_seed(0)
    first = [values(crop(image)) for _ in range(50)]
    fb.manual_seed(0)
    again = [values(crop(image)) for _ in range(50)]
    assert all(np.array_equal(a, b) for a, b in zip(first, again))
    windows = {ARRAY[i : i + 2, j : j + 3].tobytes() for i in range(3) for j in range(3)}
    assert {result.tobytes() for result in first} == windows


@both_kinds
def test_random_crop_pads_first(image):
    crop = T.RandomCrop(4, padding=3)
    fb.manual_seed(0)
    results = [values(crop(image)) for _ in range(30)]
    assert all(result.shape == (4, 4) for result in results)
    assert any(result.sum() < ARRAY[:, :4].sum() for result in results)


@both_kinds
def test_random_crop_of_something_too_small(image):
    with pytest.raises(ValueError, match=r"\(6, 6\) is larger than input image size \(4, 5\)"):
        T.RandomCrop(6)(image)
    assert values(T.RandomCrop(6, pad_if_needed=True)(image)).shape == (6, 6)


@both_kinds
def test_random_horizontal_flip_happens_with_its_probability(image):
    fb.manual_seed(0)
    flipped = ARRAY[:, ::-1]
    transform = T.RandomHorizontalFlip(0.25)
    count = sum(np.array_equal(values(transform(image)), flipped) for _ in range(400))
    assert 70 < count < 130  # 100 expected, standard deviation 8.7
    assert np.array_equal(values(T.RandomHorizontalFlip(1.0)(image)), flipped)
    assert np.array_equal(values(T.RandomHorizontalFlip(0.0)(image)), ARRAY)
