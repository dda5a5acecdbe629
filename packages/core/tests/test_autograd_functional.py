"""autograd.functional against derivatives taken by hand."""

from __future__ import annotations

from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core.func.functional import hessian, hvp, jacobian, jvp, vhp, vjp


def ramp(*shape: int) -> Any:
    n = 1
    for s in shape:
        n *= s
    return (fb.arange(n, dtype=fb.float64) / 7 + 0.1).reshape(shape)


def cubes(x: Any) -> Any:
    return (x**3).sum()


def mixed(x: Any, y: Any) -> Any:
    return x * y.sum(), y.exp()


WAYS = [
    {},
    {"vectorize": True},
    {"vectorize": True, "strategy": "forward-mode"},
]


@pytest.mark.parametrize("way", WAYS)
def test_jacobian(way: dict[str, Any]) -> None:
    x, y = ramp(2), ramp(3)
    (xx, xy), (yx, yy) = jacobian(mixed, (x, y), **way)
    assert fb.allclose(xx, fb.eye(2, dtype=fb.float64) * y.sum())
    assert fb.allclose(xy, x[:, None].expand(2, 3))
    assert fb.equal(yx, fb.zeros(3, 2, dtype=fb.float64)) and fb.allclose(yy, fb.diag(y.exp()))
    m = ramp(2, 2)
    assert jacobian(fb.sin, m, **way).shape == (2, 2, 2, 2)


def test_jacobian_in_the_graph() -> None:
    x = ramp(2).requires_grad_()
    j = jacobian(lambda x: x**3, x, create_graph=True)
    j.sum().backward()
    assert x.grad is not None and fb.allclose(x.grad, 6 * x.detach())
    free = ramp(2).requires_grad_()
    assert not jacobian(fb.sin, free).requires_grad and free.grad is None


def test_hessian() -> None:
    x, y = ramp(2), ramp(2) + 1

    def f(x: Any, y: Any) -> Any:
        return (x**2 * y).sum()

    for way in (
        {},
        {"vectorize": True},
        {"vectorize": True, "outer_jacobian_strategy": "forward-mode"},
    ):
        (xx, xy), (yx, yy) = hessian(f, (x, y), **way)
        assert fb.allclose(xx, fb.diag(2 * y)) and fb.allclose(xy, fb.diag(2 * x))
        assert fb.allclose(yx, fb.diag(2 * x)) and fb.equal(yy, fb.zeros_like(yy))
        assert fb.allclose(hessian(cubes, x, **way), fb.diag(6 * x))


def test_products() -> None:
    x, v = ramp(3), ramp(3).cos()
    y, g = vjp(fb.sin, x, v)
    assert fb.allclose(y, x.sin()) and fb.allclose(g, v * x.cos())
    assert fb.allclose(vjp(cubes, x)[1], 3 * x**2)  # one element needs no vector
    assert fb.allclose(jvp(fb.sin, x, v)[1], v * x.cos())
    for product in (vhp, hvp):
        value, found = product(cubes, x, v)
        assert fb.allclose(value, cubes(x)) and fb.allclose(found, 6 * x * v)
    (a, b), (ga, gb) = vjp(mixed, (ramp(2), x), (fb.ones(2, dtype=fb.float64), v))
    assert fb.allclose(ga, x.sum().expand(2)) and fb.allclose(gb, ramp(2).sum() + v * x.exp())
    free = ramp(2).requires_grad_()
    _, g = vjp(lambda x: x**2, free, ramp(2), create_graph=True)
    g.sum().backward()
    assert free.grad is not None and fb.allclose(free.grad, 2 * ramp(2))


def test_strict() -> None:
    x = ramp(2)
    for wrong in (
        lambda: jacobian(lambda x: ramp(2), x, strict=True),
        lambda: jacobian(lambda x, y: x * 2, (x, x), strict=True),
        lambda: jacobian(lambda x: x * 2, x.clone().requires_grad_(), True, strict=True),
        lambda: jacobian(fb.sin, x, strict=True, vectorize=True),
        lambda: hessian(lambda x: x.sum(), x, strict=True),
        lambda: vjp(lambda x: ramp(2), x, x, strict=True),
        lambda: jvp(lambda x: ramp(2), x, x, strict=True),
        lambda: vhp(lambda x: x.sum(), x, x, strict=True),
        lambda: hvp(lambda x: x.sum(), x, x, strict=True),
    ):
        with pytest.raises(RuntimeError, match="strict"):
            wrong()
    assert fb.equal(jacobian(lambda x: ramp(2), x), fb.zeros(2, 2, dtype=fb.float64))
    assert fb.equal(hessian(lambda x: x.sum(), x), fb.zeros(2, 2, dtype=fb.float64))


def test_wrong_use_is_named() -> None:
    x = ramp(3)
    with pytest.raises(RuntimeError, match=r"\[2\].*\[3\]"):
        vjp(fb.sin, x, ramp(2))
    with pytest.raises(RuntimeError, match="left out"):
        vjp(fb.sin, x)
    with pytest.raises(RuntimeError, match="as many"):
        vjp(mixed, (x, x), (x,))
    with pytest.raises(RuntimeError, match="single element"):
        hessian(fb.sin, x)
    with pytest.raises(RuntimeError, match="complex64"):
        jacobian(lambda z: z * z, fb.tensor([1 + 2j]))
    with pytest.raises(NotImplementedError, match="vectorize"):
        jacobian(fb.sin, x, strategy="forward-mode")
    with pytest.raises(AssertionError, match="strategy"):
        jacobian(fb.sin, x, strategy="sideways")
    for wrong in (lambda: jacobian(fb.sin, 3), lambda: jacobian(lambda x: 3, x),
                  lambda: jacobian(lambda x: [x], x), lambda: jacobian(mixed, (x, 3))):  # fmt: skip
        with pytest.raises(TypeError, match="tensor"):
            wrong()
