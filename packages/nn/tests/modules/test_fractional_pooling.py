import pytest

import flambeau_core as fb
import flambeau_nn as nn
import flambeau_nn.functional as F


def test_windows_follow_the_samples():
    x = fb.arange(56.0).reshape(1, 1, 7, 8)
    samples = fb.tensor([[[0.1, 0.7]]])
    values, places = F.fractional_max_pool2d(
        x, 2, output_size=(3, 4), return_indices=True, _random_samples=samples
    )
    # By Graham's sequence columns start at 0, 2, 4, 6 and rows at 0, 3, 5.
    ends = [[(row + 1) * 8 + column + 1 for column in (0, 2, 4, 6)] for row in (0, 3, 5)]
    assert places.tolist() == [[ends]]
    assert values.tolist() == [[ends]]


def test_volumes_use_their_samples_in_order():
    x = fb.arange(210.0).reshape(1, 5, 6, 7)
    samples = fb.tensor([[[0.1, 0.7, 0.4]]])
    result = nn.FractionalMaxPool3d(2, (2, 3, 4), _random_samples=samples)(x)
    assert result[0, :, 0, 0].tolist() == [50.0, 176.0]
    assert result[0, 0, :, 0].tolist() == [50.0, 64.0, 78.0]
    assert result[0, 0, 0].tolist() == [50.0, 52.0, 54.0, 55.0]


def test_random_windows_cover_and_differ():
    fb.manual_seed(0)
    x = fb.arange(400.0).reshape(1, 20, 20)
    pool = nn.FractionalMaxPool2d(2, output_ratio=0.6, return_indices=True)
    results = [pool(x)[0] for _ in range(5)]
    assert all(r.shape == (1, 12, 12) and r[0, -1, -1].item() == 399 for r in results)
    assert len({tuple(r.reshape(-1).tolist()) for r in results}) > 1


def test_empty_batch():
    assert F.fractional_max_pool2d(fb.ones(0, 2, 4, 4), 2, (2, 2)).shape == (0, 2, 2, 2)


def test_gradient_goes_to_the_maxima(gradcheck, values):
    samples = fb.tensor([[[0.3, 0.6]]], dtype=fb.float64)
    gradcheck(
        lambda x: F.fractional_max_pool2d(x, 2, (2, 3), _random_samples=samples),
        values(1, 1, 4, 5),
    )


def test_refused():
    with pytest.raises(ValueError, match="either an output size, or a pooling ratio"):
        nn.FractionalMaxPool2d(2)
    with pytest.raises(ValueError, match="only one of output_size and output_ratio"):
        nn.FractionalMaxPool2d(2, 3, 0.5)
    with pytest.raises(ValueError, match="between 0 and 1"):
        nn.FractionalMaxPool3d(2, output_ratio=1.5)
    with pytest.raises(ValueError, match="requires specifying either"):
        F.fractional_max_pool2d(fb.ones(1, 4, 4), 2)
    with pytest.raises(RuntimeError, match="do not fit an input"):
        F.fractional_max_pool2d(fb.ones(1, 4, 4), 2, output_size=4)
    with pytest.raises(RuntimeError, match="expected random_samples of shape"):
        F.fractional_max_pool2d(
            fb.ones(1, 4, 4), 2, output_size=2, _random_samples=fb.ones(1, 2, 2)
        )
