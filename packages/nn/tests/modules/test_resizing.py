import flambeau_core as fb
import flambeau_nn as nn


def test_upsample(close):
    x = fb.tensor([[[1.0, 2.0]]])
    close(nn.Upsample(scale_factor=2)(x), [[[1.0, 1.0, 2.0, 2.0]]])
    close(nn.Upsample(3, mode="linear", align_corners=True)(x), [[[1.0, 1.5, 2.0]]])
    image = fb.tensor([[[[1.0, 2.0]]]])
    close(nn.UpsamplingNearest2d(scale_factor=2)(image), [[[[1.0, 1.0, 2.0, 2.0]] * 2]])
    close(nn.UpsamplingBilinear2d((1, 3))(image), [[[[1.0, 1.5, 2.0]]]])


def test_pixel_shuffle_and_back(close):
    x = fb.arange(4.0).reshape(1, 4, 1, 1)
    shuffled = nn.PixelShuffle(2)(x)
    close(shuffled, [[[[0.0, 1.0], [2.0, 3.0]]]])
    close(nn.PixelUnshuffle(2)(shuffled), x.tolist())


def test_channel_shuffle():
    x = fb.arange(4.0).reshape(1, 4, 1, 1)
    assert nn.ChannelShuffle(2)(x).reshape(-1).tolist() == [0.0, 2.0, 1.0, 3.0]


def test_unfold_and_fold_are_adjoint(close):
    x = fb.arange(9.0).reshape(1, 1, 3, 3)
    columns = nn.Unfold(2)(x)
    assert columns.shape == (1, 4, 4)
    assert columns[0, :, 0].tolist() == [0.0, 1.0, 3.0, 4.0]
    counts = nn.Fold((3, 3), 2)(fb.ones(1, 4, 4))
    close(counts, [[[[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]]])


def test_reprs():
    assert repr(nn.Upsample(scale_factor=2)) == "Upsample(scale_factor=2.0, mode='nearest')"
    assert repr(nn.Upsample(4, mode="linear")) == "Upsample(size=4, mode='linear')"
    assert repr(nn.PixelShuffle(2)) == "PixelShuffle(upscale_factor=2)"
