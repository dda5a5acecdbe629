"""linear_cross_entropy against linear and cross_entropy one after the other."""

import pytest

import flambeau_core as fb
import flambeau_nn as nn
import flambeau_nn.functional as F

CHUNKED = nn.LinearCrossEntropyOptions(batch_chunk_size=2)


def problem(shape=(), probabilities=False):
    fb.manual_seed(1)
    outputs = (4, *shape)
    x = fb.randn(7, 3, dtype=fb.float64, requires_grad=True)
    weight = fb.randn(*outputs, 3, dtype=fb.float64, requires_grad=True)
    bias = fb.randn(*outputs, dtype=fb.float64, requires_grad=True)
    if probabilities:
        target = fb.randn(7, *outputs, dtype=fb.float64).softmax(1).requires_grad_()
    else:
        target = fb.randint(0, 4, (7, *shape))
    return x, weight, bias, target


def definition(x, weight, bias, target, class_weight, reduction, ignore_index, smoothing):
    logits = fb.einsum("ni,...i->n...", x, weight) + bias
    return F.cross_entropy(
        logits,
        target,
        class_weight,
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=smoothing,
    )


@pytest.mark.parametrize("options", [None, CHUNKED, nn.LinearCrossEntropyOptions()])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize(
    ("shape", "probabilities", "weighted", "ignore_index", "smoothing"),
    [
        ((), False, False, None, 0.0),
        ((), False, True, 1, 0.2),
        ((2, 3), False, True, None, 0.0),
        ((), True, True, None, 0.1),
        ((2,), True, False, None, 0.0),
    ],
)
def test_is_its_definition(
    options, reduction, shape, probabilities, weighted, ignore_index, smoothing
):
    tensors = problem(shape, probabilities)
    class_weight = fb.tensor([0.5, 1.0, 2.0, 0.25], dtype=fb.float64) if weighted else None
    loss = F.linear_cross_entropy(
        tensors[0],
        tensors[1],
        tensors[3],
        linear_bias=tensors[2],
        weight=class_weight,
        reduction=reduction,
        ignore_index=ignore_index,
        label_smoothing=smoothing,
        options=options,
    )
    expected = definition(*tensors, class_weight, reduction, ignore_index, smoothing)
    assert loss.shape == expected.shape and fb.allclose(loss, expected)
    wanted = [t for t in tensors if t.requires_grad]
    mine = fb.autograd.grad((loss * 1.5).sum(), wanted)
    theirs = fb.autograd.grad((expected * 1.5).sum(), wanted)
    for a, b in zip(mine, theirs):
        assert fb.allclose(a, b)


def test_chunks_never_hold_all_logits(monkeypatch):
    rows = []
    whole = F.projected_loss.linear

    def watched(x, *rest):
        rows.append(x.shape[0])
        return whole(x, *rest)

    monkeypatch.setattr(F.projected_loss, "linear", watched)
    x, weight, bias, target = problem()
    F.linear_cross_entropy(x, weight, target, linear_bias=bias, options=CHUNKED)
    assert rows == [2, 2, 2, 1]


def test_one_example():
    x, weight, _, target = problem()
    loss = F.linear_cross_entropy(x[0], weight, target[0])
    assert fb.allclose(loss, F.cross_entropy(F.linear(x[0], weight), target[0]))


def test_layer_is_the_function():
    layer = nn.LinearCrossEntropyLoss(3, 4, out_features=(2,), bias=True, dtype=fb.float64)
    x, _, _, target = problem((2,))
    assert layer.linear.weight.shape == (8, 3)
    expected = F.cross_entropy(layer.linear(x).reshape(7, 4, 2), target)
    assert fb.allclose(layer(x, target), expected)


@pytest.mark.parametrize(
    ("shapes", "error"),
    [
        (((2, 3, 3), (2, 3), (3, 2)), RuntimeError),
        (((2, 3), (2,), (2, 2)), RuntimeError),
        (((2, 5), (2, 3), (2, 2)), RuntimeError),
        (((3,), (2, 4, 3), (2, 4)), RuntimeError),
        (((4, 3), (2, 3), (5, 2)), ValueError),
    ],
)
def test_shapes_that_do_not_fit(shapes, error):
    x, weight, target = (fb.zeros(shape) for shape in shapes)
    with pytest.raises(error, match="linear_cross_entropy"):
        F.linear_cross_entropy(x, weight, target)


def test_other_arguments_that_do_not_fit():
    x, weight = fb.zeros(2, 3), fb.zeros(2, 3)
    with pytest.raises(RuntimeError, match="linear_bias shape"):
        F.linear_cross_entropy(x, weight, fb.tensor([0, 1]), linear_bias=fb.zeros(3))
    with pytest.raises(RuntimeError, match="ignore_index"):
        F.linear_cross_entropy(x, weight, fb.zeros(2, 2), ignore_index=0)
    with pytest.raises(RuntimeError, match="floating point"):
        F.linear_cross_entropy(x, weight, fb.zeros(2, 2, dtype=fb.int64))
    for wrong in ({"acc_policy": "x"}, {"chunking_method": "x"}, {"batch_chunk_size": 0}):
        with pytest.raises(ValueError):
            nn.LinearCrossEntropyOptions(**wrong)
