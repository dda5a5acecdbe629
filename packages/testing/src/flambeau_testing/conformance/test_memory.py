"""Views, strided copies, fills and casts."""

from __future__ import annotations

import itertools

import pytest

import flambeau_core as fb
from flambeau_testing.conformance.capabilities import DTYPES

pytestmark = pytest.mark.flambeau_conformance


def counting(device: str, *shape: int) -> fb.Tensor:
    total = 1
    for size in shape:
        total *= size
    return fb.arange(total, dtype=fb.float32).to(device).reshape(shape)


class TestViews:
    def test_a_view_shares_its_memory(self, device: str) -> None:
        tensor = fb.zeros(3, 4, device=device)
        tensor[1].fill_(5)
        tensor.t()[2].fill_(7)
        expected = [[0, 0, 7, 0], [5, 5, 7, 5], [0, 0, 7, 0]]
        assert tensor.cpu().tolist() == expected

    def test_writing_through_a_step(self, device: str) -> None:
        tensor = fb.zeros(6, device=device)
        tensor[1::2] = fb.tensor([1.0, 2.0, 3.0], device=device)
        assert tensor.cpu().tolist() == [0, 1, 0, 2, 0, 3]

    @pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
    def test_copies_of_any_order_of_dimensions(self, device: str, order: tuple[int, ...]) -> None:
        tensor = counting(device, 2, 3, 4)
        view = tensor.permute(order)
        assert view.contiguous().cpu().tolist() == view.cpu().tolist()
        assert view.cpu().tolist() == tensor.cpu().permute(order).tolist()

    def test_copies_into_a_strided_view(self, device: str) -> None:
        target = fb.zeros(4, 6, device=device)
        target[::2, 1::2].copy_(counting(device, 2, 3))
        expected = [[0, 0, 0, 1, 0, 2], [0] * 6, [0, 3, 0, 4, 0, 5], [0] * 6]
        assert target.cpu().tolist() == expected

    def test_broadcast_copies(self, device: str) -> None:
        target = fb.zeros(2, 3, device=device)
        target.copy_(counting(device, 3))
        assert target.cpu().tolist() == [[0, 1, 2], [0, 1, 2]]
        assert counting(device, 3).expand(2, 3).contiguous().cpu().tolist() == [[0, 1, 2]] * 2

    def test_overlapping_moves_within_one_tensor(self, device: str) -> None:
        tensor = counting(device, 6)
        tensor[1:] = tensor[:-1].clone()
        assert tensor.cpu().tolist() == [0, 0, 1, 2, 3, 4]

    def test_more_dimensions_than_five(self, device: str) -> None:
        tensor = counting(device, 2, 1, 2, 1, 2, 2, 1)
        assert tensor.transpose(0, 5).contiguous().cpu().tolist() == (
            tensor.cpu().transpose(0, 5).tolist()
        )


class TestFill:
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_factories(self, device: str, dtype: str) -> None:
        kind = getattr(fb, dtype)
        assert fb.zeros(3, dtype=kind, device=device).cpu().tolist() == [0, 0, 0]
        assert fb.ones(3, dtype=kind, device=device).cpu().tolist() == [1, 1, 1]
        assert fb.full((2,), 1, dtype=kind, device=device).cpu().tolist() == [1, 1]

    def test_ranges(self, device: str) -> None:
        assert fb.arange(2, 11, 3, device=device).cpu().tolist() == [2, 5, 8]
        assert fb.arange(0.5, 2.0, 0.5, device=device).cpu().tolist() == [0.5, 1.0, 1.5]
        assert fb.linspace(0, 1, 5, device=device).cpu().tolist() == [0, 0.25, 0.5, 0.75, 1]
        assert fb.eye(2, device=device).cpu().tolist() == [[1, 0], [0, 1]]


class TestCast:
    @pytest.mark.parametrize(("source", "target"), list(itertools.permutations(DTYPES, 2)))
    def test_small_whole_numbers_survive_any_cast(
        self, device: str, source: str, target: str
    ) -> None:
        values = [0, 1, 1, 0] if "bool" in (source, target) else [0, 1, 2, 100]
        tensor = fb.tensor(values, dtype=getattr(fb, source)).to(device)
        cast = tensor.to(getattr(fb, target))
        assert cast.dtype == getattr(fb, target)
        assert [int(v) for v in cast.cpu().tolist()] == values

    def test_fractions_are_cut_and_everything_but_zero_is_true(self, device: str) -> None:
        tensor = fb.tensor([-1.7, 0.0, 0.3, 2.9]).to(device)
        assert tensor.to(fb.int64).cpu().tolist() == [-1, 0, 0, 2]
        assert tensor.to(fb.bool).cpu().tolist() == [True, False, True, True]
