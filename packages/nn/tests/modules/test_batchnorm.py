import pytest

import flambeau_core as fb
import flambeau_nn as nn

BATCH = [[1.0, 10.0], [3.0, 30.0]]


def test_training_normalises_and_tracks(close):
    layer = nn.BatchNorm1d(2, eps=0.0 + 1e-12)
    close(layer(fb.tensor(BATCH)), [[-1.0, -1.0], [1.0, 1.0]])
    close(layer.running_mean, [0.2, 2.0])  # 0.1 * the batch's mean
    close(layer.running_var, [0.9 + 0.1 * 2, 0.9 + 0.1 * 200])  # unbiased variance
    assert int(layer.num_batches_tracked) == 1


def test_evaluation_uses_running_statistics(close):
    layer = nn.BatchNorm1d(2, eps=1e-12).eval()
    with fb.no_grad():
        layer.running_mean.copy_(fb.tensor([1.0, 10.0]))
        layer.running_var.copy_(fb.tensor([4.0, 100.0]))
        layer.weight.fill_(2.0)
        layer.bias.fill_(1.0)
    close(layer(fb.tensor(BATCH)), [[1.0, 1.0], [3.0, 5.0]])
    assert int(layer.num_batches_tracked) == 0


def test_momentum_none_averages_all_batches(close):
    layer = nn.BatchNorm1d(1, momentum=None)
    layer(fb.tensor([[1.0], [3.0]]))
    layer(fb.tensor([[5.0], [7.0]]))
    close(layer.running_mean, [4.0])


def test_without_running_statistics_evaluation_uses_the_batch(close):
    layer = nn.BatchNorm1d(2, track_running_stats=False, eps=1e-12).eval()
    close(layer(fb.tensor(BATCH)), [[-1.0, -1.0], [1.0, 1.0]])
    assert layer.running_mean is None and list(layer.state_dict()) == ["weight", "bias"]


def test_not_affine():
    assert list(nn.BatchNorm1d(2, affine=False).parameters()) == []
    assert nn.BatchNorm1d(2, bias=False).bias is None


def test_gradients(gradcheck, values):
    def normalise(x, weight, bias):
        return nn.functional.batch_norm(x, None, None, weight, bias, training=True)

    gradcheck(normalise, values(3, 2, 2), values(2), values(2))


def test_input_dimensions_are_checked():
    for layer, shape, expected in (
        (nn.BatchNorm1d(2), (2, 2, 2, 2), "expected 2D or 3D input \\(got 4D input\\)"),
        (nn.BatchNorm2d(2), (2, 2), "expected 4D input \\(got 2D input\\)"),
        (nn.BatchNorm3d(2), (2, 2), "expected 5D input \\(got 2D input\\)"),
        (nn.InstanceNorm1d(2), (2,), "expected 2D or 3D input \\(got 1D input\\)"),
    ):
        with pytest.raises(ValueError, match=expected):
            layer(fb.zeros(shape))


def test_one_value_a_channel_cannot_be_normalised():
    with pytest.raises(ValueError, match="Expected more than 1 value per channel when training"):
        nn.BatchNorm1d(3)(fb.zeros(1, 3))
    nn.BatchNorm1d(3).eval()(fb.zeros(1, 3))


def test_eps_must_be_positive_in_training():
    with pytest.raises(ValueError, match="eps must be positive during training, but got 0.0"):
        nn.BatchNorm1d(2, eps=0.0)(fb.tensor(BATCH))


def test_reset_running_stats(close):
    layer = nn.BatchNorm1d(2)
    layer(fb.tensor(BATCH))
    layer.reset_running_stats()
    close(layer.running_mean, [0.0, 0.0])
    close(layer.running_var, [1.0, 1.0])
    assert int(layer.num_batches_tracked) == 0


def test_instance_norm_normalises_each_example(close):
    layer = nn.InstanceNorm1d(1, eps=1e-12)
    x = fb.tensor([[[1.0, 3.0]], [[10.0, 30.0]]])
    close(layer(x), [[[-1.0, 1.0]], [[-1.0, 1.0]]])
    close(layer(x[0]), [[-1.0, 1.0]])
    assert list(layer.state_dict()) == []


def test_instance_norm_checks_channels():
    with pytest.raises(ValueError, match="to match num_features \\(2\\), but got: 3"):
        nn.InstanceNorm1d(2, affine=True)(fb.zeros(1, 3, 4))


def test_reprs():
    # As PyTorch 2.13 prints them.
    assert repr(nn.BatchNorm2d(3)) == (
        "BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"
    )
    assert repr(nn.InstanceNorm1d(3)) == (
        "InstanceNorm1d(3, eps=1e-05, momentum=0.1, affine=False, bias=False, "
        "track_running_stats=False)"
    )
