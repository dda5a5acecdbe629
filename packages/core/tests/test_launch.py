"""Kernels called from Python, and kernels borrowed from another backend of the same memory."""

from __future__ import annotations

import pytest

import flambeau_core as fb
from flambeau_core import _C


def test_launch_runs_a_kernel_on_allocated_outputs() -> None:
    a, out = fb.tensor([1.0, 2.0]), fb.empty(2)
    _C.launch("add", [out], [a, a])
    assert out.tolist() == [2.0, 4.0]


def test_launch_reads_parameters_and_absent_arrays() -> None:
    x, out = fb.tensor([[1.0, 2.0], [3.0, 4.0]]), fb.empty(2, 2)
    _C.launch("cumsum", [out], [x], (1,))
    assert out.tolist() == [[1.0, 3.0], [3.0, 7.0]]
    _C.launch("clamp", [out], [x, None, fb.full((2, 2), 2.5)])
    assert out.tolist() == [[1.0, 2.0], [2.5, 2.5]]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (("no_such_kernel", [], []), ValueError, "no kernel named"),
        (("cumsum", [fb.empty(1)], [fb.empty(1)]), TypeError, "takes 1 parameters"),
        (("cumsum", [fb.empty(1)], [fb.empty(1)], ("x",)), TypeError, "integer"),
        (("add", [3], [fb.empty(1)]), TypeError, "must hold tensors"),
        (("add", [None], [None, None]), ValueError, "no tensor"),
        (("add", 5, []), TypeError, "sequence"),
        (
            ("sin", [fb.empty(1, dtype=fb.bool)], [fb.empty(1, dtype=fb.bool)]),
            NotImplementedError,
            "not implemented for 'Bool'",
        ),
    ],
)
def test_launch_refuses(arguments: tuple, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        _C.launch(*arguments)


def test_a_missing_kernel_is_borrowed() -> None:
    """fft_c2c exists in the reference backend alone; every backend of the cpu serves it."""
    x = fb.tensor([1.0, 0.0, 0.0, 0.0], dtype=fb.complex64)
    out = fb.empty_like(x)
    before = _C.current_backend("cpu")
    _C.launch("fft_c2c", [out], [x], ([0], True, 1.0))
    assert out.real.tolist() == [1.0] * 4
    assert _C.current_backend("cpu") == before
