"""The device as such: its name, its count, tensors made on it and moved to it."""

from __future__ import annotations

import copy
import pickle

import pytest

import flambeau_core as fb
from flambeau_testing.conformance.capabilities import DTYPES

pytestmark = pytest.mark.flambeau_conformance


class TestDevice:
    def test_a_tensor_knows_its_device(self, device: str) -> None:
        tensor = fb.zeros(2, 3, device=device)
        assert tensor.device.type == fb.device(device).type
        assert tensor.device == fb.zeros(1, device=tensor.device).device

    def test_results_stay_on_the_device(self, device: str) -> None:
        tensor = fb.ones(2, 3, device=device)
        for result in (tensor + 1, tensor.sum(), tensor.t(), tensor[0], tensor.clone()):
            assert result.device == tensor.device

    def test_an_index_that_does_not_exist_is_refused(self, device: str) -> None:
        kind = fb.device(device).type
        if kind == "cpu":
            pytest.skip("the cpu is one device")
        with pytest.raises(RuntimeError):
            fb.zeros(1, device=f"{kind}:127")

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_values_survive_the_way_there_and_back(self, device: str, dtype: str) -> None:
        values = [[0, 1, 2], [3, 4, 5]] if dtype != "bool" else [[True, False, True]]
        tensor = fb.tensor(values, dtype=getattr(fb, dtype))
        moved = tensor.to(device)
        assert moved.device.type == fb.device(device).type
        assert moved.cpu().tolist() == values
        assert moved.dtype == tensor.dtype

    def test_empty_tensors_move_too(self, device: str) -> None:
        moved = fb.zeros(0, 3).to(device)
        assert moved.shape == (0, 3)
        assert moved.cpu().shape == (0, 3)

    def test_moving_to_where_it_is_returns_the_tensor_itself(self, device: str) -> None:
        tensor = fb.zeros(3, device=device)
        assert tensor.to(tensor.device) is tensor

    def test_copies_and_pickles_keep_values(self, device: str) -> None:
        tensor = fb.tensor([1.0, 2.0, 3.0], device=device)
        for twin in (copy.deepcopy(tensor), pickle.loads(pickle.dumps(tensor))):
            assert twin.device == tensor.device
            assert twin.cpu().tolist() == [1.0, 2.0, 3.0]
            twin.add_(1)
            assert tensor.cpu().tolist() == [1.0, 2.0, 3.0]
