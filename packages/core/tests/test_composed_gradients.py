"""First and second derivatives of composed ops and of definitions, against finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

import flambeau_core as fb
from flambeau_core.composed import (
    activations,
    adaptive_pooling,
    attention,
    channels,
    convolution,
    ctc,
    distribution_losses,
    elementwise,
    losses,
    margin_losses,
    neural,
    normalization,
    norms,
    order_statistics,
    patches,
    pooling,
    products,
    reductions,
    reordering,
    repetition,
    similarity,
    softmax,
    statistics,
    ternary,
    triangular,
    volume_pooling,
)

STEP = 1e-5


def sample(shape: Sequence[int], place: int) -> fb.Tensor:
    """Fixed irregular numbers between -1.5 and 1.5, none near zero, no two equal."""
    count = 1
    for length in shape:
        count *= length
    values = [((37 * i + 11 * place + 5) % 97) / 97 * 3 - 1.5 + 0.003 * place for i in range(count)]
    return fb.tensor(values, dtype=fb.float64).reshape(shape)


def weighted_sum(result: fb.Tensor | Sequence[fb.Tensor]) -> fb.Tensor:
    parts = [result] if isinstance(result, fb.Tensor) else list(result)
    total = fb.zeros((), dtype=fb.float64)
    for part in parts:
        if part.is_floating_point():
            weights = fb.arange(1, part.numel() + 1).to(fb.float64).reshape(part.shape)
            total = total + (part * (weights.sin() + 1.5)).sum()
    return total


def gradients(
    function: Callable[..., fb.Tensor], inputs: Sequence[fb.Tensor], create_graph: bool = False
) -> list[fb.Tensor]:
    total = weighted_sum(function(*inputs))
    return list(fb.autograd.grad(total, list(inputs), create_graph=create_graph))


def finite_differences(
    function: Callable[..., fb.Tensor], inputs: Sequence[fb.Tensor], place: int
) -> fb.Tensor:
    """Central differences of the weighted sum by every element of one input."""
    slopes = []
    for element in range(inputs[place].numel()):
        values = []
        for step in (STEP, -STEP):
            moved = [x.detach().clone() for x in inputs]
            flat = moved[place].reshape(-1).clone()
            flat[element] = flat[element] + step
            moved[place] = flat.reshape(inputs[place].shape)
            for x in moved:
                x.requires_grad_()
            values.append(weighted_sum(function(*moved)).item())
        slopes.append((values[0] - values[1]) / (2 * STEP))
    return fb.tensor(slopes, dtype=fb.float64).reshape(inputs[place].shape)


def assert_derivatives(function: Callable[..., fb.Tensor], inputs: Sequence[fb.Tensor]) -> None:
    leaves = [x.requires_grad_() for x in inputs]
    for place, gradient in enumerate(gradients(function, leaves)):
        difference = (gradient - finite_differences(function, leaves, place)).abs().max().item()
        assert difference < 1e-7, f"first derivative by input {place} is off by {difference}"

    def slope(*xs: fb.Tensor) -> list[fb.Tensor]:
        return gradients(function, xs, create_graph=True)

    total = weighted_sum(slope(*leaves))
    if not total.requires_grad:
        return
    seconds = fb.autograd.grad(total, leaves, allow_unused=True)
    for place, second in enumerate(seconds):
        expected = finite_differences(slope, leaves, place)
        actual = fb.zeros_like(expected) if second is None else second
        difference = (actual - expected).abs().max().item()
        assert difference < 1e-6, f"second derivative by input {place} is off by {difference}"


TARGET = [2, 0, 3]

DEFINITIONS = {
    "sigmoid": (activations.sigmoid, [(2, 3)]),
    "relu": (activations.relu, [(2, 3)]),
    "silu": (activations.silu, [(2, 3)]),
    "gelu": (lambda x: activations.gelu(x, 0), [(2, 3)]),
    "gelu-tanh": (lambda x: activations.gelu(x, 1), [(2, 3)]),
    "softplus": (lambda x: activations.softplus(x, 2.0, 1.0), [(2, 3)]),
    "leaky_relu": (lambda x: activations.leaky_relu(x, 0.1), [(2, 3)]),
    "elu": (lambda x: activations.elu(x, 1.5, 1.1, 0.7), [(2, 3)]),
    "mish": (lambda x: activations.mish(x, False), [(2, 3)]),
    "hardswish": (lambda x: activations.hardswish(x * 4, False), [(2, 3)]),
    "logsigmoid": (activations.logsigmoid, [(2, 3)]),
    "glu": (lambda x: activations.glu(x, -1), [(2, 4)]),
    "prelu": (activations.prelu, [(2, 3), (3,)]),
    "addcmul": (lambda a, b, c: ternary.addcmul(a, b, c, 1.5), [(4,), (4,), (4,)]),
    "addcdiv": (lambda a, b, c: ternary.addcdiv(a, b, c + 3, 1.5), [(4,), (4,), (4,)]),
    "lerp": (ternary.lerp, [(4,), (4,), (4,)]),
    "mean": (lambda x: reductions.mean(x, [0], False), [(3, 2)]),
    "var": (lambda x: reductions.var(x, [1], 1, True), [(2, 3)]),
    "max_dim": (lambda x: reductions.max_dim(x, 1, False), [(2, 3)]),
    "topk": (lambda x: reductions.topk(x, 2, 1, True, True), [(2, 4)]),
    "softmax": (lambda x: softmax.softmax(x, 1), [(2, 3)]),
    "log_softmax": (lambda x: softmax.log_softmax(x, 0), [(3, 2)]),
    "logsumexp": (lambda x: softmax.logsumexp(x, [1], False), [(2, 3)]),
    "layer_norm": (
        lambda x, w, b: normalization.layer_norm(x, [3], w, b, 1e-5),
        [(2, 3), (3,), (3,)],
    ),
    "batch_norm": (
        lambda x, w, b: normalization.batch_norm(x, None, None, w, b, True, 0.1, 1e-5),
        [(3, 2, 2), (2,), (2,)],
    ),
    "group_norm": (
        lambda x, w, b: normalization.group_norm(x, 2, w, b, 1e-5),
        [(2, 4, 2), (4,), (4,)],
    ),
    "rms_norm": (lambda x, w: normalization.rms_norm(x, [3], w, 1e-5), [(2, 3), (3,)]),
    "linear": (neural.linear, [(2, 3), (2, 3), (2,)]),
    "embedding": (lambda w: neural.embedding(fb.tensor([0, 2, 2]), w, None), [(3, 2)]),
    "convolution": (
        lambda x, w, b: convolution.convolution(x, w, b, [2], [1], [1], 1),
        [(1, 2, 5), (2, 2, 3), (2,)],
    ),
    "convolution-groups": (
        lambda x, w: convolution.convolution(x, w, None, [1, 1], [1, 0], [1, 2], 2),
        [(1, 2, 3, 4), (2, 1, 2, 2)],
    ),
    "convolution_backward_input": (
        lambda g, w: convolution.convolution_backward_input(g, w, [1, 2, 6], [2], [1], [1], 1),
        [(1, 2, 3), (2, 2, 3)],
    ),
    "max_pool2d": (
        lambda x: pooling.max_pool2d(x, [2, 2], [1, 2], [1, 0], [1, 1], False),
        [(1, 1, 3, 4)],
    ),
    "avg_pool2d": (
        lambda x: pooling.avg_pool2d(x, [2, 2], [2, 1], [1, 1], True, False, None),
        [(1, 1, 3, 3)],
    ),
    "adaptive_avg_pool2d": (lambda x: pooling.adaptive_avg_pool2d(x, [2, 3]), [(1, 1, 3, 4)]),
    "mse_loss": (lambda x, t: losses.mse_loss(x, t, "mean"), [(2, 3), (2, 3)]),
    "nll_loss": (
        lambda x: losses.nll_loss(x, fb.tensor(TARGET), None, 0, "mean"),
        [(3, 4)],
    ),
    "cross_entropy": (
        lambda x: losses.cross_entropy(x, fb.tensor(TARGET), None, -100, "mean", 0.1),
        [(3, 4)],
    ),
    "cross_entropy-probabilities": (
        lambda x, t: losses.cross_entropy(x, t, None, -100, "sum", 0.0),
        [(2, 3), (2, 3)],
    ),
    "binary_cross_entropy_with_logits": (
        lambda x, t: losses.binary_cross_entropy_with_logits(x, t, None, None, "mean"),
        [(2, 3), (2, 3)],
    ),
}

OPS = {
    "tril": (lambda x: triangular.tril(x, 0), [(3, 3)]),
    "flip": (lambda x: reordering.flip(x, [0, 1]), [(2, 3)]),
    "roll": (lambda x: reordering.roll(x, [1], [1]), [(2, 3)]),
    "repeat": (lambda x: repetition.repeat(x, [2, 1, 2]), [(2, 2)]),
    "repeat_interleave": (lambda x: repetition.repeat_interleave(x, 2, 1, None), [(2, 2)]),
    "einsum": (lambda a, b: fb.einsum("ij,kj->ik", a, b), [(2, 3), (2, 3)]),
    "einsum-diagonal": (lambda a: fb.einsum("iij->j", a), [(2, 2, 3)]),
    "outer": (products.outer, [(2,), (3,)]),
    "kron": (products.kron, [(2, 2), (2, 1)]),
    "cross": (lambda a, b: products.cross(a, b, None), [(3, 2), (3, 2)]),
    "tensordot": (lambda a, b: products.tensordot(a, b, 1), [(2, 3), (3, 2)]),
    "std": (lambda x: statistics.std(x, 1, None, False, None), [(2, 3)]),
    "norm": (lambda x: norms.norm(x, 2, None, False, None), [(2, 3)]),
    "norm-1": (lambda x: norms.norm(x, 1, [1], False, None), [(2, 3)]),
    "norm-3": (lambda x: norms.norm(x, 3, [0], True, None), [(2, 3)]),
    "norm-inf": (lambda x: norms.norm(x, float("inf"), [1], False, None), [(2, 3)]),
    "norm-nuc": (lambda x: norms.norm(x, "nuc", None, False, None), [(3, 2)]),
    "cdist": (lambda a, b: norms.cdist(a, b, 2.0, None), [(2, 3), (2, 3)]),
    "median": (lambda x: order_statistics.median(x, 1, False), [(2, 3)]),
    "quantile": (
        lambda x: order_statistics.quantile(x, 0.4, 1, False, "linear"),
        [(2, 4)],
    ),
    "sinc": (elementwise.sinc, [(4,)]),
    "logit": (lambda x: elementwise.logit(x * 0.2 + 0.5, None), [(4,)]),
    "logaddexp2": (elementwise.logaddexp2, [(4,), (4,)]),
    "attention": (
        lambda q, k, v: attention.scaled_dot_product_attention(
            q, k, v, None, 0.0, True, None, False
        ),
        [(2, 3), (2, 3), (2, 2)],
    ),
    "cosine_similarity": (
        lambda a, b: similarity.cosine_similarity(a, b, 1, 1e-8),
        [(2, 3), (2, 3)],
    ),
    "pdist": (lambda x: similarity.pdist(x, 2.0), [(3, 2)]),
    "bilinear": (neural.bilinear, [(2, 3), (2, 2), (2, 3, 2), (2,)]),
    "threshold": (lambda x: activations.threshold(x, 0.2, 0.5, False), [(2, 3)]),
    "rrelu": (lambda x: activations.rrelu(x, 0.1, 0.3, False, None), [(2, 3)]),
    "instance_norm": (
        lambda x, w, b: normalization.instance_norm(x, None, None, w, b, True, 0.1, 1e-5),
        [(2, 2, 3), (2,), (2,)],
    ),
    "max_pool3d": (
        lambda x: volume_pooling.max_pool3d(x, [2], [1], [0], [1], False, False),
        [(1, 1, 3, 2, 3)],
    ),
    "avg_pool3d": (
        lambda x: volume_pooling.avg_pool3d(x, [2], [1], [1], False, False, None),
        [(1, 1, 2, 2, 2)],
    ),
    "adaptive_max_pool2d": (
        lambda x: adaptive_pooling.adaptive_max_pool2d(x, [2, 2])[0],
        [(1, 1, 3, 5)],
    ),
    "binary_cross_entropy": (
        lambda x, t: losses.binary_cross_entropy(x * 0.3 + 0.5, t * 0.3 + 0.5, None, "mean"),
        [(2, 3), (2, 3)],
    ),
    "kl_div": (
        lambda x, t: distribution_losses.kl_div(x, t, "mean", True),
        [(2, 3), (2, 3)],
    ),
    "poisson_nll_loss": (
        lambda x: distribution_losses.poisson_nll_loss(
            x, fb.arange(6.0).double().reshape(2, 3), True, True, 1e-8, "sum"
        ),
        [(2, 3)],
    ),
    "cosine_embedding_loss": (
        lambda a, b: margin_losses.cosine_embedding_loss(a, b, fb.tensor([1, -1]), -0.9, "sum"),
        [(2, 3), (2, 3)],
    ),
    "triplet_margin_loss": (
        lambda a, p, n: margin_losses.triplet_margin_loss(a, p, n, 4.0, 2.0, 1e-6, True, "none"),
        [(2, 3), (2, 3), (2, 3)],
    ),
    "ctc_loss": (
        lambda x: ctc.ctc_loss(
            x.log_softmax(2), fb.tensor([[1, 1], [2, 1]]), [4, 3], [2, 2], 0, "mean", False
        ),
        [(4, 2, 3)],
    ),
    "pixel_shuffle": (lambda x: channels.pixel_shuffle(x, 2), [(4, 1, 2)]),
    "im2col": (
        lambda x: patches.im2col(x, [2, 2], [1, 1], [1, 0], [1, 1]),
        [(1, 2, 2, 3)],
    ),
    "col2im": (
        lambda x: patches.col2im(x, [3, 3], [2, 2], [1, 1], [0, 0], [1, 1]),
        [(1, 4, 4)],
    ),
}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_definition(name: str) -> None:
    function, shapes = DEFINITIONS[name]
    assert_derivatives(function, [sample(shape, i) for i, shape in enumerate(shapes)])


@pytest.mark.parametrize("name", OPS)
def test_op(name: str) -> None:
    function, shapes = OPS[name]
    assert_derivatives(function, [sample(shape, i) for i, shape in enumerate(shapes)])


def test_derivatives_at_zero() -> None:
    """Where the derivative does not exist, PyTorch's choice."""
    for function, expected in (
        (activations.sigmoid, 0.25),
        (activations.relu, 0.0),
        (activations.logsigmoid, 0.5),
        (lambda x: norms.norm(x, 2, None, False, None), 0.0),
        (elementwise.sinc, 0.0),
    ):
        x = fb.zeros(1, dtype=fb.float64, requires_grad=True)
        (slope,) = fb.autograd.grad(function(x).sum(), [x])
        assert slope.item() == expected


def test_constant_rows_have_no_spread() -> None:
    x = fb.ones(2, 3, dtype=fb.float64, requires_grad=True)
    (slope,) = fb.autograd.grad(statistics.std(x, 1, None, False, None).sum(), [x])
    assert slope.tolist() == [[0.0] * 3] * 2
