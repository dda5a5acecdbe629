"""Ops in pickles: by name, wherever they live."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core import nn_ops, optim_ops

OPS = {
    "add": fb.add,
    "det": fb.det,
    "linalg.inv": fb.linalg.inv,
    "linalg.lu_factor_ex": fb.linalg.lu_factor_ex,
    "fft.rfft": fb.fft.rfft,
    "nn_ops.linear": nn_ops.linear,
    "optim_ops.sgd_step_": optim_ops.sgd_step_,
}


@pytest.mark.parametrize("name", OPS)
def test_ops_are_pickled_by_name(name: str) -> None:
    op: Any = OPS[name]
    assert pickle.loads(pickle.dumps(op)) is op
    assert copy.deepcopy(op) is op
