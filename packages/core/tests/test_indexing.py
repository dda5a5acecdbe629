"""x[...]: reading and writing, by positions, slices, masks and index tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb
from flambeau_core.autograd import grad

SHAPE = (4, 5, 6)
ROWS = [0, 2, -1]
MASK = np.array([True, False, True, True])
GRID = (np.arange(20).reshape(4, 5) % 3) == 0

# Every expression means the same in NumPy.
BASIC: dict[str, Any] = {
    "integer": 1,
    "negative": -1,
    "integers": (1, 2, 3),
    "slice": slice(1, 3),
    "open slices": (slice(2, None), slice(None, -1)),
    "steps": (slice(None, None, 2), slice(1, None, 3)),
    "beyond the end": (slice(2, 100), slice(-100, 2)),
    "empty slice": slice(3, 1),
    "ellipsis": (..., 0),
    "ellipsis between": (1, ..., slice(0, 2)),
    "ellipsis of nothing": (1, 2, ..., 3),
    "new dimension": None,
    "new dimensions": (None, 1, None, ..., None),
    "whole": ...,
    "nothing": (),
    "numpy integer": np.int64(2),
}
ADVANCED: dict[str, Any] = {
    "list": ROWS,
    "one list in a tuple": (ROWS,),
    "array": np.array([[0, 1], [3, -4]]),
    "two arrays": (np.array([0, 1, 2]), np.array([4, 3, 2])),
    "broadcast arrays": (np.array([[0], [1]]), np.array([2, 3, 4])),
    "array and number": (np.array([0, 1]), 2),
    "behind a slice": (slice(None), np.array([0, 4])),
    "two behind a slice": (slice(1, 3), np.array([0, 4]), np.array([1, 5])),
    "separated": (np.array([0, 1]), slice(None), np.array([2, 3])),
    "separated by a new dimension": (np.array([0, 1]), None, np.array([2, 3])),
    "behind an ellipsis": (..., np.array([5, 0, 0])),
    "mask": MASK,
    "mask of two dimensions": GRID,
    "mask and slice": (MASK, slice(1, 3)),
    "mask behind a slice": (slice(None), np.array([True, False, False, True, True])),
    "mask and array": (MASK, np.array([0, 1, 2])),
    "mask of all": np.arange(120).reshape(SHAPE) % 7 == 0,
    "mask of none": np.zeros(4, dtype=bool),
    "no positions": np.array([], dtype=np.int64),
    "empty list": [],
    "repeated": [1, 1, 1],
    "matrix of one": np.array([[2]]),
    "every kind": (None, slice(1, 3), np.array([0, 1]), ..., slice(2, 4)),
}


def arrays() -> np.ndarray[Any, Any]:
    return np.arange(120, dtype=np.float64).reshape(SHAPE)


def to_tensors(index: Any) -> Any:
    if isinstance(index, tuple):
        return tuple(to_tensors(part) for part in index)
    return fb.from_numpy(index.copy()) if isinstance(index, np.ndarray) else index


def same(actual: fb.Tensor, expected: Any) -> None:
    expected = np.asarray(expected)
    assert tuple(actual.shape) == expected.shape
    assert actual.tolist() == expected.tolist()


# ---- reading -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*BASIC, *ADVANCED])
def test_reading(name: str) -> None:
    index = {**BASIC, **ADVANCED}[name]
    x = fb.from_numpy(arrays())
    same(x[to_tensors(index)], arrays()[index])
    same(x[index], arrays()[index])  # arrays and lists serve as they are
    turned = np.ascontiguousarray(arrays().transpose(2, 0, 1)).transpose(1, 2, 0)
    same(fb.from_numpy(turned)[to_tensors(index)], arrays()[index])


@pytest.mark.parametrize("name", BASIC)
def test_basic_indexing_gives_views(name: str) -> None:
    x = fb.from_numpy(arrays())
    y = x[BASIC[name]]
    assert y._base is x
    if y.numel():
        y.fill_(-1)
        assert (x == -1).any()


@pytest.mark.parametrize("name", ADVANCED)
def test_advanced_indexing_copies(name: str) -> None:
    x = fb.from_numpy(arrays())
    x[to_tensors(ADVANCED[name])].fill_(-1)
    assert not (x == -1).any()


def test_integer_tensors_as_numbers() -> None:
    x = fb.arange(12).reshape(3, 4)
    same(x[fb.tensor(1)], [4, 5, 6, 7])
    same(x[fb.tensor(-1), fb.tensor(0)], 8)
    same(x[1 : fb.tensor(3)], [[4, 5, 6, 7], [8, 9, 10, 11]])
    for dtype in (fb.int32, fb.int64):
        same(x[fb.tensor([2, 0], dtype=dtype)], [[8, 9, 10, 11], [0, 1, 2, 3]])


def test_truth_values() -> None:
    x = fb.arange(3)
    same(x[True], [[0, 1, 2]])
    same(x[False], np.zeros((0, 3)))
    same(x[fb.tensor(True)], [[0, 1, 2]])
    scalar = fb.tensor(5)
    same(scalar[scalar > 3], [5])
    same(scalar[scalar > 9], np.zeros(0))
    same(scalar[...], 5)
    same(scalar[None], [5])


def test_lists_of_lists() -> None:
    x = fb.arange(12).reshape(3, 4)
    same(x[[0, 1], [1, 2]], [1, 6])
    same(x[[[0, 1], [1, 2]]], [1, 6])  # nested lists count as a tuple, as in PyTorch
    same(x[[slice(1, 2), 0]], [4])
    same(x[[True, False, True]], [[0, 1, 2, 3], [8, 9, 10, 11]])
    same(x[range(2)], [[0, 1, 2, 3], [4, 5, 6, 7]])


@pytest.mark.parametrize(
    "dtype", [fb.bool, fb.uint8, fb.int16, fb.float16, fb.bfloat16, fb.float32, fb.complex64]
)
def test_every_dtype(dtype: fb.dtype) -> None:
    x = fb.tensor([[0, 1, 1], [1, 0, 1]]).to(dtype)
    assert x[:, [2, 0]].dtype == dtype
    assert x[:, [2, 0]].real.float().tolist() == [[1.0, 0.0], [1.0, 1.0]]
    x[fb.tensor([True, False])] = 1
    assert x.real.float().tolist() == [[1.0, 1.0, 1.0], [1.0, 0.0, 1.0]]


# ---- writing ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*BASIC, *ADVANCED])
def test_writing_a_number(name: str) -> None:
    index = {**BASIC, **ADVANCED}[name]
    expected, x = arrays(), fb.from_numpy(arrays())
    expected[index] = -7
    x[to_tensors(index)] = -7
    same(x, expected)


@pytest.mark.parametrize("name", [n for n in [*BASIC, *ADVANCED] if n != "repeated"])
def test_writing_a_tensor(name: str) -> None:
    index = {**BASIC, **ADVANCED}[name]
    expected, x = arrays(), fb.from_numpy(arrays())
    values = -1 - np.arange(expected[index].size, dtype=np.float64).reshape(expected[index].shape)
    expected[index] = values
    x[to_tensors(index)] = fb.from_numpy(np.ascontiguousarray(values))
    same(x, expected)


def test_values_are_broadcast_and_converted() -> None:
    x = fb.zeros(3, 4)
    x[1:] = fb.tensor([1, 2, 3, 4])
    same(x, [[0] * 4, [1, 2, 3, 4], [1, 2, 3, 4]])
    x[:, fb.tensor([0, 2])] = fb.tensor([[9.0], [8.0], [7.0]])
    same(x[:, 2], [9, 8, 7])
    x[0] = fb.tensor([[[5.0]]])
    same(x[0], [5] * 4)
    x[0, :2] = fb.tensor([1, 2])
    same(x[0], [1, 2, 5, 5])
    x[x > 4] = 0
    assert x.max() <= 4
    whole = fb.zeros(2, dtype=fb.int64)
    whole[0] = 3.7
    whole[1] = fb.tensor(-3.7)
    assert whole.tolist() == [3, -3]


def test_writing_what_is_read() -> None:
    x = fb.arange(6)
    x[1:] = x[:-1].clone()
    assert x.tolist() == [0, 0, 1, 2, 3, 4]
    x[[0, 1]] = x[[1, 0]]
    assert x.tolist() == [0, 0, 1, 2, 3, 4]


def test_augmented_assignment() -> None:
    x = fb.zeros(4)
    x[1:3] += 2
    x[[0, 0]] += 1  # read once, written twice
    x[x == 0] -= 5
    assert x.tolist() == [1, 2, 2, -5]


def test_writing_through_views() -> None:
    x = fb.zeros(2, 3)
    x.t()[[0, 2]] = fb.tensor([[1.0, 2.0], [3.0, 4.0]])
    same(x, [[1, 0, 3], [2, 0, 4]])
    x[0][1] = 9
    assert x[0, 1] == 9


def test_writing_nothing() -> None:
    x = fb.zeros(3)
    x[fb.zeros(3, dtype=fb.bool)] = 1
    x[[]] = fb.zeros(0)
    x[3:] = fb.tensor([])
    assert x.tolist() == [0, 0, 0]


# ---- errors -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("index", "error", "words"),
    [
        (4, IndexError, "index 4 .*dimension 0 with size 4"),
        (-5, IndexError, "index -5 .*dimension 0 with size 4"),
        ((0, 5), IndexError, "dimension 1 with size 5"),
        ((0, 0, 0, 0), IndexError, "too many indices"),
        (([0], [0], [0], [0]), IndexError, "too many indices"),
        ((..., ...), IndexError, "single ellipsis"),
        (slice(None, None, -1), ValueError, "step must be greater than zero"),
        (slice(None, None, 0), ValueError, "zero"),
        ("name", TypeError, "str"),
        (1.5, IndexError, "float"),
        ([4], IndexError, "out of bounds|out of range"),
        ([0, -5], IndexError, "out of bounds|out of range"),
        ([0.5], (IndexError, TypeError), "float|long|int"),
        (([0, 1], [0, 1, 2]), IndexError, r"\[2\].*\[3\]"),
        (fb.ones(5, dtype=fb.bool), IndexError, r"\[5\].*\[4, 5, 6\]"),
        (fb.ones(4, 4, dtype=fb.bool), IndexError, r"\[4, 4\].*\[4, 5, 6\]"),
        (fb.zeros(2), IndexError, "long, int, byte or bool"),
    ],
)
def test_reading_and_writing_errors(index: Any, error: Any, words: str) -> None:
    x = fb.zeros(SHAPE)
    with pytest.raises(error, match=words):
        x[index]
    with pytest.raises(error, match=words):
        x[index] = 1.0
    assert not x.any()


def test_errors_of_0_dimensional_tensors() -> None:
    with pytest.raises(IndexError, match="0-dim"):
        fb.tensor(1)[0]
    with pytest.raises(IndexError, match="0-dim"):
        fb.tensor(1)[:]
    with pytest.raises(TypeError):
        len(fb.tensor(1))
    with pytest.raises(TypeError):
        iter(fb.tensor(1))


def test_writing_errors() -> None:
    x = fb.zeros(2, 3)
    with pytest.raises(RuntimeError, match=r"\[4\].*\[3\]|\[3\].*\[4\]"):
        x[0] = fb.zeros(4)
    with pytest.raises(RuntimeError, match=r"\[2, 2\].*\[2, 3\]"):
        x[[0, 1]] = fb.zeros(2, 2)
    with pytest.raises((TypeError, ValueError)):
        x[0] = "text"
    with pytest.raises(RuntimeError, match="complex|convert"):
        x[0] = 1j
    with pytest.raises(TypeError):
        del x[0]


# ---- gradients -------------------------------------------------------------------------------


def slopes(function: Callable[[fb.Tensor], fb.Tensor], x: fb.Tensor) -> fb.Tensor:
    y = function(x)
    weights = fb.arange(1, y.numel() + 1, dtype=fb.float64).reshape(y.shape)
    (found,) = grad((y * weights).sum(), x, materialize_grads=True)
    return found


@pytest.mark.parametrize("name", [*BASIC, *ADVANCED])
def test_gradient_of_reading(name: str) -> None:
    index = {**BASIC, **ADVANCED}[name]
    x = fb.from_numpy(arrays()).requires_grad_()
    places = np.arange(120).reshape(SHAPE)[index].reshape(-1)
    expected = np.bincount(places, np.arange(1, places.size + 1), minlength=120).reshape(SHAPE)
    same(slopes(lambda x: x[to_tensors(index)], x), expected)


@pytest.mark.parametrize("name", [n for n in [*BASIC, *ADVANCED] if n != "repeated"])
def test_gradient_of_writing(name: str) -> None:
    index = {**BASIC, **ADVANCED}[name]
    x = fb.from_numpy(arrays()).requires_grad_()
    shape = arrays()[index].shape
    value = fb.full(shape, 2.0, dtype=fb.float64, requires_grad=True)
    places = np.arange(120).reshape(SHAPE)[index]
    y = x * 1
    y[to_tensors(index)] = value
    weights = fb.arange(120, dtype=fb.float64).reshape(SHAPE)
    gx, gv = grad((y * weights).sum(), [x, value], materialize_grads=True)
    kept = arrays()
    kept[index] = 0
    same(gx, kept)
    same(gv, places.astype(float))


def test_gradient_of_a_number_written() -> None:
    x = fb.ones(3, dtype=fb.float64, requires_grad=True)
    y = x * 2
    y[1] = 7.0
    assert grad(y.sum(), x)[0].tolist() == [2, 0, 2]


def test_gradient_of_a_broadcast_value() -> None:
    x = fb.zeros(3, 4, dtype=fb.float64)
    value = fb.ones(4, dtype=fb.float64, requires_grad=True)
    x[[0, 2]] = value
    x.sum().backward()
    assert value.grad.tolist() == [2.0] * 4


def test_second_derivative_of_indexing() -> None:
    x = fb.tensor([1.0, 2.0, 3.0], dtype=fb.float64, requires_grad=True)
    y = x[[0, 0, 2]]
    (first,) = grad((y**3).sum(), x, create_graph=True)
    assert first.tolist() == [6.0, 0.0, 27.0]
    (second,) = grad(first.sum(), x)
    assert second.tolist() == [12.0, 0.0, 18.0]


# ---- functions of the same family ---------------------------------------------------------------


def test_index_put_accumulates() -> None:
    x = fb.zeros(3)
    x.index_put_((fb.tensor([0, 0, 2]),), fb.tensor([1.0, 2.0, 3.0]), accumulate=True)
    assert x.tolist() == [3.0, 0.0, 3.0]
    y = x.index_put((fb.tensor([1]),), fb.tensor(9.0))
    assert y.tolist() == [3.0, 9.0, 3.0] and x.tolist() == [3.0, 0.0, 3.0]


def test_nonzero_and_where() -> None:
    x = fb.tensor([[0, 1], [2, 0]])
    assert x.nonzero().tolist() == [[0, 1], [1, 0]]
    rows, columns = fb.where(x)
    assert x[rows, columns].tolist() == [1, 2]
    assert [t.tolist() for t in x.nonzero(as_tuple=True)] == [[0, 1], [1, 0]]
    assert fb.tensor(3).nonzero().shape == (1, 0)


def test_iteration_and_length() -> None:
    x = fb.arange(6).reshape(3, 2)
    assert len(x) == 3
    assert [row.tolist() for row in x] == [[0, 1], [2, 3], [4, 5]]
    a, b, c = x
    assert c.tolist() == [4, 5]
    assert list(reversed(x.tolist())) == x.flip(0).tolist()


@pytest.mark.parametrize("value", [[1, 2], (1, 2), np.ones(2)])
def test_only_tensors_and_numbers_are_assigned(value: Any) -> None:
    with pytest.raises(TypeError, match="can't assign"):
        fb.zeros(2)[:] = value


def test_type_of_what_is_written_through_index_tensors() -> None:
    x = fb.zeros(3)
    mask = fb.tensor([True, False, True])
    x[mask] = fb.tensor(2)  # one value under one mask is filled in
    same(x, [2, 0, 2])
    for index in (fb.tensor([0, 1]), (mask, ...)):
        with pytest.raises(RuntimeError, match="dtypes match"):
            x[index] = fb.tensor([1, 2])


def test_assigning_under_a_truth_value() -> None:
    x = fb.zeros(2)
    x[False] = 5
    same(x, [0, 0])
    x[True] = fb.tensor([1, 2])
    same(x, [1, 2])


def test_value_that_does_not_broadcast_to_an_empty_result() -> None:
    with pytest.raises(RuntimeError, match="shape mismatch"):
        fb.zeros(2, 3)[fb.tensor([0]), 3:] = fb.zeros(0, 3)
