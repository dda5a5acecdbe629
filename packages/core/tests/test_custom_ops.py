"""Custom ops: schemas from annotations, kernels, gradients, transforms, and lies found out."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np
import pytest

import flambeau_core as fb
from flambeau_core import library
from flambeau_core.func import grad, jvp, vmap
from flambeau_core.ops_namespace import ops

Tensor = fb.Tensor
_numbers = itertools.count()


def fresh(name: str) -> str:
    """A name that no other test has taken."""
    return f"testing::{name}{next(_numbers)}"


# ---- schemas (as torch.library.infer_schema gives them) ---------------------------------


def plain(x: Tensor, n: int, scale: float = 1.5, flag: bool = False, mode: str = "a") -> Tensor: ...
def optional(x: Optional[Tensor], n: Optional[int] = None) -> Tensor: ...  # noqa: UP045
def united(x: Tensor | None = None) -> None: ...
def lists(xs: Sequence[Tensor], dims: Sequence[int], ys: list[Tensor]) -> list[Tensor]: ...
def keywords(x: Tensor, *, n: int = 3) -> tuple[Tensor, Tensor]: ...
def number(x: Tensor, s: Union[int, float, bool] = 1) -> Tensor: ...  # noqa: UP007
def kinds(x: Tensor, d: fb.dtype, device: fb.device) -> int: ...


@pytest.mark.parametrize(
    ("function", "written", "schema"),
    [
        (
            plain,
            (),
            '(Tensor x, SymInt n, float scale=1.5, bool flag=False, str mode="a") -> Tensor',
        ),
        (optional, (), "(Tensor? x, SymInt? n=None) -> Tensor"),
        (united, {"x"}, "(Tensor(a0!)? x=None) -> ()"),
        (lists, (), "(Tensor[] xs, SymInt[] dims, Tensor[] ys) -> Tensor[]"),
        (keywords, {"x"}, "(Tensor(a0!) x, *, SymInt n=3) -> (Tensor, Tensor)"),
        (number, (), "(Tensor x, Scalar s=1) -> Tensor"),
        (kinds, (), "(Tensor x, ScalarType d, Device device) -> SymInt"),
    ],
)
def test_schema_of_annotations(function: Any, written: Any, schema: str) -> None:
    assert library.infer_schema(function, mutates_args=written) == schema


def test_schemas_that_cannot_be() -> None:
    def bare(x) -> Tensor: ...  # type: ignore[no-untyped-def]
    def unreturned(x: Tensor): ...  # type: ignore[no-untyped-def]
    def strange(x: dict[str, Tensor]) -> Tensor: ...
    def variadic(*xs: Tensor) -> Tensor: ...

    for function in (bare, unreturned, strange, variadic):
        with pytest.raises(ValueError, match="infer_schema"):
            library.infer_schema(function, mutates_args=())
    with pytest.raises(ValueError, match="mutates_args"):
        library.infer_schema(plain, mutates_args={"y"})
    with pytest.raises(ValueError, match="mutates_args"):
        library.infer_schema(plain, mutates_args="x")


# ---- calls --------------------------------------------------------------------------


def test_every_kind_of_argument_arrives() -> None:
    seen: list[Any] = []

    @library.custom_op(fresh("all"), mutates_args=())
    def op(
        x: Tensor,
        others: Sequence[Tensor],
        y: Tensor | None = None,
        n: int = 2,
        dims: Sequence[int] = (1, 2),
        *,
        scale: float = 1.5,
        mode: str = "up",
        flag: bool = True,
        kind: fb.dtype = fb.float32,
        weights: Sequence[float] = (0.5, 1.5),
    ) -> Tensor:
        seen[:] = [len(others), y, n, tuple(dims), scale, mode, flag, kind, list(weights)]
        return x.clone()

    x = fb.ones(2)
    assert fb.equal(op(x, [x, x]), x)
    assert seen == [2, None, 2, (1, 2), 1.5, "up", True, fb.float32, [0.5, 1.5]]
    op(x, (x,), x, 5, [3], scale=2.0, mode="down", flag=False, kind=fb.int64)
    assert fb.equal(seen[1], x)
    assert [seen[0], *seen[2:]] == [1, 5, (3,), 2.0, "down", False, fb.int64, [0.5, 1.5]]
    with pytest.raises(TypeError):
        op(x)
    with pytest.raises(TypeError, match="other"):
        op(x, [x], other=3)
    with pytest.raises(TypeError):
        op(x, x)


def test_several_results_none_and_lists() -> None:
    @library.custom_op(fresh("two"), mutates_args=())
    def two(x: Tensor) -> tuple[Tensor, Tensor]:
        return x + 1, x * 2

    a, b = two(fb.ones(2))
    assert fb.equal(a, b)

    @library.custom_op(fresh("halves"), mutates_args=())
    def halves(x: Tensor) -> list[Tensor]:
        return [c.clone() for c in x.chunk(2)]

    assert [h.tolist() for h in halves(fb.arange(4))] == [[0, 1], [2, 3]]

    @library.custom_op(fresh("fill"), mutates_args={"x"})
    def fill(x: Tensor, value: float) -> None:
        x.numpy()[...] = value

    x = fb.zeros(2)
    assert fill(x, 3.0) is None and x.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="writes"):
        fill.register_autograd(lambda ctx, g: (g, None))


def test_names() -> None:
    name = fresh("named")
    op = library.custom_op(
        name, lambda x: x.clone(), mutates_args=(), schema="(Tensor x) -> Tensor"
    )
    assert getattr(ops.testing, name.partition("::")[2]) is op
    with pytest.raises(RuntimeError, match="already"):
        library.custom_op(name, lambda x: x, mutates_args=(), schema="(Tensor x) -> Tensor")
    for wrong in ("no_namespace", "a::b::c", "::x", "a::"):
        with pytest.raises(ValueError, match="namespace::name"):
            library.custom_op(wrong, lambda x: x, mutates_args=(), schema="(Tensor x) -> Tensor")
    with pytest.raises(AttributeError, match="nothing"):
        _ = ops.testing.nothing


def test_library_defines_and_implements() -> None:
    lib = library.Library(f"lib{next(_numbers)}", "DEF")
    lib.define("twice(Tensor x, *, float by=2.0) -> Tensor")
    op = getattr(ops, lib.ns).twice
    with pytest.raises(NotImplementedError, match="no kernel"):
        op(fb.ones(1))
    lib.impl("twice", lambda x, *, by=2.0: x * by, "CPU")
    assert op(fb.ones(1)).tolist() == [2.0] and op(fb.ones(1), by=3.0).tolist() == [3.0]
    with pytest.raises(ValueError, match="expected one of"):
        lib.impl("twice", lambda x: x, "Toaster")
    with pytest.raises(ValueError, match="kind"):
        library.Library("x", "OTHER")
    qualified = fresh("square")
    library.define(qualified, "(Tensor x) -> Tensor")
    library.impl(qualified, "default")(lambda x: x * x)
    library.register_autograd(
        qualified,
        lambda ctx, g: 2 * ctx.saved_tensors[0] * g,
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
    )
    x = fb.tensor([3.0], requires_grad=True)
    getattr(ops.testing, qualified.partition("::")[2])(x).backward()
    assert x.grad is not None and x.grad.tolist() == [6.0]


# ---- gradients and transforms --------------------------------------------------------


def sine(name: str) -> Any:
    @library.custom_op(fresh(name), mutates_args=())
    def op(x: Tensor, k: float = 1.0) -> Tensor:
        return fb.from_numpy(np.sin(k * x.numpy()))

    def keep(ctx: Any, inputs: Any, output: Any) -> None:
        x, ctx.k = inputs
        ctx.save_for_backward(x)

    def slope(ctx: Any, g: Any) -> Any:
        return g * ctx.k * fb.cos(ctx.k * ctx.saved_tensors[0]), None

    op.register_autograd(slope, setup_context=keep)
    return op


def test_gradients_twice_and_forward() -> None:
    op = sine("sine")
    x = fb.tensor([0.3, 1.0], dtype=fb.float64, requires_grad=True)
    (g,) = fb.autograd.grad(op(x, 2.0).sum(), x, create_graph=True)
    assert fb.allclose(g, 2 * (2 * x).cos())
    (h,) = fb.autograd.grad(g.sum(), x)
    assert fb.allclose(h, -4 * (2 * x).sin())
    value, pushed = jvp(op, (x.detach(),), (fb.ones_like(x),))
    assert fb.allclose(value, x.sin()) and fb.allclose(pushed, x.cos())
    batch = fb.arange(6, dtype=fb.float64).reshape(3, 2)
    assert fb.allclose(vmap(op)(batch), batch.sin())
    assert fb.allclose(vmap(grad(lambda e: op(e).sum()))(batch), batch.cos())


def test_gradient_of_lists() -> None:
    @library.custom_op(fresh("sum"), mutates_args=())
    def total(xs: Sequence[Tensor], y: Tensor) -> Tensor:
        return sum(xs, y * 2)

    total.register_autograd(
        lambda ctx, g: ([g * (i + 1) for i in range(ctx.n)], 2 * g),
        setup_context=lambda ctx, inputs, output: setattr(ctx, "n", len(inputs[0])),
    )
    a, b, c = (fb.ones(2, requires_grad=True) for _ in range(3))
    total([a, b], c).sum().backward()
    assert [t.grad.tolist() for t in (a, b, c)] == [[1, 1], [2, 2], [2, 2]]


def test_gradient_that_is_missing_or_of_the_wrong_number() -> None:
    @library.custom_op(fresh("dull"), mutates_args=())
    def op(x: Tensor, y: Tensor) -> Tensor:
        return x + y

    x = fb.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="register_autograd"):
        op(x, x).sum().backward()
    op.register_autograd(lambda ctx, g: g)
    with pytest.raises(RuntimeError, match="2 arguments"):
        op(x, x).sum().backward()


def test_batching_rule() -> None:
    op, calls = sine("batched"), []

    @op.register_vmap
    def rule(info: Any, in_dims: Any, x: Any, k: Any) -> Any:
        calls.append((info.batch_size, in_dims))
        return op(x, k), in_dims[0]

    batch = fb.arange(6, dtype=fb.float64).reshape(3, 2)
    assert fb.allclose(vmap(op)(batch), batch.sin())
    assert calls == [(3, (0, None))]
    assert fb.allclose(vmap(op, in_dims=1, out_dims=1)(batch), batch.sin())


# ---- ops that lie ---------------------------------------------------------------------


def lies(written: Any = ()) -> Any:
    def make(f: Any) -> Any:
        return library.custom_op(fresh(f.__name__), f, mutates_args=written)

    return make


def test_opcheck_passes_an_honest_op() -> None:
    op = sine("honest")
    op.register_fake(lambda x, k=1.0: fb.empty_like(x))
    found = library.opcheck(op, (fb.ones(2, requires_grad=True), 2.0))
    assert set(found.values()) == {"SUCCESS"} and len(found) == 4


def test_opcheck_finds_a_hidden_write() -> None:
    @lies()
    def writes(x: Tensor) -> Tensor:
        x.numpy()[...] = 0
        return x.clone()

    with pytest.raises(AssertionError, match="wrote to argument x"):
        library.opcheck(writes, (fb.ones(2),), test_utils="test_schema")

    @lies()
    def writes_in_list(xs: Sequence[Tensor]) -> Tensor:
        xs[0].add_(1)
        return xs[0].clone()

    with pytest.raises(AssertionError, match="wrote to argument xs"):
        library.opcheck(writes_in_list, ([fb.ones(2)],), test_utils="test_schema")


def test_opcheck_finds_a_view() -> None:
    @lies()
    def views(x: Tensor) -> Tensor:
        return x[1:]

    with pytest.raises(AssertionError, match="view"):
        library.opcheck(views, (fb.ones(2),), test_utils="test_schema")


def test_opcheck_finds_a_wrong_rule_for_shapes() -> None:
    @lies()
    def grows(x: Tensor) -> Tensor:
        return fb.cat([x, x])

    with pytest.raises(AssertionError, match="register_fake"):
        library.opcheck(grows, (fb.ones(2),), test_utils="test_faketensor")
    grows.register_fake(fb.empty_like)
    with pytest.raises(AssertionError, match="rule for shapes"):
        library.opcheck(grows, (fb.ones(2),), test_utils="test_faketensor")


def test_opcheck_finds_wrong_gradients_and_rules_for_batches() -> None:
    @lies()
    def halved(x: Tensor) -> Tensor:
        return x / 2

    halved.register_autograd(lambda ctx, g: g.sum())
    with pytest.raises((AssertionError, RuntimeError), match="shape"):
        library.opcheck(
            halved, (fb.ones(2, requires_grad=True),), test_utils="test_autograd_registration"
        )
    halved.register_vmap(lambda info, dims, x: (x * 2, dims[0]))
    with pytest.raises(AssertionError, match="vmap differs"):
        library.opcheck(halved, (fb.ones(2),), test_utils="test_vmap")
    found = library.opcheck(halved, (fb.ones(2),), raise_exception=False)
    assert "vmap differs" in found["test_vmap"]
    with pytest.raises(ValueError, match="unknown test"):
        library.opcheck(halved, (fb.ones(2),), test_utils="test_everything")
