import pytest

import flambeau_core as fb
import flambeau_nn.functional as F

RAMP = [[[0.0, 1.0, 2.0, 3.0]]]

# Recorded from PyTorch 2.13.
RECORDED = [
    ({"scale_factor": 2}, "nearest", [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0]),
    ({"size": 6}, "nearest", [0.0, 0.0, 1.0, 2.0, 2.0, 3.0]),
    ({"size": 3}, "nearest-exact", [0.0, 2.0, 3.0]),
    ({"size": 2}, "area", [0.5, 2.5]),
    ({"size": 6}, "linear", [0.0, 0.5, 1.1666667461395264, 1.8333333730697632, 2.5, 3.0]),
    ({"size": 7, "align_corners": True}, "linear", [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]),
]


@pytest.mark.parametrize(("settings", "mode", "expected"), RECORDED)
def test_one_dimension(settings, mode, expected, close):
    close(F.interpolate(fb.tensor(RAMP), mode=mode, **settings), [[expected]])


def test_bicubic(close):
    image = fb.tensor([[[[1.0, 2.0, 4.0]]]])
    # Recorded from PyTorch 2.13.
    expected = [0.89453125, 1.15625, 1.5625, 2.55859375, 3.58203125, 4.2109375]
    close(F.interpolate(image, (1, 6), mode="bicubic"), [[[expected]]])


def test_antialias_averages_when_shrinking(close):
    image = fb.arange(8.0).reshape(1, 1, 1, 8)
    # Recorded from PyTorch 2.13.
    close(
        F.interpolate(image, (1, 2), mode="bilinear", antialias=True),
        [[[[1.8928571939468384, 5.107142925262451]]]],
    )


def test_scale_factor_decides_positions_unless_recomputed():
    x = fb.arange(5.0).reshape(1, 1, 5)
    kept = F.interpolate(x, scale_factor=0.7, mode="linear")
    recomputed = F.interpolate(x, scale_factor=0.7, mode="linear", recompute_scale_factor=True)
    assert kept.shape == recomputed.shape == (1, 1, 3)
    assert kept.tolist() != recomputed.tolist()


@pytest.mark.parametrize(
    ("mode", "shape", "size"),
    [
        ("nearest", (1, 2, 3), 5),
        ("linear", (1, 2, 3), 5),
        ("bilinear", (1, 1, 2, 3), (3, 2)),
        ("bicubic", (1, 1, 2, 3), (3, 4)),
        ("trilinear", (1, 1, 2, 2, 2), (3, 3, 3)),
        ("area", (1, 1, 4, 4), (2, 2)),
    ],
)
def test_gradients(mode, shape, size, gradcheck, values):
    gradcheck(lambda x: F.interpolate(x, size, mode=mode), values(*shape))


def test_dtypes_are_kept():
    image = fb.tensor([[[[0, 255]]]], dtype=fb.uint8)
    assert F.interpolate(image, (1, 4), mode="bilinear").dtype == fb.uint8
    assert F.interpolate(fb.zeros(1, 1, 2, dtype=fb.float16), 4, mode="linear").dtype == fb.float16


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({}, ValueError, "either size or scale_factor should be defined"),
        ({"size": 2, "scale_factor": 2}, ValueError, "only one of size or scale_factor"),
        ({"size": 2, "align_corners": True}, ValueError, "align_corners option can only be set"),
        ({"size": (2, 2)}, ValueError, "same number of spatial dimensions"),
        ({"size": 2, "mode": "bilinear"}, NotImplementedError, "got 3D"),
        ({"size": 2, "antialias": True}, ValueError, "Anti-alias option is restricted"),
        ({"size": 0}, RuntimeError, "should be greater than 0"),
    ],
)
def test_refused(settings, error, message):
    with pytest.raises(error, match=message):
        F.interpolate(fb.tensor(RAMP), **settings)


def test_older_names(close):
    x = fb.tensor(RAMP)
    with pytest.warns(UserWarning, match="deprecated"):
        assert F.upsample(x, 8).shape == (1, 1, 8)
    assert F.upsample_nearest(x, 8).shape == (1, 1, 8)
    image = x.unsqueeze(2)
    close(F.upsample_bilinear(image, (1, 2)), [[[[0.0, 3.0]]]])
