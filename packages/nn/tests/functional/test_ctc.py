import math

import pytest

import flambeau_core as fb
import flambeau_nn as nn
import flambeau_nn.functional as F

# Probabilities of blank, a and b in two frames.
FRAMES = [[0.2, 0.5, 0.3], [0.1, 0.6, 0.3]]


def log_probabilities(frames=FRAMES):
    return fb.tensor(frames, dtype=fb.float64).log().unsqueeze(1)


def test_sum_over_all_alignments(close):
    # "a" is spelled by a a, a blank and blank a.
    expected = -math.log(0.5 * 0.6 + 0.5 * 0.1 + 0.2 * 0.6)
    close(F.ctc_loss(log_probabilities(), fb.tensor([[1]]), [2], [1]), expected, rel=1e-9)
    # "ab" has one alignment only, and the mean divides by its length.
    close(F.ctc_loss(log_probabilities(), fb.tensor([[1, 2]]), [2], [2]), -math.log(0.15) / 2)


def test_repeats_need_a_blank_between():
    impossible = F.ctc_loss(log_probabilities(), fb.tensor([[1, 1]]), [2], [2])
    assert float(impossible) == math.inf
    three = log_probabilities([*FRAMES, FRAMES[0]])
    one_way = F.ctc_loss(three, fb.tensor([[1, 1]]), [3], [2], reduction="sum")
    assert one_way.item() == pytest.approx(-math.log(0.5 * 0.1 * 0.5))


def test_infinite_losses_can_be_dropped():
    x = log_probabilities().requires_grad_()
    loss = F.ctc_loss(x, fb.tensor([[1, 1]]), [2], [2], zero_infinity=True)
    loss.backward()
    assert loss.item() == 0.0 and float(x.grad.abs().sum()) == 0.0


def test_batches_of_both_kinds_of_targets(close):
    x = fb.cat([log_probabilities(), log_probabilities()], 1)
    padded = F.ctc_loss(
        x, fb.tensor([[1, 0], [1, 2]]), fb.tensor([2, 2]), fb.tensor([1, 2]), reduction="none"
    )
    joined = F.ctc_loss(x, fb.tensor([1, 1, 2]), [2, 2], [1, 2], reduction="none")
    close(padded, [-math.log(0.47), -math.log(0.15)], rel=1e-9)
    close(joined, padded.tolist())
    alone = nn.CTCLoss(reduction="sum")(x[:, 1], fb.tensor([1, 2]), [2], [2])
    close(alone, -math.log(0.15))


def test_another_blank(close):
    x = log_probabilities()[..., [1, 0, 2]]
    close(F.ctc_loss(x, fb.tensor([[0]]), [2], [1], blank=1), -math.log(0.47), rel=1e-9)


def test_gradients(gradcheck, values):
    target = fb.tensor([[1, 2, 2], [2, 1, 0]])
    gradcheck(lambda x: F.ctc_loss(x.log_softmax(2), target, [5, 4], [3, 2]), values(5, 2, 3))


def test_refused():
    x = log_probabilities()
    with pytest.raises(RuntimeError, match="blank must be in label range"):
        F.ctc_loss(x, fb.tensor([[1]]), [2], [1], blank=3)
    with pytest.raises(RuntimeError, match="input_lengths must be of size batch_size"):
        F.ctc_loss(x, fb.tensor([[1]]), [2, 2], [1])
    with pytest.raises(RuntimeError, match="to have value at most 2, but got value 3"):
        F.ctc_loss(x, fb.tensor([[1]]), [3], [1])
