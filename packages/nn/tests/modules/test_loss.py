import math

import pytest

import flambeau_core as fb
import flambeau_nn as nn

LOGITS = [[0.0, math.log(3.0)], [math.log(3.0), 0.0]]


def test_cross_entropy(close):
    logits, target = fb.tensor(LOGITS), fb.tensor([1, 1])
    each = [-math.log(0.75), -math.log(0.25)]
    close(nn.CrossEntropyLoss(reduction="none")(logits, target), each)
    close(nn.CrossEntropyLoss()(logits, target), sum(each) / 2)
    close(nn.CrossEntropyLoss(reduction="sum")(logits, target), sum(each))


def test_cross_entropy_gradient(close):
    logits = fb.tensor(LOGITS, requires_grad=True)
    nn.CrossEntropyLoss()(logits, fb.tensor([1, 1])).backward()
    close(logits.grad, [[0.125, -0.125], [0.375, -0.375]])


def test_cross_entropy_weights_and_ignored(close):
    logits = fb.tensor([*LOGITS, [5.0, 1.0]])
    weight = fb.tensor([1.0, 3.0])
    loss = nn.CrossEntropyLoss(weight)(logits, fb.tensor([0, 1, -100]))
    close(loss, (-math.log(0.25) + 3 * -math.log(0.25)) / 4)
    assert list(nn.CrossEntropyLoss(weight).state_dict()) == ["weight"]
    kept = nn.CrossEntropyLoss(ignore_index=0)(logits[:2], fb.tensor([0, 1]))
    close(kept, -math.log(0.25))


def test_cross_entropy_smoothing_and_probabilities(close):
    logits = fb.tensor(LOGITS[:1])
    near, far = -math.log(0.75), -math.log(0.25)
    smoothed = nn.CrossEntropyLoss(label_smoothing=0.2)(logits, fb.tensor([1]))
    close(smoothed, 0.9 * near + 0.1 * far)
    close(nn.CrossEntropyLoss()(logits, fb.tensor([[0.3, 0.7]])), 0.3 * far + 0.7 * near)


def test_cross_entropy_over_positions(close):
    logits = fb.zeros(2, 3, 4)
    close(nn.CrossEntropyLoss()(logits, fb.zeros(2, 4, dtype=fb.int64)), math.log(3))
    close(nn.CrossEntropyLoss()(fb.zeros(3), fb.tensor(2)), math.log(3))


def test_cross_entropy_target_out_of_range():
    with pytest.raises(IndexError):
        nn.CrossEntropyLoss()(fb.zeros(1, 2), fb.tensor([2]))


def test_nll(close):
    log_probabilities = fb.tensor([[-1.0, -2.0], [-3.0, -4.0]])
    close(nn.NLLLoss()(log_probabilities, fb.tensor([0, 1])), 2.5)
    close(nn.NLLLoss(fb.tensor([1.0, 3.0]))(log_probabilities, fb.tensor([0, 1])), 13 / 4)


def test_mse_and_l1(close):
    a, b = fb.tensor([1.0, 2.0, 3.0]), fb.tensor([1.0, 0.0, 6.0])
    close(nn.MSELoss()(a, b), 13 / 3)
    close(nn.L1Loss(reduction="sum")(a, b), 5.0)
    with pytest.warns(UserWarning, match="different to the input size"):
        nn.MSELoss()(a, fb.zeros(1))


def test_smooth_l1_and_huber(close):
    a, b = fb.tensor([0.0, 0.0]), fb.tensor([0.5, 3.0])
    close(nn.SmoothL1Loss(reduction="none", beta=2.0)(a, b), [0.0625, 2.0])
    close(nn.SmoothL1Loss(reduction="none", beta=0.0)(a, b), [0.5, 3.0])
    close(nn.HuberLoss(reduction="none", delta=2.0)(a, b), [0.125, 4.0])


def test_bce(close):
    p, t = fb.tensor([0.25, 1.0]), fb.tensor([1.0, 0.0])
    close(nn.BCELoss(reduction="none")(p, t), [-math.log(0.25), 100.0])
    weighted = nn.BCELoss(fb.tensor([2.0, 0.0]), reduction="sum")(p, t)
    close(weighted, -2 * math.log(0.25))
    with pytest.raises(RuntimeError, match="should be between 0 and 1"):
        nn.BCELoss()(fb.tensor([1.5]), fb.tensor([1.0]))
    with pytest.raises(ValueError, match="different to the input size"):
        nn.BCELoss()(p, fb.ones(1))


