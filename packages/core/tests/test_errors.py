"""What ops refuse: the exception's type, a message with the op and both shapes, and no crash."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core import nn_ops

A, B = fb.ones(2, 3), fb.ones(4, 5)
WHOLE = fb.ones(2, 3, dtype=fb.int64)


# ---- shapes -----------------------------------------------------------------------------

ELEMENTWISE = "add sub mul div pow maximum minimum atan2 eq lt fmod remainder logaddexp".split()


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_broadcasting_errors_name_the_op_and_both_shapes(name: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        getattr(fb, name)(A, B)
    message = str(caught.value)
    assert name in message
    assert "[2, 3]" in message and "[4, 5]" in message


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: A @ B, "matmul|mm.*2x3.*4x5"),
        (lambda: fb.mm(A, B), "2x3.*4x5"),
        (lambda: fb.mm(A, fb.ones(3)), r"mm.*2D.*\[3\]"),
        (lambda: fb.bmm(fb.ones(2, 3, 4), fb.ones(2, 3, 4)), "bmm"),
        (lambda: fb.mv(A, fb.ones(2)), "mv|size mismatch"),
        (lambda: fb.dot(fb.ones(2), fb.ones(3)), "dot"),
        (lambda: fb.addmm(fb.ones(5), A, A.t()), r"addmm.*\[5\].*\[2, 2\]"),
        (lambda: fb.cat([A, B]), r"cat.*2|Sizes of tensors must match"),
        (lambda: fb.stack([A, B]), r"stack.*\[2, 3\].*\[4, 5\]"),
        (lambda: fb.where(A > 0, A, B), r"where.*\[2, 3\].*\[4, 5\]"),
        (lambda: A.clamp(B, None), r"clamp.*\[2, 3\].*\[4, 5\]"),
        (lambda: A.lerp(B, 0.5), r"lerp.*\[2, 3\].*\[4, 5\]"),
        (lambda: A.masked_fill(B > 0, 0), r"masked_fill.*\[4, 5\].*\[2, 3\]|\[2, 3\].*\[4, 5\]"),
        (lambda: A.masked_select(B > 0), r"masked_select.*\[2, 3\].*\[4, 5\]"),
        (lambda: A.clone().copy_(B), r"copy_.*"),
        (lambda: A.clone().add_(fb.ones(2, 2, 3)), r"add.*\[2, 3\].*\[2, 2, 3\]"),
        (lambda: A.gather(0, fb.zeros(3, dtype=fb.int64)), "gather|dimensions"),
        (lambda: A.expand(4, 4), r"expand.*\[4, 4\].*\[2, 3\]"),
        (lambda: A.view(4, 2), r"view.*\[4, 2\]"),
        (lambda: nn_ops.linear(A, B), r"linear.*\[2, 3\].*\[4, 5\]|2x3.*5x4"),
        (lambda: nn_ops.layer_norm(A, (4,)), r"\[4\].*\[2, 3\]"),
        (lambda: nn_ops.conv2d(fb.ones(1, 3, 4, 4), fb.ones(2, 2, 3, 3)), r"conv2d|\[2, 2, 3, 3\]"),
        (lambda: nn_ops.conv2d(fb.ones(1, 1, 2, 2), fb.ones(1, 1, 3, 3)), "[Kk]ernel size"),
        (lambda: nn_ops.mse_loss(A, fb.ones(2, 2), "none"), r"\[2, 3\].*\[2, 2\]|size"),
        (lambda: nn_ops.cross_entropy(A, fb.zeros(3, dtype=fb.int64)), "batch|size|2.*3"),
    ],
)
def test_shape_errors(call: Callable[[], Any], words: str) -> None:
    with pytest.raises((RuntimeError, ValueError), match=words):
        call()


# ---- dimensions, values, types -------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda: A.sum(2),
        lambda: A.mean(-3),
        lambda: A.amax(5),
        lambda: A.argmax(2),
        lambda: A.max(2),
        lambda: A.softmax(2),
        lambda: A.cumsum(-3),
        lambda: A.sort(2),
        lambda: A.topk(1, 2),
        lambda: A.transpose(0, 2),
        lambda: A.index_select(2, fb.tensor([0])),
        lambda: fb.cat([A, A], 2),
        lambda: A.unbind(2),
        lambda: A.squeeze(3),
        lambda: A.flatten(0, 4),
        lambda: A.select(0, 2),
        lambda: A.index_select(0, fb.tensor([2])),
        lambda: A.index_select(0, fb.tensor([-3])),
    ],
)
def test_ranges_are_index_errors(call: Callable[[], Any]) -> None:
    with pytest.raises((IndexError, RuntimeError), match="out of (range|bounds)|index"):
        call()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: A.sum((0, 0)), RuntimeError, "appears multiple times"),
        (lambda: fb.zeros(0).max(), RuntimeError, "max"),
        (lambda: fb.zeros(0).argmax(), (IndexError, RuntimeError), "argmax"),
        (lambda: fb.zeros(0, 3).amax(0), IndexError, "amax.*dim 0"),
        (lambda: WHOLE.mean(), RuntimeError, "mean.*Long"),
        (lambda: WHOLE.var(), RuntimeError, "floating point"),
        (lambda: WHOLE.float() & 1, (RuntimeError, NotImplementedError), "bitwise_and.*Float"),
        (lambda: ~A, (RuntimeError, TypeError, NotImplementedError), "bitwise_not.*Float"),
        (lambda: (A > 0) - (A > 0), RuntimeError, "sub.*bool"),
        (lambda: -(A > 0), RuntimeError, "neg.*bool"),
        (lambda: fb.tensor([1j]) < 1, (RuntimeError, NotImplementedError), "lt.*Complex"),
        (lambda: WHOLE**-1, RuntimeError, "pow.*negative integer powers"),
        (lambda: fb.mm(A, WHOLE.t()), RuntimeError, "float32.*int64|Float.*Long"),
        (lambda: A.gather(0, A), RuntimeError, "gather.*int64|gather.*index"),
        (lambda: A.gather(0, fb.full((2, 3), 7)), (RuntimeError, IndexError), "gather|7"),
        (lambda: A.masked_fill(A, 0), RuntimeError, "masked_fill.*bool"),
        (lambda: WHOLE.masked_fill(WHOLE > 0, 1j), RuntimeError, "masked_fill.*Long"),
        (lambda: A.topk(4), RuntimeError, "topk|k not in range"),
        (lambda: A.clamp(), RuntimeError, "clamp.*min.*max"),
        (lambda: fb.cat([]), (RuntimeError, ValueError), "cat|non-empty"),
        (lambda: fb.stack([]), (RuntimeError, ValueError), "stack|non-empty"),
        (lambda: nn_ops.dropout(A, 1.5), ValueError, r"1\.5"),
        (lambda: nn_ops.embedding(fb.tensor([9]), A), IndexError, "9|range"),
        (lambda: nn_ops.cross_entropy(A, fb.tensor([0, 9])), IndexError, "9|[Tt]arget"),
        (lambda: nn_ops.mse_loss(A, A, "average"), ValueError, "average"),
        (lambda: nn_ops.batch_norm(A, None, None), RuntimeError, "running_mean"),
        (lambda: nn_ops.max_pool2d(fb.ones(1, 1, 4, 4), 2, padding=2), RuntimeError, "pad"),
        (
            lambda: nn_ops.conv2d(fb.ones(1, 1, 4, 4), fb.ones(1, 1, 2, 2), stride=0),
            RuntimeError,
            "stride",
        ),
    ],
)
def test_values_and_types(call: Callable[[], Any], error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        call()


# ---- calls -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fb.exp(), r"exp\(\).*(missing|argument)"),
        (lambda: fb.exp(A, A, A), r"exp\(\)"),
        (lambda: fb.exp("x"), r"exp\(\).*'input'.*Tensor, not str"),
        (lambda: fb.exp(A, colour=1), r"exp\(\).*colour"),
        (lambda: fb.exp(A, input=A), r"exp\(\).*(multiple values|input|self)"),
        (lambda: fb.add(A, "x"), r"add\(\).*'other'.*str"),
        (lambda: fb.pow(1, 2), r"pow\(\)"),
        (lambda: fb.where(A > 0, A), r"where\(\)"),
        (lambda: fb.cat(A), r"cat\(\).*Tensor"),
        (lambda: fb.cat([A, 3]), r"cat\(\)"),
        (lambda: fb.matmul(A, 3), r"matmul\(\).*'other'.*int"),
        (lambda: A.reshape("2"), r"reshape\(\)"),
        (lambda: A.sum(dim="x"), r"sum\(\)"),
        (lambda: A.softmax(), r"softmax\(\).*dim"),
        (lambda: A.to(dtype=3), r"to\(\)"),
        (lambda: A + "x", r"\+"),
        (lambda: A @ 3, "@|matmul"),
        (lambda: A + None, r"\+"),
    ],
)
def test_wrong_calls_are_type_errors(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        call()


def test_overloads_are_listed() -> None:
    with pytest.raises(TypeError, match="invalid combination") as caught:
        fb.var(A, "x", "y")
    assert len(re.findall(r"\n \* var\(", str(caught.value))) >= 2


# ---- arguments that once broke programs like this one ---------------------------------------

HUGE = (2**45, 2**62, 2**63 - 1)


@pytest.mark.parametrize("size", HUGE)
def test_huge_sizes(size: int) -> None:
    x = fb.ones(3)
    for call in (
        lambda: fb.zeros(size, size),
        lambda: x.resize_(size * 4),
        lambda: fb.add(x, 1, out=fb.empty(0).resize_(size, size)),
        lambda: x.as_strided((2,), (size,)),
        lambda: x.as_strided((size, size), (1, 1)),
        lambda: x.as_strided((1,), (1,), size),
        lambda: x.expand(size, size, 3),
        lambda: fb.empty_strided((2, 2), (size, size)),
        lambda: x.repeat(size, size),
        lambda: fb.arange(0, size, dtype=fb.float64),
        lambda: x.view(size, size),
        lambda: x[size],
        lambda: x.narrow(0, size, 1),
        lambda: x.unfold(0, size, 1),
    ):
        with pytest.raises((RuntimeError, IndexError, MemoryError, TypeError, OverflowError)):
            call()
    assert x.expand(2**20, 3).shape == (2**20, 3)


def test_negative_sizes() -> None:
    x = fb.ones(3)
    for call in (
        lambda: x.resize_(-1),
        lambda: x.as_strided((-1,), (1,)),
        lambda: x.as_strided((2,), (-1,)),
        lambda: fb.empty_strided((-2,), (1,)),
        lambda: fb.empty_strided((2,), (-1,)),
        lambda: fb.empty_strided((2,), (1, 1)),
        lambda: x.expand(-2, 3),
        lambda: x.unfold(0, -1, 1),
        lambda: x.new_zeros(-1),
        lambda: fb.eye(-3),
        lambda: x.repeat(-1),
    ):
        with pytest.raises((RuntimeError, ValueError)):
            call()


def test_too_many_dimensions() -> None:
    x = fb.ones([1] * 64)
    assert x.ndim == 64 and x.sum().item() == 1
    for call in (
        lambda: fb.ones([1] * 65),
        lambda: x.unsqueeze(0),
        lambda: x[None],
        lambda: fb.stack([x, x]),
        lambda: fb.ones(1).view([1] * 65),
        lambda: fb.ones(1).reshape([1] * 1000),
        lambda: fb.ones(1).expand([1] * 65),
        lambda: fb.ones(1).repeat([1] * 65),
        lambda: fb.meshgrid(*[fb.ones(1)] * 65, indexing="ij"),
        lambda: fb.zeros(1).resize_([1] * 65),
        lambda: fb.empty_strided([1] * 65, [1] * 65),
    ):
        with pytest.raises(RuntimeError):
            call()


def test_odd_numbers() -> None:
    x = fb.ones(3)
    assert fb.full((1,), math.nan).isnan().all()
    for call in (
        lambda: x + 2**70,
        lambda: fb.tensor(2**70),
        lambda: x.sum(2**70),
        lambda: x[2**70],
        lambda: x.roll(2**70),
        lambda: fb.tensor([1]).fill_(math.nan + 1j),
        lambda: fb.arange(math.nan),
    ):
        with pytest.raises((RuntimeError, IndexError, TypeError, OverflowError, ValueError)):
            call()


def test_objects_with_hostile_methods() -> None:
    class Hostile:
        def __index__(self) -> int:
            raise KeyError("index")

        def __float__(self) -> float:
            raise KeyError("float")

        def __len__(self) -> int:
            raise KeyError("len")

        def __getitem__(self, i: int) -> int:
            raise KeyError("item")

    x = fb.ones(3)
    for call in (
        lambda: x[Hostile()],
        lambda: x + Hostile(),
        lambda: fb.zeros(Hostile()),
        lambda: x.sum(Hostile()),
        lambda: fb.tensor(Hostile()),
        lambda: fb.cat(Hostile()),
        lambda: x.view(Hostile(), 3),
    ):
        with pytest.raises((TypeError, KeyError, RuntimeError, ValueError, IndexError)):
            call()


def test_tensors_that_were_never_filled() -> None:
    """Tensor.__new__ without __init__, subclasses without super().__init__."""

    class Bare(fb.Tensor):
        def __init__(self) -> None:
            pass

    assert fb.Tensor.__new__(fb.Tensor).numel() == 0
    assert Bare().numel() == 0 and (Bare() + 1).shape == (0,)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: fb.roll(fb.tensor(1.0), 0, 0), IndexError),
        (lambda: fb.amax(fb.ones(5, 0, 5)), RuntimeError),
        (lambda: fb.amin(fb.ones(5, 0, 5), 1), IndexError),
        (lambda: fb.narrow_copy(A, -3, 0, 0), IndexError),
        (lambda: fb.narrow_copy(A, 3, 0, 0), RuntimeError),
        (lambda: fb.ones(2, dtype=fb.complex64).absolute_(), RuntimeError),
        (lambda: fb.ones(2, requires_grad=True).resize_as_(A), RuntimeError),
        (lambda: fb.triu_indices(2, 2, dtype=fb.float32), NotImplementedError),
        (lambda: fb.broadcast_shapes((2, -1), (2, 2)), ValueError),
    ],
)
def test_types_of_refusals(call: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
