"""Neural-network ops under their bare names: other argument orders, numbered reductions."""

from __future__ import annotations

import math

import pytest

import flambeau_core as fb


def test_batch_norm_takes_parameters_before_statistics() -> None:
    x = fb.tensor([[1.0, 10.0], [3.0, 30.0]])
    weight, bias = fb.tensor([2.0, 1.0]), fb.tensor([0.0, 5.0])
    mean, var = fb.tensor([1.0, 10.0]), fb.tensor([4.0, 100.0])
    result = fb.batch_norm(x, weight, bias, mean, var, False, 0.1, 0.0, True)
    assert result.tolist() == [[0.0, 5.0], [2.0, 7.0]]
    same = fb.nn_ops.batch_norm(x, mean, var, weight, bias, False, 0.1, 0.0)
    assert same.equal(result)


def test_instance_norm_takes_parameters_before_statistics() -> None:
    x = fb.tensor([[[1.0, 3.0], [0.0, 4.0]]])
    weight, bias = fb.tensor([1.0, 10.0]), fb.tensor([0.0, 1.0])
    result = fb.instance_norm(x, weight, bias, None, None, True, 0.1, 0.0, False)
    assert result.tolist() == [[[-1.0, 1.0], [-9.0, 11.0]]]
    assert fb.nn_ops.instance_norm(x, None, None, weight, bias, True, 0.1, 0.0).equal(result)


@pytest.mark.parametrize(
    ("loss", "arguments"),
    [
        (fb.margin_ranking_loss, (fb.tensor([0.5, -2.0]), fb.tensor([1.0, 1.0]))),
        (fb.hinge_embedding_loss, (fb.tensor([0.5, 2.0]),)),
    ],
)
def test_reductions_by_number_and_word(loss, arguments) -> None:  # type: ignore[no-untyped-def]
    target = fb.tensor([1.0, -1.0])
    single = loss(*arguments, target, 0.25, 0)
    assert single.shape == (2,)
    assert loss(*arguments, target, 0.25).item() == single.mean().item()
    assert loss(*arguments, target, 0.25, reduction=2).item() == single.sum().item()
    assert loss(*arguments, target, 0.25, "sum").item() == single.sum().item()
    for unknown in (3, "average"):
        with pytest.raises(ValueError, match="not a valid value for reduction"):
            loss(*arguments, target, 0.25, unknown)


def test_hinge_embedding_loss() -> None:
    x, target = fb.tensor([0.5, 0.25, 2.0]), fb.tensor([1, -1, -1])
    assert fb.hinge_embedding_loss(x, target, 1.0, 0).tolist() == [0.5, 0.75, 0.0]


def test_kl_div() -> None:
    p, q = fb.tensor([0.25, 0.75, 0.0]), fb.tensor([0.5, 0.25, 0.25])
    expected = 0.25 * math.log(0.5) + 0.75 * math.log(3)
    assert fb.kl_div(q.log(), p, 2).item() == pytest.approx(expected)
    assert fb.kl_div(q.log(), p.log(), 2, log_target=True).isnan().item()


@pytest.mark.parametrize("loss_at", [0.0, 1.0])
def test_binary_cross_entropy_stays_finite(loss_at: float) -> None:
    x = fb.tensor([loss_at], requires_grad=True)
    loss = fb.nn_ops.binary_cross_entropy(x, fb.tensor([1 - loss_at]))
    loss.backward()
    assert loss.item() == 100.0
    # The divisor p (1 - p) is kept from falling below 1e-12.
    assert x.grad is not None and x.grad.item() == pytest.approx((2 * loss_at - 1) * 1e12)
    with pytest.raises(RuntimeError, match="elements of target should be between 0 and 1"):
        fb.nn_ops.binary_cross_entropy(fb.tensor([0.5]), fb.tensor([1.5]))


def test_threshold_in_place_writes_shared_elements_once() -> None:
    x = fb.tensor([[1], [5]]).expand(2, 3)
    assert fb.threshold_(x, 2, -7) is x
    assert x.tolist() == [[-7, -7, -7], [5, 5, 5]]


def test_rrelu_draws_slopes_from_its_generator() -> None:
    x = -fb.ones(1000)
    first = fb.rrelu(x, 0.1, 0.3, True, fb.Generator().manual_seed(3))
    assert fb.rrelu(x, 0.1, 0.3, True, fb.Generator().manual_seed(3)).equal(first)
    assert -0.3 <= first.min().item() < -0.25 and -0.15 < first.max().item() <= -0.1
    assert fb.rrelu(x, 0.1, 0.3)[0].item() == pytest.approx(-0.2)
    with pytest.raises(RuntimeError, match="Lower bound"):
        fb.rrelu(x, 0.3, 0.1)


def test_bilinear() -> None:
    result = fb.bilinear(
        fb.tensor([1.0, 2.0]), fb.tensor([3.0]), fb.tensor([[[1.0], [10.0]]]), fb.tensor([0.5])
    )
    assert result.tolist() == [63.5]
    with pytest.raises(RuntimeError, match="do not match weight"):
        fb.bilinear(fb.ones(3), fb.ones(1), fb.ones(1, 2, 1))


def test_adaptive_max_pool1d_gives_places() -> None:
    values, places = fb.adaptive_max_pool1d(fb.tensor([[1.0, 4.0, 2.0, 3.0, 0.0]]), 2)
    assert values.tolist() == [[4.0, 3.0]] and places.tolist() == [[1, 3]]


def test_feature_dropout_drops_whole_channels() -> None:
    fb.manual_seed(1)
    kept = fb.feature_dropout(fb.ones(50, 4, 3), 0.5, True)
    assert set(kept.reshape(-1).tolist()) == {0.0, 2.0}
    assert kept.amin(2).equal(kept.amax(2))
    with pytest.raises(RuntimeError, match="at least 2 dimensions"):
        fb.feature_dropout(fb.ones(3), 0.5, True)


def test_alpha_dropout_keeps_mean_and_variance() -> None:
    fb.manual_seed(2)
    x = fb.randn(100_000)
    dropped = fb.alpha_dropout(x, 0.3, True)
    assert abs(dropped.mean().item()) < 0.02 and abs(dropped.var().item() - 1) < 0.02
    assert fb.alpha_dropout(x, 0.3, False) is x


def test_conv_tbc() -> None:
    x = fb.arange(6.0).reshape(3, 1, 2)  # rows (0, 1), (2, 3), (4, 5)
    weight = fb.tensor([[[1.0], [0.0]], [[0.0], [10.0]]])
    result = fb.conv_tbc(x, weight, fb.tensor([0.5]), 1)
    assert result.tolist() == [[[10.5]], [[30.5]], [[52.5]], [[4.5]]]
    with pytest.raises(RuntimeError, match="weight must have 3 dims"):
        fb.conv_tbc(x, fb.ones(2, 1), fb.ones(1))
