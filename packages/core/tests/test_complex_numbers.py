"""Complex numbers from parts, their parts as views, and what is written into these."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import flambeau_core as fb
from flambeau_core.autograd import grad

Z = np.array([[1 + 2j, 3 - 1j], [0.5j, 2]])


def numbers(requires_grad: bool = False) -> fb.Tensor:
    return fb.tensor(Z, requires_grad=requires_grad)


def test_from_parts() -> None:
    x, y = fb.tensor([1.0, 2.0]), fb.tensor([[3.0], [4.0]])
    assert fb.complex(x, y).tolist() == [[1 + 3j, 2 + 3j], [1 + 4j, 2 + 4j]]
    assert fb.complex(x.double(), x.double()).dtype == fb.complex128
    out = fb.empty(2, dtype=fb.complex64)
    assert fb.complex(x, x, out=out) is out and out.tolist() == [1 + 1j, 2 + 2j]


def test_from_polar_coordinates() -> None:
    radius = fb.tensor([1.0, 2.0, 3.0], dtype=fb.float64)
    angle = fb.tensor([0.0, np.pi / 2, -2.5], dtype=fb.float64)
    expected = radius.numpy() * np.exp(1j * angle.numpy())
    np.testing.assert_allclose(fb.polar(radius, angle).numpy(), expected, atol=1e-15)


@pytest.mark.parametrize("make", [fb.complex, fb.polar])
def test_gradients_of_the_parts(make: Callable[..., fb.Tensor]) -> None:
    a = np.array([1.5, 0.5])
    b = np.array([0.3, -2.0])
    weights = fb.tensor([2 - 1j, 1 + 3j])

    def loss(x: np.ndarray, y: np.ndarray) -> float:
        z = make(fb.tensor(x), fb.tensor(y))
        return float((z * weights).real.sum() + (z * z.conj()).real.sum())

    x, y = fb.tensor(a, requires_grad=True), fb.tensor(b, requires_grad=True)
    z = make(x, y)
    found = grad((z * weights).real.sum() + (z * z.conj()).real.sum(), (x, y))
    step = 1e-6
    for place in range(2):
        shift = np.eye(2)[place] * step
        by_x = (loss(a + shift, b) - loss(a - shift, b)) / (2 * step)
        by_y = (loss(a, b + shift) - loss(a, b - shift)) / (2 * step)
        assert float(found[0][place]) == pytest.approx(by_x, abs=1e-7)
        assert float(found[1][place]) == pytest.approx(by_y, abs=1e-7)


@pytest.mark.parametrize("make", [fb.complex, fb.polar])
def test_parts_that_do_not_fit(make: Callable[..., fb.Tensor]) -> None:
    name = make.__name__
    x = fb.ones(2)
    with pytest.raises(RuntimeError, match=f"{name}.*float64"):
        make(x, x.double())
    with pytest.raises(RuntimeError, match=f"{name}.*int64"):
        make(fb.tensor([1]), fb.tensor([1]))
    with pytest.raises(RuntimeError):
        make(x, fb.ones(3))
    with pytest.raises(RuntimeError, match=f"{name}.*ComplexFloat"):
        make(x, x, out=fb.empty(2, dtype=fb.complex128))


def test_parts_are_views() -> None:
    z = numbers()
    assert fb.real(z).tolist() == Z.real.tolist() and fb.imag(z).tolist() == Z.imag.tolist()
    fb.real(z).fill_(7)
    z.imag = fb.tensor([1.0, 2.0], dtype=fb.float64)
    assert z.tolist() == [[7 + 1j, 7 + 2j]] * 2
    assert z.real._base is z and fb.view_as_real(z)._base is z
    x = fb.ones(2)
    assert fb.real(x) is x
    with pytest.raises(RuntimeError, match="imag"):
        fb.imag(x)


def test_tests_of_parts() -> None:
    assert fb.isreal(numbers()).tolist() == [[False, False], [False, True]]
    assert fb.isreal(fb.tensor([1, 2])).tolist() == [True, True]
    assert not numbers().conj().is_conj() and fb.resolve_conj(numbers()).tolist() == Z.tolist()
    np.testing.assert_array_equal(fb.adjoint(numbers()).numpy(), Z.conj().T)
    with pytest.raises(RuntimeError, match="1"):
        fb.adjoint(fb.ones(3))


def real_part_scaled(z: fb.Tensor) -> fb.Tensor:
    z.real.mul_(3)
    return z


def imaginary_part_replaced(z: fb.Tensor) -> fb.Tensor:
    z.imag = z.real * 2
    return z


def through_the_real_view(z: fb.Tensor) -> fb.Tensor:
    parts = fb.view_as_real(z.t())
    parts[0, ..., 1].mul_(-2)
    return parts.sum() * z


@pytest.mark.parametrize(
    "write", [real_part_scaled, imaginary_part_replaced, through_the_real_view]
)
def test_gradient_after_writing_into_a_part(write: Callable[[fb.Tensor], fb.Tensor]) -> None:
    weights = fb.tensor([[1 - 2j, 0.5j], [3, 1 + 1j]])

    def loss(z: fb.Tensor) -> fb.Tensor:
        y = write(z * (2 - 1j))
        return (y * weights).real.sum()

    (found,) = grad(loss(z := numbers(requires_grad=True)), z)
    step = 1e-6
    for place in np.ndindex(2, 2):
        shift = np.zeros((2, 2), complex)
        for direction in (1, 1j):
            shift[place] = direction * step
            rise = loss(fb.tensor(Z + shift)) - loss(fb.tensor(Z - shift))
            slope = float(rise) / (2 * step)
            part = found[place].real if direction == 1 else found[place].imag
            assert float(part) == pytest.approx(slope, abs=1e-6)


def test_gradient_after_writing_through_a_complex_view() -> None:
    x = fb.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x * 2
    fb.view_as_complex(y).mul_(1j)  # (a, b) becomes (-b, a)
    (found,) = grad((y * fb.tensor([1.0, 10.0])).sum(), x)
    assert found.tolist() == [[20.0, -2.0], [20.0, -2.0]]


def test_part_of_a_leaf_is_not_written() -> None:
    z = numbers(requires_grad=True)
    with pytest.raises(RuntimeError, match="view of a leaf"):
        z.real.mul_(2)
