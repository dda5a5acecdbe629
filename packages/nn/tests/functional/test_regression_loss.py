"""Losses of a difference."""

import pytest

import flambeau_core as fb
import flambeau_nn.functional as F


@pytest.mark.parametrize(
    ("loss", "expected"),
    [("mse_loss", 2.0), ("smooth_l1_loss", 0.75), ("huber_loss", 0.75)],
)
def test_a_mask_counts_as_zeros_and_ones(loss, expected):
    values, mask = fb.tensor([1.0, 2.0]), fb.tensor([True, False])
    assert getattr(F, loss)(values, mask).item() == expected
    assert getattr(F, loss)(mask, values).item() == expected
