import pytest

import flambeau_core as fb
from flambeau_testing import GradcheckError, gradcheck, gradgradcheck


def variable(*shape):
    fb.manual_seed(0)
    return fb.randn(shape, dtype=fb.float64).requires_grad_()


class TripledGradient(fb.autograd.Function):
    """x * 2 whose gradient is wrong."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


class WrongSecondGradient(fb.autograd.Function):
    """x ** 2 whose gradient is right but hides its dependence on x."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x.detach()


fast_or_whole = pytest.mark.parametrize("fast_mode", [False, True])


@fast_or_whole
def test_right_gradients_pass(fast_mode):
    x, y = variable(3, 4), variable(4, 2)
    assert gradcheck(fb.matmul, (x, y), fast_mode=fast_mode)
    assert gradgradcheck(fb.matmul, (x, y), fast_mode=fast_mode)
    assert gradgradcheck(fb.tanh, x, fast_mode=fast_mode)


@fast_or_whole
def test_a_wrong_gradient_is_found(fast_mode):
    x = variable(3)
    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        gradcheck(TripledGradient.apply, x, fast_mode=fast_mode)
    assert not gradcheck(TripledGradient.apply, x, raise_exception=False, fast_mode=fast_mode)


@fast_or_whole
def test_a_wrong_second_gradient_is_found(fast_mode):
    x = variable(3)
    assert gradcheck(WrongSecondGradient.apply, x, fast_mode=fast_mode)
    with pytest.raises(GradcheckError):
        gradgradcheck(WrongSecondGradient.apply, x, fast_mode=fast_mode)


@fast_or_whole
def test_a_hidden_dependence_is_found(fast_mode):
    x = variable(3)
    with pytest.raises(GradcheckError):
        gradcheck(lambda v: v.detach() * 2, x, fast_mode=fast_mode)


def test_several_outputs_and_arguments_that_are_no_tensors():
    x = variable(2, 3)
    assert gradcheck(lambda v, n: (v * n, v.sum(0), n), (x, 3))


def test_inputs_are_left_as_they_were():
    x = variable(3)
    before = x.tolist()
    gradcheck(fb.exp, x)
    assert x.tolist() == before
    assert x.grad is None


def test_inputs_with_gaps_in_memory():
    x = fb.randn(3, 4, dtype=fb.float64).t()[::2].requires_grad_()
    assert gradcheck(lambda v: v * v, x)


def test_inputs_that_cannot_be_checked():
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        gradcheck(fb.exp, fb.ones(2, dtype=fb.float64))
    with pytest.raises(ValueError, match="complex128 inputs only, but input 0 is"):
        gradcheck(fb.exp, fb.ones(2).requires_grad_())
    shared = fb.ones(1, dtype=fb.float64).expand(3).requires_grad_()
    with pytest.raises(ValueError, match="share memory"):
        gradcheck(fb.exp, shared)


def test_complex_functions_are_checked_in_both_parts():
    z = fb.randn(3, dtype=fb.complex128, requires_grad=True)
    assert gradcheck(lambda z: z * z.conj() * (1 + 2j), [z])
    assert gradgradcheck(lambda z: z**3, [z])
    x = fb.randn(3, dtype=fb.float64, requires_grad=True)
    assert gradcheck(lambda x: (1 + 2j) * x.exp(), [x])
    # A gradient without the conjugation is wrong only in its imaginary part.
    wrong = lambda z: z.detach() * 2j + (z - z.detach()) * -2j  # noqa: E731
    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        gradcheck(wrong, [z])
