import pytest

import flambeau_core as fb
from flambeau_optim import SGD
from flambeau_optim.lr_scheduler import ConstantLR, LinearLR


def test_factors_out_of_range():
    optimizer = SGD([fb.zeros(1, requires_grad=True)])
    with pytest.raises(ValueError, match="factor"):
        ConstantLR(optimizer, 2)
    with pytest.raises(ValueError, match="start_factor"):
        LinearLR(optimizer, 0.0)
    with pytest.raises(ValueError, match="end_factor"):
        LinearLR(optimizer, 0.5, 2.0)
