import pytest

import flambeau_core as fb
from flambeau_testing import make_tensor

RANGES = {
    "float16": (-9, 9),
    "bfloat16": (-9, 9),
    "float32": (-9, 9),
    "float64": (-9, 9),
    "uint8": (0, 9),
    "int8": (-9, 9),
    "int16": (-9, 9),
    "int32": (-9, 9),
    "int64": (-9, 9),
    "bool": (0, 1),
}


@pytest.mark.parametrize("dtype", RANGES)
def test_values_fill_the_default_range(dtype):
    fb.manual_seed(0)
    values = make_tensor(1000, dtype=getattr(fb, dtype))
    assert values.dtype == getattr(fb, dtype)
    assert values.shape == (1000,)
    low, high = RANGES[dtype]
    numbers = [float(v) for v in values.tolist()]
    assert low <= min(numbers) < low + 1
    assert high - 1 < max(numbers) <= high


def test_shapes_and_ranges_can_be_given():
    assert make_tensor(2, 3, dtype=fb.float32).shape == (2, 3)
    assert make_tensor((2, 3), dtype=fb.float32).shape == (2, 3)
    assert make_tensor((), dtype=fb.float32).shape == ()
    values = make_tensor(500, dtype=fb.float64, low=2, high=3)
    assert 2 <= float(values.min()) <= float(values.max()) < 3
    with pytest.raises(ValueError, match="low < high"):
        make_tensor(3, dtype=fb.float32, low=1, high=1)


def test_gaps_in_memory():
    values = make_tensor(3, 4, dtype=fb.float32, noncontiguous=True)
    assert not values.is_contiguous()
    assert values.stride() == (8, 2)


def test_zeros_can_be_excluded():
    values = make_tensor(500, dtype=fb.int64, low=-1, high=2, exclude_zero=True)
    assert sorted(set(values.tolist())) == [-1, 1]


def test_gradients_and_the_seed():
    fb.manual_seed(3)
    first = make_tensor(4, dtype=fb.float32, requires_grad=True)
    fb.manual_seed(3)
    assert first.requires_grad
    assert first.tolist() == make_tensor(4, dtype=fb.float32).tolist()