def test_bce_gradient_stays_finite_at_the_ends(close):
    p = fb.tensor([0.0, 1.0], requires_grad=True)
    nn.BCELoss(reduction="sum")(p, fb.tensor([1.0, 0.0])).backward()
    close(p.grad, [-1e12, 1e12])


def test_bce_with_logits(close):
    x, t = fb.tensor([0.0, 100.0, -100.0]), fb.tensor([1.0, 1.0, 1.0])
    close(nn.BCEWithLogitsLoss(reduction="none")(x, t), [math.log(2), 0.0, 100.0])
    doubled = nn.BCEWithLogitsLoss(pos_weight=fb.tensor(2.0), reduction="none")(x, t)
    close(doubled, [2 * math.log(2), 0.0, 200.0])
    with pytest.raises(ValueError, match="must be the same as input size"):
        nn.BCEWithLogitsLoss()(x, fb.ones(1))


def test_kl_div(close):
    log_q, p = fb.tensor([[math.log(0.5), math.log(0.5)]]), fb.tensor([[0.25, 0.75]])
    divergence = 0.25 * math.log(0.5) + 0.75 * math.log(1.5)
    close(nn.KLDivLoss(reduction="batchmean")(log_q, p), divergence)
    close(nn.KLDivLoss(reduction="sum", log_target=True)(log_q, p.log()), divergence)
    close(nn.KLDivLoss(reduction="sum")(log_q, fb.tensor([[0.0, 1.0]])), math.log(2))
    with pytest.warns(UserWarning, match="batchmean"):
        nn.KLDivLoss()(log_q, p)


def test_poisson_nll(close):
    x, t = fb.tensor([1.0]), fb.tensor([3.0])
    close(nn.PoissonNLLLoss()(x, t), math.e - 3)
    close(nn.PoissonNLLLoss(log_input=False, eps=0.0)(fb.tensor([2.0]), t), 2 - 3 * math.log(2))
    stirling = 3 * math.log(3) - 3 + 0.5 * math.log(6 * math.pi)
    close(nn.PoissonNLLLoss(full=True)(x, t), math.e - 3 + stirling)


def test_gaussian_nll(close):
    x, t = fb.tensor([[1.0, 2.0]]), fb.tensor([[3.0, 2.0]])
    expected = 0.5 * ((math.log(4) + 1) + math.log(4)) / 2
    for variance in (fb.full((1, 2), 4.0), fb.tensor([[4.0]]), fb.tensor([4.0]), 4.0):
        close(nn.GaussianNLLLoss()(x, t, variance), expected)
    full = nn.GaussianNLLLoss(full=True)(x, t, 4.0)
    close(full, expected + 0.5 * math.log(2 * math.pi))
    with pytest.raises(ValueError, match="var has negative"):
        nn.GaussianNLLLoss()(x, t, fb.tensor([[-1.0, 1.0]]))
    with pytest.raises(ValueError, match="var is of incorrect size"):
        nn.GaussianNLLLoss()(x, t, fb.ones(3))


def test_margin_ranking(close):
    a, b = fb.tensor([1.0, 1.0]), fb.tensor([0.0, 3.0])
    close(nn.MarginRankingLoss(0.5, reduction="none")(a, b, fb.tensor([1.0, 1.0])), [0.0, 2.5])
    with pytest.raises(RuntimeError, match="All input tensors should have same dimension"):
        nn.MarginRankingLoss()(a, b, fb.tensor(1.0))


def test_hinge_embedding(close):
    x, t = fb.tensor([0.3, 0.3, 2.0]), fb.tensor([1.0, -1.0, -1.0])
    close(nn.HingeEmbeddingLoss(reduction="none")(x, t), [0.3, 0.7, 0.0])


