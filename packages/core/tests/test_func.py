"""grad, vjp, Jacobians and their nestings, by values that calculus gives."""

from __future__ import annotations

from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core.autograd import Function
from flambeau_core.func import (
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    vjp,
    vmap,
)


def ramp(*shape: int) -> Any:
    n = 1
    for s in shape:
        n *= s
    return (fb.arange(n, dtype=fb.float64) / 7 + 0.1).reshape(shape)


def test_which_arguments() -> None:
    def f(x: Any, y: Any) -> Any:
        return (x * y**2).sum()

    x, y = ramp(2), ramp(2) + 1
    assert fb.allclose(grad(f)(x, y), y**2)
    assert fb.allclose(grad(f, argnums=-1)(x, y), 2 * x * y)
    a, b = grad(f, argnums=(1, 0))(x, y)
    assert fb.allclose(a, 2 * x * y) and fb.allclose(b, y**2)
    for wrong in (2, (0, 0), ()):
        with pytest.raises(RuntimeError, match="argnum"):
            grad(f, argnums=wrong)(x, y)


def test_auxiliary_results() -> None:
    def f(x: Any) -> Any:
        return (x**2).sum(), {"twice": x * 2, "list": [x.sum()]}

    x = ramp(3)
    g, aux = grad(f, has_aux=True)(x)
    assert fb.allclose(g, 2 * x) and fb.equal(aux["twice"], 2 * x)
    g, (value, aux) = grad_and_value(f, has_aux=True)(x)
    assert fb.allclose(value, (x**2).sum()) and not aux["list"][0].requires_grad
    _, pull, aux = vjp(f, x, has_aux=True)
    assert fb.allclose(pull(fb.ones((), dtype=fb.float64))[0], 2 * x)
    assert fb.equal(aux["twice"], 2 * x)
    assert fb.equal(jvp(f, (x,), (x,), has_aux=True)[2]["twice"], 2 * x)
    j, aux = jacrev(lambda x: (x**2, x.sum()), has_aux=True)(x)
    assert fb.allclose(j, fb.diag(2 * x)) and fb.allclose(aux, x.sum())
    j, aux = jacfwd(lambda x: (x**2, x.sum()), has_aux=True)(x)
    assert fb.allclose(j, fb.diag(2 * x)) and fb.allclose(aux, x.sum())


def test_nested_containers() -> None:
    def f(d: Any) -> Any:
        return {"a": d["x"] * d["y"], "b": [d["x"].cos()]}

    d = {"x": ramp(2), "y": ramp(2) + 1}
    for transform in (jacrev, jacfwd):
        j = transform(f)(d)
        assert fb.allclose(j["a"]["x"], fb.diag(d["y"]))
        assert fb.allclose(j["a"]["y"], fb.diag(d["x"]))
        assert fb.allclose(j["b"][0]["x"], fb.diag(-d["x"].sin()))
        assert fb.equal(j["b"][0]["y"], fb.zeros(2, 2, dtype=fb.float64))


@pytest.mark.parametrize("outer", [jacfwd, jacrev])
@pytest.mark.parametrize("inner", [jacfwd, jacrev])
def test_second_derivatives(outer: Any, inner: Any) -> None:
    x = ramp(3)
    # d^2 tanh = -2 tanh (1 - tanh^2), where all three indices agree
    expected = fb.zeros(3, 3, 3, dtype=fb.float64)
    for i in range(3):
        t = x[i].tanh()
        expected[i, i, i] = -2 * t * (1 - t**2)
    assert fb.allclose(outer(inner(fb.tanh))(x), expected)


def test_deep_nestings() -> None:
    x = fb.tensor(2.0, dtype=fb.float64)
    assert fb.allclose(grad(grad(grad(lambda z: z**5)))(x), 60 * x**2)
    points, weights = ramp(2, 3), ramp(4, 3)
    each = vmap(vmap(grad(lambda x, y: (x.sin() * y).sum()), (0, None)), (None, 0))
    assert fb.allclose(each(points, weights), points.cos() * weights[:, None, :])

    def pushed(x: Any, v: Any) -> Any:
        return vmap(lambda x, v: jvp(fb.sin, (x,), (v,))[1])(x, v)

    x, v = ramp(3, 2), ramp(3, 2).cos()
    tangent = jvp(pushed, (x, v), (v, x))[1]  # of v cos x
    assert fb.allclose(tangent, x * x.cos() - v * v * x.sin())
    assert fb.allclose(vmap(hessian(lambda x: (x**3).sum()))(x), (6 * x).diag_embed())
    through = grad(lambda x: vmap(grad(lambda e: (e**3).sum()))(x).sum())(x)
    assert fb.allclose(through, 6 * x)


def test_chunks_of_jacobians() -> None:
    x = ramp(5)
    for size in (1, 2, 5, 7):
        assert fb.allclose(jacrev(fb.sin, chunk_size=size)(x), fb.diag(x.cos()))
        assert fb.allclose(jacfwd(fb.sin, chunk_size=size)(x), fb.diag(x.cos()))


def test_tensors_of_the_surroundings() -> None:
    x, w = ramp(2, 3), ramp(3).requires_grad_()
    g = vmap(grad(lambda e: (e * w).square().sum()))(x)  # 2 e w^2
    g.sum().backward()
    assert w.grad is not None and fb.allclose(w.grad, (4 * x * w.detach()).sum(0))
    v = ramp(3).requires_grad_()
    g = grad(lambda e: (e**3).sum())(v)
    g.sum().backward()
    assert v.grad is not None and fb.allclose(v.grad, 6 * v.detach())
    plain = ramp(3)
    g, value = grad_and_value(lambda e: (e**3).sum())(plain)
    assert not (g.requires_grad or value.requires_grad or plain.requires_grad)


