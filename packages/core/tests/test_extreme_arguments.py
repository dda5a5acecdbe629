"""Arguments at the limits of what integers, ranks and sequences can hold: refused, never obeyed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import flambeau_core as fb

LARGEST = 2**63 - 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: fb.zeros([1] * 65),
        lambda: fb.empty_strided([1] * 65, [1] * 65),
        lambda: fb.ones(1).view([1] * 65),
        lambda: fb.ones(1).reshape([1] * 65),
        lambda: fb.ones(1).expand([1] * 65),
        lambda: fb.ones(1).resize_([1] * 65),
        lambda: fb.ones(1).as_strided([1] * 65, [1] * 65),
        lambda: fb.ones(1).permute([0] * 65),
        lambda: fb.ones([1] * 64).unsqueeze(0),
        lambda: fb.ones([1] * 64)[None, None],
    ],
)
def test_at_most_64_dimensions(call: Callable[[], Any]) -> None:
    with pytest.raises(RuntimeError):
        call()


def test_64_dimensions_work() -> None:
    assert fb.ones([1] * 64).sum().item() == 1
    assert fb.ones([1] * 63)[None].dim() == 64


@pytest.mark.parametrize(
    "call",
    [
        lambda: fb.ones(1).expand(2**33, 2**33),
        lambda: fb.zeros(2**33, 2**33),
        lambda: fb.ones(2).resize_(2**33, 2**33),
        lambda: fb.ones(2).view(2**33, 2**33),
        lambda: fb.ones(4).unflatten(0, (2**62, 4)),
        lambda: fb.ones(2, 3).as_strided([2, 3], [0, LARGEST]),
        lambda: fb.ones(2, 3).as_strided([2**33, 2**33], [0, 0]),
        lambda: fb.ones(2, 3).as_strided([2], [1], LARGEST),
        lambda: fb.ones(2, 3).as_strided([-1], [1]),
        lambda: fb.empty_strided([2, 3], [LARGEST, 1]),
        lambda: fb.empty_strided([2, 3], [1]),
        lambda: fb.empty_strided([2], [-1]),
        lambda: fb.ones(2).resize_(-1),
        lambda: fb.ones(2).sum(2**70),
        lambda: fb.ones(2).view([2**70]),
        lambda: fb.ones(2).add(2**70),
    ],
)
def test_sizes_beyond_64_bits(call: Callable[[], Any]) -> None:
    with pytest.raises(RuntimeError):
        call()


def test_in_place_functions_want_a_tensor_first() -> None:
    for name in ("pow_", "remainder_", "bitwise_and_", "float_power_"):
        with pytest.raises(TypeError, match=name):
            getattr(fb.Tensor, name)(3, fb.ones(2))


def test_indices_from_an_iterable() -> None:
    """Iterating over a tensor makes its rows on the way; they live as long as the call."""
    x = fb.zeros(3, 3)
    x.index_put_(fb.tensor([[0, 1], [1, 2]]), fb.tensor([5.0, 6.0]))  # type: ignore[arg-type]
    assert x.tolist() == [[0, 5, 0], [0, 0, 6], [0, 0, 0]]


def test_no_indices_at_all() -> None:
    for indices in ((), (None,), (fb.tensor(True),)):
        with pytest.raises(RuntimeError, match="index"):
            fb.index_put(fb.zeros(2, 3), indices, fb.ones(3))


class Shrinking:
    """A number that empties the list it stands in when it is read."""

    def __init__(self, home: list[Any]) -> None:
        self.home = home

    def __index__(self) -> int:
        self.home.clear()
        return 1

    def __float__(self) -> float:
        return float(self.__index__())


def test_a_list_that_changes_while_it_is_read() -> None:
    sizes: list[Any] = []
    sizes += [Shrinking(sizes), 1, 1, 1]
    with pytest.raises(TypeError):
        fb.zeros(sizes)
    values: list[Any] = []
    values += [1.0, Shrinking(values), *[2.0] * 100]
    for dtype in (None, fb.float32, fb.int8):
        with pytest.raises(RuntimeError, match="changed its length"):
            fb.tensor(values, dtype=dtype)
        values += [1.0, Shrinking(values), *[2.0] * 100]


def test_one_host_memory_whatever_the_index() -> None:
    x = fb.full((3,), 2.0, device="cpu:1")
    assert x.tolist() == [2, 2, 2]
    assert (x + fb.ones(3)).tolist() == [3, 3, 3]
    assert x.to("cpu:2").tolist() == [2, 2, 2]


@pytest.fixture(autouse=True)
def no_leftover_error() -> Iterator[None]:
    """A swallowed exception would surface in some later call."""
    yield
    assert fb.ones(1).item() == 1
