"""The checks must find faults: each is given an op that is wrong in one way."""

from dataclasses import replace

import numpy as np
import pytest

import flambeau_core as fb
from flambeau_testing import GradcheckError, op_checks
from flambeau_testing.op_samples import DECLARATIONS, Declaration, Sample

EXP = next(op for op in DECLARATIONS if op.name == "exp")


class Given(Declaration):
    """A declaration of a function made up for the test."""

    made_up = None

    @property
    def function(self):
        return self.made_up


def declare(function, reference=np.exp):
    op = Given("made_up", reference, EXP.samples)
    object.__setattr__(op, "made_up", function)
    return op


def test_a_right_op_passes_every_check():
    op_checks.check_values(EXP, "float32", "cpu")
    op_checks.check_strided(EXP, "float32", "cpu")
    op_checks.check_inplace(EXP, "float32", "cpu")
    op_checks.check_gradients(EXP, "cpu")
    op_checks.check_second_gradients(EXP, "cpu")


@pytest.mark.parametrize(
    "function",
    [
        lambda x: fb.exp(x) * 1.0001,
        lambda x: fb.exp(x).to(fb.float16),
        lambda x: fb.exp(x).reshape(-1),
        lambda x: (fb.exp(x), x),
    ],
    ids=["values", "dtype", "shape", "number of outputs"],
)
def test_wrong_results_are_found(function):
    with pytest.raises(AssertionError):
        op_checks.check_values(declare(function), "float32", "cpu")


def test_an_op_that_reads_memory_without_strides_is_found():
    def careless(x):
        storage = x.detach().as_strided((x.numel(),), (1,), 0) if x.numel() else x
        return fb.exp(storage).reshape(x.shape)

    op_checks.check_values(declare(careless), "float32", "cpu")
    with pytest.raises(AssertionError):
        op_checks.check_strided(declare(careless), "float32", "cpu")


def test_an_inplace_form_that_returns_a_copy_is_found():
    # sum_ does not exist; abs_ of another op does something else.
    wrong = replace(EXP, name="neg")
    with pytest.raises(AssertionError):
        op_checks.check_inplace(wrong, "float32", "cpu")


def test_wrong_gradients_are_found():
    with pytest.raises(GradcheckError):
        op_checks.check_gradients(declare(lambda x: fb.exp(x.detach()) + 0 * x), "cpu")


def test_declarations_are_complete():
    names = [op.id for op in DECLARATIONS]
    assert len(set(names)) > 150
    for op in DECLARATIONS:
        samples = op.drawn()
        assert samples, op.id
        assert all(isinstance(sample, Sample) for sample in samples)
        assert callable(op.function), op.id