def test_no_grad_inside_and_outside() -> None:
    def f(x: Any) -> Any:
        with fb.no_grad():
            c = x.sin()
        return (x * c).sum()

    x = ramp(3)
    assert fb.allclose(grad(f)(x), x.sin())
    assert fb.allclose(vmap(grad(f))(ramp(2, 3)), ramp(2, 3).sin())
    with fb.no_grad():
        assert fb.allclose(grad(lambda e: (e**2).sum())(x), 2 * x)
        assert fb.allclose(hessian(lambda e: (e**3).sum())(x), fb.diag(6 * x))
        assert fb.allclose(jacfwd(fb.sin)(x), fb.diag(x.cos()))


def test_autograd_inside() -> None:
    def by_autograd(x: Any) -> Any:
        leaf = x.detach().requires_grad_()
        return fb.autograd.grad((leaf**3).sum(), leaf)[0]

    assert fb.allclose(vmap(by_autograd)(ramp(2, 3)), 3 * ramp(2, 3) ** 2)

    def slope(x: Any) -> Any:
        return fb.autograd.grad((x**3).sum(), x, create_graph=True)[0].sum()

    assert fb.allclose(grad(slope)(ramp(3)), 6 * ramp(3))
    x = ramp(3).requires_grad_()
    y = x.sin()
    rows = vmap(lambda v: fb.autograd.grad(y, x, v, retain_graph=True)[0])
    assert fb.allclose(rows(fb.eye(3, dtype=fb.float64)), fb.diag(x.detach().cos()))


def test_complex_numbers() -> None:
    z = fb.tensor([1 + 2j, 3 - 1j])
    assert fb.allclose(grad(lambda z: (z.abs() ** 2).sum())(z), 2 * z)
    assert fb.allclose(vmap(grad(lambda z: z.abs() ** 2))(z), 2 * z)
    _, pushed = jvp(lambda z: z * z.conj(), (z,), (z * 1j,))
    assert fb.allclose(pushed, fb.zeros_like(z))
    # A complex output has no gradient, and no Jacobian that is one complex number.
    for wrong in (
        lambda: grad(lambda z: (z * z).sum())(z),
        lambda: jacrev(lambda z: z * z)(z),
        lambda: jacfwd(lambda z: z * z)(z),
        lambda: jacrev(lambda x: fb.complex(x, x))(ramp(2)),
    ):
        with pytest.raises(RuntimeError, match="real"):
            wrong()


def test_wrong_use_is_named() -> None:
    x = ramp(3)
    with pytest.raises(RuntimeError, match=r"grad: .*\[3\]"):
        grad(lambda x: x * 2)(x)
    with pytest.raises(RuntimeError, match="must return tensors, got float"):
        grad(lambda x: 2.0)(x)
    with pytest.raises(RuntimeError, match="int64"):
        grad(lambda x: x.sum())(fb.arange(3))
    with pytest.raises(RuntimeError, match="aux"):
        grad(lambda x: x.sum(), has_aux=True)(x)
    _, pull = vjp(fb.sin, x)
    with pytest.raises(RuntimeError, match=r"\[3\].*\[2\]"):
        pull(ramp(2))


class Scaled(Function):
    """x y k, of which the batching rule follows from the rest."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any, y: Any, k: float) -> Any:
        return x * y * k

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        x, y, ctx.k = inputs
        ctx.save_for_backward(x, y)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, y = ctx.saved_tensors
        return g * y * ctx.k, g * x * ctx.k, None


def test_functions_of_ones_own() -> None:
    x, y = ramp(2, 3), ramp(3)
    assert fb.allclose(vmap(Scaled.apply, (0, None, None))(x, y, 2.0), 2 * x * y)
    a, b = vmap(grad(lambda x, y: Scaled.apply(x, y, 3.0).sum(), (0, 1)), (0, None))(x, y)
    assert fb.allclose(a, (3 * y).expand(2, 3)) and fb.allclose(b, 3 * x)

    class Ruled(Scaled):
        generate_vmap_rule = False

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any, y: Any, k: float) -> Any:
            return Scaled.apply(x, y, k * 10), in_dims[0]

    assert fb.allclose(vmap(Ruled.apply, (0, None, None))(x, y, 2.0), 20 * x * y)
    Ruled.generate_vmap_rule = True
    with pytest.raises(RuntimeError, match="not both"):
        vmap(Ruled.apply, (0, None, None))(x, y, 2.0)
    Scaled.generate_vmap_rule = False
    try:
        with pytest.raises(RuntimeError, match="no rule for vmap"):
            vmap(Scaled.apply, (0, None, None))(x, y, 2.0)
    finally:
        Scaled.generate_vmap_rule = True


def test_checkpoint_inside() -> None:
    from flambeau_core.utils.checkpoint import checkpoint

    def f(x: Any) -> Any:
        return checkpoint(lambda z: z.sin().exp(), x, use_reentrant=False).sum()

    x = ramp(2, 3)
    expected = x.cos() * x.sin().exp()
    assert fb.allclose(grad(f)(x), expected)
