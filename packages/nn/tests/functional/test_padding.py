import pytest

import flambeau_core as fb
import flambeau_nn.functional as F


def test_last_dimension_comes_first():
    assert F.pad(fb.zeros(2, 3), (1, 2)).shape == (2, 6)
    assert F.pad(fb.zeros(2, 3), (1, 2, 3, 4)).shape == (9, 6)


def test_constant_value_and_cropping(close):
    x = fb.tensor([[1.0, 2.0, 3.0]])
    close(F.pad(x, (1, -1), value=7.0), [[7.0, 1.0, 2.0]])
    close(F.pad(x, (-1, -1)), [[2.0]])
    assert F.pad(x, (0, 0)) is not x


def test_integers_keep_their_dtype():
    padded = F.pad(fb.tensor([1, 2]), (1, 0), value=9)
    assert padded.dtype == fb.int64 and padded.tolist() == [9, 1, 2]


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
def test_gradients(mode, gradcheck, values):
    gradcheck(lambda x: F.pad(x, (2, 1, 1, 0), mode=mode), values(1, 2, 3, 3))


def test_circular_after_cropping(close):
    x = fb.tensor([[1.0, 2.0, 3.0, 4.0]])
    # Recorded from PyTorch 2.13: what is cropped away is not repeated.
    close(F.pad(x, (2, -1), mode="circular"), [[2.0, 3.0, 1.0, 2.0, 3.0]])


@pytest.mark.parametrize(
    ("pad", "mode", "error", "message"),
    [
        ((1,), "constant", RuntimeError, "must be divisible by 2"),
        ((1,) * 6, "constant", RuntimeError, "two times the input dimension"),
        ((-5, 0), "constant", RuntimeError, "take more than dimension"),
        ((3, 0), "reflect", RuntimeError, "less than the corresponding input dimension"),
        ((4, 0), "circular", RuntimeError, "wrapping around more than once"),
        ((1, 1), "mirror", NotImplementedError, "Unrecognised padding mode mirror"),
        ((1, 1, 1, 1), "reflect", NotImplementedError, "are supported for now"),
    ],
)
def test_refused(pad, mode, error, message):
    with pytest.raises(error, match=message):
        F.pad(fb.zeros(2, 3), pad, mode=mode)


def test_value_belongs_to_the_constant_mode():
    with pytest.raises(ValueError, match="doesn't take in value argument"):
        F.pad(fb.zeros(2, 3), (1, 1), mode="reflect", value=1.0)
