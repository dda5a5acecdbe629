"""Tensors in ``pickle`` and ``copy.deepcopy``."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import flambeau_core as fb


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_values_dtype_and_flags(protocol: int) -> None:
    tensor = fb.arange(6.0, dtype=fb.float64).reshape(2, 3).t().requires_grad_()
    loaded = pickle.loads(pickle.dumps(tensor, protocol))
    assert loaded.tolist() == tensor.tolist()
    assert loaded.dtype == fb.float64
    assert loaded.requires_grad
    assert loaded.is_leaf


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 1)])
def test_pickle_keeps_shapes(shape: tuple[int, ...]) -> None:
    tensor = fb.ones(shape, dtype=fb.int32)
    loaded = pickle.loads(pickle.dumps(tensor))
    assert tuple(loaded.shape) == shape
    assert loaded.tolist() == tensor.tolist()


def test_pickle_of_a_slice_holds_the_slice_only() -> None:
    part = fb.zeros(100_000)[:3]
    assert len(pickle.dumps(part)) < 1000


def test_pickle_of_dtypes_devices_and_sizes() -> None:
    values = [fb.float32, fb.device("cpu"), fb.Size([1, 2])]
    loaded = pickle.loads(pickle.dumps(values))
    assert loaded == values
    assert loaded[0] is fb.float32


class Tagged(fb.Tensor):
    pass


def test_subclasses_keep_their_class_and_attributes() -> None:
    tensor = fb.Tensor._make_subclass(Tagged, fb.ones(2), True)
    tensor.tag = "x"
    for twin in (pickle.loads(pickle.dumps(tensor)), copy.deepcopy(tensor)):
        assert type(twin) is Tagged
        assert twin.tag == "x"
        assert twin.requires_grad
        assert twin.tolist() == [1.0, 1.0]


def test_deepcopy_has_memory_of_its_own() -> None:
    tensor = fb.ones(2)
    twin = copy.deepcopy(tensor)
    twin[0] = 5.0
    assert tensor.tolist() == [1.0, 1.0]


def test_deepcopy_keeps_sharing_and_layout() -> None:
    base = fb.arange(6.0).reshape(2, 3)
    first, row, turned = copy.deepcopy([base, base[1], base.t()])
    row[0] = -1.0
    assert first[1, 0].item() == -1.0
    assert turned[0, 1].item() == -1.0
    assert turned.stride() == (1, 3)
    assert base[1, 0].item() == 3.0


def test_deepcopy_of_the_same_tensor_is_one_copy() -> None:
    tensor = fb.ones(2)
    first, second = copy.deepcopy([tensor, tensor])
    assert first is second


def test_deepcopy_copies_the_gradient() -> None:
    tensor = fb.ones(2, requires_grad=True)
    (tensor * 3).sum().backward()
    twin = copy.deepcopy(tensor)
    assert twin.grad.tolist() == [3.0, 3.0]
    assert twin.grad is not tensor.grad


@pytest.mark.parametrize("action", [copy.deepcopy, pickle.dumps])
def test_tensors_within_a_graph_are_refused(action: Any) -> None:
    with pytest.raises(RuntimeError, match="only leaf tensors"):
        action(fb.ones(2, requires_grad=True) * 2)
