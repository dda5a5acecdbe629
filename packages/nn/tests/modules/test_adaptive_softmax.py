"""The adaptive softmax against the product of probabilities that defines it."""

import pytest

import flambeau_core as fb
import flambeau_nn as nn


@pytest.fixture
def module():
    fb.manual_seed(3)
    return nn.AdaptiveLogSoftmaxWithLoss(8, 10, [3, 6], div_value=2.0, dtype=fb.float64)


def test_probabilities_sum_to_one(module):
    log_prob = module.log_prob(fb.randn(5, 8, dtype=fb.float64))
    assert log_prob.shape == (5, 10)
    assert fb.allclose(log_prob.exp().sum(1), fb.ones(5, dtype=fb.float64))


def test_cluster_probability_is_that_of_the_head(module):
    x = fb.randn(5, 8, dtype=fb.float64)
    head = module.head(x).softmax(1)
    assert fb.allclose(module.log_prob(x).exp()[:, 3:6].sum(1), head[:, 3])
    assert fb.allclose(module.log_prob(x).exp()[:, 6:].sum(1), head[:, 4])


def test_output_is_the_targets_log_probability(module):
    x = fb.randn(6, 8, dtype=fb.float64)
    target = fb.tensor([0, 9, 4, 2, 6, 5])
    output, loss = module(x, target)
    assert fb.allclose(output, module.log_prob(x).gather(1, target.unsqueeze(1)).squeeze(1))
    assert fb.allclose(loss, -output.mean())
    single = module(x[1], target[1])
    assert fb.allclose(single.output, output[1]) and single.output.dim() == 0
    assert fb.equal(module.predict(x), module.log_prob(x).argmax(1))


def test_gradient_is_that_of_the_definition(module):
    x = fb.randn(4, 8, dtype=fb.float64, requires_grad=True)
    target = fb.tensor([1, 9, 4, 2])
    (mine,) = fb.autograd.grad(module(x, target).loss, x)
    definition = -module.log_prob(x).gather(1, target.unsqueeze(1)).mean()
    (expected,) = fb.autograd.grad(definition, x)
    assert fb.allclose(mine, expected)


def test_shapes_of_the_clusters(module):
    widths = [tuple(layer.weight.shape) for cluster in module.tail for layer in cluster]
    assert widths == [(4, 8), (3, 4), (2, 8), (4, 2)]


@pytest.mark.parametrize("cutoffs", [[], [6, 3], [3, 3], [0, 3], [3, 10]])
def test_cutoffs_must_rise(cutoffs):
    with pytest.raises(ValueError, match="cutoffs"):
        nn.AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs)


def test_targets_that_do_not_fit(module):
    x = fb.zeros(3, 8, dtype=fb.float64)
    for target in (fb.tensor([1, 2]), fb.tensor([1, 2, 10]), fb.tensor(1), fb.tensor([[1]])):
        with pytest.raises(RuntimeError, match=r"target|Target"):
            module(x, target)
