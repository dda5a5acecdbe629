import pytest

import flambeau_core as fb
import flambeau_nn.functional as F


def test_shares_overlap_when_sizes_do_not_divide(close):
    x = fb.tensor([[[1.0, 2.0, 3.0, 4.0, 5.0]]])
    # Shares of 5 in 3: [0, 2), [1, 4), [3, 5).
    close(F.adaptive_avg_pool1d(x, 3), [[[1.5, 3.0, 4.5]]])
    values, indices = F.adaptive_max_pool1d(x, 3, return_indices=True)
    close(values, [[[2.0, 4.0, 5.0]]])
    assert indices.tolist() == [[[1, 3, 4]]]


def test_two_and_three_dimensions(close):
    x = fb.arange(16.0).reshape(1, 1, 4, 4)
    close(F.adaptive_avg_pool2d(x, 2), [[[[2.5, 4.5], [10.5, 12.5]]]])
    values, indices = F.adaptive_max_pool2d(x, (1, 2), return_indices=True)
    close(values, [[[[13.0, 15.0]]]])
    assert indices.tolist() == [[[[13, 15]]]]
    volume = fb.arange(64.0).reshape(1, 1, 4, 4, 4)
    close(F.adaptive_avg_pool3d(volume, 1), [[[[[31.5]]]]])
    assert F.adaptive_max_pool3d(volume, (2, 1, 1), True)[1].reshape(-1).tolist() == [31, 63]


def test_none_keeps_a_size():
    assert F.adaptive_avg_pool2d(fb.zeros(1, 1, 5, 7), (None, 2)).shape == (1, 1, 5, 2)


@pytest.mark.parametrize(
    ("pool", "shape", "size"),
    [
        (F.adaptive_avg_pool1d, (1, 2, 5), 3),
        (F.adaptive_avg_pool2d, (1, 1, 3, 5), 2),
        (F.adaptive_avg_pool3d, (1, 1, 3, 2, 3), 2),
        (F.adaptive_max_pool1d, (1, 2, 5), 3),
        (F.adaptive_max_pool2d, (1, 1, 3, 5), 2),
    ],
)
def test_gradients(pool, shape, size, gradcheck, values):
    gradcheck(lambda x: pool(x, size), values(*shape))


def test_refused():
    with pytest.raises(ValueError, match="Input dimension should be at least 3"):
        F.adaptive_max_pool2d(fb.zeros(2, 2), (1, 1))
    with pytest.raises(ValueError, match="Input dimension should be at least 3"):
        F.adaptive_avg_pool2d(fb.zeros(2, 2), (1, 1))
    with pytest.raises(RuntimeError, match="Expected 3D or 4D input"):
        F.adaptive_max_pool2d(fb.zeros(2, 2), 1)
    with pytest.raises(RuntimeError, match="output_size must be 2"):
        F.adaptive_avg_pool2d(fb.zeros(1, 2, 2), (1, 1, 1))
    with pytest.raises(RuntimeError, match="must have 2 elements"):
        F.adaptive_max_pool2d(fb.zeros(1, 2, 2), (1, 1, 1))
    with pytest.raises(RuntimeError, match="greater than or equal to 0"):
        F.adaptive_avg_pool2d(fb.zeros(1, 2, 2), -1)
    with pytest.raises(RuntimeError, match="non-zero size for non-batch dimensions"):
        F.adaptive_max_pool2d(fb.zeros(1, 0, 2), 1)
