"""Views: shared memory, strides, what cannot be a view, and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb
from flambeau_core.autograd import grad

SHAPE = (2, 3, 4)
# The op on a tensor of SHAPE, and the same on a NumPy array; every one shares memory.
VIEWS: dict[str, tuple[Callable[[fb.Tensor], fb.Tensor], Callable[[Any], Any]]] = {
    "view": (lambda x: x.view(6, 4), lambda a: a.reshape(6, 4)),
    "view with -1": (lambda x: x.view(-1, 2), lambda a: a.reshape(-1, 2)),
    "view_as": (lambda x: x.view_as(fb.zeros(24)), lambda a: a.reshape(24)),
    "reshape": (lambda x: x.reshape(3, 8), lambda a: a.reshape(3, 8)),
    "flatten": (lambda x: x.flatten(), lambda a: a.reshape(24)),
    "flatten some": (lambda x: x.flatten(1), lambda a: a.reshape(2, 12)),
    "unflatten": (lambda x: x.unflatten(2, (2, -1)), lambda a: a.reshape(2, 3, 2, 2)),
    "transpose": (lambda x: x.transpose(0, -1), lambda a: a.swapaxes(0, 2)),
    "permute": (lambda x: x.permute(2, 0, 1), lambda a: a.transpose(2, 0, 1)),
    "movedim": (lambda x: x.movedim(0, 2), lambda a: np.moveaxis(a, 0, 2)),
    "movedim of several": (
        lambda x: x.movedim((0, 1), (2, 0)),
        lambda a: np.moveaxis(a, (0, 1), (2, 0)),
    ),
    "mT": (lambda x: x.mT, lambda a: a.swapaxes(1, 2)),
    "expand": (
        lambda x: x[:, :1].expand(5, 2, -1, 4),
        lambda a: np.broadcast_to(a[:, :1], (5, 2, 1, 4)),
    ),
    "unsqueeze": (lambda x: x.unsqueeze(-2), lambda a: a[:, :, None]),
    "squeeze": (lambda x: x[:, :1].squeeze(1), lambda a: a[:, 0]),
    "squeeze all": (lambda x: x[:1, :, :1].squeeze(), lambda a: a[0, :, 0]),
    "select": (lambda x: x.select(1, -1), lambda a: a[:, -1]),
    "narrow": (lambda x: x.narrow(2, 1, 2), lambda a: a[:, :, 1:3]),
    "narrow from the end": (lambda x: x.narrow(2, -3, 2), lambda a: a[:, :, 1:3]),
    "unfold": (
        lambda x: x.unfold(2, 2, 1),
        lambda a: np.lib.stride_tricks.sliding_window_view(a, 2, axis=2),
    ),
    "diagonal": (lambda x: x.diagonal(1, 1, 2), lambda a: a.diagonal(1, 1, 2)),
    "as_strided": (
        lambda x: x.as_strided((3, 2), (2, 5), 1),
        lambda a: np.lib.stride_tricks.as_strided(a.reshape(-1)[1:], (3, 2), (16, 40)),
    ),
    "chunk": (lambda x: x.chunk(2, 2)[1], lambda a: a[:, :, 2:]),
    "split": (lambda x: x.split(2, 1)[1], lambda a: a[:, 2:]),
    "split sizes": (lambda x: x.split([1, 3], 2)[1], lambda a: a[:, :, 1:]),
    "tensor_split": (lambda x: x.tensor_split(2, 1)[0], lambda a: a[:, :2]),
    "unbind": (lambda x: x.unbind(1)[2], lambda a: a[:, 2]),
    "slices": (lambda x: x[:, 1:, ::2], lambda a: a[:, 1:, ::2]),
    "detach": (lambda x: x.detach(), lambda a: a),
    "swapaxes": (lambda x: x.swapaxes(0, 1), lambda a: a.swapaxes(0, 1)),
    "atleast_3d": (lambda x: fb.atleast_3d(x[0, 0]), lambda a: a[0, 0][None, :, None]),
}


def filled() -> np.ndarray[Any, Any]:
    return np.arange(24, dtype=np.float64).reshape(SHAPE)


@pytest.mark.parametrize("name", VIEWS)
def test_values_and_memory(name: str) -> None:
    view, reference = VIEWS[name]
    array = filled()
    x = fb.from_numpy(array)
    y, expected = view(x), reference(filled())
    assert tuple(y.shape) == expected.shape
    assert y.tolist() == expected.tolist()
    assert y.stride() == tuple(s // 8 for s in expected.strides) or 1 in y.shape
    assert y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    x.add_(100)
    assert y.tolist() == (expected + 100).tolist()


@pytest.mark.parametrize("name", [n for n in VIEWS if n != "detach"])
def test_gradients(name: str) -> None:
    view, reference = VIEWS[name]
    x = fb.from_numpy(filled()).requires_grad_()
    y = view(x)
    weights = fb.arange(1, y.numel() + 1, dtype=fb.float64).reshape(y.shape)
    (g,) = grad((y * weights).sum(), x, create_graph=True)
    expected = np.bincount(
        reference(filled()).astype(int).reshape(-1), np.arange(1, y.numel() + 1), minlength=24
    )
    assert g.reshape(-1).tolist() == expected.tolist()
    assert y._base is x


@pytest.mark.parametrize("name", [n for n in VIEWS if n not in ("detach", "expand", "unfold")])
def test_writes_reach_the_base(name: str) -> None:
    view, reference = VIEWS[name]
    x = fb.from_numpy(filled())
    before = x._version
    view(x).mul_(-1)
    expected = filled()
    expected[np.isin(expected, reference(filled()))] *= -1
    assert x.tolist() == expected.tolist()
    assert x._version == before + 1


def test_reshape_copies_where_it_must() -> None:
    x = fb.arange(6).reshape(2, 3).t()
    y = x.reshape(6)
    assert y.tolist() == [0, 3, 1, 4, 2, 5]
    y[0] = 100
    assert x[0, 0] == 0
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        x.view(6)
    assert x.view(3, 2, 1).shape == (3, 2, 1)


def test_views_across_merged_dimensions() -> None:
    x = fb.zeros(4, 6)[:, :3]
    assert x.view(2, 2, 3).stride() == (12, 6, 1)
    with pytest.raises(RuntimeError, match=r"\[12\].*|view size"):
        x.view(12)
    assert fb.zeros(0, 3).view(3, 0).shape == (3, 0)
    assert fb.zeros(0, 3).view(-1, 3).shape == (0, 3)
    with pytest.raises(RuntimeError, match="ambiguous|unspecified"):
        fb.zeros(0, 3).view(-1, 0)


def test_view_as_another_dtype() -> None:
    x = fb.tensor([1.0, -2.0])
    assert x.view(fb.int32).tolist() == [0x3F800000, -0x40000000]
    assert x.view(fb.uint8).shape == (8,)
    assert fb.zeros(4, dtype=fb.int16).view(fb.float64).shape == (1,)
    x.view(fb.int32)[0] = 0
    assert x[0] == 0
    with pytest.raises(RuntimeError):
        fb.zeros(3, dtype=fb.int16).view(fb.float32)


def test_complex_views() -> None:
    z = fb.tensor([1 + 2j, 3 - 4j])
    parts = fb.view_as_real(z)
    assert parts.tolist() == [[1, 2], [3, -4]]
    parts[0, 1] = 9
    assert z[0].item() == 1 + 9j
    z.real[1] = 0
    z.imag = fb.tensor([5.0, 6.0])
    assert z.tolist() == [1 + 5j, 6j]
    assert fb.view_as_complex(fb.tensor([[1.0, 2.0]])).tolist() == [1 + 2j]
    with pytest.raises(RuntimeError, match="last dimension"):
        fb.view_as_complex(fb.zeros(2, 3))
    x = fb.zeros(2)
    assert x.real is x
    with pytest.raises(RuntimeError, match="imag"):
        _ = x.imag


def test_contiguity() -> None:
    x = fb.zeros(2, 3, 4)
    assert x.is_contiguous() and not x.permute(2, 1, 0).is_contiguous()
    assert x.contiguous() is x
    turned = x.transpose(0, 1)
    copy = turned.contiguous()
    assert copy.is_contiguous() and copy.data_ptr() != x.data_ptr()
    # Dimensions of size 1 and empty tensors never break it.
    assert fb.zeros(1, 3).t().is_contiguous()
    assert fb.zeros(0, 3).t().is_contiguous()
    assert x.stride() == (12, 4, 1) and x.stride(-1) == 1
    assert turned[1].storage_offset() == 4


def test_as_strided_stays_inside_the_memory() -> None:
    x = fb.zeros(4)
    for size, stride, offset in (
        ((5,), (1,), 0),
        ((2,), (4,), 0),
        ((2,), (1,), 3),
        ((2, 2), (2, 2), 0),
    ):
        with pytest.raises(RuntimeError, match="storage|bounds"):
            x.as_strided(size, stride, offset)
    with pytest.raises(RuntimeError):
        x.as_strided((2,), (-1,))
    with pytest.raises(RuntimeError):
        x.as_strided((2,), (1,), -1)
    assert x.as_strided((0,), (1,), 4).shape == (0,)


def test_the_memory_outlives_the_base() -> None:
    y = fb.arange(1000).view(10, 100)[3]
    assert y.sum().item() == sum(range(300, 400))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: x.view(5, 5), RuntimeError, r"\[5, 5\].*24"),
        (lambda x: x.view(-1, 7), RuntimeError, r"\[-1, 7\].*24"),
        (lambda x: x.view(-1, -1), RuntimeError, "only one dimension can be inferred"),
        (lambda x: x.view(-2, 12), RuntimeError, "-2"),
        (lambda x: x.reshape(7), RuntimeError, r"\[7\].*24"),
        (lambda x: x.transpose(0, 3), IndexError, r"\[-3, 2\].*3"),
        (lambda x: x.permute(0, 1), RuntimeError, "2|3"),
        (
            lambda x: x.permute(0, 1, 1),
            RuntimeError,
            "more than once|repeated|duplicate|multiple times",
        ),
        (lambda x: x.expand(2, 3), RuntimeError, r"\[2, 3\].*\[2, 3, 4\]|number of sizes"),
        (lambda x: x.expand(5, 3, 4), RuntimeError, "5.*2"),
        (lambda x: x.squeeze(5), IndexError, "5"),
        (lambda x: x.unsqueeze(4), IndexError, "4"),
        (lambda x: x.select(0, 2), IndexError, "2"),
        (lambda x: x.narrow(0, 0, 3), RuntimeError, "3|exceeds"),
        (lambda x: x.narrow(0, 0, -1), RuntimeError, "non-negative"),
        (lambda x: x.narrow(0, 3, 1), IndexError, "3"),
        (lambda x: x.unfold(2, 5, 1), RuntimeError, "5"),
        (lambda x: x.unfold(2, 2, 0), RuntimeError, "0|step"),
        (lambda x: x.diagonal(0, 1, 1), RuntimeError, "dimensions"),
        (lambda x: x.split(0), RuntimeError, "0|split"),
        (lambda x: x.split([1, 5], 0), RuntimeError, "split|sum"),
        (lambda x: x.chunk(0), RuntimeError, "chunk"),
        (lambda x: x.t(), RuntimeError, "3D|2D|dimensions"),
        (lambda x: x.unflatten(0, (3, 3)), RuntimeError, "3"),
        (
            lambda x: x.movedim((0, 1), (0, 0)),
            RuntimeError,
            "repeated|more than once|multiple times",
        ),
        (lambda x: x.view("2"), TypeError, "view"),
    ],
)
def test_errors(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call(fb.zeros(SHAPE))
