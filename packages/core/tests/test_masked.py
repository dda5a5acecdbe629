"""Masked ops: what is left out altogether, dtypes, errors.

Values and gradients are among the samples of op_samples.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

import flambeau_core as fb

masked = fb.masked
X = fb.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
# The second row is left out.
MASK = fb.tensor([[True, False, True], [False, False, False]])
INF = math.inf


@pytest.mark.parametrize(
    ("name", "left", "nothing"),
    [
        ("sum", 4.0, 0.0),
        ("prod", 3.0, 1.0),
        ("amax", 3.0, -INF),
        ("amin", 1.0, INF),
        ("mean", 2.0, math.nan),
        ("var", 2.0, math.nan),
        ("std", math.sqrt(2), math.nan),
        ("median", 1.0, math.nan),
        ("norm", math.sqrt(10), 0.0),
        ("logsumexp", math.log(math.exp(1) + math.exp(3)), -INF),
    ],
)
def test_a_row_that_is_left_out_gives_the_identity(name: str, left: float, nothing: float) -> None:
    result = getattr(masked, name)(X, dim=1, mask=MASK).tolist()
    assert result == pytest.approx([left, nothing], rel=1e-6, nan_ok=True)


def test_norms_of_every_order() -> None:
    expected = {2: 10**0.5, 1: 4, INF: 3, -INF: 1, 0: 2, -1: 0.75}
    for order, value in expected.items():
        assert masked.norm(X, order, 1, mask=MASK)[0].item() == pytest.approx(value)
    assert masked.norm(X, -INF, 1, mask=MASK)[1].item() == INF


def test_scans_pass_over_what_is_left_out() -> None:
    assert masked.cumsum(X, 1, mask=MASK).tolist() == [[1.0, 1.0, 4.0], [0.0] * 3]
    assert masked.cumprod(X, 1, mask=MASK).tolist() == [[1.0, 1.0, 3.0], [1.0] * 3]


def test_softmax_family_gives_nothing_to_what_is_left_out() -> None:
    share = 1 / (1 + math.exp(2))
    assert masked.softmax(X, 1, mask=MASK)[0].tolist() == pytest.approx([share, 0, 1 - share])
    assert masked.softmin(X, 1, mask=MASK)[0].tolist() == pytest.approx([1 - share, 0, share])
    logarithms = masked.log_softmax(X, 1, mask=MASK)[0].tolist()
    assert logarithms == pytest.approx([math.log(share), -INF, math.log(1 - share)])
    assert bool(masked.softmax(X, 1, mask=MASK)[1].isnan().all())


def test_normalize_and_its_floor() -> None:
    unit = masked.normalize(X, 2, 1, mask=MASK)
    assert unit.tolist()[0] == pytest.approx([1 / 10**0.5, 0, 3 / 10**0.5])
    assert unit.tolist()[1] == [0.0, 0.0, 0.0]
    assert masked.normalize(X, 2, 1, eps=100.0)[0].tolist() == pytest.approx([0.01, 0.02, 0.03])


def test_logaddexp_where_one_term_or_both_are_left_out() -> None:
    x, on, off = fb.tensor([1.0]), fb.tensor([True]), fb.tensor([False])
    assert masked.logaddexp(x, x).item() == pytest.approx(1 + math.log(2))
    assert masked.logaddexp(x, x, input_mask=off, other_mask=on).item() == 1.0
    assert masked.logaddexp(x, x, input_mask=off, other_mask=off).item() == -INF


def test_positions_have_the_dtype_of_the_input() -> None:
    """As in PyTorch."""
    first = fb.tensor([[True, True, False], [True, False, False]])
    assert masked.argmax(X, 1, mask=first).tolist() == [1.0, 0.0]
    assert masked.argmin(X, 1, mask=~first).tolist() == [2.0, 1.0]
    assert masked.argmax(X).item() == 5.0
    assert masked.argmax(X, 1).dtype == fb.float32
    assert masked.argmax(X, 1, dtype=fb.int64, keepdim=True).tolist() == [[2], [2]]


def test_dimensions() -> None:
    row = fb.tensor([True, False, True])
    assert masked.sum(X, mask=row).item() == 14.0
    assert masked.sum(X, (), mask=row).item() == 14.0
    assert masked.mean(X, (0, 1), keepdim=True, mask=row).tolist() == [[3.5]]
    assert masked.prod(X, (1, 0), mask=row).item() == 72.0
    assert masked.prod(X, (0, 1), keepdim=True).shape == (1, 1)
    assert masked.sum(fb.tensor(3.0), mask=fb.tensor(False)).item() == 0.0
    assert masked.prod(fb.tensor(3.0), mask=fb.tensor(True)).item() == 3.0


def test_whole_numbers() -> None:
    x = fb.tensor([[1, 2, 3], [4, 5, 6]], dtype=fb.int32)
    row = fb.tensor([True, False, True])
    assert masked.sum(x, 1, mask=row).dtype == fb.int64
    assert masked.sum(x, 1, dtype=fb.int8).dtype == fb.int8
    assert masked.cumsum(x, 1, mask=row).dtype == fb.int32
    assert masked.amax(x, 1, mask=MASK).tolist() == [3, -(2**31)]
    assert masked.amin(x, 1, mask=MASK).tolist() == [1, 2**31 - 1]
    assert masked.median(x, 1, mask=row).tolist() == [1, 4]
    assert masked.median(x, 1).dtype == fb.int32
    assert masked.var(x, 1).tolist() == [1.0, 1.0]
    assert masked.mean(x, 1, dtype=fb.float64).tolist() == [2.0, 5.0]


def test_spread_with_corrections() -> None:
    assert masked.var(X, 1, False, mask=MASK)[0].item() == 1.0
    assert masked.var(X, 1, correction=0.5, mask=MASK)[0].item() == pytest.approx(2 / 1.5)
    assert masked.var(X, 1, correction=3, mask=MASK)[0].item() == INF
    z = fb.tensor([1 + 1j, 3 - 1j])
    assert masked.var(z, 0).item() == pytest.approx(4)


def test_left_out_elements_get_no_gradient() -> None:
    x = X.clone().requires_grad_()
    masked.sum(x, mask=MASK).backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]


def test_a_mask_of_numbers_is_read_as_truth() -> None:
    assert masked.sum(X, mask=fb.tensor([1, 0, 2])).item() == 14.0


@pytest.mark.parametrize(
    ("name", "arguments", "named", "error"),
    [
        ("sum", (X, 7), {}, IndexError),
        ("sum", (X, (0, 0)), {}, RuntimeError),
        ("sum", (X[0],), {"mask": MASK}, IndexError),
        ("sum", (X,), {"mask": fb.tensor([True, True])}, RuntimeError),
        ("sum", ([1.0, 2.0],), {}, TypeError),
        ("sum", (X,), {"mask": [True, False, True]}, TypeError),
        ("amax", (fb.ones(2, 0), 1), {}, IndexError),
        ("amax", (fb.ones(2, dtype=fb.complex64),), {"mask": fb.tensor(True)}, TypeError),
        ("amax", (fb.ones(2, dtype=fb.bool),), {"mask": fb.tensor(True)}, NotImplementedError),
        ("mean", (fb.ones(2, dtype=fb.int64),), {}, ValueError),
        ("var", (fb.ones(2, dtype=fb.bool),), {}, RuntimeError),
        ("var", (X, 1, True), {"correction": 1}, AssertionError),
        ("median", (fb.ones(2, 3, dtype=fb.int64), 1), {"mask": MASK}, ValueError),
        ("median", (fb.ones(2, dtype=fb.complex64),), {}, ValueError),
        ("norm", (fb.ones(2, dtype=fb.int64),), {}, RuntimeError),
        ("softmax", (X, 5), {"mask": MASK}, IndexError),
        ("softmax", (X,), {}, TypeError),
        ("cumsum", (fb.ones(2, dtype=fb.bool), 0), {}, NotImplementedError),
    ],
)
def test_errors(
    name: str, arguments: tuple[Any, ...], named: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        getattr(masked, name)(*arguments, **named)


def test_a_fractional_correction_keeps_the_dtype() -> None:
    x = fb.tensor([1.0, 2.0, 3.0], dtype=fb.float16)
    spread = fb.masked.var(x, correction=0.5, keepdim=True)
    assert spread.dtype == fb.float16 and spread.item() == pytest.approx(0.8, abs=1e-3)