def test_cosine_embedding(close):
    a = fb.tensor([[1.0, 0.0], [1.0, 0.0]])
    b = fb.tensor([[0.0, 2.0], [1.0, 1.0]])
    loss = nn.CosineEmbeddingLoss(margin=0.2, reduction="none")
    close(loss(a, b, fb.tensor([1, -1])), [1.0, math.sqrt(0.5) - 0.2])
    with pytest.raises(RuntimeError, match="1D target tensor expects 2D input tensors"):
        nn.functional.cosine_embedding_loss(a[0], b[0], fb.tensor([1]))


def test_triplet_margin(close):
    anchor, positive = fb.tensor([[0.0, 0.0]]), fb.tensor([[3.0, 4.0]])
    negative = fb.tensor([[0.0, 5.5]])
    close(nn.TripletMarginLoss(eps=0.0)(anchor, positive, negative), 0.5)
    # From the positive the negative is only sqrt(9 + 2.25) away.
    swapped = nn.TripletMarginLoss(eps=0.0, swap=True)(anchor, positive, negative)
    close(swapped, 6 - math.sqrt(11.25))
    manhattan = nn.TripletMarginWithDistanceLoss(
        distance_function=lambda a, b: (a - b).abs().sum(-1), margin=2.0
    )
    close(manhattan(anchor, positive, negative), 3.5)
    with pytest.raises(ValueError, match="margin"):
        nn.TripletMarginLoss(margin=0.0)


def test_soft_margin(close):
    close(
        nn.SoftMarginLoss()(fb.tensor([0.0, 2.0]), fb.tensor([1.0, -1.0])),
        (math.log(2) + math.log1p(math.e**2)) / 2,
    )


def test_multi_margin(close):
    x = fb.tensor([[0.1, 0.2, 0.4, 0.8]])
    close(nn.MultiMarginLoss()(x, fb.tensor([3])), (0.3 + 0.4 + 0.6) / 4)
    close(nn.MultiMarginLoss(p=2)(x, fb.tensor([3])), (0.09 + 0.16 + 0.36) / 4)
    weighted = nn.MultiMarginLoss(weight=fb.tensor([1.0, 1.0, 1.0, 2.0]))(x, fb.tensor([3]))
    close(weighted, 2 * 1.3 / 4)
    with pytest.raises(ValueError, match="only p == 1 and p == 2 supported"):
        nn.MultiMarginLoss(p=3)


def test_multilabel_margin(close):
    x, t = fb.tensor([[0.1, 0.2, 0.4, 0.8]]), fb.tensor([[3, 0, -1, 1]])
    expected = 0.25 * ((0.4 + 0.6) + (1.1 + 1.3))
    close(nn.MultiLabelMarginLoss()(x, t), expected)


def test_multilabel_soft_margin(close):
    x, t = fb.tensor([[0.0, math.log(3.0)]]), fb.tensor([[1.0, 0.0]])
    close(nn.MultiLabelSoftMarginLoss()(x, t), (math.log(2) - math.log(0.25)) / 2)


@pytest.mark.parametrize(
    "loss",
    [
        nn.MSELoss(),
        nn.L1Loss(),
        nn.SmoothL1Loss(),
        nn.HuberLoss(delta=0.7),
        nn.PoissonNLLLoss(),
        nn.SoftMarginLoss(),
        nn.BCEWithLogitsLoss(),
        nn.KLDivLoss(reduction="batchmean"),
        nn.MultiLabelSoftMarginLoss(),
    ],
    ids=lambda loss: type(loss).__name__,
)
def test_gradients(loss, gradcheck, values):
    target = values(2, 3, shift=2.1) / 5
    gradcheck(lambda x: loss(x, target), values(2, 3, shift=0.013))


def test_unknown_reduction():
    with pytest.raises(ValueError, match="maximum is not a valid value for reduction"):
        nn.L1Loss(reduction="maximum")(fb.zeros(1), fb.zeros(1))


def test_older_arguments(close):
    with pytest.warns(UserWarning, match="please use reduction='sum' instead"):
        loss = nn.MSELoss(size_average=False)
    close(loss(fb.zeros(2), fb.ones(2)), 2.0)
    with pytest.warns(UserWarning, match="please use reduction='none' instead"):
        close(nn.functional.l1_loss(fb.zeros(2), fb.ones(2), reduce=False), [1.0, 1.0])
