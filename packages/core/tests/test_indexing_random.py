"""Index expressions drawn at random, which mean the same in NumPy."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb
from flambeau_core.autograd import grad

DRAWS = range(120)


def drawn_shape(draw: random.Random) -> tuple[int, ...]:
    return tuple(draw.choice([0, 1, 2, 3, 4, 5]) for _ in range(draw.randint(1, 4)))


def drawn_slice(draw: random.Random, length: int) -> slice:
    def end() -> int | None:
        return draw.choice([None, draw.randint(-length - 2, length + 2)])

    return slice(end(), end(), draw.choice([None, 1, 2, 3, 7]))


def drawn_positions(draw: random.Random, shape: tuple[int, ...], length: int) -> Any:
    count = int(np.prod(shape))
    return np.array([draw.randrange(-length, length) for _ in range(count)], np.int64).reshape(
        shape
    )


def drawn_index(draw: random.Random, shape: tuple[int, ...], advanced: bool) -> tuple[Any, ...]:
    """Slices, None, ... and either integers or arrays: NumPy takes an integer beside an array for
    another array, PyTorch for a selection that comes first."""
    common = draw.choice([(2,), (3,), (2, 2), (1, 3), (1,), (0,)])
    index: list[Any] = []
    place = 0
    while place < len(shape) and draw.random() < 0.9:
        length = shape[place]
        kind = draw.choice(["slice", "slice", "none", "ellipsis", "own", "own", "mask"])
        if kind == "none":
            index.append(None)
        elif kind == "ellipsis" and Ellipsis not in [i for i in index if i is Ellipsis]:
            index.append(...)
            place += draw.randint(0, len(shape) - place)
        elif kind == "own" and length and not advanced:
            index.append(draw.randrange(-length, length))
            place += 1
        elif kind == "own" and length:
            index.append(drawn_positions(draw, draw.choice([common, (1,)]), length))
            place += 1
        elif kind == "mask" and advanced and common == (1,):
            span = draw.randint(1, len(shape) - place)
            block = shape[place : place + span]
            mask = np.zeros(block, bool)
            if mask.size:
                mask.flat[draw.randrange(mask.size)] = True
            index.append(mask)
            place += span
        else:
            index.append(drawn_slice(draw, length))
            place += 1
    return tuple(index)


def tensors(index: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(fb.from_numpy(i) if isinstance(i, np.ndarray) else i for i in index)


def case(seed: int) -> tuple[random.Random, Any, tuple[Any, ...]]:
    draw = random.Random(seed)
    shape = drawn_shape(draw)
    array = np.arange(float(np.prod(shape))).reshape(shape)
    if draw.random() < 0.3:
        array = np.ascontiguousarray(array.T).T  # another layout of the same values
    return draw, array, drawn_index(draw, shape, advanced=draw.random() < 0.6)


@pytest.mark.parametrize("seed", DRAWS)
def test_reading(seed: int) -> None:
    _, array, index = case(seed)
    expected = array[index]
    result = fb.from_numpy(array)[tensors(index)]
    assert tuple(result.shape) == expected.shape
    np.testing.assert_array_equal(result.numpy(), expected)


@pytest.mark.parametrize("seed", DRAWS)
def test_gradient_counts_how_often_an_element_is_read(seed: int) -> None:
    _, array, index = case(seed)
    x = fb.from_numpy(array.copy()).requires_grad_()
    result = x[tensors(index)]
    weights = np.arange(1.0, result.numel() + 1).reshape(tuple(result.shape))
    (gradient,) = grad((result * fb.from_numpy(weights)).sum(), x)
    expected = np.zeros_like(array)
    np.add.at(expected, index, weights)
    np.testing.assert_array_equal(gradient.numpy(), expected)


@pytest.mark.parametrize("seed", DRAWS)
def test_writing(seed: int) -> None:
    draw, array, index = case(seed)
    shape = array[index].shape
    # Values that broadcast; where a place is written twice, they are all the same.
    written = tuple(n if draw.random() < 0.5 else 1 for n in shape[draw.randint(0, len(shape)) :])
    places = np.arange(array.size).reshape(array.shape)[index].reshape(-1)
    if len(set(places.tolist())) < places.size:
        written = ()
    values = np.arange(100.0, 100 + np.prod(written)).reshape(written)
    expected = array.copy()
    expected[index] = values
    result = fb.from_numpy(array.copy())
    result[tensors(index)] = fb.from_numpy(values)
    np.testing.assert_array_equal(result.numpy(), expected)


@pytest.mark.parametrize("seed", DRAWS)
def test_gradient_of_writing(seed: int) -> None:
    _, array, index = case(seed)
    x = fb.from_numpy(array.copy()).requires_grad_()
    value = fb.tensor(3.0, dtype=fb.float64, requires_grad=True)
    y = x * 1
    y[tensors(index)] = value
    weights = np.arange(1.0, array.size + 1).reshape(array.shape)
    of_x, of_value = grad((y * fb.from_numpy(weights)).sum(), (x, value))
    kept = weights.copy()
    kept[index] = 0
    np.testing.assert_array_equal(of_x.numpy(), kept)
    # A place that is named twice is written, and counted, twice.
    assert of_value.item() == weights[index].sum()


@pytest.mark.parametrize("seed", DRAWS)
def test_accumulating(seed: int) -> None:
    draw, array, _ = case(seed)
    if 0 in array.shape:
        array = np.arange(6.0).reshape(2, 3)
    shape = draw.choice([(4,), (2, 3), (1,)])
    index = tuple(
        drawn_positions(draw, shape, n) for n in array.shape[: draw.randint(1, array.ndim)]
    )
    values = np.arange(np.prod(array[index].shape), dtype=float).reshape(array[index].shape)
    expected = array.copy()
    np.add.at(expected, index, values)
    indices = tuple(fb.from_numpy(i) for i in index)
    result = fb.from_numpy(array.copy()).index_put(indices, fb.from_numpy(values), accumulate=True)
    np.testing.assert_array_equal(result.numpy(), expected)
    assert (
        fb.from_numpy(array.copy()).index_put_(indices, fb.from_numpy(values), True).equal(result)
    )
