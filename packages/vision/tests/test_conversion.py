import numpy as np
import pytest
from PIL import Image

import flambeau_core as fb
from flambeau_vision import transforms as T


def grey(values):
    return Image.fromarray(np.array(values, dtype=np.uint8))


def test_to_tensor_scales_bytes_and_puts_channels_first():
    image = Image.fromarray(np.array([[[255, 0, 51], [0, 102, 255]]], dtype=np.uint8))
    tensor = T.ToTensor()(image)
    assert tensor.dtype == fb.float32
    assert tensor.shape == (3, 1, 2)
    assert np.allclose(tensor.numpy(), [[[1, 0]], [[0, 0.4]], [[0.2, 1]]])


def test_to_tensor_gives_a_grey_image_one_channel():
    tensor = T.ToTensor()(grey([[0, 255]]))
    assert tensor.tolist() == [[[0.0, 1.0]]]


@pytest.mark.parametrize(
    ("mode", "dtype"), [("I", fb.int32), ("F", fb.float32), ("I;16", fb.int16)]
)
def test_to_tensor_leaves_wider_modes_unscaled(mode, dtype):
    tensor = T.ToTensor()(Image.new(mode, (2, 1), 300))
    assert tensor.dtype == dtype
    assert tensor.tolist() == [[[300, 300]]]


def test_to_tensor_of_a_bilevel_image():
    image = grey([[0, 255]]).convert("1")
    assert T.ToTensor()(image).tolist() == [[[0.0, 1.0]]]


def test_to_tensor_takes_arrays_and_scales_only_bytes():
    assert T.ToTensor()(np.full((1, 1, 3), 255, np.uint8)).tolist() == [[[1.0]]] * 3
    assert T.ToTensor()(np.full((2, 2), 7.0)).tolist() == [[[7.0, 7.0], [7.0, 7.0]]]


def test_to_tensor_does_not_share_the_images_memory():
    image = grey([[10, 20]])
    T.PILToTensor()(image)[0, 0, 0] = 99
    assert image.getpixel((0, 0)) == 10


def test_to_tensor_refuses_what_is_no_image():
    with pytest.raises(TypeError, match="pic should be PIL Image or ndarray. Got <class 'list'>"):
        T.ToTensor()([1, 2])
    with pytest.raises(ValueError, match="pic should be 2/3 dimensional. Got 1 dimensions"):
        T.ToTensor()(np.zeros(3))


def test_pil_to_tensor_keeps_the_values():
    tensor = T.PILToTensor()(grey([[1, 2, 3]]))
    assert tensor.dtype == fb.uint8
    assert tensor.tolist() == [[[1, 2, 3]]]
    with pytest.raises(TypeError, match="pic should be PIL Image"):
        T.PILToTensor()(np.zeros((2, 2)))


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA"])
def test_to_pil_image_undoes_to_tensor(mode):
    rng = np.random.default_rng(0)
    array = rng.integers(0, 256, (5, 4, len(Image.new(mode, (1, 1)).getbands())), dtype=np.uint8)
    image = Image.fromarray(array.squeeze())
    assert image.mode == mode
    for transform in (T.ToTensor(), T.PILToTensor()):
        back = T.ToPILImage()(transform(image))
        assert back.mode == mode
        assert np.array_equal(np.asarray(back), np.asarray(image))


def test_to_pil_image_takes_arrays_and_a_mode():
    image = T.ToPILImage("YCbCr")(np.zeros((3, 2, 3), np.uint8))
    assert (image.mode, image.size) == ("YCbCr", (2, 3))


@pytest.mark.parametrize(
    ("pic", "error", "message"),
    [
        ("text", TypeError, "pic should be Tensor or ndarray"),
        (np.zeros((1, 2, 3, 4), np.uint8), ValueError, "2/3 dimensional. Got 4"),
        (np.zeros((2, 2, 5), np.uint8), ValueError, "should not have > 4 channels. Got 5"),
        (np.zeros((2, 2, 3), np.int64), TypeError, "Input type int64 is not supported"),
    ],
)
def test_to_pil_image_refuses_what_no_image_can_hold(pic, error, message):
    with pytest.raises(error, match=message):
        T.ToPILImage()(pic)


def test_normalize_works_on_each_channel():
    tensor = fb.tensor([[[1.0, 2.0]], [[3.0, 4.0]]])
    result = T.Normalize((1.0, 2.0), (0.5, 4.0))(tensor)
    assert result.tolist() == [[[0.0, 2.0]], [[0.25, 0.5]]]
    assert tensor.tolist() == [[[1.0, 2.0]], [[3.0, 4.0]]]


def test_normalize_in_place_changes_its_input():
    tensor = fb.tensor([[[1.0, 2.0]]])
    assert T.Normalize((1.0,), (2.0,), inplace=True)(tensor) is tensor
    assert tensor.tolist() == [[[0.0, 0.5]]]


def test_normalize_refuses_what_it_cannot_do():
    with pytest.raises(TypeError, match="img should be Tensor Image"):
        T.Normalize((0.0,), (1.0,))(np.zeros((1, 2, 2)))
    with pytest.raises(TypeError, match="Input tensor should be a float tensor"):
        T.Normalize((0.0,), (1.0,))(fb.zeros(1, 2, 2, dtype=fb.uint8))
    with pytest.raises(ValueError, match=r"tensor image of size \(\.\.\., C, H, W\)"):
        T.Normalize((0.0,), (1.0,))(fb.zeros(2, 2))
    with pytest.raises(ValueError, match="leading to division by zero"):
        T.Normalize((0.0,), (0.0,))(fb.zeros(1, 2, 2))
