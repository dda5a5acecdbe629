"""Errors read the same on every device, and leave it usable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import flambeau_core as fb

pytestmark = pytest.mark.flambeau_conformance

Call = Callable[[str], Any]
CALLS: dict[str, tuple[type[Exception], str, Call]] = {
    "shapes that do not broadcast": (
        RuntimeError,
        r"\(3\).*\(4\)",
        lambda d: fb.zeros(3, device=d) + fb.zeros(4, device=d),
    ),
    "a product of unfitting matrices": (
        RuntimeError,
        "2x3 and 4x5",
        lambda d: fb.zeros(2, 3, device=d) @ fb.zeros(4, 5, device=d),
    ),
    "a dimension out of range": (
        IndexError,
        r"\[-2, 1\]",
        lambda d: fb.zeros(2, 3, device=d).sum(5),
    ),
    "an index out of range": (
        IndexError,
        "out of bounds",
        lambda d: fb.zeros(3, device=d)[fb.tensor([7], device=d)].cpu(),
    ),
    "a shape of another size": (
        RuntimeError,
        r"\[2, 2\].*6",
        lambda d: fb.zeros(6, device=d).reshape(2, 2),
    ),
}


class TestErrors:
    @pytest.mark.parametrize("name", CALLS)
    def test_message_and_recovery(self, name: str, device: str) -> None:
        kind, message, call = CALLS[name]
        with pytest.raises(kind, match=message):
            call(device)
        assert (fb.ones(2, device=device) + 1).cpu().tolist() == [2, 2]

    def test_tensors_of_two_devices_do_not_mix(self, device: str) -> None:
        if fb.device(device).type == "cpu":
            pytest.skip("needs a device that is not the cpu")
        with pytest.raises(RuntimeError, match="same device"):
            fb.ones(2, device=device) + fb.ones(2)
