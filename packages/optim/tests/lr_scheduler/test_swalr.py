import pytest

import flambeau_core as fb
from flambeau_optim import SGD
from flambeau_optim.swa_utils import SWALR


def rates(**options):
    optimizer = SGD([fb.zeros(1, requires_grad=True)], lr=1.0)
    schedule = SWALR(optimizer, 0.2, **options)
    seen = [schedule.get_last_lr()[0]]
    for _ in range(5):
        optimizer.step()
        schedule.step()
        seen += schedule.get_last_lr()
    return seen


def test_annealing():
    linear = rates(anneal_epochs=4, anneal_strategy="linear")
    assert linear == pytest.approx([1.0, 0.8, 0.6, 0.4, 0.2, 0.2])
    # The way done of a cosine of four epochs: (1 - cos(k pi / 4)) / 2.
    cosine = rates(anneal_epochs=4)
    assert cosine == pytest.approx([1.0, 0.8828427, 0.6, 0.3171573, 0.2, 0.2])
    assert rates(anneal_epochs=0) == pytest.approx([0.2] * 6)


def test_what_it_refuses():
    with pytest.raises(ValueError, match="anneal_strategy"):
        rates(anneal_strategy="steps")
    with pytest.raises(ValueError, match="anneal_epochs"):
        rates(anneal_epochs=-1)
